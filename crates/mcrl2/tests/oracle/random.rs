//! Random specifications: guarded, with few values, so that most have few states.

use super::term::{Action, Data, Sort, Specification, Term, Value};

/// Random numbers (xorshift), and what is made with them.
pub(crate) struct Random {
    state: u64,
    /// Variables get new names most of the time, and old ones now and then.
    fresh: u32,
}

/// The actions with the sorts of their arguments.
const ACTIONS: &[(&str, &[Sort])] = &[
    ("a", &[]),
    ("b", &[]),
    ("e", &[]),
    ("s", &[Sort::D]),
    ("r", &[Sort::D]),
    ("c", &[Sort::D]),
    ("t", &[Sort::Nat]),
    ("u", &[Sort::Nat]),
    ("w", &[Sort::Nat]),
    ("x", &[Sort::Pair]),
    ("y", &[Sort::Pair]),
    ("z", &[Sort::Pair]),
    ("m", &[Sort::D, Sort::Nat]),
];

/// Communications; every action is on one left-hand side at most.
const RULES: &[(&[&str], &str)] = &[
    (&["a", "b"], "e"),
    (&["s", "r"], "c"),
    (&["t", "u"], "w"),
    (&["x", "y"], "z"),
    (&["a", "a"], "b"),
    (&["s", "s", "r"], "c"),
];

