//! Formulas about labelled systems, and whether they hold.
//!
//! The logic of M. Hennessy and R. Milner, *Algebraic laws for nondeterminism and concurrency*, JACM
//! 32(1), 1985, whose formulas cannot tell bisimilar states apart; for branching bisimulation with
//! the *until* of R. De Nicola and F. Vaandrager, *Three logics for branching bisimulation*, JACM
//! 42(2), 1995, and an operator for endless silent paths. Subformulas are shared.
//!
//! The evaluator knows nothing of partitions: it decides what was found by them again.

use std::fmt::Write;

use linchpin_lts::{Explicit, TAU};

/// A formula: parts that refer to parts before them; the last is the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formula {
    parts: Vec<Part>,
}

/// A part of a formula. Numbers are those of other parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// All of these hold; if there are none, this is true.
    All(Vec<usize>),
    /// This does not hold.
    Not(usize),
    /// There is a step with this text (`None`: a silent one) after which this holds.
    Step(Option<String>, usize),
    /// There are silent steps through states in which the first holds, this one included, and then
    /// a step with this text after which the second holds. If the step is silent, it is enough that
    /// the second holds at once.
    Until(usize, Option<String>, usize),
    /// There is an endless silent path through states in which this holds, this one included.
    Endless(usize),
}

impl Formula {
    /// Adds a part and gives its number; equal parts are not added again.
    pub(crate) fn add(&mut self, part: Part) -> usize {
        self.parts.iter().position(|p| *p == part).unwrap_or_else(|| {
            self.parts.push(part);
            self.parts.len() - 1
        })
    }

    /// Makes a part the whole and forgets what it does not need.
    pub(crate) fn rooted(&self, root: usize) -> Formula {
        let mut needed = vec![false; root + 1];
        needed[root] = true;
        for part in (0..=root).rev() {
            if needed[part] {
                self.parts[part].each(&mut |p| needed[p] = true);
            }
        }
        let mut numbers = vec![0; root + 1];
        let mut parts = Vec::new();
        for part in (0..=root).filter(|p| needed[*p]) {
            numbers[part] = parts.len();
            parts.push(self.parts[part].renamed(|p| numbers[p]));
        }
        Formula { parts }
    }

    /// How many different parts there are.
    pub fn size(&self) -> usize {
        self.parts.len()
    }

    /// Does the formula hold in the initial state of a system?
    pub fn holds(&self, lts: &Explicit) -> bool {
        let mut evaluator = Evaluator::new(lts);
        let mut values: Vec<Vec<bool>> = Vec::new();
        for part in &self.parts {
            let value = evaluator.part(part, &values);
            values.push(value);
        }
        values.last().is_none_or(|v| v[lts.initial() as usize])
    }

    /// The formula as text. Parts that are used several times get names and lines of their own; the
    /// whole comes first.
    pub fn lines(&self) -> Vec<String> {
        let mut uses = vec![0; self.parts.len()];
        self.parts.iter().for_each(|part| part.each(&mut |p| uses[p] += 1));
        let mut names = vec![None; self.parts.len()];
        let mut count = 0;
        for (i, part) in self.parts.iter().enumerate().rev() {
            let small =
                matches!(part, Part::All(p) if p.is_empty()) || matches!(part, Part::Not(_));
            if uses[i] > 1 && !small {
                count += 1;
                names[i] = Some(format!("F{count}"));
            }
        }
        let Some(root) = self.parts.len().checked_sub(1) else { return vec!["true".to_string()] };
        let mut lines = vec![self.text(root, &names, true)];
        for i in (0..root).rev() {
            if let Some(name) = &names[i] {
                lines.push(format!("{name} = {}", self.text(i, &names, true)));
            }
        }
        lines
    }

    fn text(&self, part: usize, names: &[Option<String>], top: bool) -> String {
        if let (Some(name), false) = (&names[part], top) {
            return name.clone();
        }
        let show = |p: &usize| self.text(*p, names, false);
        let label = |l: &Option<String>| l.clone().unwrap_or_else(|| "tau".to_string());
        let trivial = |p: &usize| matches!(&self.parts[*p], Part::All(all) if all.is_empty());
        let mut text = String::new();
        let mut brackets = false;
        match &self.parts[part] {
            Part::All(parts) if parts.is_empty() => text.push_str("true"),
            Part::All(parts) => {
                let shown: Vec<String> = parts.iter().map(show).collect();
                text = shown.join(" and ");
                brackets = parts.len() > 1;
            }
            Part::Not(p) => {
                let _ = write!(text, "not {}", show(p));
            }
            Part::Step(l, then) => {
                let _ = write!(text, "<{}> {}", label(l), show(then));
            }
            Part::Until(hold, l, then) if trivial(hold) => {
                let _ = write!(text, "<<{}>> {}", label(l), show(then));
            }
            Part::Until(hold, l, then) => {
                let _ = write!(text, "{} until <{}> {}", show(hold), label(l), show(then));
                brackets = true;
            }
            Part::Endless(hold) => {
                let _ = write!(text, "endless {}", show(hold));
            }
        }
        if brackets && !top { format!("({text})") } else { text }
    }
}

impl Part {
    fn each(&self, visit: &mut dyn FnMut(usize)) {
        match self {
            Part::All(parts) => parts.iter().for_each(|p| visit(*p)),
            Part::Not(p) | Part::Step(_, p) | Part::Endless(p) => visit(*p),
            Part::Until(p, _, q) => {
                visit(*p);
                visit(*q);
            }
        }
    }

