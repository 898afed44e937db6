//! Does an operation of a `.lin` specification touch only what belongs to its key? Then histories of it fall into one part
//! per key, like those of a built-in map.
//!
//! This is decided from its text. Its key is its first parameter, which it does not change. It uses variables of the
//! specification only so: `m[k]`, `m.get(k)`, `m.put(k, v)`, `m.contains(k)`, `m.remove(k)` of a map, and
//! `s.insert(k)`, `s.remove(k)`, `s.contains(k)`, `s.count(k)` of a set or bag. What these see and change is what is under `k`, and
//! nothing else of the state: so operations with different keys commute and do not see each other, and the state is a
//! product of one state per key. Helper procedures, records, and the number of threads are not looked into: an operation
//! that uses them has no key.

use linchpin_lin::program::{Expr, ExprKind, Method, Proc, Stmt, StmtKind, Type, Unit};
use linchpin_lin::walk;

/// Is the first parameter of an operation a key?
pub(crate) fn is_keyed(unit: &Unit, op: &Proc) -> bool {
    let (mut uses, mut by_key, mut fits) = (0, 0, op.params > 0);
    let mut look = |e: &Expr| match &e.kind {
        ExprKind::Global(_) => uses += 1,
        ExprKind::Index(of, key) if is_key(key) && is_map(unit, of) => by_key += 1,
        ExprKind::Method(method, of, args) => {
            let keyed = match method {
                Method::Get | Method::Put => is_map(unit, of),
                Method::Contains | Method::Remove => is_map(unit, of) || has_elements(unit, of),
                Method::Insert | Method::Count => has_elements(unit, of),
                _ => false,
            };
            by_key += u32::from(keyed && args.first().is_some_and(is_key));
            // A method may change what it is called on.
            fits &= !is_part_of_key(of);
        }
        ExprKind::Call(..)
        | ExprKind::New(..)
        | ExprKind::Field(..)
        | ExprKind::Atomic(..)
        | ExprKind::Dcas { .. }
        | ExprKind::Invoke(..)
        | ExprKind::ThreadAt(_)
        | ExprKind::ThreadCount
        | ExprKind::AnyThread
        | ExprKind::OtherThread(_) => fits = false,
        _ => {}
    };
    let mut unchanged = true;
    let mut assigned = |s: &Stmt| {
        if let StmtKind::Assign { place, .. } = &s.kind {
            unchanged &= !is_part_of_key(place);
        }
    };
    walk::visit(&op.body, &mut look, &mut assigned);
    fits && unchanged && uses == by_key
}

fn is_key(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Local(local) if local.index() == 0)
}

fn is_part_of_key(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Part(of, _) | ExprKind::Index(of, _) => is_part_of_key(of),
        _ => is_key(place),
    }
}

/// The type of a variable of the specification, if this is one.
fn variable<'u>(unit: &'u Unit, e: &Expr) -> Option<&'u Type> {
    match &e.kind {
        ExprKind::Global(var) => unit.vars.get(var.index()).map(|v| &v.ty),
        _ => None,
    }
}

fn is_map(unit: &Unit, e: &Expr) -> bool {
    matches!(variable(unit, e), Some(Type::Map(..)))
}

fn has_elements(unit: &Unit, e: &Expr) -> bool {
    matches!(variable(unit, e), Some(Type::Set(_) | Type::Bag(_)))
}
