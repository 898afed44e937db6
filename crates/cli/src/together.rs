//! Several processes that decide the same question together, on this machine or on several.
//!
//! Every process runs the same command; `--hosts` says where they are and `--process` which one this is. The first one keeps
//! and reports, the others only work. `linchpin cluster` starts all of them on this machine.

use std::env;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use linchpin_cluster::{Hosts, Introduction, Link, Secret, Trouble, meet};
use linchpin_text::printable_name;

use crate::args::{ClusterOptions, TogetherOptions};
use crate::checkpoint::Asked;
use crate::exit::Exit;
use crate::memory;
use crate::render::verdict::MEMORY_SHARE;
use crate::screen::Screen;
use crate::watch;

/// Processes that are not there by then are not waited for.
const ARRIVAL: Duration = Duration::from_secs(60);
/// Somebody who has interrupted is not kept waiting longer for the others.
const OVERDUE: Duration = Duration::from_secs(10);
/// After the first process has ended, or another one has failed, the rest has so much time.
const GRACE: Duration = Duration::from_secs(5);
/// Where the secret is, if it is not in a file.
const SECRET: &str = "LINCHPIN_SECRET";

/// Meets the other processes, if there are any.
pub(crate) fn join(
    options: &TogetherOptions,
    arguments: &[String],
    screen: Screen,
) -> Result<Option<Link>, String> {
    let (hosts, process) = match (&options.hosts, options.process) {
        (None, None) if options.secret.is_none() => return Ok(None),
        (Some(hosts), Some(process)) => (hosts, process),
        _ => return Err("`--hosts`, `--process` and `--secret` go together".to_string()),
    };
    let hosts = match std::fs::read_to_string(hosts) {
        Ok(text) => {
            let name = printable_name(hosts);
            Hosts::from_lines(&text).map_err(|why| format!("`{name}`, {why}"))?
        }
        Err(_) if hosts.contains(':') => Hosts::from_list(hosts)?,
        Err(error) => {
            return Err(format!("cannot read `{}`: {error}", printable_name(hosts)));
        }
    };
    let count = hosts.count();
    if process >= count {
        return Err(format!(
            "there is no process {process}: `--hosts` has {count}, from 0 to {}",
            count - 1
        ));
    }
    let secret = secret(options, &hosts)?;
    let question = Asked::of(arguments)?.text();
    let trouble = Trouble::default();
    watch::catch_interrupts();
    let wires = meet(
        &hosts,
        &secret,
        &Introduction { process, question },
        ARRIVAL,
        &trouble,
        &|text| screen.error(&format!("note: {}\n", printable_name(&text))),
        &|| !watch::interrupted(),
    )?;
    let interrupted: OnceLock<Instant> = OnceLock::new();
    let overdue =
        move || watch::interrupted() && interrupted.get_or_init(Instant::now).elapsed() > OVERDUE;
    Link::new(wires, process, trouble, Box::new(overdue)).map(Some)
}

/// What the processes have to know. Where only this machine hears them they may do without.
fn secret(options: &TogetherOptions, hosts: &Hosts) -> Result<Secret, String> {
    let text = match &options.secret {
        Some(path) => {
            let name = printable_name(&path.to_string_lossy()).into_owned();
            let text = std::fs::read_to_string(path);
            Some(text.map_err(|error| format!("cannot read `{name}`: {error}"))?)
        }
        None => env::var(SECRET).ok(),
    };
    match text {
        Some(text) => Secret::from_text(&text),
        None if hosts.are_local() => Ok(Secret::open()),
        None => Err(format!(
            "processes on several machines need a secret: give all of them the same file with `--secret`, or the \
             same text in {SECRET}"
        )),
    }
}

/// Starts all processes on this machine; the answer is that of the first.
pub(crate) fn cluster(options: &ClusterOptions, screen: &Screen) -> Exit {
    watch::catch_interrupts();
    match start(options) {
        Ok(mut processes) => await_all(&mut processes, screen),
        Err(why) => {
            screen.complain(&why);
            Exit::BadInput
        }
    }
}

/// The processes.
fn start(options: &ClusterOptions) -> Result<Vec<Child>, String> {
    let count = usize::from(options.processes);
    let program = env::current_exe().map_err(|error| format!("where is Linchpin? {error}"))?;
    let hosts = free_addresses(count).map_err(|error| format!("there is no port left: {error}"))?;
    let secret = Secret::random_text()?;
    let given = |name: &str| {
        let with_value = format!("{name}=");
        options.arguments.iter().any(|word| word == name || word.starts_with(&with_value))
    };
    let mut arguments = vec!["check".to_string()];
    arguments.extend(options.arguments.iter().cloned());
    // What there is is divided among them.
    if !given("--workers") {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        arguments.extend(["--workers".to_string(), (cores / count).max(1).to_string()]);
    }
    if let (false, Some(memory)) = (given("--max-memory"), memory::limit(None, MEMORY_SHARE)) {
        arguments.extend(["--max-memory".to_string(), (memory / count as u64).max(1).to_string()]);
    }
    let mut processes: Vec<Child> = Vec::new();
    for process in 0..count {
        let mut command = Command::new(&program);
        command.args(&arguments).args(["--hosts", &hosts, "--process", &process.to_string()]);
        command.env(SECRET, &secret).stdin(Stdio::null());
        if process > 0 {
            command.stdout(Stdio::null());
        }
        match command.spawn() {
            Ok(child) => processes.push(child),
            Err(error) => {
                end(&mut processes);
                return Err(format!("process {process} cannot be started: {error}"));
            }
        }
    }
    Ok(processes)
}

/// Addresses on this machine that nobody uses at the moment.
fn free_addresses(count: usize) -> std::io::Result<String> {
    let listeners: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<std::io::Result<_>>()?;
    let addresses: Vec<String> = listeners
        .iter()
        .map(|listener| Ok(listener.local_addr()?.to_string()))
        .collect::<std::io::Result<_>>()?;
    Ok(addresses.join(","))
}

/// Waits for the first process, and a little for the others.
fn await_all(processes: &mut [Child], screen: &Screen) -> Exit {
    let mut failed: Option<(usize, Instant)> = None;
    let code = loop {
        match processes[0].try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => break status.code(),
            Err(_) => break None,
        }
        let ended = |child: &mut Child| child.try_wait().is_ok_and(|status| status.is_some());
        if failed.is_none() {
            let first = processes.iter_mut().skip(1).position(ended);
            failed = first.map(|first| (first + 1, Instant::now()));
        }
        // If one is lost, the first one says so, unless it still waits for it to come.
        if failed.is_some_and(|(_, since)| since.elapsed() > GRACE) {
            break None;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let since = Instant::now();
    let runs = |child: &mut Child| child.try_wait().is_ok_and(|status| status.is_none());
    while since.elapsed() < GRACE && processes.iter_mut().any(runs) {
        std::thread::sleep(Duration::from_millis(10));
    }
    end(processes);
    let exits = [Exit::Holds, Exit::Unknown, Exit::Violated, Exit::BadInput, Exit::Internal];
    let known = code.and_then(|code| exits.into_iter().find(|e| i32::from(e.code()) == code));
    known.unwrap_or_else(|| {
        let which = failed.map_or(0, |(process, _)| process);
        screen.complain(&format!("process {which} has ended, and there is no answer"));
        Exit::Unknown
    })
}

fn end(processes: &mut [Child]) {
    for child in processes {
        let _ = child.kill();
        let _ = child.wait();
    }
}
