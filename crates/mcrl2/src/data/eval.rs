//! Evaluation: innermost, with `if`, `&&`, `||` and quantifiers lazy, as far as mCRL2's rewriters
//! are. Equations are tried in the order of the text.
//!
//! A slot may have no value yet (a variable of `sum` whose value communication will decide). What
//! depends on it is then [`Stop::Unbound`]: not an error, but not a value either.

use std::collections::HashMap;
use std::sync::Arc;

use linchpin_lts::{Trouble, Watch};
use linchpin_text::Span;

use super::equal::compare;
use super::show::show;
use super::store::{FALSE, Node, Store, TRUE, UNBOUND, Value, truth};
use crate::check::Spec;
use crate::code::{Code, Lambda, OpKind, Pattern};
use crate::sorts::{BOOL, OpId, Sort, SortId};

/// Why there is no value.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It depends on a slot without value.
    Unbound,
    Trouble(Box<Trouble>),
}

/// How deep evaluation may go: calls of functions, and expressions inside of each other.
const MAX_DEPTH: u32 = 2_500;
const MAX_LEVELS: u32 = 4 * MAX_DEPTH;
/// The largest finite sort that is enumerated.
const MAX_DOMAIN: usize = 1 << 16;

/// What evaluates: a specification and the values so far.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) spec: Arc<Spec>,
    /// Shared by all that evaluate.
    pub(crate) store: Arc<Store>,
    domains: HashMap<SortId, Option<Arc<[Value]>>>,
    depth: u32,
    levels: u32,
    watch: Watch,
    calls: usize,
}

impl Machine {
    pub(crate) fn new(spec: Arc<Spec>, store: Arc<Store>, watch: Watch) -> Self {
        let domains = HashMap::new();
        Machine { spec, store, domains, depth: 0, levels: 0, watch, calls: 0 }
    }

    /// Asks now and then whether to stop.
    pub(crate) fn go_on(&mut self) -> Result<(), Stop> {
        self.calls = self.calls.wrapping_add(1);
        match self.watch.over_at(self.calls) {
            Some(limit) => Err(Stop::Trouble(Box::new(limit.into()))),
            None => Ok(()),
        }
    }

    /// Goes one level deeper, if that is allowed; for the search for bounds.
    pub(super) fn enter_bounds(&mut self) -> bool {
        let allowed = self.depth < MAX_DEPTH;
        self.depth += u32::from(allowed);
        allowed
    }

    pub(super) fn leave_bounds(&mut self) {
        self.depth -= 1;
    }

    /// A value as text.
    pub(crate) fn show(&self, value: Value) -> String {
        show(&self.spec, &self.store, value)
    }

    pub(crate) fn trouble(span: Option<Span>, message: impl Into<String>) -> Stop {
        let at = span.map(|s| (s.start, s.end));
        Stop::Trouble(Box::new(Trouble { at, ..Trouble::new(message) }))
    }

    /// The value of an expression.
    pub(crate) fn eval(&mut self, code: &Code, env: &mut [Value]) -> Result<Value, Stop> {
        match code {
            Code::Bool(b) => return Ok(truth(*b)),
            Code::Int(n) => return Ok(self.store.int(*n)),
            Code::Slot(slot) => match env[*slot as usize] {
                UNBOUND => return Err(Stop::Unbound),
                value => return Ok(value),
            },
            _ if self.levels >= MAX_LEVELS => {
                let message = format!("evaluation needs more than {MAX_LEVELS} levels");
                return Err(Machine::trouble(None, message));
            }
            _ => {}
        }
        self.levels += 1;
        let result = self.eval_parts(code, env);
        self.levels -= 1;
        result
    }

