//! Random `.lin` texts, small enough for the brute-force oracle. Many are right; [`wrong`] damages them, so that about half
//! of those that are compared are not.
//!
//! Three sources: known objects with random damage (`families`, `mutate`), and random bodies
//! whose specification is the same code as one atomic action, of common statements (`bodies`) and of
//! rare ones (`rare`); values that carry others (`sums`) have texts of their own. The client is random in all cases (`client`). A text depends on its seed only;
//! its first line tells the seed.

mod bodies;
mod boxed;
mod client;
mod deferring;
mod families;
mod faulty;
mod guarded;
mod histories;
mod manual;
mod meeting;
mod monitors;
mod mutate;
mod points;
mod probes;
mod rare;
mod recycled;
mod rng;
mod settled;
mod sums;
mod wrong;

pub use deferring::deferring;
pub use faulty::faulty;
pub use guarded::guarded;
pub use histories::history;
pub use manual::manual;
pub use meeting::meeting;
pub use monitors::monitors;
pub use points::points;
pub use recycled::recycled;
pub(crate) use rng::Rng;
pub use settled::settled;
pub use wrong::wrong;

use crate::sample;

/// The text for a seed.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let model = match rng.below(100) {
        0..44 => damaged(&mut rng),
        44..80 => bodies::random(&mut rng),
        _ => rare::random(&mut rng),
    };
    text(seed, model, &mut rng)
}

/// The text for a seed, with values that carry others. (A source of its own, so that seeds of the others stay what
/// they are.)
pub fn sums(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x73_75_6d);
    let model = sums::random(&mut rng);
    text(seed, model, &mut rng)
}

fn text(seed: u64, mut model: Model, rng: &mut Rng) -> String {
    settings(&mut model, rng);
    let check = client::check(&model, rng);
    format!(
        "// seed {seed}: {}\n{}{}{}{check}",
        model.origin, model.types, model.object, model.spec
    )
}

/// The seeds a test should try: so many from `first` on ([`sample::count`]), unless `LINCHPIN_FROM` says
/// otherwise, or only the one in `LINCHPIN_SEED`.
pub fn seeds(first: u64, quick: u64, thorough: u64) -> Vec<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    match number("LINCHPIN_SEED") {
        Some(seed) => vec![seed],
        None => {
            let first = number("LINCHPIN_FROM").unwrap_or(first);
            (first..first + sample::count(quick, thorough)).collect()
        }
    }
}

/// The parts of a text.
struct Model {
    /// How it came about, for the reader.
    origin: String,
    types: String,
    object: String,
    spec: String,
    settings: Vec<String>,
    /// Operations are long: keep the client small.
    heavy: bool,
}

/// Settings of the check that suit the model.
fn settings(model: &mut Model, rng: &mut Rng) {
    if model.types.contains("data V") {
        // Fresh is the default.
        match rng.below(6) {
            0 => model.settings.push("values V: 1".to_owned()),
            1 => model.settings.push("values V: 2".to_owned()),
            2 => model.settings.push("values V: fresh".to_owned()),
            _ => {}
        }
    }
    let freed = ["manual", "stable"].iter().any(|m| model.object.contains(&format!("memory {m}")));
    if model.types.contains("node ") && rng.percent(if freed { 60 } else { 20 }) {
        // Mostly so that the first nodes are within the bound.
        let first = if rng.percent(90) { first_nodes(&model.object) } else { 0 };
        model.settings.push(format!("heap {}", (first + rng.below(3)).max(1)));
    } else if model.object.contains("; ..]") && rng.percent(50) {
        model.settings.push(format!("heap {}", 1 + rng.below(4)));
    }
}

/// How many nodes `init` makes.
fn first_nodes(object: &str) -> usize {
    let init = object.lines().skip_while(|l| l.trim() != "init {").take_while(|l| l.trim() != "}");
    init.filter(|l| l.contains("new ")).count()
}

/// A known object, often damaged.
fn damaged(rng: &mut Rng) -> Model {
    let families = families::all();
    let family = families[rng.below(families.len())];
    let object = family.objects[rng.below(family.objects.len())];
    let mut object = object.to_owned();
    if object.contains("for t in threads {") && rng.percent(60) {
        object = object.replace("for t in threads {", "for t in threads in any order {");
    }
    let mut lines: Vec<String> = object.lines().map(str::to_owned).collect();
    let wanted = match rng.below(100) {
        0..32 => 0,
        32..78 => 1,
        _ => 2,
    };
    let mut done = Vec::new();
    for _ in 0..wanted {
        done.extend(mutate::mutate(&mut lines, rng));
    }
    let settings = family.settings.iter().map(|s| (*s).to_owned()).collect();
    Model {
        origin: match done.is_empty() {
            true => "a known object".to_owned(),
            false => format!("a known object, {}", done.join(", ")),
        },
        types: family.types.to_owned(),
        object: lines.join("\n") + "\n",
        spec: family.spec.to_owned(),
        settings,
        heavy: family.heavy,
    }
}
