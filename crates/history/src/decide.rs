//! Is a history linearizable? Several ways to find out, which take turns.
//!
//! A history falls into parts that are decided by themselves, and each part is looked at in several ways (`distinct`,
//! `register`, `breadth`, `depth` in two orders), none of which is the best. So all of them get a number of configurations in turn, and
//! in every round more: what one of them decides soon is decided soon, and nobody has to know which.
//!
//! *Parts.* Linearizability is local (Herlihy and Wing 1990, theorem 1): a history is linearizable if that of every object is. A map
//! is an object per key, and a set one per element, as long as every operation has one key: then operations with
//! different keys commute and do not see each other. Whether that is so depends on the operations that occur; of a `.lin`
//! specification it is decided from its text (`keyed`).

use std::collections::HashMap;

use linchpin_lts::{Limit, Verdict, Watch};

use crate::breadth::{Breadth, Step};
use crate::datum::Datum;
use crate::depth::{Choice, Depth, End};
use crate::distinct;
use crate::history::Operation;
use crate::part::Part;
use crate::register::Registers;
use crate::spec::{Spec, Trouble};

/// How to go about it. Verdicts do not depend on this.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    /// Decide histories with distinct values without a search.
    pub distinct: bool,
    /// Decide registers by changes of their values.
    pub register: bool,
    /// Search all configurations at once.
    pub breadth: bool,
    /// Search one order at a time.
    pub depth: bool,
    /// Leave out configurations than which others are at least as good.
    pub dominance: bool,
    /// Take operations that change nothing as soon as possible.
    pub at_once: bool,
    /// Decide keys by themselves.
    pub split: Split,
    /// Is an order wanted if there is one?
    pub orders: bool,
    /// Most configurations to try.
    pub most: u64,
}

impl Default for Means {
    fn default() -> Self {
        Means {
            distinct: true,
            register: true,
            breadth: true,
            depth: true,
            dominance: true,
            at_once: true,
            split: Split::Auto,
            orders: false,
            most: u64::MAX,
        }
    }
}

/// Whether to decide keys by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// If that is possible.
    Auto,
    /// Not.
    None,
    /// Certainly.
    Key,
}

/// What is known in the end.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The verdict, with the part that has no order.
    pub verdict: Verdict<Refuted>,
    /// An order of all operations that took effect, by their numbers; if the verdict is not known, the longest found in the
    /// part that was not decided; if there is none that keeps the order of every process, the longest that does.
    pub order: Option<Vec<u32>>,
    /// Of how many parts.
    pub parts: usize,
    /// Configurations tried.
    pub configurations: u64,
}

/// A part of a history that has no order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refuted {
    /// Its operations.
    pub operations: Vec<u32>,
    /// The place of the first return that nothing explains, if the search has seen it.
    pub place: Option<u32>,
}

/// The numbers of the operations of each part.
pub(crate) fn parts(
    spec: &Spec,
    operations: &[Operation],
    split: Split,
) -> Result<Vec<Vec<u32>>, Trouble> {
    let mut occur: Vec<&Operation> = operations.iter().collect();
    occur.sort_by_key(|o| o.op);
    occur.dedup_by_key(|o| o.op);
    let unkeyed = occur.into_iter().find(|o| !spec.is_keyed(o.op));
    let by_key = match (split, unkeyed) {
        (Split::None, _) => false,
        (Split::Auto, unkeyed) => unkeyed.is_none(),
        (Split::Key, None) => true,
        (Split::Key, Some(o)) => {
            let op = spec.op_name(o.op);
            let message =
                format!("the history cannot be split by key: `{op}` of `{}` has none", spec.name());
            return Err(Trouble { line: o.line, message });
        }
    };
    let mut numbers: HashMap<(u32, Option<&Datum>), usize> = HashMap::new();
    let mut parts: Vec<Vec<u32>> = Vec::new();
    for (i, operation) in operations.iter().enumerate() {
        let key = (operation.object, by_key.then(|| &operation.args[0]));
        let part = *numbers.entry(key).or_insert_with(|| {
            parts.push(Vec::new());
            parts.len() - 1
        });
        parts[part].push(i as u32);
    }
    for part in &mut parts {
        part.sort_unstable_by_key(|&i| operations[i as usize].call);
    }
    Ok(parts)
}

