//! A report as one page that needs nothing else: the data, and a script that draws it. The program makes pages of models
//! and of logs, the crate `linchpin` of executions of Rust code.
//!
//! All text of others is in the data, where `<` is escaped so that nothing in it can end the script
//! element; the script puts it into the page as text only. The page forbids itself to load anything. Where
//! scripts do not run, the page has the report as plain text.
//!
//! *The data.* A check has `name`, `source` (the number of its file), `verdict`, `headline`, `sentence`, `bounds`, `command`,
//! `figures` (pairs of texts), `because`, `reductions`, and one of: `log` (a recorded history), `witness` (an execution:
//! `threads`, `operations`, `failing`, `attempts`, `entries`, `steps`, `frames`), or neither.

mod sha256;

use std::borrow::Cow;

use linchpin_text::{printable, printable_name};
use serde_json::{Value as Json, json};

const PAGE: &str = include_str!("../assets/report.html");
const STYLE: &str = include_str!("../assets/report.css");
/// The last one draws the page, with the others.
const SCRIPTS: [&str; 6] = [
    include_str!("../assets/report_base.js"),
    include_str!("../assets/report_memory.js"),
    include_str!("../assets/report_history.js"),
    include_str!("../assets/report_source.js"),
    include_str!("../assets/report_why.js"),
    include_str!("../assets/report.js"),
];
/// For recorded histories, only where there are some: before the script that uses them.
const LOG_STYLE: &str = include_str!("../assets/log.css");
const LOG_SCRIPTS: [&str; 4] = [
    include_str!("../assets/log_data.js"),
    include_str!("../assets/log_canvas.js"),
    include_str!("../assets/log_paper.js"),
    include_str!("../assets/log.js"),
];

/// For executions that somebody chooses step by step: it draws them as reports do.
const EXPLORE_STYLE: &str = include_str!("../assets/explore.css");
const EXPLORE_SCRIPTS: [&str; 6] = [
    include_str!("../assets/report_base.js"),
    include_str!("../assets/report_memory.js"),
    include_str!("../assets/report_history.js"),
    include_str!("../assets/report_source.js"),
    include_str!("../assets/explore_panels.js"),
    include_str!("../assets/explore.js"),
];

/// Collects checks and makes a page of them.
#[derive(Debug, Default)]
pub struct Page {
    sources: Vec<Json>,
    checks: Vec<Json>,
    /// The report for browsers without scripts.
    text: String,
}

impl Page {
    /// Adds a check, and the same as plain text.
    pub fn add(&mut self, check: Json, text: &str) {
        self.checks.push(check);
        self.text += text;
    }

    /// The number of a file.
    pub fn source(&mut self, file: &str, text: &str) -> usize {
        let source = json!({ "file": file, "text": text });
        let known = self.sources.iter().position(|s| *s == source);
        known.unwrap_or_else(|| {
            self.sources.push(source);
            self.sources.len() - 1
        })
    }

    /// Nothing was added.
    pub fn is_empty(&self) -> bool {
        self.checks.is_empty()
    }

    /// The page; `total` is what all checks were together, in words, and `last` the end of the plain text.
    pub fn render(&self, total: &str, last: &str) -> String {
        let data = json!({
            "schema": 1,
            "sources": self.sources,
            "checks": self.checks,
            "total": total,
        });
        let data = harmless(data.to_string().replace('<', "\\u003c"));
        let has_logs = self.checks.iter().any(|check| check.get("log").is_some());
        let mut style = STYLE.to_string();
        let mut script = String::new();
        if has_logs {
            style += LOG_STYLE;
            script += &LOG_SCRIPTS.concat();
        }
        script += &SCRIPTS.concat();
        let text = escaped(&printable(&(self.text.clone() + last)));
        let policy = policy(&script);
        whole(&policy, &style, &script, &text, &data)
    }
}

/// A page on which executions are chosen step by step, for a server that answers its questions, and the policy with which it
/// is to be sent. The data: `file`, `text`, `check` (a name or nothing), `seconds` (for a check).
pub fn explore(data: &Json) -> (String, String) {
    let data = data.to_string().replace('<', "\\u003c");
    let style = STYLE.to_string() + EXPLORE_STYLE;
    let script = EXPLORE_SCRIPTS.concat();
    let policy = policy(&script) + "; connect-src 'self'; base-uri 'none'; form-action 'none'";
    let page = whole(&policy, &style, &script, "This page needs JavaScript.", &data);
    // Only editors may show it in a frame; a page cannot say that of itself.
    (page, policy + "; frame-ancestors vscode-webview: vscode-file:")
}

/// What a page may do: run this script.
fn policy(script: &str) -> String {
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src '{}'",
        sha256::source(script)
    )
}

fn whole(policy: &str, style: &str, script: &str, text: &str, data: &str) -> String {
    // The data and the text last: they may contain the words that mark the places of the others.
    let page = PAGE
        .replace("/*POLICY*/", policy)
        .replace("/*STYLE*/", style)
        .replace("/*SCRIPT*/", script);
    let (before, after) = page.split_once("/*TEXT*/").unwrap_or((&page, ""));
    before.to_string() + text + &after.replacen("/*DATA*/", data, 1)
}

/// Text as the content of an element.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// JSON with every character that cannot be seen as itself written by its number. A backslash is written twice.
pub fn harmless(json: String) -> String {
    if matches!(printable_name(&json), Cow::Borrowed(_)) {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match printable_name(c.encode_utf8(&mut [0; 4])) {
            Cow::Borrowed(text) => out += text,
            Cow::Owned(number) => out += &format!("\\{number}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn a_page_shows_hidden_characters_by_their_numbers() {
        let text = "\u{202e}\u{9b} \\u{1b} \"";
        let json = harmless(serde_json::to_string(text).unwrap());
        let shown: String = serde_json::from_str(&json).unwrap();
        assert_eq!(shown, "\\u{202e}\\u{9b} \\u{1b} \"");
    }
}
