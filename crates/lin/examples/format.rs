//! Prints a model with its white space put in order: `format FILE`

use std::process::ExitCode;

use linchpin_lin::{decode, line_column, syntax};

fn main() -> ExitCode {
    let path = std::env::args().nth(1).unwrap_or_default();
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let text = decode(&bytes).unwrap_or("");
    match decode(&bytes).map_err(|d| vec![d]).and_then(syntax::format) {
        Ok(formatted) => {
            print!("{formatted}");
            ExitCode::SUCCESS
        }
        Err(diagnostics) => {
            for d in diagnostics {
                let (line, column) = line_column(text, d.primary.span.start);
                eprintln!("{line}:{column}: {}: {}", d.code, d.message);
            }
            ExitCode::from(2)
        }
    }
}
