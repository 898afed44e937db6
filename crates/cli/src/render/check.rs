//! A check that was decided, in every form.

use std::path::Path;

use linchpin_evidence::explain::Explanation;
use serde_json::Value as Json;

use super::verdict::{self, Limits};
use super::{coverage, html, json, text, violation};
use crate::answer::{Answer, Asked, View};
use crate::exit::Exit;
use crate::outcome::Decided;
use crate::screen::Screen;

impl Answer for Decided<'_> {
    fn asked(&self) -> Asked<'_> {
        Asked {
            path: &self.source.path,
            place: Some((&self.source.text, self.check.span)),
            name: self.check.name.clone(),
            command: &self.again,
            elapsed: self.elapsed,
        }
    }

    fn others(&self) -> Vec<(&Path, &str)> {
        let files = &self.source.files;
        files.others().iter().map(|(n, at)| (Path::new(n), &files.text()[at.range()])).collect()
    }

    fn sentence(&self, screen: &Screen, limits: &Limits) -> String {
        verdict::sentence(screen, self, limits)
    }

    fn details(&self) -> Vec<String> {
        let explained = self.violation.as_ref();
        match explained {
            Some((_, explanation)) => violation::sentences(&Screen::PLAIN, explanation),
            None => coverage::sentences(self),
        }
    }

    fn expected(&self) -> Option<bool> {
        let known = self.report.verdict.limit().is_none();
        let expect = self.check.expect.as_ref().filter(|_| known);
        expect.map(|e| self.report.is_as_expected(e))
    }

    fn explanation(&self) -> Option<&Explanation> {
        self.violation.as_ref().map(|(_, explanation)| explanation)
    }

    fn searched(&self) -> u64 {
        self.report.statistics.nodes
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