    fn eval_parts(&mut self, code: &Code, env: &mut [Value]) -> Result<Value, Stop> {
        match code {
            Code::Bool(_) | Code::Int(_) | Code::Slot(_) => self.eval(code, env),
            Code::Call(op, list) => {
                let arguments = self.all(list, env)?;
                self.call(*op, &arguments)
            }
            Code::Builtin(builtin, list) => match &**list {
                [a] => {
                    let a = self.eval(a, env)?;
                    self.builtin(*builtin, &[a])
                }
                [a, b] => {
                    let (a, b) = (self.eval(a, env)?, self.eval(b, env)?);
                    self.builtin(*builtin, &[a, b])
                }
                list => {
                    let arguments = self.all(list, env)?;
                    self.builtin(*builtin, &arguments)
                }
            },
            Code::If(parts) => match self.eval(&parts[0], env)? {
                TRUE => self.eval(&parts[1], env),
                FALSE => self.eval(&parts[2], env),
                condition => {
                    let (a, b) = (self.eval(&parts[1], env)?, self.eval(&parts[2], env)?);
                    Ok(if a == b { a } else { self.store.intern(Node::If([condition, a, b])) })
                }
            },
            Code::And(parts) => self.connective(parts, env, FALSE),
            Code::Or(parts) => self.connective(parts, env, TRUE),
            Code::Apply(function, list) => {
                let function = self.eval(function, env)?;
                let arguments = self.all(list, env)?;
                self.apply(function, &arguments)
            }
            Code::Lambda(lambda, captured) => {
                let captured = self.captured(captured, env)?;
                Ok(self.store.intern(Node::Closure(*lambda, captured)))
            }
            Code::Quantifier { all, slots, body, span } => {
                let found = self.quantifier(slots, body, env, truth(!*all), *span)?;
                Ok(found)
            }
            Code::Comprehension { bag, sort, lambda, captured } => {
                let captured = self.captured(captured, env)?;
                self.comprehension(*bag, *sort, *lambda, captured)
            }
            Code::Let(slot, parts) => {
                env[*slot as usize] = self.eval(&parts[0], env)?;
                self.eval(&parts[1], env)
            }
        }
    }

    fn all(&mut self, list: &[Code], env: &mut [Value]) -> Result<Vec<Value>, Stop> {
        list.iter().map(|code| self.eval(code, env)).collect()
    }

    fn captured(&self, slots: &[u32], env: &[Value]) -> Result<Box<[Value]>, Stop> {
        let value = |slot: &u32| match env[*slot as usize] {
            UNBOUND => Err(Stop::Unbound),
            value => Ok(value),
        };
        slots.iter().map(value).collect()
    }

    /// `&&` and `||`: one part may decide, whatever the other is.
    fn connective(
        &mut self,
        parts: &[Code; 2],
        env: &mut [Value],
        decides: Value,
    ) -> Result<Value, Stop> {
        let first = match self.eval(&parts[0], env) {
            Ok(value) if value == decides => return Ok(decides),
            Ok(value) => Some(value),
            Err(Stop::Unbound) => None,
            Err(trouble) => return Err(trouble),
        };
        let second = self.eval(&parts[1], env);
        match (first, second) {
            (_, Ok(value)) if value == decides => Ok(decides),
            (None, Ok(_)) => Err(Stop::Unbound),
            (Some(TRUE | FALSE), Ok(value)) => Ok(value),
            (Some(first), Ok(TRUE | FALSE)) => Ok(first),
            (Some(first), Ok(second)) => {
                let [then, otherwise] =
                    if decides == FALSE { [second, FALSE] } else { [TRUE, second] };
                Ok(self.store.intern(Node::If([first, then, otherwise])))
            }
            (_, Err(stop)) => Err(stop),
        }
    }

    /// The value of a declared function.
    pub(crate) fn call(&mut self, op: OpId, arguments: &[Value]) -> Result<Value, Stop> {
        self.go_on()?;
        let spec = Arc::clone(&self.spec);
        let rules = &spec.rules[op as usize];
        if !rules.is_empty() {
            if self.depth >= MAX_DEPTH {
                let name = &spec.ops[op as usize].name;
                let message = format!(
                    "the evaluation of `{name}` does not end, or needs more than {MAX_DEPTH} levels"
                );
                return Err(Machine::trouble(Some(spec.ops[op as usize].span), message));
            }
            self.depth += 1;
            let result = self.rewrite(&spec, op, arguments);
            self.depth -= 1;
            if let Some(value) = result? {
                return Ok(value);
            }
        }
        match &spec.ops[op as usize].kind {
            OpKind::Projection(fields) => {
                if let [argument] = arguments
                    && let Some(Node::Op(constructor, values)) = self.store.node(*argument)
                    && let Some((_, field)) = fields.iter().find(|(c, _)| c == constructor)
                {
                    return Ok(values[*field as usize]);
                }
            }
            OpKind::Recogniser(constructor) => {
                if let [argument] = arguments
                    && let Some(Node::Op(other, _)) = self.store.node(*argument)
                    && matches!(spec.ops[*other as usize].kind, OpKind::Constructor(_))
                {
                    return Ok(truth(other == constructor));
                }
            }
            OpKind::Constructor(_) | OpKind::Mapping => {}
        }
        // A function with fewer arguments in its equations: apply the rest afterwards.
        let parameters = spec.ops[op as usize].parameters.len();
        if arguments.len() > parameters {
            let function = self.call(op, &arguments[..parameters])?;
            let whole = Node::Op(op, arguments[..parameters].into());
            if self.store.node(function) != Some(&whole) {
                return self.apply(function, &arguments[parameters..]);
            }
        }
        Ok(self.store.intern(Node::Op(op, arguments.into())))
    }

