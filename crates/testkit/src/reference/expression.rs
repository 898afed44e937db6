//! Evaluation of expressions: operands from left to right, every touch of shared memory through
//! [`Run::access`].

use linchpin_lin::Value;
use linchpin_lin::program::{
    BinOp, Expr, ExprKind, FaultKind, Method, Primitive, RecordId, Type, UnOp,
};

use super::collection;
use super::memory::{Address, Hop, Root, component, shape};
use super::run::{Frame, Run, Stop};

impl Run<'_, '_> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, e: &Expr, f: &mut Frame) -> Result<Value, Stop> {
        match &e.kind {
            ExprKind::Const(value) => Ok(value.clone()),
            ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::Field(..) => self.read(e, f),
            ExprKind::Part(whole, i) => {
                if is_place(e) {
                    return self.read(e, f);
                }
                let whole = self.eval(whole, f)?;
                Ok(component(&whole, &[Hop::At(*i as usize)])?.clone())
            }
            ExprKind::Index(whole, index) => {
                if is_place(e) {
                    return self.read(e, f);
                }
                let values = self.operands(&[whole, index], f)?;
                let hop = self.hop(&values[1], &whole.ty)?;
                Ok(component(&values[0], &[hop])?.clone())
            }
            ExprKind::SelfThread => Ok(Value::Thread(self.me)),
            ExprKind::Unary(op, e) => unary(*op, self.eval(e, f)?),
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                let first = self.eval(a, f);
                let first = self.at(0, first)?;
                if first == Value::Bool(*op == BinOp::Or) {
                    return Ok(first);
                }
                let second = self.eval(b, f);
                self.at(1, second)
            }
            ExprKind::Binary(op, a, b) => {
                let values = self.operands(&[a, b], f)?;
                binary(*op, &values[0], &values[1])
            }
            ExprKind::Select(cond, a, b) => {
                let cond = self.eval(cond, f);
                let cond = self.at(0, cond)? == Value::Bool(true);
                let value = self.eval(if cond { a } else { b }, f);
                self.at(if cond { 1 } else { 2 }, value)
            }
            ExprKind::Aggregate(parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for (i, part) in parts.iter().enumerate() {
                    let value = self.eval(part, f);
                    let value = self.holding(&values, value)?;
                    if let Some(ty) = self.code.checked_part(&e.ty, i) {
                        self.must_fit(&value, ty)?;
                    }
                    values.push(value);
                }
                Ok(collection::literal(values, &e.ty))
            }
            ExprKind::Some(e) => Ok(Value::Option(Some(Box::new(self.eval(e, f)?)))),
            ExprKind::Unwrap(e) => match self.eval(e, f)? {
                Value::Option(Some(value)) => Ok(*value),
                _ => Err(FaultKind::EmptyUnwrap.into()),
            },
            ExprKind::New(record, fields) => self.new_record(*record, fields, f),
            ExprKind::Atomic(primitive, place, operands) => {
                self.primitive(*primitive, place, operands, f)
            }
            ExprKind::Dcas { places, old, new } => {
                self.dcas(places, [&old[0], &old[1], &new[0], &new[1]], f)
            }
            ExprKind::Call(proc, args) => {
                let args = self.operands(&args.iter().collect::<Vec<_>>(), f);
                let args = self.at(0, args)?;
                let unit = self.code.unit;
                let result = self.procedure(&unit.procs[proc.index()], args);
                self.at(1, result)
            }
            ExprKind::Invoke(op, args) => {
                let known: Vec<&Expr> = args.iter().flatten().collect();
                let values = self.operands(&known, f);
                let mut values = self.at(0, values)?.into_iter();
                let args = args.iter().map(|a| a.as_ref().and_then(|_| values.next())).collect();
                let result = self.invoke(*op, args);
                self.at(1, result)
            }
            ExprKind::Choose(alternatives) => {
                let values = self.operands(&alternatives.iter().collect::<Vec<_>>(), f)?;
                let i = self.choose(values.len())?;
                Ok(values[i].clone())
            }
            ExprKind::ChooseRange(lo, hi) => {
                let bounds = self.operands(&[lo, hi], f)?;
                let (lo, hi) = (int(&bounds[0]), int(&bounds[1]));
                let i =
                    self.choose(usize::try_from(i64::from(hi) - i64::from(lo) + 1).unwrap_or(0))?;
                Ok(Value::Int(lo + i as i32))
            }
            ExprKind::ChooseFrom(e) => {
                let elements = collection::elements(&self.eval(e, f)?);
                let i = self.choose(elements.len())?;
                Ok(elements[i].clone())
            }
            ExprKind::Method(method, receiver, args) => self.method(*method, receiver, args, f),
            ExprKind::ThreadIndex(e) => match self.eval(e, f)? {
                Value::Thread(t) if t > 0 => Ok(Value::Int(t as i32 - 1)),
                _ => Err(FaultKind::IndexOutOfRange.into()),
            },
            ExprKind::ThreadAt(e) => {
                let i = int(&self.eval(e, f)?);
                match i >= 0 && i < self.code.threads as i32 {
                    true => Ok(Value::Thread(i as u32 + 1)),
                    false => Err(FaultKind::IndexOutOfRange.into()),
                }
            }
            ExprKind::ThreadCount => Ok(Value::Int(self.code.threads as i32)),
            ExprKind::OtherThread(set) => {
                let visited = collection::elements(&self.eval(set, f)?);
                let all = (1..=self.code.threads).map(Value::Thread);
                let others: Vec<Value> = all.filter(|t| !visited.contains(t)).collect();
                let i = self.choose(others.len())?;
                Ok(others[i].clone())
            }
            ExprKind::AnyThread => {
                let i = self.choose(self.code.threads as usize)?;
                Ok(Value::Thread(i as u32 + 1))
            }
        }
    }

    /// Evaluates operands from left to right.
    pub(super) fn operands(&mut self, exprs: &[&Expr], f: &mut Frame) -> Result<Vec<Value>, Stop> {
        let mut values = Vec::with_capacity(exprs.len());
        for e in exprs {
            let value = self.eval(e, f);
            values.push(self.holding(&values, value)?);
        }
        Ok(values)
    }

    /// Which place an expression denotes; reads what is needed to find out.
    pub(super) fn address(&mut self, place: &Expr, f: &mut Frame) -> Result<Address, Stop> {
        let start = |root| Address { root, path: Vec::new() };
        match &place.kind {
            ExprKind::Local(id) => Ok(start(Root::Local(id.index()))),
            ExprKind::Global(id) => Ok(start(Root::Global(id.index()))),
            ExprKind::Field(record, field) => match self.eval(record, f)? {
                Value::Ref(id) if id != 0 => Ok(start(Root::Heap(id, *field as usize))),
                _ => Err(FaultKind::NullDereference.into()),
            },
            ExprKind::Part(whole, i) => {
                let mut address = self.address(whole, f)?;
                address.path.push(Hop::At(*i as usize));
                Ok(address)
            }
            ExprKind::Index(whole, index) => {
                let address = self.address(whole, f);
                let mut address = self.at(0, address)?;
                let index = self.eval(index, f);
                let index = self.holding(&address.dynamic_part(), index);
                let index = self.at(1, index)?;
                address.path.push(self.hop(&index, &whole.ty)?);
                Ok(address)
            }
            // Not a place; no front end produces this.
            _ => Err(FaultKind::NullDereference.into()),
        }
    }

    fn read(&mut self, place: &Expr, f: &mut Frame) -> Result<Value, Stop> {
        let address = self.address(place, f);
        let address = self.at(0, address)?;
        let value = self.touch(&address, address.dynamic_part(), |run| run.load(&address, f));
        self.at(1, value)
    }

    fn new_record(
        &mut self,
        record: RecordId,
        given: &[(u32, Expr)],
        f: &mut Frame,
    ) -> Result<Value, Stop> {
        let values = self.operands(&given.iter().map(|(_, e)| e).collect::<Vec<_>>(), f);
        let values = self.at(0, values)?;
        let program = self.code.program;
        let mut fields: Vec<Value> = program.records[record.index()]
            .fields
            .iter()
            .map(|field| Value::default_of(&field.ty, program))
            .collect();
        for ((field, _), value) in given.iter().zip(values) {
            fields[*field as usize] = value;
        }
        let new = self.allocate(record, fields);
        self.at(1, new)
    }

    fn primitive(
        &mut self,
        primitive: Primitive,
        place: &Expr,
        operands: &[Expr],
        f: &mut Frame,
    ) -> Result<Value, Stop> {
        let address = self.address(place, f);
        let address = self.at(0, address)?;
        let mut held = address.dynamic_part();
        let values = self.operands(&operands.iter().collect::<Vec<_>>(), f);
        let values = self.holding(&held, values);
        let values = self.at(1, values)?;
        let written = match primitive {
            Primitive::Cas | Primitive::CasValue => values.get(1),
            Primitive::Swap | Primitive::StoreConditional => values.first(),
            _ => None,
        };
        if let Some(written) = written {
            self.must_fit(written, &place.ty)?;
        }
        held.extend_from_slice(&values);
        let result = self.touch(&address, held, |run| {
            let old = run.load(&address, f)?;
            let link = (run.me, shape(place));
            let linked = run.shared.links.get(&link) == Some(&address);
            let (new, result) = match primitive {
                Primitive::Cas if old == values[0] => (Some(values[1].clone()), Value::Bool(true)),
                Primitive::Cas => (None, Value::Bool(false)),
                Primitive::Swap => (Some(values[0].clone()), old),
                Primitive::CasValue if old == values[0] => (Some(values[1].clone()), old),
                Primitive::CasValue => (None, old),
                Primitive::Fetch(op) => (Some(binary(op, &old, &values[0])?), old),
                Primitive::LoadLinked => {
                    run.shared.links.insert(link, address.clone());
                    (None, old)
                }
                Primitive::StoreConditional => {
                    run.shared.links.remove(&link);
                    (linked.then(|| values[0].clone()), Value::Bool(linked))
                }
                Primitive::Validate => (None, Value::Bool(linked)),
                Primitive::TryLock if old == Value::Thread(0) => {
                    (Some(Value::Thread(run.me)), Value::Bool(true))
                }
                Primitive::TryLock => (None, Value::Bool(false)),
            };
            if let Some(new) = new {
                run.store(&address, new, &place.ty, f)?;
            }
            Ok(result)
        });
        self.at(2, result)
    }

    /// Both places, then the old values, then the new ones; then one access to both places.
    fn dcas(
        &mut self,
        places: &[Expr; 2],
        operands: [&Expr; 4],
        f: &mut Frame,
    ) -> Result<Value, Stop> {
        let first = self.address(&places[0], f);
        let first = self.at(0, first)?;
        let mut held = first.dynamic_part();
        let second = self.address(&places[1], f);
        let second = self.holding(&held, second);
        let second = self.at(1, second)?;
        held.extend(second.dynamic_part());
        let values = self.operands(&operands, f);
        let values = self.holding(&held, values);
        let values = self.at(2, values)?;
        self.must_fit(&values[2], &places[0].ty)?;
        self.must_fit(&values[3], &places[1].ty)?;
        held.extend_from_slice(&values);
        let result = self.access(held, |run| {
            let equal = run.load(&first, f)? == values[0] && run.load(&second, f)? == values[1];
            if equal {
                run.store(&first, values[2].clone(), &places[0].ty, f)?;
                run.store(&second, values[3].clone(), &places[1].ty, f)?;
            }
            Ok(Value::Bool(equal))
        });
        self.at(3, result)
    }

    fn method(
        &mut self,
        method: Method,
        receiver: &Expr,
        args: &[Expr],
        f: &mut Frame,
    ) -> Result<Value, Stop> {
        let place = if is_place(receiver) { Some(self.address(receiver, f)?) } else { None };
        let mut value = match &place {
            None => self.eval(receiver, f)?,
            Some(_) => Value::Unit,
        };
        let args = self.operands(&args.iter().collect::<Vec<_>>(), f)?;
        if let Some(address) = &place {
            value = self.load(address, f)?;
        }
        let before = value.clone();
        let result = collection::apply(method, &mut value, args)?;
        if let Some(address) = place
            && value != before
        {
            self.store(&address, value, &receiver.ty, f)?;
        }
        Ok(result)
    }
}

