//! Recorded histories: everything that decides, follows, shrinks, judges, reads and writes them agrees with brute force, and
//! no text is too strange to be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use linchpin_history::{
    Datum, Factors, Format, Judged, Means, Monitor, NEVER, Operation, Reading, Spec, Split, decide,
    decide_quasi, explains, judge, judge_quasi, read, shrink, shrink_quasi, write,
};
use linchpin_lts::{Verdict, Watch};
use linchpin_testkit::histories::{Kept, Plan, Random, SPECS, break_one, brute, generate};
use linchpin_testkit::recorded::{Tally, compare, keyed};
use linchpin_testkit::relaxed;
use linchpin_testkit::sample::count;

#[test]
fn every_way_to_decide_agrees_with_brute_force() {
    let mut tally = Tally::default();
    let cases = count(1_500, 100_000);
    for seed in 1..=cases {
        if let Err(what) = compare(seed, &mut tally) {
            panic!("{what}");
        }
    }
    assert!(tally.violated * 10 > cases, "{tally}");
    assert!(tally.distinct * 10 > cases && tally.judged > tally.violated, "{tally}");
    assert!(tally.split * 50 > cases && tally.register * 10 > cases, "{tally}");
    assert_eq!(tally.by_spec.len(), SPECS.len());
}

/// Operations out of order by so many places: the search, the judge, the witness and what is left of a violation.
#[test]
fn factors_are_decided_as_by_all_pairs_of_orders() {
    let mut tally = relaxed::Tally::default();
    let cases = count(1_500, 60_000);
    for seed in 1..=cases {
        if let Err(what) = relaxed::compare(seed, &mut tally) {
            panic!("{what}");
        }
    }
    assert!(tally.within * 25 > cases && tally.violated * 20 > cases, "{tally}");
    assert!(tally.shrunk.1 < tally.shrunk.0, "{tally}");
}

/// Larger ones, where brute force does not go: what decides without a search agrees with what searches.
#[test]
fn distinct_values_are_decided_as_by_a_search() {
    let (mut holds, mut violated, mut unknown) = (0, 0, 0);
    // A value of a stack was once taken to stay because an early removal was of no use.
    const REGRESS: [u64; 1] = [9819];
    for seed in (0..count(300, 20_000)).chain(REGRESS) {
        let mut random = Random::new(seed);
        let spec_name = ["queue", "stack", "priority-queue", "register"][random.below(4)];
        let spec = Spec::builtin(spec_name).expect("a specification");
        let plan = Plan {
            spec: spec_name,
            clients: 2 + random.below(3),
            operations: 10 + random.below(25),
            // Lost removals are not decided of priority queues.
            lost: if spec_name == "priority-queue" { 0 } else { 100 * random.below(3) },
            keys: 3,
            distinct: true,
            seed,
        };
        let mut generated = generate(&spec, &plan);
        for _ in 0..random.below(3) {
            break_one(spec_name, &mut generated, &mut random);
        }
        let all = Means::default();
        // Of a few histories with lost operations the search would take gigabytes.
        let ways = [
            Means { breadth: false, depth: false, register: false, ..all },
            Means { distinct: false, most: 300_000, ..all },
        ];
        let [quick, slow] = ways.map(|means| {
            decide(&spec, &generated.operations, &means, &Watch::NEVER).expect("a verdict").verdict
        });
        if matches!(slow, Verdict::Unknown(_)) {
            unknown += 1;
            continue;
        }
        assert_eq!(quick.name(), slow.name(), "seed {seed}, {spec_name}");
        *(if quick.holds() { &mut holds } else { &mut violated }) += 1;
    }
    println!("{holds} hold, {violated} are violated, {unknown} are too much for a search");
    assert!(holds > 50 && violated > 50 && unknown * 50 < holds, "{holds} {violated} {unknown}");
}

