//! Arrays and collections: lists of values.

use linchpin_csp::ast::*;

use super::{Data, Env, FALSE, Naive, Val};

/// While a program runs: which object a variable refers to.
pub(super) type Objects = std::collections::BTreeMap<String, usize>;

/// Shows a change to all variables that refer to the object of one.
pub(super) fn change_all(data: &mut Data, objects: &Objects, name: &str) {
    let value = data.variables[name].clone();
    for (other, _) in objects.iter().filter(|(_, object)| **object == objects[name]) {
        data.variables.insert(other.clone(), value.clone());
    }
}

impl Naive<'_> {
    pub(super) fn initial_values(&self, v: &Variable) -> Vec<Val> {
        if v.collection.is_some() {
            return Vec::new();
        }
        match (&v.initial, v.sizes.as_slice()) {
            (Some(Initial::Value(e)), _) => vec![self.eval_const(e)],
            (Some(Initial::Array(elements, _)), _) => {
                elements.iter().map(|e| self.element(e, &Vec::new(), None)).collect()
            }
            (Some(Initial::Any(_)), _) => panic!("the slow interpreter begins in one way"),
            (None, [size]) => vec![0; self.eval_const(size) as usize],
            _ => vec![0],
        }
    }

    fn element(&self, e: &Element, env: &Env, data: Option<&Data>) -> Val {
        match (e, data) {
            (Element::Times(e, None), Some(data)) => self.eval(e, env, data),
            (Element::Times(e, None), None) => self.eval_const(e),
            other => panic!("no test has {other:?}"),
        }
    }

    /// Is this an array as a whole?
    pub(super) fn is_array(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => {
                let whole = |v: &Variable| !v.sizes.is_empty() || v.collection.is_some();
                self.model.variables.iter().any(|v| v.name.text == *name && whole(v))
            }
            ExprKind::Array(_) => true,
            _ => false,
        }
    }

    /// Its elements.
    pub(super) fn list(&self, e: &Expr, env: &Env, data: &Data) -> Vec<Val> {
        match &e.kind {
            ExprKind::Name(name) => data.variables[name].clone(),
            ExprKind::Array(list) => {
                list.iter().map(|e| self.element(e, env, Some(data))).collect()
            }
            other => panic!("no test has {other:?}"),
        }
    }

    /// Which element `a[i]` is.
    pub(super) fn place(&self, e: &Expr, env: &Env, data: &Data) -> usize {
        let ExprKind::Index(_, indices) = &e.kind else { panic!("an element") };
        self.eval(&indices[0], env, data) as usize
    }
}

/// A method that changes nothing.
pub(super) fn ask(list: &[Val], method: &str, arguments: &[Val]) -> Val {
    match method {
        "Count" => list.len() as Val,
        "Contains" => FALSE + Val::from(list.contains(&arguments[0])),
        "First" => list[0],
        other => panic!("no test has {other}"),
    }
}

/// A method that changes something.
pub(super) fn change(list: &mut Vec<Val>, method: &str, arguments: &[Val]) {
    match method {
        "Enqueue" => list.push(arguments[0]),
        "Dequeue" => drop(list.remove(0)),
        "Add" => {
            if !list.contains(&arguments[0]) {
                list.push(arguments[0]);
                list.sort_unstable();
            }
        }
        "Remove" => list.retain(|v| *v != arguments[0]),
        other => panic!("no test has {other}"),
    }
}