impl Run<'_, '_> {
    /// The step into an indexed value.
    fn hop(&mut self, index: &Value, whole: &Type) -> Result<Hop, Stop> {
        let out_of_range = Stop::Fault(FaultKind::IndexOutOfRange);
        match (whole, index) {
            (Type::Map(..), key) => Ok(Hop::Key(key.clone())),
            (Type::PerThread(_), Value::Thread(t)) if *t > 0 => Ok(Hop::At(*t as usize - 1)),
            (Type::Array(_, n), Value::Int(i)) if *i >= 0 && (*i as u32) < *n => {
                Ok(Hop::At(*i as usize))
            }
            (Type::Endless(..), Value::Int(i)) if *i >= 0 => {
                if *i as u32 >= self.code.cells {
                    self.left_out = true;
                    return Err(Stop::Assumed);
                }
                Ok(Hop::At(*i as usize))
            }
            (Type::Seq(_), Value::Int(i)) if *i >= 0 => Ok(Hop::At(*i as usize)),
            _ => Err(out_of_range),
        }
    }
}

/// Does the expression denote a place?
fn is_place(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::Field(..) => true,
        ExprKind::Part(whole, _) | ExprKind::Index(whole, _) => is_place(whole),
        _ => false,
    }
}

/// A number; the front end guarantees the type.
pub(super) fn int(value: &Value) -> i32 {
    match value {
        Value::Int(n) => *n,
        _ => 0,
    }
}