/// Registers with values that repeat, more clients and more operations: changes of values against every open write.
#[test]
fn registers_are_decided_as_by_a_search() {
    let (mut holds, mut violated) = (0, 0);
    for seed in 0..count(300, 20_000) {
        let mut random = Random::new(seed ^ 77);
        let spec_name = ["register", "cas-register"][random.below(2)];
        let spec = Spec::builtin(spec_name).expect("a specification");
        let plan = Plan {
            spec: spec_name,
            clients: 2 + random.below(7),
            operations: 8 + random.below(30),
            lost: [0, 50, 200][random.below(3)],
            keys: 2 + random.below(4),
            distinct: false,
            seed,
        };
        let mut generated = generate(&spec, &plan);
        for _ in 0..random.below(3) {
            break_one(spec_name, &mut generated, &mut random);
        }
        let all = Means { distinct: false, orders: true, ..Means::default() };
        let ways =
            [Means { breadth: false, depth: false, ..all }, Means { register: false, ..all }];
        let [quick, slow] = ways.map(|means| {
            decide(&spec, &generated.operations, &means, &Watch::NEVER).expect("a verdict")
        });
        assert_eq!(quick.verdict.name(), slow.verdict.name(), "seed {seed}, {spec_name}");
        if quick.verdict.holds() {
            let order = quick.order.expect("an order");
            let explained = explains(&spec, &generated.operations, &order);
            assert!(explained.is_ok(), "seed {seed}: {explained:?}");
        }
        *(if quick.verdict.holds() { &mut holds } else { &mut violated }) += 1;
    }
    assert!(holds > 50 && violated > 50, "{holds} {violated}");
}

/// A register that is read as it never was: the oracle, the search and the judge notice.
#[test]
fn a_mistake_is_noticed_by_everybody() {
    let spec = Spec::builtin("register").expect("a register");
    let plan = Plan {
        spec: "register",
        clients: 2,
        operations: 6,
        lost: 0,
        keys: 2,
        distinct: true,
        seed: 5,
    };
    let mut generated = generate(&spec, &plan);
    assert!(brute("register", &generated, Kept::Time));
    let read = generated.names.iter().position(|name| *name == "read").expect("somebody reads");
    generated.operations[read].result = Some(Datum::Int(99));
    assert!(!brute("register", &generated, Kept::Time));
    let decision =
        decide(&spec, &generated.operations, &Means::default(), &Watch::NEVER).expect("a verdict");
    let Verdict::Violated(refuted) = decision.verdict else { panic!("{:?}", decision.verdict) };
    let left = shrink(&spec, &generated.operations, &refuted, &Watch::NEVER);
    assert_eq!(left.len(), 1);
    assert!(matches!(judge(&spec, &left, &Watch::NEVER), Judged::Confirmed(_)));
}

/// What never returned and is needed later is found among many that are not.
#[test]
fn lost_operations_cost_little() {
    let spec = Spec::builtin("register").expect("a register");
    let operation =
        |op: u8, args: &[Datum], result: Option<Datum>, call: u32, ret: u32, process: u32| {
            Operation {
                process,
                object: 0,
                op,
                args: args.iter().cloned().collect(),
                result,
                call,
                ret,
                line: call,
            }
        };
    let mut operations: Vec<Operation> = (0..200)
        .map(|i| operation(1, &[Datum::Int(i64::from(i % 100))], None, i, NEVER, i))
        .collect();
    for i in 0..100 {
        let (call, value) = (200 + 2 * i, Datum::Int(i64::from((i * 37) % 100)));
        operations.push(operation(0, &[], Some(value), call, call + 1, 500));
    }
    // For each read a hundred writes are tried, each of which nobody sees but that read.
    let count = |operations: &[Operation]| {
        let decision =
            decide(&spec, operations, &Means::default(), &Watch::NEVER).expect("a verdict");
        assert!(decision.configurations < 50_000, "{}", decision.configurations);
        decision.verdict
    };
    assert!(count(&operations).holds());
    // And that there is no order is found as quickly.
    operations.push(operation(0, &[], Some(Datum::Int(777)), 1000, 1001, 500));
    assert!(count(&operations).is_violated());
}

/// Whether an operation of a `.lin` specification has a key is decided from its text: not if it looks at everything, at
/// another key, or changes its key.
#[test]
fn keys_are_decided_and_not_assumed() {
    let spec = keyed("KeyedMap").expect("a specification");
    let split = |name: &str, args: &[i64]| {
        let operation = Operation {
            process: 0,
            object: 0,
            op: spec.op(name).expect("an operation"),
            args: args.iter().map(|n| Datum::text(&n.to_string())).collect(),
            result: None,
            call: 0,
            ret: 1,
            line: 1,
        };
        let means = Means { split: Split::Key, ..Means::default() };
        decide(&spec, &[operation], &means, &Watch::NEVER).map_err(|t| t.message)
    };
    for (name, args) in [("get", 1), ("put", 2), ("delete", 1), ("append", 2), ("cas", 3)] {
        assert!(split(name, &[1, 2, 3][..args]).is_ok(), "{name}");
    }
    for (name, args) in [("size", 1), ("swap", 2), ("drifts", 2)] {
        let why = split(name, &[1, 2][..args]).expect_err(name);
        assert!(why.contains("cannot be split by key"), "{why}");
    }
}

