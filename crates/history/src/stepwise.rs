//! A specification of a `.lin` file that is executed one operation at a time by whoever asks, with values as logs have
//! them. The crate `linchpin` compares Rust code with it.

use std::sync::Arc;

use linchpin_lin::program::{OpId, SpecId};
use linchpin_lin::specify::Specification;
use linchpin_lin::{Value, decode, line_column, syntax};
use linchpin_lts::Watch;

use crate::datum::Datum;
use crate::spec::{Source, Spec};
use crate::written::Written;

/// A specification, ready to be executed.
#[derive(Debug)]
pub struct Stepwise {
    written: Arc<Written>,
    specification: Specification,
}

/// A state of a specification.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State(Vec<Value>);

/// An operation of a specification with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    op: u8,
    args: Vec<Value>,
}

impl Stepwise {
    /// The specification of this name in a text.
    ///
    /// # Errors
    /// If the text is no program, has no such specification, or that asks who calls: here nobody does.
    pub fn load(text: &[u8], name: &str) -> Result<Stepwise, String> {
        let text = decode(text).map_err(|error| error.message)?;
        let loaded = syntax::load(text, &[]).map_err(|diagnostics| {
            let first = diagnostics.into_iter().next();
            first.map_or("it cannot be read".to_string(), |d| {
                let (line, column) = line_column(text, d.primary.span.start);
                format!("{line}:{column}: {}", d.message)
            })
        })?;
        let program = Arc::new(loaded.program);
        let Source::Written(written) = Spec::written(program.clone(), name)?.source else {
            return Err("it is not written down".to_string());
        };
        let id: SpecId = written.id;
        let specification =
            Specification::shared(program, id, 1).map_err(|fault| fault.to_string())?;
        if specification.uses_caller() {
            return Err(format!("`{name}` asks who calls, which is not known here"));
        }
        let specification = specification.within(&Watch::default());
        Ok(Stepwise { written, specification })
    }

    /// The states in which it may begin.
    ///
    /// # Errors
    /// If the specification itself goes wrong.
    pub fn initial(&self) -> Result<Vec<State>, String> {
        let initial = self.specification.initial().map_err(|fault| fault.to_string())?;
        Ok(initial.into_iter().map(State).collect())
    }

    /// An operation by its name.
    ///
    /// # Errors
    /// If there is none, or it has other arguments.
    pub fn call(&self, name: &str, args: &[Datum]) -> Result<Call, String> {
        let of = self.written.name();
        let Some((op, arity)) = self.written.op(name) else {
            let names = self.written.names().join(", ");
            return Err(format!("`{of}` has no operation `{name}`; it has {names}"));
        };
        if args.len() != arity {
            return Err(format!("`{name}` of `{of}` has {arity} arguments, not {}", args.len()));
        }
        Ok(Call { op, args: self.written.args(op, args)? })
    }

    /// A result of an operation as [`after`](Self::after) would have it.
    ///
    /// # Errors
    /// If it is of another type.
    pub fn result(&self, call: &Call, result: &Datum) -> Result<Datum, String> {
        if self.gives_nothing(call) && *result != Datum::Nil {
            let name = self.written.op_name(call.op);
            return Err(format!("`{name}` returns {result}; in the specification nothing"));
        }
        let value = self.written.result(call.op, result)?;
        Ok(self.written.shown_result(call.op, &value))
    }

    /// Does an operation give nothing back?
    pub fn gives_nothing(&self, call: &Call) -> bool {
        self.written.gives_nothing(call.op)
    }

    /// All that an operation may do in a state, with its results. Nothing: it is not possible there.
    ///
    /// # Errors
    /// If the specification itself goes wrong.
    pub fn after(&self, state: &State, call: &Call) -> Result<Vec<(State, Datum)>, String> {
        let op = OpId(u32::from(call.op));
        let outcomes = self.specification.execute(&state.0, op, &call.args, 1);
        let outcomes = outcomes.map_err(|fault| fault.to_string())?;
        let shown = |result: &Value| self.written.shown_result(call.op, result);
        Ok(outcomes.into_iter().map(|(state, r)| (State(state), shown(&r))).collect())
    }

    /// `items = [1 2]`, for every variable.
    pub fn describe(&self, state: &State) -> String {
        self.written.describe(&state.0)
    }
}
