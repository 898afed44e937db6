//! Specifications that are written in the language `.lin`, and values of logs as values of that language.
//!
//! Values are converted by type: a number where a number is wanted, `nil` where something may be `empty`, and anything at
//! all as an opaque value of a `data` type, which has a number of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use linchpin_lin::program::{
    Expr, ExprKind, Method, OpId, Program, SpecId, Stmt, StmtKind, Struct, StructId, Type,
};
use linchpin_lin::specify::Specification;
use linchpin_lin::{Value, walk};
use linchpin_lts::Watch;

use crate::datum::Datum;
use crate::keyed;

/// A specification with what values of the log mean in it.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) program: Arc<Program>,
    pub(crate) id: SpecId,
    /// Numbers of opaque values, from 1.
    opaque: Mutex<Opaque>,
    /// Of a built-in whose numbers are only compared: their places in order, so that they fit into 32 bits.
    ranks: BTreeMap<i64, i32>,
    /// Is everything but a text opaque where a sequence of characters is wanted?
    texts_only: bool,
}

#[derive(Debug, Default)]
struct Opaque {
    numbers: HashMap<Datum, u32>,
    data: Vec<Datum>,
}

impl Written {
    pub(crate) fn new(program: Arc<Program>, id: SpecId) -> Self {
        let opaque = Mutex::default();
        Written { program, id, opaque, ranks: BTreeMap::new(), texts_only: false }
    }

    /// For the judge of a built-in: numbers are only compared, if `ranks` has them, and only texts are sequences of
    /// characters.
    pub(crate) fn twin(program: Arc<Program>, id: SpecId, ranks: BTreeMap<i64, i32>) -> Self {
        let opaque = Mutex::default();
        Written { program, id, opaque, ranks, texts_only: true }
    }

    /// The specification as it is executed.
    pub(crate) fn specification(
        &self,
        threads: u32,
        watch: &Watch,
    ) -> Result<Specification, String> {
        let made = Specification::shared(self.program.clone(), self.id, threads.max(1));
        made.map(|s| s.within(watch)).map_err(|fault| fault.to_string())
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.unit().name
    }

    fn unit(&self) -> &linchpin_lin::program::Unit {
        &self.program.specs[self.id.index()].unit
    }

    /// The operation of this name, with the number of its arguments.
    pub(crate) fn op(&self, name: &str) -> Option<(u8, usize)> {
        let plain = |n: &str| n.to_lowercase().replace('-', "_");
        let ops = 0..self.unit().ops.len() as u32;
        let found = ops.map(OpId).find(|&op| plain(&self.unit().op(op).name) == plain(name))?;
        Some((u8::try_from(found.0).ok()?, self.unit().op(found).params as usize))
    }

    /// The names of its operations.
    pub(crate) fn names(&self) -> Vec<&str> {
        (0..self.unit().ops.len() as u32).map(|op| &*self.unit().op(OpId(op)).name).collect()
    }

    pub(crate) fn op_name(&self, op: u8) -> &str {
        &self.unit().op(OpId(u32::from(op))).name
    }

    /// Does an operation give nothing back?
    pub(crate) fn gives_nothing(&self, op: u8) -> bool {
        self.unit().op(OpId(u32::from(op))).result == Type::Unit
    }

    /// Can an operation be seen to change nothing, whatever the state? It can, if it writes to nothing but its own
    /// variables.
    pub(crate) fn changes_nothing(&self, op: u8) -> bool {
        let changes = std::cell::Cell::new(false);
        let looks = |e: &Expr| {
            changes.set(changes.get() || may_change(e));
        };
        let assigns = |s: &Stmt| {
            if let StmtKind::Assign { place, .. } = &s.kind {
                changes.set(changes.get() || !is_own(place));
            }
        };
        let body = &self.unit().op(OpId(u32::from(op))).body;
        walk::visit(body, &mut { looks }, &mut { assigns });
        !changes.get()
    }

