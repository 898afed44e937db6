//! `linchpin list` and `linchpin reductions`: what there is.

use std::path::{Path, PathBuf};

use linchpin_check::Reductions;
use linchpin_csp::ast::{Define, Definition, Name};
use linchpin_lin::Span;
use linchpin_lin::display::display_value;
use linchpin_lin::program::{
    Check, Condition, Memory, OpId, Program, QuasiGroup, QuasiResult, Type, Unit,
};
use linchpin_text::{Lines, line_column};

use crate::args::{BoundOptions, EQUAL, ORDER};
use crate::exit::Exit;
use crate::input::{self, Source};
use crate::language::Language;
use crate::names::shown;
use crate::outcome::{Kind, Problem};
use crate::refused::{Given, refused};
use crate::render::columns::table;
use crate::render::{text, types, verdict};
use crate::screen::{Screen, Tone};
use crate::{bounds, csp, mcrl2};

/// Lists the contents of files.
pub(crate) fn run(files: &[PathBuf], bounds: &BoundOptions, screen: &Screen) -> Exit {
    let one = |path: &PathBuf| {
        contents(path, bounds, screen, files.len() > 1).map_or_else(
            |problem| {
                screen.error(&text::problem(screen, &problem));
                problem.exit()
            },
            |()| Exit::Holds,
        )
    };
    files.iter().map(one).max().unwrap_or(Exit::Holds)
}

fn contents(
    path: &Path,
    bounds: &BoundOptions,
    screen: &Screen,
    several: bool,
) -> Result<(), Problem> {
    let known = &[Language::Lin, Language::Csp, Language::Mcrl2];
    let language = Language::among(path, known, "`linchpin list`")?;
    let given = Given { check: None, name: false, bounds };
    if let Some(message) = refused(&[language], &given) {
        return Err(Problem::new(Kind::Unsupported, path, message));
    }
    let head = || {
        if several {
            screen.print(&screen.paint(Tone::Heading, format!("{}\n", shown(path))));
        }
    };
    if language == Language::Csp {
        let source = csp::load(path, bounds)?;
        head();
        assertions(&source, screen);
    } else if language == Language::Mcrl2 {
        let (_, text) = mcrl2::read(path, bounds)?;
        head();
        declarations(&text, screen);
    } else {
        let source = input::load(path, &bounds.set)?;
        head();
        source.warnings(|path, text, warnings| text::warnings(screen, path, text, warnings));
        screen.print(&list(screen, &source));
    }
    Ok(())
}

/// Lists the contents of an mCRL2 specification.
fn declarations(text: &str, screen: &Screen) {
    let (lines, names) = (Lines::new(text), linchpin_mcrl2::names(text));
    let outside: Vec<_> = names.declared.iter().filter(|d| d.scope.is_none()).collect();
    for (title, kind) in [
        ("sorts", "sort"),
        ("constructors", "constructor"),
        ("mappings", "mapping"),
        ("global variables", "global variable"),
        ("actions", "action"),
        ("processes", "process"),
    ] {
        let rows = outside.iter().filter(|d| d.kind == kind).map(|d| {
            let (line, column) = lines.at(d.span.start);
            vec![d.name.clone(), format!("{line}:{column}")]
        });
        let rows: Vec<_> = rows.collect();
        if !rows.is_empty() {
            screen.print(&format!("{}\n", screen.paint(Tone::Heading, title)));
            table(&rows).iter().for_each(|line| screen.print(&format!("  {line}\n")));
        }
    }
}

/// Lists the contents of a CSP model.
fn assertions(source: &csp::Source, screen: &Screen) {
    source.warnings(|path, text, warnings| text::warnings(screen, path, text, warnings));
    let lines = Lines::new(&source.text);
    let place = |span: Span| {
        let (path, text, local) = source.place(span);
        let (line, column) = match path == source.path {
            true => lines.at(local.start),
            false => line_column(text, local.start),
        };
        let file = if path == source.path { String::new() } else { format!("{}:", shown(path)) };
        format!("{file}{line}:{column}")
    };
    let constant = |d: &Define| {
        let value = source.model.constant(d);
        let mut value = value.map_or(String::new(), |v| format!("= {v}"));
        if d.set {
            value += " (set on the command line)";
        }
        vec![d.name.text.clone(), place(d.name.span), value]
    };
    let names = |names: &mut dyn Iterator<Item = &Name>| -> Vec<Vec<String>> {
        names.map(|name| vec![name.text.clone(), place(name.span)]).collect()
    };
    let tree = source.model.tree();
    let process = |p: &Definition| {
        let parameters: Vec<_> = p.parameters.iter().map(|(name, _)| name.text.as_str()).collect();
        vec![format!("{}({})", p.name.text, parameters.join(", ")), place(p.name.span)]
    };
    let asserted = source.model.assertions().iter().enumerate();
    let asserted = asserted.map(|(i, a)| vec![(i + 1).to_string(), place(a.span), a.text.clone()]);
    for (title, rows) in [
        ("constants", tree.defines.iter().map(constant).collect()),
        ("variables", names(&mut tree.variables.iter().map(|v| &v.name))),
        ("channels", names(&mut tree.channels.iter().map(|c| &c.name))),
        ("processes", tree.processes.iter().map(process).collect()),
        ("assertions", asserted.collect()),
    ] {
        if !rows.is_empty() {
            screen.print(&format!("{}\n", screen.paint(Tone::Heading, title)));
            table(&rows).iter().for_each(|line| screen.print(&format!("  {line}\n")));
        }
    }
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
    // Checks with parameters of their own have copies of what they are about.
    let first = |units: &mut dyn Iterator<Item = &Unit>, unit: &Unit| {
        units.take_while(|u| !std::ptr::eq(*u, unit)).all(|u| u.span != unit.span)
    };
    for object in &program.objects {
        if !first(&mut program.objects.iter().map(|o| &o.unit), &object.unit) {
            continue;
        }
        let memory = match object.memory {
            Memory::Collected => "",
            Memory::Manual => ", memory manual",
            Memory::Stable => ", memory stable",
        };
        let title = format!("object {}{memory}", object.unit.name);
        section(&title, unit(program, &object.unit));
    }
    for spec in &program.specs {
        if !first(&mut program.specs.iter().map(|s| &s.unit), &spec.unit) {
            continue;
        }
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
    let order = "deadlock, divergence, traces and refusals, which states conditions can hold in, formulas \
                 that silent steps make no difference to";
    let equal = "everything but `deterministic` and formulas under fairness to processes or global \
                     fairness, where they are told apart";
    for (name, about, preserves) in [(csp::ORDER, ORDER, order), (csp::EQUAL, EQUAL, equal)] {
        out += &format!("{name}\n  {about}\n  preserves: {preserves}\n");
        out += &format!("  switched off by --no-{name}\n");
    }
    out
}
