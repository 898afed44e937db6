//! Formulas as text.
//!
//! Operators: `[]` or `G`, `<>` or `F`, `X`, `!`; `U`, `R` or `V`, `W`; `&&`, `||`, `->`, `<->` (also
//! `/\`, `\/`). Everything else is a name: an event such as `eat.0`, `eat.(N-1)`, `c!5` or, in
//! quotation marks, any text; or a condition. What a name means is up to the caller.
//!
//! **How tightly operators bind** is not the same everywhere ([`Precedence`]). PAT hands the text to
//! its copy of ltl2ba (P. Gastin, D. Oddoux), which knows two levels: `U`, `V`, `R` bind tightest
//! after the prefix operators, and `&&`, `||`, `->`, `<->` all bind alike, from left to right. So
//! `a -> b && c` is `(a -> b) && c` there. A caller that accepts such formulas should tell its users
//! when the two readings differ: parse it both ways and compare.

use crate::formula::Formula;

/// How tightly operators bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precedence {
    /// From the loosest: `<->`, `->` (to the right), `||`, `&&`, then `U R W` (to the right).
    Usual,
    /// As PAT does: `&& || -> <->` alike, to the left; then `U R V W`, to the left.
    Pat,
}

/// Why a text is not a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// A sentence.
    pub message: String,
    /// Where in the text: bytes from, to.
    pub at: (u32, u32),
}

/// Meaning of names: a formula, or a sentence why there is none.
pub type Resolve<'r> = dyn FnMut(&str) -> Result<Formula, String> + 'r;

/// The formula that a text stands for. `resolve` is asked for every name, once per occurrence;
/// names are given without quotation marks and without spaces.
pub fn parse(
    text: &str,
    precedence: Precedence,
    resolve: &mut Resolve<'_>,
) -> Result<Formula, ParseError> {
    let tokens = scan(text)?;
    if let Some(token) = tokens.get(LONGEST) {
        return Err(ParseError { message: "this formula is too long".into(), at: token.at });
    }
    let mut parser =
        Parser { tokens, next: 0, end: text.len() as u32, precedence, resolve, depth: 0 };
    let formula = parser.formula(0)?;
    match parser.tokens.get(parser.next) {
        None => Ok(formula),
        Some(token) => {
            let message = match token.kind {
                Kind::Close => "there is no opening parenthesis for this one",
                _ => "an operator is missing before this",
            };
            Err(ParseError { message: message.into(), at: token.at })
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binary {
    And,
    Or,
    Implies,
    Equals,
    Until,
    Release,
    WeakUntil,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Open,
    Close,
    Not,
    Next,
    Always,
    Eventually,
    Binary(Binary),
    Name(String),
}

#[derive(Clone, Debug)]
struct Token {
    kind: Kind,
    at: (u32, u32),
}

const SYMBOLS: [(&str, Kind); 12] = [
    ("<->", Kind::Binary(Binary::Equals)),
    ("[]", Kind::Always),
    ("<>", Kind::Eventually),
    ("&&", Kind::Binary(Binary::And)),
    ("/\\", Kind::Binary(Binary::And)),
    ("||", Kind::Binary(Binary::Or)),
    ("\\/", Kind::Binary(Binary::Or)),
    ("->", Kind::Binary(Binary::Implies)),
    ("=>", Kind::Binary(Binary::Implies)),
    ("(", Kind::Open),
    (")", Kind::Close),
    ("!", Kind::Not),
];

fn word(text: &str) -> Kind {
    match text {
        "G" => Kind::Always,
        "F" => Kind::Eventually,
        "X" => Kind::Next,
        "U" => Kind::Binary(Binary::Until),
        "R" | "V" => Kind::Binary(Binary::Release),
        "W" => Kind::Binary(Binary::WeakUntil),
        name => Kind::Name(name.into()),
    }
}

fn scan(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut tokens = Vec::new();
    let mut from = 0;
    while let Some(first) = text[from..].chars().next() {
        let rest = &text[from..];
        let (kind, length) = match () {
            () if first.is_whitespace() => {
                from += first.len_utf8();
                continue;
            }
            () if first == '"' => match rest[1..].find('"') {
                Some(length) => (Kind::Name(rest[1..=length].into()), length + 2),
                None => {
                    let message = "this quotation mark is not closed".into();
                    return Err(ParseError { message, at: (from as u32, from as u32 + 1) });
                }
            },
            () if is_name(first) => {
                let length = name(rest);
                let plain: String = rest[..length].chars().filter(|c| !c.is_whitespace()).collect();
                (word(&plain), length)
            }
            () => match SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
                Some((symbol, kind)) => (kind.clone(), symbol.len()),
                None => {
                    let message = format!("`{first}` has no meaning in a formula");
                    let at = (from as u32, (from + first.len_utf8()) as u32);
                    return Err(ParseError { message, at });
                }
            },
        };
        tokens.push(Token { kind, at: (from as u32, (from + length) as u32) });
        from += length;
    }
    Ok(tokens)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the name that a text begins with: a word, then parts after `.`, `!` or `?`, each a
/// word, a number, possibly negative, or an expression in parentheses.
fn name(text: &str) -> usize {
    let word = |from: usize| {
        let rest = &text[from..];
        from + rest.find(|c| !is_name(c)).unwrap_or(rest.len())
    };
    let mut end = word(0);
    loop {
        let Some(mark) = text[end..].chars().next().filter(|c| ".!?".contains(*c)) else {
            return end;
        };
        let from = end + mark.len_utf8();
        let negative = text[from..].starts_with('-');
        let begin = from + usize::from(negative);
        let part = match text[begin..].chars().next() {
            Some(c) if is_name(c) => word(begin),
            Some('(') => match closing(&text[begin..]) {
                Some(length) => begin + length,
                None => return end,
            },
            _ => return end,
        };
        end = part;
    }
}

/// The length of the parenthesis that a text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(i + 1);
        }
    }
    None
}