    /// Is its first argument a key?
    pub(crate) fn is_keyed(&self, op: u8) -> bool {
        keyed::is_keyed(self.unit(), self.unit().op(OpId(u32::from(op))))
    }

    /// Of a built-in: the same operation without its result, if it has one.
    pub(crate) fn unseen(&self, op: u8) -> Option<u8> {
        let name = format!("{}_unseen", self.op_name(op));
        self.op(&name).filter(|_| self.texts_only).map(|found| found.0)
    }

    /// Arguments as values.
    pub(crate) fn args(&self, op: u8, args: &[Datum]) -> Result<Vec<Value>, String> {
        let proc = self.unit().op(OpId(u32::from(op)));
        args.iter().zip(&proc.locals).map(|(datum, var)| self.value(datum, &var.ty)).collect()
    }

    /// A result as a value.
    pub(crate) fn result(&self, op: u8, result: &Datum) -> Result<Value, String> {
        self.value(result, &self.unit().op(OpId(u32::from(op))).result)
    }

    /// A result as the log would have it.
    pub(crate) fn shown_result(&self, op: u8, result: &Value) -> Datum {
        self.datum(result, &self.unit().op(OpId(u32::from(op))).result)
    }

    /// `items = [1 2]`, for every variable.
    pub(crate) fn describe(&self, state: &[Value]) -> String {
        let vars = state.iter().zip(&self.unit().vars);
        let all: Vec<String> =
            vars.map(|(v, var)| format!("{} = {}", var.name, self.datum(v, &var.ty))).collect();
        all.join(", ")
    }

    /// A value of a type.
    pub(crate) fn value(&self, datum: &Datum, ty: &Type) -> Result<Value, String> {
        let because = |wanted: &str| format!("{datum} stands where {wanted} is wanted");
        let wrong = |wanted: &str| Err(because(wanted));
        let all = |ty: &Type, what: &str| -> Result<Vec<Value>, String> {
            let elements = datum.elements().ok_or_else(|| because(what))?;
            elements.iter().map(|e| self.value(e, ty)).collect()
        };
        match (ty, datum) {
            (Type::Unit, _) => Ok(Value::Unit),
            (Type::Bool, Datum::Bool(b)) => Ok(Value::Bool(*b)),
            (Type::Bool, _) => wrong("true or false"),
            (Type::Int { lo, hi }, Datum::Int(n)) => {
                let n = match self.ranks.get(n) {
                    Some(rank) => *rank,
                    None => match i32::try_from(*n) {
                        Ok(n) => n,
                        Err(_) => return wrong("a number of 32 bits"),
                    },
                };
                if (*lo..=*hi).contains(&n) {
                    Ok(Value::Int(n))
                } else {
                    wrong(&format!("a number from {lo} to {hi}"))
                }
            }
            (Type::Int { .. }, _) => wrong("a number"),
            (Type::Enum(id), _) => {
                let variants = &self.program.enums[id.index()].variants;
                match datum.letters().and_then(|l| variants.iter().position(|v| v == l)) {
                    Some(i) => Ok(Value::Enum(i as u32)),
                    None => wrong(&format!("one of {}", variants.join(", "))),
                }
            }
            (Type::Data(_), Datum::Nil) => wrong("a value"),
            (Type::Data(_), _) => Ok(Value::Data(self.number(datum))),
            (Type::Option(_), Datum::Nil) => Ok(Value::Option(None)),
            (Type::Option(inner), _) => {
                Ok(Value::Option(Some(Box::new(self.value(datum, inner)?))))
            }
            (Type::Seq(inner), _) if **inner == Type::INT && datum.letters().is_some() => {
                let letters = datum.letters().unwrap_or_default();
                Ok(Value::Seq(letters.chars().map(|c| Value::Int(c as i32)).collect()))
            }
            (Type::Seq(inner), _) if **inner == Type::INT && self.texts_only => {
                Ok(Value::Seq(vec![Value::Int(-(self.number(datum) as i32))]))
            }
            (Type::Seq(inner), _) => Ok(Value::Seq(all(inner, "a list")?)),
            (Type::Set(inner), _) => {
                Ok(Value::Set(all(inner, "a list")?.into_iter().collect::<BTreeSet<_>>()))
            }
            (Type::Bag(inner), _) => {
                let mut bag = BTreeMap::new();
                for element in all(inner, "a list")? {
                    *bag.entry(element).or_insert(0) += 1;
                }
                Ok(Value::Bag(bag))
            }
            (Type::Map(key, value), Datum::Map(entries)) => {
                let entries = entries.iter().filter(|(_, v)| *v != Datum::Nil);
                let pairs = entries.map(|(k, v)| Ok((self.value(k, key)?, self.value(v, value)?)));
                Ok(Value::Map(pairs.collect::<Result<_, String>>()?))
            }
            (Type::Tuple(parts), Datum::List(elements)) if parts.len() == elements.len() => {
                let parts = elements.iter().zip(parts).map(|(e, t)| self.value(e, t));
                Ok(Value::Tuple(parts.collect::<Result<_, _>>()?))
            }
            (Type::Struct(id), _) if self.program.sum(ty).is_some() => self.variant(datum, *id),
            (Type::Struct(id), Datum::List(elements)) => {
                let fields = &self.program.structs[id.index()].fields;
                if fields.len() != elements.len() {
                    return wrong(&format!("a list of {}", fields.len()));
                }
                let parts = elements.iter().zip(fields).map(|(e, f)| self.value(e, &f.ty));
                Ok(Value::Tuple(parts.collect::<Result<_, _>>()?))
            }
            _ => wrong("another kind of value"),
        }
    }

