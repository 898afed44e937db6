//! A check that was decided, in every form.

use std::path::Path;
use std::time::Duration;

use linchpin_lin::line_column;
use serde_json::Value as Json;

use super::verdict::{self, Limits};
use super::{html, json, text, violation};
use crate::answer::{Answer, View};
use crate::exit::Exit;
use crate::outcome::Decided;
use crate::screen::Screen;

impl Answer for Decided<'_> {
    fn path(&self) -> &Path {
        &self.source.path
    }

    fn source(&self) -> &str {
        &self.source.text
    }

    fn line(&self) -> usize {
        line_column(&self.source.text, self.check.span.start).0
    }

    fn name(&self) -> String {
        self.check.name.clone()
    }

    fn elapsed(&self) -> Duration {
        self.elapsed
    }

    fn sentence(&self, screen: &Screen, limits: &Limits) -> String {
        verdict::sentence(screen, self, limits)
    }

    fn details(&self) -> Vec<String> {
        let explained = self.violation.as_ref();
        let sentences = explained.map(|(_, e)| violation::sentences(&Screen::PLAIN, e));
        sentences.unwrap_or_default()
    }

    fn command(&self) -> &str {
        &self.again
    }

    fn text(&self, screen: &Screen, view: &View, limits: &Limits) -> String {
        text::decided(view, screen, self, limits)
    }

    fn json(&self) -> Json {
        json::decided(self)
    }

    fn page(&self, limits: &Limits, _: Exit, file: usize) -> Json {
        html::check(self, limits, file)
    }
}
