//! A specification as a labelled system: one slot for every sequential component.
//!
//! Components have few frames compared with the states of the network, so everything about them is
//! computed once by each worker: the steps of a frame, and what comes of steps that are put together. Values,
//! frames and labels are shared, and read without a lock.
//!
//! Steps are a function of the state: nothing that can be seen of them, their order included, depends on
//! what was looked at before or by whom. Slots are numbers and do depend on it; [`LabelledSystem::hash`]
//! does not.

use std::collections::HashMap;
use std::hash::Hasher;
use std::io;
use std::sync::Arc;

use linchpin_lts::{
    ByContent, Content, Interned, Label, LabelledSystem, Loading, Move, NewNumbers, Renumber,
    Saving, TAU, Trouble, Watch,
};

use crate::atomic::Atomic;
use crate::check::Spec;
use crate::data::{Machine, Stop, Store, Value};
use crate::net::{
    Collector, DONE, FrameId, Frames, Leaf, LetterId, Letters, STOPPED, Step, Vectors, build,
    solve, vectors,
};
use crate::report::{Checked, SHAPE, error};

/// An mCRL2 specification that can be run.
pub struct System {
    vectors: Vectors,
    leaves: usize,
    /// How many of them have to terminate for the whole to terminate.
    working: usize,
    initial: Vec<FrameId>,
    spec: Arc<Spec>,
    watch: Watch,
    store: Arc<Store>,
    frames: Frames,
    letters: Letters,
    labels: Interned<Box<str>>,
    /// The label of termination.
    terminate: Label,
}

/// The steps of a frame, by letter.
struct Steps {
    /// Letter, and the range of its steps.
    letters: Vec<(LetterId, u32, u32)>,
    list: Vec<Step>,
    /// The number of the first of them; the others follow.
    first: u32,
}

/// What a worker remembers.
pub struct Scratch {
    machine: Machine,
    /// By frame.
    steps: Vec<Option<Arc<Steps>>>,
    /// How many steps have numbers.
    numbered: u32,
    /// Labels of vectors with these visible arguments.
    seen: HashMap<(u32, Box<[Value]>), Label>,
    /// Where the outcomes of a vector with one or two steps are.
    pairs: HashMap<(u32, u32, u32), (u32, u32), ByContent>,
    more: HashMap<Box<[u32]>, (u32, u32)>,
    /// Rows of a label and the frames of the participants.
    rows: Vec<u32>,
    state: Vec<u32>,
    by: Vec<u32>,
    here: Vec<Arc<Steps>>,
}

impl System {
    /// The system of a specification.
    pub(crate) fn new(spec: Arc<Spec>, atomic: Option<&Atomic>, watch: &Watch) -> Checked<System> {
        let store = Arc::new(Store::default());
        let mut machine = Machine::new(Arc::clone(&spec), Arc::clone(&store), watch.clone());
        let (tree, mut leaves) = build(&mut machine)?;
        let working = leaves.len();
        if let Some(atomic) = atomic {
            leaves.push(Leaf { term: atomic.lock, values: Vec::new() });
        }
        let mut letters = Letters::default();
        let list = vectors(&spec, &tree, &leaves, &mut letters, atomic)?;
        let frames = Frames::default();
        let mut initial = Vec::new();
        for leaf in &leaves {
            let mut values = leaf.values.clone();
            let entered = frames.enter(&mut machine, leaf.term, &mut values, DONE, false);
            initial.push(entered.map_err(|stop| {
                let span = spec.terms[leaf.term as usize].span;
                Box::new(error(SHAPE, span, trouble(stop).message))
            })?);
        }
        let mut terminate = "Terminate".to_string();
        while spec.actions.iter().any(|a| a.name == terminate) {
            terminate.push('0');
        }
        let labels = Interned::default();
        let [tau, terminate] = ["tau", &terminate].map(|text| label(&labels, text));
        debug_assert_eq!(tau, TAU);
        let (vectors, leaves) = (Vectors::new(list, leaves.len()), leaves.len());
        Ok(System {
            vectors,
            leaves,
            working,
            initial,
            spec,
            watch: watch.clone(),
            store,
            frames,
            letters,
            labels,
            terminate,
        })
    }

    /// The steps of a frame.
    fn steps(&self, scratch: &mut Scratch, frame: FrameId) -> Result<Arc<Steps>, Trouble> {
        let at = frame as usize;
        if let Some(Some(steps)) = scratch.steps.get(at) {
            return Ok(Arc::clone(steps));
        }
        let steps = Arc::new(self.compute_steps(scratch, frame).map_err(trouble)?);
        if scratch.steps.len() <= at {
            scratch.steps.resize(at + 1, None);
        }
        scratch.steps[at] = Some(Arc::clone(&steps));
        Ok(steps)
    }