fn unary(op: UnOp, value: Value) -> Result<Value, Stop> {
    match op {
        UnOp::Not => Ok(Value::Bool(value != Value::Bool(true))),
        UnOp::Neg => number(int(&value).checked_neg()),
    }
}

fn binary(op: BinOp, a: &Value, b: &Value) -> Result<Value, Stop> {
    let (x, y) = (int(a), int(b));
    match op {
        BinOp::Add => number(x.checked_add(y)),
        BinOp::Sub => number(x.checked_sub(y)),
        BinOp::Mul => number(x.checked_mul(y)),
        BinOp::Div | BinOp::Rem if y == 0 => Err(FaultKind::DivisionByZero.into()),
        BinOp::Div => number(x.checked_div(y)),
        BinOp::Rem => number(x.checked_rem(y)),
        BinOp::BitAnd => Ok(Value::Int(bits(x, y, |p, q| p && q))),
        BinOp::BitOr => Ok(Value::Int(bits(x, y, |p, q| p || q))),
        BinOp::BitXor => Ok(Value::Int(bits(x, y, |p, q| p != q))),
        BinOp::Shl | BinOp::Shr if !(0..32).contains(&y) => number(None),
        BinOp::Shl => number((0..y).try_fold(x, |n, _| n.checked_mul(2))),
        BinOp::Shr => Ok(Value::Int((0..y).fold(x, |n, _| n.div_euclid(2)))),
        BinOp::Eq => Ok(Value::Bool(a == b)),
        BinOp::Ne => Ok(Value::Bool(a != b)),
        BinOp::Lt => Ok(Value::Bool(x < y)),
        BinOp::Le => Ok(Value::Bool(x <= y)),
        BinOp::Gt => Ok(Value::Bool(x > y)),
        BinOp::Ge => Ok(Value::Bool(x >= y)),
        BinOp::And => Ok(Value::Bool(*a == Value::Bool(true) && *b == Value::Bool(true))),
        BinOp::Or => Ok(Value::Bool(*a == Value::Bool(true) || *b == Value::Bool(true))),
    }
}

/// Two numbers, bit by bit.
fn bits(x: i32, y: i32, of: fn(bool, bool) -> bool) -> i32 {
    let bit = |n: i32, i: u32| n.rotate_right(i) % 2 != 0;
    (0..32).fold(0i32, |n, i| n | (i32::from(of(bit(x, i), bit(y, i))).rotate_left(i)))
}

fn number(result: Option<i32>) -> Result<Value, Stop> {
    result.map(Value::Int).ok_or(Stop::Fault(FaultKind::IntegerOutOfRange))
}