    /// The first equation that applies.
    fn rewrite(
        &mut self,
        spec: &Spec,
        op: OpId,
        arguments: &[Value],
    ) -> Result<Option<Value>, Stop> {
        for rule in &spec.rules[op as usize] {
            if rule.patterns.len() != arguments.len() {
                continue;
            }
            let mut env = vec![UNBOUND; rule.size as usize];
            let matched = rule
                .patterns
                .iter()
                .zip(arguments)
                .all(|(pattern, value)| matches(&self.store, pattern, *value, &mut env));
            if !matched {
                continue;
            }
            if let Some(condition) = &rule.condition
                && self.eval(condition, &mut env)? != TRUE
            {
                continue;
            }
            return self.eval(&rule.right, &mut env).map(Some);
        }
        Ok(None)
    }

    /// The value of a function value.
    pub(crate) fn apply(&mut self, function: Value, arguments: &[Value]) -> Result<Value, Stop> {
        match self.store.node(function) {
            Some(Node::Closure(lambda, captured)) => {
                let (lambda, captured) = (*lambda, captured.clone());
                self.enter(lambda, &captured, arguments)
            }
            Some(Node::Updated(base, updates)) => {
                let base = *base;
                let mut known = true;
                for (key, value) in updates {
                    match self.equal(*key, arguments[0]) {
                        Some(true) => return Ok(*value),
                        Some(false) => {}
                        None => known = false,
                    }
                }
                match known {
                    true => self.apply(base, arguments),
                    false => Ok(self.store.intern(Node::Applied(function, arguments.into()))),
                }
            }
            Some(Node::Op(op, first)) => {
                let (op, all) = (*op, [first, arguments].concat());
                self.call(op, &all)
            }
            Some(Node::If([condition, a, b])) => {
                let (condition, a, b) = (*condition, *a, *b);
                let (a, b) = (self.apply(a, arguments)?, self.apply(b, arguments)?);
                Ok(if a == b { a } else { self.store.intern(Node::If([condition, a, b])) })
            }
            _ => Ok(self.store.intern(Node::Applied(function, arguments.into()))),
        }
    }

    /// The value of a lambda.
    pub(super) fn enter(
        &mut self,
        lambda: u32,
        captured: &[Value],
        arguments: &[Value],
    ) -> Result<Value, Stop> {
        let spec = Arc::clone(&self.spec);
        let Lambda { size, captured: places, parameters, body, .. } =
            &spec.lambdas[lambda as usize];
        let mut env = vec![UNBOUND; *size as usize];
        for (place, value) in places.iter().zip(captured) {
            env[*place as usize] = *value;
        }
        for (place, value) in parameters.iter().zip(arguments) {
            env[*place as usize] = *value;
        }
        if self.depth >= MAX_DEPTH {
            let message = format!("evaluation needs more than {MAX_DEPTH} levels");
            return Err(Machine::trouble(None, message));
        }
        self.depth += 1;
        let result = self.eval(body, &mut env);
        self.depth -= 1;
        result
    }

    /// Looks for a value of the slots that decides.
    fn quantifier(
        &mut self,
        slots: &[(u32, SortId)],
        body: &Code,
        env: &mut [Value],
        decides: Value,
        span: Span,
    ) -> Result<Value, Stop> {
        let Some(((slot, sort), rest)) = slots.split_first() else {
            return match self.eval(body, env)? {
                value @ (TRUE | FALSE) => Ok(value),
                value => {
                    let message = format!(
                        "a quantified condition is neither true nor false: `{}`",
                        self.show(value)
                    );
                    Err(Machine::trouble(Some(span), message))
                }
            };
        };
        let domain = match self.domain(*sort) {
            Some(domain) => domain,
            None => self.bounded(*slot, *sort, rest, body, env, decides, span)?,
        };
        for value in domain.iter() {
            // Quantifiers in quantifiers multiply.
            self.go_on()?;
            env[*slot as usize] = *value;
            let found = self.quantifier(rest, body, env, decides, span)?;
            if found == decides {
                return Ok(decides);
            }
        }
        env[*slot as usize] = UNBOUND;
        Ok(if decides == TRUE { FALSE } else { TRUE })
    }

    /// The values of an infinite sort outside of which the body cannot decide.
    #[allow(clippy::too_many_arguments)]
    fn bounded(
        &mut self,
        slot: u32,
        sort: SortId,
        rest: &[(u32, SortId)],
        body: &Code,
        env: &mut [Value],
        decides: Value,
        span: Span,
    ) -> Result<Arc<[Value]>, Stop> {
        env[slot as usize] = UNBOUND;
        for (slot, _) in rest {
            env[*slot as usize] = UNBOUND;
        }
        let found = self.candidates(body, decides == TRUE, slot, sort, env)?;
        found.map(Arc::from).ok_or_else(|| {
            let sort = self.spec.sorts.show(sort);
            let message = format!("a quantifier over the infinite sort `{sort}`");
            Machine::trouble(Some(span), message)
        })
    }

