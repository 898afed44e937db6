//! Tokens to tree: recursive descent, one declaration after the other.
//!
//! A declaration with an error is reported once and skipped. The grammar is that of PAT's manual;
//! where PAT tries several readings (a semicolon ends a definition or joins two processes), the
//! reading is chosen by looking ahead.

mod assertion;
mod expr;
mod process;

use linchpin_text::Span;
use linchpin_text::{Code, Diagnostic, Sink};

use crate::ast::*;
use crate::codes;
use crate::lexer::{Kind, Token, tokens};
use linchpin_text::Included;

/// A declaration that cannot be read; it has been reported.
pub(crate) struct Failed;

type Parsed<T> = Result<T, Failed>;

/// The deepest nesting of processes and expressions.
const MAX_DEPTH: usize = 600;

/// The highest tree of an expression.
const MAX_HEIGHT: usize = 600;

/// Words with a meaning of their own that cannot be names of anything.
const RESERVED: &[&str] = &[
    "if",
    "ifa",
    "ifb",
    "else",
    "case",
    "default",
    "atomic",
    "interrupt",
    "while",
    "var",
    "hvar",
    "channel",
    "enum",
    "true",
    "false",
    "call",
    "new",
    "xor",
    "tau",
];

/// Adds the tree of a file, with what it includes, and what is wrong with it. Nobody reads on in a text with too
/// many errors.
pub(crate) fn parse(
    text: &str,
    all: Span,
    included: &Included,
    model: &mut Model,
    sink: &mut Sink,
) {
    let mut parser = Parser::new(text, all, std::mem::take(sink));
    parser.included = Some(included);
    parser.model = std::mem::take(model);
    while parser.peek() != Kind::End && !parser.sink.is_full() {
        if parser.declaration().is_err() {
            parser.recover();
        }
    }
    (*model, *sink) = (parser.model, parser.sink);
}

/// Explains errors in files of FDR, which have the same extension.
pub(crate) fn explain(text: &str, errors: &mut [Diagnostic]) {
    let of_fdr = |line: &str| ["--", "datatype ", "nametype "].iter().any(|s| line.starts_with(s));
    if text.lines().any(of_fdr)
        && let Some(first) = errors.first_mut()
    {
        let note = "this looks like CSPm, the language of FDR; Linchpin reads CSP#, that of PAT";
        first.notes.push(note.into());
    }
}

