//! From calls and returns to operations.
//!
//! `:ok` returned, `:fail` did not happen, `:info` or no return at all: nobody knows. A process that does not know what
//! became of its operation and goes on is a new one from then on, since what it left behind may still take effect.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Entry, Format, Reading, Time, What};
use crate::datum::Datum;
use crate::history::{History, NEVER, Operation, spread};
use crate::spec::{Input, Output, Spec, Trouble};

/// An operation that was called.
#[derive(Debug)]
struct Open {
    name: Arc<str>,
    key: Option<Datum>,
    input: Input,
    line: u32,
    place: u32,
    process: u32,
}

/// The last times, and the lines that had them. Nothing is ordered by them: lines are.
///
/// Jepsen takes the time before it takes a place in the history, so that threads overtake each other: there only
/// the clock of one process cannot go backwards.
#[derive(Debug, Default)]
pub(crate) struct Clocks(HashMap<Option<Datum>, (Time, u32)>);

impl Clocks {
    /// The time of the next line.
    pub(crate) fn look(
        &mut self,
        format: Option<Format>,
        process: &Datum,
        time: Option<Time>,
        line: u32,
    ) -> Result<(), Trouble> {
        let Some(time) = time else { return Ok(()) };
        let whose = (format == Some(Format::Edn)).then(|| process.clone());
        match self.0.insert(whose, (time, line)) {
            Some((last, before)) if time < last => {
                let message =
                    format!("the clock goes backwards: this is earlier than line {before}");
                Err(Trouble { line, message })
            }
            _ => Ok(()),
        }
    }
}

/// Makes operations of entries.
#[derive(Debug)]
pub(crate) struct Gather<'s> {
    spec: &'s Spec,
    reading: Reading,
    /// Are values pairs of a key and a value?
    pairs: bool,
    open: HashMap<Datum, Open>,
    /// The numbers of processes as they are now.
    processes: HashMap<Datum, u32>,
    objects: HashMap<Datum, u32>,
    history: History,
    place: u32,
    clocks: Clocks,
    /// Times of whole operations: they are put in order in the end.
    times: Vec<(Time, Option<Time>)>,
    /// Does the log have calls and returns? Whole operations? The lines that say so.
    kinds: (Option<u32>, Option<u32>),
}

/// Are the values of all entries pairs of a key and a value? A `cas` has a pair without a key, too, so it does not count.
pub(crate) fn pairs(entries: &[Entry]) -> bool {
    let mut some = false;
    let pair = |entry: &Entry| match &entry.what {
        What::Invoke(Input::Value(value)) => {
            let cas = entry.name.contains("cas") || &*entry.name == "txn";
            let inner =
                value.elements().and_then(|e| e.get(1)).is_some_and(|e| e.elements().is_some());
            let pair = value.elements().is_some_and(|e| e.len() == 2);
            some |= !cas || inner;
            pair && &*entry.name != "txn"
        }
        _ => true,
    };
    entries.iter().all(pair) && some
}

impl<'s> Gather<'s> {
    pub(crate) fn new(spec: &'s Spec, reading: Reading, pairs: bool) -> Self {
        Gather {
            spec,
            reading,
            pairs,
            open: HashMap::new(),
            processes: HashMap::new(),
            objects: HashMap::new(),
            history: History::default(),
            place: 0,
            clocks: Clocks::default(),
            times: Vec::new(),
            kinds: (None, None),
        }
    }

    /// The next entry.
    pub(crate) fn add(&mut self, entry: Entry) -> Result<(), Trouble> {
        let Entry { line, process, name, key, time, what } = entry;
        let wrong = |message: String| Trouble { line, message };
        self.clocks.look(self.reading.format, &process, time, line)?;
        let kind = match what {
            What::Whole { .. } => &mut self.kinds.1,
            _ => &mut self.kinds.0,
        };
        kind.get_or_insert(line);
        if let (Some(events), Some(whole)) = self.kinds {
            return Err(wrong(format!(
                "calls and returns (line {events}) and whole operations (line {whole}) do not go together"
            )));
        }
        match what {
            What::Invoke(input) => {
                if let Some(open) = self.open.get(&process) {
                    return Err(wrong(format!(
                        "process {process} calls `{name}`, but its `{}` of line {} has not ended",
                        open.name, open.line
                    )));
                }
                // Whether there is such an operation is said where it is called.
                if self.spec.op(&name).is_none() {
                    self.spec
                        .operation(&name, None, &input, &Output::Unknown)
                        .map_err(|message| Trouble { line, message })?;
                }
                let (key, input) = self.key(key, input);
                let number = self.process(&process);
                let open = Open { name, key, input, line, place: self.place, process: number };
                self.open.insert(process, open);
            }
            What::Whole { input, output, call, ret } => {
                if ret.is_some_and(|ret| ret < call) {
                    return Err(wrong("the clock goes backwards: returned before called".into()));
                }
                let number = self.process(&process);
                if ret.is_none() {
                    self.processes.remove(&process);
                }
                self.times.push((call, ret));
                let open = Open { name, key, input, line, place: 0, process: number };
                self.push(open, &output, if ret.is_some() { 0 } else { NEVER })?;
            }
            end => {
                let Some(open) = self.open.remove(&process) else {
                    return Err(wrong(format!(
                        "process {process} returns, but has not called anything"
                    )));
                };
                if !name.is_empty() && name != open.name {
                    return Err(wrong(format!(
                        "process {process} returns from `{name}`, but has called `{}` in line {}",
                        open.name, open.line
                    )));
                }
                self.end(process, open, end, line)?;
            }
        }
        self.place += 1;
        Ok(())
    }

