//! The names of checks on the command line, and names of files as they are shown.
//!
//! A check with several conditions is several checks, `NAME/CONDITION` (see the language). Its name alone
//! stands for all of them.

use std::path::Path;

use linchpin_lin::program::Check;
use linchpin_text::printable_name;

use crate::input::Source;
use crate::outcome::{Kind, Problem};

/// The name of a file for people: without characters that do something to a terminal.
pub(crate) fn shown(path: &Path) -> String {
    printable_name(&path.to_string_lossy()).into_owned()
}

/// The name of a check as it stands in the file, without a condition.
pub(crate) fn base(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}

/// Does a name given on the command line stand for a check of this name?
pub(crate) fn stands_for(given: &str, name: &str) -> bool {
    given == name || given == base(name)
}

/// The check that a name stands for; the first one if there are several, or if no name is given.
pub(crate) fn find<'s>(source: &'s Source, given: Option<&str>) -> Result<&'s Check, Problem> {
    let mut checks = source.program.checks.iter();
    let found = checks.find(|c| given.is_none_or(|given| stands_for(given, &c.name)));
    found.ok_or_else(|| {
        let message = match given {
            Some(name) => format!("there is no check `{name}`"),
            None => "the file has no checks".to_string(),
        };
        Problem::new(Kind::NoSuchCheck, &source.path, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_alone_stands_for_all_conditions_of_a_check() {
        assert!(stands_for("q", "q/quasi-2") && stands_for("q/quasi-2", "q/quasi-2"));
        assert!(stands_for("q", "q"));
        assert!(!stands_for("q/quasi", "q/quasi-2") && !stands_for("q", "queue/quasi"));
        assert_eq!(base("q#2/strong"), "q#2");
    }
}
