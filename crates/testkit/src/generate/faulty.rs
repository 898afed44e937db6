//! Random programs whose specification goes wrong in some of its states.
//!
//! The texts of [`super::program`] and [`super::deferring`], with an assertion about the variables of the
//! specification at the beginning of one or two of its operations: so an order of the operations may go wrong where
//! another one does not.

use super::rng::Rng;

/// A text with a specification that may go wrong.
pub fn faulty(text: &str, seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0xfa17);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_spec = |l: &String| l.starts_with("spec ");
    let Some(first) = lines.iter().position(is_spec) else { return text.to_owned() };
    let last = lines[first..].iter().position(|l| l == "}").map_or(lines.len(), |n| first + n);
    let spec = first..last;
    let variables: Vec<(String, String)> = lines[spec.clone()]
        .iter()
        .filter_map(|l| l.trim().strip_prefix("var ")?.split_once(": "))
        .map(|(name, ty)| (name.to_owned(), ty.split(" = ").next().unwrap_or(ty).to_owned()))
        .collect();
    let operations: Vec<usize> =
        spec.filter(|&i| lines[i].trim_start().starts_with("op ")).collect();
    for _ in 0..1 + rng.below(2) {
        let Some(&at) = rng.pick(&operations) else { break };
        let condition = condition(&variables, &mut rng);
        lines[at] = match lines[at].split_once('{') {
            Some((head, "")) => format!("{head}{{\n    assert {condition}"),
            Some((head, body)) => format!("{head}{{ assert {condition};{body}"),
            None => continue,
        };
    }
    lines.join("\n") + "\n"
}

/// Something that is true in some states only, if there is anything like that.
fn condition(variables: &[(String, String)], rng: &mut Rng) -> String {
    let Some((name, ty)) = rng.pick(variables) else { return "false".to_owned() };
    let not = if rng.percent(50) { "!" } else { "" };
    let equal = if rng.percent(50) { "==" } else { "!=" };
    match ty.as_str() {
        "bool" => format!("{not}{name}"),
        "thread" => format!("{name} {equal} self"),
        ty if ty.ends_with('?') => format!("{name} {equal} empty"),
        ty if ty.starts_with(['0', '1']) => {
            format!("{name} {equal} {}", rng.below(3))
        }
        ty if ["seq<", "set<", "bag<", "map<"].iter().any(|c| ty.starts_with(c)) => {
            format!("{not}{name}.is_empty()")
        }
        _ => "false".to_owned(),
    }
}
