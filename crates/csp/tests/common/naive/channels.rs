//! Offers on synchronous channels.

use linchpin_csp::ast::*;

use super::{DEEPEST, Data, Env, Failed, Naive, Output, Proc, Res, Val};

impl<'m> Naive<'m> {
    /// What a process could say on synchronous channels.
    pub(super) fn outputs(&self, p: &Proc<'m>, data: &Data, depth: usize) -> Res<Vec<Output<'m>>> {
        if depth > DEEPEST {
            return Err(Failed::Deep);
        }
        let depth = depth + 1;
        let around = |mut list: Vec<Output<'m>>, f: &dyn Fn(Proc<'m>) -> Proc<'m>| {
            for o in &mut list {
                o.next = f(o.next.clone());
            }
            list
        };
        Ok(match p {
            Proc::Stop | Proc::Done | Proc::Skip => Vec::new(),
            Proc::Seq(a, b) if self.is_skip(a) => self.outputs(b, data, depth)?,
            Proc::Seq(a, b) => {
                around(self.outputs(a, data, depth)?, &|n| Proc::Seq(Box::new(n), b.clone()))
            }
            Proc::Inter(list) | Proc::Par(list, _) => {
                let mut all = Vec::new();
                for (i, q) in list.iter().enumerate() {
                    all.extend(around(self.outputs(q, data, depth)?, &|n| {
                        let mut list = list.clone();
                        list[i] = n;
                        match p {
                            Proc::Par(_, sets) => Proc::Par(list, sets.clone()),
                            _ => Proc::Inter(list),
                        }
                    }));
                }
                all
            }
            Proc::Ext(list) => {
                let mut all = Vec::new();
                for q in list {
                    all.extend(self.outputs(q, data, depth)?);
                }
                all
            }
            Proc::Interrupt(a, b) => {
                let mut all = around(self.outputs(a, data, depth)?, &|n| {
                    Proc::Interrupt(Box::new(n), b.clone())
                });
                all.extend(self.outputs(b, data, depth)?);
                all
            }
            Proc::Hide(a, set) => {
                around(self.outputs(a, data, depth)?, &|n| Proc::Hide(Box::new(n), set.clone()))
            }
            Proc::Atomic(a) => {
                let mut list =
                    around(self.outputs(a, data, depth)?, &|n| Proc::Atomic(Box::new(n)));
                list.iter_mut().for_each(|o| o.atomic = true);
                list
            }
            Proc::Open(tree, env) => {
                if let Some(p) = self.structure(tree, env, data)? {
                    return self.outputs(&p, data, depth);
                }
                match &tree.kind {
                    ProcessKind::Send(port, values, program, next)
                        if self.size(&port.name.text).is_none() =>
                    {
                        vec![Output {
                            channel: port.name.text.clone(),
                            values: values.iter().map(|e| self.eval(e, env, data)).collect(),
                            atomic: false,
                            next: Self::open(next, env),
                            program: program.as_ref().map(|p| (p.as_slice(), env.clone())),
                        }]
                    }
                    _ => {
                        let mut all = Vec::new();
                        for branch in self.branches(tree, env, data) {
                            all.extend(self.outputs(&branch, data, depth)?);
                        }
                        all
                    }
                }
            }
        })
    }

    /// Where offers of a guard, `ifa` or choice come from.
    fn branches(&self, tree: &'m Process, env: &Env, data: &Data) -> Vec<Proc<'m>> {
        match &tree.kind {
            ProcessKind::Guard(e, p) if self.holds(e, env, data) => vec![Self::open(p, env)],
            ProcessKind::If(If::Atomic, e, a, b) => match (self.holds(e, env, data), b) {
                (true, _) => vec![Self::open(a, env)],
                (false, Some(b)) => vec![Self::open(b, env)],
                (false, None) => Vec::new(),
            },
            ProcessKind::Nary(Op::General, list) => {
                list.iter().map(|p| Self::open(p, env)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What a process could do with a message on a synchronous channel.
    #[allow(clippy::type_complexity)]
    pub(super) fn inputs(
        &self,
        p: &Proc<'m>,
        channel: &str,
        values: &[Val],
        data: &Data,
        depth: usize,
    ) -> Res<Vec<(Proc<'m>, bool, Option<(&'m [Stmt], Env)>)>> {
        if depth > DEEPEST {
            return Err(Failed::Deep);
        }
        let depth = depth + 1;
        let of = |q: &Proc<'m>| self.inputs(q, channel, values, data, depth);
        Ok(match p {
            Proc::Stop | Proc::Done | Proc::Skip => Vec::new(),
            Proc::Seq(a, b) if self.is_skip(a) => of(b)?,
            Proc::Seq(a, b) => (of(a)?.into_iter())
                .map(|(n, x, c)| (Proc::Seq(Box::new(n), b.clone()), x, c))
                .collect(),
            Proc::Inter(list) | Proc::Par(list, _) => {
                let mut all = Vec::new();
                for (i, q) in list.iter().enumerate() {
                    for (n, x, c) in of(q)? {
                        let mut list = list.clone();
                        list[i] = n;
                        let n = match p {
                            Proc::Par(_, sets) => Proc::Par(list, sets.clone()),
                            _ => Proc::Inter(list),
                        };
                        all.push((n, x, c));
                    }
                }
                all
            }
            Proc::Ext(list) => {
                let mut all = Vec::new();
                for q in list {
                    all.extend(of(q)?);
                }
                all
            }
            Proc::Interrupt(a, b) => {
                let left = of(a)?.into_iter();
                let mut all: Vec<_> =
                    left.map(|(n, x, c)| (Proc::Interrupt(Box::new(n), b.clone()), x, c)).collect();
                all.extend(of(b)?);
                all
            }
            Proc::Hide(a, set) => (of(a)?.into_iter())
                .map(|(n, x, c)| (Proc::Hide(Box::new(n), set.clone()), x, c))
                .collect(),
            Proc::Atomic(a) => {
                (of(a)?.into_iter()).map(|(n, _, c)| (Proc::Atomic(Box::new(n)), true, c)).collect()
            }
            Proc::Open(tree, env) => {
                if let Some(p) = self.structure(tree, env, data)? {
                    return of(&p);
                }
                match &tree.kind {
                    ProcessKind::Receive(port, guard, patterns, program, next)
                        if port.name.text == channel && self.size(channel).is_none() =>
                    {
                        match self.matches(guard, patterns, values, env, data) {
                            Some(inner) => {
                                let program =
                                    program.as_ref().map(|p| (p.as_slice(), inner.clone()));
                                vec![(Self::open(next, &inner), false, program)]
                            }
                            None => Vec::new(),
                        }
                    }
                    _ => {
                        let mut all = Vec::new();
                        for branch in self.branches(tree, env, data) {
                            all.extend(of(&branch)?);
                        }
                        all
                    }
                }
            }
        })
    }
}
