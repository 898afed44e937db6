//! draft
mod oracle;
use crate::boxed::Box;
use crate::explore;
use crate::runtime::scheduler::{Limits, Program, join_all};
use crate::runtime::{self, world::World};
use crate::sync::atomic::{AtomicPtr, Ordering};
use std::ops::ControlFlow;
use std::ptr::null_mut;
use std::rc::Rc;

struct Node { value: u32, next: AtomicPtr<Node> }
struct Stack { head: AtomicPtr<Node> }
impl Stack {
    fn push(&self, value: u32) {
        let node = Box::into_raw(Box::new(Node { value, next: AtomicPtr::new(null_mut()) }));
        loop {
            let head = self.head.load(Ordering::Acquire);
            #[allow(unsafe_code)]
            unsafe { *(*node).next.as_ptr() = head };
            if self.head.compare_exchange(head, node, Ordering::AcqRel, Ordering::Acquire).is_ok() { return; }
        }
    }
    fn pop(&self) -> Option<u32> {
        loop {
            let head = self.head.load(Ordering::Acquire);
            if head.is_null() { return None; }
            #[allow(unsafe_code)]
            let next = unsafe { *(*head).next.as_ptr() };
            if self.head.compare_exchange(head, next, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                #[allow(unsafe_code)]
                return Some(unsafe { (*head).value });
            }
        }
    }
}
fn program(clients: Vec<Vec<u32>>) -> Program {
    Rc::new(move || {
        let stack = std::sync::Arc::new(Stack { head: AtomicPtr::default() });
        for c in clients.clone() {
            let stack = stack.clone();
            runtime::spawn(std::boxed::Box::new(move || {
                for (i, op) in c.into_iter().enumerate() {
                    runtime::with(|w: &mut World| w.call(i as u32));
                    if op == 0 { stack.pop(); } else { stack.push(op); }
                    runtime::with(|w: &mut World| w.ret());
                }
            }));
        }
        join_all();
    })
}
#[test]
fn figures() {
    for clients in [vec![vec![1,0],vec![2,0]], vec![vec![1],vec![2],vec![0]],vec![vec![1,0],vec![0,2]], vec![vec![1,0],vec![2,0],vec![3,0]]] {
        let t = std::time::Instant::now();
        let mut seen = std::collections::BTreeMap::new();
        let tally = explore::all(&program(clients.clone()), Limits::default(), 1_000_000, &mut |e| {
            *seen.entry(format!("{:?}", e.failure.as_ref().map(|f| &f.wrong))).or_insert(0) += 1;
            ControlFlow::Continue(())
        });
        println!("{clients:?} {tally:?} {:?} {seen:?}", t.elapsed());
    }
}
