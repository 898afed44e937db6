//! Objects to start from: families of implementations of one specification each.
//!
//! Most implementations are right, some are wrong on purpose. The texts keep to a form that
//! mutation understands: one statement per line, `atomic {` and every closing brace on lines of
//! their own, arguments of primitives without nested commas.

mod blocking;
mod collections;
mod endless;
mod pointers;
mod reuse;
mod scalars;
mod several;

/// Implementations of one specification.
pub(super) struct Family {
    /// Types shared by objects and specification.
    pub(super) types: &'static str,
    /// The objects; each is called `Obj`.
    pub(super) objects: &'static [&'static str],
    /// The specification, called `Abs`.
    pub(super) spec: &'static str,
    /// Settings of the check that always apply.
    pub(super) settings: &'static [&'static str],
    /// Operations are long: keep the client small.
    pub(super) heavy: bool,
}

/// All families; those with a heap several times, because they have more to go wrong.
pub(super) fn all() -> Vec<&'static Family> {
    let sources = [
        scalars::FAMILIES,
        several::FAMILIES,
        collections::FAMILIES,
        pointers::FAMILIES,
        reuse::FAMILIES,
        blocking::FAMILIES,
        endless::FAMILIES,
    ];
    let families = sources.into_iter().flatten();
    families
        .flat_map(|f| std::iter::repeat_n(f, if f.types.contains("node ") { 4 } else { 1 }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute::{self, Limits, Verdict};

    /// Two threads with one operation each.
    fn verdict(family: &Family, object: &str) -> Verdict {
        let Family { types, spec, settings, .. } = family;
        let settings = settings.join("\n");
        let text =
            format!("{types}{object}{spec}check Obj against Abs {{\nops 1\n{settings}\n}}\n");
        match linchpin_lin::syntax::load(&text, &[]) {
            Ok(loaded) => brute::decide(&loaded.program, 0, Limits::default()).verdict(),
            Err(diagnostics) => panic!("{text}\n{diagnostics:#?}"),
        }
    }

    #[test]
    fn undamaged_objects_that_do_not_wait_hold_except_for_two() {
        let sources = [
            scalars::FAMILIES,
            several::FAMILIES,
            collections::FAMILIES,
            pointers::FAMILIES,
            reuse::FAMILIES,
            endless::FAMILIES,
        ];
        let mut wrong = Vec::new();
        for family in sources.into_iter().flatten() {
            for object in family.objects {
                match verdict(family, object) {
                    Verdict::Holds => {}
                    Verdict::NotLinearizable(_) => wrong.push(*object),
                    other => panic!("{other:?}\n{object}"),
                }
            }
        }
        assert_eq!(wrong.len(), 2, "{wrong:#?}");
        assert!(wrong[0].contains("part: [0..=9; threads]"), "{}", wrong[0]);
        assert!(wrong[1].contains("let n = new Node { key: k, next: head }"), "{}", wrong[1]);
    }

    #[test]
    fn undamaged_objects_that_wait_have_the_verdicts_they_should() {
        let word = |object: &&str, family: &Family| match verdict(family, object) {
            Verdict::Holds => "holds",
            Verdict::Deadlock => "deadlock",
            Verdict::Fault(kind) => kind.name(),
            Verdict::NotLinearizable(_) => "not linearizable",
            Verdict::TooBig => "too big",
        };
        let words: Vec<Vec<&str>> = blocking::FAMILIES
            .iter()
            .map(|family| family.objects.iter().map(|object| word(object, family)).collect())
            .collect();
        assert_eq!(
            words,
            [
                vec!["holds", "holds"],
                vec!["deadlock", "deadlock", "integer_out_of_range"],
                vec!["deadlock", "deadlock", "deadlock"],
                vec!["holds", "holds", "holds"],
                vec!["holds", "holds"],
                vec!["deadlock", "deadlock"],
            ]
        );
    }
}
