//! Declarations: what stands at the top of a file, and the members of objects and specifications.

use crate::Span;
use crate::program::Memory;

use super::{Failed, Parsed, Parser};
use crate::syntax::ast::{Decl, DeclKind, Field, File, Proc, Unit, VarDecl, Variant};
use crate::syntax::codes;
use crate::syntax::token::Tok;
use linchpin_text::Diagnostic;

/// Words that begin a member.
const MEMBERS: [&str; 11] =
    ["var", "op", "fn", "init", "memory", "const", "type", "data", "enum", "struct", "node"];

impl<'a> Parser<'a, '_> {
    pub(super) fn file(&mut self) -> File<'a> {
        let mut file = File::default();
        loop {
            while self.eat(Tok::Semicolon) {}
            if self.peek() == Tok::End {
                return file;
            }
            let before = self.at;
            self.begin = before;
            if self.item(&mut file).is_err() {
                self.incomplete = true;
                self.skip_to_item();
            }
            if self.at == before {
                self.bump();
            }
        }
    }

    fn item(&mut self, file: &mut File<'a>) -> Parsed<()> {
        self.needless_pub();
        match self.word() {
            "object" | "spec" if self.peek() == Tok::Ident => {
                let unit = self.unit()?;
                file.units.push(unit);
            }
            "check" if self.peek() == Tok::Ident => {
                let check = self.check()?;
                file.checks.push(check);
            }
            // Its files were asked for before anything was parsed.
            "use" if self.peek() == Tok::Ident => {
                self.bump();
                if !self.eat(Tok::Text) {
                    return Err(self.expected("a file in quotation marks (`use \"queue.lin\"`)"));
                }
            }
            _ => match self.decl()? {
                Some(decl) => file.decls.push(decl),
                None => {
                    let members = matches!(self.peek(), Tok::Op | Tok::Fn | Tok::Var);
                    if members || self.at_word("memory") || self.at_word("init") {
                        let text =
                            format!("`{}` stands inside an object or specification", self.word());
                        self.sink.push(
                            Diagnostic::error(codes::MISPLACED, self.span(), text)
                                .help("is a closing brace too many before it?"),
                        );
                        return Err(Failed);
                    }
                    let what = "a declaration (`object`, `spec`, `check`, `const`, `param`, `type`, \
                                `data`, `enum`, `struct`, `node` or `use`)";
                    return Err(self.misspelled(&super::statements::DECLARATIONS, what));
                }
            },
        }
        self.end_of_item()
    }

    /// A declaration ends with its line, or where the next one begins.
    fn end_of_item(&mut self) -> Parsed<()> {
        let braced = self.last_tok() == Tok::BraceClose;
        let next = matches!(self.peek(), Tok::Op | Tok::Fn | Tok::Var);
        if braced
            || next
            || self.on_new_line()
            || matches!(self.peek(), Tok::Semicolon | Tok::BraceClose)
        {
            return Ok(());
        }
        Err(self.expected("the end of the line"))
    }

    pub(super) fn last_tok(&self) -> Tok {
        self.tokens[self.at.saturating_sub(1)].tok
    }

    /// Skips to the next line that begins with a word that begins a declaration of a file.
    fn skip_to_item(&mut self) {
        let mut depth = 0usize;
        let start = self.at;
        loop {
            match self.peek() {
                Tok::End => return,
                Tok::BraceOpen => depth += 1,
                Tok::BraceClose => depth = depth.saturating_sub(1),
                Tok::Ident if self.on_new_line() && self.at > start => {
                    let unit = matches!(self.word(), "object" | "spec" | "check");
                    let decl = super::statements::DECLARATIONS.contains(&self.word());
                    let next = self.peek_at(1).tok;
                    let uses = self.word() == "use" && next == Tok::Text;
                    if (unit || decl && depth == 0) && next == Tok::Ident || uses {
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// A declaration of a constant or type, if one begins here.
    fn decl(&mut self) -> Parsed<Option<Decl<'a>>> {
        if self.peek() != Tok::Ident {
            return Ok(None);
        }
        let (word, start) = (self.word(), self.span());
        if !matches!(word, "const" | "param" | "type" | "data" | "enum" | "struct" | "node") {
            return Ok(None);
        }
        self.bump();
        let what = match word {
            "const" => "the name of a constant",
            "param" => "the name of a parameter",
            _ => "the name of a type",
        };
        let name = self.name(what)?;
        let kind = match word {
            "const" | "param" => {
                self.expect(Tok::Assign)?;
                DeclKind::Const { value: self.expr()?, param: word == "param" }
            }
            "type" => {
                self.expect(Tok::Assign)?;
                DeclKind::Alias(self.ty()?)
            }
            "data" => DeclKind::Data,
            "enum" => DeclKind::Enum(self.list(Tok::BraceOpen, Tok::BraceClose, Self::variant)?),
            _ => {
                let fields = self.list(Tok::BraceOpen, Tok::BraceClose, Self::field)?;
                if word == "struct" { DeclKind::Struct(fields) } else { DeclKind::Node(fields) }
            }
        };
        Ok(Some(Decl { name, kind, whole: self.since(start) }))
    }

    /// `A`, `B(T, U)`
    fn variant(&mut self) -> Parsed<Variant<'a>> {
        let name = self.name("the name of a value")?;
        let mut carries = Vec::new();
        if self.peek() == Tok::ParenOpen && !self.on_new_line() {
            if self.peek_at(1).tok == Tok::Ident && self.peek_at(2).tok == Tok::Colon {
                let text = "what a value of an enum carries has a type and no name";
                let d = Diagnostic::error(codes::EXPECTED, self.peek_at(1).span, text);
                self.sink.push(d.help(format!("declare it as `{}(TYPE)`", name.text)));
                return Err(Failed);
            }
            carries = self.list(Tok::ParenOpen, Tok::ParenClose, Self::ty)?;
            if carries.is_empty() {
                let text = format!("what does `{}` carry?", name.text);
                let brackets = Span { start: name.span.end, ..self.last_span() };
                let d = Diagnostic::error(codes::EXPECTED, brackets, text);
                let d = d.help("a value that carries nothing has no brackets");
                self.sink.push(d.edit(brackets, ""));
                return Err(Failed);
            }
        }
        Ok(Variant { name, carries, whole: self.since(name.span) })
    }

    /// `name: type`
    fn field(&mut self) -> Parsed<Field<'a>> {
        let name = self.name("a name")?;
        if matches!(self.peek(), Tok::Comma | Tok::ParenClose | Tok::BraceClose) {
            let text = format!("the type of `{}` is missing", name.text);
            let help = format!("declare it as `{}: TYPE`", name.text);
            self.sink.push(Diagnostic::error(codes::EXPECTED, name.span, text).help(help));
            return Err(Failed);
        }
        self.expect(Tok::Colon)?;
        Ok(Field { name, ty: self.ty()? })
    }

    fn unit(&mut self) -> Parsed<Unit<'a>> {
        let spec = self.word() == "spec";
        let start = self.bump().span;
        let name =
            self.name(if spec { "the name of a specification" } else { "the name of an object" })?;
        let mut unit = Unit {
            spec,
            name,
            memory: None,
            decls: Vec::new(),
            vars: Vec::new(),
            init: None,
            procs: Vec::new(),
            whole: start,
        };
        let open = self.expect(Tok::BraceOpen)?;
        loop {
            while self.eat(Tok::Semicolon) {}
            let closed = self.eat(Tok::BraceClose);
            unit.whole = self.since(start);
            if closed {
                return Ok(unit);
            }
            if self.peek() == Tok::End || self.at_unit() {
                self.unclosed(open, Tok::BraceOpen);
                return Ok(unit);
            }
            let before = self.at;
            self.begin = before;
            if self.member(&mut unit).is_err() {
                self.incomplete = true;
                self.skip_to_member();
            }
            if self.at == before {
                self.bump();
            }
        }
    }

    fn at_unit(&self) -> bool {
        let word = self.peek() == Tok::Ident && matches!(self.word(), "object" | "spec" | "check");
        word && self.peek_at(1).tok == Tok::Ident
    }

    fn member(&mut self, unit: &mut Unit<'a>) -> Parsed<()> {
        self.needless_pub();
        let start = self.span();
        match self.peek() {
            Tok::Let => {
                self.let_member();
                let var = self.var(start)?;
                unit.vars.push(var);
            }
            Tok::Var => {
                self.bump();
                let var = self.var(start)?;
                unit.vars.push(var);
            }
            Tok::Op | Tok::Fn => {
                let op = self.bump().tok == Tok::Op;
                let proc = self.proc(op, start)?;
                unit.procs.push(proc);
            }
            Tok::Ident if self.word() == "init" => {
                self.bump();
                let block = self.block()?;
                if unit.init.is_some() {
                    let text = "`init` is given twice";
                    self.sink.push(Diagnostic::error(codes::DUPLICATE, start, text));
                }
                unit.init = Some((block, start));
            }
            Tok::Ident if self.word() == "memory" => {
                self.bump();
                let span = self.span();
                let memory = match self.word() {
                    "gc" => Memory::Collected,
                    "manual" => Memory::Manual,
                    "stable" => Memory::Stable,
                    _ => return Err(self.expected("`gc`, `manual` or `stable`")),
                };
                self.bump();
                if unit.memory.is_some() {
                    let text = "`memory` is given twice";
                    self.sink.push(Diagnostic::error(codes::DUPLICATE, start, text));
                }
                unit.memory = Some((memory, start.to(span)));
            }
            _ => match self.decl()? {
                Some(decl) => unit.decls.push(decl),
                None => {
                    let what = "a member (`var`, `op`, `fn`, `init`, `memory` or a declaration)";
                    return Err(self.misspelled(&MEMBERS, what));
                }
            },
        }
        self.end_of_item()
    }

    fn skip_to_member(&mut self) {
        let mut depth = 0usize;
        let start = self.at;
        loop {
            match self.peek() {
                Tok::End => return,
                Tok::Op | Tok::Fn | Tok::Var if self.on_new_line() && self.at > start => return,
                Tok::BraceOpen => depth += 1,
                Tok::BraceClose if depth == 0 => return,
                Tok::BraceClose => depth -= 1,
                Tok::Ident if self.on_new_line() && self.at > start => {
                    let decl = super::statements::DECLARATIONS.contains(&self.word())
                        && self.peek_at(1).tok == Tok::Ident;
                    if self.at_unit() || decl && depth == 0 {
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }

    fn var(&mut self, start: Span) -> Parsed<VarDecl<'a>> {
        let name = self.name("the name of a variable")?;
        if self.peek() != Tok::Colon {
            let value = if self.peek() == Tok::Assign { " = ..." } else { "" };
            let text = format!("the type of `{}` is missing", name.text);
            self.sink.push(
                Diagnostic::error(codes::EXPECTED, name.span, text)
                    .help(format!("declare it as `var {}: TYPE{value}`", name.text)),
            );
            return Err(Failed);
        }
        self.expect(Tok::Colon)?;
        let ty = self.ty()?;
        let init = if self.eat(Tok::Assign) { Some(self.expr()?) } else { None };
        Ok(VarDecl { name, ty, init, whole: self.since(start) })
    }

    fn proc(&mut self, op: bool, start: Span) -> Parsed<Proc<'a>> {
        let name =
            self.name(if op { "the name of an operation" } else { "the name of a procedure" })?;
        let params = self.list(Tok::ParenOpen, Tok::ParenClose, Self::field)?;
        let closed = self.last_span();
        let result =
            if self.eat(Tok::Arrow) || self.result_colon() { Some(self.ty()?) } else { None };
        let mut depth = None;
        if self.at_word("depth") {
            let word = self.bump().span;
            let levels = self.head_expr()?;
            depth = Some((levels, self.since(word)));
        }
        let body = self.block()?;
        Ok(Proc { op, name, params, closed, result, depth, body, whole: self.since(start) })
    }
}
