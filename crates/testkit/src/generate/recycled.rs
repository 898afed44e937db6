//! Random objects that give records back, compared with themselves.
//!
//! Records are made late and given back early by the checker (`movers` of the language). So here they are made and
//! given back in all places: while a lock is held or not, when nobody can reach them any more or when somebody can, by
//! name only, or twice. Operations look at records that may be free, or be others by now; some objects are careful and do
//! not.

use super::rng::Rng;

/// The text for a seed.
pub fn recycled(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let careful = rng.percent(65);
    let ops: String = ["a", "b", "c"][..2 + rng.below(2)]
        .iter()
        .map(|name| {
            let lines: String =
                (0..1 + rng.below(3)).map(|_| format!("    if true {{ {} }}\n", statement(&mut rng, careful))).collect();
            format!(
                "  op {name}() -> int {{\n    let h = head\n    let r: 0..=3 = 0\n{lines}    return r\n  }}\n"
            )
        })
        .collect();
    let clients = ["threads 2, ops 1", "threads 2, ops 2", "threads 2, ops 2", "threads 3, ops 1"];
    let clients = clients[rng.below(clients.len())];
    let memory = if rng.percent(85) { "manual" } else { "stable" };
    format!(
        "// seed {seed}: an object that gives records back\n\
         node Node {{ f: 0..=3, to: Node, m: lock }}\n\
         object Obj {{\n  memory {memory}\n  var head: Node\n  var spare: Node\n  var x: 0..=3\n  var l: lock\n  \
         init {{ head = new Node {{ f: 1, to: new Node {{ f: 2 }} }} }}\n{ops}}}\n\
         check Obj against itself {{ {clients} }}\n"
    )
}

/// Statements that give back what nobody can reach any more, and never the first record.
const CAREFUL: [usize; 9] = [0, 4, 8, 9, 10, 11, 14, 15, 16];

fn statement(rng: &mut Rng, careful: bool) -> String {
    let n = 1 + rng.below(3);
    let which = if careful { CAREFUL[rng.below(CAREFUL.len())] } else { rng.below(20) };
    match which {
        0..3 => format!("let n = new Node {{ f: {n}, to: h }}; if !cas(head, h, n) {{ free(n) }}"),
        3 => format!("let n = new Node {{ f: {n} }}; let o = swap(head, n); r = o.f; free(o)"),
        4 => format!("let n = new Node {{ f: {n} }}; let o = swap(spare, n); if o != null {{ free(o) }}"),
        5..8 => "let t = h.to; if t != null { if cas(head, h, t) { r = h.f; free(h) } }".into(),
        8 => "lock(l); let o = head.to; if o != null { head.to = o.to; unlock(l); free(o) } else { unlock(l) }"
            .into(),
        9 => format!("lock(l); let n = new Node {{ f: {n} }}; n.to = head.to; head.to = n; unlock(l)"),
        10 => "let o = swap(spare, null); if o != null { r = o.f; free(o) }".into(),
        11 => "lock(l); r = head.f; unlock(l)".into(),
        12 => "let t = h.to; if t != null { r = t.f }".into(),
        13 => "lock(h.m); r = h.f; unlock(h.m)".into(),
        14 => format!("let n = new Node {{ f: {n} }}; r = x; free(n); x = r"),
        15 => format!("x = {n}"),
        16 => "r = x".into(),
        17 => "spare = h".into(),
        18 => "if spare == h { r = 3 }".into(),
        _ => format!("r = h.f; if r == {n} {{ h.f = 0 }}"),
    }
}
