//! Does a program keep the contract of a front end? Written from `linchpin_lin::program`, not
//! from the front end: indices are in range, every expression has the type its context needs (up
//! to ranges of numbers), places stand where places are needed.

use linchpin_lin::program::{
    Against, Behaviour, BinOp, Block, Condition, Domain, Expr, ExprKind, Method, Primitive, Proc,
    Program, QuasiResult, StmtKind, Type, UnOp, Unit,
};
use linchpin_lin::{Value, walk};

/// What is wrong with a program.
pub(crate) fn violations(program: &Program) -> Vec<String> {
    let mut found = Vec::new();
    let objects = program.objects.iter().map(|o| &o.unit);
    for unit in objects.chain(program.specs.iter().map(|s| &s.unit)) {
        for var in &unit.vars {
            let ty = match &var.ty {
                Type::PerThread(t) => t,
                ty => ty,
            };
            if !has_type(&var.init, ty, program) {
                found.push(format!("initial value {:?} of {}: {:?}", var.init, var.name, var.ty));
            }
        }
        for proc in unit.procs.iter().chain(&unit.init) {
            Checker { program, unit, proc, found: &mut found }.proc();
        }
    }
    let objects = program.objects.iter().filter_map(|o| o.unit.init.as_ref());
    let specs = program.specs.iter().flat_map(|s| s.unit.procs.iter().chain(&s.unit.init));
    for proc in objects.chain(specs) {
        walk::visit(&proc.body, &mut |_| {}, &mut |stmt| {
            if let StmtKind::Point(_) = stmt.kind {
                found.push(format!("a point in {}", proc.name));
            }
        });
    }
    let mut names: Vec<_> = program.checks.iter().map(|c| &c.name).collect();
    names.sort_unstable();
    if !names.is_sorted_by(|a, b| a < b) {
        found.push(format!("names of checks: {names:?}"));
    }
    for check in &program.checks {
        let unit = &program.objects[check.object.index()].unit;
        let spec = match check.against {
            Against::Spec(spec) => &program.specs[spec.index()].unit,
            Against::Itself => unit,
        };
        for (i, op) in unit.ops.iter().enumerate() {
            let op = &unit.procs[op.index()];
            let signature = |p: &Proc| {
                let params: Vec<_> =
                    p.locals[..p.params as usize].iter().map(|l| l.ty.clone()).collect();
                (params, p.result.clone())
            };
            let twin = spec.op_named(&op.name).map(|o| signature(spec.op(o)));
            if twin != Some(signature(op)) {
                found.push(format!("{} differs in the specification", op.name));
            }
            for (domain, local) in check.domains[i].iter().zip(&op.locals[..op.params as usize]) {
                let right = match domain {
                    Domain::Data(id) => local.ty == Type::Data(*id),
                    Domain::OneOf(values) => values.iter().all(|v| has_type(v, &local.ty, program)),
                };
                if !right {
                    found.push(format!("domain {domain:?} of {}", local.name));
                }
            }
        }
        if let Condition::Quasi(groups) = &check.condition {
            for (op, result) in groups.iter().flat_map(|g| &g.members) {
                let ty = unit.ops.get(op.index()).map(|p| &unit.procs[p.index()].result);
                let right = ty.is_some_and(|ty| match result {
                    QuasiResult::Any => true,
                    QuasiResult::Some => matches!(ty, Type::Option(_)),
                    QuasiResult::Is(value) => has_type(value, ty, program),
                });
                if !right {
                    found.push(format!("{op:?} -> {result:?} in {}", check.name));
                }
            }
            if groups.iter().any(|g| g.members.is_empty() || g.factor > 64) {
                found.push(format!("groups {groups:?}"));
            }
        }
        for role in &check.roles {
            match &role.behaviour {
                Behaviour::General { ops, .. } => {
                    if ops.iter().any(|o| o.index() >= unit.ops.len()) {
                        found.push(format!("operations of role {}", role.name));
                    }
                }
                Behaviour::Script(proc) => {
                    Checker { program, unit, proc, found: &mut found }.proc();
                }
            }
        }
    }
    found
}

