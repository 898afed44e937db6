//! The program as users see it: what it prints, and how it ends.

mod bad_input;
mod classify;
mod commands;
mod csp;
mod exit_codes;
mod json;
mod lsp;
mod mcrl2;
mod points;
mod process;
mod reports;
mod run;
mod session;
mod systems;
