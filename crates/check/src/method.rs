//! The ways to look for a history that is wrong, by name.

use linchpin_lin::Unsupported;
use linchpin_lin::program::{Check, Condition};

use crate::reductions::Reductions;

/// How to check. The last three are those of P. Doolan, G. Smith, C. Zhang and P. Krishnan (SPIN 2017),
/// for comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// A state is explored with the set of configurations its history leads to, breadth first.
    #[default]
    Refinement,
    /// A state is explored with its whole history.
    Recordings,
    /// A state is explored once, whatever its history is: finds violations, proves nothing.
    External,
    /// As [`Method::External`], but a state is left out only if its history makes no difference.
    ExternalSound,
}

impl Method {
    /// All, with the default first.
    pub const ALL: [Method; 4] =
        [Method::Refinement, Method::Recordings, Method::External, Method::ExternalSound];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Refinement => "refinement",
            Method::Recordings => "recordings",
            Method::External => "external",
            Method::ExternalSound => "external-sound",
        }
    }

    /// Does it go level by level, so that a violation is a shortest one?
    pub fn is_breadth_first(self) -> bool {
        matches!(self, Method::Refinement | Method::Recordings)
    }

    /// Those of the reductions that it can use: histories are kept as they are, with the names of
    /// threads and values, and only sets of configurations can be compared.
    pub(crate) fn reductions(self, mut reductions: Reductions) -> Reductions {
        if self != Method::Refinement {
            reductions.threads = false;
            reductions.data = false;
        }
        reductions.antichain &= matches!(self, Method::Refinement | Method::ExternalSound);
        reductions
    }

    /// Can it decide a check?
    pub(crate) fn accepts(self, check: &Check) -> Result<(), Unsupported> {
        let refuse = |why: String| {
            let message = format!("the method `{}` {why}", self.name());
            Err(Unsupported { message, span: check.span })
        };
        if self != Method::Refinement && check.condition != Condition::Linearizable {
            let condition = check.condition.name();
            return refuse(format!("is for linearizability, not for `{condition}`"));
        }
        match check.roles.iter().find(|r| r.behaviour.is_endless()) {
            Some(role) if self == Method::Recordings => refuse(format!(
                "keeps the whole history: it needs a bound on the operations of `{}`",
                role.name
            )),
            _ => Ok(()),
        }
    }
}