/// Formulas nested deeper than this are refused, so that the stack does not overflow.
const DEEPEST: u32 = 200;

/// Formulas of more words than this are refused, for the same reason.
const LONGEST: usize = 2_000;

struct Parser<'p, 'r> {
    tokens: Vec<Token>,
    next: usize,
    end: u32,
    precedence: Precedence,
    resolve: &'p mut Resolve<'r>,
    depth: u32,
}

impl Parser<'_, '_> {
    /// How tightly an operator binds, and whether it takes what is right of it first.
    fn strength(&self, operator: Binary) -> (u32, bool) {
        let temporal = matches!(operator, Binary::Until | Binary::Release | Binary::WeakUntil);
        match (self.precedence, operator) {
            (Precedence::Pat, _) => (1 + u32::from(temporal), false),
            (_, Binary::Equals) => (1, false),
            (_, Binary::Implies) => (2, true),
            (_, Binary::Or) => (3, false),
            (_, Binary::And) => (4, false),
            _ => (5, true),
        }
    }

    /// A formula of operators that bind at least that tightly.
    fn formula(&mut self, least: u32) -> Result<Formula, ParseError> {
        self.depth += 1;
        let mut left = self.prefix()?;
        while let Some(Token { kind: Kind::Binary(operator), .. }) = self.tokens.get(self.next) {
            let operator = *operator;
            let (strength, right) = self.strength(operator);
            if strength < least {
                break;
            }
            self.next += 1;
            let other = self.formula(if right { strength } else { strength + 1 })?;
            left = match operator {
                Binary::And => left.and(other),
                Binary::Or => left.or(other),
                Binary::Implies => left.implies(other),
                Binary::Equals => left.equals(other),
                Binary::Until => left.until(other),
                Binary::Release => left.release(other),
                Binary::WeakUntil => left.weak_until(other),
            };
        }
        self.depth -= 1;
        Ok(left)
    }

