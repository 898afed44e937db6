//! Random objects with locks, most of whose accesses are guarded, compared with themselves.
//!
//! What locks guard is assumed by the checker and found to be false during the search (`movers` of the
//! language). So here the discipline is kept by most operations and broken by some: always, only after a
//! value was seen that another thread wrote, or only between two sections. Locks are nested in both
//! orders, forgotten, and in nodes that are replaced; sections contain waiting and atomic blocks.

use super::rng::Rng;

/// A variable or field and the lock that mostly guards it.
const GUARDED: [(&str, &str); 4] = [("x", "l"), ("y", "k"), ("n.f", "n.m"), ("z", "l")];

/// The text for a seed.
pub fn guarded(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let ops: String = ["a", "b", "c"][..2 + rng.below(2)]
        .iter()
        .map(|name| {
            let body = body(&mut rng);
            format!("  op {name}() -> int {{\n    let n = head\n    let r: 0..=3 = 0\n{body}    return r\n  }}\n")
        })
        .collect();
    let clients = ["threads 2, ops 1", "threads 2, ops 1", "threads 2, ops 2", "threads 3, ops 1"];
    let clients = clients[rng.below(clients.len())];
    format!(
        "// seed {seed}: an object with locks\n\
         node Node {{ f: 0..=3, m: lock }}\n\
         object Obj {{\n  var head: Node\n  var x: 0..=3\n  var y: 0..=3\n  var z: 0..=3\n  \
         var l: lock\n  var k: lock\n  init {{ head = new Node {{ f: 1 }} }}\n{ops}}}\n\
         check Obj against itself {{ {clients} }}\n"
    )
}

fn body(rng: &mut Rng) -> String {
    let mut lines = Vec::new();
    for _ in 0..1 + rng.below(2) {
        match rng.below(10) {
            0..7 => section(rng, &mut lines),
            7 => {
                // Broken by who saw something.
                let (place, _) = GUARDED[rng.below(4)];
                lines.push(format!("if r == {} {{ {} }}", 1 + rng.below(3), access(place, rng)));
            }
            8 => lines.push(access(GUARDED[rng.below(4)].0, rng)),
            _ => lines.push("head = new Node { f: 2 }".to_string()),
        }
    }
    lines.iter().map(|line| format!("    {line}\n")).collect()
}

/// What is done while a lock is held, or two.
fn section(rng: &mut Rng, lines: &mut Vec<String>) {
    let (_, lock) = GUARDED[rng.below(4)];
    let second = rng.percent(25).then(|| GUARDED[rng.below(4)].1).filter(|other| *other != lock);
    lines.push(format!("lock({lock})"));
    lines.extend(second.map(|other| format!("lock({other})")));
    for _ in 0..1 + rng.below(2) {
        let held = |(_, by): &&(&str, &str)| *by == lock || second == Some(*by);
        let mine: Vec<&(&str, &str)> = GUARDED.iter().filter(held).collect();
        let (place, _) = match rng.percent(88) {
            true => *mine[rng.below(mine.len())],
            false => GUARDED[rng.below(4)],
        };
        lines.push(match rng.below(20) {
            0 => format!("atomic {{ {}; {} }}", access(place, rng), access("z", rng)),
            1 => format!("await {place} != 1"),
            2 => format!(
                "if r == {} {{ {} }}",
                1 + rng.below(3),
                access(GUARDED[rng.below(4)].0, rng)
            ),
            _ => access(place, rng),
        });
    }
    let mut releases = vec![format!("unlock({lock})")];
    releases.extend(second.map(|other| format!("unlock({other})")));
    if rng.percent(50) {
        releases.reverse();
    }
    if rng.percent(4) {
        releases.pop();
    }
    lines.append(&mut releases);
}

/// Reads or writes a place.
fn access(place: &str, rng: &mut Rng) -> String {
    match rng.below(6) {
        0..3 => format!("r = {place}"),
        3 => format!("{place} = {}", 1 + rng.below(3)),
        4 => format!("{place} = r"),
        _ => format!("if cas({place}, r, {}) {{ r = 3 }}", 1 + rng.below(3)),
    }
}
