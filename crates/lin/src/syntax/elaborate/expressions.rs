//! Expressions: names, operators, parts, calls.

use crate::program::{BinOp, EnumId, Expr, ExprKind, Type, UnOp};
use crate::{Span, Value};

use super::body::{Body, Role};
use super::habits::{LIKE_THIS, is_number};
use super::types::{fits, same, show};
use super::units::out_of_range;
use super::{codes, sound};
use crate::syntax::ast;
use linchpin_text::Diagnostic;

impl<'a> Body<'_, 'a> {
    /// A value of a given type.
    pub(super) fn check(&mut self, e: &'a ast::Expr<'a>, want: &Type) -> Option<Expr> {
        let value = self.infer(e, Some(want))?;
        self.coerce(value, want)
    }

    /// A value of any type; the hint is for literals that have no type of their own.
    pub(super) fn infer(&mut self, e: &'a ast::Expr<'a>, hint: Option<&Type>) -> Option<Expr> {
        let value = self.raw(e, hint)?;
        if value.ty == Type::Unit {
            let text = "this has no value";
            self.cx.error(codes::NO_VALUE, e.span, text);
            return None;
        }
        self.check_read(&value)?;
        Some(value)
    }

    /// A value where another type may be wanted: a `T` becomes a `T?`.
    pub(super) fn coerce(&mut self, value: Expr, want: &Type) -> Option<Expr> {
        sound(want)?;
        if same(&value.ty, want) {
            if let ExprKind::Const(v) = &value.kind
                && let Some((n, lo, hi)) = out_of_range(v, want, &self.cx.program)
                && !self.role.is_init()
                && self.role != Role::Constant
            {
                let text =
                    format!("{n} is outside of the range {lo}..={hi}: this is always a fault");
                self.cx.sink.push(Diagnostic::warning(codes::SURE_FAULT, value.span, text));
            }
            return Some(value);
        }
        if let Type::Option(inner) = want
            && fits(&value.ty, inner)
        {
            let span = value.span;
            let inner = self.coerce(value, inner)?;
            let ty = Type::Option(Box::new(inner.ty.clone()));
            return Some(Expr { kind: ExprKind::Some(Box::new(inner)), ty, span });
        }
        self.mismatch(&value, want);
        None
    }

    pub(super) fn mismatch(&mut self, value: &Expr, want: &Type) {
        let program = &self.cx.program;
        let (wanted, found) = (show(want, program), show(&value.ty, program));
        let text = format!("expected `{wanted}`, found `{found}`");
        let mut d = Diagnostic::error(codes::MISMATCH, value.span, text)
            .label(format!("this is `{found}`"));
        match (want, &value.ty) {
            (w, Type::Option(inner)) if fits(inner, w) => {
                d = d.help("take the value out with `.unwrap()` (a fault if it is `empty`)");
                let end = value.span.end as usize;
                d = d.edit(Span::new(end, end), ".unwrap()");
            }
            (Type::Bool, Type::Ref(_)) => d = d.help("compare it: `... != null`"),
            (Type::Bool, Type::Int { .. }) => {
                d = match value.kind {
                    ExprKind::Const(Value::Int(0)) => d.help(LIKE_THIS).edit(value.span, "false"),
                    ExprKind::Const(_) => d.help(LIKE_THIS).edit(value.span, "true"),
                    _ => d.help("compare it: `... != 0`"),
                };
            }
            (Type::Int { .. }, Type::Thread) => d = d.help("`t as int` is the number of a thread"),
            _ => {}
        }
        self.cx.sink.push(d);
    }

    /// An expression that may also be a place or have no value.
    pub(super) fn raw(&mut self, e: &'a ast::Expr<'a>, hint: Option<&Type>) -> Option<Expr> {
        // Where there is too much already, even looking at constants would take long.
        self.cx.affords_more().then_some(())?;
        let value = self.meaning(e, hint)?;
        self.cx.afford_expr(&value).then_some(value)
    }

    fn meaning(&mut self, e: &'a ast::Expr<'a>, hint: Option<&Type>) -> Option<Expr> {
        let span = e.span;
        let make = |kind, ty| Some(Expr { kind, ty, span });
        match &e.kind {
            ast::ExprKind::Error => None,
            ast::ExprKind::Int(n) => self.number(*n, span),
            ast::ExprKind::Bool(b) => make(ExprKind::Const(Value::Bool(*b)), Type::Bool),
            ast::ExprKind::Null => self.null(span, hint),
            ast::ExprKind::Empty => self.empty(span, hint),
            ast::ExprKind::SelfThread => self.self_thread(span),
            ast::ExprKind::Threads => make(ExprKind::ThreadCount, Type::INT),
            ast::ExprKind::Any => {
                let text = "`_` stands for any value of a parameter, in calls of scripts only";
                self.cx.error(codes::SCRIPT, span, text);
                None
            }
            ast::ExprKind::Name(name) => self.name(*name, span, hint),
            ast::ExprKind::Unary(op, a) => self.unary(*op, a, span),
            ast::ExprKind::Binary(op, a, b) => self.binary(*op, a, b, span),
            ast::ExprKind::Select(c, a, b) => {
                let cond = self.check(c, &Type::Bool);
                let mut both = self.join(&[a, b], hint)?;
                let (els, then) = (Box::new(both.pop()?), Box::new(both.pop()?));
                let ty = if then.ty == els.ty {
                    then.ty.clone()
                } else {
                    super::literals::widen(&then.ty)
                };
                make(ExprKind::Select(Box::new(cond?), then, els), ty)
            }
            ast::ExprKind::Member(base, name) => self.member(base, *name, span),
            ast::ExprKind::Part(base, n, at) => self.part(base, *n, *at, span),
            ast::ExprKind::Index(base, index) => self.index(base, index, span),
            ast::ExprKind::Call(name, args) => self.call(*name, args, span, hint),
            ast::ExprKind::Method(base, name, args) => self.method(base, *name, args, span),
            ast::ExprKind::New(name, fields) => self.new_record(*name, fields, span),
            ast::ExprKind::Fields(name, fields) => self.named_fields(*name, fields, span),
            ast::ExprKind::NewCall(name, args) => {
                self.new_call(*name, args, span);
                None
            }
            ast::ExprKind::Tuple(items) => self.tuple(items, span, hint),
            ast::ExprKind::List(items) => self.list(items, span, hint),
            ast::ExprKind::Repeat(x, n) => self.repeat(x, n, span, hint),
            ast::ExprKind::Braces(items) => self.braces(items, span, hint),
            ast::ExprKind::Choose(items) => self.choose(items, span, hint),
            ast::ExprKind::ChooseRange(range) => {
                let (lo, hi) =
                    (self.check(&range.lo, &Type::INT), self.check(&range.hi, &Type::INT));
                let (lo, mut hi) = (lo?, hi?);
                if !range.inclusive {
                    let one =
                        Expr { kind: ExprKind::Const(Value::Int(1)), ty: Type::INT, span: hi.span };
                    let at = hi.span;
                    let kind = ExprKind::Binary(BinOp::Sub, Box::new(hi), Box::new(one));
                    hi = Expr { kind, ty: Type::INT, span: at };
                }
                make(ExprKind::ChooseRange(Box::new(lo), Box::new(hi)), Type::INT)
            }
            ast::ExprKind::As(a, ty) => self.cast(a, *ty, span),
        }
    }

    fn number(&mut self, n: i64, span: Span) -> Option<Expr> {
        match i32::try_from(n) {
            Ok(n) => Some(Expr { kind: ExprKind::Const(Value::Int(n)), ty: Type::INT, span }),
            Err(_) => {
                self.cx.error(codes::RANGE, span, "the number is out of the range of 32 bits");
                None
            }
        }
    }

    fn self_thread(&mut self, span: Span) -> Option<Expr> {
        if self.role.is_init() {
            let text = "`init` runs before there are threads: no `self` here";
            self.cx.error(codes::INIT, span, text);
            return None;
        }
        if self.role == Role::Watch {
            let text = "nobody executes a watched expression: no `self` here";
            let d = Diagnostic::error(codes::WATCH, span, text);
            self.cx.sink.push(d.help("`T1` is the first thread"));
            return None;
        }
        Some(Expr { kind: ExprKind::SelfThread, ty: Type::Thread, span })
    }

    fn name(&mut self, name: ast::Name<'a>, span: Span, hint: Option<&Type>) -> Option<Expr> {
        if let Some(id) = self.find_local(name.text) {
            let local = &mut self.locals[id.index()];
            local.used = true;
            self.cx.record.used(name.span, local.span);
            let ty = local.ty.clone()?;
            return Some(Expr { kind: ExprKind::Local(id), ty, span });
        }
        if self.role != Role::Script
            && let Some(&id) = self.sigs.var_names.get(name.text)
        {
            let (declared, ty) = &self.sigs.vars[id.index()];
            self.cx.record.used(name.span, declared.span);
            let ty = ty.clone()?;
            self.is_no_condition(id, name)?;
            return Some(Expr { kind: ExprKind::Global(id), ty, span });
        }
        if self.role != Role::Script && self.sigs.part_named(name.text).is_some() {
            let text = format!("`{}` is a part: only its operations can be used", name.text);
            let d = Diagnostic::error(codes::NOT_A_PLACE, span, text);
            self.cx.sink.push(d.help(format!("call one: `{}.operation()`", name.text)));
            return None;
        }
        let constant =
            self.cx.scopes(self.scope).find_map(|s| s.consts.get(name.text)).map(|c| c.0);
        if let Some(i) = constant {
            let declared = self.cx.consts[i].name.span;
            self.cx.record.used(name.span, declared);
            let (value, ty) = self.cx.constant(i)?;
            return Some(Expr { kind: ExprKind::Const(value), ty, span });
        }
        self.variant(name, span, hint)
    }

    /// What a name means where a value of this type is wanted.
    pub(super) fn named(&mut self, name: ast::Name<'a>, want: &Type) -> Option<Expr> {
        let value = self.name(name, name.span, Some(want))?;
        self.coerce(value, want)
    }

    /// A value of an enum, named without its type.
    fn variant(&mut self, name: ast::Name<'a>, span: Span, hint: Option<&Type>) -> Option<Expr> {
        match self.variants_named(name.text, hint).as_slice() {
            &[(id, i)] => self.variant_of(id, i, name, span),
            [] if name.text == "None" => self.empty(span, hint),
            [] => {
                self.unknown_name(name.text, name.span);
                None
            }
            several => {
                self.ambiguous(name, several);
                None
            }
        }
    }

    /// The values of enums of this name; only that of the enum that is wanted, if it has one.
    pub(super) fn variants_named(&self, name: &str, hint: Option<&Type>) -> Vec<(EnumId, u32)> {
        let scopes = self.cx.scopes(self.scope);
        let found = scopes.filter_map(|s| s.variants.get(name)).flatten().copied();
        let found: Vec<_> = found.collect();
        let wanted = super::literals::strip(hint).and_then(|ty| self.cx.enum_of(ty));
        match found.iter().find(|f| Some(f.0) == wanted) {
            Some(one) => vec![*one],
            None => found,
        }
    }

    /// Reports a name that several enums have a value of.
    pub(super) fn ambiguous(&mut self, name: ast::Name<'a>, several: &[(EnumId, u32)]) {
        let enums: Vec<_> = several
            .iter()
            .map(|f| {
                let owner = &self.cx.program.enums[f.0.index()].name;
                format!("`{owner}.{}`", name.text)
            })
            .collect();
        let text = format!("`{}` could be {}", name.text, enums.join(" or "));
        let d = Diagnostic::error(codes::AMBIGUOUS, name.span, text);
        self.cx.sink.push(d.help("name the enum as well"));
    }

    fn unknown_name(&mut self, name: &str, span: Span) {
        let mut d =
            Diagnostic::error(codes::UNKNOWN_NAME, span, format!("`{name}` is not declared"));
        let known = self.visible_names().chain(self.sigs.var_names.keys().copied());
        let scopes = self.cx.scopes(self.scope);
        let known =
            known.chain(scopes.flat_map(|s| s.consts.keys().chain(s.variants.keys()).copied()));
        let mut known: Vec<&str> =
            known.chain(["null", "empty", "true", "false", "self", "threads"]).collect();
        known.sort_unstable();
        if self.about_name(name, &mut d) {
            return self.cx.sink.push(d);
        }
        if self.role == Role::Script && self.sigs.var_names.contains_key(name) {
            d = d.note(format!("`{name}` is a variable of the object, which scripts cannot see"));
        } else if let Some(near) = self.cx.suggest(name, known) {
            d = d.help(format!("did you mean `{near}`?")).edit(span, near);
        } else if self.sigs.proc_names.contains_key(name) {
            d = d.help(format!("to call it, write `{name}(...)`"));
        } else if self.cx.scopes(self.scope).any(|s| s.types.contains_key(name)) {
            d = d.note(format!("`{name}` is a type"));
        } else if self.role == Role::Script {
            d = d.help(format!("declare it with `let {name} = ...`"));
        } else if self.role == Role::Watch {
            d = d.help("`T1.x` is a local variable of a thread");
        } else if self.locked {
            d = d.help(format!(
                "declare it as `var {name}: lock` of the object, and write `lock({name})`"
            ));
        } else if self.role != Role::Constant {
            d = d.help(format!(
                "declare it with `let {name} = ...`, or as `var {name}: TYPE` of the object"
            ));
        }
        self.cx.sink.push(d);
    }

    fn unary(&mut self, op: UnOp, a: &'a ast::Expr<'a>, span: Span) -> Option<Expr> {
        if let (UnOp::Neg, ast::ExprKind::Int(n)) = (op, &a.kind) {
            return self.number(-n, span);
        }
        let ty = if op == UnOp::Neg { Type::INT } else { Type::Bool };
        let value = self.infer(a, Some(&ty))?;
        let nothing = match value.ty {
            Type::Ref(_) => Some(" == null"),
            Type::Int { .. } => Some(" == 0"),
            _ => None,
        };
        if let (UnOp::Not, Some(compared)) = (op, nothing) {
            let shown = show(&value.ty, &self.cx.program);
            let text = format!("expected `bool`, found `{shown}`");
            let (sign, end) = (Span { end: a.span.start, ..span }, a.span.end as usize);
            let d = Diagnostic::error(codes::MISMATCH, a.span, text)
                .label(format!("this is `{shown}`"));
            self.cx.sink.push(d.help(LIKE_THIS).edit(sign, "").edit(Span::new(end, end), compared));
            return None;
        }
        let a = self.fit(value, a.span, if op == UnOp::Neg { "-" } else { "!" }, &ty)?;
        Some(Expr { kind: ExprKind::Unary(op, Box::new(a)), ty, span })
    }

    /// An operand of an operator on numbers or truth values.
    fn operand(&mut self, e: &'a ast::Expr<'a>, op: &str, want: &Type) -> Option<Expr> {
        let value = self.infer(e, Some(want))?;
        self.fit(value, e.span, op, want)
    }

    /// A value as an operand of a sign.
    fn fit(&mut self, value: Expr, span: Span, op: &str, want: &Type) -> Option<Expr> {
        if let Type::Data(id) = value.ty {
            let name = &self.cx.program.data[id.index()].name;
            let text = format!("`{op}` does not work on `{name}`, whose values are opaque");
            let d = Diagnostic::error(codes::OPAQUE, span, text)
                .note("values of a `data` type can be copied and compared with `==` and `!=`")
                .help(format!("declare it as numbers: `type {name} = 0..=3`"));
            self.cx.sink.push(d);
            return None;
        }
        if value.ty == Type::Bool && matches!(op, "&" | "|") {
            let text = format!("`{op}` works on the bits of numbers");
            let d = Diagnostic::error(codes::MISMATCH, span, text).label("this is `bool`");
            self.cx.sink.push(d.help(format!("truth values have `{op}{op}`")));
            return None;
        }
        self.coerce(value, want)
    }

    fn binary(
        &mut self,
        op: BinOp,
        a: &'a ast::Expr<'a>,
        b: &'a ast::Expr<'a>,
        span: Span,
    ) -> Option<Expr> {
        use BinOp::*;
        let (sign, want, ty) = match op {
            Add => ("+", Type::INT, Type::INT),
            Sub => ("-", Type::INT, Type::INT),
            Mul => ("*", Type::INT, Type::INT),
            Div => ("/", Type::INT, Type::INT),
            Rem => ("%", Type::INT, Type::INT),
            BitAnd => ("&", Type::INT, Type::INT),
            BitOr => ("|", Type::INT, Type::INT),
            BitXor => ("^", Type::INT, Type::INT),
            Shl => ("<<", Type::INT, Type::INT),
            Shr => (">>", Type::INT, Type::INT),
            Lt => ("<", Type::INT, Type::Bool),
            Le => ("<=", Type::INT, Type::Bool),
            Gt => (">", Type::INT, Type::Bool),
            Ge => (">=", Type::INT, Type::Bool),
            And => ("&&", Type::Bool, Type::Bool),
            Or => ("||", Type::Bool, Type::Bool),
            Eq | Ne => {
                let mut both = self.join(&[a, b], None)?;
                let (b, a) = (Box::new(both.pop()?), Box::new(both.pop()?));
                return Some(Expr { kind: ExprKind::Binary(op, a, b), ty: Type::Bool, span });
            }
        };
        // If both are wrong, one message is enough.
        let a = self.operand(a, sign, &want);
        let b = match a {
            Some(_) => self.operand(b, sign, &want),
            None => self.infer(b, Some(&want)),
        };
        let kind = ExprKind::Binary(op, Box::new(a?), Box::new(b?));
        Some(Expr { kind, ty, span })
    }

    /// `t as int`, `i as thread`
    fn cast(&mut self, a: &'a ast::Expr<'a>, ty: ast::Name<'a>, span: Span) -> Option<Expr> {
        let a = self.infer(a, None)?;
        match (&a.ty, ty.text) {
            (Type::Thread, "int") => {
                Some(Expr { kind: ExprKind::ThreadIndex(Box::new(a)), ty: Type::INT, span })
            }
            (Type::Int { .. }, "thread") => {
                Some(Expr { kind: ExprKind::ThreadAt(Box::new(a)), ty: Type::Thread, span })
            }
            (Type::Int { .. }, to) if to == "int" || is_number(to) => Some(a),
            (Type::Thread, "thread") => Some(a),
            (from, _) => {
                let text =
                    format!("`{}` cannot become `{}`", show(from, &self.cx.program), ty.text);
                let d = Diagnostic::error(codes::MISMATCH, span, text);
                self.cx.sink.push(d.note("only `thread as int` and `int as thread` are possible"));
                None
            }
        }
    }

    fn choose(
        &mut self,
        items: &'a [ast::Expr<'a>],
        span: Span,
        hint: Option<&Type>,
    ) -> Option<Expr> {
        if let [one] = items {
            let from = self.infer(one, None)?;
            return match &from.ty {
                Type::Seq(t) | Type::Set(t) | Type::Bag(t) => {
                    let ty = (**t).clone();
                    Some(Expr { kind: ExprKind::ChooseFrom(Box::new(from)), ty, span })
                }
                ty => {
                    let text = format!(
                        "there is nothing to choose from in `{}`",
                        show(ty, &self.cx.program)
                    );
                    let d = Diagnostic::error(codes::MISMATCH, one.span, text);
                    let help = "`choose(a, b)`, `choose(lo..=hi)`, or an element of a `seq`, `set` or `bag`";
                    self.cx.sink.push(d.help(help));
                    None
                }
            };
        }
        let items = self.join(&items.iter().collect::<Vec<_>>(), hint)?;
        let ty = items.iter().map(|e| &e.ty).find(|t| **t != items[0].ty);
        let ty =
            if ty.is_some() { super::literals::widen(&items[0].ty) } else { items[0].ty.clone() };
        Some(Expr { kind: ExprKind::Choose(items), ty, span })
    }
}
