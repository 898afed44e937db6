//! Processes that search together: one report, the same as that of one process; who is not one of them is refused, and if
//! one is lost, nothing is but time.

use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::run::{Ran, ended, linchpin, run};

/// A report without times and memory.
fn plain(ran: &Ran) -> String {
    let lines = ran.out.lines().map(|line| match line.split_once("\"seconds\":") {
        Some((before, _)) => before,
        None => match line.split(", depth").next().unwrap_or_default() {
            timed if timed.ends_with(" s") => timed.rsplit_once(", ").map_or(timed, |(is, _)| is),
            other => other,
        },
    });
    lines.collect::<Vec<_>>().join("\n")
}

const STACK: &str = "../../../../corpus/lin/treiber_stack/gc.lin";

#[test]
fn the_report_is_that_of_one_process() {
    let questions = [
        format!("{STACK} --check TreiberStack --threads 3 --ops 2"),
        "../../../../corpus/csp/philosophers.csp".to_string(),
        "../../../../corpus/mcrl2/treiber_stack.mcrl2 --atomic".to_string(),
        "counter.lin --format json".to_string(),
        "nowhere.lin".to_string(),
    ];
    for question in questions {
        let one = run(&format!("check {question}"));
        let ran = run(&format!("cluster -n 3 {question}"));
        assert_eq!(ran.code, one.code, "{question}: {}", ran.err);
        assert_eq!(plain(&ran), plain(&one), "{question}: {}", ran.err);
    }
}

/// Addresses on this machine.
fn addresses(count: usize) -> String {
    let listeners: Vec<_> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    let list: Vec<String> =
        listeners.iter().map(|l| l.local_addr().expect("an address").to_string()).collect();
    list.join(",")
}

fn start(arguments: &str) -> Child {
    let mut command = linchpin();
    command.args(arguments.split_whitespace());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

fn end(child: Child) -> Ran {
    ended(child.wait_with_output().expect("it ends"))
}

#[test]
fn who_is_asked_something_else_is_refused_and_named() {
    let hosts = addresses(2);
    let first = start(&format!("check {STACK} --hosts {hosts} --process 0 --threads 3"));
    let second = start(&format!("check {STACK} --hosts {hosts} --process 1 --threads 2"));
    let (first, second) = (end(first), end(second));
    assert_eq!((first.code, second.code), (Some(2), Some(2)));
    let both = format!("{}{}", first.err, second.err);
    assert!(both.contains("is asked something else"), "{both}");
    assert!(both.contains("--threads 3") && both.contains("--threads 2"), "{both}");
}

#[test]
fn what_cannot_work_is_refused() {
    let refused = |arguments: &str, why: &str| {
        let ran = run(&format!("check counter.lin {arguments}"));
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.out);
        assert!(ran.err.contains(why), "{arguments}: {}", ran.err);
    };
    refused("--hosts 127.0.0.1:4100", "--process");
    refused("--process 0", "--hosts");
    refused("--hosts nowhere.txt --process 0", "cannot read `nowhere.txt`");
    refused("--hosts 127.0.0.1:4100,b --process 0", "address 2: expected HOST:PORT, found `b`");
    refused("--hosts 127.0.0.1:4100 --process 1", "there is no process 1");
    refused("--hosts 192.0.2.1:4100,192.0.2.2:4100 --process 0", "need a secret");
    let ran = run("cluster -n 17 counter.lin");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("17 is not in 1..=16"), "{}", ran.err);
}

#[test]
fn if_one_is_killed_the_others_say_so_and_the_search_can_be_gone_on_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("kept");
    let hosts = addresses(3);
    let question = format!("check {STACK} --check TreiberStack --threads 3 --ops 3 --workers 1");
    let keep = format!("--checkpoint {} --checkpoint-every 50ms", kept.display());
    let process = |k: usize| start(&format!("{question} {keep} --hosts {hosts} --process {k}"));
    let mut all: Vec<Child> = (0..3).map(process).collect();
    let start = Instant::now();
    // The first search ends at once: what it assumes to be set once is not.
    while !kept.join("search-2").exists() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut last = all.pop().expect("there are three");
    last.kill().expect("it can be killed");
    let _ = last.wait();
    for (number, child) in all.into_iter().enumerate() {
        let ran = end(child);
        assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
        assert!(ran.err.contains("process 2 has ended without a word"), "{}", ran.err);
        assert_eq!(ran.out.contains("is lost"), number == 0, "{}", ran.out);
    }
    let whole = run(&question);
    let again = run(&format!("{question} --resume {}", kept.display()));
    assert_eq!((again.code, plain(&again)), (whole.code, plain(&whole)), "{}", again.err);
    assert!(!kept.exists());
}
