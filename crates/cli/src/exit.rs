//! Exit codes, and which one wins when there are several answers.

use std::process::ExitCode;

use linchpin_lts::Verdict;

/// The outcome of a run, from best to worst: the greatest of several is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Everything holds, or was done as asked.
    Holds,
    /// No answer within the limits.
    Unknown,
    /// A violation.
    Violated,
    /// Something given is not usable: a file, a name, a model.
    BadInput,
    /// A defect of Linchpin.
    Internal,
}

impl Exit {
    /// The outcome in a word, as for verdicts.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Exit::Holds => "holds",
            Exit::Violated => "violated",
            Exit::Unknown => "unknown",
            Exit::BadInput | Exit::Internal => "error",
        }
    }

    /// The number other programs see.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Holds => 0,
            Exit::Violated => 1,
            Exit::BadInput => 2,
            Exit::Unknown => 3,
            Exit::Internal => 4,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

impl<W> From<&Verdict<W>> for Exit {
    fn from(verdict: &Verdict<W>) -> Exit {
        match verdict {
            Verdict::Holds => Exit::Holds,
            Verdict::Violated(_) => Exit::Violated,
            Verdict::Unknown(_) => Exit::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn the_worst_outcome_wins_in_the_documented_order() {
        let worst_first = [Exit::Internal, Exit::BadInput, Exit::Violated, Exit::Unknown];
        let codes: Vec<u8> = worst_first.iter().map(|e| e.code()).collect();
        assert_eq!(codes, [4, 2, 1, 3]);
        for pair in worst_first.windows(2) {
            assert_eq!(pair[0].max(pair[1]), pair[0]);
        }
        assert_eq!(Exit::Unknown.max(Exit::Holds), Exit::Unknown);
    }
}
