//! Random objects most of whose memory is set once, and nodes that are written before they are shown, compared with
//! themselves.
//!
//! What is set once is assumed by the checker and found to be false during the search (`movers` of the language);
//! which nodes nobody has seen yet is decided from the text (`fresh`). So here most operations set what is still 0, and
//! some change it again: always, only after a value was seen that another thread wrote, or after two reads that differ.
//! Nodes are written after they were made; some also after they were published: by another name, from an array, through
//! another node, or after a `cas` that may have failed.

use super::rng::Rng;

const PLACES: [&str; 3] = ["x", "y", "h.f"];

/// The text for a seed.
pub fn settled(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let ops: String = ["a", "b", "c"][..2 + rng.below(2)]
        .iter()
        .map(|name| {
            let lines: String =
                (0..2 + rng.below(2)).map(|_| format!("    if true {{ {} }}\n", statement(&mut rng))).collect();
            format!(
                "  op {name}() -> int {{\n    let h = head\n    let r: 0..=3 = 0\n    let q: 0..=3 = 0\n\
                 {lines}    return r\n  }}\n"
            )
        })
        .collect();
    let clients = ["threads 2, ops 1", "threads 2, ops 1", "threads 2, ops 2", "threads 3, ops 1"];
    let clients = clients[rng.below(clients.len())];
    format!(
        "// seed {seed}: an object whose memory is mostly set once\n\
         node Node {{ f: 0..=3, to: Node }}\n\
         object Obj {{\n  var head: Node\n  var x: 0..=3\n  var y: 0..=3\n  \
         init {{ head = new Node {{ f: {} }} }}\n{ops}}}\n\
         check Obj against itself {{ {clients} }}\n",
        rng.below(2)
    )
}

fn statement(rng: &mut Rng) -> String {
    let (place, other) = (PLACES[rng.below(3)], PLACES[rng.below(3)]);
    let n = 1 + rng.below(3);
    match rng.below(24) {
        // Sets what is not set.
        0..5 => format!("if cas({place}, 0, {n}) {{ r = {n} }} else {{ r = {other} }}"),
        5 => format!("if {place} == 0 {{ {place} = {n} }}"),
        // Looks.
        6..11 => format!("r = {place}"),
        11 => format!("q = {place}; r = {other}; if q != r {{ r = 0 }}"),
        12 => format!("while r == 0 {{ r = {place}; if r == 0 {{ r = {n} }} }}"),
        // Changes it again: always, or only sometimes.
        13 => format!("{place} = {n}"),
        14 => format!("if r == {n} {{ {place} = {} }}", rng.below(4)),
        15 => format!("q = {place}; r = {place}; if q != r {{ {other} = {} }}", rng.below(4)),
        16 => format!("if cas({place}, {n}, {}) {{ r = 3 }}", rng.below(4)),
        // Makes a node and shows it.
        17 => format!("let n = new Node; n.f = {n}; head = n"),
        18 => format!("let n = new Node; n.f = {n}; if !cas(head, h, n) {{ n.f = 1; r = h.f }}"),
        19 => "let n = new Node; n.f = r; n.to = h; h.to = n; r = h.f".into(),
        // Shows it too early.
        20 => format!("let n = new Node; let m = n; head = m; n.f = {n}"),
        21 => format!("let n = new Node; if cas(head, h, n) {{ n.f = {n} }}"),
        22 => format!(
            "let n = new Node; let m = new Node {{ to: n }}; h.to = m; if r != 0 {{ n.f = {n} }}"
        ),
        _ => "let t = h.to; if t != null { r = t.f }".to_string(),
    }
}
