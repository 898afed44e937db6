//! Which formulas silence matters to, against the meaning of formulas on random words.

use crate::common::{Rng, formula};
use linchpin_ltl::{
    Atom, Formula, Precedence, Silence, holds_on_lasso, is_safety, normal_form, parse, silence,
    violated_by_prefix,
};

/// An event, numbered from 1 (0: none; `init` is 3), and conditions as bits.
type Read = (u32, u32);

fn some_atom(rng: &mut Rng) -> Formula {
    match rng.below(5) {
        0 | 1 => Formula::event(["a", "b"][rng.below(2)]),
        2 if rng.below(4) == 0 => Formula::event("init"),
        _ => Formula::condition(rng.below(2) as u32),
    }
}

fn is(read: Read, atom: &Atom) -> bool {
    match atom {
        Atom::Condition(number) => read.1 >> number & 1 == 1,
        Atom::Event(text) => ["", "a", "b", "init"][read.0 as usize] == text,
    }
}

fn holds(formula: &Formula, word: &[Read], back: usize) -> bool {
    holds_on_lasso(formula, word.len(), back, &|i, atom| is(word[i], atom))
}

/// A word: what can be seen, one after the other, and from where on it repeats itself; if nowhere, it
/// ends.
fn seen(rng: &mut Rng) -> (Vec<Read>, Option<usize>) {
    let length = 1 + rng.below(4);
    let mut word = vec![(3, rng.below(4) as u32)];
    for _ in 0..length {
        word.push((rng.below(3) as u32, rng.below(4) as u32));
    }
    let back = (rng.below(3) > 0).then(|| 1 + rng.below(length));
    (word, back)
}

/// The same with silence at random places. A part that repeats itself begins with the same conditions
/// whether or not it is for the first time.
fn with_silence(rng: &mut Rng, word: &[Read], back: Option<usize>) -> (Vec<Read>, usize) {
    let mut all = Vec::new();
    let mut start = None;
    for (i, &read) in word.iter().enumerate() {
        if Some(i) == back {
            start = Some(all.len());
        }
        all.push(read);
        for _ in 0..rng.below(3) {
            all.push((0, read.1));
        }
    }
    let last = all.len() - 1;
    (all, start.unwrap_or(last))
}

#[test]
fn formulas_that_ignore_silence_hold_alike_with_and_without_it() {
    let (mut ignoring, mut safe, mut matters, mut shown) = (0, 0, 0, 0);
    for seed in 0..4_000 {
        let rng = &mut Rng::new(seed);
        let size = 1 + rng.below(7);
        let formula = formula(rng, size, &some_atom);
        let answer = silence(&formula);
        let ignores = answer != Silence::Matters;
        let safety = is_safety(&formula);
        let mut differ = false;
        for _ in 0..60 {
            let (word, back) = seen(rng);
            let (one, from) = with_silence(rng, &word, back);
            let (other, to) = with_silence(rng, &word, back);
            let alike = if safety {
                let bad = |word: &[Read]| {
                    let holds = |i: usize, atom: &Atom| is(word[i], atom);
                    violated_by_prefix(&normal_form(&formula), word.len(), &holds)
                };
                bad(&one) == bad(&other)
            } else {
                holds(&formula, &one, from) == holds(&formula, &other, to)
            };
            let expected = match answer {
                Silence::Ignored => true,
                Silence::IgnoredUnlessTheEnd => back.is_some(),
                Silence::Matters => false,
            };
            assert!(alike || !expected, "seed {seed}: {formula:?}\n{one:?}\n{other:?}");
            differ |= !alike && (back.is_some() || safety);
        }
        ignoring += usize::from(ignores);
        safe += usize::from(ignores && safety);
        matters += usize::from(!ignores);
        shown += usize::from(!ignores && differ);
    }
    println!("{ignoring} ignore silence ({safe} safe), {matters} do not, shown for {shown}");
    assert!(ignoring > 800 && safe > 200, "{ignoring}, {safe}");
    // It is a decision, not a guess: for most of the others random words show the difference.
    assert!(shown * 10 > matters * 7, "{shown} of {matters}");
}

#[test]
fn what_people_write_is_known() {
    use Silence::{Ignored, IgnoredUnlessTheEnd, Matters};
    let mut name = |name: &str| match name.strip_prefix('c').and_then(|n| n.parse().ok()) {
        Some(number) => Ok(Formula::condition(number)),
        None => Ok(Formula::event(name)),
    };
    for (text, expected) in [
        ("<>a", Ignored),
        ("[]<>a", IgnoredUnlessTheEnd),
        ("[](a -> <>b)", Ignored),
        ("<>[]c0", Ignored),
        ("c0 U c1", Ignored),
        ("(!a) U b", Ignored),
        ("[]!a", Ignored),
        ("[](c0 -> <>a)", Matters),
        // The first position is that of `init`.
        ("a", Ignored),
        ("[](a -> (a U b))", Matters),
        ("X c0", Matters),
        ("[](a -> X b)", Matters),
        ("[](a || b || init)", Matters),
    ] {
        let formula = parse(text, Precedence::Usual, &mut name).expect(text);
        assert_eq!(silence(&formula), expected, "{text}");
    }
}
