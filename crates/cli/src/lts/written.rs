//! A system that was written, in every form.

use std::path::Path;
use std::time::Duration;

use linchpin_lts::{Explicit, Limit};
use serde_json::{Value as Json, json};

use crate::answer::{Answer, Asked, View};
use crate::exit::Exit;
use crate::render::numbers::{counted, seconds};
use crate::render::verdict::Limits;
use crate::screen::{Screen, Tone};

/// How large a system is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) states: u64,
    pub(crate) steps: u64,
}

impl Size {
    /// That of a system.
    pub(crate) fn of(lts: &Explicit) -> Size {
        Size { states: u64::from(lts.states()), steps: lts.steps() as u64 }
    }

    /// `237 states, 544 steps`
    pub(crate) fn words(self) -> String {
        format!("{}, {}", counted(self.states, "state"), counted(self.steps, "step"))
    }
}

/// A system that was written, or the limit that was in the way.
pub(super) struct Written<'a> {
    pub(super) path: &'a Path,
    pub(super) size: Result<Size, Limit>,
    /// Before it was reduced, if it was.
    pub(super) before: Option<Size>,
    pub(super) elapsed: Duration,
    pub(super) command: String,
}

impl<'a> Written<'a> {
    /// A limit was reached.
    pub(super) fn stopped(path: &'a Path, limit: Limit, command: String) -> Self {
        Written { path, size: Err(limit), before: None, elapsed: Duration::ZERO, command }
    }

    /// The exit code.
    pub(super) fn exit(&self) -> Exit {
        if self.size.is_ok() { Exit::Holds } else { Exit::Unknown }
    }
}

impl Answer for Written<'_> {
    fn asked(&self) -> Asked<'_> {
        Asked {
            path: self.path,
            place: None,
            name: super::name(self.path),
            command: &self.command,
            elapsed: self.elapsed,
        }
    }

    fn sentence(&self, screen: &Screen, limits: &Limits) -> String {
        match (self.size, self.before) {
            (Err(limit), _) => {
                format!("{}: {}", screen.paint(Tone::Doubtful, "unknown"), limits.words(limit))
            }
            (Ok(size), None) => size.words(),
            (Ok(size), Some(before)) => {
                format!("{}, reduced to {}", before.words(), size.words())
            }
        }
    }

    fn details(&self) -> Vec<String> {
        Vec::new()
    }

    fn text(&self, screen: &Screen, view: &View, limits: &Limits) -> String {
        let sentence = self.sentence(screen, limits);
        match self.size {
            Err(_) => format!("{}: {sentence}\n", self.asked().name),
            Ok(_) if view.quiet => String::new(),
            Ok(_) => format!("{sentence} ({})\n", seconds(self.elapsed)),
        }
    }

    fn json(&self) -> Json {
        let (size, before) = (self.size.ok(), self.before);
        json!({
            "schema": "linchpin-lts/1",
            "file": self.path.display().to_string(),
            "check": null,
            "verdict": if size.is_some() { "done" } else { "unknown" },
            "limit": self.size.err().map(Limit::name),
            "states": size.map(|s| s.states),
            "steps": size.map(|s| s.steps),
            "states_before": before.map(|s| s.states),
            "steps_before": before.map(|s| s.steps),
            "seconds": self.elapsed.as_secs_f64(),
            "command": self.command,
        })
    }
}
