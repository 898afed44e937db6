//! What a history is compared with: a built-in specification or one of a `.lin` file; and what the operations of a log
//! are there.

use std::collections::BTreeMap;
use std::sync::Arc;

use linchpin_lin::program::{OpId, Program, SpecId};
use linchpin_lin::syntax;

use crate::builtin::{BUILTINS, Builtin, Code, Op, Returns};
use crate::datum::Datum;
use crate::history::Operation;
use crate::written::Written;

/// What is wrong with a log, an operation or an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The line of the log, from 1; 0 if it is not about a line.
    pub line: u32,
    /// In a sentence.
    pub message: String,
}

impl Trouble {
    pub(crate) fn plain(message: String) -> Trouble {
        Trouble { line: 0, message }
    }
}

/// A specification.
#[derive(Clone, Debug)]
pub struct Spec {
    pub(crate) source: Source,
    /// The number behind the name: places of a queue, permits of a semaphore.
    pub(crate) bound: Option<i64>,
    /// What it begins with.
    pub(crate) init: Option<Datum>,
}

#[derive(Clone, Debug)]
pub(crate) enum Source {
    Builtin(&'static Builtin),
    Written(Arc<Written>),
    Executed(Arc<dyn Executed>),
}

/// A specification that is code of whoever asks, like a type of a Rust program. Its operations, results and states are
/// numbers that only it understands.
pub trait Executed: std::fmt::Debug + Send + Sync {
    /// The states after an operation in a state; without a result, after any. The initial state is 0.
    fn step(&self, state: u32, operation: u32, result: Option<u32>) -> Vec<u32>;
}

/// What is passed to an operation, as the log has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Input {
    /// All arguments.
    Args(Vec<Datum>),
    /// One value that stands for all arguments, as Jepsen writes it.
    Value(Datum),
}

/// How an operation ends, as the log has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Output {
    /// It returns this, if the log says what.
    Result(Option<Datum>),
    /// It is `:ok` with this value.
    Value(Datum),
    /// It was a `cas` that failed.
    Failed,
    /// Nobody knows.
    Unknown,
}

const BUILTIN: &str = include_str!("builtin.lin");

impl Spec {
    /// A built-in specification by its name, with a number for those that have one: `bounded-queue:4`.
    ///
    /// # Errors
    /// If there is none, or the number is missing or wrong.
    pub fn builtin(name: &str) -> Result<Spec, String> {
        let (name, bound) = match name.split_once(':') {
            Some((name, bound)) => (name, Some(bound)),
            None => (name, None),
        };
        let Some(of) = BUILTINS.iter().find(|b| b.name == name) else {
            let names: Vec<_> = BUILTINS.iter().map(|b| b.name).collect();
            return Err(format!(
                "there is no built-in specification `{name}`; there are {}; a specification of a file is \
                 written `file.lin:Name`",
                names.join(", ")
            ));
        };
        let bound = match (name, bound) {
            ("bounded-queue" | "semaphore", Some(text)) => match text.parse::<u16>() {
                Ok(n) if n > 0 => Some(i64::from(n)),
                _ => return Err(format!("`{name}:{text}`: a number from 1 to 65535 is wanted")),
            },
            ("bounded-queue", None) => {
                return Err("how many places has the queue? Say so: `bounded-queue:4`".to_string());
            }
            (_, Some(_)) => return Err(format!("`{name}` has no number")),
            (_, None) => None,
        };
        Ok(Spec { source: Source::Builtin(of), bound, init: None })
    }

    /// The specification of this name in a program.
    ///
    /// # Errors
    /// If there is none.
    pub fn written(program: Arc<Program>, name: &str) -> Result<Spec, String> {
        let found = program.specs.iter().position(|s| s.unit.name == name);
        let Some(index) = found else {
            let names: Vec<_> = program.specs.iter().map(|s| s.unit.name.as_str()).collect();
            return Err(match names.is_empty() {
                true => "the file has no specifications".to_string(),
                false => format!(
                    "there is no specification `{name}` in it; there are {}",
                    names.join(", ")
                ),
            });
        };
        let written = Arc::new(Written::new(program, SpecId(index as u32)));
        Ok(Spec { source: Source::Written(written), bound: None, init: None })
    }

    /// A specification that is code. An operation has the number 0, and what it is to the code is its only argument, a
    /// number, as is its result.
    pub fn executed(code: Arc<dyn Executed>) -> Spec {
        Spec { source: Source::Executed(code), bound: None, init: None }
    }