    /// An operation ends.
    fn end(&mut self, process: Datum, open: Open, end: What, line: u32) -> Result<(), Trouble> {
        let place = self.place;
        match end {
            What::Ok(Output::Value(value)) => {
                let value = self.unpaired(value);
                self.push(open, &Output::Value(value), place)
            }
            What::Ok(output) => self.push(open, &output, place),
            What::Fail(value) => {
                let is_cas =
                    open.name.to_lowercase().contains("cas") || open.name.contains("compare");
                let repeats = match (&value, &open.input) {
                    (None, _) => true,
                    (Some(value), Input::Value(input)) => self.unpaired(value.clone()) == *input,
                    _ => false,
                };
                if self.reading.failed_cas_returns && is_cas && repeats {
                    return self.push(open, &Output::Failed, place);
                }
                Ok(())
            }
            What::Info => {
                self.processes.remove(&process);
                self.push(open, &Output::Unknown, NEVER)
            }
            What::Invoke(_) | What::Whole { .. } => {
                Err(Trouble { line, message: "an operation ends that has not begun".to_string() })
            }
        }
    }

    /// Takes the key out of a pair.
    fn key(&self, key: Option<Datum>, input: Input) -> (Option<Datum>, Input) {
        match input {
            Input::Value(value) if self.pairs && key.is_none() => match value.elements() {
                Some([key, value]) => (Some(key.clone()), Input::Value(value.clone())),
                _ => (None, Input::Value(value)),
            },
            input => (key, input),
        }
    }

    fn unpaired(&self, value: Datum) -> Datum {
        match value.elements() {
            Some([_, inner]) if self.pairs => inner.clone(),
            _ => value,
        }
    }

    fn process(&mut self, process: &Datum) -> u32 {
        if let Some(&number) = self.processes.get(process) {
            return number;
        }
        let number = self.history.processes.len() as u32;
        self.history.processes.push(match process {
            Datum::Int(n) => n.to_string(),
            other => other.letters().map_or_else(|| other.to_string(), str::to_string),
        });
        self.processes.insert(process.clone(), number);
        number
    }

    fn push(&mut self, open: Open, output: &Output, ret: u32) -> Result<(), Trouble> {
        let wrong = |message: String| Trouble { line: open.line, message };
        let made = self.spec.operation(&open.name, open.key.as_ref(), &open.input, output);
        let mut operation = made.map_err(wrong)?;
        operation.object = match &open.key {
            Some(key) if !self.spec.has_keys() => {
                let next = self.objects.len() as u32;
                *self.objects.entry(key.clone()).or_insert_with(|| {
                    self.history.objects.push(key.to_string());
                    next
                })
            }
            None if !self.objects.is_empty() => {
                return Err(wrong("this operation has no key, but others have".to_string()));
            }
            _ => 0,
        };
        (operation.process, operation.line) = (open.process, open.line);
        (operation.call, operation.ret) = (open.place, ret);
        self.history.operations.push(operation);
        Ok(())
    }

    /// The history, with everything that has not ended open for ever.
    pub(crate) fn finish(mut self) -> Result<History, Trouble> {
        let mut open: Vec<Open> = std::mem::take(&mut self.open).into_values().collect();
        open.sort_by_key(|o| o.place);
        for open in open {
            self.push(open, &Output::Unknown, NEVER)?;
        }
        if !self.times.is_empty() {
            in_order(&mut self.history.operations, &self.times);
            overlaps(&self.history)?;
            spread(&mut self.history.operations);
        }
        if self.history.objects.is_empty() {
            self.history.objects.push(String::new());
        }
        self.history.operations.sort_by_key(|o| o.call);
        texts(self.spec, &self.history.operations)?;
        Ok(self.history)
    }
}

/// Places instead of times. At the same time calls come before returns: then the operations overlap, which is the most
/// that can be said.
fn in_order(operations: &mut [Operation], times: &[(Time, Option<Time>)]) {
    let mut all: Vec<Time> = times.iter().flat_map(|t| [Some(t.0), t.1]).flatten().collect();
    all.sort_unstable();
    all.dedup();
    let place = |time: Time| all.binary_search(&time).unwrap_or_default() as u32;
    for (operation, (call, ret)) in operations.iter_mut().zip(times) {
        operation.call = place(*call);
        operation.ret = ret.map_or(NEVER, place);
    }
}

/// No process does two things at once.
fn overlaps(history: &History) -> Result<(), Trouble> {
    let mut last: HashMap<u32, &Operation> = HashMap::new();
    let mut operations: Vec<&Operation> = history.operations.iter().collect();
    operations.sort_by_key(|o| (o.call, o.ret));
    for operation in operations {
        if let Some(before) = last.insert(operation.process, operation)
            && before.ret > operation.call
        {
            let process = &history.processes[operation.process as usize];
            return Err(Trouble {
                line: operation.line,
                message: format!(
                    "process {process} calls this while its operation of line {} is going on",
                    before.line
                ),
            });
        }
    }
    Ok(())
}

/// Where texts are joined, all values are texts.
fn texts(spec: &Spec, operations: &[Operation]) -> Result<(), Trouble> {
    use crate::builtin::Code;
    if !operations.iter().any(|o| spec.code(o.op) == Some(Code::Append)) {
        return Ok(());
    }
    for operation in operations {
        let written = match spec.code(operation.op) {
            Some(Code::Put) => operation.args.get(1),
            Some(Code::CasKey) => operation.args.get(2),
            _ => None,
        };
        if let Some(value) =
            written.filter(|v| !matches!(v, Datum::Text(_) | Datum::Word(_) | Datum::Nil))
        {
            let message = format!("`append` joins texts, but {value} is written here");
            return Err(Trouble { line: operation.line, message });
        }
    }
    Ok(())
}
