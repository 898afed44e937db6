//! The kinds of diagnostics of CSP models. Their names are stable: a code that is no longer used is
//! not given to something else.

use linchpin_text::Code;

macro_rules! codes {
    ($($name:ident $id:literal $title:literal,)*) => {
        $(pub(crate) const $name: Code = Code { id: $id, title: $title };)*

        /// All kinds of diagnostics of this language.
        pub const ALL: &[Code] =
            &[linchpin_text::MORE_ERRORS, $($name,)* linchpin_text::MORE_WARNINGS];
    };
}

codes! {
    CHARACTER "E401" "not a token of the language",
    COMMENT "E402" "a comment or text is not closed",
    EXPECTED "E403" "something else is expected here",
    TOO_DEEP "E404" "nested too deeply",
    UNSUPPORTED "E405" "a part of the language that is not supported",
    UNKNOWN "E406" "nothing of that name",
    DUPLICATE "E407" "declared twice",
    ARGUMENTS "E408" "a wrong number of arguments or indices",
    CONSTANT "E409" "a constant is needed",
    MISUSE "E410" "a name of one kind where another kind is needed",
    CYCLE "E411" "a definition that needs itself",
    RANGE "E412" "a number outside its range",
    MISSING "E413" "a file that is not there",
    SETTING "E414" "a constant that cannot be set",
    UNUSUAL "W401" "a model that PAT reads otherwise than it looks",
    NO_EVENT "W402" "an event that no process has",
}
