//! Alphabets of processes in `||`.

use std::collections::{BTreeMap, BTreeSet};

use linchpin_csp::ast::*;

use super::{Data, Env, Failed, Naive, Res, Val};

impl<'m> Naive<'m> {
    /// The events in a text, as far as they do not depend on what is unknown.
    pub(super) fn alphabet(
        &self,
        p: &'m Process,
        env: &Env,
        unknown: &BTreeSet<String>,
        seen: &mut BTreeSet<(String, Vec<Option<Val>>)>,
    ) -> Res<BTreeSet<String>> {
        let mut all = BTreeSet::new();
        let depends = |e: &Expr| self.depends(e, env, unknown);
        match &p.kind {
            ProcessKind::Stop | ProcessKind::Skip | ProcessKind::Assert(_) => {}
            ProcessKind::Prefix(_, _, next) | ProcessKind::Either(_, next) => {
                let events = match &p.kind {
                    ProcessKind::Prefix(event, None, _) => std::slice::from_ref(event),
                    ProcessKind::Either(events, _) => events,
                    _ => &[],
                };
                for event in events.iter().filter(|event| event.name.text != "tau") {
                    if event.parts.iter().any(depends) {
                        return Err(Failed::Alphabet);
                    }
                    let data = Data { variables: BTreeMap::new(), buffers: BTreeMap::new() };
                    all.insert(self.event(event, env, &data));
                }
                all.extend(self.alphabet(next, env, unknown, seen)?);
            }
            ProcessKind::Send(_, _, _, next) => {
                all.extend(self.alphabet(next, env, unknown, seen)?);
            }
            ProcessKind::Receive(_, _, patterns, _, next) => {
                let mut unknown = unknown.clone();
                for e in patterns {
                    if let ExprKind::Name(name) = &e.kind
                        && !env.iter().any(|(n, _)| n == name)
                    {
                        unknown.insert(name.clone());
                    }
                }
                all.extend(self.alphabet(next, env, &unknown, seen)?);
            }
            ProcessKind::Guard(_, p) | ProcessKind::Atomic(p) => {
                all.extend(self.alphabet(p, env, unknown, seen)?);
            }
            ProcessKind::If(_, _, a, b) => {
                all.extend(self.alphabet(a, env, unknown, seen)?);
                if let Some(b) = b {
                    all.extend(self.alphabet(b, env, unknown, seen)?);
                }
            }
            ProcessKind::Case(cases) => {
                for (_, p) in cases {
                    all.extend(self.alphabet(p, env, unknown, seen)?);
                }
            }
            ProcessKind::Sequence(a, b) | ProcessKind::Interrupt(a, b) => {
                all.extend(self.alphabet(a, env, unknown, seen)?);
                all.extend(self.alphabet(b, env, unknown, seen)?);
            }
            ProcessKind::Nary(_, list) => {
                for p in list {
                    all.extend(self.alphabet(p, env, unknown, seen)?);
                }
            }
            ProcessKind::Hide(p, events) => {
                let hidden = self.set(events, env);
                let inner = self.alphabet(p, env, unknown, &mut seen.clone())?;
                all.extend(inner.difference(&hidden).cloned());
            }
            ProcessKind::Call(name, arguments) => {
                let d = self.model.processes.iter().find(|d| d.name.text == name.text);
                let d = d.expect("a definition");
                let declared: Vec<&Alphabet> =
                    self.model.alphabets.iter().filter(|a| a.process.text == name.text).collect();
                let data = Data { variables: BTreeMap::new(), buffers: BTreeMap::new() };
                let mut inner = Env::new();
                let mut open = BTreeSet::new();
                let mut key = Vec::new();
                for ((n, _), e) in d.parameters.iter().zip(arguments) {
                    if depends(e) {
                        open.insert(n.text.clone());
                        key.push(None);
                    } else {
                        let v = self.eval(e, env, &data);
                        inner.push((n.text.clone(), v));
                        key.push(Some(v));
                    }
                }
                if !declared.is_empty() {
                    for a in declared {
                        for s in &a.events {
                            if s.event.parts.iter().any(|e| self.depends(e, &inner, &open)) {
                                return Err(Failed::Alphabet);
                            }
                        }
                        all.extend(self.set(&a.events, &inner));
                    }
                } else if seen.insert((name.text.clone(), key)) {
                    all.extend(self.alphabet(&d.body, &inner, &open, seen)?);
                }
            }
            other => panic!("no test has {other:?}"),
        }
        Ok(all)
    }

    /// Does an expression need a variable or something unknown?
    fn depends(&self, e: &Expr, env: &Env, unknown: &BTreeSet<String>) -> bool {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) => false,
            ExprKind::Index(..) | ExprKind::Method(..) | ExprKind::Count(_) => true,
            ExprKind::Name(name) => {
                unknown.contains(name)
                    || !env.iter().any(|(n, _)| n == name)
                        && self.model.variables.iter().any(|v| v.name.text == *name)
            }
            ExprKind::Unary(_, a) => self.depends(a, env, unknown),
            ExprKind::Binary(_, a, b) => {
                self.depends(a, env, unknown) || self.depends(b, env, unknown)
            }
            other => panic!("no test has {other:?}"),
        }
    }
}