    /// The rows of a vector with these steps (numbers within their frames) of its participants.
    fn rows(
        &self,
        scratch: &mut Scratch,
        vector: u32,
        chosen: &[u32],
    ) -> Result<(u32, u32), Trouble> {
        let participants = &self.vectors.list[vector as usize].participants;
        let number = |k: usize| scratch.here[participants[k].0 as usize].first + chosen[k];
        let small = match chosen.len() {
            1 => Some((vector, number(0), u32::MAX)),
            2 => Some((vector, number(0), number(1))),
            _ => None,
        };
        let known = match small {
            Some(key) => scratch.pairs.get(&key).copied(),
            None => {
                let key: Vec<u32> = (0..chosen.len()).map(number).chain([vector]).collect();
                scratch.more.get(&*key).copied()
            }
        };
        if let Some(found) = known {
            return Ok(found);
        }
        let numbers: Vec<u32> = (0..chosen.len()).map(number).collect();
        let steps: Vec<&Step> = participants
            .iter()
            .zip(chosen)
            .map(|((leaf, _), k)| &scratch.here[*leaf as usize].list[*k as usize])
            .collect();
        let from = scratch.rows.len() as u32;
        let Scratch { machine, seen, .. } = scratch;
        let outcomes = self.outcomes(machine, seen, vector, &steps).map_err(trouble)?;
        let count = outcomes.len() as u32;
        scratch.rows.extend(
            outcomes.into_iter().flat_map(|(label, targets)| std::iter::once(label).chain(targets)),
        );
        match small {
            Some(key) => {
                scratch.pairs.insert(key, (from, count));
            }
            None => {
                let key: Vec<u32> = numbers.into_iter().chain([vector]).collect();
                scratch.more.insert(key.into(), (from, count));
            }
        }
        Ok((from, count))
    }

    /// Emits all steps of a vector in a state.
    fn emit_vector(
        &self,
        scratch: &mut Scratch,
        state: &[u32],
        vector: u32,
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        let participants = &self.vectors.list[vector as usize].participants;
        let mut ranges = [(0u32, 0u32); 8];
        if participants.len() > ranges.len() {
            return self.emit_large(scratch, state, vector, emit);
        }
        for (k, (leaf, letter)) in participants.iter().enumerate() {
            match scratch.here[*leaf as usize].letters.iter().find(|(l, ..)| l == letter) {
                Some((_, from, to)) => ranges[k] = (*from, *to),
                None => return Ok(()),
            }
        }
        let ranges = &ranges[..participants.len()];
        let mut chosen = [0u32; 8];
        for (place, (from, _)) in chosen.iter_mut().zip(ranges) {
            *place = *from;
        }
        let chosen = &mut chosen[..participants.len()];
        loop {
            self.emit_chosen(scratch, state, vector, chosen, emit)?;
            if !advance(chosen, ranges) {
                return Ok(());
            }
        }
    }

    /// The same for vectors with many participants.
    fn emit_large(
        &self,
        scratch: &mut Scratch,
        state: &[u32],
        vector: u32,
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        let mut ranges = Vec::new();
        for (leaf, letter) in &self.vectors.list[vector as usize].participants {
            match scratch.here[*leaf as usize].letters.iter().find(|(l, ..)| l == letter) {
                Some((_, from, to)) => ranges.push((*from, *to)),
                None => return Ok(()),
            }
        }
        let mut chosen: Vec<u32> = ranges.iter().map(|(from, _)| *from).collect();
        loop {
            self.emit_chosen(scratch, state, vector, &chosen, emit)?;
            if !advance(&mut chosen, &ranges) {
                return Ok(());
            }
        }
    }

    fn emit_chosen(
        &self,
        scratch: &mut Scratch,
        state: &[u32],
        vector: u32,
        chosen: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        let (from, count) = self.rows(scratch, vector, chosen)?;
        let participants = &self.vectors.list[vector as usize].participants;
        let width = participants.len() + 1;
        let Scratch { rows, state: next, by, .. } = scratch;
        if count > 0 {
            by.clear();
            by.extend(participants.iter().map(|(leaf, _)| *leaf));
        }
        for row in rows[from as usize..].chunks_exact(width).take(count as usize) {
            next.clear();
            next.extend_from_slice(state);
            for ((leaf, _), target) in participants.iter().zip(&row[1..]) {
                next[*leaf as usize] = *target;
            }
            emit(Move { label: row[0], by, state: next });
        }
        Ok(())
    }
}

/// The next choice, like a counter; false after the last.
fn advance(chosen: &mut [u32], ranges: &[(u32, u32)]) -> bool {
    for (place, (from, to)) in chosen.iter_mut().zip(ranges).rev() {
        *place += 1;
        if *place < *to {
            return true;
        }
        *place = *from;
    }
    false
}

fn trouble(stop: Stop) -> Trouble {
    match stop {
        Stop::Trouble(trouble) => *trouble,
        Stop::Unbound => Trouble::new("a variable has no value"),
    }
}

