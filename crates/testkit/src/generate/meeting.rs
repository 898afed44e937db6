//! Random programs whose specification says `meet`: operations that take effect together, or in two moments.
//!
//! An operation is a few statements on two variables and a local one; the specification meets others somewhere among
//! them. The object does the same in one step, in two steps that are those of the specification (then it is interval
//! linearizable, and often no more than that), in two others, or statement by statement; sometimes it does something else.

use super::rng::Rng;

const STATEMENTS: [&str; 13] = [
    "x = (x + 1) % 4",
    "x = (x + 2) % 4",
    "y = x",
    "x = y",
    "y = (y + 1) % 4",
    "kept = x",
    "kept = y",
    "kept = (kept + x) % 4",
    "x = kept",
    "if x == kept { y = 1 }",
    "if y != 0 { kept = 3 }",
    "mine[self] = !mine[self]",
    "if mine[self] { kept = (kept + 1) % 4 }",
];

/// The text for a seed.
pub fn meeting(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x6d65_6574);
    let vars = "  var x: 0..=3\n  var y: 0..=3\n  var mine: [bool; threads]\n";
    let (mut object, mut spec) = (String::new(), String::new());
    let count = 1 + rng.below(2);
    for op in 0..count {
        let mut statements: Vec<&str> =
            (0..2 + rng.below(3)).map(|_| STATEMENTS[rng.below(STATEMENTS.len())]).collect();
        statements.push("kept = (kept + y) % 4");
        let meet = rng.below(statements.len() + 1);
        let head = format!("  op f{op}() -> 0..=3 {{\n    let kept = 0\n");
        let lines = |part: &[&str]| part.iter().map(|s| format!("    {s}\n")).collect::<String>();
        let step = |part: &[&str]| format!("    atomic {{\n{}    }}\n", lines(part));
        spec += &head;
        spec += &lines(&statements[..meet]);
        if rng.percent(85) {
            spec += "    meet\n";
        }
        if rng.percent(15) {
            spec += "    assume x != 2\n";
        }
        if rng.percent(5) {
            spec += "    assert y != 3\n";
        }
        spec += &lines(&statements[meet..]);
        spec += "    return kept\n  }\n";
        if rng.percent(20) {
            let i = rng.below(statements.len());
            statements[i] = STATEMENTS[rng.below(STATEMENTS.len())];
        }
        let elsewhere = rng.below(statements.len() + 1);
        object += &head;
        object += &match rng.below(6) {
            0 => step(&statements),
            1..4 => step(&statements[..meet]) + &step(&statements[meet..]),
            4 => step(&statements[..elsewhere]) + &step(&statements[elsewhere..]),
            _ => lines(&statements),
        };
        object += "    return kept\n  }\n";
    }
    let (threads, ops) = [(2, 1), (2, 2), (3, 1)][rng.below(3)];
    format!(
        "// seed {seed}: operations that meet\nobject O {{\n{vars}{object}}}\nspec S {{\n{vars}{spec}}}\n\
         check O against S {{ threads {threads}, ops {ops} }}\n"
    )
}
