//! The models of `corpus/csp`: every assertion has the verdict that the comment behind it says, in every
//! configuration, and the same figures and witness for any number of workers.

use std::fs;
use std::path::Path;

use linchpin_csp::{Model, Options, Report, check, load};
use linchpin_engine::Budget;
use linchpin_lts::Verdict;

fn decide(text: &str, assertion: usize, workers: usize, order: bool, antichain: bool) -> Report {
    // Loaded anew: what one search has met must not matter to another.
    let model: Model = load(text).unwrap_or_else(|d| panic!("{d:#?}")).model;
    let budget = Budget { workers, ..Budget::UNLIMITED };
    check(&model, assertion, &Options { budget, order, antichain, ..Options::DEFAULT })
}

#[test]
fn every_assertion_of_the_corpus_has_its_verdict() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/csp");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the corpus")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "csp"))
        .collect();
    files.sort();
    assert!(files.len() >= 14, "the corpus is there");
    let mut wrong = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).expect("a text");
        let name = path.file_name().expect("a name").to_string_lossy().to_string();
        let loaded = load(&text).unwrap_or_else(|d| panic!("{name}: {d:#?}"));
        assert_eq!(loaded.warnings, [], "{name}");
        let model = loaded.model;
        for (i, asserted) in model.assertions().iter().enumerate() {
            let end = asserted.span.end as usize;
            let comment = text[end..].lines().next().unwrap_or("");
            let expected = match comment.trim_start_matches(';').trim() {
                "// valid" => Ok(Verdict::Holds),
                "// not valid" => Ok(Verdict::Violated(())),
                other => panic!("{name}: `{}` says `{other}`", asserted.text),
            };
            let report = decide(&text, i, 1, true, true);
            if report.verdict != expected {
                wrong.push(format!("{name}: {}: {report:#?}", asserted.text));
            }
            for workers in [2, 4] {
                let again = decide(&text, i, workers, true, true);
                if format!("{again:?}") != format!("{report:?}") {
                    let place = format!("{name}: {}: {workers} workers", asserted.text);
                    wrong.push(format!("{place}: {again:#?}\nbut alone: {report:#?}"));
                }
            }
            for (order, antichain) in [(false, true), (true, false), (false, false)] {
                let plain = decide(&text, i, 2, order, antichain);
                if plain.verdict != expected {
                    wrong.push(format!(
                        "{name}: {}: {order} {antichain}: {plain:#?}",
                        asserted.text
                    ));
                }
            }
            let shown = match asserted.text.contains("reaches") {
                true => report.verdict == Ok(Verdict::Holds),
                false => report.verdict == Ok(Verdict::Violated(())),
            };
            assert_eq!(report.witness.is_some(), shown, "{name}: {}", asserted.text);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