/// Decides a history.
///
/// # Errors
/// If a value does not fit the specification, or the specification goes wrong and there is no order without that.
pub fn decide(
    spec: &Spec,
    operations: &[Operation],
    means: &Means,
    watch: &Watch,
) -> Result<Decision, Trouble> {
    let question = Question { spec, history: operations, means, watch };
    let parts = parts(spec, operations, means.split)?;
    let mut works: Vec<Work> = parts.into_iter().map(Work::new).collect();
    let mut decision =
        Decision { verdict: Verdict::Holds, order: None, parts: works.len(), configurations: 0 };
    let mut budget = FIRST;
    let mut orders: Vec<(u32, u32)> = Vec::new();
    let mut complete = true;
    while !works.is_empty() {
        let mut left = Vec::new();
        for mut work in works {
            let before = work.made();
            let end = work.go_on(&question, budget)?;
            decision.configurations += work.made() - before;
            match end {
                Found::Order(order) => orders.extend(order),
                Found::Holds => complete = false,
                Found::None(place) => {
                    if let Some(fault) = work.fault() {
                        return Err(Trouble::plain(format!(
                            "the specification goes wrong: {fault}"
                        )));
                    }
                    decision.verdict =
                        Verdict::Violated(Refuted { operations: work.numbers, place });
                    return Ok(decision);
                }
                Found::Stopped(limit) => {
                    decision.verdict = Verdict::Unknown(limit);
                    decision.order = Some(work.order().into_iter().map(|o| o.0).collect());
                    return Ok(decision);
                }
                Found::Nothing if decision.configurations > means.most => {
                    decision.verdict = Verdict::Unknown(Limit::States);
                    decision.order = Some(work.order().into_iter().map(|o| o.0).collect());
                    return Ok(decision);
                }
                Found::Nothing => left.push(work),
            }
        }
        works = left;
        budget = budget.saturating_mul(4);
    }
    orders.sort_by_key(|o| o.1);
    decision.order = complete.then(|| orders.into_iter().map(|o| o.0).collect());
    Ok(decision)
}

/// What is decided, against what and how.
struct Question<'a> {
    spec: &'a Spec,
    history: &'a [Operation],
    means: &'a Means,
    watch: &'a Watch,
}

/// Configurations in the first round.
const FIRST: u64 = 1 << 12;

/// What a round has found.
enum Found {
    /// An order, with the points of time.
    Order(Vec<(u32, u32)>),
    /// That there is one.
    Holds,
    /// That there is none, perhaps with the place of the return that shows it.
    None(Option<u32>),
    /// Nothing yet.
    Nothing,
    Stopped(Limit),
}

/// A way to search.
enum Way {
    Register,
    Breadth,
    Depth(Choice),
}

/// The work on one part.
struct Work {
    numbers: Vec<u32>,
    part: Option<Part>,
    /// Nothing before it was asked for; then perhaps nothing, since it is none.
    register: Option<Option<Registers>>,
    /// With the next event.
    breadth: Option<(Breadth, usize)>,
    depths: Vec<Depth>,
    asked: bool,
}

impl Work {
    fn new(numbers: Vec<u32>) -> Self {
        Work {
            numbers,
            part: None,
            register: None,
            breadth: None,
            depths: Vec::new(),
            asked: false,
        }
    }

    fn made(&self) -> u64 {
        let breadth = self.breadth.as_ref().map_or(0, |b| b.0.made);
        let register = self.register.iter().flatten().map(|r| r.made).sum::<u64>();
        register + breadth + self.depths.iter().map(|d| d.made).sum::<u64>()
    }

    fn fault(&self) -> Option<&str> {
        let breadth = self.breadth.as_ref().and_then(|b| b.0.machine.fault());
        breadth.or_else(|| self.depths.iter().find_map(|d| d.machine.fault()))
    }

    /// The longest order at hand.
    fn order(&self) -> Vec<(u32, u32)> {
        let breadth = self.breadth.iter().map(|b| b.0.order());
        let all = breadth.chain(self.depths.iter().map(Depth::order));
        all.max_by_key(Vec::len).unwrap_or_default()
    }