    /// The same beginning with another value.
    ///
    /// # Errors
    /// If the specification cannot begin with that.
    pub fn beginning_with(mut self, init: Datum) -> Result<Spec, String> {
        let Source::Builtin(of) = &self.source else {
            return Err("a specification of a file begins as it says itself".to_string());
        };
        let int = |d: &Datum| matches!(d, Datum::Int(_));
        let elements = |d: &Datum| d.elements().is_some_and(|e| !e.contains(&Datum::Nil));
        let (fits, wanted) = match of.name {
            "register" | "cas-register" => (true, ""),
            "counter" => (int(&init), "a number"),
            "max-register" => (int(&init) || init == Datum::Nil, "a number"),
            "queue" | "stack" | "set" | "log" => (elements(&init), "a list"),
            "priority-queue" => (
                elements(&init) && init.elements().is_some_and(|e| e.iter().all(int)),
                "a list of numbers",
            ),
            "bounded-queue" => {
                let size = init.elements().map_or(0, <[Datum]>::len) as i64;
                (elements(&init) && Some(size) <= self.bound, "a list that has room")
            }
            "map" | "multi-register" => {
                (matches!(init, Datum::Map(_)), "an object with keys and values")
            }
            _ => (false, "the number behind the name"),
        };
        if !fits {
            return Err(format!(
                "`{}` cannot begin with {init}: what is wanted is {wanted}",
                of.name
            ));
        }
        self.init = Some(init);
        Ok(self)
    }

    /// All built-in specifications with what they can do.
    pub fn builtins() -> impl Iterator<Item = (&'static str, &'static str)> {
        BUILTINS.iter().map(|b| (b.name, b.about))
    }

    /// Its name.
    pub fn name(&self) -> String {
        match (&self.source, self.bound) {
            (Source::Builtin(of), None) => of.name.to_string(),
            (Source::Builtin(of), Some(bound)) => format!("{}:{bound}", of.name),
            (Source::Written(of), _) => of.name().to_string(),
            (Source::Executed(_), _) => "code".to_string(),
        }
    }

    /// The name of an operation.
    pub fn op_name(&self, op: u8) -> &str {
        match &self.source {
            Source::Builtin(of) => of.ops[op as usize].names[0],
            Source::Written(of) => of.op_name(op),
            Source::Executed(_) => "operation",
        }
    }

    /// `put("x" 1)`
    pub fn call(&self, operation: &Operation) -> String {
        let args: Vec<String> = operation.args.iter().map(Datum::to_string).collect();
        let args = match self.code(operation.op) {
            Some(Code::Txn) => vec![shown_accesses(operation)],
            _ => args,
        };
        format!("{}({})", self.op_name(operation.op), args.join(", "))
    }

    /// The result of an operation as it is shown; nothing if it has none.
    pub fn result(&self, operation: &Operation) -> Option<String> {
        match self.code(operation.op) {
            Some(Code::Txn) => None,
            _ => operation.result.as_ref().map(Datum::to_string),
        }
    }

