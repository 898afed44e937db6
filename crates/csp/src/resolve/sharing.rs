//! Arrays and collections that are one while a program runs.
//!
//! In PAT an assignment `a = b` of an array or collection copies a reference: until the program ends, what changes
//! `a` changes `b`. Between programs each variable has a value of its own. Here variables are values always, so a change
//! of one is written out as that change and then copies to the others: `a = b; a[0] = 1;` becomes `a = b; a[0] = 1; b = a;`.
//! Everything after this file sees ordinary programs, and what a program reads and writes is what it says.
//!
//! Who is one with whom is found out from the text, for every place of a program. Where it depends on a condition or on
//! the rounds of a loop, or a change is a part of a larger expression, the change is refused.

use linchpin_text::Span;

use crate::program::{Base, Expr, NO_VARIABLE, Stmt, Variable};

/// A variable of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    base: Base,
    /// Of an array whose elements have places of their own.
    length: Option<u32>,
    /// Its number if it is a global one.
    variable: u32,
}

/// Which variables are one at a place of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sharing {
    /// Lists of two and more, in order.
    classes: Vec<Vec<Member>>,
    /// Of these it is not known.
    unsure: Vec<Base>,
}

/// Writes changes of variables that are one out; or says which change is not supported.
pub(super) fn write_out(list: Vec<Stmt>, variables: &[Variable]) -> Result<Vec<Stmt>, Span> {
    if !shares(&list) {
        return Ok(list);
    }
    Writer { variables }.statements(list, &mut Sharing::default())
}

/// Is some variable given to another one? Almost no program does that and changes one of them.
fn shares(list: &[Stmt]) -> bool {
    list.iter().any(|statement| match statement {
        Stmt::Do(e) => given(e),
        Stmt::If(e, a, b, _) => given(e) || shares(a) || shares(b),
        Stmt::While(e, body, _) => given(e) || shares(body),
    })
}

fn given(e: &Expr) -> bool {
    matches!(e, Expr::Assign(_, _, value, _) | Expr::AssignWhole(_, _, _, value, _)
        if !matches!(**value, Expr::Const(_) | Expr::Array(..)))
        || e.parts().any(given)
}

struct Writer<'v> {
    variables: &'v [Variable],
}

impl Writer<'_> {
    fn statements(&self, list: Vec<Stmt>, at: &mut Sharing) -> Result<Vec<Stmt>, Span> {
        let mut out = Vec::new();
        for statement in list {
            match statement {
                Stmt::Do(e) => {
                    let copies = self.whole_expression(&e, at)?;
                    out.push(Stmt::Do(e));
                    out.extend(copies.into_iter().map(Stmt::Do));
                }
                Stmt::If(condition, then, other, span) => {
                    self.part(&condition, at)?;
                    let mut after = at.clone();
                    let then = self.statements(then, at)?;
                    let other = self.statements(other, &mut after)?;
                    at.join(&after);
                    out.push(Stmt::If(condition, then, other, span));
                }
                Stmt::While(condition, body, span) => {
                    // What is so at the beginning of every round.
                    loop {
                        let mut after = at.clone();
                        self.part(&condition, &mut after)?;
                        self.statements(body.clone(), &mut after)?;
                        let before = at.clone();
                        at.join(&after);
                        if *at == before {
                            break;
                        }
                    }
                    self.part(&condition, at)?;
                    let body = self.statements(body, &mut at.clone())?;
                    out.push(Stmt::While(condition, body, span));
                }
            }
        }
        Ok(out)
    }

    /// What an expression that is a statement does, and the copies that belong behind it.
    fn whole_expression(&self, e: &Expr, at: &mut Sharing) -> Result<Vec<Expr>, Span> {
        if let Some((to, value)) = self.assigned(e) {
            // `a = b = c`: all three are one.
            let chain = self.assigned(value).map(|(member, _)| member);
            let from = chain.or_else(|| self.named(value));
            match chain {
                Some(_) => drop(self.whole_expression(value, at)?),
                None => self.part(value, at)?,
            }
            at.assign(to, from);
            return Ok(Vec::new());
        }
        for part in e.parts() {
            self.part(part, at)?;
        }
        let Some((base, span)) = changed(e) else { return Ok(Vec::new()) };
        if at.unsure.contains(&base) {
            return Err(span);
        }
        let Some(class) = at.class(base) else { return Ok(Vec::new()) };
        if e.parts().any(assigns) {
            return Err(span);
        }
        let Some(from) = class.iter().find(|m| m.base == base) else { return Ok(Vec::new()) };
        let others = class.iter().filter(|m| m.base != base);
        Ok(others.map(|to| copy(*to, *from, span)).collect())
    }

    /// Looks at a part of an expression, or at a condition.
    fn part(&self, e: &Expr, at: &mut Sharing) -> Result<(), Span> {
        for part in e.parts() {
            self.part(part, at)?;
        }
        if let Some((to, value)) = self.assigned(e) {
            at.doubt(to.base);
            if let Some(from) = self.named(value) {
                at.doubt(from.base);
            }
        }
        match changed(e) {
            Some((base, span)) if at.unsure.contains(&base) || at.class(base).is_some() => {
                Err(span)
            }
            _ => Ok(()),
        }
    }

    /// The variable that gets a value as a whole, and the value.
    fn assigned<'e>(&self, e: &'e Expr) -> Option<(Member, &'e Expr)> {
        match e {
            Expr::Assign(base, variable, value, _) => {
                Some((Member { base: *base, length: None, variable: *variable }, value))
            }
            Expr::AssignWhole(base, length, variable, value, _) => {
                let length = Some(*length);
                Some((Member { base: *base, length, variable: *variable }, value))
            }
            _ => None,
        }
    }

    /// The variable that an expression is.
    fn named(&self, e: &Expr) -> Option<Member> {
        let (base, length) = match e {
            Expr::Whole(base, length, _) => (*base, Some(*length)),
            Expr::Global(slot) => (Base::Global(*slot), None),
            Expr::Frame(place) => (Base::Frame(*place), None),
            _ => return None,
        };
        let variable = match base {
            Base::Global(slot) => {
                let known = self.variables.iter().position(|v| v.base == slot && v.length > 0);
                known.map_or(NO_VARIABLE, |i| i as u32)
            }
            Base::Frame(_) => NO_VARIABLE,
        };
        Some(Member { base, length, variable })
    }
}

