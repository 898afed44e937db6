//! Damage to the source text of an object: what programmers get wrong, one line at a time.
//!
//! The result is always well formed: declarations stay before their uses, braces stay balanced and
//! paths keep their `return`. Whether it is *wrong* is for the oracle to say; some damage is harmless
//! and one kind (a whole operation made atomic) even repairs.

#![allow(clippy::ptr_arg, reason = "all mutations have the same type")]

use super::rng::Rng;

/// One kind of damage: tries to apply itself somewhere; says whether it could.
type Mutation = fn(&mut Vec<String>, &mut Rng) -> bool;

const MUTATIONS: &[(&str, Mutation)] = &[
    ("an atomic block dropped", drop_atomic),
    ("a lock dropped", drop_lock),
    ("a lock operation dropped", drop_lock_operation),
    ("cas split", split_cas),
    ("cas split", split_cas),
    ("a read-modify-write split", split_update),
    ("sc split", split_sc),
    ("dcas split", split_dcas),
    ("statements swapped", swap_statements),
    ("statements swapped", swap_statements),
    ("a statement dropped", drop_statement),
    ("a statement doubled", double_statement),
    ("a guard negated", negate_guard),
    ("a comparison changed", change_comparison),
    ("a constant changed", change_constant),
    ("other memory", change_memory),
    ("a link dropped", drop_link),
    ("an operation made atomic", wrap_operation),
];

/// Applies one random mutation; tells which, or nothing if none of a few fitted.
pub(super) fn mutate(lines: &mut Vec<String>, rng: &mut Rng) -> Option<&'static str> {
    (0..12).find_map(|_| {
        let (name, mutation) = MUTATIONS[rng.below(MUTATIONS.len())];
        mutation(lines, rng).then_some(name)
    })
}

/// The number of spaces a line begins with.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A line of code with that indentation.
fn line(indent: usize, text: impl AsRef<str>) -> String {
    format!("{:indent$}{}", "", text.as_ref())
}

/// Is the line inside a procedure?
fn is_code(text: &str) -> bool {
    indent(text) >= 4
}

/// A statement that can be moved, doubled or dropped.
fn is_simple(text: &str) -> bool {
    let t = text.trim();
    let leaves = ["return", "break", "continue"].iter().any(|word| t.starts_with(word));
    is_code(text) && !leaves && !t.starts_with('}') && !t.ends_with('{') && !t.is_empty()
}

/// The name that a `let` declares.
fn declared(text: &str) -> Option<&str> {
    let rest = text.trim().strip_prefix("let ")?;
    Some(rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(rest))
}

fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

/// Where a mutation could be applied.
fn places(lines: &[String], fits: impl Fn(&str) -> bool) -> Vec<usize> {
    (0..lines.len()).filter(|&i| is_code(&lines[i]) && fits(lines[i].trim())).collect()
}

/// The line with the brace that closes the block opened in line `open`.
fn closing(lines: &[String], open: usize) -> Option<usize> {
    let depth = indent(&lines[open]);
    (open + 1..lines.len()).find(|&i| indent(&lines[i]) == depth && lines[i].trim() == "}")
}