    /// The key that an operation is about, if its first argument is one.
    pub fn key<'o>(&self, operation: &'o Operation) -> Option<&'o Datum> {
        let keyed = self.code(operation.op).is_some_and(Code::has_key);
        operation.args.first().filter(|_| keyed)
    }

    pub(crate) fn code(&self, op: u8) -> Option<Code> {
        match &self.source {
            Source::Builtin(of) => Some(of.ops[op as usize].code),
            Source::Written(_) | Source::Executed(_) => None,
        }
    }

    /// Is the first argument of an operation a key, so that operations with other keys neither see nor change what it does?
    pub(crate) fn is_keyed(&self, op: u8) -> bool {
        match &self.source {
            Source::Builtin(of) => of.ops[op as usize].code.has_key(),
            Source::Written(of) => of.is_keyed(op),
            // Nobody can look into it.
            Source::Executed(_) => false,
        }
    }

    /// Is the first argument of every operation a key?
    pub(crate) fn is_keyed_always(&self) -> bool {
        match &self.source {
            Source::Builtin(of) => of.ops.iter().all(|op| op.code.has_key()),
            Source::Written(of) => (0..of.names().len()).all(|op| of.is_keyed(op as u8)),
            Source::Executed(_) => false,
        }
    }

    /// The size of a bounded queue, the most permits of a mutex.
    pub(crate) fn limit(&self) -> Option<u32> {
        match &self.source {
            Source::Builtin(of) if of.name == "mutex" => Some(1),
            Source::Builtin(of) if of.name == "bounded-queue" => self.bound.map(|n| n as u32),
            _ => None,
        }
    }

    /// Is there a key in front of the arguments of its operations?
    pub(crate) fn has_keys(&self) -> bool {
        matches!(&self.source, Source::Builtin(of) if of.name == "map")
    }

    /// Are its operations transactions?
    pub(crate) fn has_transactions(&self) -> bool {
        matches!(&self.source, Source::Builtin(of) if of.name == "multi-register")
    }

    /// The number of the operation of this name, or of one of its other names.
    pub fn op(&self, name: &str) -> Option<u8> {
        match &self.source {
            Source::Builtin(of) => {
                let plain = name.to_lowercase().replace('_', "-");
                of.ops.iter().position(|op| op.names.contains(&plain.as_str())).map(|i| i as u8)
            }
            Source::Written(of) => of.op(name).map(|o| o.0),
            Source::Executed(_) => None,
        }
    }

    /// The operation that a line of a log is, apart from who, when and where.
    pub(crate) fn operation(
        &self,
        name: &str,
        key: Option<&Datum>,
        input: &Input,
        output: &Output,
    ) -> Result<Operation, String> {
        let Some(op) = self.op(name) else {
            return Err(format!(
                "`{}` has no operation `{name}`; it has {}",
                self.name(),
                match &self.source {
                    Source::Builtin(of) => of.about.to_string(),
                    Source::Written(of) => of.names().join(", "),
                    Source::Executed(_) => "operations without names".to_string(),
                }
            ));
        };
        let (args, result) = match &self.source {
            Source::Builtin(of) => {
                builtin_operation(of, &of.ops[op as usize], name, key, input, output)?
            }
            Source::Executed(_) => return Err("operations of code have no names".to_string()),
            Source::Written(of) => {
                let arity = of.op(name).map_or(0, |o| o.1);
                let args = arguments(name, arity, None, input)?;
                let result = match output {
                    Output::Unknown => None,
                    Output::Failed => Some(Datum::Bool(false)),
                    _ if of.gives_nothing(op) => None,
                    Output::Result(result) => result.clone(),
                    Output::Value(value) => Some(value.clone()),
                };
                (args, result)
            }
        };
        Ok(Operation {
            process: 0,
            object: 0,
            op,
            args: args.into(),
            result,
            call: 0,
            ret: 0,
            line: 0,
        })
    }

    /// What the judge executes: the specification in the language `.lin`, with ranks instead of numbers where these are
    /// only compared.
    pub(crate) fn twin(
        &self,
        operations: &[Operation],
    ) -> Result<(Arc<Written>, Vec<OpId>), String> {
        let of = match &self.source {
            Source::Written(of) => {
                let count = of.names().len() as u32;
                return Ok((of.clone(), (0..count).map(OpId).collect()));
            }
            Source::Builtin(of) => of,
            Source::Executed(_) => return Err("the judge does not know the code".to_string()),
        };
        let loaded = syntax::load(BUILTIN, &[]);
        let mut program = loaded.map_err(|_| "the built-in specifications do not load")?.program;
        let index = program.specs.iter().position(|s| s.unit.name == of.twin);
        let index = index.ok_or("a built-in specification is missing")?;
        let mut ranks = BTreeMap::new();
        if ["max-register", "priority-queue"].contains(&of.name) {
            let init = self.init.iter().flat_map(|i| {
                std::slice::from_ref(i).iter().chain(i.elements().unwrap_or_default())
            });
            let data = operations.iter().flat_map(|o| o.args.iter().chain(&o.result)).chain(init);
            for datum in data {
                if let Datum::Int(n) = datum {
                    ranks.insert(*n, 0);
                }
            }
            for (rank, place) in ranks.values_mut().zip(0..) {
                *rank = place;
            }
        }
        let written = Written::twin(Arc::new(program.clone()), SpecId(index as u32), ranks);
        let vars = &mut program.specs[index].unit.vars;
        let int = |n: i64| linchpin_lin::Value::Int(n as i32);
        match of.name {
            "mutex" => {
                vars[0].init = int(1);
                vars[1].init = linchpin_lin::Value::Option(Some(Box::new(int(1))));
            }
            "semaphore" => vars[0].init = int(self.bound.unwrap_or(1)),
            "bounded-queue" => {
                vars[1].init =
                    linchpin_lin::Value::Option(self.bound.map(|bound| Box::new(int(bound))));
            }
            _ => {}
        }
        if let Some(init) = &self.init {
            vars[0].init = written.value(init, &vars[0].ty)?;
        }
        let unit = &program.specs[index].unit;
        let names = of.ops.iter().map(|op| match op.code {
            Code::Delete => "put",
            Code::Increment | Code::Decrement => "add",
            _ => op.names[0],
        });
        let ops = names.map(|name| unit.op_named(&name.replace('-', "_")));
        let ops = ops.collect::<Option<Vec<_>>>().ok_or("an operation of a built-in is missing")?;
        Ok((Arc::new(written.with(Arc::new(program))), ops))
    }

    /// Arguments and result of an operation as its twin has them.
    pub(crate) fn twin_operation(&self, operation: &Operation) -> (Vec<Datum>, Option<Datum>) {
        let mut args = operation.args.to_vec();
        match self.code(operation.op) {
            Some(Code::Delete) => args.push(Datum::Nil),
            Some(Code::Increment) => args.push(Datum::Int(1)),
            Some(Code::Decrement) => args.push(Datum::Int(-1)),
            _ => {}
        }
        (args, operation.result.clone())
    }
}