/// A monitor decides keys by themselves if every operation of the specification has one, and as the command does.
#[test]
fn a_monitor_decides_keys_by_themselves() {
    let (mut several, mut violated) = (0, 0);
    for seed in 0..count(200, 5_000) {
        let mut random = Random::new(seed);
        let map = Spec::builtin("map").expect("a map");
        let plan = Plan {
            spec: "map",
            clients: 3,
            operations: 12,
            lost: 100,
            keys: 3,
            distinct: true,
            seed,
        };
        let mut generated = generate(&map, &plan);
        if random.one_in(2) {
            break_one("map", &mut generated, &mut random);
        }
        for name in ["PlainMap", "KeyedMap"] {
            let spec = keyed(name).expect("a specification");
            let mut operations = generated.operations.clone();
            for (operation, name) in operations.iter_mut().zip(&generated.names) {
                operation.op = spec.op(name).expect("an operation");
            }
            let expected = decide(&spec, &operations, &Means::default(), &Watch::NEVER);
            let expected = expected.expect("a verdict");
            let mut events: Vec<(u32, bool, usize)> = Vec::new();
            for (i, o) in operations.iter().enumerate() {
                events.push((o.call, false, i));
                events.extend((o.ret != NEVER).then_some((o.ret, true, i)));
            }
            events.sort_unstable();
            let mut monitor = Monitor::new(spec);
            for (_, returns, i) in events {
                let (o, process) = (&operations[i], Datum::Int(i64::from(operations[i].process)));
                match returns {
                    true => monitor.ret(&process, o.result.clone()).expect("a return"),
                    false => monitor.call(&process, generated.names[i], &o.args).expect("a call"),
                }
            }
            let verdict = monitor.verdict().expect("a verdict");
            assert_eq!(verdict.name(), expected.verdict.name(), "seed {seed}, {name}");
            let parts = if name == "PlainMap" { expected.parts } else { 1 };
            assert_eq!(monitor.parts(), parts, "seed {seed}, {name}");
            several += u32::from(parts > 1);
            violated += u32::from(verdict.is_violated());
        }
    }
    assert!(several > 50 && violated > 20, "{several} {violated}");
}

fn logs() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/history");
    let mut logs = Vec::new();
    for entry in fs::read_dir(folder).expect("logs") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e != "toml" && e != "md") {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            logs.push((name, fs::read(&path).expect("a log")));
        }
    }
    logs.sort();
    assert!(logs.len() >= 6, "{}", logs.len());
    logs
}

