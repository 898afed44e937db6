//! Damaged models of the corpora: an error, a verdict or a limit, and never a panic or an endless wait.
//!
//! The same is tried with random systems in `.aut` by the tests of `relations`, and with other damage by the
//! targets in `fuzz`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use linchpin_check::CheckError;
use linchpin_engine::Budget;
use linchpin_lin::program::Program;
use linchpin_lin::{Diagnostic, Severity, syntax};
use linchpin_mcrl2::Specification;
use linchpin_relations::generate;
use linchpin_testkit::corpus::{self, Csp, Language, Mcrl2};
use linchpin_testkit::parallel;
use linchpin_testkit::sample::size;

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// Words, numbers, white space and single signs.
fn pieces(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices().skip(1) {
        let before = text[..at].chars().next_back().unwrap_or(' ');
        if class(c) == 2 || class(c) != class(before) {
            pieces.push(&text[start..at]);
            start = at;
        }
    }
    pieces.push(&text[start..]);
    pieces
}

/// Some pieces deleted, repeated, exchanged or replaced.
fn damage(random: &mut Random, text: &str, others: &[&str]) -> String {
    let mut pieces = pieces(text);
    for _ in 0..1 + random.below(3) {
        let (i, j) = (random.below(pieces.len()), random.below(pieces.len()));
        match random.below(5) {
            0 if pieces.len() > 1 => drop(pieces.remove(i)),
            1 => pieces.insert(j, pieces[i]),
            2 => pieces.swap(i, j),
            3 => pieces[i] = others[random.below(others.len())],
            _ => pieces.truncate(i.max(1)),
        }
    }
    pieces.concat()
}

/// There is an error, and every place is in the text.
fn assert_refused(text: &str, diagnostics: &[Diagnostic]) {
    assert!(diagnostics.iter().any(|d| d.severity == Severity::Error), "{text}");
    for d in diagnostics {
        assert!(text.get(d.primary.span.range()).is_some(), "{d:?}\n{text}");
    }
}

/// So many states are enough to get into trouble.
const FEW: Budget<'static> = Budget { max_states: Some(300), ..Budget::UNLIMITED };

/// Has every model of a corpus read, damaged in so many ways. What is tried says whether a text can be
/// used; it is asked to decide every tenth, because that takes longer.
fn damaged<P: Language>(ways: usize, words: &str, attempt: impl Fn(&str, bool) -> bool + Sync) {
    let corpus = corpus::read::<P>(&corpus::folder::<P>()).expect("a corpus");
    let others: Vec<&str> = words.split_whitespace().collect();
    let used = parallel::map(&corpus.cases, parallel::cores(), |case| {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ case.text.len() as u64);
        let mut used = 0;
        for way in 0..ways {
            let text = damage(&mut random, &case.text, &others);
            let start = Instant::now();
            used += usize::from(attempt(&text, way % 10 == 0));
            assert!(start.elapsed() < Duration::from_secs(30), "{}\n{text}", case.path);
        }
        used
    });
    let (used, all) = (used.iter().sum::<usize>(), ways * corpus.cases.len());
    println!("{}: {used} of {all} can be used", P::NAME);
    assert!(used * 50 > all && used * 2 < all, "{used} of {all}");
}

#[test]
fn lin() {
    let words = "O S f x y ( ) [ ] { } -> , ; : . .. ..= = == + - ! ? 0 1 -1 999999999999 true null empty if \
                 loop atomic either choose op var node new free cas lock lin expect holds threads ops \" /*";
    damaged::<Program>(size(10, 100), words, |text, decide| {
        let program = match syntax::load(text, &[]) {
            Ok(loaded) => Arc::new(loaded.program),
            Err(errors) => {
                assert_refused(text, &errors);
                return false;
            }
        };
        let options = linchpin_check::Options { budget: FEW, ..Default::default() };
        for c in program.checks.iter().filter(|_| decide) {
            match linchpin_check::check(&program, c, &options) {
                Ok(_) | Err(CheckError::Unsupported(_) | CheckError::Specification(_)) => {}
                Err(error) => panic!("{error:?}\n{text}"),
            }
        }
        true
    });
}

#[test]
fn csp() {
    use linchpin_csp::{CODES, Failure, Options, check, load};
    let words = "P Q i ( ) [ ] { } -> [] ||| || ; , . .. ! ? = == + 0 1 -1 999999999999 true if case \
                 default atomic interrupt \\ <> [*] @ : # var channel \" /* $ new call tau Skip";
    damaged::<Csp>(size(40, 250), words, |text, decide| {
        let model = match load(text) {
            Ok(loaded) => loaded.model,
            Err(errors) => {
                assert_refused(text, &errors);
                assert!(errors.iter().all(|d| CODES.iter().any(|c| c.id == d.code)), "{errors:?}");
                return false;
            }
        };
        for i in (0..model.assertions().len()).filter(|_| decide) {
            let report = check(&model, i, &Options { budget: FEW, ..Options::DEFAULT });
            let verdict = report.verdict;
            assert!(!matches!(verdict, Err(Failure::Defect(_))), "{verdict:?}\n{text}");
        }
        true
    });
}

#[test]
fn mcrl2() {
    let words = "P Q x y n ( ) [ ] { } -> <> + . | || , ; : = == # ! 0 1 -1 999999999999 true sum delta tau hide \
                 allow comm init act proc sort struct map var eqn lambda Nat Int Bool List % head tail in div mod";
    damaged::<Mcrl2>(size(50, 300), words, |text, decide| {
        let specification = match Specification::read(text) {
            Ok(specification) => specification,
            Err(errors) => {
                assert_refused(text, &errors);
                return false;
            }
        };
        let systems = [specification.system(), specification.atomic(&specification.events())];
        for system in systems {
            match system {
                // A step may have no meaning, which is said.
                Ok(system) if decide => drop(generate(&system, &FEW)),
                Ok(_) => {}
                Err(error) => assert_refused(text, &[*error]),
            }
        }
        true
    });
}