/// The arguments, as many as there should be.
fn arguments(
    name: &str,
    arity: usize,
    key: Option<&Datum>,
    input: &Input,
) -> Result<Vec<Datum>, String> {
    let mut args: Vec<Datum> = key.cloned().into_iter().collect();
    match input {
        Input::Args(given) => args.extend_from_slice(given),
        // Of an operation without arguments the value is what will be returned.
        Input::Value(value) => match arity.saturating_sub(args.len()) {
            0 => {}
            1 => args.push(value.clone()),
            _ => args.extend_from_slice(value.elements().unwrap_or(std::slice::from_ref(value))),
        },
    }
    match args.len() == arity {
        true => Ok(args),
        false => Err(format!("`{name}` has {arity} arguments, not {}", args.len())),
    }
}

fn builtin_operation(
    of: &Builtin,
    op: &Op,
    name: &str,
    key: Option<&Datum>,
    input: &Input,
    output: &Output,
) -> Result<(Vec<Datum>, Option<Datum>), String> {
    if op.code == Code::Txn {
        return transaction(name, input, output);
    }
    let mut args = arguments(name, op.arity, key.filter(|_| of.name == "map"), input)?;
    let numbers =
        matches!(op.code, Code::Add | Code::GetAndAdd | Code::Raise | Code::Insert | Code::LogGet);
    if let Some(wrong) = args.iter().find(|a| numbers && !matches!(a, Datum::Int(_))) {
        return Err(format!("`{name}` wants a number, not {wrong}"));
    }
    let stored = matches!(op.code, Code::Enqueue | Code::Push | Code::SetAdd | Code::LogAppend);
    if stored && args[0] == Datum::Nil {
        return Err(format!("`{name}` of nil: nil stands for `empty`"));
    }
    if op.code == Code::Append {
        match &args[1] {
            Datum::Text(_) | Datum::Word(_) => {}
            // A text of digits, as other formats write it.
            Datum::Int(n) => args[1] = Datum::text(&n.to_string()),
            other => return Err(format!("`append` joins texts; {other} is none")),
        }
    }
    let result = match (op.returns, output) {
        (_, Output::Unknown) => None,
        (Returns::Success, Output::Failed) => Some(Datum::Bool(false)),
        (_, Output::Failed) => return Err(format!("`{name}` cannot fail")),
        (Returns::Nothing, Output::Value(_)) => None,
        (Returns::Nothing, Output::Result(result)) => match result {
            None | Some(Datum::Nil | Datum::Bool(true)) => None,
            Some(d) if d.letters() == Some("ok") => None,
            Some(other) => return Err(format!("`{name}` has no result, but the log has {other}")),
        },
        (Returns::Success, Output::Value(value)) => match value {
            Datum::Bool(b) => Some(Datum::Bool(*b)),
            _ => Some(Datum::Bool(true)),
        },
        (Returns::Truth, Output::Value(value)) => match value {
            Datum::Bool(b) => Some(Datum::Bool(*b)),
            _ => None,
        },
        (Returns::Success | Returns::Truth, Output::Result(result)) => match result {
            None | Some(Datum::Bool(_)) => result.clone(),
            Some(Datum::Nil) => None,
            Some(other) => {
                return Err(format!("`{name}` gives true or false, but the log has {other}"));
            }
        },
        (Returns::Value, Output::Value(_)) if op.code == Code::LogAppend => None,
        (Returns::Value, Output::Value(value)) => Some(value.clone()),
        (Returns::Value, Output::Result(result)) => result.clone(),
    };
    let number = match (of.name, op.code) {
        ("counter", _) | ("log", Code::LogAppend) => Some(false),
        ("max-register" | "priority-queue", _) => Some(true),
        _ => None,
    };
    if let (Some(or_nil), Some(result)) = (number, &result)
        && !(matches!(result, Datum::Int(_)) || or_nil && *result == Datum::Nil)
    {
        return Err(format!("`{name}` gives a number, but the log has {result}"));
    }
    let list = op.code == Code::ReadAll;
    match &result {
        Some(result) if list && result.elements().is_none() => {
            Err(format!("`{name}` gives a list, but the log has {result}"))
        }
        _ => Ok((args, result)),
    }
}

