//! C# tokens to tree: files, classes, members and types.
//!
//! What is outside of the small language is refused by its name, where it stands. A member with an error is reported
//! once and skipped.

mod expr;
mod statement;

use linchpin_text::{Code, Diagnostic, Sink, Span};

use super::lexer::tokens;
use super::tree::*;
use crate::ast::Name;
use crate::codes;
use crate::lexer::{Kind, Token};

/// A member that cannot be read; it has been reported.
pub(super) struct Failed;

pub(super) type Parsed<T> = Result<T, Failed>;

/// The deepest nesting of statements and expressions.
const MAX_DEPTH: usize = 100;

/// Words of C# that are not names. Those with a meaning here are looked for before.
const RESERVED: &[&str] = &[
    "abstract",
    "as",
    "base",
    "bool",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "checked",
    "class",
    "const",
    "continue",
    "decimal",
    "default",
    "delegate",
    "do",
    "double",
    "else",
    "enum",
    "event",
    "explicit",
    "extern",
    "false",
    "finally",
    "fixed",
    "float",
    "for",
    "foreach",
    "goto",
    "if",
    "implicit",
    "in",
    "int",
    "interface",
    "internal",
    "is",
    "lock",
    "long",
    "namespace",
    "new",
    "null",
    "object",
    "operator",
    "out",
    "override",
    "params",
    "private",
    "protected",
    "public",
    "readonly",
    "ref",
    "return",
    "sbyte",
    "sealed",
    "short",
    "sizeof",
    "stackalloc",
    "static",
    "string",
    "struct",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "uint",
    "ulong",
    "unchecked",
    "unsafe",
    "ushort",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
];

/// Methods of every object that PAT needs and Linchpin does not: objects are values here.
const OF_VALUES: &[&str] = &["GetClone", "ToString", "ExpressionID", "Equals", "GetHashCode"];

/// The classes of a file, which is at `all` among the files.
pub(super) fn parse(text: &str, all: Span, sink: &mut Sink) -> Vec<Class> {
    let tokens = tokens(text, all, sink);
    let mut parser = Parser { text, tokens, at: 0, depth: 0, sink, classes: Vec::new() };
    let _ = parser.file();
    parser.classes
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    sink: &'t mut Sink,
    classes: Vec<Class>,
}

