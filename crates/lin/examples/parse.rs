//! Reads a model and says what is wrong with it: `parse FILE [NAME=VALUE]...`
//!
//! Prints `OK` or one line per message, `line:column: code: message`; exits with 0 or 2.

use std::process::ExitCode;

use linchpin_lin::{Diagnostic, decode, line_column, syntax};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else {
        eprintln!("usage: parse FILE [NAME=VALUE]...");
        return ExitCode::from(2);
    };
    let overrides: Vec<(String, String)> = args
        .filter_map(|a| a.split_once('=').map(|(n, v)| (n.to_string(), v.to_string())))
        .collect();
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let text = match decode(&bytes) {
        Ok(text) => text,
        Err(d) => {
            println!("{}: {}", d.code, d.message);
            return ExitCode::from(2);
        }
    };
    match syntax::load(text, &overrides) {
        Ok(loaded) => {
            loaded.warnings.iter().for_each(|d| show(text, d));
            println!("OK");
            ExitCode::SUCCESS
        }
        Err(diagnostics) => {
            diagnostics.iter().for_each(|d| show(text, d));
            ExitCode::from(2)
        }
    }
}

fn show(text: &str, d: &Diagnostic) {
    let (line, column) = line_column(text, d.primary.span.start);
    println!("{line}:{column}: {}: {}", d.code, d.message);
    for note in d.notes.iter().chain(&d.help) {
        println!("    {note}");
    }
}