/// A transaction: accesses as `[is it a write?, key, value]`, and the value of each.
fn transaction(
    name: &str,
    input: &Input,
    output: &Output,
) -> Result<(Vec<Datum>, Option<Datum>), String> {
    let list = |datum: &Datum| -> Result<Vec<(bool, Datum, Datum)>, String> {
        let wrong = || format!("a transaction is a list like [[r x nil] [w y 1]], not {datum}");
        let one = |access: &Datum| match access.elements() {
            Some([how, key, value]) => match how.letters() {
                Some("r" | "read" | "get") => Ok((false, key.clone(), value.clone())),
                Some("w" | "write" | "put") => Ok((true, key.clone(), value.clone())),
                Some(other) => {
                    Err(format!("a transaction reads and writes; it does not `{other}`"))
                }
                None => Err(wrong()),
            },
            _ => Err(wrong()),
        };
        datum.elements().ok_or_else(wrong)?.iter().map(one).collect()
    };
    let asked = match input {
        Input::Args(args) if args.len() == 1 => list(&args[0])?,
        Input::Args(args) => return Err(format!("`{name}` has 1 argument, not {}", args.len())),
        Input::Value(value) => list(value)?,
    };
    let done = match output {
        Output::Unknown | Output::Result(None | Some(Datum::Nil)) => None,
        Output::Failed => return Err("a transaction that failed did not happen".to_string()),
        Output::Result(Some(value)) | Output::Value(value) => Some(list(value)?),
    };
    let same = |done: &[(bool, Datum, Datum)]| {
        done.len() == asked.len()
            && done
                .iter()
                .zip(&asked)
                .all(|(d, a)| d.0 == a.0 && d.1 == a.1 && (!d.0 || d.2 == a.2))
    };
    if done.as_ref().is_some_and(|done| !same(done)) {
        return Err("the transaction that returns is not the one that was called".to_string());
    }
    let access = |(write, key, value): &(bool, Datum, Datum)| {
        // What a read asks for is not known when it is called.
        let value = if *write { value.clone() } else { Datum::Nil };
        Datum::list(vec![Datum::Bool(*write), key.clone(), value])
    };
    let args = vec![Datum::list(asked.iter().map(access).collect())];
    let result = done.map(|done| Datum::list(done.into_iter().map(|d| d.2).collect()));
    Ok((args, result))
}

/// `r x → 1, w y 2`
fn shown_accesses(operation: &Operation) -> String {
    let accesses = operation.args[0].elements().unwrap_or_default();
    let results = operation.result.as_ref().and_then(Datum::elements);
    let one = |(i, access): (usize, &Datum)| match (access.elements(), results) {
        (Some([Datum::Bool(true), key, value]), _) => format!("w {key} {value}"),
        (Some([_, key, _]), Some(results)) => {
            format!("r {key} {}", results.get(i).unwrap_or(&Datum::Nil))
        }
        (Some([_, key, _]), None) => format!("r {key}"),
        _ => String::new(),
    };
    accesses.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
}
