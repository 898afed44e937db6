//! Specifications in the language `.lin`, as `linchpin history --spec file.lin:Name` takes them: the same file specifies a
//! model, a log and the code.
//!
//! What operations pass and return becomes a [`Datum`](crate::Datum), and that a value of the language by its type: a number, a text,
//! `true`, `None` as `empty`, a list; and anything at all where the specification says `data`. What does not fit
//! is refused by a panic that says what is wanted.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use linchpin_history::{Call as Called, Datum, State, Stepwise};

use crate::spec::{Operation, Spec};

/// Operations that a specification of a `.lin` file knows by their names.
pub trait Call {
    /// The name, as the specification has it; upper and lower case do not matter.
    fn name(&self) -> &str;

    /// What is passed.
    fn args(&self) -> Vec<Datum>;
}

/// A specification of a `.lin` file, in one of its states.
pub struct Lin<Op> {
    of: Arc<Stepwise>,
    /// `None` before the first operation: it may begin in one of several states.
    state: Option<State>,
    of_ops: PhantomData<fn(&Op)>,
}

/// What an operation returned, as the specification sees it.
#[derive(Clone)]
pub struct Given(Result<Option<Datum>, String>);

impl<Op: Operation + Call> Lin<Op> {
    /// `queue.lin:Queue`, the specification `Queue` of a file in a folder.
    ///
    /// # Panics
    /// If there is no such file or specification, or it does not know the operations.
    pub fn load(folder: &str, named: &str) -> Lin<Op> {
        let Some((file, name)) = named.rsplit_once(':').filter(|(file, _)| file.ends_with(".lin"))
        else {
            panic!("`{named}` is no specification of a file: write `file.lin:Name`");
        };
        let path = Path::new(folder).join(file);
        match std::fs::read(&path) {
            Ok(text) => Self::read(&text, name).unwrap_or_else(|why| panic!("{file}: {why}")),
            Err(error) => panic!("{}: {error}", path.display()),
        }
    }

    /// The specification of a name in a text.
    ///
    /// # Errors
    /// If there is none, or it does not know the operations.
    pub fn read(text: &[u8], name: &str) -> Result<Lin<Op>, String> {
        let lin =
            Lin { of: Arc::new(Stepwise::load(text, name)?), state: None, of_ops: PhantomData };
        for op in Op::all(1) {
            lin.of.call(op.name(), &op.args())?;
        }
        Ok(lin)
    }

    /// What the code has returned.
    pub fn given(&self, op: &Op, result: impl Into<Datum>) -> Given {
        let given = || {
            let call = self.of.call(op.name(), &op.args())?;
            let datum = self.of.result(&call, &result.into())?;
            Ok((!self.of.gives_nothing(&call)).then_some(datum))
        };
        Given(given())
    }

    fn after(&self, op: &Op) -> Result<Vec<(Self, Given)>, String> {
        let call: Called = self.of.call(op.name(), &op.args())?;
        let from = match &self.state {
            Some(state) => vec![state.clone()],
            None => self.of.initial()?,
        };
        let mut all = Vec::new();
        for state in from {
            for (state, result) in self.of.after(&state, &call)? {
                let given = (!self.of.gives_nothing(&call)).then_some(result);
                let after = Lin { of: self.of.clone(), state: Some(state), of_ops: PhantomData };
                all.push((after, Given(Ok(given))));
            }
        }
        Ok(all)
    }
}

impl<Op: Operation + Call> Spec for Lin<Op> {
    type Op = Op;
    type Ret = Given;

    /// # Panics
    /// If the operation is not possible.
    fn apply(&mut self, op: &Op) -> Given {
        let Some((after, given)) = self.outcomes(op).into_iter().next() else {
            panic!("the specification does not allow {op:?} here");
        };
        *self = after;
        given
    }

    /// # Panics
    /// If the specification goes wrong.
    fn outcomes(&self, op: &Op) -> Vec<(Self, Given)> {
        self.after(op).unwrap_or_else(|why| panic!("the specification, in {op:?}: {why}"))
    }

    fn describe(&self) -> Option<String> {
        match &self.state {
            Some(state) => Some(self.of.describe(state)),
            None => self.of.initial().ok()?.first().map(|state| self.of.describe(state)),
        }
    }
}

impl<Op> Clone for Lin<Op> {
    fn clone(&self) -> Self {
        Lin { of: self.of.clone(), state: self.state.clone(), of_ops: PhantomData }
    }
}

impl<Op> PartialEq for Lin<Op> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.of, &other.of) && self.state == other.state
    }
}

impl<Op> Eq for Lin<Op> {}

impl<Op> Hash for Lin<Op> {
    fn hash<H: Hasher>(&self, to: &mut H) {
        self.state.hash(to);
    }
}

impl<Op> fmt::Debug for Lin<Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.fmt(f)
    }
}

/// # Panics
/// If the code returned what the specification cannot.
impl PartialEq for Given {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Ok(one), Ok(other)) => one == other,
            (Err(why), _) | (_, Err(why)) => panic!("what the code returns: {why}"),
        }
    }
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Ok(Some(datum)) => fmt::Display::fmt(datum, f),
            Ok(None) => f.write_str("()"),
            Err(why) => f.write_str(why),
        }
    }
}