/// Of a value of a sum: is what belongs to other variants as it is at first?
fn carries_its_own(parts: &[Value], ty: &Type, program: &Program) -> bool {
    let Value::Tuple(initial) = Value::default_of(ty, program) else { return false };
    let own = match program.sum(ty) {
        Some(_) => program.variant(ty, parts).map(|(_, own)| own),
        None => Some(0..parts.len()),
    };
    let differ = (1..parts.len()).filter(|&i| parts[i] != initial[i]);
    own.is_some_and(|own| differ.into_iter().all(|i| own.contains(&i)))
}

fn has_type(v: &Value, ty: &Type, program: &Program) -> bool {
    match (v, ty) {
        (Value::Bool(_), Type::Bool) | (Value::Ref(0), Type::Ref(_)) => true,
        (Value::Data(_), Type::Data(_)) | (Value::Thread(_), Type::Thread | Type::Lock) => true,
        (Value::Int(n), Type::Int { lo, hi }) => (lo..=hi).contains(&n),
        (Value::Enum(n), Type::Enum(id)) => {
            (*n as usize) < program.enums[id.index()].variants.len()
        }
        (Value::Option(v), Type::Option(ty)) => v.as_ref().is_none_or(|v| has_type(v, ty, program)),
        (Value::Tuple(vs), Type::Tuple(ts)) => {
            vs.len() == ts.len() && vs.iter().zip(ts).all(|(v, t)| has_type(v, t, program))
        }
        (Value::Tuple(vs), Type::Struct(id)) => {
            let fields = &program.structs[id.index()].fields;
            vs.len() == fields.len()
                && vs.iter().zip(fields).all(|(v, f)| has_type(v, &f.ty, program))
                && carries_its_own(vs, ty, program)
        }
        (Value::Tuple(vs), Type::Array(t, n) | Type::Endless(t, n)) => {
            vs.len() == *n as usize && vs.iter().all(|v| has_type(v, t, program))
        }
        (Value::Seq(vs), Type::Seq(t)) => vs.iter().all(|v| has_type(v, t, program)),
        (Value::Set(vs), Type::Set(t)) => vs.iter().all(|v| has_type(v, t, program)),
        (Value::Bag(vs), Type::Bag(t)) => vs.keys().all(|v| has_type(v, t, program)),
        (Value::Map(vs), Type::Map(k, t)) => {
            vs.iter().all(|(a, b)| has_type(a, k, program) && has_type(b, t, program))
        }
        _ => false,
    }
}

/// The type with all ranges widened.
fn wide(ty: &Type) -> Type {
    match ty {
        Type::Int { .. } => Type::INT,
        Type::Option(t) => Type::Option(Box::new(wide(t))),
        Type::Tuple(ts) => Type::Tuple(ts.iter().map(wide).collect()),
        Type::Array(t, n) => Type::Array(Box::new(wide(t)), *n),
        Type::Endless(t, n) => Type::Endless(Box::new(wide(t)), *n),
        Type::PerThread(t) => Type::PerThread(Box::new(wide(t))),
        Type::Seq(t) => Type::Seq(Box::new(wide(t))),
        Type::Set(t) => Type::Set(Box::new(wide(t))),
        Type::Bag(t) => Type::Bag(Box::new(wide(t))),
        Type::Map(k, v) => Type::Map(Box::new(wide(k)), Box::new(wide(v))),
        ty => ty.clone(),
    }
}

fn is_place(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::Field(..) => true,
        ExprKind::Part(a, _) | ExprKind::Index(a, _) => is_place(a),
        _ => false,
    }
}

fn is_shared(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Global(_) | ExprKind::Field(..) => true,
        ExprKind::Part(a, _) | ExprKind::Index(a, _) => is_shared(a),
        _ => false,
    }
}

struct Checker<'a> {
    program: &'a Program,
    unit: &'a Unit,
    proc: &'a Proc,
    found: &'a mut Vec<String>,
}

