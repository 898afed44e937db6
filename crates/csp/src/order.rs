//! An order of control states that follows the text of the model.
//!
//! Where steps may be left out, somebody must see to it that no process is put off for ever: on every cycle
//! there must be a step that goes *back*. Any order of terms will do, the better the fewer steps go
//! back. This one is that of R. Kurshan and others, *Static partial order reduction*, TACAS 1998: places in
//! the text are numbered so that control goes up, except where a process closes a loop (reverse postorder
//! of a depth-first search; calls lead to what they call). At the same place a process with greater values
//! is further. It is known before the first state and has nothing to do with the order of the search.

use crate::program::{NodeId, NodeKind, Program};
use crate::term::{Term, TermId, Terms};
use crate::value::{Value, is_number};

/// Places in the text.
pub(crate) struct Order {
    /// By node.
    positions: Vec<u32>,
}

/// Ends every key: what has less to do is further.
const END: u64 = u64::MAX;

impl Order {
    pub(crate) fn new(program: &Program) -> Order {
        let mut positions = vec![u32::MAX; program.nodes.len()];
        let mut next = program.nodes.len() as u32;
        let mut seen = vec![false; program.nodes.len()];
        // Nodes, and what comes after them that has not been looked at, the first last.
        let mut stack: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
        for definition in program.definitions.iter().rev() {
            let mut new = Some(definition.body);
            loop {
                if let Some(node) = new.filter(|&n| !std::mem::replace(&mut seen[n as usize], true))
                {
                    stack.push((node, after(program, node)));
                }
                let Some((node, rest)) = stack.last_mut() else { break };
                new = rest.pop();
                if new.is_none() {
                    next -= 1;
                    positions[*node as usize] = next;
                    stack.pop();
                }
            }
        }
        Order { positions }
    }

    /// What terms are compared by, lexicographically: from what is done last to what is done now.
    pub(crate) fn key(&self, terms: &Terms, term: TermId) -> Box<[u64]> {
        let mut key = Vec::new();
        self.add(terms, term, &mut key);
        key.push(END);
        key.into()
    }

    fn add(&self, terms: &Terms, term: TermId, key: &mut Vec<u64>) {
        match terms.get(term) {
            Term::Stop | Term::Done => {}
            Term::Skip | Term::NamedSkip => key.push(END - 1),
            Term::Fault(_, node) => self.place(terms, *node, &[], key),
            Term::Leaf(node, env) | Term::Guard(node, env, _) | Term::IfAtomic(node, env, ..) => {
                self.place(terms, *node, env, key);
            }
            Term::Choice(parts)
            | Term::External(parts)
            | Term::Interleave(parts)
            | Term::Parallel(_, parts) => parts.iter().for_each(|&p| self.add(terms, p, key)),
            Term::Interrupt(a, b) => {
                self.add(terms, *a, key);
                self.add(terms, *b, key);
            }
            Term::Hide(inner, _) | Term::Atomic(inner) | Term::Many(inner) => {
                self.add(terms, *inner, key);
            }
            Term::Sequence(first, second, env) => {
                self.place(terms, *second, env, key);
                self.add(terms, *first, key);
            }
        }
    }

    fn place(&self, terms: &Terms, node: NodeId, env: &[Value], key: &mut Vec<u64>) {
        key.push(self.positions[node as usize].into());
        // Arrays and collections have no order; any that is the same in every run will do.
        key.extend(env.iter().map(|&v| match is_number(v) {
            true => (i64::from(v) - i64::from(Value::MIN)) as u64,
            false => terms.value_hash(v) >> 1,
        }));
    }
}

/// Where control may go from a node, what is written last first.
fn after(program: &Program, node: NodeId) -> Vec<NodeId> {
    match &program.nodes[node as usize].kind {
        NodeKind::Call(definition, ..) => vec![program.definitions[*definition as usize].body],
        other => other.below(),
    }
}
