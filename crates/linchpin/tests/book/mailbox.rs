use linchpin::sync::Mutex;
use linchpin::{Check, Operation, Spec};

/// A place for one letter, which may be lost.
struct Mailbox(Mutex<Option<u32>>);

#[derive(Clone, Debug)]
enum Op {
    Send(u32),
    TryReceive,
}

impl Operation for Op {
    fn all(place: u32) -> Vec<Op> {
        vec![Op::Send(place), Op::TryReceive]
    }
}

/// What it should do: whether a letter is lost is not said.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Lossy(Option<u32>);

impl Spec for Lossy {
    type Op = Op;
    type Ret = Option<u32>;

    fn apply(&mut self, op: &Op) -> Option<u32> {
        match op {
            Op::Send(letter) => {
                self.0 = Some(*letter);
                None
            }
            Op::TryReceive => self.0.take(),
        }
    }

    fn outcomes(&self, op: &Op) -> Vec<(Self, Option<u32>)> {
        let mut delivered = self.clone();
        let result = delivered.apply(op);
        match op {
            Op::Send(_) => vec![(delivered, None), (self.clone(), None)],
            Op::TryReceive => vec![(delivered, result)],
        }
    }
}

#[test]
fn mailbox() {
    let make = || Mailbox(Mutex::new(None));
    let run = |mailbox: &Mailbox, op: &Op| match op {
        Op::Send(letter) => {
            // If nobody has taken the last one, this one is lost.
            mailbox.0.lock().unwrap().get_or_insert(*letter);
            None
        }
        Op::TryReceive => mailbox.0.lock().unwrap().take(),
    };
    let report = Check::new("mailbox", make, run, Lossy(None)).threads(2).ops(2).run();
    assert!(report.is_complete(), "{report}");
}
