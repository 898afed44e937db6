//! Recorded histories on the command line.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::run::{ended, linchpin, run};

const LOGS: &str = "../../../../corpus/history";
const LOST: &str = "../../../../book/src/models/lost_write.jsonl";

#[test]
fn a_lost_write_is_shown_with_the_operations_that_matter() {
    let ran = run(&format!("history {LOST} --spec map"));
    assert!(ran.out.contains("lost_write.jsonl: NOT linearizable against map"), "{}", ran.out);
    assert!(
        ran.out.contains("(3 of 12 operations; the others do not matter for this)"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("The specification allows 2."), "{}", ran.out);
    assert_eq!(ran.code, Some(1));
}

#[test]
fn an_order_is_shown_if_it_is_asked_for() {
    let ran = run(&format!("history {LOGS}/queue.jsonl --spec queue --witness"));
    assert!(ran.out.contains("an order that explains it\n"), "{}", ran.out);
    assert!(ran.out.contains("process other enqueue(\"b\") (never returned)"), "{}", ran.out);
    assert_eq!(ran.code, Some(0));
    let ran = run(&format!("history {LOGS}/queue.jsonl --spec queue"));
    assert!(!ran.out.contains("an order"), "{}", ran.out);
}

#[test]
fn json_and_junit_are_like_those_of_other_answers() {
    let ran = run(&format!("history {LOST} --spec map --format json"));
    let value: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(value["schema"], "linchpin-history/1");
    assert_eq!(value["verdict"], "violated");
    assert_eq!(value["violation"]["history"].as_array().map(Vec::len), Some(3));
    assert_eq!(value["violation"]["allowed"], serde_json::json!([2]));
    assert_eq!(value["counts"]["operations"], 12);
    let ran = run(&format!("history {LOST} {LOGS}/etcd.json --spec map --format junit"));
    assert!(
        ran.out.contains("failures=\"1\"") && ran.out.contains("failures=\"0\""),
        "{}",
        ran.out
    );
    assert_eq!(ran.code, Some(1));
    let ran = run(&format!("history {LOST} --spec map --format html"));
    assert!(ran.out.contains("NOT linearizable"), "{}", ran.out);
}

/// The data of a page.
fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("id=\"data\">").expect("a page has data");
    let (json, _) = rest.split_once("</script>").expect("which ends");
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn a_page_has_the_orders_and_the_operations_that_matter() {
    let log = |arguments: &str| {
        let page = run(&format!("history {arguments} --format html")).out;
        data(&page)["checks"][0]["log"].clone()
    };
    let lost = log(&format!("{LOST} --spec map"));
    assert_eq!(lost["call"].as_array().map(Vec::len), Some(12));
    assert_eq!(lost["matter"].as_array().map(Vec::len), Some(3));
    assert!(lost["matter"].as_array().is_some_and(|m| m.contains(&lost["failing"])));
    let [part, whole] = &lost["orders"].as_array().expect("orders")[..] else { panic!("{lost}") };
    assert_eq!((&part["whole"], &whole["whole"]), (&false.into(), &true.into()));
    assert_eq!(part["fails"], lost["failing"]);
    assert_eq!(part["stuck"][0][1], "would return 2, but returned 1");
    // Everything that returned before has its place.
    let steps = whole["steps"].as_array().expect("steps");
    let ends = lost["end"].as_array().expect("returns");
    let at = lost["failing"].as_u64().and_then(|i| ends[i as usize].as_u64());
    let before: Vec<usize> =
        (0..ends.len()).filter(|&i| ends[i].as_u64().is_some_and(|end| Some(end) < at)).collect();
    assert!(before.len() > 3 && before.iter().all(|&i| steps.contains(&i.into())), "{whole}");
    // An order is drawn although nobody asked for one, and the verdict is as quick as without.
    let holds = log(&format!("{LOGS}/queue.jsonl --spec queue"));
    assert_eq!(holds["matter"], serde_json::Value::Null);
    assert!(holds["orders"][0]["steps"].as_array().is_some_and(|s| s.len() >= 4), "{holds}");
    let process =
        log(&format!("{LOGS}/transactions.edn --spec multi-register --condition sequential"));
    assert_eq!(process["orders"].as_array().map(Vec::len), Some(1), "{process}");
    assert_eq!(process["orders"][0]["stuck"].as_array().map(Vec::len), Some(2), "{process}");
}

#[test]
fn a_page_is_the_text_report_where_no_script_runs() {
    let page = run(&format!("history {LOST} --spec map --format html")).out;
    let (_, rest) = page.split_once("<noscript>").expect("there is something");
    let (text, _) = rest.split_once("</noscript>").expect("which ends");
    assert!(text.contains("lost_write.jsonl: NOT linearizable against map"), "{text}");
    assert!(text.contains("The specification allows 2."), "{text}");
    assert!(text.contains("(3 of 12 operations; the others do not matter for this)"), "{text}");
    let model = run("check counter.lin --format html").out;
    let (_, rest) = model.split_once("<noscript>").expect("there is something");
    assert!(rest.split_once("</noscript>").is_some_and(|(t, _)| t.contains("NOT linearizable")));
    // A page without logs has no scripts for them.
    assert!(page.contains("class LogPicture") && !model.contains("class LogPicture"));
}

#[test]
fn conditions_differ_and_those_that_make_no_sense_say_why() {
    let ran = run(&format!("history {LOST} --spec map --condition sequential -q"));
    assert!(ran.out.contains("sequentially consistent"), "{}", ran.out);
    let ran = run(&format!("history {LOST} --spec map --condition quiescent -q"));
    assert!(ran.out.contains("NOT quiescently consistent"), "{}", ran.out);
    for (name, why) in [
        ("quasi", "by how many places"),
        ("strong", "all executions"),
        ("lock_free", "without end"),
    ] {
        let ran = run(&format!("history {LOST} --spec map --condition {name}"));
        assert!(ran.err.contains(why), "{}", ran.err);
        assert_eq!(ran.code, Some(2));
    }
}

#[test]
fn a_log_may_be_out_of_order_by_so_many_places() {
    let ask = |log: &str, factors: &str, more: &[&str]| {
        let condition = format!("quasi {{ {factors} }}");
        let log = format!("{LOGS}/{log}");
        let mut arguments = vec!["history", &log, "--spec", "queue", "--condition", &condition];
        arguments.extend_from_slice(more);
        ended(linchpin().args(&arguments).output().expect("it starts"))
    };
    let fine = ask("quasi_queue.jsonl", "dequeue: 1", &["--witness"]);
    assert!(fine.out.contains(": quasi linearizable against queue"), "{}", fine.out);
    assert!(fine.out.contains("they took effect in this one"), "{}", fine.out);
    assert_eq!(fine.code, Some(0));
    let twin = "quasi_queue_overtaken_twice.jsonl";
    let wrong = ask(twin, "dequeue: 1", &[]);
    assert!(wrong.out.contains("NOT quasi linearizable against queue"), "{}", wrong.out);
    assert!(wrong.out.contains("The factors are dequeue: 1."), "{}", wrong.out);
    assert!(wrong.out.contains("--condition 'quasi { dequeue: 1 }'"), "{}", wrong.out);
    assert_eq!(wrong.code, Some(1));
    assert_eq!(ask(twin, "dequeue -> some: 2", &["-q"]).code, Some(0));
    let json = ask(twin, "dequeue: 1", &["--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(value["condition"], "quasi");
    assert_eq!(value["factors"], "dequeue: 1");
    assert_eq!(value["violation"]["kind"], "not_quasi_linearizable");
    let json = ask("quasi_queue.jsonl", "dequeue: 1", &["--format", "json", "--witness"]);
    let value: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    let count = |field: &str| value[field].as_array().map(Vec::len);
    assert_eq!((count("order"), count("effects")), (Some(9), Some(9)), "{value}");
    let page =
        data(&ask(twin, "dequeue: 1", &["--format", "html"]).out)["checks"][0]["log"].clone();
    assert!(!page["failing"].is_null() && page["orders"][0]["fails"] == page["failing"], "{page}");
    let junit = ask(twin, "dequeue: 1", &["--format", "junit"]);
    assert!(junit.out.contains("failures=\"1\""), "{}", junit.out);
    for (factors, more, why) in [
        ("pop: 1", &[][..], "has no operation `pop`"),
        ("dequeue: 99", &[], "no number from 0 to 64"),
        ("dequeue: 1", &["--split", "key"], "keys are not decided by themselves"),
        ("dequeue: 1", &["--follow"], "for linearizability"),
    ] {
        let refused = ask(twin, factors, more);
        assert!(refused.err.contains(why), "{}", refused.err);
        assert_eq!(refused.code, Some(2), "{}", refused.err);
    }
}

#[test]
fn bad_logs_get_a_place_and_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = [
        ("{\"process\":0,\"type\":\"ok\"}\n", "process 0 returns, but has not called anything"),
        (
            "{\"process\":0,\"type\":\"invoke\",\"op\":\"read\"}\n{\"process\":0,\"type\":\"invoke\",\"op\":\"read\"}\n",
            "has not ended",
        ),
        (
            "{\"process\":0,\"type\":\"invoke\",\"op\":\"push\",\"args\":[1]}\n",
            "has no operation `push`",
        ),
        (
            "{\"process\":0,\"type\":\"invoke\",\"op\":\"read\",\"time\":5}\n{\"process\":0,\"type\":\"ok\",\"time\":4}\n",
            "the clock goes backwards",
        ),
        ("{\"process\":0,\"op\":\"read\",\"call\":5,\"return\":4}\n", "the clock goes backwards"),
        (
            "{\"process\":0,\"op\":\"write\",\"args\":[1,2],\"call\":5,\"return\":6}\n",
            "has 1 arguments, not 2",
        ),
        ("{\"process\":0,}\n{}\n", "this is no JSON"),
        ("hello\n", "no log in a known format"),
        ("", "the log is empty"),
    ];
    for (text, why) in cases {
        let path = folder.path().join("log");
        std::fs::write(&path, text).expect("written");
        let ran = run(&format!("history {} --spec register", path.display()));
        assert!(ran.err.contains(why), "{text}: {}", ran.err);
        assert_eq!(ran.code, Some(2), "{text}");
    }
    let path = folder.path().join("cut");
    std::fs::write(
        &path,
        "{\"process\":0,\"type\":\"invoke\",\"op\":\"read\"}\n{\"process\":0,\"ty",
    )
    .expect("written");
    let ran = run(&format!("history {} --spec register", path.display()));
    assert!(ran.err.contains("warning") && ran.err.contains("cut off"), "{}", ran.err);
    assert_eq!(ran.code, Some(0));
    let ran = run("history nowhere.jsonl --spec register");
    assert_eq!(ran.code, Some(2));
    for (spec, why) in [
        ("heap", "no built-in"),
        ("bounded-queue", "how many places"),
        ("counter.lin:Nothing", "there is no specification"),
    ] {
        let ran = run(&format!("history {LOST} --spec {spec}"));
        assert!(ran.err.contains(why), "{}", ran.err);
        assert_eq!(ran.code, Some(2));
    }
    let ran = run(&format!("history {LOST} --spec queue --init 3"));
    assert!(ran.err.contains("cannot begin with 3"), "{}", ran.err);
    let ran = run(&format!("history {LOGS}/transactions.edn --spec multi-register --split key"));
    assert!(ran.err.contains("cannot be split by key"), "{}", ran.err);
}

#[test]
fn specifications_of_a_file_count_as_well() {
    let folder = tempfile::tempdir().expect("a folder");
    let (model, log) = (folder.path().join("bag.lin"), folder.path().join("log.jsonl"));
    // Nondeterministic (any element may leave) and partial (nothing leaves an empty bag).
    let spec = "data Item\nspec Bag {\n  var items: bag<Item>\n  op put(x: Item) { items.insert(x) }\n  \
                op take() -> Item {\n    let x = choose(items)\n    items.remove(x)\n    return x\n  }\n}\n";
    std::fs::write(&model, spec).expect("written");
    let lines = |second: &str| {
        format!(
            "{{\"process\":0,\"op\":\"put\",\"args\":[\"a\"],\"call\":0,\"return\":1}}\n\
             {{\"process\":0,\"op\":\"put\",\"args\":[\"b\"],\"call\":2,\"return\":3}}\n\
             {{\"process\":1,\"op\":\"take\",\"result\":\"b\",\"call\":4,\"return\":5}}\n\
             {{\"process\":1,\"op\":\"take\",\"result\":\"{second}\",\"call\":6,\"return\":7}}\n"
        )
    };
    for (second, code) in [("a", 0), ("b", 1)] {
        std::fs::write(&log, lines(second)).expect("written");
        let ran = run(&format!("history {} --spec {}:Bag", log.display(), model.display()));
        assert_eq!(ran.code, Some(code), "{}{}", ran.out, ran.err);
    }
}

#[test]
fn packed_logs_and_standard_input_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read(crate::run::models().join(LOST)).expect("a log");
    let path = folder.path().join("log.gz");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&text).expect("packed");
    std::fs::write(&path, packed.finish().expect("packed")).expect("written");
    let ran = run(&format!("history {} --spec map -q", path.display()));
    assert!(ran.out.contains("NOT linearizable"), "{}{}", ran.out, ran.err);
    let path = folder.path().join("log.zst");
    let packed = ruzstd::encoding::compress_to_vec(
        text.as_slice(),
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    std::fs::write(&path, &packed).expect("written");
    let ran = run(&format!("history {} --spec map -q", path.display()));
    assert!(ran.out.contains("NOT linearizable"), "{}{}", ran.out, ran.err);
    std::fs::write(&path, &packed[..packed.len() / 2]).expect("written");
    assert_eq!(run(&format!("history {} --spec map -q", path.display())).code, Some(2));
    let mut child = linchpin()
        .args(["history", "-", "--spec", "map", "-q"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("it listens").write_all(&text).expect("it reads");
    assert_eq!(ended(child.wait_with_output().expect("it ends")).code, Some(1));
}

/// The log goes on after the violation, and nobody waits for its end.
#[test]
fn a_growing_log_is_followed_until_it_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    let mut log = std::fs::File::create(&path).expect("a file");
    let mut child = linchpin()
        .args([
            "history",
            path.to_str().expect("a name"),
            "--spec",
            "register",
            "--follow",
            "--timeout",
            "60s",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let lines = [
        "{\"process\":0,\"type\":\"invoke\",\"op\":\"write\",\"args\":[1]}",
        "{\"process\":0,\"type\":\"ok\"}",
        "{\"process\":2,\"type\":\"invoke\",\"op\":\"write\",\"args\":[7]}",
        "{\"process\":1,\"type\":\"invoke\",\"op\":\"read\"}",
        "{\"process\":1,\"type\":\"ok\",\"result\":2}",
    ];
    for line in lines {
        assert!(child.try_wait().expect("it runs").is_none());
        writeln!(log, "{line}").expect("written");
        std::thread::sleep(Duration::from_millis(120));
    }
    let start = Instant::now();
    let ran = ended(child.wait_with_output().expect("it ends"));
    assert!(start.elapsed() < Duration::from_secs(30));
    assert!(
        ran.out.contains("NOT linearizable") && ran.out.contains("read()"),
        "{}{}",
        ran.out,
        ran.err
    );
    assert_eq!(ran.code, Some(1));
    let ran = run(&format!("history {LOGS}/queue.jsonl --spec queue --follow --timeout 1s"));
    assert!(ran.err.contains("whole operation"), "{}", ran.err);
}

/// Nothing comes, and nobody closes the pipe: the time is over all the same.
#[test]
fn limits_are_kept_while_nothing_comes() {
    let mut child = linchpin()
        .args(["history", "-", "--spec", "register", "--follow", "--timeout", "1s"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut pipe = child.stdin.take().expect("it listens");
    pipe.write_all(b"{\"process\":0,\"type\":\"invoke\",\"op\":\"read\"}\n").expect("it reads");
    let start = Instant::now();
    let ran = ended(child.wait_with_output().expect("it ends"));
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(ran.out.contains("the time limit of 1 s was reached"), "{}{}", ran.out, ran.err);
    assert_eq!(ran.code, Some(3));
    drop(pipe);
}

#[test]
fn limits_are_kept_and_what_is_known_is_said() {
    // Many that never return and differ, and values nobody can have written last.
    let mut text = String::new();
    for i in 0..40 {
        text += &format!(
            "{{\"process\":{i},\"type\":\"invoke\",\"op\":\"append\",\"args\":[\"k\",\"{i},\"]}}\n"
        );
    }
    text += "{\"process\":99,\"type\":\"invoke\",\"op\":\"get\",\"args\":[\"k\"]}\n";
    text += &format!(
        "{{\"process\":99,\"type\":\"ok\",\"result\":\"{}\"}}\n",
        "0,1,2,3,4,5,6,7,8,".repeat(3)
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    std::fs::write(&path, text).expect("written");
    let start = Instant::now();
    let ran = run(&format!("history {} --spec map --timeout 1s", path.display()));
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(
        ran.out.contains("unknown: the time limit of 1 s was reached"),
        "{}{}",
        ran.out,
        ran.err
    );
    assert_eq!(ran.code, Some(3));
    let ran =
        run(&format!("history {} --spec map --max-memory 60M --timeout 60s -q", path.display()));
    assert!(ran.out.contains("memory limit"), "{}{}", ran.out, ran.err);
    assert_eq!(ran.code, Some(3));
}

#[allow(dead_code, unreachable_pub, missing_docs, reason = "it is a listing of the book")]
#[path = "../../../../book/src/models/adapters/recorder.rs"]
mod recorder;

/// The listing of the book, with a map behind a lock, which is linearizable, and with one that answers from a copy.
#[test]
fn the_adapter_for_rust_records_what_happens() {
    use std::collections::HashMap;
    use std::sync::Mutex;
    let folder = tempfile::tempdir().expect("a folder");
    for stale in [false, true] {
        let path = folder.path().join("log.jsonl");
        let recorder =
            recorder::Recorder(Mutex::new(std::fs::File::create(&path).expect("a file")));
        let map: Mutex<HashMap<u32, u32>> = Mutex::default();
        std::thread::scope(|scope| {
            for process in 0..4 {
                let (recorder, map) = (&recorder, &map);
                scope.spawn(move || {
                    for i in 0..50 {
                        let (key, value) = (i % 3, process * 1000 + i);
                        recorder.call(process, "put", &format!("\"{key}\",{value}"), || {
                            map.lock().expect("a map").insert(key, value);
                            Some("null".to_string())
                        });
                        recorder.call(process, "get", &format!("\"{key}\""), || {
                            let found = map.lock().expect("a map").get(&key).copied();
                            Some(if stale && i == 40 {
                                "7".to_string()
                            } else {
                                found.unwrap_or(0).to_string()
                            })
                        });
                    }
                });
            }
        });
        let ran = run(&format!("history {} --spec map -q", path.display()));
        assert_eq!(ran.code, Some(i32::from(stale)), "{}{}", ran.out, ran.err);
    }
}

/// The listing of the book, if there is a Python to run it.
#[test]
fn the_adapter_for_python_records_what_happens() {
    let folder = tempfile::tempdir().expect("a folder");
    let adapters = crate::run::models().join("../../../../book/src/models/adapters");
    let script = "import sys, threading\nsys.path.insert(0, sys.argv[1])\nfrom recorder import Recorder\n\
                  r, d, l = Recorder(sys.argv[2]), [], threading.Lock()\n\
                  def push(v):\n  with l: d.append(v)\n\
                  def pop():\n  with l: return d.pop() if d else None\n\
                  def lost():\n  raise TimeoutError\n\
                  def work(p):\n  for i in range(20):\n    r.call(p, 'push', [p * 100 + i], push)\n    r.call(p, 'pop', [], pop)\n\
                  ts = [threading.Thread(target=work, args=(p,)) for p in range(3)]\n\
                  [t.start() for t in ts]\n[t.join() for t in ts]\n\
                  try:\n  r.call(9, 'pop', [], lost)\nexcept TimeoutError:\n  pass\nr.file.close()\n";
    let path = folder.path().join("log.jsonl");
    let python = std::process::Command::new("python3")
        .arg("-c")
        .arg(script)
        .arg(&adapters)
        .arg(&path)
        .output();
    let Ok(output) = python else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let ran = run(&format!("history {} --spec stack", path.display()));
    assert!(
        ran.out.contains("121 operations of 4 clients, 1 never returned"),
        "{}{}",
        ran.out,
        ran.err
    );
    assert_eq!(ran.code, Some(0), "{}", ran.out);
}
