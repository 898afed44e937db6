//! A slow interpreter of the tree: one function per rule, no terms, no slots, no compilation.
//!
//! It shares the parser with the library and nothing else. Processes are closures over the tree;
//! names are looked up in lists; a state is a value that is cloned as a whole.

mod alphabet;
mod arrays;
mod channels;

use std::collections::{BTreeMap, BTreeSet};

use linchpin_csp::ast::*;

use arrays::Objects;

pub(crate) type Val = i64;
/// `true` and `false` as numbers that no test computes.
pub(crate) const TRUE: Val = 1_000_001;
pub(crate) const FALSE: Val = 1_000_000;

pub(crate) type Env = Vec<(String, Val)>;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The alphabet of a process is not known.
    Alphabet,
    /// It unfolds too far for this interpreter.
    Deep,
}

pub(crate) type Res<T> = Result<T, Failed>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Data {
    pub(crate) variables: BTreeMap<String, Vec<Val>>,
    pub(crate) buffers: BTreeMap<String, Vec<Vec<Val>>>,
}

/// A process: a piece of the tree with values for its names, or an operator over processes.
#[derive(Clone)]
pub(crate) enum Proc<'m> {
    Open(&'m Process, Env),
    Skip,
    Stop,
    Done,
    Seq(Box<Proc<'m>>, Box<Proc<'m>>),
    Inter(Vec<Proc<'m>>),
    Par(Vec<Proc<'m>>, Vec<BTreeSet<String>>),
    Ext(Vec<Proc<'m>>),
    Interrupt(Box<Proc<'m>>, Box<Proc<'m>>),
    Hide(Box<Proc<'m>>, BTreeSet<String>),
    Atomic(Box<Proc<'m>>),
}

#[derive(Clone)]
pub(crate) struct Step<'m> {
    pub(crate) label: String,
    pub(crate) program: bool,
    pub(crate) atomic: bool,
    pub(crate) next: Proc<'m>,
    pub(crate) data: Data,
}

/// An offer to communicate: channel, values, what follows.
struct Output<'m> {
    channel: String,
    values: Vec<Val>,
    atomic: bool,
    next: Proc<'m>,
    program: Option<(&'m [Stmt], Env)>,
}

pub(crate) struct Naive<'m> {
    pub(crate) model: &'m Model,
}

const TICK: &str = "terminate";
const DEEPEST: usize = 60;

impl<'m> Naive<'m> {
    pub(crate) fn initial(&self) -> Data {
        let mut variables = BTreeMap::new();
        for v in &self.model.variables {
            variables.insert(v.name.text.clone(), self.initial_values(v));
        }
        let channels = self.model.channels.iter().filter(|c| self.eval_const(&c.size) > 0);
        let buffers = channels.map(|c| (c.name.text.clone(), Vec::new())).collect();
        Data { variables, buffers }
    }

    pub(crate) fn process(&self, name: &str, arguments: &[Val]) -> Proc<'m> {
        let d = self.model.processes.iter().find(|d| d.name.text == name).expect("a definition");
        let names = d.parameters.iter().map(|(n, _)| n.text.clone());
        Proc::Open(&d.body, names.zip(arguments.iter().copied()).collect())
    }

    /// The variables with how many processes there are of each kind that is counted.
    pub(crate) fn counted(&self, p: &Proc<'m>, mut data: Data) -> Res<Data> {
        for name in &self.model.counted {
            let d = self.model.processes.iter().find(|d| d.name.text == name.text);
            let number = self.number(p, &d.expect("a definition").body, &data)?;
            data.variables.insert(format!("#{}", name.text), vec![number]);
        }
        Ok(data)
    }

    fn number(&self, p: &Proc<'m>, wanted: &Process, data: &Data) -> Res<Val> {
        match p {
            Proc::Open(tree, _) if std::ptr::eq(*tree, wanted) => Ok(1),
            Proc::Open(tree, env) => match self.structure(tree, env, data)? {
                Some(p) => self.number(&p, wanted, data),
                None => Ok(0),
            },
            Proc::Inter(list) | Proc::Par(list, _) => {
                list.iter().map(|p| self.number(p, wanted, data)).sum()
            }
            Proc::Seq(a, b) if self.is_skip(a) => self.number(b, wanted, data),
            Proc::Seq(a, _) | Proc::Interrupt(a, _) | Proc::Hide(a, _) | Proc::Atomic(a) => {
                self.number(a, wanted, data)
            }
            Proc::Skip | Proc::Stop | Proc::Done | Proc::Ext(_) => Ok(0),
        }
    }

    fn eval_const(&self, e: &Expr) -> Val {
        let data = Data { variables: BTreeMap::new(), buffers: BTreeMap::new() };
        self.eval(e, &Vec::new(), &data)
    }

    pub(crate) fn eval(&self, e: &Expr, env: &Env, data: &Data) -> Val {
        match &e.kind {
            ExprKind::Int(n) => *n,
            ExprKind::Bool(b) => FALSE + Val::from(*b),
            ExprKind::Name(name) => {
                if let Some((_, v)) = env.iter().rev().find(|(n, _)| n == name) {
                    return *v;
                }
                if let Some(d) = self.model.defines.iter().find(|d| d.name.text == *name) {
                    let Body::Expr(body) = &d.body else { panic!("a macro with statements") };
                    return self.eval(body, &Vec::new(), data);
                }
                data.variables[name][0]
            }
            ExprKind::Count(name) => data.variables[&format!("#{}", name.text)][0],
            ExprKind::Index(name, _) => data.variables[&name.text][self.place(e, env, data)],
            ExprKind::Method(on, method, arguments) => {
                let arguments: Vec<Val> =
                    arguments.iter().map(|e| self.eval(e, env, data)).collect();
                arrays::ask(&data.variables[&on.text], &method.text, &arguments)
            }
            ExprKind::Binary(Binary::Equal, a, b) if self.is_array(a) => {
                FALSE + Val::from(self.list(a, env, data) == self.list(b, env, data))
            }
            ExprKind::Unary(Unary::Minus, e) => -self.eval(e, env, data),
            ExprKind::Unary(Unary::Not, e) => FALSE + TRUE - self.eval(e, env, data),
            ExprKind::Binary(Binary::And, a, b) => match self.eval(a, env, data) {
                TRUE => self.eval(b, env, data),
                _ => FALSE,
            },
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.eval(a, env, data), self.eval(b, env, data));
                let truth = |b: bool| FALSE + Val::from(b);
                match op {
                    Binary::Equal => truth(a == b),
                    Binary::Unequal => truth(a != b),
                    Binary::Less => truth(a < b),
                    Binary::AtMost => truth(a <= b),
                    Binary::Greater => truth(a > b),
                    Binary::AtLeast => truth(a >= b),
                    Binary::Or => truth(a == TRUE || b == TRUE),
                    Binary::Add => a + b,
                    Binary::Subtract => a - b,
                    Binary::Multiply => a * b,
                    Binary::Modulo => a.rem_euclid(b),
                    other => panic!("no test has {other:?}"),
                }
            }
            other => panic!("no test has {other:?}"),
        }
    }

    fn holds(&self, e: &Expr, env: &Env, data: &Data) -> bool {
        self.eval(e, env, data) == TRUE
    }

    /// Executes a program: variables may come to be one, until its end.
    fn run(&self, program: &[Stmt], env: &Env, data: &mut Data) {
        let own = data.variables.keys().enumerate().map(|(i, name)| (name.clone(), i));
        self.run_in(program, env, data, &mut own.collect());
    }

    fn run_in(&self, program: &[Stmt], env: &Env, data: &mut Data, objects: &mut Objects) {
        for s in program {
            match s {
                Stmt::Block(list) => self.run_in(list, env, data, objects),
                Stmt::If(c, then, other) => {
                    if self.holds(c, env, data) {
                        self.run_in(std::slice::from_ref(&**then), env, data, objects);
                    } else if let Some(other) = other {
                        self.run_in(std::slice::from_ref(&**other), env, data, objects);
                    }
                }
                Stmt::Expr(Expr { kind: ExprKind::Assign(place, e), .. }) => {
                    if self.is_array(place) {
                        let list = self.list(e, env, data);
                        let ExprKind::Name(name) = &place.kind else { panic!("an array") };
                        data.variables.insert(name.clone(), list);
                        let object = match &e.kind {
                            ExprKind::Name(other) => objects[other],
                            _ => objects.values().max().map_or(0, |last| last + 1),
                        };
                        objects.insert(name.clone(), object);
                        continue;
                    }
                    let v = self.eval(e, env, data);
                    let (name, i) = match &place.kind {
                        ExprKind::Index(name, _) => (&name.text, self.place(place, env, data)),
                        ExprKind::Name(name) => (name, 0),
                        other => panic!("{other:?} is not a variable"),
                    };
                    data.variables.get_mut(name).expect("a variable")[i] = v;
                    arrays::change_all(data, objects, name);
                }
                Stmt::Expr(Expr { kind: ExprKind::Method(on, method, arguments), .. }) => {
                    let arguments: Vec<Val> =
                        arguments.iter().map(|e| self.eval(e, env, data)).collect();
                    let list = data.variables.get_mut(&on.text).expect("a collection");
                    arrays::change(list, &method.text, &arguments);
                    arrays::change_all(data, objects, &on.text);
                }
                other => panic!("no test has {other:?}"),
            }
        }
    }

    fn event(&self, event: &Event, env: &Env, data: &Data) -> String {
        let mut text = event.name.text.clone();
        for part in &event.parts {
            text += &format!(".{}", self.eval(part, env, data));
        }
        text
    }

    fn open(p: &'m Process, env: &Env) -> Proc<'m> {
        Proc::Open(p, env.clone())
    }

    fn set(&self, sets: &[EventSet], env: &Env) -> BTreeSet<String> {
        let data = Data { variables: BTreeMap::new(), buffers: BTreeMap::new() };
        sets.iter().map(|s| self.event(&s.event, env, &data)).collect()
    }

    /// Is it `Skip` as it is written, so that a sequence goes on without a step?
    fn is_skip(&self, p: &Proc<'m>) -> bool {
        match p {
            Proc::Skip => true,
            Proc::Atomic(p) => self.is_skip(p),
            Proc::Inter(list) | Proc::Ext(list) => list.iter().all(|p| self.is_skip(p)),
            Proc::Seq(a, b) => self.is_skip(a) && self.is_skip(b),
            Proc::Open(tree, env) => match &tree.kind {
                ProcessKind::Skip => true,
                ProcessKind::Atomic(p) => self.is_skip(&Self::open(p, env)),
                ProcessKind::Sequence(a, b) => {
                    self.is_skip(&Self::open(a, env)) && self.is_skip(&Self::open(b, env))
                }
                ProcessKind::Nary(Op::General | Op::External, list) => {
                    let rest: Vec<_> = list.iter().filter(|p| !is_stop(p)).collect();
                    !rest.is_empty() && rest.iter().all(|p| self.is_skip(&Self::open(p, env)))
                }
                ProcessKind::Nary(Op::Interleave, list) => {
                    list.iter().all(|p| self.is_skip(&Self::open(p, env)))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// A piece of the tree as an operator over pieces, where it is one.
    fn structure(&self, p: &'m Process, env: &Env, data: &Data) -> Res<Option<Proc<'m>>> {
        let open = |p: &'m Process| Self::open(p, env);
        let boxed = |p: &'m Process| Box::new(Self::open(p, env));
        Ok(Some(match &p.kind {
            ProcessKind::Skip => Proc::Skip,
            ProcessKind::Stop => Proc::Stop,
            ProcessKind::Sequence(a, b) => Proc::Seq(boxed(a), boxed(b)),
            ProcessKind::Interrupt(a, b) => Proc::Interrupt(boxed(a), boxed(b)),
            ProcessKind::Atomic(a) => Proc::Atomic(boxed(a)),
            ProcessKind::Hide(a, events) => Proc::Hide(boxed(a), self.set(events, env)),
            ProcessKind::Nary(Op::Interleave, list) => Proc::Inter(list.iter().map(open).collect()),
            ProcessKind::Nary(Op::External, list) => {
                let list: Vec<Proc<'m>> = list.iter().filter(|p| !is_stop(p)).map(open).collect();
                if list.is_empty() { Proc::Stop } else { self.external(list) }
            }
            ProcessKind::Nary(Op::Parallel, list) => {
                let mut alphabets = Vec::new();
                for p in list {
                    alphabets.push(self.alphabet(
                        p,
                        env,
                        &BTreeSet::new(),
                        &mut BTreeSet::new(),
                    )?);
                }
                let shared = |e: &String| alphabets.iter().filter(|a| a.contains(e)).count() > 1;
                let sets =
                    alphabets.iter().map(|a| a.iter().filter(|e| shared(e)).cloned().collect());
                let sets = sets.collect();
                Proc::Par(list.iter().map(open).collect(), sets)
            }
            ProcessKind::Call(name, arguments) => {
                let values: Vec<Val> = arguments.iter().map(|e| self.eval(e, env, data)).collect();
                self.process(&name.text, &values)
            }
            _ => return Ok(None),
        }))
    }

    /// Of equal parts one remains. Values of names that do not occur make no difference.
    fn external(&self, list: Vec<Proc<'m>>) -> Proc<'m> {
        let mut parts: Vec<(String, Proc<'m>)> = Vec::new();
        for p in list {
            let inner = match p {
                Proc::Ext(list) => list,
                p => vec![p],
            };
            for p in inner {
                let key = self.trimmed_key(&p);
                if parts.iter().all(|(k, _)| *k != key) {
                    parts.push((key, p));
                }
            }
        }
        Proc::Ext(parts.into_iter().map(|(_, p)| p).collect())
    }

    fn trimmed_key(&self, p: &Proc<'m>) -> String {
        match p {
            Proc::Open(tree, env) => {
                let text = format!("{tree:?}");
                let occurs = |name: &str| text.contains(&format!("\"{name}\""));
                let env = env.iter().filter(|(n, _)| occurs(n)).cloned().collect();
                self.key(&Proc::Open(tree, env))
            }
            Proc::Seq(a, b) => format!("{};{}", self.trimmed_key(a), self.trimmed_key(b)),
            Proc::Interrupt(a, b) => format!("{}!{}", self.trimmed_key(a), self.trimmed_key(b)),
            Proc::Inter(list) | Proc::Par(list, _) => {
                let parts: Vec<String> = list.iter().map(|p| self.trimmed_key(p)).collect();
                format!("{:?}({})", matches!(p, Proc::Inter(_)), parts.join(","))
            }
            other => self.key(other),
        }
    }

    pub(crate) fn all_steps(&self, p: &Proc<'m>, data: &Data) -> Res<Vec<Step<'m>>> {
        let steps = self.steps(p, data, 0)?;
        if steps.iter().any(|s| s.atomic) {
            return Ok(steps.into_iter().filter(|s| s.atomic).collect());
        }
        Ok(steps)
    }

    fn steps(&self, p: &Proc<'m>, data: &Data, depth: usize) -> Res<Vec<Step<'m>>> {
        if depth > DEEPEST {
            return Err(Failed::Deep);
        }
        let depth = depth + 1;
        let step = |label: &str, next: Proc<'m>| Step {
            label: label.to_string(),
            program: false,
            atomic: false,
            next,
            data: data.clone(),
        };
        Ok(match p {
            Proc::Stop | Proc::Done => Vec::new(),
            Proc::Skip => vec![step(TICK, Proc::Done)],
            Proc::Seq(a, b) => {
                if self.is_skip(a) {
                    return self.steps(b, data, depth);
                }
                let mut steps = self.steps(a, data, depth)?;
                for s in &mut steps {
                    if s.label == TICK {
                        s.label = "tau".into();
                        s.next = (**b).clone();
                    } else {
                        s.next = Proc::Seq(Box::new(s.next.clone()), b.clone());
                    }
                }
                steps
            }
            Proc::Inter(list) => self.together(list, None, data, depth)?,
            Proc::Par(list, sets) => self.together(list, Some(sets), data, depth)?,
            Proc::Ext(list) => {
                let mut all = Vec::new();
                for (i, p) in list.iter().enumerate() {
                    for mut s in self.steps(p, data, depth)? {
                        if s.label == "tau" {
                            let mut list = list.clone();
                            list[i] = s.next;
                            s.next = self.external(list);
                        }
                        all.push(s);
                    }
                }
                all
            }
            Proc::Interrupt(a, b) => {
                let mut steps = self.steps(a, data, depth)?;
                for s in steps.iter_mut().filter(|s| s.label != TICK) {
                    s.next = Proc::Interrupt(Box::new(s.next.clone()), b.clone());
                }
                for mut s in self.steps(b, data, depth)? {
                    if s.label == "tau" {
                        s.next = Proc::Interrupt(a.clone(), Box::new(s.next));
                    }
                    steps.push(s);
                }
                steps
            }
            Proc::Hide(a, set) => {
                let mut steps = self.steps(a, data, depth)?;
                for s in &mut steps {
                    if set.contains(&s.label) {
                        s.label = "tau".into();
                    }
                    s.next = Proc::Hide(Box::new(s.next.clone()), set.clone());
                }
                steps
            }
            Proc::Atomic(a) => {
                let mut steps = self.steps(a, data, depth)?;
                for s in &mut steps {
                    s.atomic = true;
                    s.next = Proc::Atomic(Box::new(s.next.clone()));
                }
                steps
            }
            Proc::Open(tree, env) => {
                if let Some(p) = self.structure(tree, env, data)? {
                    return self.steps(&p, data, depth);
                }
                match &tree.kind {
                    ProcessKind::Prefix(event, program, next) => {
                        let mut s = step(&self.event(event, env, data), Self::open(next, env));
                        if let Some(program) = program {
                            s.program = true;
                            self.run(program, env, &mut s.data);
                        }
                        vec![s]
                    }
                    ProcessKind::Either(events, next) => events
                        .iter()
                        .map(|event| step(&self.event(event, env, data), Self::open(next, env)))
                        .collect(),
                    ProcessKind::Guard(e, p) => match self.holds(e, env, data) {
                        true => self.steps(&Self::open(p, env), data, depth)?,
                        false => Vec::new(),
                    },
                    ProcessKind::If(kind, e, a, b) => {
                        let branch = match (self.holds(e, env, data), b) {
                            (true, _) => Self::open(a, env),
                            (false, _) if *kind == If::Blocking => return Ok(Vec::new()),
                            (false, Some(b)) => Self::open(b, env),
                            (false, None) => Proc::Skip,
                        };
                        match kind {
                            If::Atomic => self.steps(&branch, data, depth)?,
                            _ => vec![step("tau", branch)],
                        }
                    }
                    ProcessKind::Case(cases) => {
                        let chosen = cases
                            .iter()
                            .find(|(e, _)| e.as_ref().is_none_or(|e| self.holds(e, env, data)));
                        vec![step("tau", chosen.map_or(Proc::Skip, |(_, p)| Self::open(p, env)))]
                    }
                    ProcessKind::Nary(Op::General, list) => {
                        let mut all = Vec::new();
                        for p in list {
                            all.extend(self.steps(&Self::open(p, env), data, depth)?);
                        }
                        all
                    }
                    ProcessKind::Nary(Op::Internal, list) => {
                        list.iter().map(|p| step("tau", Self::open(p, env))).collect()
                    }
                    ProcessKind::Send(port, values, program, next) => {
                        let name = &port.name.text;
                        let Some(size) = self.size(name) else { return Ok(Vec::new()) };
                        if data.buffers[name].len() as Val >= size {
                            return Ok(Vec::new());
                        }
                        let values: Vec<Val> =
                            values.iter().map(|e| self.eval(e, env, data)).collect();
                        let mut s = step(&message(name, "!", &values), Self::open(next, env));
                        s.data.buffers.get_mut(name).expect("a channel").push(values);
                        if let Some(program) = program {
                            self.run(program, env, &mut s.data);
                        }
                        vec![s]
                    }
                    ProcessKind::Receive(port, guard, patterns, program, next) => {
                        let name = &port.name.text;
                        if self.size(name).is_none() || data.buffers[name].is_empty() {
                            return Ok(Vec::new());
                        }
                        let values = data.buffers[name][0].clone();
                        let Some(inner) = self.matches(guard, patterns, &values, env, data) else {
                            return Ok(Vec::new());
                        };
                        let mut s = step(&message(name, "?", &values), Self::open(next, &inner));
                        s.data.buffers.get_mut(name).expect("a channel").remove(0);
                        if let Some(program) = program {
                            self.run(program, &inner, &mut s.data);
                        }
                        vec![s]
                    }
                    other => panic!("no test has {other:?}"),
                }
            }
        })
    }

    /// The size of a buffer; none for a synchronous channel.
    fn size(&self, channel: &str) -> Option<Val> {
        let c = self.model.channels.iter().find(|c| c.name.text == channel).expect("a channel");
        Some(self.eval_const(&c.size)).filter(|&size| size > 0)
    }

    fn matches(
        &self,
        guard: &Option<Expr>,
        patterns: &[Expr],
        values: &[Val],
        env: &Env,
        data: &Data,
    ) -> Option<Env> {
        if patterns.len() != values.len() {
            return None;
        }
        let mut inner = env.clone();
        for (e, &v) in patterns.iter().zip(values) {
            match &e.kind {
                ExprKind::Name(name) if !env.iter().any(|(n, _)| n == name) => {
                    inner.push((name.clone(), v));
                }
                _ if self.eval(e, env, data) != v => return None,
                _ => {}
            }
        }
        guard.as_ref().is_none_or(|g| self.holds(g, &inner, data)).then_some(inner)
    }

    /// `|||` and, with alphabets, `||`.
    fn together(
        &self,
        list: &[Proc<'m>],
        sets: Option<&Vec<BTreeSet<String>>>,
        data: &Data,
        depth: usize,
    ) -> Res<Vec<Step<'m>>> {
        let rebuild = |list: Vec<Proc<'m>>| match sets {
            None => Proc::Inter(list),
            Some(sets) => Proc::Par(list, sets.clone()),
        };
        let mut of = Vec::new();
        for p in list {
            of.push(self.steps(p, data, depth)?);
        }
        let mut all = Vec::new();
        let shared =
            |i: usize, s: &Step<'m>| sets.is_some_and(|x| x[i].contains(&s.label)) && !s.program;
        for (i, steps) in of.iter().enumerate() {
            for s in steps.iter().filter(|s| s.label != TICK && !shared(i, s)) {
                let mut s = s.clone();
                let mut after = list.to_vec();
                after[i] = s.next;
                s.next = rebuild(after);
                all.push(s);
            }
        }
        // Shared events: everybody whose alphabet has it.
        let names: BTreeSet<String> =
            sets.iter().flat_map(|x| x.iter().flatten().cloned()).collect();
        for name in names {
            let mut rows: Vec<(Vec<Proc<'m>>, bool)> = vec![(list.to_vec(), false)];
            for (i, steps) in of.iter().enumerate() {
                if !sets.is_some_and(|x| x[i].contains(&name)) {
                    continue;
                }
                let mut next = Vec::new();
                for (row, atomic) in &rows {
                    for s in steps.iter().filter(|s| s.label == name && !s.program) {
                        let mut row = row.clone();
                        row[i] = s.next.clone();
                        next.push((row, *atomic || s.atomic));
                    }
                }
                rows = next;
            }
            for (row, atomic) in rows {
                all.push(Step {
                    label: name.clone(),
                    program: false,
                    atomic,
                    next: rebuild(row),
                    data: data.clone(),
                });
            }
        }
        // Communication.
        for (i, p) in list.iter().enumerate() {
            for output in self.outputs(p, data, depth)? {
                for (k, q) in list.iter().enumerate().filter(|(k, _)| *k != i) {
                    for (next, atomic, program) in
                        self.inputs(q, &output.channel, &output.values, data, depth)?
                    {
                        let mut after = list.to_vec();
                        after[i] = output.next.clone();
                        after[k] = next;
                        let mut s = Step {
                            label: message(&output.channel, ".", &output.values),
                            program: false,
                            atomic: atomic || output.atomic,
                            next: rebuild(after),
                            data: data.clone(),
                        };
                        for (program, env) in output.program.iter().chain(&program) {
                            self.run(program, env, &mut s.data);
                        }
                        all.push(s);
                    }
                }
            }
        }
        // Termination of all.
        let ends = |steps: &Vec<Step<'m>>| steps.iter().any(|s| s.label == TICK);
        if of.iter().all(ends) {
            let atomic = of.iter().flatten().any(|s| s.label == TICK && s.atomic);
            all.push(Step {
                label: TICK.into(),
                program: false,
                atomic,
                next: Proc::Done,
                data: data.clone(),
            });
        }
        Ok(all)
    }

    /// A text that is the same only for processes that do the same.
    pub(crate) fn key(&self, p: &Proc<'m>) -> String {
        let list =
            |list: &[Proc<'m>]| list.iter().map(|p| self.key(p)).collect::<Vec<_>>().join(",");
        match p {
            Proc::Open(tree, env) => {
                format!("{:p}@{env:?}", *tree)
            }
            Proc::Skip => "skip".into(),
            Proc::Stop => "stop".into(),
            Proc::Done => "done".into(),
            Proc::Seq(a, b) => format!("seq({};{})", self.key(a), self.key(b)),
            Proc::Inter(l) => format!("inter({})", list(l)),
            Proc::Par(l, sets) => format!("par({}{sets:?})", list(l)),
            Proc::Ext(l) => format!("ext({})", list(l)),
            Proc::Interrupt(a, b) => format!("int({};{})", self.key(a), self.key(b)),
            Proc::Hide(a, set) => match &**a {
                Proc::Hide(b, more) => {
                    let all = set.union(more).cloned().collect();
                    self.key(&Proc::Hide(b.clone(), all))
                }
                _ => format!("hide({}{set:?})", self.key(a)),
            },
            Proc::Atomic(a) => match &**a {
                Proc::Atomic(_) => self.key(a),
                _ => format!("atomic({})", self.key(a)),
            },
        }
    }

    /// Has it terminated?
    pub(crate) fn is_done(&self, p: &Proc<'m>) -> bool {
        match p {
            Proc::Done => true,
            Proc::Hide(a, _) | Proc::Atomic(a) => self.is_done(a),
            Proc::Par(list, _) => list.iter().all(|p| self.is_done(p)),
            _ => false,
        }
    }
}

fn message(channel: &str, sign: &str, values: &[Val]) -> String {
    let values: Vec<String> = values.iter().map(Val::to_string).collect();
    format!("{channel}{sign}{}", values.join("."))
}

/// Is it `Stop` as it is written?
fn is_stop(p: &Process) -> bool {
    match &p.kind {
        ProcessKind::Stop => true,
        ProcessKind::Nary(Op::General | Op::External, list) => list.iter().all(is_stop),
        _ => false,
    }
}