    /// A value of an enum whose values carry others: its name, or a list of its name and what it carries.
    fn variant(&self, datum: &Datum, id: StructId) -> Result<Value, String> {
        let Struct { name, fields, sum } = &self.program.structs[id.index()];
        let wrong = || Err(format!("{datum} stands where a value of {name} is wanted"));
        let Some(sum) = sum else { return wrong() };
        let (word, carried) = match datum {
            Datum::List(elements) if !elements.is_empty() => (&elements[0], &elements[1..]),
            _ => (datum, [].as_slice()),
        };
        let variants = &self.program.enums[sum.tag.index()].variants;
        let Some(i) = word.letters().and_then(|l| variants.iter().position(|v| v == l)) else {
            return wrong();
        };
        let fields = &fields[sum.carried[i].clone()];
        if fields.len() != carried.len() {
            return wrong();
        }
        let carried = carried.iter().zip(fields).map(|(e, f)| self.value(e, &f.ty));
        let carried = carried.collect::<Result<Vec<_>, _>>()?;
        Ok(Value::of_variant(id, i as u32, carried, &self.program))
    }

    /// The other way round.
    fn datum(&self, value: &Value, ty: &Type) -> Datum {
        let all = |elements: &mut dyn Iterator<Item = &Value>, ty: &Type| {
            Datum::list(elements.map(|e| self.datum(e, ty)).collect())
        };
        match (value, ty) {
            (Value::Bool(b), _) => Datum::Bool(*b),
            (Value::Int(n), _) => {
                let ranked = self.ranks.iter().find(|(_, rank)| *rank == n);
                Datum::Int(ranked.map_or(i64::from(*n), |(whole, _)| *whole))
            }
            (Value::Enum(i), Type::Enum(id)) => {
                let variants = &self.program.enums[id.index()].variants;
                Datum::Word(variants.get(*i as usize).map_or("?", String::as_str).into())
            }
            (Value::Data(n), _) => self.known(*n),
            (Value::Option(Some(inner)), Type::Option(ty)) => self.datum(inner, ty),
            (Value::Seq(codes), Type::Seq(ty)) if **ty == Type::INT && self.texts_only => {
                match codes.as_slice() {
                    [Value::Int(n)] if *n < 0 => self.known(n.unsigned_abs()),
                    _ => {
                        let letter = |v: &Value| match v {
                            Value::Int(n) => char::from_u32(n.cast_unsigned()).unwrap_or('?'),
                            _ => '?',
                        };
                        Datum::text(&codes.iter().map(letter).collect::<String>())
                    }
                }
            }
            (Value::Seq(elements), Type::Seq(ty)) => all(&mut elements.iter(), ty),
            (Value::Set(elements), Type::Set(ty)) => all(&mut elements.iter(), ty),
            (Value::Bag(elements), Type::Bag(ty)) => {
                let copies = elements.iter().flat_map(|(v, n)| std::iter::repeat_n(v, *n as usize));
                all(&mut { copies }, ty)
            }
            (Value::Map(entries), Type::Map(k, v)) => Datum::map(
                entries.iter().map(|(a, b)| (self.datum(a, k), self.datum(b, v))).collect(),
            ),
            (Value::Tuple(parts), Type::Tuple(types)) => {
                Datum::list(parts.iter().zip(types).map(|(p, t)| self.datum(p, t)).collect())
            }
            (Value::Tuple(parts), Type::Struct(id)) => {
                let fields = &self.program.structs[id.index()].fields;
                if let Some((name, carried)) = self.program.variant(ty, parts) {
                    let word = Datum::Word(name.into());
                    let own = carried.clone().map(|i| self.datum(&parts[i], &fields[i].ty));
                    let all: Vec<_> = [word.clone()].into_iter().chain(own).collect();
                    return if carried.is_empty() { word } else { Datum::list(all) };
                }
                Datum::list(parts.iter().zip(fields).map(|(p, f)| self.datum(p, &f.ty)).collect())
            }
            (Value::Tuple(parts), Type::Array(ty, _) | Type::PerThread(ty)) => {
                all(&mut parts.iter(), ty)
            }
            (Value::Thread(n), _) => Datum::Word(format!("T{n}").into()),
            _ => Datum::Nil,
        }
    }

