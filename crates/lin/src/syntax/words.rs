//! The words of the language that mean something of themselves, for whoever colours or completes.

use super::elaborate::{BUILTIN_TYPES, METHODS, PRIMITIVES};
use super::parse::{CONDITIONS, SETTINGS};
use super::token::Tok;

/// Words that cannot be names.
pub const KEYWORDS: &[&str] = Tok::KEYWORDS;
/// Words that begin a declaration, or belong to one, and are names elsewhere.
pub const DECLARING: &[&str] = &[
    "object", "spec", "check", "against", "init", "const", "param", "type", "data", "enum",
    "struct", "node", "memory", "use",
];
/// What follows `memory`.
pub const MEMORIES: &[&str] = &["gc", "manual", "stable"];
/// Names of types that are always there.
pub const TYPES: &[&str] = &BUILTIN_TYPES;
/// Atomic primitives.
pub const PRIMITIVE_CALLS: &[&str] = &PRIMITIVES;
/// Methods of collections and options.
pub const METHOD_NAMES: &[&str] = &METHODS;
/// What a check can ask for.
pub const CONDITION_NAMES: &[&str] = &CONDITIONS;
/// Settings of a check.
pub const SETTING_NAMES: &[&str] = &SETTINGS;
/// Other words that mean something in a check: in settings, after `expect`, or in scripts.
pub const CHECK_WORDS: &[&str] = &[
    "itself",
    "weak",
    "unbounded",
    "fresh",
    "script",
    "repeat",
    "some",
    "holds",
    "violated",
    "deadlock",
    "fault",
];
/// A statement of objects that is a word.
pub const POINT: &str = "point";
/// One of specifications.
pub const MEET: &str = "meet";

/// Words that mean something unless they are declared: `None` is `empty`, `Some(x)` is `x` as an option; and `depth`, in the
/// head of a procedure, `any` and `order`, in the head of a `for`.
pub const UNLESS_DECLARED: &[&str] = &["None", "Some", "depth", "any", "order"];

/// Can the word be the name of something?
pub fn is_name(word: &str) -> bool {
    let mut chars = word.chars();
    let first = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    first
        && word != "_"
        && chars.all(|c| c.is_alphanumeric() || c == '_')
        && Tok::keyword(word).is_none()
}
