//! Repository chores of Linchpin: the corpus, benchmark tables, random programs, mutation runs, fuzzing from outside.
//!
//! `cargo xtask` lists them.

mod bench;
mod corpus;
mod dist;
mod fuzz;
mod gallery;
mod histories;
mod kill;
mod links;
mod mutants;
mod random;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
cargo xtask corpus [--full] [--seed N]      all models of the corpora in many configurations
cargo xtask thorough [ARGUMENTS]            cargo test with full samples
cargo xtask bless [PATH ...]                writes the counts of the corpora, or of these models, and the gallery
cargo xtask gallery [--check | --reports]   writes the gallery of the book, or its reports
cargo xtask bench [--quick]                 measures and writes record/bench.md
cargo xtask bench methods                   compares the methods; writes record/methods.md
cargo xtask bench mcrl2                     mCRL2 models beside those of a thesis; writes record/mcrl2.md
cargo xtask bench quasi                     beside the tables of a paper; writes record/quasi.md
cargo xtask bench csp                       beside the table of a paper; writes record/csp.md
cargo xtask bench lts                       transition systems; writes record/lts.md
cargo xtask bench workers                   one worker against two, and memory; writes record/workers.md
cargo xtask bench growth                    against threads and operations; writes record/growth.md and plots
cargo xtask bench history [--quick] [--porcupine CHECKOUT]
                                            recorded histories; writes record/history.md and a plot
cargo xtask histories [--count N] [--seed N]
                                            random recorded histories against brute force
cargo xtask random [--count N] [--seed N]   random programs against brute force
cargo xtask random --show --seed N          the program of a seed
cargo xtask dist [--target T]               an archive: program, completions, manual, licences, what is linked
cargo xtask fuzz [--seconds N] [--inputs N] [--seed N]
                                            the built program on damaged models and logs, from outside
cargo xtask kill [--times N] [--seed N]     kills the program at random moments and goes on
cargo xtask links [FOLDER]                  the links of the built book
cargo xtask mutants [--file F] [--budget N] [--thorough]
                                            damaged models; writes record/mutants.md";

/// As in the program itself: brute force allocates all the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        ["corpus", rest @ ..] => corpus::check(rest),
        ["thorough", rest @ ..] => thorough(rest),
        ["bless", paths @ ..] => corpus::bless(paths),
        ["gallery", rest @ ..] => gallery::run(rest),
        ["bench", "methods"] => bench::run_methods(),
        ["bench", "mcrl2"] => bench::run_mcrl2(),
        ["bench", "quasi"] => bench::run_quasi(),
        ["bench", "csp"] => bench::run_csp(),
        ["bench", "lts"] => bench::run_systems(),
        ["bench", "workers"] => bench::run_workers(),
        ["bench", "growth"] => bench::run_growth(),
        ["bench", "history", rest @ ..] => bench::run_history(rest),
        ["bench", rest @ ..] => bench::run(rest),
        ["histories", rest @ ..] => histories::run(rest),
        ["mutants", rest @ ..] => mutants::run(rest),
        ["random", rest @ ..] => random::run(rest),
        ["dist", rest @ ..] => dist::run(rest),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["kill", rest @ ..] => kill::run(rest),
        ["links", rest @ ..] => links::run(rest),
        ["bench-one", rest @ ..] => bench::run_one(rest),
        _ => Err(USAGE.to_string()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the tests with their full samples.
fn thorough(args: &[&str]) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command.args(["test", "--workspace"]).args(args).env("LINCHPIN_THOROUGH", "1");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("cargo test: {status}")),
        Err(error) => Err(format!("cargo: {error}")),
    }
}

/// The value after a flag, if the flag is there.
fn option<'a>(args: &[&'a str], flag: &str) -> Option<&'a str> {
    args.iter().position(|a| *a == flag).and_then(|i| args.get(i + 1)).copied()
}

/// Writes a file of the performance record.
fn record(name: &str, text: &str) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../record");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(folder.join(name), text))
        .map_err(|error| format!("record/{name}: {error}"))
}

/// The most bytes a process has occupied, if the system tells.
fn peak_of(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// The program, built now.
fn program() -> Result<PathBuf, String> {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "-p", "linchpin-cli"])
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    if !built.success() {
        return Err("linchpin cannot be built".to_string());
    }
    Ok(std::env::current_exe().map_err(|e| e.to_string())?.with_file_name("linchpin"))
}
