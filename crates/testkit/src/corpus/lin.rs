//! Models in `.lin`: their checks, with `expect` settings.

use std::path::Path;

use linchpin_check::{Counterexample, Options, check};
use linchpin_evidence::judge;
use linchpin_lin::program::{Expect, Program};
use linchpin_lin::{Files, syntax};
use linchpin_lts::Verdict;

use super::counts::{Counts, verdict_name};
use super::run::{Configuration, Decided, Extent};
use super::{Case, Language, Question, beside, first};
use crate::claim;

impl Language for Program {
    const NAME: &str = "lin";

    fn read(text: &str, path: &Path) -> Result<(Self, Files), String> {
        let loaded = syntax::load_files(text, &[], &mut beside(path))
            .map_err(|unread| first(text, &unread.diagnostics))?;
        Ok((loaded.program, loaded.files))
    }

    fn questions(&self) -> Vec<Question> {
        let expected = |expect: &Expect| match expect {
            Expect::Holds => "holds".to_string(),
            Expect::Violated => "violated".to_string(),
            Expect::Deadlock => "deadlock".to_string(),
            Expect::Fault(kind) => format!("fault {}", kind.name()),
        };
        let question = |c: &linchpin_lin::program::Check| Question {
            name: c.name.clone(),
            expect: c.expect.as_ref().map(expected),
        };
        self.checks.iter().map(question).collect()
    }

    fn decide(case: &Case<Self>, question: usize, how: &Configuration) -> Result<Decided, String> {
        let c = &case.program.checks[question];
        let reductions = how.choice.reductions(&case.path, &c.name);
        let (budget, check_facts) = (how.budget(), how.check_facts);
        let options = Options { reductions, budget, check_facts, ..Options::default() };
        let report = check(&case.program, c, &options).map_err(|error| format!("{error:?}"))?;
        let mut turns = None;
        if let Verdict::Violated(Counterexample { violation, schedule }) = &report.verdict {
            judge(&case.program, c, claim(violation), schedule)
                .map_err(|disagreement| format!("the judge does not agree: {disagreement}"))?;
            turns = Some(schedule.turns.len());
        }
        let counts = Counts::of(verdict_name(&report.verdict), &report.statistics, turns);
        Ok(Decided { counts, evidence: format!("{:?}", report.verdict) })
    }

    fn configurations(extent: &Extent) -> Vec<Configuration> {
        let mut configurations = vec![Configuration::complete(1), Configuration::complete(2)];
        configurations.push(Configuration::resumed(2));
        configurations.push(Configuration::together(2, true));
        configurations.push(Configuration::together(4, false));
        configurations.push(Configuration::facts((extent.max_nodes / 20).max(500)));
        configurations.extend(Configuration::reduced(extent));
        configurations
    }
}