    fn renamed(&self, name: impl Fn(usize) -> usize) -> Part {
        match self {
            Part::All(parts) => Part::All(parts.iter().map(|p| name(*p)).collect()),
            Part::Not(p) => Part::Not(name(*p)),
            Part::Step(l, p) => Part::Step(l.clone(), name(*p)),
            Part::Until(p, l, q) => Part::Until(name(*p), l.clone(), name(*q)),
            Part::Endless(p) => Part::Endless(name(*p)),
        }
    }
}

/// Evaluates parts for all states at once.
struct Evaluator<'a> {
    lts: &'a Explicit,
    /// The sources of the silent steps to each state.
    silent: Vec<Vec<u32>>,
}

impl<'a> Evaluator<'a> {
    fn new(lts: &'a Explicit) -> Self {
        let mut silent = vec![Vec::new(); lts.states() as usize];
        for source in 0..lts.states() {
            for edge in lts.edges(source).iter().filter(|e| e.label == TAU) {
                silent[edge.target as usize].push(source);
            }
        }
        Evaluator { lts, silent }
    }

    fn part(&mut self, part: &Part, values: &[Vec<bool>]) -> Vec<bool> {
        let states = 0..self.lts.states();
        match part {
            Part::All(parts) => {
                states.map(|s| parts.iter().all(|p| values[*p][s as usize])).collect()
            }
            Part::Not(p) => values[*p].iter().map(|v| !v).collect(),
            Part::Step(label, then) => self.before(label, &values[*then]),
            Part::Until(hold, label, then) => {
                let hold = &values[*hold];
                let mut value = self.before(label, &values[*then]);
                value.iter_mut().zip(hold).for_each(|(v, h)| *v &= h);
                let mut todo: Vec<u32> = states.filter(|s| value[*s as usize]).collect();
                while let Some(state) = todo.pop() {
                    for &source in &self.silent[state as usize] {
                        if hold[source as usize] && !value[source as usize] {
                            value[source as usize] = true;
                            todo.push(source);
                        }
                    }
                }
                if label.is_none() {
                    value.iter_mut().zip(&values[*then]).for_each(|(v, t)| *v |= t);
                }
                value
            }
            Part::Endless(hold) => {
                // Take away what has no silent step to what is left.
                let mut value = values[*hold].clone();
                let left = |s: u32, value: &[bool]| {
                    let silent = self.lts.edges(s).iter().filter(|e| e.label == TAU);
                    silent.filter(|e| value[e.target as usize]).count()
                };
                let mut count: Vec<usize> = states.clone().map(|s| left(s, &value)).collect();
                let gone = |s: &u32| value[*s as usize] && count[*s as usize] == 0;
                let mut todo: Vec<u32> = states.filter(gone).collect();
                while let Some(state) = todo.pop() {
                    value[state as usize] = false;
                    for &source in &self.silent[state as usize] {
                        count[source as usize] -= 1;
                        if count[source as usize] == 0 && value[source as usize] {
                            todo.push(source);
                        }
                    }
                }
                value
            }
        }
    }

    /// The states with a step of this text to a state where the value is true.
    fn before(&self, text: &Option<String>, value: &[bool]) -> Vec<bool> {
        let texts = self.lts.labels();
        let meant = match text {
            None => Some(TAU as usize),
            Some(text) => (1..texts.len()).find(|l| *texts[*l] == **text),
        };
        let possible = |s: u32| {
            let mut edges = self.lts.edges(s).iter();
            edges.any(|e| Some(e.label as usize) == meant && value[e.target as usize])
        };
        (0..self.lts.states()).map(possible).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 -tau-> 1 -a-> 2, 0 -tau-> 3, 3 -tau-> 3, 3 -b-> 2
    fn system(initial: u32) -> Explicit {
        let labels = ["tau", "a", "b"].map(Box::from).to_vec();
        Explicit::new(initial, 4, labels, &[(0, 0, 1), (1, 1, 2), (0, 0, 3), (3, 0, 3), (3, 2, 2)])
    }

    fn values(formula: &Formula) -> [bool; 4] {
        [0, 1, 2, 3].map(|s| formula.holds(&system(s)))
    }

    fn text(s: &str) -> Option<String> {
        Some(s.to_string())
    }

    #[test]
    fn formulas_mean_what_they_say() {
        let mut f = Formula::default();
        let yes = f.add(Part::All(vec![]));
        let a = f.add(Part::Step(text("a"), yes));
        assert_eq!(values(&f.rooted(a)), [false, true, false, false]);
        let weak = f.add(Part::Until(yes, text("a"), yes));
        assert_eq!(values(&f.rooted(weak)), [true, true, false, false]);
        let not_b = f.add(Part::Until(yes, text("b"), yes));
        let not_b = f.add(Part::Not(not_b));
        let until = f.add(Part::Until(not_b, text("a"), yes));
        assert_eq!(values(&f.rooted(until)), [false, true, false, false]);
        let silent = f.add(Part::Until(weak, None, not_b));
        assert_eq!(values(&f.rooted(silent)), [true, true, true, false]);
        let endless = f.add(Part::Endless(yes));
        assert_eq!(values(&f.rooted(endless)), [true, false, false, true]);
        let endless = f.add(Part::Endless(weak));
        assert_eq!(values(&f.rooted(endless)), [false; 4]);
    }

    #[test]
    fn shared_parts_are_named() {
        let mut f = Formula::default();
        let yes = f.add(Part::All(vec![]));
        let a = f.add(Part::Step(text("a"), yes));
        let b = f.add(Part::Step(text("b"), a));
        let both = f.add(Part::All(vec![a, b]));
        let not = f.add(Part::Not(both));
        let whole = f.add(Part::Until(not, text("c"), both));
        let lines = f.rooted(whole).lines();
        assert_eq!(lines, ["not F1 until <c> F1", "F1 = F2 and <b> F2", "F2 = <a> true"]);
    }
}