impl System {
    fn compute_steps(&self, scratch: &mut Scratch, frame: FrameId) -> Result<Steps, Stop> {
        let mut list = Vec::new();
        if frame != DONE && frame != STOPPED {
            let machine = &mut scratch.machine;
            let mut collector = Collector { machine, letters: &self.letters, steps: Vec::new() };
            collector.collect(self.frames.get(frame))?;
            list = collector.steps;
        }
        list.sort_by_key(|step| step.letter);
        let mut letters: Vec<(LetterId, u32, u32)> = Vec::new();
        for (i, step) in list.iter().enumerate() {
            match letters.last_mut() {
                Some((letter, _, to)) if *letter == step.letter => *to = i as u32 + 1,
                _ => letters.push((step.letter, i as u32, i as u32 + 1)),
            }
        }
        let first = scratch.numbered;
        scratch.numbered += list.len() as u32;
        Ok(Steps { letters, list, first })
    }

    fn outcomes(
        &self,
        machine: &mut Machine,
        known: &mut HashMap<(u32, Box<[Value]>), Label>,
        number: u32,
        steps: &[&Step],
    ) -> Result<Vec<(Label, Vec<FrameId>)>, Stop> {
        let vector = &self.vectors.list[number as usize];
        let found = solve(machine, &self.frames, vector, steps)?;
        let mut list = Vec::new();
        for outcome in found {
            let key = outcome.seen.iter().flat_map(|(_, values)| values.clone()).collect();
            let label = *known.entry((number, key)).or_insert_with(|| {
                let mut parts: Vec<String> = Vec::new();
                for (group, values) in &outcome.seen {
                    let name = &vector.groups[*group as usize].name;
                    let values: Vec<String> = values.iter().map(|v| machine.show(*v)).collect();
                    parts.push(match values.is_empty() {
                        true => name.to_string(),
                        false => format!("{name}({})", values.join(", ")),
                    });
                }
                parts.sort();
                let text = if parts.is_empty() { "tau".into() } else { parts.join("|") };
                label(&self.labels, &text)
            });
            list.push((label, outcome.targets));
        }
        Ok(list)
    }
}

/// The label of a text.
fn label(labels: &Interned<Box<str>>, text: &str) -> Label {
    labels.intern(Content::of(text), text.into())
}

/// What frames and labels of another run are called.
struct Renumbered {
    frames: NewNumbers,
    labels: NewNumbers,
}

impl Renumber for Renumbered {
    fn state(&self, state: &mut [u32]) -> io::Result<()> {
        self.frames.renumber(state)
    }

    fn label(&self, label: Label) -> io::Result<Label> {
        self.labels.get(label)
    }
}

impl LabelledSystem for System {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch {
            machine: Machine::new(
                Arc::clone(&self.spec),
                Arc::clone(&self.store),
                self.watch.clone(),
            ),
            steps: Vec::new(),
            numbered: 0,
            seen: HashMap::new(),
            pairs: HashMap::default(),
            more: HashMap::new(),
            rows: Vec::new(),
            state: Vec::new(),
            by: Vec::new(),
            here: Vec::new(),
        }
    }

    fn width(&self) -> usize {
        self.leaves
    }

    fn initial(&self, _: &mut Scratch) -> Result<Vec<u32>, Trouble> {
        Ok(self.initial.clone())
    }

    fn successors(
        &self,
        scratch: &mut Scratch,
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        if state[..self.working].iter().all(|frame| *frame == DONE) {
            let by: Vec<u32> = (0..self.leaves as u32).collect();
            emit(Move { label: self.terminate, by: &by, state: &vec![STOPPED; self.leaves] });
            return Ok(());
        }
        let mut here = std::mem::take(&mut scratch.here);
        here.clear();
        for frame in state {
            here.push(self.steps(scratch, *frame)?);
        }
        scratch.here = here;
        for leaf in 0..self.leaves {
            for k in 0..scratch.here[leaf].letters.len() {
                let letter = scratch.here[leaf].letters[k].0;
                for vector in self.vectors.beginning(leaf, letter) {
                    self.emit_vector(scratch, state, *vector, emit)?;
                }
            }
        }
        Ok(())
    }

    fn hash(&self, _: &mut Scratch, state: &[u32]) -> Option<u64> {
        let mut content = Content::default();
        state.iter().for_each(|&frame| content.add(self.frames.hash(frame)));
        Some(content.finish())
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.store.save(out)?;
        self.frames.save(out)?;
        out.things(self.labels.iter())
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        let values = self.store.load(from)?;
        let frames = self.frames.load(&self.store, &values, from)?;
        let labels = from.things(|text: String, _| Ok(label(&self.labels, &text)))?;
        Ok(Box::new(Renumbered { frames, labels }))
    }

    fn label(&self, label: Label) -> String {
        self.labels.get(label).to_string()
    }
}
