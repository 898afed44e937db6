//! Links between threads that stand for processes: what is handed over, who is let in, and what happens when one is lost.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use linchpin_cluster::{Hosts, Introduction, Link, Secret, Trouble, meet};
use linchpin_engine::Peers;

/// Addresses on this machine that nobody uses.
fn addresses(count: usize) -> Hosts {
    let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let list: Vec<String> = listeners.iter().map(|l| l.local_addr().unwrap().to_string()).collect();
    Hosts::from_list(&list.join(",")).unwrap()
}

fn secret(text: &str) -> Secret {
    Secret::from_text(&format!("a long secret {text}")).unwrap()
}

struct Way<'w> {
    question: &'w str,
    secret: &'w str,
    within: Duration,
}

const USUAL: Way<'static> =
    Way { question: "check it", secret: "of all", within: Duration::from_secs(20) };

fn connect(hosts: &Hosts, process: usize, way: &Way<'_>) -> Result<Link, String> {
    let trouble = Trouble::default();
    let me = Introduction { process, question: way.question.to_string() };
    let wires = meet(hosts, &secret(way.secret), &me, way.within, &trouble, &|_| (), &|| true)?;
    Link::new(wires, process, trouble, Box::new(|| false))
}

/// Does something in so many processes at once.
fn each<T: Send>(count: usize, work: impl Fn(usize, &Hosts) -> T + Sync) -> Vec<T> {
    let hosts = addresses(count);
    thread::scope(|scope| {
        let (work, hosts) = (&work, &hosts);
        let threads: Vec<_> =
            (0..count).map(|process| scope.spawn(move || work(process, hosts))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// What one process has for another in a meeting: now and then much, often nothing.
fn message(meeting: usize, from: usize, to: usize) -> Vec<u8> {
    let length = match (meeting * 7 + from * 3 + to) % 5 {
        0 => 0,
        1 => 600_000 / (1 + meeting % 9),
        n => n * 100,
    };
    (0..length).map(|i| (i * 31 + meeting + 5 * from + 11 * to) as u8).collect()
}

#[test]
fn everybody_gets_what_everybody_has_for_them() {
    for count in [1, 2, 4] {
        each(count, |me, hosts| {
            let link = connect(hosts, me, &USUAL).unwrap();
            assert_eq!((link.number(), link.count()), (me, count));
            for meeting in 0..60 {
                let given = (0..count).map(|to| message(meeting, me, to)).collect();
                let taken = link.exchange(given).unwrap();
                for from in (0..count).filter(|&from| from != me) {
                    assert!(taken[from] == message(meeting, from, me), "{meeting} {from} {me}");
                }
            }
            assert_eq!(link.trouble(), None);
        });
    }
}

#[test]
fn who_ends_early_is_missed_by_all() {
    let lost: Vec<Option<String>> = each(3, |me, hosts| {
        let link = connect(hosts, me, &USUAL).unwrap();
        for meeting in 0..10 {
            if me == 1 && meeting == 5 {
                return None;
            }
            if link.exchange(vec![vec![1]; 3]).is_none() {
                // It stays so.
                assert!(link.exchange(vec![Vec::new(); 3]).is_none());
                return link.trouble().map(str::to_string);
            }
        }
        panic!("nobody was missed");
    });
    assert_eq!(lost[1], None);
    for process in [0, 2] {
        let what = lost[process].as_deref().unwrap();
        assert!(what.starts_with("process 1 has ended"), "{what}");
    }
}

#[test]
fn who_does_not_know_the_secret_is_sent_away_and_does_not_disturb() {
    let noted = Mutex::new(Vec::new());
    let over = AtomicBool::new(false);
    each(3, |me, hosts| match me {
        2 => {
            // Somebody who talks nonsense, somebody who says nothing, and somebody with another secret.
            let mut stream = loop {
                match TcpStream::connect(hosts.address(0)) {
                    Ok(stream) => break stream,
                    Err(_) => thread::sleep(Duration::from_millis(10)),
                }
            };
            let _ = stream.write_all(&[7; 4_000]);
            let _ = stream.read(&mut [0; 100]);
            drop(TcpStream::connect(hosts.address(0)));
            let way = Way { secret: "of nobody", within: Duration::from_secs(2), ..USUAL };
            let end = connect(hosts, 2, &way).err().unwrap();
            assert!(end.contains("does not know the secret"), "{end}");
            let link = connect(hosts, 2, &USUAL).unwrap();
            assert!(link.exchange(vec![Vec::new(); 3]).is_some());
            over.store(true, Ordering::Relaxed);
        }
        _ => {
            let trouble = Trouble::default();
            let me = Introduction { process: me, question: USUAL.question.to_string() };
            let note = |text| noted.lock().unwrap().push(text);
            let known = secret(USUAL.secret);
            let wires =
                meet(hosts, &known, &me, Duration::from_secs(30), &trouble, &note, &|| true);
            let link = Link::new(wires.unwrap(), me.process, trouble, Box::new(|| false)).unwrap();
            assert!(link.exchange(vec![Vec::new(); 3]).is_some());
        }
    });
    let noted = noted.into_inner().unwrap();
    assert!(over.into_inner());
    let is = |what: &str| noted.iter().any(|text| text.contains(what));
    assert!(is("no process of Linchpin") && is("it went away"), "{noted:?}");
}

#[test]
fn who_is_asked_something_else_ends_the_meeting() {
    let ends = each(2, |me, hosts| {
        let question = if me == 0 { "linchpin 1\ncheck a.lin" } else { "linchpin 1\ncheck b.lin" };
        let way = Way { question, within: Duration::from_secs(5), ..USUAL };
        connect(hosts, me, &way).err().unwrap()
    });
    let named = |end: &String| end.contains("check a.lin") && end.contains("check b.lin");
    assert!(ends.iter().any(named), "{ends:?}");
}

#[test]
fn who_does_not_come_is_not_waited_for() {
    let hosts = addresses(2);
    let start = Instant::now();
    let way = Way { within: Duration::from_secs(1), ..USUAL };
    for process in 0..2 {
        let end = connect(&hosts, process, &way).err().unwrap();
        assert!(end.contains("has not come within 1 s"), "{end}");
    }
    assert!(start.elapsed() < Duration::from_secs(30));
}
