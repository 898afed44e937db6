//! The program as users see it: what it prints, and how it ends.

mod bad_input;
mod checkpoint;
mod ci;
mod classify;
mod cluster;
mod commands;
mod csp;
mod exit_codes;
mod explore;
mod history;
mod hostile;
mod json;
mod lsp;
mod mcrl2;
mod points;
mod process;
mod reports;
mod run;
#[allow(dead_code, unreachable_pub, reason = "it is part of a library, too")]
#[path = "../../../testkit/src/sample.rs"]
mod sample;
mod session;
mod systems;
mod uses;
