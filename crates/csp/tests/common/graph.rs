//! Explicit graphs, and slow algorithms on them.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use linchpin_csp::System;
use linchpin_lts::{LabelledSystem, Trouble};

use super::naive::{Data, Failed, Naive, Proc};

/// States are numbers, the first is the initial one.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) steps: Vec<Vec<(String, usize)>>,
    /// Which states have terminated.
    pub(crate) done: Vec<bool>,
    /// The values of variables, by name.
    pub(crate) values: Vec<BTreeMap<String, i64>>,
}

/// The graph of the slow interpreter; nothing if it is too large.
pub(crate) fn naive<'m>(
    naive: &Naive<'m>,
    root: Proc<'m>,
    most: usize,
) -> Result<Option<Graph>, Failed> {
    let mut graph = Graph::default();
    let mut known: HashMap<(String, Data), usize> = HashMap::new();
    let mut todo: VecDeque<(Proc<'m>, Data)> = VecDeque::new();
    let data = naive.counted(&root, naive.initial())?;
    known.insert((naive.key(&root), data.clone()), 0);
    todo.push_back((root, data));
    while let Some((p, data)) = todo.pop_front() {
        let mut list = Vec::new();
        for mut s in naive.all_steps(&p, &data)? {
            s.data = naive.counted(&s.next, s.data)?;
            let key = (naive.key(&s.next), s.data.clone());
            let next = known.len();
            let target = *known.entry(key).or_insert(next);
            if target == next {
                if next == most {
                    return Ok(None);
                }
                todo.push_back((s.next, s.data));
            }
            list.push((s.label, target));
        }
        graph.steps.push(list);
        graph.done.push(naive.is_done(&p));
        graph.values.push(
            data.variables
                .iter()
                .map(|(n, v)| (n.clone(), v.first().copied().unwrap_or(0)))
                .collect(),
        );
    }
    Ok(Some(graph))
}

/// The graph of the library's system; nothing if it is too large.
pub(crate) fn library(system: &System, most: usize) -> Result<Option<Graph>, Trouble> {
    library_of(system, system, most)
}

/// The same of a system that has states of another.
pub(crate) fn library_of<S: LabelledSystem>(
    whole: &System,
    system: &S,
    most: usize,
) -> Result<Option<Graph>, Trouble> {
    let mut graph = Graph::default();
    let mut scratch = system.scratch();
    let mut known: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut todo = VecDeque::new();
    let initial = system.initial(&mut scratch)?;
    known.insert(initial.clone(), 0);
    todo.push_back(initial);
    while let Some(state) = todo.pop_front() {
        let mut found = Vec::new();
        system.successors(&mut scratch, &state, &mut |m| {
            assert!(!m.by.is_empty() && m.by.is_sorted());
            found.push((m.label, m.state.to_vec()));
        })?;
        let mut list = Vec::new();
        for (label, next) in found {
            let number = known.len();
            let target = *known.entry(next.clone()).or_insert(number);
            if target == number {
                if number == most {
                    return Ok(None);
                }
                todo.push_back(next);
            }
            list.push((system.label(label), target));
        }
        graph.steps.push(list);
        graph.done.push(whole.is_terminated(&state));
        graph.values.push(BTreeMap::new());
    }
    Ok(Some(graph))
}

impl Graph {
    pub(crate) fn deadlock(&self) -> bool {
        (0..self.steps.len()).any(|s| self.steps[s].is_empty() && !self.done[s])
    }

    pub(crate) fn ends(&self) -> bool {
        self.steps.iter().any(Vec::is_empty)
    }

    /// Is there a cycle of edges that are kept?
    pub(crate) fn cycle(&self, keep: impl Fn(&str) -> bool) -> bool {
        // States are taken away as long as there is one without kept edges.
        let mut left: BTreeSet<usize> = (0..self.steps.len()).collect();
        loop {
            let stay = |s: &usize| self.steps[*s].iter().any(|(l, t)| keep(l) && left.contains(t));
            let next: BTreeSet<usize> = left.iter().copied().filter(stay).collect();
            if next.len() == left.len() {
                return !left.is_empty();
            }
            left = next;
        }
    }

    /// Is `<> event` violated: can it be avoided for ever, or until the end?
    pub(crate) fn avoids(&self, event: &str) -> bool {
        let mut reached = BTreeSet::from([0]);
        let mut todo = vec![0];
        while let Some(s) = todo.pop() {
            for (l, t) in &self.steps[s] {
                if l != event && reached.insert(*t) {
                    todo.push(*t);
                }
            }
        }
        if reached.iter().any(|&s| self.steps[s].is_empty()) {
            return true;
        }
        let part = Graph {
            steps: (0..self.steps.len())
                .map(|s| match reached.contains(&s) {
                    true => self.steps[s].clone(),
                    false => Vec::new(),
                })
                .collect(),
            ..Graph::default()
        };
        part.cycle(|l| l != event)
    }

    /// Is `[]<> event` violated?
    pub(crate) fn forgets(&self, event: &str) -> bool {
        let ends_otherwise = self.steps[0].is_empty()
            || (self.steps.iter().flatten()).any(|(l, t)| l != event && self.steps[*t].is_empty());
        ends_otherwise || self.cycle(|l| l != event)
    }

    fn silent_closure(&self, set: BTreeSet<usize>) -> BTreeSet<usize> {
        let mut all = set.clone();
        let mut todo: Vec<usize> = set.into_iter().collect();
        while let Some(s) = todo.pop() {
            for (l, t) in &self.steps[s] {
                if l == "tau" && all.insert(*t) {
                    todo.push(*t);
                }
            }
        }
        all
    }

    /// Are all weak traces of this graph weak traces of the other?
    pub(crate) fn traces_included(&self, other: &Graph) -> bool {
        let start = (0usize, other.silent_closure(BTreeSet::from([0])));
        let mut seen = BTreeSet::from([start.clone()]);
        let mut todo = vec![start];
        while let Some((s, set)) = todo.pop() {
            for (l, t) in &self.steps[s] {
                let after = if l == "tau" {
                    set.clone()
                } else {
                    let step = set.iter().flat_map(|&q| other.steps[q].iter());
                    other.silent_closure(step.filter(|(m, _)| m == l).map(|(_, t)| *t).collect())
                };
                if after.is_empty() {
                    return false;
                }
                if seen.insert((*t, after.clone())) {
                    todo.push((*t, after));
                }
            }
        }
        true
    }
}

impl Graph {
    /// Is there a state with two steps of one label to different states?
    pub(crate) fn branches(&self) -> bool {
        self.branches_between(|t, u| t != u)
    }

    /// Is there a state with two steps of one label to states that are not even strongly bisimilar?
    pub(crate) fn branches_visibly(&self) -> bool {
        let class = classes(self, self);
        self.branches_between(|t, u| class[t] != class[u])
    }

    fn branches_between(&self, differ: impl Fn(usize, usize) -> bool) -> bool {
        self.steps.iter().any(|list| {
            list.iter().any(|(l, t)| list.iter().any(|(m, u)| l == m && differ(*t, *u)))
        })
    }

    /// States from which silent steps can go on for ever.
    fn divergent(&self) -> BTreeSet<usize> {
        let mut left: BTreeSet<usize> = (0..self.steps.len()).collect();
        loop {
            let silent =
                |s: &usize| self.steps[*s].iter().any(|(l, t)| l == "tau" && left.contains(t));
            let next: BTreeSet<usize> = left.iter().copied().filter(silent).collect();
            if next.len() == left.len() {
                return left;
            }
            left = next;
        }
    }

    /// What a state offers if it is stable.
    fn offer(&self, state: usize) -> Option<BTreeSet<&str>> {
        let labels: BTreeSet<&str> = self.steps[state].iter().map(|(l, _)| l.as_str()).collect();
        (!labels.contains("tau")).then_some(labels)
    }

    /// Are all traces and failures of this graph those of the other; with `divergences`, those and
    /// the divergences, where everything is allowed after one?
    pub(crate) fn failures_included(&self, other: &Graph, divergences: bool) -> bool {
        let (mine, theirs) = (self.divergent(), other.divergent());
        let start = BTreeSet::from([0]);
        let start = (self.silent_closure(start.clone()), other.silent_closure(start));
        let mut seen = BTreeSet::from([start.clone()]);
        let mut todo = vec![start];
        // Both sets are after the same trace.
        while let Some((own, set)) = todo.pop() {
            if divergences && !set.is_disjoint(&theirs) {
                continue;
            }
            if divergences && !own.is_disjoint(&mine) {
                return false;
            }
            let allowed: Vec<_> = set.iter().filter_map(|&s| other.offer(s)).collect();
            for offer in own.iter().filter_map(|&s| self.offer(s)) {
                if !allowed.iter().any(|least| least.is_subset(&offer)) {
                    return false;
                }
            }
            let labels: BTreeSet<&String> =
                own.iter().flat_map(|&s| self.steps[s].iter().map(|(l, _)| l)).collect();
            for label in labels.into_iter().filter(|l| *l != "tau") {
                let after = |graph: &Graph, set: &BTreeSet<usize>| {
                    let steps = set.iter().flat_map(|&s| graph.steps[s].iter());
                    graph.silent_closure(
                        steps.filter(|(l, _)| l == label).map(|(_, t)| *t).collect(),
                    )
                };
                let next = (after(self, &own), after(other, &set));
                if next.1.is_empty() {
                    return false;
                }
                if seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        true
    }
}

/// A block, and where its steps lead.
type Signature<'g> = (usize, BTreeSet<(&'g str, usize)>);

/// Are the initial states of two graphs strongly bisimilar?
pub(crate) fn bisimilar(a: &Graph, b: &Graph) -> bool {
    let class = classes(a, b);
    class[0] == class[a.steps.len()]
}

/// The classes of strong bisimilarity of the states of two graphs, one after the other.
fn classes(a: &Graph, b: &Graph) -> Vec<usize> {
    let offset = a.steps.len();
    let total = offset + b.steps.len();
    let steps = |s: usize| -> Vec<(&str, usize)> {
        match s < offset {
            true => a.steps[s].iter().map(|(l, t)| (l.as_str(), *t)).collect(),
            false => b.steps[s - offset].iter().map(|(l, t)| (l.as_str(), t + offset)).collect(),
        }
    };
    let done = |s: usize| if s < offset { a.done[s] } else { b.done[s - offset] };
    let mut block: Vec<usize> = (0..total).map(|s| usize::from(done(s))).collect();
    let mut count = 0;
    loop {
        let mut numbers: HashMap<Signature<'_>, usize> = HashMap::new();
        let mut next = vec![0; total];
        for s in 0..total {
            let signature: BTreeSet<(&str, usize)> =
                steps(s).into_iter().map(|(l, t)| (l, block[t])).collect();
            let number = numbers.len();
            next[s] = *numbers.entry((block[s], signature)).or_insert(number);
        }
        let found = numbers.len();
        block = next;
        if found == count {
            return block;
        }
        count = found;
    }
}
