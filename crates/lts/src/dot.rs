//! Explicit systems as pictures: the DOT language of Graphviz.

use std::io::Write;

use crate::explicit::Explicit;
use crate::labelled::TAU;
use crate::rows::Edge;

/// Writes a system as a directed graph. Silent steps are dashed, the initial state has an arrow
/// from nowhere.
pub fn write_dot(lts: &Explicit, output: &mut impl Write) -> std::io::Result<()> {
    writeln!(output, "digraph lts {{")?;
    writeln!(output, "  node [shape=circle, label=\"\", width=0.2, tooltip=\"\\N\"];")?;
    writeln!(output, "  start [shape=none, width=0];")?;
    writeln!(output, "  start -> {};", lts.initial())?;
    for source in 0..lts.states() {
        writeln!(output, "  {source};")?;
        for &Edge { label, target } in lts.edges(source) {
            let text = escaped(&lts.labels()[label as usize]);
            let style = if label == TAU { ", style=dashed" } else { "" };
            writeln!(output, "  {source} -> {target} [label=\"{text}\"{style}];")?;
        }
    }
    writeln!(output, "}}")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_and_silent_steps_are_dashed() {
        let labels = ["tau", "say \"\\\""].map(Box::from).to_vec();
        let lts = Explicit::new(1, 2, labels, &[(0, 0, 1), (1, 1, 0)]);
        let mut text = Vec::new();
        write_dot(&lts, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("  start -> 1;\n"));
        assert!(text.contains("  0 -> 1 [label=\"tau\", style=dashed];\n"));
        assert!(text.contains("  1 -> 0 [label=\"say \\\"\\\\\\\"\"];\n"), "{text}");
    }
}