type Scope = Vec<(String, Sort)>;

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = Random { state, fresh: 0 };
        for _ in 0..8 {
            random.below(2);
        }
        random
    }

    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 33) as usize % n
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn one_of<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        &list[self.below(list.len())]
    }

    pub(crate) fn specification(&mut self) -> Specification {
        let count = 1 + self.below(3);
        let mut heads: Vec<Scope> = Vec::new();
        for _ in 0..count {
            let sorts = [Sort::D, Sort::Nat, Sort::Bool, Sort::Pair];
            let size = self.below(3);
            heads.push((0..size).map(|i| (format!("p{i}"), *self.one_of(&sorts))).collect());
        }
        let mut processes = Vec::new();
        for head in &heads {
            let mut scope = head.clone();
            let body = self.guarded(&mut scope, &heads, 3);
            processes.push((head.clone(), body));
        }
        let mut init = self.network(&heads, 1);
        if self.chance(60) {
            init = self.allow(Box::new(init));
        }
        Specification { processes, init }
    }

    /// Operators around parallel processes.
    fn network(&mut self, heads: &[Scope], depth: usize) -> Term {
        let size = 1 + self.below(3);
        let mut parts = Vec::new();
        for _ in 0..size {
            parts.push(match depth > 0 && self.chance(25) {
                true => self.network(heads, depth - 1),
                false if self.chance(50) => self.guarded(&mut Vec::new(), heads, 2),
                false => self.call(&Vec::new(), heads),
            });
        }
        let mut term = parts.pop().unwrap_or(Term::Delta);
        for part in parts {
            term = Term::Parallel(Box::new(part), Box::new(term));
        }
        for _ in 0..self.below(4) {
            term = self.operator(Box::new(term));
        }
        term
    }

    fn some_names(&mut self) -> Vec<String> {
        let count = 1 + self.below(4);
        (0..count).map(|_| self.one_of(ACTIONS).0.to_string()).collect()
    }

    fn operator(&mut self, body: Box<Term>) -> Term {
        match self.below(8) {
            0 => Term::Hide(self.some_names(), body),
            1 => Term::Block(self.some_names(), body),
            2 => {
                let pairs =
                    [("a", "b"), ("b", "e"), ("s", "r"), ("r", "c"), ("t", "w"), ("x", "z")];
                let mut list: Vec<(String, String)> = Vec::new();
                for (from, to) in pairs {
                    if self.chance(30) {
                        list.push((from.into(), to.into()));
                    }
                }
                Term::Rename(list, body)
            }
            3..=5 => {
                let mut used: Vec<&str> = Vec::new();
                let mut list = Vec::new();
                for (left, result) in RULES {
                    let clash = left.iter().any(|n| used.contains(n)) || used.contains(result);
                    let results: Vec<&str> = list.iter().map(|(_, r): &(_, String)| &**r).collect();
                    if !clash && !left.iter().any(|n| results.contains(n)) && self.chance(60) {
                        let names = left.iter().map(|n| n.to_string()).collect::<Vec<_>>();
                        used.extend(*left);
                        list.push((names, result.to_string()));
                    }
                }
                Term::Comm(list, body)
            }
            _ => self.allow(body),
        }
    }

    fn allow(&mut self, body: Box<Term>) -> Term {
        let count = 2 + self.below(9);
        let sets = (0..count).map(|_| {
            let size = 1 + usize::from(self.chance(25)) + usize::from(self.chance(10));
            (0..size).map(|_| self.one_of(ACTIONS).0.to_string()).collect()
        });
        Term::Allow(sets.collect(), body)
    }

    /// A term that does an action before it calls a process.
    fn guarded(&mut self, scope: &mut Scope, heads: &[Scope], depth: usize) -> Term {
        if depth == 0 {
            return self.act(scope);
        }
        match self.below(10) {
            0 => Term::Delta,
            1 | 2 => {
                let a = Box::new(self.guarded(scope, heads, depth - 1));
                Term::Choice(a, Box::new(self.guarded(scope, heads, depth - 1)))
            }
            3 => {
                let c = self.data(scope, Sort::Bool, 2);
                let a = Box::new(self.guarded(scope, heads, depth - 1));
                let b = self.chance(60).then(|| Box::new(self.guarded(scope, heads, depth - 1)));
                Term::Condition(c, a, b)
            }
            4 | 5 => self.sum(scope, heads, depth),
            6 => self.act(scope),
            _ => {
                // Calls stand at the end only, so that the number of open calls is bounded.
                let first = match self.chance(25) {
                    true => self.guarded(scope, &[], depth - 1),
                    false => self.act(scope),
                };
                let second = match heads.is_empty() || self.chance(40) {
                    true => self.guarded(scope, heads, depth - 1),
                    false => self.call(scope, heads),
                };
                Term::Sequence(Box::new(first), Box::new(second))
            }
        }
    }

    fn sum(&mut self, scope: &mut Scope, heads: &[Scope], depth: usize) -> Term {
        let sort = *self.one_of(&[Sort::D, Sort::Bool, Sort::Nat, Sort::Nat, Sort::Pair]);
        self.fresh += 1;
        let name = format!("v{}", if self.chance(80) { self.fresh } else { 0 });
        scope.push((name.clone(), sort));
        let variable = Box::new(Data::Variable(name.clone()));
        let mut body = match (sort, self.chance(50)) {
            // Something that is meant to be decided by communication.
            (Sort::Nat, true) => {
                let first = Term::Act(vec![("u".into(), vec![(*variable).clone()])]);
                Term::Sequence(Box::new(first), Box::new(self.guarded(scope, heads, depth - 1)))
            }
            (Sort::Pair, true) => {
                let first = Term::Act(vec![("y".into(), vec![(*variable).clone()])]);
                Term::Sequence(Box::new(first), Box::new(self.guarded(scope, heads, depth - 1)))
            }
            _ => self.guarded(scope, heads, depth - 1),
        };
        scope.pop();
        if sort == Sort::Nat && self.chance(60) {
            let bound = Box::new(Data::Value(Value::Nat(1 + self.below(3) as u32)));
            let condition = Data::Less(variable, bound);
            body = Term::Condition(condition, Box::new(body), None);
        }
        Term::Sum(name, sort, Box::new(body))
    }

    fn act(&mut self, scope: &Scope) -> Term {
        let size = match self.below(20) {
            0 => 0,
            1..=14 => 1,
            _ => 2,
        };
        let action = |random: &mut Random| -> Action {
            let (name, sorts) = *random.one_of(ACTIONS);
            (name.into(), sorts.iter().map(|s| random.data(scope, *s, 1)).collect())
        };
        Term::Act((0..size).map(|_| action(self)).collect())
    }

    fn call(&mut self, scope: &Scope, heads: &[Scope]) -> Term {
        let process = self.below(heads.len());
        let arguments = heads[process].iter().map(|(_, sort)| self.data(scope, *sort, 1));
        Term::Call(process, arguments.collect())
    }

    fn data(&mut self, scope: &Scope, sort: Sort, depth: usize) -> Data {
        let variables: Vec<&(String, Sort)> = scope.iter().filter(|(_, s)| *s == sort).collect();
        if !variables.is_empty() && self.chance(60) {
            let name = &variables[self.below(variables.len())].0;
            // The last variable with this name is the one that is meant.
            let last = scope.iter().rev().find(|(n, _)| n == name);
            if last.is_some_and(|(_, s)| *s == sort) {
                return Data::Variable(name.clone());
            }
        }
        let number = |random: &mut Random| Data::Value(Value::Nat(random.below(3) as u32));
        if depth == 0 {
            return match sort {
                Sort::Bool => Data::Value(Value::Bool(self.chance(50))),
                Sort::D => Data::Value(Value::D(self.below(3) as u8)),
                Sort::Nat => number(self),
                Sort::Pair => Data::Value(Value::Pair(self.below(3) as u8, self.below(3) as u32)),
            };
        }
        match sort {
            Sort::D => match self.below(4) {
                0 => Data::Left(self.part(scope, Sort::Pair, depth)),
                _ => Data::Next(self.part(scope, Sort::D, depth)),
            },
            Sort::Nat => match self.below(4) {
                0 => Data::Right(self.part(scope, Sort::Pair, depth)),
                1 => {
                    let condition = self.part(scope, Sort::Bool, depth);
                    let (a, b) =
                        (self.part(scope, Sort::Nat, depth), self.part(scope, Sort::Nat, depth));
                    // All numbers stay small, those of sums as well.
                    Data::Plus(Box::new(Data::If(condition, a, b)), 0)
                }
                _ => {
                    let k = self.below(3) as u32;
                    Data::Plus(self.part(scope, Sort::Nat, depth), k)
                }
            },
            Sort::Pair => {
                Data::Pair(self.part(scope, Sort::D, depth), self.part(scope, Sort::Nat, depth))
            }
            Sort::Bool => {
                let inner = match self.below(6) {
                    0 => Sort::Nat,
                    1..=3 => Sort::Bool,
                    _ => *self.one_of(&[Sort::Nat, Sort::D, Sort::Pair]),
                };
                let (a, b) = (self.part(scope, inner, depth), self.part(scope, inner, depth));
                match (inner, self.below(3)) {
                    (Sort::Bool, 0) => Data::Not(a),
                    (Sort::Bool, 1) => Data::And(a, b),
                    (Sort::Bool, _) => Data::Or(a, b),
                    (Sort::Nat, 0) => Data::Less(a, b),
                    _ => Data::Equal(a, b),
                }
            }
        }
    }

    fn part(&mut self, scope: &Scope, sort: Sort, depth: usize) -> Box<Data> {
        Box::new(self.data(scope, sort, depth - 1))
    }
}
