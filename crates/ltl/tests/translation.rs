//! Automata and normal forms against the meaning of formulas, on random words.

use crate::common::{Rng, formula};
use linchpin_ltl::{
    Atom, Automaton, Formula, Letter, holds_on_lasso, normal_form, translate, violated_by_prefix,
};

/// Atoms: conditions 0 to 2, all independent.
fn condition(rng: &mut Rng) -> Formula {
    Formula::condition(rng.below(3) as u32)
}

fn word(rng: &mut Rng) -> (Vec<u32>, usize) {
    let length = 1 + rng.below(6);
    let word = (0..length).map(|_| rng.below(8) as u32).collect();
    (word, rng.below(length))
}

fn meaning(formula: &Formula, word: &[u32], back: usize) -> bool {
    let holds = |i: usize, atom: &Atom| match atom {
        Atom::Condition(number) => word[i] >> number & 1 == 1,
        Atom::Event(_) => false,
    };
    holds_on_lasso(formula, word.len(), back, &holds)
}

/// The word in the letters of an automaton.
fn letters(automaton: &Automaton, word: &[u32]) -> Vec<Letter> {
    let letter = |held: &u32| {
        let atoms = automaton.atoms.iter().enumerate();
        atoms.fold(0, |letter, (i, atom)| match atom {
            Atom::Condition(number) if held >> number & 1 == 1 => letter | 1 << i,
            _ => letter,
        })
    };
    word.iter().map(letter).collect()
}

#[test]
fn automata_accept_the_words_that_satisfy_their_formulas() {
    let (mut accepted, mut words) = (0, 0);
    for seed in 0..4_000 {
        let rng = &mut Rng::new(seed);
        let size = 1 + rng.below(8);
        let formula = formula(rng, size, &condition);
        let automaton = translate(&formula).expect("a small formula");
        for _ in 0..12 {
            let (word, back) = word(rng);
            let expected = meaning(&formula, &word, back);
            let read = letters(&automaton, &word);
            let accepts = automaton.accepts(&read[..back], &read[back..]);
            assert_eq!(accepts, expected, "seed {seed}: {formula} on {word:?} back to {back}");
            words += 1;
            accepted += usize::from(accepts);
        }
    }
    assert!(accepted * 5 > words && accepted * 5 < words * 4, "{accepted} of {words}");
}

#[test]
fn normal_forms_mean_the_same() {
    for seed in 0..20_000 {
        let rng = &mut Rng::new(seed);
        let size = 1 + rng.below(12);
        let formula = formula(rng, size, &condition);
        let normal = normal_form(&formula);
        for _ in 0..6 {
            let (word, back) = word(rng);
            let expected = meaning(&formula, &word, back);
            assert_eq!(meaning(&normal, &word, back), expected, "seed {seed}: {formula} {normal}");
        }
    }
}

#[test]
fn the_negation_of_a_formula_has_the_other_words() {
    for seed in 0..1_000 {
        let rng = &mut Rng::new(seed);
        let size = 1 + rng.below(6);
        let formula = formula(rng, size, &condition);
        let both = [formula.clone(), formula.clone().not()];
        let [yes, no] = both.map(|f| translate(&f).expect("a small formula"));
        for _ in 0..8 {
            let (word, back) = word(rng);
            let accepts = |automaton: &Automaton| {
                let read = letters(automaton, &word);
                automaton.accepts(&read[..back], &read[back..])
            };
            assert_ne!(accepts(&yes), accepts(&no), "seed {seed}: {formula}");
        }
    }
}

#[test]
fn beginnings_that_violate_a_formula_are_told_from_others() {
    let mut seen = [0; 2];
    for seed in 0..20_000 {
        let rng = &mut Rng::new(seed);
        let size = 1 + rng.below(6);
        let formula = formula(rng, size, &condition);
        let (word, back) = word(rng);
        let holds = |i: usize, atom: &Atom| match atom {
            Atom::Condition(number) => word[i] >> number & 1 == 1,
            Atom::Event(_) => false,
        };
        let length = 1 + rng.below(word.len());
        if violated_by_prefix(&formula, length, &holds) {
            assert!(!meaning(&formula, &word, back), "seed {seed}: {formula}");
            seen[0] += 1;
        }
        // A formula that something never happens is violated by a beginning, if at all.
        let automaton = translate(&formula.clone().not()).expect("a small formula");
        if automaton.by_reaching && !meaning(&formula, &word, back) {
            let long: Vec<u32> =
                word.iter().chain(word[back..].iter().cycle().take(60)).copied().collect();
            let holds = |i: usize, atom: &Atom| match atom {
                Atom::Condition(number) => long[i] >> number & 1 == 1,
                Atom::Event(_) => false,
            };
            let normal = normal_form(&formula);
            assert!(violated_by_prefix(&normal, long.len(), &holds), "seed {seed}: {formula}");
            seen[1] += 1;
        }
    }
    assert!(seen[0] > 2_000 && seen[1] > 1_000, "{seen:?}");
}