impl Checker<'_> {
    fn proc(&mut self) {
        let proc = self.proc;
        for local in &proc.locals {
            self.must(local.ty != Type::Unit, "a local variable has a type", &local.name);
        }
        self.block(&proc.body, &mut Vec::new());
    }

    fn must(&mut self, holds: bool, what: &str, where_: &dyn std::fmt::Debug) {
        if !holds {
            self.found.push(format!("{}: {what}: {where_:?}", self.proc.name));
        }
    }

    /// The expression is sound and has the type.
    fn is(&mut self, e: &Expr, ty: &Type) {
        self.expr(e);
        let holds = wide(&e.ty) == wide(ty);
        self.must(holds, &format!("type {ty:?} is needed"), e);
    }

    fn block(&mut self, block: &Block, loops: &mut Vec<u32>) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Assign { place, value } => {
                    self.must(is_place(place), "a place is assigned to", place);
                    self.expr(place);
                    self.is(value, &place.ty);
                }
                StmtKind::Expr(e) => self.expr(e),
                StmtKind::If { cond, then, els } => {
                    self.is(cond, &Type::Bool);
                    self.block(then, loops);
                    self.block(els, loops);
                }
                StmtKind::Loop { id, cond, body, step } => {
                    if let Some(cond) = cond {
                        self.is(cond, &Type::Bool);
                    }
                    self.must(!loops.contains(&id.0), "loops have ids of their own", id);
                    loops.push(id.0);
                    self.block(body, loops);
                    loops.pop();
                    self.block(step, loops);
                }
                StmtKind::Break(id) | StmtKind::Continue(id) => {
                    self.must(loops.contains(&id.0), "jumps stay inside of loops", id);
                }
                StmtKind::Return(None) => {
                    let unit = self.proc.result == Type::Unit;
                    self.must(unit, "a value is returned", &stmt.span);
                }
                StmtKind::Return(Some(e)) => self.is(e, &self.proc.result.clone()),
                StmtKind::Assert(e) | StmtKind::Assume(e) | StmtKind::Await(e) => {
                    self.is(e, &Type::Bool);
                }
                StmtKind::Atomic(b) => self.block(b, loops),
                StmtKind::Either(bs) => bs.iter().for_each(|b| self.block(b, loops)),
                StmtKind::Free(e) => {
                    self.expr(e);
                    self.must(matches!(e.ty, Type::Ref(_)), "nodes are freed", e);
                }
                StmtKind::Point(e) => {
                    e.iter().for_each(|e| self.is(e, &Type::Thread));
                }
                StmtKind::Lock(e) | StmtKind::Unlock(e) => {
                    self.is(e, &Type::Lock);
                    self.must(is_shared(e), "locks are shared", e);
                }
            }
        }
    }

    fn arguments(&mut self, proc: &Proc, args: &[Option<&Expr>], e: &Expr) {
        self.must(args.len() == proc.params as usize, "as many arguments as parameters", e);
        for (arg, param) in args.iter().zip(&proc.locals) {
            if let Some(arg) = arg {
                self.is(arg, &param.ty);
            }
        }
        self.must(e.ty == proc.result, "a call has the type of the result", e);
    }

    fn expr(&mut self, e: &Expr) {
        let ty = &e.ty;
        let int = Type::INT;
        let typed = |holds: bool, checker: &mut Self| checker.must(holds, "the type fits", e);
        match &e.kind {
            // Numbers are checked where they are stored.
            ExprKind::Const(v) => typed(has_type(v, &wide(ty), self.program), self),
            ExprKind::Local(id) => {
                let local = self.proc.locals.get(id.index()).map(|l| &l.ty);
                typed(local == Some(ty), self);
            }
            ExprKind::Global(id) => {
                let var = self.unit.vars.get(id.index()).map(|v| &v.ty);
                typed(var == Some(ty), self);
            }
            ExprKind::Field(a, i) => {
                self.expr(a);
                let field = match a.ty {
                    Type::Ref(id) => self.program.records[id.index()].fields.get(*i as usize),
                    _ => None,
                };
                typed(field.map(|f| &f.ty) == Some(ty), self);
            }
            ExprKind::Part(a, i) => {
                self.expr(a);
                let part = match &a.ty {
                    Type::Tuple(ts) => ts.get(*i as usize),
                    Type::Struct(id) => {
                        self.program.structs[id.index()].fields.get(*i as usize).map(|f| &f.ty)
                    }
                    _ => None,
                };
                typed(part == Some(ty), self);
            }
            ExprKind::Index(a, i) => {
                self.expr(a);
                let (key, element) = match &a.ty {
                    Type::Array(t, _) | Type::Endless(t, _) | Type::Seq(t) => (int, Some(&**t)),
                    Type::PerThread(t) => (Type::Thread, Some(&**t)),
                    Type::Map(k, v) => ((**k).clone(), Some(&**v)),
                    _ => (int, None),
                };
                self.is(i, &key);
                typed(element == Some(ty), self);
            }
            ExprKind::SelfThread => typed(*ty == Type::Thread, self),
            ExprKind::ThreadCount => typed(*ty == int, self),
            ExprKind::AnyThread => typed(*ty == Type::Thread, self),
            ExprKind::OtherThread(set) => {
                self.is(set, &Type::Set(Box::new(Type::Thread)));
                typed(*ty == Type::Thread, self);
            }
            ExprKind::Unary(op, a) => {
                let operand = if *op == UnOp::Neg { int } else { Type::Bool };
                self.is(a, &operand);
                typed(*ty == operand, self);
            }
            ExprKind::Binary(op, a, b) => {
                use BinOp::*;
                let (operand, result) = match op {
                    Add | Sub | Mul | Div | Rem | BitAnd | BitOr | BitXor | Shl | Shr => {
                        (Some(int.clone()), int)
                    }
                    Lt | Le | Gt | Ge => (Some(int), Type::Bool),
                    And | Or => (Some(Type::Bool), Type::Bool),
                    Eq | Ne => (None, Type::Bool),
                };
                let operand = operand.unwrap_or_else(|| a.ty.clone());
                self.is(a, &operand);
                self.is(b, &operand);
                typed(*ty == result, self);
            }
            ExprKind::Select(c, a, b) => {
                self.is(c, &Type::Bool);
                self.is(a, ty);
                self.is(b, ty);
            }
            ExprKind::Aggregate(es) => match ty {
                Type::Tuple(ts) => {
                    typed(ts.len() == es.len(), self);
                    es.iter().zip(ts).for_each(|(e, t)| self.is(e, t));
                }
                Type::Struct(id) => {
                    let fields = &self.program.structs[id.index()].fields;
                    typed(fields.len() == es.len(), self);
                    es.iter().zip(fields).for_each(|(e, f)| self.is(e, &f.ty));
                }
                Type::Array(t, n) => {
                    typed(*n as usize == es.len(), self);
                    es.iter().for_each(|e| self.is(e, t));
                }
                Type::Seq(t) | Type::Set(t) | Type::Bag(t) => es.iter().for_each(|e| self.is(e, t)),
                _ => typed(false, self),
            },
            ExprKind::Some(a) => self.is_option(ty, a, e),
            ExprKind::Unwrap(a) => {
                self.expr(a);
                typed(a.ty == Type::Option(Box::new(ty.clone())), self);
            }
            ExprKind::New(id, fields) => {
                typed(*ty == Type::Ref(*id), self);
                for (i, value) in fields {
                    match self.program.records[id.index()].fields.get(*i as usize) {
                        Some(f) => self.is(value, &f.ty),
                        None => typed(false, self),
                    }
                }
            }
            ExprKind::Atomic(p, place, args) => {
                self.must(is_place(place) && is_shared(place), "a shared place", e);
                self.expr(place);
                let (operands, result) = match p {
                    Primitive::Cas => (vec![&place.ty; 2], &Type::Bool),
                    Primitive::Swap => (vec![&place.ty], &place.ty),
                    Primitive::CasValue => (vec![&place.ty; 2], &place.ty),
                    Primitive::Fetch(_) => (vec![&int], &place.ty),
                    Primitive::LoadLinked => (vec![], &place.ty),
                    Primitive::StoreConditional => (vec![&place.ty], &Type::Bool),
                    Primitive::Validate | Primitive::TryLock => (vec![], &Type::Bool),
                };
                typed(operands.len() == args.len() && result == ty, self);
                args.iter().zip(operands).for_each(|(a, t)| self.is(a, t));
            }
            ExprKind::Dcas { places, old, new } => {
                for i in 0..2 {
                    self.must(is_place(&places[i]) && is_shared(&places[i]), "a shared place", e);
                    self.expr(&places[i]);
                    self.is(&old[i], &places[i].ty);
                    self.is(&new[i], &places[i].ty);
                }
                typed(*ty == Type::Bool, self);
            }
            ExprKind::Call(id, args) => {
                let args: Vec<_> = args.iter().map(Some).collect();
                self.arguments(&self.unit.procs[id.index()], &args, e);
            }
            ExprKind::Invoke(id, args) => {
                let args: Vec<_> = args.iter().map(Option::as_ref).collect();
                self.arguments(self.unit.op(*id), &args, e);
            }
            ExprKind::Choose(es) => {
                typed(!es.is_empty(), self);
                es.iter().for_each(|e| self.is(e, ty));
            }
            ExprKind::ChooseRange(a, b) => {
                self.is(a, &int);
                self.is(b, &int);
                typed(*ty == int, self);
            }
            ExprKind::ChooseFrom(a) => {
                self.expr(a);
                typed(
                    matches!(&a.ty, Type::Seq(t) | Type::Set(t) | Type::Bag(t) if **t == *ty),
                    self,
                );
            }
            ExprKind::Method(m, a, args) => self.method(*m, a, args, e),
            ExprKind::ThreadIndex(a) => {
                self.is(a, &Type::Thread);
                typed(*ty == int, self);
            }
            ExprKind::ThreadAt(a) => {
                self.is(a, &int);
                typed(*ty == Type::Thread, self);
            }
        }
    }

    fn is_option(&mut self, ty: &Type, a: &Expr, e: &Expr) {
        match ty {
            Type::Option(t) => self.is(a, t),
            _ => self.must(false, "an option", e),
        }
    }

    fn method(&mut self, m: Method, a: &Expr, args: &[Expr], e: &Expr) {
        use Method::*;
        self.expr(a);
        let changes =
            !matches!(m, Len | IsEmpty | First | Last | Contains | Count | Get | Min | Max);
        self.must(!changes || is_place(a), "what is changed is a place", e);
        let (key, value) = match &a.ty {
            Type::Seq(t) | Type::Set(t) | Type::Bag(t) => ((**t).clone(), (**t).clone()),
            Type::Map(k, v) => ((**k).clone(), (**v).clone()),
            _ => return self.must(false, "a collection", e),
        };
        let (operands, result) = match m {
            Len => (vec![], Type::INT),
            IsEmpty => (vec![], Type::Bool),
            PushBack | PushFront => (vec![key], Type::Unit),
            PopBack | PopFront | First | Last | Min | Max => (vec![], key),
            RemoveAt => (vec![Type::INT], key),
            InsertAt => (vec![Type::INT, key], Type::Unit),
            Contains | Insert | Remove => (vec![key], Type::Bool),
            Count => (vec![key], Type::INT),
            Get => (vec![key], Type::Option(Box::new(value))),
            Put => (vec![key, value], Type::Unit),
            Clear => (vec![], Type::Unit),
        };
        self.must(operands.len() == args.len() && e.ty == result, "the method fits", e);
        args.iter().zip(&operands).for_each(|(a, t)| self.is(a, t));
    }
}
