//! From a path to a labelled system, whatever language it is in.
//!
//! A language adds itself in [`load`]: anything that is a [`LabelledSystem`] will do.

use std::any::Any;
use std::cell::Cell;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use linchpin_engine::{Limit, Progress, Statistics};
use linchpin_lts::{Explicit, Label, LabelledSystem, Move, Trouble, read_aut};

use super::clients::Clients;
use super::options::Common;
use crate::input::{self, InputError, Passages, reason};
use crate::outcome::{Kind, Problem};
use crate::screen::Screen;
use crate::watch::Watch;

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

/// What ends the loading of a system.
pub(crate) enum Failure {
    /// It cannot be used.
    Problem(Box<Problem>),
    /// A limit was reached.
    Limit(Limit),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Failure::Problem(Box::new(problem))
    }
}

/// The system in a file.
pub(crate) fn load(
    path: &Path,
    common: &Common,
    screen: &Screen,
    watch: &Watch<'_>,
) -> Result<System, Failure> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    match extension {
        _ if path.as_os_str() == "-" => aut(path, std::io::stdin().lock(), watch),
        "aut" => {
            let unreadable =
                |e: std::io::Error| Problem::of_input(path, InputError::Unreadable(reason(&e)));
            aut(path, File::open(path).map_err(unreadable)?, watch)
        }
        "mcrl2" => Ok(super::mcrl2::load(path, common)?),
        _ if path.to_string_lossy().contains(".csp") => csp(path),
        "lin" => Ok(System::Computed(Box::new(Clients::load(path, common, screen)?))),
        _ => {
            let message =
                "this is neither a transition system (.aut) nor a model (.lin, .mcrl2, .csp)"
                    .into();
            Err(Problem::new(Kind::Unsupported, path, message).into())
        }
    }
}

/// A process of a model of PAT: `stack.csp:Impl` is the process `Impl` of `stack.csp`.
fn csp(path: &Path) -> Result<System, Failure> {
    let name = path.to_string_lossy();
    let (file, process) = match name.rsplit_once(".csp:") {
        Some((file, process)) => (PathBuf::from(format!("{file}.csp")), process),
        None => {
            let message = "say which process is meant: FILE.csp:PROCESS".to_string();
            return Err(Problem::new(Kind::NoSuchCheck, path, message).into());
        }
    };
    let text = input::read(&file).map_err(|e| Problem::of_input(&file, e))?;
    let loaded = linchpin_csp::load(&text).map_err(|diagnostics| {
        let passages = Passages { text: text.clone(), diagnostics };
        Problem::of_input(&file, InputError::Wrong(passages))
    })?;
    match loaded.model.system(process) {
        Some(Ok(system)) => Ok(System::Computed(Box::new(system))),
        Some(Err(trouble)) => Err(super::troubled(&file, trouble)),
        None => {
            let message = format!("there is no process `{process}` without parameters");
            Err(Problem::new(Kind::NoSuchCheck, &file, message).into())
        }
    }
}

/// Reads an Aldebaran file.
fn aut(path: &Path, input: impl Read, watch: &Watch<'_>) -> Result<System, Failure> {
    let stopped = Cell::new(None);
    let watched = BufReader::with_capacity(1 << 20, Watched { input, watch, stopped: &stopped });
    let result = read(watched);
    if let Some(limit) = stopped.get() {
        return Err(Failure::Limit(limit));
    }
    let lts = result.map_err(|message| Problem::new(Kind::Undecodable, path, message))?;
    Ok(System::Explicit(lts))
}

fn read(input: impl BufRead) -> Result<Explicit, String> {
    read_aut(input).map_err(|error| error.to_string())
}

/// Input that ends when the user or the clock says so.
struct Watched<'a, R> {
    input: R,
    watch: &'a Watch<'a>,
    stopped: &'a Cell<Option<Limit>>,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let progress = Progress { statistics: Statistics::default(), frontier: 0 };
        if let Some(limit) = self.watch.look(&progress) {
            self.stopped.set(Some(limit));
            return Err(std::io::Error::other("stopped"));
        }
        self.input.read(buffer)
    }
}
