//! The steps of `|||` and `||`: alone, together in shared events, in communication, in termination.

use linchpin_lts::Label;

use super::{Action, Computed, Guard, MAX_STEPS, Spec, Step, Stepper, Target, Wrap};
use crate::labels::SetId;
use crate::program::{NodeId, NodeKind};
use crate::term::{DONE, TermId};

impl Stepper<'_> {
    pub(super) fn interleave(&mut self, parts: &[TermId]) -> Computed<Vec<Step>> {
        let of: Vec<Vec<Step>> = parts.iter().map(|&p| self.steps(p)).collect::<Computed<_>>()?;
        let mut steps = Vec::new();
        for (i, list) in of.iter().enumerate() {
            for step in list.iter().filter(|s| !s.is_tick()) {
                let mut step = step.clone();
                self.wrap(&mut step, Wrap::Interleave(parts.into(), i));
                steps.push(step);
            }
        }
        self.communications(&of, parts, None, &mut steps);
        steps.extend(terminations(&of));
        Ok(steps)
    }

    /// The steps of as many processes as one likes: of one of them, or of two that communicate.
    pub(super) fn many(&mut self, id: TermId, inner: TermId) -> Computed<Vec<Step>> {
        let of = self.steps(inner)?;
        let mut moving: Vec<Step> = of.iter().filter(|s| !s.is_tick()).cloned().collect();
        let (alone, two) = (moving.len(), [of.clone(), of.clone()]);
        self.communications(&two, &[inner, inner], None, &mut moving);
        // The first sends to the second, or the other way round: that is the same.
        moving.truncate(alone + (moving.len() - alone) / 2);
        for step in &mut moving {
            self.wrap(step, Wrap::Interleave([inner, id].into(), 0));
        }
        moving.extend(of.into_iter().filter(Step::is_tick));
        Ok(moving)
    }

    pub(super) fn parallel(&mut self, alphabets: u32, parts: &[TermId]) -> Computed<Vec<Step>> {
        let sets = self.terms.alphabet(alphabets).to_vec();
        let mut of = Vec::new();
        for (&part, &set) in parts.iter().zip(&sets) {
            let steps = self.steps(part)?;
            of.push(self.decide_names(steps, set));
        }
        let mut steps = Vec::new();
        let mut shared: Vec<Label> = Vec::new();
        for (i, list) in of.iter().enumerate() {
            for step in list.iter().filter(|s| !s.is_tick()) {
                match step.spec() {
                    Some(Spec::Fixed(label))
                        if step.synchronises() && self.terms.labels.contains(sets[i], *label) =>
                    {
                        if !shared.contains(label) {
                            shared.push(*label);
                        }
                    }
                    _ => {
                        let mut step = step.clone();
                        self.wrap(&mut step, Wrap::Parallel(alphabets, parts.into(), i));
                        steps.push(step);
                    }
                }
            }
        }
        self.communications(&of, parts, Some(alphabets), &mut steps);
        for label in shared {
            let who: Vec<usize> =
                (0..parts.len()).filter(|&i| self.terms.labels.contains(sets[i], label)).collect();
            let with = |s: &Step| {
                s.synchronises() && matches!(s.spec(), Some(Spec::Fixed(l)) if *l == label)
            };
            let choices: Vec<Vec<&Step>> =
                who.iter().map(|&i| of[i].iter().filter(|s| with(s)).collect()).collect();
            for choice in product(&choices) {
                if let Some(step) = self.synchronise(&who, &choice, alphabets, parts, label) {
                    steps.push(step);
                }
            }
        }
        steps.extend(terminations(&of));
        Ok(steps)
    }

    /// One step of several operands at once.
    fn synchronise(
        &mut self,
        who: &[usize],
        choice: &[&Step],
        alphabets: u32,
        parts: &[TermId],
        label: Label,
    ) -> Option<Step> {
        let mut after = parts.to_vec();
        let mut bound = None;
        let mut joined = choice[0].clone();
        joined.guards.clear();
        joined.nodes.clear();
        joined.action = Action::Event(Spec::Fixed(label), None);
        for (&i, step) in who.iter().zip(choice) {
            joined.guards.extend_from_slice(&step.guards);
            joined.nodes.extend_from_slice(&step.nodes);
            joined.atomic |= step.atomic;
            match &step.target {
                Target::Term(term) => after[i] = *term,
                Target::Broken(_) => {
                    joined.target = step.target.clone();
                    return Some(joined);
                }
                Target::Bound(_) => bound = Some((i, step)),
            }
        }
        match bound {
            None => joined.target = Target::Term(self.terms.parallel(alphabets, after)),
            Some((i, step)) => {
                joined.action = step.action.clone();
                joined.target = step.target.clone();
                self.wrap(&mut joined, Wrap::Parallel(alphabets, after.into(), i));
            }
        }
        Some(joined)
    }

    /// Steps whose names depend on variables become one step for each shared name and one for the
    /// others.
    fn decide_names(&self, steps: Vec<Step>, set: SetId) -> Vec<Step> {
        let mut decided = Vec::new();
        for step in steps {
            let spec = match step.spec() {
                Some(spec @ (Spec::Event(node, _) | Spec::Communication(node, _)))
                    if step.synchronises() =>
                {
                    let base = self.base_name(*node);
                    let labels = &self.terms.labels;
                    let named = |l: &Label| labels.text(*l).split('.').next() == Some(base);
                    let mut named: Vec<Label> =
                        labels.members(set).iter().copied().filter(named).collect();
                    labels.sort(&mut named);
                    for label in named {
                        let mut one = step.clone();
                        one.guards.push(Guard::Is(spec.clone(), label));
                        one.rename(label);
                        decided.push(one);
                    }
                    spec.clone()
                }
                _ => {
                    decided.push(step);
                    continue;
                }
            };
            let mut step = step;
            step.guards.push(Guard::Named(spec, set, false));
            decided.push(step);
        }
        decided
    }

    /// The name of an event or channel without what follows.
    fn base_name(&self, node: NodeId) -> &str {
        match &self.program.nodes[node as usize].kind {
            NodeKind::Prefix(event, ..) => &self.program.names[event.name as usize],
            NodeKind::Send(port, ..) => &self.program.channels[port.first as usize].name,
            _ => "",
        }
    }

    /// Synchronous communication between two operands of `|||`, or of `||`.
    fn communications(
        &mut self,
        of: &[Vec<Step>],
        parts: &[TermId],
        alphabets: Option<u32>,
        steps: &mut Vec<Step>,
    ) {
        for (i, outputs) in of.iter().enumerate() {
            for output in outputs {
                let Action::Send(from, from_env) = &output.action else { continue };
                let NodeKind::Send(port, ..) = &self.program.nodes[*from as usize].kind else {
                    continue;
                };
                if self.program.channels[port.first as usize].size > 0 {
                    continue;
                }
                for (k, inputs) in of.iter().enumerate().filter(|(k, _)| *k != i) {
                    for input in inputs {
                        let Action::Receive(to, to_env) = &input.action else { continue };
                        let NodeKind::Receive(other, ..) = &self.program.nodes[*to as usize].kind
                        else {
                            continue;
                        };
                        if port.first != other.first {
                            continue;
                        }
                        let spec = Spec::Communication(*from, from_env.clone());
                        let mut step = output.clone();
                        step.guards.extend_from_slice(&input.guards);
                        step.nodes.extend_from_slice(&input.nodes);
                        step.atomic |= input.atomic;
                        step.action =
                            Action::Communicate(*from, from_env.clone(), *to, to_env.clone(), spec);
                        let mut after: Box<[TermId]> = parts.into();
                        if let Target::Term(term) = output.target {
                            after[i] = term;
                            step.target = input.target.clone();
                            let around = match alphabets {
                                None => Wrap::Interleave(after, k),
                                Some(alphabets) => Wrap::Parallel(alphabets, after, k),
                            };
                            self.wrap(&mut step, around);
                        }
                        steps.push(step);
                    }
                }
            }
        }
    }
}

/// Termination of all operands together.
fn terminations(of: &[Vec<Step>]) -> Vec<Step> {
    let choices: Vec<Vec<&Step>> =
        of.iter().map(|list| list.iter().filter(|s| s.is_tick()).collect()).collect();
    let mut steps = Vec::new();
    for choice in product(&choices) {
        let mut joined = Step::new(Action::Tick, Target::Term(DONE), 0);
        joined.nodes.clear();
        for step in choice {
            joined.guards.extend_from_slice(&step.guards);
            joined.nodes.extend_from_slice(&step.nodes);
            joined.atomic |= step.atomic;
        }
        steps.push(joined);
    }
    steps
}

/// All ways to choose one of each.
fn product<'s>(choices: &[Vec<&'s Step>]) -> Vec<Vec<&'s Step>> {
    let mut all = vec![Vec::new()];
    for list in choices {
        let mut next = Vec::new();
        for row in &all {
            for step in list {
                let mut row = row.clone();
                row.push(*step);
                next.push(row);
            }
        }
        all = next;
        if all.len() > MAX_STEPS {
            break;
        }
    }
    all
}