/// Every log of the corpus is listed, alone or as the broken twin of another one, and has its verdict whichever way it is
/// decided; what is left of a broken one is judged by other code. All built-in specifications and formats are there.
#[test]
fn the_logs_of_the_corpus_have_their_verdicts() {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Listed {
        spec: String,
        broken: String,
        #[serde(default)]
        failed_cas_returns: bool,
        #[serde(default)]
        unsplit: bool,
        quasi: Option<String>,
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/history");
    let text = fs::read_to_string(folder.join("expect.toml")).expect("a list");
    let listed: BTreeMap<String, Listed> = toml::from_str(&text).expect("a list");
    let mut files: Vec<&String> = listed.iter().flat_map(|(name, of)| [name, &of.broken]).collect();
    files.sort();
    let logs: BTreeMap<String, Vec<u8>> = logs().into_iter().collect();
    assert_eq!(logs.keys().collect::<Vec<_>>(), files);
    let all = Means { orders: true, ..Means::default() };
    let alone = Means { distinct: false, register: false, ..all };
    let ways =
        [Means::default(), all, Means { depth: false, ..alone }, Means { breadth: false, ..alone }];
    let (mut specs, mut endings) = (BTreeSet::new(), BTreeSet::new());
    for (name, of) in &listed {
        let spec = Spec::builtin(&of.spec).expect("a specification");
        specs.insert(of.spec.split(':').next().expect("a name"));
        let reading = Reading { format: None, failed_cas_returns: of.failed_cas_returns };
        let splits: &[Split] = if of.unsplit { &[Split::None, Split::Key] } else { &[Split::Auto] };
        for (name, holds) in [(name, true), (&of.broken, false)] {
            endings.insert(name.rsplit('.').next().expect("an ending"));
            let text = String::from_utf8(logs[name].clone()).expect("UTF-8");
            let history = read(&text, &spec, &reading).unwrap_or_else(|t| panic!("{name}: {t:?}"));
            if let Some(factors) = &of.quasi {
                let factors = Factors::parse(factors, &spec).expect("factors");
                within_factors(&spec, &history.operations, &factors, holds);
                continue;
            }
            for (means, split) in ways.iter().flat_map(|m| splits.iter().map(move |s| (m, s))) {
                let means = Means { split: *split, ..*means };
                let decision = decide(&spec, &history.operations, &means, &Watch::NEVER);
                let verdict = decision.expect("a verdict").verdict;
                assert_eq!(verdict.name(), if holds { "holds" } else { "violated" }, "{name}");
                if let Verdict::Violated(refuted) = verdict {
                    let left = shrink(&spec, &history.operations, &refuted, &Watch::NEVER);
                    let judged = judge(&spec, &left, &Watch::NEVER);
                    assert!(matches!(judged, Judged::Confirmed(_)), "{name}: {judged:?}");
                }
            }
        }
    }
    let names: BTreeSet<&str> = Spec::builtins().map(|b| b.0).collect();
    assert_eq!(specs, names);
    assert_eq!(endings, BTreeSet::from(["edn", "json", "jsonl", "log"]));
}

/// Not linearizable; within the factors or not.
fn within_factors(spec: &Spec, operations: &[Operation], factors: &Factors, holds: bool) {
    let strict = decide(spec, operations, &Means::default(), &Watch::NEVER).expect("a verdict");
    assert!(strict.verdict.is_violated());
    let found = decide_quasi(spec, operations, factors, u64::MAX, &Watch::NEVER);
    let found = found.expect("a verdict");
    match found.decision.verdict {
        Verdict::Violated(refuted) if !holds => {
            let left = shrink_quasi(spec, operations, factors, &refuted, &Watch::NEVER);
            let judged = judge_quasi(spec, &left, factors, refuted.place, &Watch::NEVER);
            assert!(matches!(judged, Judged::Confirmed(_)), "{judged:?}");
        }
        verdict => assert!(verdict.holds() && holds, "{verdict:?}"),
    }
}

/// Damaged logs and nonsense, in every format and for every specification: a history or a line and a reason.
#[test]
fn no_text_is_too_strange_to_be_read() {
    let formats =
        [None, Some(Format::Json), Some(Format::Edn), Some(Format::Jepsen), Some(Format::Etcd)];
    let logs = logs();
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "\"",
        "\\",
        ":",
        ",",
        "#",
        "#_",
        ";",
        "\n",
        "nil",
        ":info",
        ":invoke",
        "-1",
        "99999999999999999999",
        "\u{0}",
        "\u{202e}",
        "{\"process\":",
        "\"args\":",
        "null",
        "\\u12",
        "#{",
        "^",
        "'",
    ];
    let (mut read_well, mut refused) = (0, 0);
    for seed in 0..count(3_000, 200_000) {
        let mut random = Random::new(seed);
        let (_, log) = &logs[random.below(logs.len())];
        let mut bytes = log.clone();
        for _ in 0..random.below(4) {
            if bytes.is_empty() {
                break;
            }
            let at = random.below(bytes.len());
            match random.below(5) {
                0 => bytes.truncate(at),
                1 => bytes[at] = random.below(256) as u8,
                2 => drop(bytes.splice(at..at, pieces[random.below(pieces.len())].bytes())),
                3 => drop(bytes.drain(at..(at + random.below(9)).min(bytes.len()))),
                _ => {
                    let line =
                        bytes[at..].split(|b| *b == b'\n').next().unwrap_or_default().to_vec();
                    drop(bytes.splice(at..at, line));
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let spec = Spec::builtin(SPECS[random.below(SPECS.len())]).expect("a specification");
        let reading = Reading {
            format: formats[random.below(formats.len())],
            failed_cas_returns: random.one_in(2),
        };
        match read(&text, &spec, &reading) {
            Ok(history) => {
                read_well += 1;
                let means = Means { most: 2_000, ..Means::default() };
                let _ = decide(&spec, &history.operations, &means, &Watch::NEVER);
                let _ = write(&spec, &history.operations, Format::Json, true);
            }
            Err(trouble) => {
                refused += 1;
                assert!(!trouble.message.is_empty());
            }
        }
    }
    let deep = "[".repeat(100_000);
    let spec = Spec::builtin("register").expect("a register");
    for format in formats {
        let reading = Reading { format, failed_cas_returns: false };
        assert!(
            read(&format!("{{:process 0 :value {deep}"), &spec, &reading)
                .is_err_and(|t| !t.message.is_empty())
                || format == Some(Format::Edn)
                || format.is_none()
        );
    }
    assert!(read_well > 100 && refused > 100, "{read_well} {refused}");
}