impl<'t> Parser<'t> {
    fn token(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> Kind {
        self.token(0).kind
    }

    fn span(&self) -> Span {
        self.token(0).span
    }

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
        let found = self.word_at(0) == Some(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

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

    /// Refuses a part of C#.
    fn unsupported<T>(&mut self, span: Span, what: &str) -> Parsed<T> {
        let message = format!("{what} is not supported in C# code");
        let note = "Linchpin knows methods on int, bool, int[] and List<int>, and classes with such fields";
        self.sink.push(Diagnostic::error(codes::UNSUPPORTED, span, message).note(note));
        Err(Failed)
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.word_at(0) {
            Some(text) if !RESERVED.contains(&text) => {
                let name = Name { text: text.to_string(), span: self.span() };
                self.advance();
                Ok(name)
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

    /// `A.B.C`: the last name, and where all of it is.
    fn path(&mut self, what: &str) -> Parsed<(Name, Span)> {
        let start = self.span();
        let mut name = self.name(what)?;
        while self.is_sign(0, ".") {
            self.advance();
            name = self.name(what)?;
        }
        Ok((name, self.since(start)))
    }

    /// A file, or what is inside of a namespace.
    fn file(&mut self) -> Parsed<()> {
        while self.peek() != Kind::End && !self.is_sign(0, "}") {
            if self.eat_word("using") {
                let start = self.span();
                self.path("the name of a namespace")?;
                if self.is_sign(0, "=") {
                    return self.unsupported(start, "another name for a type");
                }
                self.expect(";")?;
            } else if self.eat_word("namespace") {
                self.path("the name of a namespace")?;
                if !self.eat(";") {
                    self.expect("{")?;
                    self.deeper(Self::file)?;
                    self.expect("}")?;
                    self.eat(";");
                }
            } else {
                self.class()?;
            }
        }
        if self.depth == 0 && self.peek() != Kind::End {
            return self.expected("a class");
        }
        Ok(())
    }

    /// The words before a declaration.
    fn modifiers(&mut self) -> Parsed<Vec<(&'t str, Span)>> {
        let mut modifiers = Vec::new();
        if self.is_sign(0, "[") {
            let span = self.span();
            return self.unsupported(span, "an attribute");
        }
        while let Some(word) = self.word_at(0) {
            let span = self.span();
            match word {
                "public" | "private" | "protected" | "internal" | "static" | "sealed" | "const"
                | "readonly" | "override" | "virtual" | "new" => modifiers.push((word, span)),
                "abstract" | "extern" | "unsafe" | "volatile" | "partial" | "async" | "event"
                | "delegate" | "implicit" | "explicit" => {
                    return self.unsupported(span, &format!("`{word}`"));
                }
                _ => break,
            }
            self.advance();
        }
        Ok(modifiers)
    }

    fn class(&mut self) -> Parsed<()> {
        self.modifiers()?;
        let span = self.span();
        if let Some(word @ ("struct" | "enum" | "interface" | "record")) = self.word_at(0) {
            return self.unsupported(span, &format!("`{word}`"));
        }
        if !self.eat_word("class") {
            return self.expected("a class");
        }
        let name = self.name("the name of a class")?;
        if self.is_sign(0, "<") {
            let span = self.span();
            return self.unsupported(span, "a generic class");
        }
        let mut class =
            Class { name, value: false, fields: Vec::new(), methods: Vec::new(), identity: None };
        if self.eat(":") {
            let (base, span) = self.path("the name of a class")?;
            if base.text != "ExpressionValue" || self.is_sign(0, ",") || self.is_sign(0, "<") {
                return self.unsupported(span, "a base class other than `ExpressionValue`");
            }
            class.value = true;
        }
        self.expect("{")?;
        while !self.eat("}") {
            if self.peek() == Kind::End {
                return self.expected("`}`");
            }
            let (start, depth) = (self.at, self.depth);
            if self.member(&mut class).is_err() {
                self.at = start;
                self.depth = depth;
                self.skip_member();
            }
        }
        self.eat(";");
        self.classes.push(class);
        Ok(())
    }

    /// Goes on behind a member: after its semicolon, or after its braces.
    fn skip_member(&mut self) {
        let mut open = 0usize;
        loop {
            match self.peek() {
                Kind::End => return,
                Kind::Sign("{") => open += 1,
                Kind::Sign("}") if open == 0 => return,
                Kind::Sign("}") => open -= 1,
                _ => {}
            }
            let ends = matches!(self.peek(), Kind::Sign(";" | "}")) && open == 0;
            self.advance();
            if ends {
                return;
            }
        }
    }

    fn member(&mut self, class: &mut Class) -> Parsed<()> {
        if self.eat(";") {
            return Ok(());
        }
        let start = self.span();
        let modifiers = self.modifiers()?;
        let has = |word: &str| modifiers.iter().any(|m| m.0 == word);
        for word in ["class", "struct", "enum", "interface"] {
            if self.word_at(0) == Some(word) {
                let span = self.span();
                return self.unsupported(span, &format!("a {word} inside of a class"));
            }
        }
        // What PAT needs to copy, compare and show objects.
        let known = (0..3).find(|&i| self.word_at(i).is_some_and(|w| OF_VALUES.contains(&w)));
        if let Some(i) = known
            && (has("override") || self.word_at(i) == Some("GetClone"))
        {
            let identity = self.word_at(i) == Some("ExpressionID");
            self.skip_member();
            if identity {
                class.identity = Some(self.since(start));
            }
            return Ok(());
        }
        if has("override") {
            return self.unsupported(start, "`override` of this member");
        }
        let constructor = self.word_at(0) == Some(&class.name.text) && self.is_sign(1, "(");
        let result = if constructor { TypeName::Void } else { self.ty()? };
        if self.word_at(0) == Some("operator") {
            let span = self.span();
            return self.unsupported(span, "an operator");
        }
        let name = self.name("the name of a field or method")?;
        if self.is_sign(0, "<") {
            let span = self.span();
            return self.unsupported(span, "a generic method");
        }
        if self.is_sign(0, "{") || self.is_sign(0, "=>") {
            return self.unsupported(name.span, "a property");
        }
        if !self.is_sign(0, "(") {
            let storage = match has("const") || has("static") && has("readonly") {
                true => Storage::Constant,
                false if has("static") => {
                    return self.unsupported(name.span, "a static field that can change");
                }
                false => Storage::Object,
            };
            return self.fields(class, result, name, storage);
        }
        let role = match (constructor, has("static")) {
            (true, true) => return self.unsupported(name.span, "a static constructor"),
            (true, false) => Role::Constructor,
            (false, true) => Role::Static,
            (false, false) => Role::Method,
        };
        let parameters = self.parameters()?;
        let first = if constructor && self.eat(":") {
            let span = self.span();
            if self.eat_word("base") && self.is_sign(0, "(") && self.is_sign(1, ")") {
                self.advance();
                self.advance();
                None
            } else if self.eat_word("this") {
                self.expect("(")?;
                Some((self.arguments()?, self.since(span)))
            } else {
                return self.unsupported(span, "`base` with arguments");
            }
        } else {
            None
        };
        let body = if self.eat("=>") {
            let span = self.span();
            let e = self.expr()?;
            self.expect(";")?;
            let kind = match result {
                TypeName::Void => StmtKind::Expr(e),
                _ => StmtKind::Return(Some(e)),
            };
            vec![Stmt { kind, span }]
        } else {
            self.block()?
        };
        let end = self.tokens[self.at.saturating_sub(1)].span;
        class.methods.push(Method { name, role, parameters, result, first, body, end });
        Ok(())
    }

    /// `x = 1, y;`
    fn fields(
        &mut self,
        class: &mut Class,
        ty: TypeName,
        first: Name,
        storage: Storage,
    ) -> Parsed<()> {
        let mut name = first;
        loop {
            let initial = if self.eat("=") { Some(self.initial()?) } else { None };
            class.fields.push(Field { name, ty: ty.clone(), initial, storage });
            if !self.eat(",") {
                return self.expect(";");
            }
            name = self.name("the name of a field")?;
        }
    }

    fn parameters(&mut self) -> Parsed<Vec<(Name, TypeName)>> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        if self.eat(")") {
            return Ok(parameters);
        }
        loop {
            let span = self.span();
            if let Some(word @ ("ref" | "out" | "params" | "in" | "this")) = self.word_at(0) {
                return self.unsupported(span, &format!("a parameter with `{word}`"));
            }
            let ty = self.ty()?;
            let name = self.name("the name of a parameter")?;
            if self.is_sign(0, "=") {
                return self.unsupported(name.span, "a parameter with a default value");
            }
            parameters.push((name, ty));
            if !self.eat(",") {
                self.expect(")")?;
                return Ok(parameters);
            }
        }
    }

    /// A type.
    fn ty(&mut self) -> Parsed<TypeName> {
        let start = self.span();
        let word = self.word_at(0).unwrap_or("");
        let simple = match word {
            "void" => Some(TypeName::Void),
            "int" => Some(TypeName::Int),
            "bool" => Some(TypeName::Bool),
            "var" => Some(TypeName::Var),
            _ if RESERVED.contains(&word) && word != "this" => {
                return self.unsupported(start, &format!("the type `{word}`"));
            }
            _ => None,
        };
        let ty = match simple {
            Some(ty) => {
                self.advance();
                ty
            }
            None => {
                let (name, span) = self.path("a type")?;
                match name.text.as_str() {
                    "Int32" => TypeName::Int,
                    "Boolean" => TypeName::Bool,
                    "List" if self.is_sign(0, "<") => {
                        let int = matches!(self.word_at(1), Some("int" | "Int32"));
                        if !(int && self.is_sign(2, ">")) {
                            return self.unsupported(span, "a list of anything but `int`");
                        }
                        (0..3).for_each(|_| self.advance());
                        TypeName::List
                    }
                    _ if self.is_sign(0, "<") => {
                        return self.unsupported(span, &format!("the type `{}`", name.text));
                    }
                    _ => TypeName::Class(name),
                }
            }
        };
        if self.is_sign(0, "?") {
            return self.unsupported(start, "a type with `?`");
        }
        if !self.is_sign(0, "[") || !(self.is_sign(1, "]") || self.is_sign(1, ",")) {
            return Ok(ty);
        }
        let several = self.is_sign(1, ",") || self.is_sign(2, "[") && self.is_sign(3, "]");
        if ty != TypeName::Int || several {
            let span = start.to(self.token(1).span);
            return self.unsupported(span, "an array other than `int[]`");
        }
        self.advance();
        self.advance();
        Ok(TypeName::Ints)
    }
}