impl Sharing {
    fn class(&self, base: Base) -> Option<&Vec<Member>> {
        self.classes.iter().find(|class| class.iter().any(|m| m.base == base))
    }

    /// A variable gets a value of its own, or that of another one.
    fn assign(&mut self, to: Member, from: Option<Member>) {
        if from.is_some_and(|from| from.base == to.base) {
            return;
        }
        self.leave(to.base);
        // An array without elements has no place that is its own.
        let Some(from) = from.filter(|m| m.length != Some(0) && to.length != Some(0)) else {
            return;
        };
        if self.unsure.contains(&from.base) || self.unsure.contains(&to.base) {
            self.doubt(from.base);
            self.doubt(to.base);
            return;
        }
        match self.classes.iter_mut().find(|class| class.contains(&from)) {
            Some(class) => class.push(to),
            None => self.classes.push(vec![from, to]),
        }
        self.sort();
    }

    fn leave(&mut self, base: Base) {
        self.classes.iter_mut().for_each(|class| class.retain(|m| m.base != base));
        self.classes.retain(|class| class.len() > 1);
    }

    /// With whom it is one is not known, nor for those that were one with it.
    fn doubt(&mut self, base: Base) {
        let class = self.class(base).cloned().unwrap_or_default();
        for base in class.iter().map(|m| m.base).chain([base]) {
            self.leave(base);
            if !self.unsure.contains(&base) {
                self.unsure.push(base);
            }
        }
        self.unsure.sort_unstable();
    }

    /// What is so after either.
    fn join(&mut self, other: &Sharing) {
        let all = self.classes.iter().chain(&other.classes).flatten().map(|m| m.base);
        let differ = all.filter(|&base| self.class(base) != other.class(base));
        let differ: Vec<Base> = differ.chain(other.unsure.iter().copied()).collect();
        differ.into_iter().for_each(|base| self.doubt(base));
    }

    fn sort(&mut self) {
        self.classes.iter_mut().for_each(|class| class.sort_unstable());
        self.classes.sort_unstable();
    }
}

/// The variable whose array or collection changes inside, and where.
fn changed(e: &Expr) -> Option<(Base, Span)> {
    match e {
        Expr::AssignElement(base, _, _, _, _, span) | Expr::AssignAt(base, _, _, _, span) => {
            Some((*base, *span))
        }
        Expr::Method(slot, _, method, _, span) if method.changes() => {
            Some((Base::Global(*slot), *span))
        }
        Expr::Sharp(_, Some(slot), _, span) => Some((Base::Global(*slot), *span)),
        _ => None,
    }
}

/// Does it change something?
fn assigns(e: &Expr) -> bool {
    changed(e).is_some()
        || matches!(e, Expr::Assign(..) | Expr::AssignWhole(..))
        || e.parts().any(assigns)
}

/// `to = from`
fn copy(to: Member, from: Member, span: Span) -> Expr {
    let value = Box::new(match (from.length, from.base) {
        (Some(length), base) => Expr::Whole(base, length, span),
        (None, Base::Global(slot)) => Expr::Global(slot),
        (None, Base::Frame(place)) => Expr::Frame(place),
    });
    match to.length {
        Some(length) => Expr::AssignWhole(to.base, length, to.variable, value, span),
        None => Expr::Assign(to.base, to.variable, value, span),
    }
}
