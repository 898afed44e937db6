//! Bounds of a check: replaced by flags, and said in words.

use linchpin_lin::program::{Behaviour, Check, DataDomain, Domain, Program, Role};

use crate::args::BoundOptions;

/// The name of the role that stands for `threads n`.
const DEFAULT_ROLE: &str = "thread";

/// The check with the bounds given on the command line.
///
/// # Errors
/// If a bound makes no sense for this check: in words.
pub(crate) fn apply(
    program: &Program,
    check: &Check,
    options: &BoundOptions,
) -> Result<Check, String> {
    let mut check = check.clone();
    for (role, n) in &options.threads {
        match role {
            Some(name) => match check.roles.iter_mut().find(|r| r.name == *name) {
                Some(role) => role.threads = *n,
                None => {
                    return Err(format!(
                        "`--threads {name}={n}`: the check `{}` has no role `{name}`{}",
                        check.name,
                        roles(&check)
                    ));
                }
            },
            None => match check.roles.as_mut_slice() {
                [Role { threads, behaviour: Behaviour::General { .. }, .. }] => *threads = *n,
                _ => {
                    return Err(format!(
                        "`--threads {n}`: the check `{}` has roles; say which{}",
                        check.name,
                        roles(&check)
                    ));
                }
            },
        }
    }
    let threads: u32 = check.roles.iter().map(|r| r.threads).sum();
    if threads > crate::args::MAX_THREADS {
        return Err(format!(
            "the check `{}` would have {threads} threads; at most {} are possible",
            check.name,
            crate::args::MAX_THREADS
        ));
    }
    if let Some(ops) = options.ops {
        let mut general = false;
        for role in &mut check.roles {
            if let Behaviour::General { count, .. } = &mut role.behaviour {
                *count = ops.0;
                general = true;
            }
        }
        if !general {
            return Err(format!("`--ops`: all threads of the check `{}` run scripts", check.name));
        }
    }
    if let Some(heap) = options.heap {
        check.heap = heap.0;
    }
    for (name, values) in &options.values {
        let domain = values.0.map_or(DataDomain::Fresh, DataDomain::Finite);
        match name {
            None => check.data.fill(domain),
            Some(name) => match program.data.iter().position(|d| d.name == *name) {
                Some(i) => check.data[i] = domain,
                None => {
                    return Err(format!("`--values`: there is no opaque data type `{name}`"));
                }
            },
        }
    }
    Ok(check)
}

fn roles(check: &Check) -> String {
    let names: Vec<_> = check.roles.iter().map(|r| format!("`{}`", r.name)).collect();
    format!(" (it has {})", names.join(", "))
}

/// The bounds in words: `3 threads, 2 operations each, at most 4 live nodes`.
pub(crate) fn words(program: &Program, check: &Check) -> String {
    let mut parts: Vec<String> = match check.roles.as_slice() {
        [role] if role.name == DEFAULT_ROLE => {
            vec![count(role.threads, "thread"), operations(&role.behaviour, role.threads)]
        }
        roles => roles
            .iter()
            .map(|r| {
                let threads = count(r.threads, "thread");
                format!("{threads} `{}` ({})", r.name, operations(&r.behaviour, r.threads))
            })
            .collect(),
    };
    let mut used = vec![false; program.data.len()];
    for domain in check.domains.iter().flatten() {
        if let Domain::Data(id) = domain {
            used[id.index()] = true;
        }
    }
    for (i, data) in program.data.iter().enumerate().filter(|(i, _)| used[*i]) {
        if let Some(DataDomain::Finite(n)) = check.data.get(i) {
            parts.push(format!("{} of `{}`", count(*n, "value"), data.name));
        }
    }
    let endless = program.objects[check.object.index()].is_endless();
    if endless {
        parts.push(format!("arrays of at most {}", count(check.cells(), "cell")));
    }
    if let Some(n) = check.heap.filter(|_| !endless || !program.records.is_empty()) {
        parts.push(format!("at most {}", count(n, "live node")));
    }
    parts.extend(check.params.iter().map(|(name, value)| format!("{name} = {value}")));
    parts.join(", ")
}

fn operations(behaviour: &Behaviour, threads: u32) -> String {
    let each = if threads == 1 { "" } else { " each" };
    match behaviour {
        Behaviour::General { count: None, .. } => "any number of operations".to_string(),
        Behaviour::General { count: Some(n), .. } => {
            format!("{}{each}", count(*n, "operation"))
        }
        Behaviour::Script(_) => "running a script".to_string(),
    }
}

/// `1 thread`, `2 threads`.
pub(crate) fn count(n: u32, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