    fn number(&self, datum: &Datum) -> u32 {
        let Ok(mut opaque) = self.opaque.lock() else { return 0 };
        if let Some(&number) = opaque.numbers.get(datum) {
            return number;
        }
        opaque.data.push(datum.clone());
        let number = opaque.data.len() as u32;
        opaque.numbers.insert(datum.clone(), number);
        number
    }

    fn known(&self, number: u32) -> Datum {
        let opaque = self.opaque.lock().ok();
        let data = opaque.as_ref().and_then(|o| o.data.get((number as usize).wrapping_sub(1)));
        data.cloned().unwrap_or(Datum::Word("unset".into()))
    }
}

/// Is a place part of a variable of the operation itself?
fn is_own(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Local(_) => true,
        ExprKind::Part(of, _) | ExprKind::Index(of, _) => is_own(of),
        _ => false,
    }
}

/// Might an expression, apart from its parts, change the state?
fn may_change(e: &Expr) -> bool {
    use Method::{Contains, Count, First, Get, IsEmpty, Last, Len, Max, Min};
    match &e.kind {
        ExprKind::Method(Len | IsEmpty | First | Last | Contains | Count | Get | Min | Max, ..) => {
            false
        }
        ExprKind::Method(_, receiver, _) => !is_own(receiver),
        ExprKind::Call(..)
        | ExprKind::New(..)
        | ExprKind::Atomic(..)
        | ExprKind::Dcas { .. }
        | ExprKind::Invoke(..) => true,
        _ => false,
    }
}

impl Written {
    /// The same of a program whose variables begin with other values.
    pub(crate) fn with(self, program: Arc<Program>) -> Self {
        Written { program, ..self }
    }
}
