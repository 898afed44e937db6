//! Where an index is nothing but the identity of a process.
//!
//! Every place that can hold a number and that an index may flow to is a variable of a type: parameters, indices of
//! operators, the first index of an array, parts of events. Two of them have the same type if one is handed to the
//! other, one is the index of the other, or they are compared for equality. A type is *plain* as soon as one of its places
//! meets anything else: arithmetic, a constant, an order, a variable, a message, a range that is another one. What is
//! left are identities: nothing can tell one value of such a type from another. These are the scalarsets of C. N. Ip and
//! D. Dill, *Better verification through symmetry*, FMSD 9, 1996, found and not declared.
//!
//! An index is a candidate only if its operator is `|||` or `||` at the top of the process, so that the
//! components are known from the beginning and each of them has one identity for ever.

use std::collections::{BTreeSet, HashMap};

use crate::ast::{Binary, Op};
use crate::eval::Reader;
use crate::program::{
    Base, DefId, Event, EventSet, Expr, NameId, NodeId, NodeKind, Pattern, Program, Stmt, TAU_NAME,
    Values,
};
use crate::value::Value;

/// Places that hold identities, of one type.
pub(crate) struct Identities {
    /// Its values are 0 up to this.
    pub(crate) count: u32,
    /// By node: which places of its environment hold one.
    pub(crate) places: Vec<u64>,
    /// Arrays with an element, or a row of elements, for each: the first slot, slots for each.
    pub(crate) arrays: Vec<(u32, u32)>,
    /// Parts of events, counted from 0 after the name.
    pub(crate) parts: BTreeSet<(NameId, usize)>,
    /// All events of the process.
    pub(crate) events: BTreeSet<NameId>,
}

impl Identities {
    /// Do two processes mean the same by the parts of events?
    pub(crate) fn agree(&self, other: &Identities) -> bool {
        let both = |part: &&(NameId, usize)| {
            self.events.contains(&part.0) && other.events.contains(&part.0)
        };
        self.count == other.count
            && self.parts.iter().filter(both).eq(other.parts.iter().filter(both))
    }
}

/// More identities than this are not looked at.
const MOST: u32 = 8;

type Type = usize;

/// What a variable of a type stands for, besides places of environments.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    Parameter(DefId, usize),
    /// The number of the variable.
    Array(usize),
    Part(NameId, usize),
}

struct Typing<'p> {
    program: &'p Program,
    /// The one above, or itself.
    above: Vec<Type>,
    plain: Vec<bool>,
    /// How many values there are, if that is known.
    count: Vec<Option<u32>>,
    holders: HashMap<Holder, Type>,
    /// Types of the environment of each node that was looked at.
    scopes: Vec<Option<Vec<Type>>>,
    /// Indices of `|||` and `||` at the top.
    candidates: Vec<Type>,
    events: BTreeSet<NameId>,
}

/// Where the process of a definition holds identities of its components.
pub(crate) fn identities(program: &Program, root: DefId) -> Option<Identities> {
    let (top, inside) = reached(program, root);
    let mut typing = Typing {
        program,
        above: Vec::new(),
        plain: Vec::new(),
        count: Vec::new(),
        holders: HashMap::new(),
        scopes: vec![None; program.nodes.len()],
        candidates: Vec::new(),
        events: BTreeSet::new(),
    };
    for place in 0..program.definitions[root as usize].parameters.len() {
        let parameter = typing.held(Holder::Parameter(root, place));
        typing.mark(parameter);
    }
    for &definition in top.union(&inside) {
        typing.definition(definition, !inside.contains(&definition));
    }
    typing.identities()
}

/// Definitions whose bodies belong to the structure of the first state, and those that are called later.
fn reached(program: &Program, root: DefId) -> (BTreeSet<DefId>, BTreeSet<DefId>) {
    let (mut top, mut inside) = (BTreeSet::from([root]), BTreeSet::new());
    let mut todo = vec![(program.definitions[root as usize].body, true)];
    while let Some((node, at_top)) = todo.pop() {
        if let NodeKind::Call(definition, ..) = &program.nodes[node as usize].kind {
            let set = if at_top { &mut top } else { &mut inside };
            if set.insert(*definition) {
                todo.push((program.definitions[*definition as usize].body, at_top));
            }
        }
        let below = at_top && is_structure(program, node);
        todo.extend(program.nodes[node as usize].kind.below().into_iter().map(|n| (n, below)));
    }
    (top, inside)
}

