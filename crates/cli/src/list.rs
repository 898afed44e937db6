//! `linchpin list` and `linchpin reductions`: what there is.

use std::path::PathBuf;

use linchpin_check::Reductions;
use linchpin_model::display::display_value;
use linchpin_model::program::{
    Check, Condition, Memory, OpId, Program, QuasiGroup, QuasiResult, Type, Unit,
};

use crate::bounds;
use crate::exit::Exit;
use crate::input::{self, Source};
use crate::outcome::Problem;
use crate::render::columns::table;
use crate::render::{text, types, verdict};
use crate::screen::{Screen, Tone};

/// Lists the contents of files.
pub(crate) fn run(files: &[PathBuf], set: &[(String, String)], screen: &Screen) -> Exit {
    let mut worst = Exit::Holds;
    for path in files {
        match input::load(path, set) {
            Ok(source) => {
                if files.len() > 1 {
                    screen.print(&screen.paint(Tone::Heading, format!("{}\n", path.display())));
                }
                text::warnings(screen, &source);
                screen.print(&list(screen, &source));
            }
            Err(error) => {
                let problem = Problem::of_input(path, error);
                text::problem(screen, &problem);
                worst = worst.max(problem.exit());
            }
        }
    }
    worst
}

fn list(screen: &Screen, source: &Source) -> String {
    let program = &*source.program;
    let mut out = String::new();
    let mut section = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            out += &format!("{}\n", screen.paint(Tone::Heading, title));
            lines.iter().for_each(|line| out += &format!("  {line}\n"));
        }
    };
    let params = program.params.iter().map(|(name, value, overridden)| {
        let value = display_value(value, &Type::Unit, program);
        format!("{name} = {value}{}", if *overridden { " (set on the command line)" } else { "" })
    });
    section("parameters", params.collect());
    for object in &program.objects {
        let memory = match object.memory {
            Memory::Collected => "",
            Memory::Manual => ", memory manual",
            Memory::Stable => ", memory stable",
        };
        let title = format!("object {}{memory}", object.unit.name);
        section(&title, unit(program, &object.unit));
    }
    for spec in &program.specs {
        section(&format!("spec {}", spec.unit.name), unit(program, &spec.unit));
    }
    let rows: Vec<_> = program.checks.iter().map(|c| check(program, c)).collect();
    section("checks", table(&rows));
    out
}

fn unit(program: &Program, unit: &Unit) -> Vec<String> {
    let vars = unit.vars.iter().map(|v| format!("var {}: {}", v.name, types::show(&v.ty, program)));
    let ops = unit.ops.iter().map(|p| types::signature(program, &unit.procs[p.index()]));
    vars.chain(ops).collect()
}

fn check(program: &Program, check: &Check) -> Vec<String> {
    let object = &program.objects[check.object.index()].unit.name;
    let spec = check.against_name(program);
    let expect = check.expect.as_ref().map(|e| format!("expect {}", verdict::expected(e)));
    vec![
        check.name.clone(),
        format!("{object} against {spec}{}", condition(program, check)),
        bounds::words(program, check),
        expect.unwrap_or_default(),
    ]
}

/// The condition as in the source, unless it is the usual one.
fn condition(program: &Program, check: &Check) -> String {
    let word = check.condition.name();
    match &check.condition {
        Condition::Linearizable => String::new(),
        Condition::Quasi(groups) if groups.is_empty() => format!(" {word} {{ }}"),
        Condition::Quasi(groups) => {
            let groups: Vec<_> = groups.iter().map(|g| group(program, check, g)).collect();
            format!(" {word} {{ {} }}", groups.join(", "))
        }
        Condition::Ltl(temporal) => format!(" {word} \"{}\"", temporal.text),
        _ => format!(" {word}"),
    }
}

fn group(program: &Program, check: &Check, group: &QuasiGroup) -> String {
    let unit = &program.objects[check.object.index()].unit;
    let member = |(op, result): &(OpId, QuasiResult)| {
        let op = unit.op(*op);
        match result {
            QuasiResult::Any => op.name.clone(),
            QuasiResult::Some => format!("{} -> some", op.name),
            QuasiResult::Is(value) => {
                format!("{} -> {}", op.name, display_value(value, &op.result, program))
            }
        }
    };
    let members: Vec<_> = group.members.iter().map(member).collect();
    format!("{}: {}", members.join(" + "), group.factor)
}

/// The table of reductions.
pub(crate) fn reductions() -> String {
    let mut out = String::new();
    for r in Reductions::TABLE {
        out += &format!("{}\n  {}\n  preserves: {}\n", r.name, r.about, r.preserves);
        out += &format!("  switched off by --no-{}\n", r.name);
    }
    out
}
