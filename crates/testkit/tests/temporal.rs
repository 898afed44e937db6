//! Formulas about random programs: the checker, with its reductions, against the graph of the reference
//! interpreter, on which the same formulas are decided without any. (That formulas on graphs are
//! decided rightly is tested in the crate `ltl`.) The judge confirms every violation.
//!
//! `LINCHPIN_SEED` chooses one seed.

use std::sync::Arc;

use linchpin_check::{CheckError, Counterexample, Options, Reductions, Violation, check};
use linchpin_engine::Budget;
use linchpin_evidence::{Claim, judge};
use linchpin_formula::{Formula, Precedence, parse};
use linchpin_lin::program::{
    Behaviour, Check, Condition, DataDomain, OpId, Program, Temporal, ThreadFairness,
};
use linchpin_ltl::{Fairness, Texts};
use linchpin_lts::{Label, LabelledSystem, Move, Trouble, Verdict};
use linchpin_testkit::brute::{Deed, Explored, explored};
use linchpin_testkit::differential::ALL;
use linchpin_testkit::{agree, generate};

/// States of the reference interpreter, after one that begins; labels are texts of events.
struct Reference {
    explored: Explored,
    labels: Vec<String>,
}

impl Reference {
    fn new(explored: Explored, program: &Program) -> Reference {
        let unit = &program.objects[program.checks[0].object.index()].unit;
        let mut labels = vec!["tau".to_string()];
        for edge in explored.edges.iter().flatten() {
            let label = text(edge.thread, edge.deed, &|op| unit.op(op).name.clone());
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        Reference { explored, labels }
    }

    fn label_of(&self, thread: usize, deed: Deed, program: &Program) -> Label {
        let unit = &program.objects[program.checks[0].object.index()].unit;
        let label = text(thread, deed, &|op| unit.op(op).name.clone());
        self.labels.iter().position(|l| *l == label).expect("a known label") as Label
    }
}

fn text(thread: usize, deed: Deed, name: &dyn Fn(OpId) -> String) -> String {
    match deed {
        Deed::Call(op) => format!("T{}.call.{}", thread + 1, name(op)),
        Deed::Return => format!("T{}.return", thread + 1),
        Deed::Silent | Deed::Wait => "tau".to_string(),
    }
}

struct System<'r> {
    reference: &'r Reference,
    program: &'r Program,
}

impl LabelledSystem for System<'_> {
    type Scratch = ();

    fn scratch(&self) {}

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, (): &mut ()) -> Result<Vec<u32>, Trouble> {
        Ok(vec![0])
    }

    fn successors(
        &self,
        (): &mut (),
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        let explored = &self.reference.explored;
        let Some(state) = state[0].checked_sub(1) else {
            for i in 0..explored.initial as u32 {
                emit(Move { label: 0, by: &[], state: &[i + 1] });
            }
            return Ok(());
        };
        let edges = explored.edges[state as usize].iter().filter(|e| e.deed != Deed::Wait);
        let mut any = false;
        for edge in edges {
            any = true;
            let label = self.reference.label_of(edge.thread, edge.deed, self.program);
            let (by, target) = (edge.thread as u32, edge.target as u32 + 1);
            emit(Move { label, by: &[by], state: &[target] });
        }
        if !any {
            emit(Move { label: 0, by: &[], state: &[state + 1] });
        }
        Ok(())
    }

    fn label(&self, label: Label) -> String {
        self.reference.labels[label as usize].clone()
    }
}

/// Formulas about two threads. Returns are not told apart by operation, which the reference
/// interpreter does not say.
const FORMULAS: [&str; 12] = [
    "[] (T1.call -> <> T1.return)",
    "[] <> return",
    "<> (T1.return && <> T2.return)",
    "(!T2.call W T1.return) || <> T2.return",
    "[] !T2.return",
    "<> [] !call",
    "([] <> T1.call) -> ([] <> T2.call)",
    "!T1.return W T1.call",
    "<> (call && !call)",
    "!([] (T1.call -> call))",
    "<> (T1.call && T2.call)",
    "[] (call -> !return)",
];