    fn comprehension(
        &mut self,
        bag: bool,
        sort: SortId,
        lambda: u32,
        captured: Box<[Value]>,
    ) -> Result<Value, Stop> {
        let Some(domain) = self.domain(sort) else {
            return Ok(self.store.intern(Node::Comprehension(bag, sort, lambda, captured)));
        };
        let mut elements = Vec::new();
        for element in domain.iter() {
            let value = self.enter(lambda, &captured, &[*element])?;
            match value {
                FALSE => {}
                TRUE => elements.push((*element, value)),
                _ if bag && self.store.number(value) == Some(0) => {}
                _ if bag && self.store.number(value).is_some() => elements.push((*element, value)),
                _ => {
                    return Ok(self.store.intern(Node::Comprehension(bag, sort, lambda, captured)));
                }
            }
        }
        let (spec, store) = (&self.spec, &self.store);
        elements.sort_by(|a, b| compare(spec, store, a.0, b.0));
        let node = match bag {
            true => Node::Bag(elements.into()),
            false => Node::Set(elements.into_iter().map(|(e, _)| e).collect()),
        };
        Ok(self.store.intern(node))
    }

    /// All values of a finite sort, in order; `None` if it is infinite or too large.
    pub(crate) fn domain(&mut self, sort: SortId) -> Option<Arc<[Value]>> {
        if let Some(known) = self.domains.get(&sort) {
            return known.clone();
        }
        // A recursive sort is infinite.
        self.domains.insert(sort, None);
        let found = self.find_domain(sort);
        self.domains.insert(sort, found.clone());
        found
    }

    fn find_domain(&mut self, sort: SortId) -> Option<Arc<[Value]>> {
        let spec = Arc::clone(&self.spec);
        match spec.sorts.get(sort) {
            _ if sort == BOOL => Some([FALSE, TRUE].into()),
            Sort::Named(named) => {
                let mut all = Vec::new();
                let constructors = &spec.sorts.named[*named as usize].constructors;
                if constructors.is_empty() {
                    return None;
                }
                for op in constructors {
                    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
                    for parameter in &spec.ops[*op as usize].parameters {
                        let domain = self.domain(*parameter)?;
                        if rows.len() * domain.len() > MAX_DOMAIN {
                            return None;
                        }
                        let extend = |row: &Vec<Value>| {
                            let row = row.clone();
                            domain.iter().map(move |v| [&row[..], &[*v]].concat())
                        };
                        rows = rows.iter().flat_map(extend).collect();
                    }
                    for row in rows {
                        let value = self.call(*op, &row).ok()?;
                        if !all.contains(&value) || constructors.len() == 1 {
                            all.push(value);
                        }
                    }
                }
                Some(all.into())
            }
            Sort::Set(element) | Sort::FSet(element) => {
                let elements = self.domain(*element)?;
                if elements.len() > 16 {
                    return None;
                }
                let mut all = Vec::new();
                for chosen in 0u32..1 << elements.len() {
                    let members = elements.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1);
                    let members: Box<[Value]> = members.map(|(_, v)| *v).collect();
                    all.push(self.store.intern(Node::Set(members)));
                }
                Some(all.into())
            }
            _ => None,
        }
    }

    pub(crate) fn equal(&self, a: Value, b: Value) -> Option<bool> {
        super::equal::equal(&self.spec, &self.store, a, b)
    }
}

/// Does a value match a pattern? Binds its variables.
fn matches(store: &Store, pattern: &Pattern, value: Value, env: &mut [Value]) -> bool {
    match pattern {
        Pattern::Bind(slot, least) => {
            env[*slot as usize] = value;
            match least {
                Some(least) => store.number(value).is_some_and(|n| n >= *least),
                None => true,
            }
        }
        Pattern::Same(slot) => env[*slot as usize] == value,
        Pattern::Bool(b) => value == truth(*b),
        Pattern::Int(n) => store.number(value) == Some(*n),
        Pattern::Nil => matches!(store.node(value), Some(Node::Nil)),
        Pattern::Cons(parts) => match store.node(value) {
            Some(Node::Cons(head, tail)) => {
                matches(store, &parts[0], *head, env) && matches(store, &parts[1], *tail, env)
            }
            _ => false,
        },
        Pattern::Op(op, parts) => match store.node(value) {
            Some(Node::Op(other, values)) if other == op && values.len() == parts.len() => {
                parts.iter().zip(values).all(|(p, v)| matches(store, p, *v, env))
            }
            _ => false,
        },
        Pattern::Never => false,
    }
}
