//! An execution told step by step: operations as intervals, and what every step did, where.

use linchpin_lin::display::{display_call, display_value};
use linchpin_lin::replay::{Action, ActionKind, Replay};
use linchpin_lin::{Files, Model, Place, Span};
use linchpin_lts::{EventKind, FaultKind};

use crate::alone;
use crate::blame::blame;
use crate::history::{History, Operation};
use crate::judge::history;

/// An execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narrative {
    /// The name of the role of every thread; thread 1 is the first.
    pub roles: Vec<String>,
    /// The operations in the order of their calls.
    pub operations: Vec<Interval>,
    /// How many calls and returns there are.
    pub events: usize,
    /// What was done, in order.
    pub entries: Vec<Entry>,
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The thread, from 1.
    pub thread: u32,
    /// `push(a)`
    pub call: String,
    /// What it returned: `()` for an operation without result, `None` if it has not returned.
    pub result: Option<String>,
    /// Index of the call among the calls and returns.
    pub begin: usize,
    /// Index of the return.
    pub end: Option<usize>,
}

/// A place in the source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The line, from 1.
    pub line: usize,
    /// The statement, as far as it is on that line.
    pub text: String,
    /// The file, if it is not the main one.
    pub file: Option<String>,
}

/// Something a thread did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The thread, from 1; 0 is the initialisation.
    pub thread: u32,
    /// Which step of the execution it is part of, from 0; an `atomic` block is one step.
    pub step: usize,
    /// Where.
    pub at: Location,
    /// What.
    pub deed: Deed,
    /// Of an access that failed because another thread wrote: that write.
    pub blame: Option<Culprit>,
    /// Does no other thread take notice of the step?
    pub alone: bool,
}

/// A write that made an access of another thread fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// Its index in [`Narrative::entries`].
    pub entry: usize,
    /// The thread, from 1.
    pub thread: u32,
    /// The step.
    pub step: usize,
}

/// What a thread did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It called an operation, an index into [`Narrative::operations`].
    Call(usize),
    /// The operation returned.
    Return(usize),
    /// An access to shared memory.
    Access(Action),
    /// A point for the operation of this thread, from 1; 0 is none.
    Point(u32),
    /// It went wrong.
    Fault(FaultKind),
    /// A step without any effect on shared memory.
    Nothing,
}

/// Tells an execution of a model. `source` is what the program is written in.
pub fn narrate(model: &Model, replay: &Replay, source: &Files) -> Narrative {
    let history = history(replay);
    let operations = operations(&history);
    let mut entries = entries(model, replay, &operations, source);
    blame(&mut entries);
    alone::mark(&mut entries, model.check().heap);
    Narrative {
        roles: roles(model),
        operations: operations.iter().map(|o| interval(model, o)).collect(),
        events: history.events().len(),
        entries,
    }
}

fn roles(model: &Model) -> Vec<String> {
    let roles = model.check().roles.iter();
    roles.flat_map(|r| std::iter::repeat_n(r.name.clone(), r.threads as usize)).collect()
}

/// The operations of a history that comes from an execution, which is always well-formed.
pub(crate) fn operations(history: &History) -> Vec<Operation> {
    history.operations().unwrap_or_default()
}

fn interval(model: &Model, operation: &Operation) -> Interval {
    let proc = model.object().unit.op(operation.op);
    Interval {
        thread: operation.thread,
        call: display_call(proc, &operation.args, model.program()),
        result: operation
            .response
            .as_ref()
            .map(|r| display_value(&r.result, &proc.result, model.program())),
        begin: operation.call,
        end: operation.response.as_ref().map(|r| r.event),
    }
}