fn load(text: &str, endless: bool) -> Option<Arc<Program>> {
    let mut program = linchpin_lin::syntax::load(text, &[]).ok()?.program;
    for check in program.checks.iter_mut().filter(|_| endless) {
        check.data.iter_mut().for_each(|d| *d = DataDomain::Finite(1));
        for role in &mut check.roles {
            if let Behaviour::General { count, .. } = &mut role.behaviour {
                *count = None;
            }
        }
    }
    let threads: u32 = program.checks[0].roles.iter().map(|r| r.threads).sum();
    (threads == 2).then(|| Arc::new(program))
}

fn compare(text: &str, seed: u64) -> Result<Option<bool>, String> {
    let Some(program) = load(text, seed % 2 == 1) else { return Ok(None) };
    let Some(all) = explored(&program, 0, 600) else { return Ok(None) };
    if !all.faults.is_empty() || all.assumed {
        return Ok(None);
    }
    let reference = Reference::new(all, &program);
    let system = System { reference: &reference, program: &program };
    let unit = &program.objects[program.checks[0].object.index()].unit;
    let words = FORMULAS[seed as usize / 6 % FORMULAS.len()];
    let plain = parse(words, Precedence::Usual, &mut |n| Ok(Formula::event(n))).expect("a formula");
    // The same over the labels of the reference interpreter.
    let mut whole = |name: &str| {
        let (thread, kind) = match name.split_once('.') {
            Some((thread, kind)) => (vec![thread], kind),
            None => (vec!["T1", "T2"], name),
        };
        let events = thread.into_iter().flat_map(|t| match kind {
            "return" => vec![format!("{t}.return")],
            _ => (0..unit.ops.len() as u32)
                .map(|op| format!("{t}.call.{}", unit.op(OpId(op)).name))
                .collect(),
        });
        Ok(events.map(Formula::event).reduce(Formula::or).expect("an operation"))
    };
    let whole = parse(words, Precedence::Usual, &mut whole).expect("a formula");
    let fairness = [
        (ThreadFairness::None, Fairness::None),
        (ThreadFairness::Weak, Fairness::WeakProcesses),
        (ThreadFairness::Strong, Fairness::StrongProcesses),
    ][seed as usize / 2 % 3];
    let atoms = Texts::new(&system, |_, _: &[u32]| Ok(false));
    let answer = linchpin_ltl::check(&system, &atoms, &whole, fairness.1, true, &Budget::UNLIMITED)
        .map_err(|trouble| trouble.message)?;
    let holds = answer.verdict == Verdict::Holds;
    let mixed = (seed.wrapping_mul(0xd134_2543_de82_ef95) >> 40) as u32;
    let temporal = Temporal { text: words.into(), formula: plain, fairness: fairness.0 };
    let asked = Check { condition: Condition::Ltl(temporal.into()), ..program.checks[0].clone() };
    for subset in [ALL, mixed & ALL] {
        let reductions = Reductions::subset(subset);
        let (workers, max_states) = (1 + seed as usize % 3, Some(100_000));
        let budget = Budget { workers, max_states, ..Budget::UNLIMITED };
        let options = Options { reductions, budget, ..Options::default() };
        let report = match check(&program, &asked, &options) {
            Ok(report) => report,
            Err(CheckError::Unsupported(_)) => return Ok(None),
            Err(error) => return Err(format!("{subset}: {error:?}")),
        };
        let what = format!("{subset}: {words} {fairness:?}");
        match &report.verdict {
            Verdict::Holds if holds => {}
            Verdict::Violated(Counterexample {
                violation: Violation::Temporal(tail),
                schedule,
            }) if !holds => {
                judge(&program, &asked, Claim::Temporal(tail.as_deref()), schedule)
                    .map_err(|why| format!("{what}: the judge does not agree: {why}"))?;
            }
            Verdict::Unknown(_) if !(reductions.heap && reductions.data) => {}
            verdict => return Err(format!("{what}: {verdict:?}, but it holds: {holds}")),
        }
    }
    Ok(Some(holds))
}

#[test]
fn checker_and_reference_agree_on_formulas_about_random_programs() {
    let seeds = generate::seeds(1, 120, 600);
    let mut tally = [0; 3];
    for found in agree::on_all(&seeds, generate::program, compare) {
        tally[found.map_or(2, usize::from)] += 1;
    }
    println!("violated, holding, undecided: {tally:?}");
    assert!(seeds.len() < 100 || tally[..2].iter().all(|n| n * 20 > seeds.len()), "{tally:?}");
}
