//! The kinds of diagnostics of the model language. Their names are stable: a code that is no
//! longer used is not given to something else.

use linchpin_text::Code;

macro_rules! codes {
    ($($name:ident $id:literal $title:literal,)*) => {
        $(pub(super) const $name: Code = Code { id: $id, title: $title };)*

        /// All kinds of diagnostics of this language, those about reading the file included.
        pub const ALL: &[Code] = &[
            linchpin_text::MORE_ERRORS,
            linchpin_text::TOO_LARGE,
            linchpin_text::BINARY,
            $($name,)*
            linchpin_text::MORE_WARNINGS,
        ];
    };
}

codes! {
    CHARACTER "E010" "not a token of the language",
    COMMENT "E011" "a comment is not closed",
    EXPECTED "E012" "something else is expected here",
    KEYWORD "E013" "a keyword is used as a name",
    UNCLOSED "E014" "a bracket is not closed",
    TOO_DEEP "E015" "nested too deeply",
    CHAINED "E016" "comparisons cannot be chained",
    CONDITION "E017" "`=` where `==` is meant",
    MISPLACED "E018" "a declaration or statement in the wrong place",
    UNKNOWN_SETTING "E019" "no such setting of a check",
    DUPLICATE "E020" "declared twice",
    UNKNOWN_NAME "E021" "no variable, constant or value of that name",
    UNKNOWN_TYPE "E022" "no type of that name",
    UNKNOWN_PROC "E023" "no procedure of that name",
    UNKNOWN_FIELD "E024" "no such field or part",
    UNKNOWN_METHOD "E025" "no such method",
    AMBIGUOUS "E026" "a name that means several things",
    CYCLE "E027" "a declaration that needs itself",
    RECURSION "E028" "procedures call themselves",
    LABEL "E029" "no such loop",
    MISMATCH "E030" "a value of the wrong type",
    NO_TYPE "E031" "the type cannot be told",
    ARITY "E032" "the wrong number of arguments",
    OPAQUE "E033" "opaque values cannot be computed with or ordered",
    NO_VALUE "E034" "something without a value is used as one",
    NOT_CONSTANT "E035" "not a constant",
    CONSTANT_FAULT "E036" "a constant that cannot be computed",
    RANGE "E037" "a number outside of its range",
    TOO_LARGE "E038" "a type with too many parts",
    NOT_A_PLACE "E039" "not a place that can be written",
    NOT_SHARED "E040" "an atomic primitive needs a shared place",
    WHOLE_ARRAY "E041" "an array is read or written as a whole outside of `atomic`",
    LOCK_VALUE "E042" "a lock is used as a value",
    TYPE_PLACE "E043" "a type that is not allowed here",
    ONLY_OBJECTS "E044" "something only code of objects can do",
    INIT "E046" "something `init` cannot do",
    FREE_GC "E047" "`free` under garbage collection",
    SIGNATURE "E048" "a type that operations cannot take or return",
    MISSING_RETURN "E049" "not every path returns a value",
    RETURN_VALUE "E050" "a `return` with or without value where the other is needed",
    SCRIPT "E051" "something a script cannot do",
    UNKNOWN_UNIT "E060" "no object or specification of that name",
    UNKNOWN_OP "E061" "no operation of that name",
    DISAGREE "E062" "object and specification do not agree",
    SETTING "E063" "a setting that makes no sense",
    NEEDS_VALUES "E064" "the values of a parameter have to be given",
    DOMAIN_LARGE "E065" "too many values for a parameter",
    DOMAIN_TYPE "E066" "a parameter whose values cannot be listed",
    OVERRIDE "E067" "a parameter given from outside is wrong",
    UNKNOWN_CONDITION "E068" "no such condition",
    RESULT "E069" "a result that the operation never has",
    FORMULA "E070" "a formula that cannot be understood",
    HABIT "E071" "something that is written in another way here",
    MATCH "E072" "a `match` that does not meet every value",
    MISSING "E073" "a file that is not there",
    MEET "E074" "a `meet` in the wrong place",
    WATCH "E080" "a watched expression that does more than read",
    NOT_NOW "E081" "a watched variable that is not there at this moment",
    UNREACHABLE "W001" "code that is never reached",
    UNUSED "W002" "declared and never used",
    SHADOWS "W003" "a local variable hides a shared one",
    SURE_FAULT "W004" "a statement that always fails",
    NO_EFFECT "W005" "a statement without effect",
    UNCHECKED "W006" "an object or specification without check",
    NO_POINTS "W007" "points are asked for and none is marked",
    NO_MEET "W008" "operations could take effect together and none says `meet`",
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn every_code_is_given_once() {
        let mut ids: Vec<_> = ALL.iter().map(|c| c.id).collect();
        ids.sort_unstable();
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    }
}
