//! Tokens of the model language.

use crate::Span;

macro_rules! tokens {
    (words { $($word:ident $wtext:literal),* $(,)? } marks { $($mark:ident $mtext:literal),* $(,)? }) => {
        /// What a token is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum Tok {
            $($word,)*
            $($mark,)*
            /// A name.
            Ident,
            /// A number.
            Int,
            /// A formula in quotation marks, after `ltl`.
            Text,
            /// Something that is no token and was reported.
            Error,
            /// The end of the text; always the last token and only there.
            End,
        }

        impl Tok {
            /// The spellings of all keywords.
            pub(super) const KEYWORDS: &[&str] = &[$($wtext),*];

            /// The keyword with this spelling.
            pub(super) fn keyword(text: &str) -> Option<Tok> {
                match text { $($wtext => Some(Tok::$word),)* _ => None }
            }

            /// How it is spelled (or called, if it has many spellings).
            pub(super) fn text(self) -> &'static str {
                match self {
                    $(Tok::$word => $wtext,)*
                    $(Tok::$mark => $mtext,)*
                    Tok::Ident => "a name",
                    Tok::Int => "a number",
                    Tok::Text => "a text",
                    Tok::Error => "an error",
                    Tok::End => "the end of the file",
                }
            }

            /// Is it spelled with letters and reserved?
            pub(super) fn is_keyword(self) -> bool {
                matches!(self, $(Tok::$word)|*)
            }
        }
    };
}

tokens! {
    words {
        Op "op", Fn "fn", Var "var", Let "let", New "new", If "if", Else "else", While "while",
        Loop "loop", For "for", In "in", Break "break", Continue "continue", Return "return",
        Assert "assert", Assume "assume", Await "await", Atomic "atomic", Either "either", Or "or",
        Choose "choose", Free "free", True "true", False "false", Null "null", Empty "empty",
        SelfThread "self", Threads "threads", As "as", Match "match",
    }
    marks {
        ParenOpen "(", ParenClose ")", SquareOpen "[", SquareClose "]", BraceOpen "{",
        BraceClose "}", Comma ",", Semicolon ";", Colon ":", Dot ".", DotDot "..", DotDotEq "..=",
        Arrow "->", FatArrow "=>", Assign "=", PlusAssign "+=", MinusAssign "-=", StarAssign "*=",
        SlashAssign "/=", PercentAssign "%=", AmpAssign "&=", PipeAssign "|=", CaretAssign "^=",
        Plus "+", Minus "-", Star "*", Slash "/", Percent "%", Amp "&", Pipe "|", Caret "^",
        ShiftLeft "<<", EqEq "==", NotEq "!=", Less "<", LessEq "<=", Greater ">", GreaterEq ">=",
        Not "!", AndAnd "&&", OrOr "||", Question "?",
    }
}

/// What a token that has several meanings means where it stands; the parser knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The usual one.
    #[default]
    Plain,
    /// `-` and `!` before their operand.
    Prefix,
    /// `++` and `--` behind their place.
    Postfix,
    /// The first half of `>>`, or of `::`, which is no sign of its own.
    Half,
    /// `<` and `>` around types.
    Angle,
    /// `?` after a type.
    Optional,
    /// `?` and `:` of `c ? a : b`.
    Select,
    /// `{` and `}` around the elements of a set.
    Literal,
    /// `{` before the groups of `quasi`.
    Groups,
    /// Begins a line that belongs to the check before it.
    Continues,
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// What it is.
    pub(super) tok: Tok,
    /// Where it is.
    pub(super) span: Span,
    /// Does it begin a line in a place where line ends mean something (not in `( )` and `[ ]`)?
    pub(super) line: bool,
}