/// An event alone, such as `eat.(N - 1)`.
pub(crate) fn event(text: &str) -> Option<Event> {
    let mut parser = Parser::new(text, Span::new(0, text.len()), Sink::default());
    let event = parser.event().ok()?;
    (parser.peek() == Kind::End && parser.sink.errors() == 0).then_some(event)
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// Height of the expression that was read last.
    height: usize,
    /// Operators around other processes in this declaration.
    around: usize,
    sink: Sink,
    model: Model,
    /// Which files are included where.
    included: Option<&'t Included>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, all: Span, mut sink: Sink) -> Self {
        let tokens = tokens(text, all, &mut sink);
        let (model, included) = (Model::default(), None);
        Parser { text, tokens, at: 0, depth: 0, height: 0, around: 0, sink, model, included }
    }

    fn token(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> Kind {
        self.token(0).kind
    }

    fn span(&self) -> Span {
        self.token(0).span
    }

    /// The end of what was read last.
    fn since(&self, start: Span) -> Span {
        let last = self.tokens[self.at.saturating_sub(1)].span;
        if last.end >= start.start { start.to(last) } else { start }
    }

    fn word_at(&self, ahead: usize) -> Option<&'t str> {
        let token = self.token(ahead);
        (token.kind == Kind::Word).then(|| &self.text[token.span.range()])
    }

    fn is_sign(&self, ahead: usize, sign: &str) -> bool {
        matches!(self.token(ahead).kind, Kind::Sign(s) if s == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        self.word_at(0) == Some(word)
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.is_sign(0, sign);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    /// Reports what is missing.
    fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let span = self.span();
        let found = match self.peek() {
            Kind::End => "the text ends".to_string(),
            _ => format!("there is `{}`", &self.text[span.range()]),
        };
        self.error(codes::EXPECTED, span, format!("expected {what}, but {found}"))
    }

    fn error<T>(&mut self, code: Code, span: Span, message: impl Into<String>) -> Parsed<T> {
        self.sink.push(Diagnostic::error(code, span, message));
        Err(Failed)
    }

    /// Refuses a part of the language.
    fn unsupported<T>(&mut self, span: Span, what: &str, why: &str) -> Parsed<T> {
        let message = format!("{what} is not supported");
        self.sink.push(Diagnostic::error(codes::UNSUPPORTED, span, message).note(why));
        Err(Failed)
    }

    /// A name that is not a keyword.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let span = self.span();
        match self.word_at(0).map(str::to_string) {
            Some(text) if !RESERVED.contains(&text.as_str()) => {
                self.advance();
                Ok(Name { text, span })
            }
            _ => self.expected(what),
        }
    }

    fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.span();
            return self.error(codes::TOO_DEEP, span, "this is nested too deeply");
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// The expression that is read now is so high.
    fn high(&mut self, height: usize) -> Parsed<()> {
        self.height = height;
        if height > MAX_HEIGHT {
            let span = self.span();
            return self.error(codes::TOO_DEEP, span, "this is nested too deeply");
        }
        Ok(())
    }

    /// Skips to what looks like the next declaration.
    fn recover(&mut self) {
        self.depth = 0;
        while self.peek() != Kind::End {
            if self.eat(";") && self.declaration_ahead() {
                return;
            }
            if self.is_sign(0, "#") {
                return;
            }
            self.advance();
        }
    }

    /// Does a declaration begin here?
    fn declaration_ahead(&self) -> bool {
        match self.peek() {
            Kind::End | Kind::Sign("#") => true,
            Kind::Word => {
                if matches!(self.word_at(0), Some("var" | "hvar" | "channel" | "enum")) {
                    return true;
                }
                let mut ahead = 1;
                if self.is_sign(ahead, "(") {
                    while !self.is_sign(ahead, ")") {
                        if matches!(self.token(ahead).kind, Kind::End | Kind::Sign(";")) {
                            return false;
                        }
                        ahead += 1;
                    }
                    ahead += 1;
                }
                self.is_sign(ahead, "=")
            }
            _ => false,
        }
    }

    fn declaration(&mut self) -> Parsed<()> {
        self.around = 0;
        if self.eat("#") {
            return match self.word_at(0).map(str::to_string).as_deref() {
                Some("define") => self.define(),
                Some("assert") => self.assertion(),
                Some("alphabet") => self.alphabet(),
                Some("import") => {
                    self.advance();
                    let span = self.span();
                    if self.peek() != Kind::Text {
                        return self.expected("the name of a library in quotation marks");
                    }
                    let text = self.text[span.range()].trim_matches('"').to_string();
                    self.model.imports.push(Name { text, span });
                    self.advance();
                    self.expect(";")
                }
                Some("include") => {
                    self.advance();
                    let span = self.span();
                    if self.peek() != Kind::Text {
                        return self.expected("the name of a file in quotation marks");
                    }
                    self.advance();
                    self.expect(";")?;
                    let included = self.included.and_then(|i| Some((i, (*i.get(&span.start)?)?)));
                    if let Some((included, all)) = included {
                        parse(self.text, all, included, &mut self.model, &mut self.sink);
                    }
                    Ok(())
                }
                _ => self.expected("`define`, `assert`, `alphabet`, `import` or `include`"),
            };
        }
        match self.word_at(0) {
            Some("var" | "hvar") => self.variable(),
            Some("channel") => self.channel(),
            Some("enum") => self.enumeration(),
            _ => {
                if self.eat(";") {
                    return Ok(());
                }
                self.definition()
            }
        }
    }

    fn define(&mut self) -> Parsed<()> {
        self.advance();
        let name = self.name("the name of a constant or condition")?;
        let parameters = if self.parameters_ahead() { self.names()? } else { Vec::new() };
        let body = if self.is_sign(0, "{") {
            Body::Block(self.block()?)
        } else {
            Body::Expr(self.expr()?)
        };
        self.expect(";")?;
        self.model.defines.push(Define { name, parameters, body, set: false });
        Ok(())
    }

    /// Is this a list of parameters of a macro, and not an expression in parentheses?
    fn parameters_ahead(&self) -> bool {
        if !self.is_sign(0, "(") {
            return false;
        }
        let mut ahead = 1;
        while self.token(ahead).kind == Kind::Word {
            match self.token(ahead + 1).kind {
                Kind::Sign(",") => ahead += 2,
                Kind::Sign(")") => {
                    let next = self.token(ahead + 2).kind;
                    let operand = matches!(next, Kind::Number | Kind::Sign("{" | "(" | "!"));
                    let word = self.word_at(ahead + 2).is_some_and(|w| w != "xor");
                    return operand || word;
                }
                _ => return false,
            }
        }
        false
    }

    fn names(&mut self) -> Parsed<Vec<Name>> {
        self.expect("(")?;
        let mut names = vec![self.name("a parameter")?];
        while self.eat(",") {
            names.push(self.name("a parameter")?);
        }
        self.expect(")")?;
        Ok(names)
    }

    fn enumeration(&mut self) -> Parsed<()> {
        self.advance();
        self.expect("{")?;
        let mut next = 0;
        while !self.eat("}") {
            let name = self.name("the name of a constant")?;
            let body = Body::Expr(Expr { kind: ExprKind::Int(next), span: name.span });
            self.model.defines.push(Define { name, parameters: Vec::new(), body, set: false });
            next += 1;
            if !self.eat(",") {
                self.expect("}")?;
                break;
            }
        }
        self.expect(";")
    }

    fn variable(&mut self) -> Parsed<()> {
        let hidden = self.is_word("hvar");
        self.advance();
        let collection = if self.eat("<") {
            let name = self.name("the name of a type")?;
            self.expect(">")?;
            Some(name)
        } else {
            None
        };
        let name = self.name("the name of a variable")?;
        let mut sizes = Vec::new();
        while self.eat("[") {
            sizes.push(self.expr()?);
            self.expect("]")?;
        }
        let range = self.value_range()?;
        let initial = if self.eat("=") {
            let span = self.span();
            match self.eat("*") {
                true => Some(Initial::Any(span)),
                false => Some(self.initial()?),
            }
        } else {
            None
        };
        self.expect(";")?;
        self.model.variables.push(Variable { name, hidden, collection, sizes, range, initial });
        Ok(())
    }

    /// `:{0..5}`
    fn value_range(&mut self) -> Parsed<Option<Bounds>> {
        if !self.eat(":") {
            return Ok(None);
        }
        self.expect("{")?;
        let low = if self.is_sign(0, "..") { None } else { Some(self.additive()?) };
        self.expect("..")?;
        let high = if self.is_sign(0, "}") { None } else { Some(self.additive()?) };
        self.expect("}")?;
        Ok(Some((low, high)))
    }

    /// An initial value: an expression, or `[1(2), 3..6]`.
    fn initial(&mut self) -> Parsed<Initial> {
        let start = self.span();
        if !self.is_sign(0, "[") {
            return Ok(Initial::Value(self.expr()?));
        }
        let elements = self.elements()?;
        Ok(Initial::Array(elements, self.since(start)))
    }

    /// `[1(2), 3..6]`
    fn elements(&mut self) -> Parsed<Vec<Element>> {
        self.expect("[")?;
        let mut elements = Vec::new();
        if self.eat("]") {
            return Ok(elements);
        }
        let mut highest = 0;
        loop {
            let value = self.expr()?;
            highest = highest.max(self.height);
            elements.push(if self.eat("..") {
                Element::Range(value, self.expr()?)
            } else if self.eat("(") {
                let times = self.expr()?;
                self.expect(")")?;
                Element::Times(value, Some(times))
            } else {
                Element::Times(value, None)
            });
            if !self.eat(",") {
                break;
            }
        }
        self.expect("]")?;
        self.high(highest + 1)?;
        Ok(elements)
    }

    fn channel(&mut self) -> Parsed<()> {
        self.advance();
        let name = self.name("the name of a channel")?;
        let count = if self.eat("[") {
            let count = self.additive()?;
            self.expect("]")?;
            Some(count)
        } else {
            None
        };
        let size = if self.is_sign(0, ";") {
            Expr { kind: ExprKind::Int(0), span: name.span }
        } else {
            self.additive()?
        };
        self.expect(";")?;
        self.model.channels.push(Channel { name, count, size });
        Ok(())
    }

    fn alphabet(&mut self) -> Parsed<()> {
        self.advance();
        let process = self.name("the name of a process")?;
        if self.eat("(") {
            // Parameters are those of the definition; PAT does not repeat them, some authors do.
            while !self.eat(")") {
                if self.peek() == Kind::End {
                    return self.expected("`)`");
                }
                self.advance();
            }
        }
        let events = self.event_sets()?;
        self.expect(";")?;
        self.model.alphabets.push(Alphabet { process, events });
        Ok(())
    }

    fn definition(&mut self) -> Parsed<()> {
        let name = self.name("a declaration")?;
        let mut parameters = Vec::new();
        if self.eat("(") && !self.eat(")") {
            loop {
                let name = self.name("a parameter")?;
                let range = self.value_range()?;
                parameters.push((name, range));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        self.expect("=")?;
        let body = self.process()?;
        self.expect(";")?;
        self.model.processes.push(Definition { name, parameters, body });
        Ok(())
    }
}