fn entries(model: &Model, replay: &Replay, operations: &[Operation], source: &Files) -> Vec<Entry> {
    let mut entries = Vec::new();
    // The operation of every call and return.
    let mut owners: Vec<(usize, usize)> = Vec::new();
    for (i, o) in operations.iter().enumerate() {
        owners.push((o.call, i));
        owners.extend(o.response.as_ref().map(|r| (r.event, i)));
    }
    owners.sort_unstable();
    let mut owners = owners.into_iter().map(|(_, operation)| operation);
    for (step, replayed) in replay.steps.iter().enumerate() {
        let thread = replayed.thread + 1;
        let before = entries.len();
        let mut push =
            |at, deed| entries.push(Entry { thread, step, at, deed, blame: None, alone: false });
        // Calls and returns come before the accesses of their step, points where they are.
        let mut points = replayed.events.iter().filter(|e| e.kind == EventKind::Point);
        for event in replayed.events.iter().filter(|e| e.kind != EventKind::Point) {
            let span = model.object().unit.op(event.op).span;
            let Some(index) = owners.next() else { continue };
            push(
                Location::of(source, span, span),
                match event.kind {
                    EventKind::Call => Deed::Call(index),
                    _ => Deed::Return(index),
                },
            );
        }
        for action in &replayed.actions {
            let at = Location::of(source, action.statement, action.expression);
            let deed = match action.kind {
                ActionKind::Point => {
                    Deed::Point(points.next().map_or(0, |e| e.thread.wrapping_add(1)))
                }
                _ => Deed::Access(action.clone()),
            };
            push(at, deed);
        }
        let faulty = replay.fault.is_some() && step + 1 == replay.steps.len();
        if entries.len() == before && !faulty {
            let previous = match step {
                0 => &replay.initial,
                _ => &replay.steps[step - 1].state,
            };
            let (statement, expression) =
                model.position(previous, replayed.thread).unwrap_or_default();
            let at = Location::of(source, statement, expression);
            entries.push(Entry {
                thread,
                step,
                at,
                deed: Deed::Nothing,
                blame: None,
                alone: false,
            });
        }
    }
    if let Some(fault) = &replay.fault {
        entries.push(Entry {
            thread: fault.thread.map_or(0, |t| t + 1),
            step: replay.steps.len().saturating_sub(1),
            at: Location::of(source, fault.statement, fault.expression),
            deed: Deed::Fault(fault.kind),
            blame: None,
            alone: false,
        });
    }
    entries
}

impl Location {
    /// The line of an expression, and its statement as far as it is on that line.
    pub(crate) fn of(source: &Files, statement: Span, expression: Span) -> Location {
        let Place { number, name, text: all, span } = source.place(expression);
        let at = (span.start as usize).min(all.len());
        let before = &all.as_bytes()[..at];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1);
        let end = all[start..].find('\n').map_or(all.len(), |n| start + n);
        // A statement that is on this line is shown without what surrounds it.
        let statement = source.place(statement);
        let (from, to) = (statement.span.start as usize, statement.span.end as usize);
        let here = statement.number == number && start <= from && to <= end;
        let text = if here { all.get(from..to) } else { None };
        let text = text.filter(|t| !t.is_empty()).unwrap_or(&all[start..end]);
        let file = (number > 0).then(|| name.to_string());
        Location { line, text: text.trim().replace('\t', " "), file }
    }

    /// `12`, and in another file than the main one `lock.lin:12`.
    pub fn label(&self) -> String {
        match &self.file {
            None => self.line.to_string(),
            Some(file) => format!("{}:{}", last_part(file), self.line),
        }
    }

    /// `line 12`, `line 12 of lock.lin`
    pub fn words(&self) -> String {
        match &self.file {
            None => format!("line {}", self.line),
            Some(file) => format!("line {} of {}", self.line, last_part(file)),
        }
    }
}

/// The name of a file without its folders.
fn last_part(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(source: &str, statement: &str, expression: &str) -> Location {
        let span = |text: &str| {
            let start = source.find(text).unwrap();
            Span::new(start, start + text.len())
        };
        Location::of(&Files::new(source), span(statement), span(expression))
    }

    #[test]
    fn a_statement_is_shown_without_what_surrounds_it() {
        let source = "op a() {\n  if x { y = 1 } // ü\n}\n";
        let at = location(source, "y = 1", "1");
        assert_eq!(at, Location { line: 2, text: "y = 1".into(), file: None });
    }

    #[test]
    fn of_a_statement_on_several_lines_the_line_of_the_expression_is_shown() {
        let source = "x = f(\n  a,\n  b)\n";
        let at = location(source, "x = f(\n  a,\n  b)", "b)");
        assert_eq!(at, Location { line: 3, text: "b)".into(), file: None });
    }

    #[test]
    fn spans_outside_the_text_are_no_problem() {
        for (from, to) in [(7, 9), (900, 901), (3, 2)] {
            let span = Span { start: from, end: to };
            assert!(Location::of(&Files::new("aß\nüx"), span, span).line <= 2);
        }
        assert_eq!(Location::of(&Files::new(""), Span::default(), Span::default()).line, 1);
    }
}
