//! From a path to a labelled system, whatever language it is in.
//!
//! A language adds itself in [`load`]: anything that is a [`LabelledSystem`] will do.

use std::any::Any;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use linchpin_check::Clients;
use linchpin_lts::{
    Explicit, Label, LabelledSystem, Loading, Move, Renumber, Saving, Trouble, read_aut_until,
};

use super::options::Common;
use crate::args::BoundOptions;
use crate::language::{self, Language};
use crate::outcome::{Failure, Kind, Problem};
use crate::session::Session;
use crate::watch::Watch;
use crate::{bounds, csp, input, mcrl2, names};

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
    fn content(&self, scratch: &mut dyn Any, state: &[u32]) -> Option<u64>;
    fn write(&self, out: &mut Saving<'_>) -> io::Result<()>;
    fn read<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>>;
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

    fn content(&self, scratch: &mut dyn Any, state: &[u32]) -> Option<u64> {
        self.hash(own(scratch).ok()?, state)
    }

    fn write(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.save(out)
    }

    fn read<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        self.load(from)
    }

    fn text(&self, label: Label) -> String {
        self.label(label)
    }
}

/// The scratch memory of a system, which was made by that system.
fn own<T: 'static>(scratch: &mut dyn Any) -> Result<&mut T, Trouble> {
    let foreign = || Trouble::new("scratch memory of another system");
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

    fn hash(&self, scratch: &mut Self::Scratch, state: &[u32]) -> Option<u64> {
        match self {
            System::Explicit(_) => None,
            System::Computed(system) => system.content(scratch.as_mut(), state),
        }
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        match self {
            System::Explicit(lts) => lts.write(out),
            System::Computed(system) => system.write(out),
        }
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        match self {
            System::Explicit(lts) => lts.read(from),
            System::Computed(system) => system.read(from),
        }
    }

    fn label(&self, label: Label) -> String {
        match self {
            System::Explicit(lts) => LabelledSystem::label(lts, label),
            System::Computed(system) => system.text(label),
        }
    }
}

/// The system in a file.
pub(crate) fn load(
    path: &Path,
    common: &Common,
    session: &Session<'_>,
    watch: &Watch<'_>,
) -> Result<System, Failure> {
    if input::is_standard(path) {
        return aut(path, std::io::stdin().lock(), watch);
    }
    let (file, process) = language::process(path);
    let who = "a transition system";
    match Language::among(&file, Language::ALL, who)? {
        Language::Aut => {
            let opened = File::open(path).map_err(|error| input::unreadable(path, &error))?;
            aut(path, opened, watch)
        }
        Language::Mcrl2 => Ok(mcrl2::load(path, &common.bounds, watch)?),
        Language::Csp => Ok(csp(&file, process.as_deref(), &common.bounds, watch)?),
        Language::Lin => Ok(clients(path, common, session, watch)?),
    }
}

/// The clients of a check of a file.
fn clients(
    path: &Path,
    common: &Common,
    session: &Session<'_>,
    watch: &Watch<'_>,
) -> Result<System, Problem> {
    let source = input::load(path, &common.bounds.set)?;
    source.warnings(|path, text, warnings| session.warn(path, text, warnings));
    let check = names::find(&source, common.name.as_deref())?;
    let bounded = bounds::apply(&source.program, check, &common.bounds)
        .map_err(|message| Problem::of_check(Kind::Bounds, &source, check, message))?;
    let clients =
        Clients::new(source.program.clone(), &bounded, watch.question()).map_err(|u| {
            Problem::of_check(Kind::Unsupported, &source, check, u.message).at(&source, u.span)
        })?;
    Ok(System::Computed(Box::new(clients)))
}

/// A process of a model of PAT.
fn csp(
    file: &Path,
    process: Option<&str>,
    bounds: &BoundOptions,
    watch: &Watch<'_>,
) -> Result<System, Problem> {
    let missing = |message: String| Problem::new(Kind::NoSuchCheck, file, message);
    let process = process
        .ok_or_else(|| missing("say which process is meant: FILE.csp:PROCESS".to_string()))?;
    match csp::load(file, bounds)?.model.system_until(process, watch.question()) {
        Some(Ok(system)) => Ok(System::Computed(Box::new(system))),
        Some(Err(trouble)) => Err(super::troubled(file, trouble)),
        None => Err(missing(format!("there is no process `{process}` without parameters"))),
    }
}

/// Reads an Aldebaran file.
fn aut(path: &Path, input: impl Read, watch: &Watch<'_>) -> Result<System, Failure> {
    let input = BufReader::with_capacity(1 << 18, watch.stream(input));
    let lts = read_aut_until(input, watch.question())
        .map_err(|error| Problem::new(Kind::Undecodable, path, error.to_string()))?;
    Ok(System::Explicit(lts))
}
