//! A labelled system of any kind, so that commands need not know which.

use std::any::Any;
use std::path::PathBuf;

use linchpin_lts::{Explicit, Label, LabelledSystem, Move, Trouble};

/// A system, and where it comes from.
pub(crate) struct Given {
    /// The file.
    pub(crate) path: PathBuf,
    /// Its text, if places in it can be shown.
    pub(crate) text: String,
    /// The system.
    pub(crate) system: System,
}

/// A system that was given.
pub(crate) enum System {
    /// All its states.
    Explicit(Explicit),
    /// Something that computes them.
    Computed(Box<dyn Erased>),
}

/// A labelled system of any kind.
pub(crate) trait Erased: Sync {
    fn new_scratch(&self) -> Box<dyn Any + Send>;
    fn slots(&self) -> usize;
    fn begin(&self, scratch: &mut dyn Any) -> Result<Vec<u32>, Trouble>;
    fn push(
        &self,
        scratch: &mut dyn Any,
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble>;
    fn text(&self, label: Label) -> String;
}

impl<S: LabelledSystem> Erased for S
where
    S::Scratch: 'static,
{
    fn new_scratch(&self) -> Box<dyn Any + Send> {
        Box::new(self.scratch())
    }

    fn slots(&self) -> usize {
        self.width()
    }

    fn begin(&self, scratch: &mut dyn Any) -> Result<Vec<u32>, Trouble> {
        self.initial(own(scratch)?)
    }

    fn push(
        &self,
        scratch: &mut dyn Any,
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        self.successors(own(scratch)?, state, emit)
    }

    fn text(&self, label: Label) -> String {
        self.label(label)
    }
}

/// The scratch memory of a system, which was made by that system.
fn own<T: 'static>(scratch: &mut dyn Any) -> Result<&mut T, Trouble> {
    let foreign = || Trouble { message: "scratch memory of another system".into(), at: None };
    scratch.downcast_mut().ok_or_else(foreign)
}

impl LabelledSystem for System {
    type Scratch = Box<dyn Any + Send>;

    fn scratch(&self) -> Self::Scratch {
        match self {
            System::Explicit(lts) => lts.new_scratch(),
            System::Computed(system) => system.new_scratch(),
        }
    }

    fn width(&self) -> usize {
        match self {
            System::Explicit(lts) => lts.width(),
            System::Computed(system) => system.slots(),
        }
    }

    fn initial(&self, scratch: &mut Self::Scratch) -> Result<Vec<u32>, Trouble> {
        match self {
            System::Explicit(lts) => lts.begin(scratch.as_mut()),
            System::Computed(system) => system.begin(scratch.as_mut()),
        }
    }

    fn successors(
        &self,
        scratch: &mut Self::Scratch,
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        match self {
            System::Explicit(lts) => lts.push(scratch.as_mut(), state, emit),
            System::Computed(system) => system.push(scratch.as_mut(), state, emit),
        }
    }

    fn label(&self, label: Label) -> String {
        match self {
            System::Explicit(lts) => LabelledSystem::label(lts, label),
            System::Computed(system) => system.text(label),
        }
    }
}