/// Do its operands belong to the structure of a state, if it does itself?
fn is_structure(program: &Program, node: NodeId) -> bool {
    matches!(
        program.nodes[node as usize].kind,
        NodeKind::Nary(Op::Interleave | Op::Parallel, _)
            | NodeKind::Indexed(Op::Interleave | Op::Parallel, ..)
            | NodeKind::Replicated(..)
            | NodeKind::Hide(..)
    )
}

impl Typing<'_> {
    fn new_type(&mut self, count: Option<u32>) -> Type {
        self.above.push(self.above.len());
        self.plain.push(false);
        self.count.push(count);
        self.above.len() - 1
    }

    fn held(&mut self, holder: Holder) -> Type {
        if let Some(known) = self.holders.get(&holder) {
            return *known;
        }
        let (count, plain) = match holder {
            Holder::Parameter(definition, place) => {
                match self.program.definitions[definition as usize].parameters[place].1 {
                    Some((0, high)) => (u32::try_from(high).ok().map(|high| high + 1), false),
                    range => (None, range.is_some()),
                }
            }
            Holder::Array(variable) => (Some(self.program.variables[variable].sizes[0]), false),
            Holder::Part(name, _) => {
                let name = &self.program.names[name as usize];
                let base = |channel: &str| channel.split('[').next() == Some(name);
                (None, self.program.channels.iter().any(|channel| base(&channel.name)))
            }
        };
        let new = self.new_type(count);
        self.plain[new] = plain;
        self.holders.insert(holder, new);
        new
    }

    fn root(&self, mut t: Type) -> Type {
        while self.above[t] != t {
            t = self.above[t];
        }
        t
    }

    /// It is not a type of identities.
    fn mark(&mut self, t: Type) {
        let root = self.root(t);
        self.plain[root] = true;
    }

    /// They are of one type.
    fn same(&mut self, a: Type, b: Type) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let differ = matches!((self.count[a], self.count[b]), (Some(x), Some(y)) if x != y);
        self.plain[a] |= self.plain[b] || differ;
        self.count[a] = self.count[a].or(self.count[b]);
        self.above[b] = a;
    }

    fn definition(&mut self, id: DefId, top: bool) {
        let definition = &self.program.definitions[id as usize];
        let scope: Vec<Type> =
            (0..definition.parameters.len()).map(|i| self.held(Holder::Parameter(id, i))).collect();
        for set in definition.alphabet.iter().flatten() {
            self.event_set(set, &scope);
        }
        self.node(definition.body, &scope, top);
    }

    /// The scope with the indices of an operator or set; they are candidates for identities if that is allowed.
    fn indices(&mut self, over: &[(u32, Values)], scope: &[Type], may: bool) -> Vec<Type> {
        let mut wide = scope.to_vec();
        for (place, values) in over {
            let new = match values {
                Values::Between(low, high) if may && self.constant(low) == Some(0) => {
                    let high = self.constant(high).and_then(|high| u32::try_from(high).ok());
                    let new = self.new_type(high.map(|high| high + 1));
                    self.plain[new] = high.is_none();
                    new
                }
                _ => {
                    let new = self.new_type(None);
                    self.mark(new);
                    new
                }
            };
            let ends = match values {
                Values::Between(a, b) => vec![a, b],
                Values::List(list) => list.iter().collect(),
            };
            ends.into_iter().for_each(|e| self.plain(e, &wide));
            wide.truncate(*place as usize);
            wide.push(new);
        }
        wide
    }

    /// The value of an expression that is the same everywhere.
    fn constant(&self, e: &Expr) -> Option<Value> {
        let reader = Reader { program: self.program, data: &[], env: &[] };
        if e.free() != 0 || e.reads_state() { None } else { reader.value(e).ok() }
    }

    fn event_set(&mut self, set: &EventSet, scope: &[Type]) {
        // Sets have no order, so an index over all identities tells none apart.
        let scope = self.indices(&set.over, scope, true);
        self.event(&set.event, &scope);
    }

    fn event(&mut self, event: &Event, scope: &[Type]) {
        self.events.insert(event.name);
        if event.name == TAU_NAME {
            return event.parts.iter().for_each(|e| self.plain(e, scope));
        }
        for (i, part) in event.parts.iter().enumerate() {
            let held = self.held(Holder::Part(event.name, i));
            self.given(part, held, scope);
        }
    }

    /// A value that is handed over.
    fn given(&mut self, e: &Expr, to: Type, scope: &[Type]) {
        match e {
            Expr::Param(place) => self.same(scope[*place as usize], to),
            _ => {
                self.mark(to);
                self.plain(e, scope);
            }
        }
    }

    fn node(&mut self, id: NodeId, scope: &[Type], top: bool) {
        let program = self.program;
        let below = top && is_structure(program, id);
        let mut wide = None;
        match &program.nodes[id as usize].kind {
            NodeKind::Call(definition, arguments, _) => {
                for (i, e) in arguments.iter().enumerate() {
                    let parameter = self.held(Holder::Parameter(*definition, i));
                    self.given(e, parameter, scope);
                }
            }
            NodeKind::Prefix(event, code, _) => {
                self.event(event, scope);
                self.code(code.iter().flat_map(|code| &code.statements), scope);
            }
            NodeKind::Send(port, values, code, _) => {
                port.index.iter().chain(values).for_each(|e| self.plain(e, scope));
                self.code(code.iter().flat_map(|code| &code.statements), scope);
            }
            NodeKind::Receive(port, guard, patterns, code, next) => {
                port.index.iter().for_each(|e| self.plain(e, scope));
                let mut bound = scope.to_vec();
                while bound.len() < program.nodes[*next as usize].scope as usize {
                    let new = self.new_type(None);
                    self.mark(new);
                    bound.push(new);
                }
                for pattern in patterns {
                    if let Pattern::Match(e) = pattern {
                        self.plain(e, &bound);
                    }
                }
                guard.iter().for_each(|e| self.plain(e, &bound));
                self.code(code.iter().flat_map(|code| &code.statements), &bound);
                wide = Some(bound);
            }
            NodeKind::Assert(e)
            | NodeKind::Guard(e, _)
            | NodeKind::If(e, ..)
            | NodeKind::IfAtomic(e, ..)
            | NodeKind::IfBlocking(e, _)
            | NodeKind::Replicated(e, _) => self.plain(e, scope),
            NodeKind::Case(cases) => cases.iter().for_each(|(e, _)| self.plain(e, scope)),
            NodeKind::Indexed(_, over, _) => {
                let bound = self.indices(over, scope, below);
                if below {
                    self.candidates.extend(over.iter().map(|(place, _)| bound[*place as usize]));
                }
                wide = Some(bound);
            }
            NodeKind::Hide(_, sets) => sets.iter().for_each(|set| self.event_set(set, scope)),
            NodeKind::Stop
            | NodeKind::Skip
            | NodeKind::Atomic(_)
            | NodeKind::Sequence(..)
            | NodeKind::Nary(..)
            | NodeKind::Many(_)
            | NodeKind::Interrupt(..) => {}
        }
        let wide = wide.as_deref().unwrap_or(scope);
        for next in program.nodes[id as usize].kind.below() {
            self.node(next, wide, below);
        }
        self.scopes[id as usize] = Some(scope.to_vec());
    }

    fn code<'s>(&mut self, statements: impl Iterator<Item = &'s Stmt>, scope: &[Type]) {
        for statement in statements {
            match statement {
                Stmt::Do(e) => self.plain(e, scope),
                Stmt::If(e, then, other, _) => {
                    self.plain(e, scope);
                    self.code(then.iter().chain(other), scope);
                }
                Stmt::While(e, body, _) => {
                    self.plain(e, scope);
                    self.code(body.iter(), scope);
                }
            }
        }
    }

    /// A value that anything may be done with.
    fn plain(&mut self, e: &Expr, scope: &[Type]) {
        match e {
            Expr::Param(place) => self.mark(scope[*place as usize]),
            Expr::Binary(Binary::Equal | Binary::Unequal, a, b, _) => match (&**a, &**b) {
                (Expr::Param(a), Expr::Param(b)) => {
                    self.same(scope[*a as usize], scope[*b as usize]);
                }
                _ => e.parts().for_each(|part| self.plain(part, scope)),
            },
            Expr::Element(Base::Global(slot), _, index, _) => self.element(*slot, index, scope),
            Expr::AssignElement(Base::Global(slot), _, _, index, value, _) => {
                self.element(*slot, index, scope);
                self.plain(value, scope);
            }
            Expr::Global(slot)
            | Expr::Assign(Base::Global(slot), ..)
            | Expr::AssignAt(Base::Global(slot), ..)
            | Expr::Whole(Base::Global(slot), ..)
            | Expr::AssignWhole(Base::Global(slot), ..)
            | Expr::Method(slot, ..)
            | Expr::Sharp(_, Some(slot), ..) => {
                self.whole(*slot);
                e.parts().for_each(|part| self.plain(part, scope));
            }
            _ => e.parts().for_each(|part| self.plain(part, scope)),
        }
    }

    /// The array that a slot belongs to, if it is one.
    fn array(&self, slot: u32) -> Option<usize> {
        let has = |v: &crate::program::Variable| (v.base..v.base + v.length).contains(&slot);
        let found = self.program.variables.iter().position(has)?;
        (!self.program.variables[found].sizes.is_empty()).then_some(found)
    }

    /// An array that is not only looked at by identities.
    fn whole(&mut self, slot: u32) {
        if let Some(array) = self.array(slot) {
            let held = self.held(Holder::Array(array));
            self.mark(held);
        }
    }

    fn element(&mut self, slot: u32, index: &Expr, scope: &[Type]) {
        let Some(array) = self.array(slot) else { return self.plain(index, scope) };
        let variable = &self.program.variables[array];
        let row = (variable.length / variable.sizes[0].max(1)) as i32;
        let first = match index {
            Expr::Param(_) if row == 1 => Some(index),
            // Of several indices only the place that results is inside the array for sure.
            Expr::Binary(Binary::Add, row_of, column, _) if matches!(**column, Expr::Const(c) if (0..row).contains(&c)) => {
                match &**row_of {
                    Expr::Binary(Binary::Multiply, first, width, _) if matches!(**width, Expr::Const(w) if w == row) => {
                        Some(&**first)
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let held = self.held(Holder::Array(array));
        match first {
            Some(first) => self.given(first, held, scope),
            None => {
                self.mark(held);
                self.plain(index, scope);
            }
        }
    }

    /// The places of the first candidate that is left.
    fn identities(self) -> Option<Identities> {
        let left = |t: &Type| {
            let root = self.root(*t);
            let count = self.count[root].filter(|count| (2..=MOST).contains(count))?;
            (!self.plain[root]).then_some((root, count))
        };
        let (chosen, count) = self.candidates.iter().find_map(left)?;
        let is = |t: &Type| self.root(*t) == chosen;
        let mask = |scope: &Vec<Type>| {
            scope.iter().enumerate().filter(|(_, t)| is(t)).fold(0, |mask, (i, _)| mask | 1 << i)
        };
        let places =
            self.scopes.iter().enumerate().map(|(node, scope)| {
                scope.as_ref().map_or(0, mask) & self.program.nodes[node].free
            });
        let (mut arrays, mut parts) = (Vec::new(), BTreeSet::new());
        for (holder, _) in self.holders.iter().filter(|(_, t)| is(t)) {
            match *holder {
                Holder::Array(variable) => {
                    let variable = &self.program.variables[variable];
                    arrays.push((variable.base, variable.length / count));
                }
                Holder::Part(name, part) => {
                    parts.insert((name, part));
                }
                Holder::Parameter(..) => {}
            }
        }
        arrays.sort_unstable();
        Some(Identities { count, places: places.collect(), arrays, parts, events: self.events })
    }
}