    /// A name, a parenthesis, or one of these after prefix operators.
    fn prefix(&mut self) -> Result<Formula, ParseError> {
        let Some(token) = self.tokens.get(self.next).cloned() else {
            let message = "the formula ends where an operand is expected".into();
            return Err(ParseError { message, at: (self.end, self.end) });
        };
        self.next += 1;
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = "this formula is nested too deeply".into();
            return Err(ParseError { message, at: token.at });
        }
        let formula = match token.kind {
            Kind::Not => self.prefix()?.not(),
            Kind::Next => self.prefix()?.next(),
            Kind::Always => self.prefix()?.always(),
            Kind::Eventually => self.prefix()?.eventually(),
            Kind::Open => {
                let inner = self.formula(0)?;
                match self.tokens.get(self.next) {
                    Some(Token { kind: Kind::Close, .. }) => self.next += 1,
                    _ => {
                        let message = "this parenthesis is not closed".into();
                        return Err(ParseError { message, at: token.at });
                    }
                }
                inner
            }
            Kind::Name(name) => match name.as_str() {
                "true" => Formula::True,
                "false" => Formula::False,
                name => {
                    (self.resolve)(name).map_err(|message| ParseError { message, at: token.at })?
                }
            },
            Kind::Close | Kind::Binary(_) => {
                let message = "an operand is missing before this".into();
                return Err(ParseError { message, at: token.at });
            }
        };
        self.depth -= 1;
        Ok(formula)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, precedence: Precedence) -> String {
        let mut resolve = |name: &str| match name {
            "nobody" => Err("there is no `nobody`".into()),
            "full" => Ok(Formula::condition(0)),
            name => Ok(Formula::event(name)),
        };
        match parse(text, precedence, &mut resolve) {
            Ok(formula) => formula.to_string(),
            Err(error) => format!("{}..{} {}", error.at.0, error.at.1, error.message),
        }
    }

    #[test]
    fn operators_bind_as_usual_or_as_in_pat() {
        for (text, usual, pat) in [
            ("[]<>a", "[] <> a", "[] <> a"),
            ("G F a.0", "[] <> a.0", "[] <> a.0"),
            ("[] a U b", "([] a U b)", "([] a U b)"),
            ("a && b || c", "((a && b) || c)", "((a && b) || c)"),
            ("a || b && c", "(a || (b && c))", "((a || b) && c)"),
            ("a -> b && c", "(!a || (b && c))", "((!a || b) && c)"),
            ("a -> b -> c", "(!a || (!b || c))", "(!(!a || b) || c)"),
            ("a U b U c", "(a U (b U c))", "((a U b) U c)"),
            ("a V b && c", "((a R b) && c)", "((a R b) && c)"),
            ("!a /\\ X full", "(!a && X #0)", "(!a && X #0)"),
            ("a <-> true", "((a && true) || (!a && !true))", "((a && true) || (!a && !true))"),
        ] {
            assert_eq!(read(text, Precedence::Usual), usual, "{text}");
            assert_eq!(read(text, Precedence::Pat), pat, "{text}");
        }
    }

    #[test]
    fn names_of_events_are_those_of_process_languages() {
        for (text, meaning) in [
            ("eat.0", "eat.0"),
            ("[]!eat.-1.x", "[] !eat.-1.x"),
            ("<>get.(N - 1).0", "<> get.(N-1).0"),
            ("[](c!5 -> <>c?5)", "[] (!c!5 || <> c?5)"),
            ("p&&!q", "(p && !q)"),
            ("p!q", "p!q"),
            ("<> \"T1: push (a)\"", "<> T1: push (a)"),
            ("Get U Up", "(Get U Up)"),
            ("(a)", "a"),
        ] {
            assert_eq!(read(text, Precedence::Pat), meaning, "{text}");
        }
    }

    #[test]
    fn what_is_not_a_formula_is_refused_with_its_place() {
        for (text, error) in [
            ("", "0..0 the formula ends where an operand is expected"),
            ("[] ", "3..3 the formula ends where an operand is expected"),
            ("(a", "0..1 this parenthesis is not closed"),
            ("a)", "1..2 there is no opening parenthesis for this one"),
            ("a b", "2..3 an operator is missing before this"),
            ("a && || b", "5..7 an operand is missing before this"),
            ("a & b", "2..3 `&` has no meaning in a formula"),
            ("[] nobody", "3..9 there is no `nobody`"),
            ("\"a", "0..1 this quotation mark is not closed"),
            ("x = 1", "2..3 `=` has no meaning in a formula"),
        ] {
            assert_eq!(read(text, Precedence::Usual), error, "{text}");
        }
        let deep = "!".repeat(1_000);
        assert!(read(&deep, Precedence::Usual).ends_with("nested too deeply"));
        let deep = "(".repeat(1_000);
        assert!(read(&deep, Precedence::Usual).ends_with("nested too deeply"));
        let deep = "a U ".repeat(900);
        assert!(read(&deep, Precedence::Usual).ends_with("nested too deeply"));
        let long = "a && ".repeat(10_000);
        assert!(read(&long, Precedence::Usual).ends_with("too long"));
    }
}
