//! Objects to start from: families of implementations of one specification each.
//!
//! Most implementations are right, some are wrong on purpose. The texts keep to a form that
//! mutation understands: one statement per line, `atomic {` and every closing brace on lines of
//! their own, arguments of primitives without nested commas.

mod blocking;
mod collections;
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
    let sources = [scalars::FAMILIES, several::FAMILIES, collections::FAMILIES, blocking::FAMILIES];
    let families = sources.into_iter().flatten();
    families
        .flat_map(|f| std::iter::repeat_n(f, if f.types.contains("node ") { 3 } else { 1 }))
        .collect()
}
