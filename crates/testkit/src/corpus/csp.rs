//! Models in `.csp`: their assertions, each with a comment behind it, `// valid` or `// not valid`.
//!
//! An assertion may be there to be false (a state that is not to be reached), so a model is correct if
//! nobody names it as broken and some assertion is true.

use std::path::Path;

use linchpin_check::Reductions;
use linchpin_csp::{Found, Model, Options, Report, Wanted, check, load_files};

use linchpin_lin::Files;

use super::counts::Counts;
use super::run::{Choice, Configuration, Decided, Extent};
use super::{Case, Language, Question, first};

/// A model in `.csp`. It is loaded anew for every answer: what one search has met must not matter to
/// another.
#[derive(Debug)]
pub struct Csp(Vec<Question>);

/// C# code that models import is beside them.
fn find(wanted: Wanted<'_>, _: &str) -> Result<Option<Found>, String> {
    let Wanted::Library(name) = wanted else { return Ok(None) };
    let path = super::folder::<Csp>().join(format!("{name}.cs"));
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    Ok(Some(Found { name: format!("{name}.cs"), key: name.to_string(), text }))
}

fn model(text: &str) -> Result<Model, String> {
    let loaded = load_files(text, &[], &mut find)
        .map_err(|unread| first(unread.files.text(), &unread.diagnostics))?;
    match loaded.warnings.as_slice() {
        [] => Ok(loaded.model),
        warnings => Err(first(text, warnings)),
    }
}

impl Language for Csp {
    const NAME: &str = "csp";

    fn read(text: &str, _: &Path) -> Result<(Self, Files), String> {
        let model = model(text)?;
        let questions = model.assertions().iter().map(|asserted| {
            let behind = text[asserted.span.end as usize..].lines().next().unwrap_or("");
            let expect = match behind.trim_start_matches(';').trim() {
                "// valid" => Some("holds".to_string()),
                "// not valid" => Some("violated".to_string()),
                _ => None,
            };
            Question { name: asserted.text.clone(), expect }
        });
        Ok((Csp(questions.collect()), Files::new(text)))
    }

    fn questions(&self) -> Vec<Question> {
        self.0.clone()
    }

    fn is_correct(questions: &[Question]) -> bool {
        questions.iter().any(|q| q.expect.as_deref() == Some("holds"))
    }

    fn decide(case: &Case<Self>, question: usize, how: &Configuration) -> Result<Decided, String> {
        let name = &case.program.0[question].name;
        let Reductions { antichain, .. } = how.choice.reductions(&case.path, name);
        let Configuration { order, equal, .. } = *how;
        let (budget, symmetry) = (how.budget(), equal);
        let options = Options { budget, order, equal, symmetry, antichain, ..Options::DEFAULT };
        let report = check(&model(&case.text)?, question, &options);
        let verdict = report.verdict.as_ref().map_err(|failure| format!("{failure:?}"))?;
        let shown = match name.contains(" reaches ") {
            true => verdict.holds(),
            false => verdict.is_violated(),
        };
        if report.witness.is_some() != shown {
            return Err(format!("is `{}`, with this shown: {:?}", verdict.name(), report.witness));
        }
        let steps = report.witness.as_ref().map(|w| w.steps.len());
        let counts = Counts::of(verdict.name().to_string(), &report.statistics, steps);
        // Work of other searches is that of the run, so a run that goes on has less of it.
        let evidence = format!("{:?}", Report { others: 0, ..report });
        Ok(Decided { counts, evidence })
    }

    fn configurations(_: &Extent) -> Vec<Configuration> {
        let mut reductions = Reductions::ALL;
        reductions.set("antichain", false);
        let without = |name: &str, order, equal, choice| Configuration {
            name: format!("without {name}"),
            order,
            equal,
            choice: Choice::Fixed(choice),
            ..Configuration::complete(2)
        };
        let mut configurations: Vec<_> = [1, 2, 4].map(Configuration::complete).into();
        configurations.push(Configuration::resumed(2));
        configurations.push(Configuration::together(2, true));
        configurations.push(Configuration::together(4, false));
        configurations.push(without("order", false, true, Reductions::ALL));
        configurations.push(without("equal", true, false, Reductions::ALL));
        configurations.push(without("antichain", true, true, reductions));
        configurations.push(without("any reduction", false, false, reductions));
        configurations
    }
}
