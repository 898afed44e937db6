//! How many executions there are: figures that do not change without a reason.

use std::ops::ControlFlow;
use std::ptr;
use std::rc::Rc;

use crate::client::{Client, program};
use crate::explore;
use crate::runtime::scheduler::Limits;
use crate::spec::Operation;
use crate::sync::atomic::{AtomicPtr, Ordering::SeqCst};

#[derive(Clone, Debug)]
enum Op {
    Push,
    Pop,
}

impl Operation for Op {
    fn all(_place: u32) -> Vec<Op> {
        vec![Op::Push, Op::Pop]
    }
}

/// A stack whose nodes are never freed, and that nobody looks into.
struct Stack(AtomicPtr<Node>);

struct Node(std::sync::atomic::AtomicPtr<Node>);

fn run(stack: &Stack, op: &Op) {
    let node = Box::leak(Box::new(Node(ptr::null_mut::<Node>().into())));
    loop {
        let head = stack.0.load(SeqCst);
        let next = match op {
            Op::Push => {
                node.0.store(head, SeqCst);
                ptr::from_mut(node)
            }
            Op::Pop if head.is_null() => return,
            // Which node is next does not matter for how many executions there are, only that it is another one.
            Op::Pop => ptr::null_mut(),
        };
        if stack.0.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
            return;
        }
    }
}

fn figures(choices: &[&[usize]]) -> (u64, u64) {
    let client = Client::<Op>::new(choices.iter().map(|c| c.to_vec()).collect()).unwrap();
    let make = Rc::new(|| Stack(AtomicPtr::default()));
    let (program, _) = program(&client, make, Rc::new(run));
    let tally = explore::all(&program, Limits::default(), 1_000_000, &mut |execution| {
        assert!(execution.failure.is_none(), "{:?}", execution.failure);
        ControlFlow::Continue(())
    });
    assert!(tally.complete);
    (tally.executions, tally.redundant)
}

#[test]
fn a_stack_has_so_many_executions() {
    assert_eq!(figures(&[&[0, 1], &[0, 1]]), (46, 0));
    assert_eq!(figures(&[&[0], &[0], &[1]]), (30, 0));
    assert_eq!(figures(&[&[0], &[0], &[0]]), (60, 0));
}