/// The arguments of a call that begins at the start of `text`, without the parentheses, and what
/// follows it.
fn arguments<'a>(text: &'a str, function: &str) -> Option<(Vec<&'a str>, &'a str)> {
    let rest = text.strip_prefix(function)?.strip_prefix('(')?;
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (i, c) in rest.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                found.push(rest[start..i].trim());
                return Some((found, &rest[i + 1..]));
            }
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(rest[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    None
}

fn drop_atomic(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let found = places(lines, |t| t == "atomic {");
    let Some(&open) = rng.pick(&found) else {
        return false;
    };
    let Some(close) = closing(lines, open) else {
        return false;
    };
    for inside in &mut lines[open + 1..close] {
        inside.drain(..2);
    }
    lines.remove(close);
    lines.remove(open);
    true
}

/// Removes all uses of one lock.
fn drop_lock(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let found = places(lines, |t| t.starts_with("lock("));
    let Some(&i) = rng.pick(&found) else {
        return false;
    };
    let lock = lines[i].trim().to_owned();
    let unlock = format!("un{lock}");
    lines.retain(|l| l.trim() != lock && l.trim() != unlock);
    true
}

fn drop_lock_operation(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let found = places(lines, |t| t.starts_with("lock(") || t.starts_with("unlock("));
    let Some(&i) = rng.pick(&found) else {
        return false;
    };
    lines.remove(i);
    true
}

/// Test and write in two steps.
fn split_cas(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let found = places(lines, |t| {
        t.starts_with("if cas(") || t.starts_with("return cas(") || t.starts_with("cas(")
    });
    let Some(&i) = rng.pick(&found) else {
        return false;
    };
    let depth = indent(&lines[i]);
    let text = lines[i].trim().to_owned();
    let call = &text[text.find("cas(").unwrap_or(0)..];
    let Some((args, rest)) = arguments(call, "cas") else {
        return false;
    };
    let [place, old, new] = args[..] else {
        return false;
    };
    let replacement = match text.split(' ').next() {
        Some("if") if rest == " {" => vec![
            line(depth, format!("if {place} == {old} {{")),
            line(depth + 2, format!("{place} = {new}")),
        ],
        Some("return") => vec![
            line(depth, format!("if {place} != {old} {{")),
            line(depth + 2, "return false"),
            line(depth, "}"),
            line(depth, format!("{place} = {new}")),
            line(depth, "return true"),
        ],
        Some(_) if text.starts_with("cas(") => vec![
            line(depth, format!("if {place} == {old} {{")),
            line(depth + 2, format!("{place} = {new}")),
            line(depth, "}"),
        ],
        _ => return false,
    };
    lines.splice(i..=i, replacement);
    true
}

/// `fetch_add` and `swap` in two steps.
fn split_update(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let found = places(lines, |t| {
        ["", "return ", "let "].iter().any(|head| {
            t.strip_prefix(head).is_some_and(|rest| {
                let call = rest.split_once("= ").map_or(rest, |(_, call)| call);
                let of_let = *head == "let ";
                (of_let || call == rest)
                    && (call.starts_with("fetch_add(") || call.starts_with("swap("))
            })
        })
    });
    let Some(&i) = rng.pick(&found) else {
        return false;
    };
    let depth = indent(&lines[i]);
    let text = lines[i].trim().to_owned();
    let function = if text.contains("fetch_add(") { "fetch_add" } else { "swap" };
    let call = &text[text.find(function).unwrap_or(0)..];
    let Some((args, "")) = arguments(call, function) else {
        return false;
    };
    let [place, operand] = args[..] else {
        return false;
    };
    let free = |name: &&&str| !lines.iter().any(|l| l.contains(&format!("let {name} =")));
    let Some(name) = declared(&text).or(["was", "then"].iter().find(free).copied()) else {
        return false;
    };
    let new = match function {
        "swap" => operand.to_owned(),
        _ => format!("{name} + {operand}"),
    };
    let mut replacement =
        vec![line(depth, format!("let {name} = {place}")), line(depth, format!("{place} = {new}"))];
    if text.starts_with("return") {
        replacement.push(line(depth, format!("return {name}")));
    }
    lines.splice(i..=i, replacement);
    true
}

fn split_sc(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let found = places(lines, |t| t.starts_with("if sc("));
    let Some(&i) = rng.pick(&found) else {
        return false;
    };
    let depth = indent(&lines[i]);
    let text = lines[i].trim().to_owned();
    let Some((args, " {")) = arguments(&text[3..], "sc") else {
        return false;
    };
    let [place, new] = args[..] else { return false };
    let replacement =
        [line(depth, format!("if vl({place}) {{")), line(depth + 2, format!("{place} = {new}"))];
    lines.splice(i..=i, replacement);
    true
}

fn split_dcas(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let found = places(lines, |t| t.starts_with("return dcas("));
    let Some(&i) = rng.pick(&found) else {
        return false;
    };
    let depth = indent(&lines[i]);
    let text = lines[i].trim().to_owned();
    let Some((args, "")) = arguments(&text[7..], "dcas") else {
        return false;
    };
    let [p, q, old_p, old_q, new_p, new_q] = args[..] else {
        return false;
    };
    let replacement = [
        line(depth, format!("if cas({p}, {old_p}, {new_p}) {{")),
        line(depth + 2, format!("return cas({q}, {old_q}, {new_q})")),
        line(depth, "}"),
        line(depth, "return false"),
    ];
    lines.splice(i..=i, replacement);
    true
}

fn swap_statements(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let independent = |a: &str, b: &str| {
        declared(a).is_none_or(|name| !mentions(b, name))
            && declared(b).is_none_or(|name| !mentions(a, name))
    };
    let found: Vec<usize> = (1..lines.len())
        .filter(|&i| {
            let (a, b) = (&lines[i - 1], &lines[i]);
            is_simple(a) && is_simple(b) && indent(a) == indent(b) && a != b && independent(a, b)
        })
        .collect();
    let Some(&i) = rng.pick(&found) else {
        return false;
    };
    lines.swap(i - 1, i);
    true
}

fn drop_statement(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let found: Vec<usize> = (0..lines.len())
        .filter(|&i| is_simple(&lines[i]) && declared(&lines[i]).is_none())
        .collect();
    let Some(&i) = rng.pick(&found) else {
        return false;
    };
    lines.remove(i);
    true
}

fn double_statement(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let found: Vec<usize> = (0..lines.len())
        .filter(|&i| is_simple(&lines[i]) && declared(&lines[i]).is_none())
        .collect();
    let Some(&i) = rng.pick(&found) else {
        return false;
    };
    let copy = lines[i].clone();
    lines.insert(i, copy);
    true
}

fn negate_guard(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let found = places(lines, |t| t.starts_with("if ") && t.ends_with(" {"));
    let Some(&i) = rng.pick(&found) else {
        return false;
    };
    let depth = indent(&lines[i]);
    let text = lines[i].trim();
    let guard = &text[3..text.len() - 2];
    lines[i] = line(depth, format!("if !({guard}) {{"));
    true
}

fn change_comparison(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    const CHANGES: &[(&str, &str)] =
        &[(" == ", " != "), (" != ", " == "), (" > ", " >= "), (" >= ", " > "), (" < ", " <= ")];
    let found = places(lines, |t| CHANGES.iter().any(|(from, _)| t.contains(from)));
    let Some(&i) = rng.pick(&found) else {
        return false;
    };
    let fitting: Vec<_> = CHANGES.iter().filter(|(from, _)| lines[i].contains(from)).collect();
    let Some((from, to)) = rng.pick(&fitting) else {
        return false;
    };
    lines[i] = lines[i].replacen(from, to, 1);
    true
}

/// One more or one less.
fn change_constant(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let mut found = Vec::new();
    for i in places(lines, |_| true) {
        let bytes = lines[i].as_bytes();
        for (at, c) in lines[i].char_indices() {
            // Not parts of names, tuple components or numbers of several digits.
            let before = if at > 0 { bytes[at - 1] } else { b' ' };
            let after = bytes.get(at + 1).copied().unwrap_or(b' ');
            let part = before == b'.' && at > 1 && bytes[at - 2] != b'.';
            let name =
                before.is_ascii_alphanumeric() || before == b'_' || after.is_ascii_alphanumeric();
            if c.is_ascii_digit() && !part && !name {
                found.push((i, at));
            }
        }
    }
    let Some(&(i, at)) = rng.pick(&found) else {
        return false;
    };
    let digit = lines[i].as_bytes()[at] - b'0';
    let new = if digit == 0 || rng.percent(50) { digit + 1 } else { digit - 1 };
    lines[i].replace_range(at..=at, &new.to_string());
    true
}

fn change_memory(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let Some(i) = lines.iter().position(|l| l.trim().starts_with("memory ")) else {
        return false;
    };
    let old = lines[i].trim()["memory ".len()..].to_owned();
    let kinds: Vec<&str> = ["gc", "manual", "stable"].into_iter().filter(|k| *k != old).collect();
    let Some(&new) = rng.pick(&kinds) else {
        return false;
    };
    lines[i] = line(2, format!("memory {new}"));
    if new == "gc" {
        lines.retain(|l| !l.trim().starts_with("free("));
    }
    true
}

/// `ll(p)` becomes a plain read.
fn drop_link(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let found = places(lines, |t| t.contains("= ll("));
    let Some(&i) = rng.pick(&found) else {
        return false;
    };
    let Some((head, call)) = lines[i].split_once("= ll(") else {
        return false;
    };
    lines[i] = format!("{head}= {}", call.trim_end_matches(')'));
    true
}

fn wrap_operation(lines: &mut Vec<String>, rng: &mut Rng) -> bool {
    let found: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].starts_with("  op ")).collect();
    let Some(&open) = rng.pick(&found) else {
        return false;
    };
    let Some(close) = closing(lines, open) else {
        return false;
    };
    for inside in &mut lines[open + 1..close] {
        inside.insert_str(0, "  ");
    }
    lines.insert(close, line(4, "}"));
    lines.insert(open + 1, line(4, "atomic {"));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(mutation: Mutation, text: &str) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert!(mutation(&mut lines, &mut Rng::new(1)), "not applicable to {text}");
        lines.join("\n")
    }

    #[test]
    fn a_cas_in_a_condition_becomes_a_test_and_a_write() {
        let split = apply(split_cas, "    if cas(top, t, f(a, b)) {\n      return\n    }");
        assert_eq!(split, "    if top == t {\n      top = f(a, b)\n      return\n    }");
    }

    #[test]
    fn a_returned_fetch_add_becomes_a_read_and_a_write() {
        let split = apply(split_update, "    return fetch_add(c, 1)");
        assert_eq!(split, "    let was = c\n    c = was + 1\n    return was");
    }

    #[test]
    fn an_atomic_block_loses_both_its_lines() {
        let text = "    atomic {\n      if x {\n        y = 1\n      }\n    }\n    return";
        let dropped = apply(drop_atomic, text);
        assert_eq!(dropped, "    if x {\n      y = 1\n    }\n    return");
    }

    #[test]
    fn an_operation_made_atomic_and_back_is_itself_again() {
        let text = "  op f() {\n    if x {\n      y = 1\n    }\n  }";
        let wrapped = apply(wrap_operation, text);
        assert!(wrapped.contains("    atomic {\n      if x {\n"), "{wrapped}");
        assert_eq!(apply(drop_atomic, &wrapped), text);
    }

    #[test]
    fn a_declaration_is_not_swapped_behind_its_use() {
        let mut lines = vec!["    let x = a".to_owned(), "    b = x".to_owned()];
        assert!(!swap_statements(&mut lines, &mut Rng::new(1)));
        assert_eq!(apply(swap_statements, "    a = 1\n    b = 2"), "    b = 2\n    a = 1");
    }

    #[test]
    fn tuple_components_and_names_are_not_taken_for_constants() {
        let mut lines = vec!["    x1 = old.1".to_owned()];
        assert!(!change_constant(&mut lines, &mut Rng::new(1)));
        assert_ne!(apply(change_constant, "    for i in 0..2 {"), "    for i in 0..2 {");
    }
}