    /// One round.
    fn go_on(&mut self, question: &Question<'_>, budget: u64) -> Result<Found, Trouble> {
        let means = question.means;
        if let Some(limit) = question.watch.over() {
            return Ok(Found::Stopped(limit));
        }
        let searches = means.depth || means.breadth || means.register;
        if means.distinct && !std::mem::replace(&mut self.asked, true) {
            let of = |&i: &u32| &question.history[i as usize];
            let operations: Vec<&Operation> = self.numbers.iter().map(of).collect();
            match distinct::decide(question.spec, &operations, question.watch) {
                Some(true) if !(means.orders && searches) => return Ok(Found::Holds),
                Some(false) => return Ok(Found::None(None)),
                _ => {}
            }
        }
        let ways =
            [Way::Register, Way::Depth(Choice::Soonest), Way::Breadth, Way::Depth(Choice::Oldest)];
        let mut tried = false;
        for way in ways {
            let found = match way {
                Way::Register if means.register => match self.change(question, budget) {
                    Some(found) => found,
                    None => continue,
                },
                Way::Breadth if means.breadth => self.broaden(question, budget)?,
                Way::Depth(choice) if means.depth => self.deepen(choice, question, budget)?,
                _ => continue,
            };
            tried = true;
            if !matches!(found, Found::Nothing) {
                return Ok(found);
            }
        }
        Ok(if tried { Found::Nothing } else { Found::Stopped(Limit::Method) })
    }

    /// If it is a register.
    fn change(&mut self, question: &Question<'_>, budget: u64) -> Option<Found> {
        let Question { spec, history, means, watch } = *question;
        let numbers = &self.numbers;
        let new = || Registers::new(spec, history, numbers, means.orders);
        let register = self.register.get_or_insert_with(new).as_mut()?;
        Some(match register.run(budget, watch) {
            End::Explained => register.order().map_or(Found::Holds, Found::Order),
            End::Refuted => Found::None(register.dead),
            End::Later => Found::Nothing,
            End::Stopped(limit) => Found::Stopped(limit),
        })
    }

    fn deepen(
        &mut self,
        choice: Choice,
        question: &Question<'_>,
        budget: u64,
    ) -> Result<Found, Trouble> {
        let Question { spec, history, means, watch } = *question;
        let at = match self.depths.iter().position(|d| d.choice == choice) {
            Some(at) => at,
            None => {
                let (part, machine) =
                    Part::new(spec, history, &self.numbers, means.at_once, watch)?;
                self.depths.push(Depth::new(&part, machine, choice, means.dominance));
                self.part.get_or_insert(part);
                self.depths.len() - 1
            }
        };
        Ok(match self.depths[at].run(budget, watch) {
            End::Explained => Found::Order(self.depths[at].order()),
            End::Refuted => Found::None(None),
            End::Later => Found::Nothing,
            End::Stopped(limit) => Found::Stopped(limit),
        })
    }

    fn broaden(&mut self, question: &Question<'_>, budget: u64) -> Result<Found, Trouble> {
        let Question { spec, history, means, watch } = *question;
        if self.breadth.is_none() {
            let (part, machine) = Part::new(spec, history, &self.numbers, means.at_once, watch)?;
            self.breadth = Some((Breadth::new(machine, true, means.dominance), 0));
            self.part.get_or_insert(part);
        }
        let (Some((breadth, next)), Some(part)) = (&mut self.breadth, &self.part) else {
            return Ok(Found::Nothing);
        };
        let most = breadth.made + budget;
        while let Some(event) = part.events.get(*next) {
            let member = part.members[event.member as usize];
            if event.is_return {
                match breadth.ret(member, event.place, most, watch) {
                    Step::Alive => {}
                    Step::Dead => return Ok(Found::None(Some(event.place))),
                    Step::Exhausted => return Ok(Found::Nothing),
                    Step::Stopped(limit) => return Ok(Found::Stopped(limit)),
                }
            } else {
                breadth.call(member, event.place);
            }
            *next += 1;
        }
        Ok(Found::Order(breadth.order()))
    }
}
