//! Treiber's stack: a list whose head is exchanged.

use std::ptr;

use linchpin::boxed::Box;
use linchpin::cell::UnsafeCell;
use linchpin::sync::atomic::{AtomicPtr, Ordering::*};

struct Node {
    value: u32,
    next: UnsafeCell<*mut Node>,
}

#[derive(Clone, Copy, PartialEq)]
enum Mistake {
    None,
    /// `push` writes the head without looking whether it is still the same.
    BlindPush,
    /// `pop` frees the node although others may still look at it.
    EarlyFree,
    /// `pop` never frees it.
    Leak,
}

struct Stack {
    head: AtomicPtr<Node>,
    /// Freed in the end. It is not part of the algorithm, so it need not be explored.
    nodes: std::sync::Mutex<Vec<*mut Node>>,
    mistake: Mistake,
}

// SAFETY: nodes are freed by `drop` only, if there is no mistake.
unsafe impl Send for Stack {}
// SAFETY: as above.
unsafe impl Sync for Stack {}

impl Stack {
    fn new(mistake: Mistake) -> Stack {
        Stack { head: AtomicPtr::default(), nodes: Default::default(), mistake }
    }

    fn push(&self, value: u32) {
        let next = UnsafeCell::new(ptr::null_mut());
        let node = Box::into_raw(Box::new(Node { value, next }));
        if matches!(self.mistake, Mistake::None | Mistake::BlindPush) {
            self.nodes.lock().unwrap().push(node);
        }
        loop {
            let head = self.head.load(Acquire);
            // SAFETY: nobody else has the node yet.
            unsafe { (*node).next.with_mut(|next| *next = head) };
            if self.mistake == Mistake::BlindPush {
                return self.head.store(node, Release);
            }
            if self.head.compare_exchange(head, node, AcqRel, Acquire).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> Option<u32> {
        loop {
            let head = self.head.load(Acquire);
            if head.is_null() {
                return None;
            }
            // SAFETY: nodes are freed in the end.
            let next = unsafe { (*head).next.with(|next| *next) };
            if self.head.compare_exchange(head, next, AcqRel, Acquire).is_ok() {
                // SAFETY: as above.
                let value = unsafe { (*head).value };
                if self.mistake == Mistake::EarlyFree {
                    // SAFETY: there is none.
                    drop(unsafe { Box::from_raw(head) });
                }
                return Some(value);
            }
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let mut nodes = std::mem::take(&mut *self.nodes.lock().unwrap());
        let mut node = self.head.load(Acquire);
        while self.mistake == Mistake::EarlyFree && !node.is_null() {
            nodes.push(node);
            // SAFETY: nobody else has the stack any more.
            node = unsafe { (*node).next.with(|next| *next) };
        }
        for node in nodes {
            // SAFETY: as above.
            drop(unsafe { Box::from_raw(node) });
        }
    }
}

linchpin::test! {
    fn treiber(stack: Stack = Stack::new(Mistake::None), spec: Vec<u32> = vec![], threads = 2, ops = 2) {
        push(v: u32) => stack.push(v), spec.push(v);
        pop() => stack.pop(), spec.pop();
    }

    fn treiber_with_three_threads(
        stack: Stack = Stack::new(Mistake::None),
        spec: Vec<u32> = vec![],
        threads = 3,
        ops = 1,
    ) {
        push(v: u32) => stack.push(v), spec.push(v);
        pop() => stack.pop(), spec.pop();
    }

    #[should_panic(expected = "not linearizable")]
    fn treiber_with_a_blind_push(
        stack: Stack = Stack::new(Mistake::BlindPush),
        spec: Vec<u32> = vec![],
        threads = 3,
        ops = 2,
    ) {
        push(v: u32) => stack.push(v), spec.push(v);
        pop() => stack.pop(), spec.pop();
    }

    // The same judged by a specification of a file.
    fn treiber_by_a_file(
        stack: Stack = Stack::new(Mistake::None),
        spec = "tests/structures/stack.lin:Stack",
        threads = 3,
        ops = 1,
    ) {
        push(v: u32) => stack.push(v);
        pop() => stack.pop();
    }

    #[should_panic(expected = "it returned nil; it could have returned 3")]
    fn treiber_with_a_blind_push_by_a_file(
        stack: Stack = Stack::new(Mistake::BlindPush),
        spec = "tests/structures/stack.lin:Stack",
        threads = 3,
        ops = 2,
    ) {
        push(v: u32) => stack.push(v);
        pop() => stack.pop();
    }

    #[should_panic(expected = "there is no specification `Queue` in it; there are Stack")]
    fn a_specification_that_is_not_there(
        stack: Stack = Stack::new(Mistake::None),
        spec = "tests/structures/stack.lin:Queue",
    ) {
        push(v: u32) => stack.push(v);
    }

    #[should_panic(expected = "`Stack` has no operation `peek`; it has push, pop")]
    fn an_operation_that_is_not_there(
        stack: Stack = Stack::new(Mistake::None),
        spec = "tests/structures/stack.lin:Stack",
    ) {
        peek() => stack.pop();
    }

    #[should_panic(expected = "`push` returns true; in the specification nothing")]
    fn a_result_that_is_not_there(
        stack: Stack = Stack::new(Mistake::None),
        spec = "tests/structures/stack.lin:Stack",
    ) {
        push(v: u32) => { stack.push(v); true };
    }

    #[should_panic(expected = "frees it at")]
    fn treiber_that_frees_too_early(
        stack: Stack = Stack::new(Mistake::EarlyFree),
        spec: Vec<u32> = vec![],
    ) {
        push(v: u32) => stack.push(v), spec.push(v);
        pop() => stack.pop(), spec.pop();
    }

    #[should_panic(expected = "a leak")]
    fn treiber_that_leaks(stack: Stack = Stack::new(Mistake::Leak), spec: Vec<u32> = vec![]) {
        push(v: u32) => stack.push(v), spec.push(v);
        pop() => stack.pop(), spec.pop();
    }
}
