//! What came of a recorded history, in every form.

use std::fmt::Write;

use linchpin_evidence::narrative::{Interval, Narrative};
use linchpin_history::{Datum, Operation};
use linchpin_lts::{Limit, Verdict};
use linchpin_text::printable;
use serde_json::{Value as Json, json};

use super::numbers::{bytes, counted, grouped, seconds};
use super::verdict::Limits;
use super::{log, timeline};
use crate::answer::{Answer, Asked, View};
use crate::demand::{Condition, Shown};
use crate::exit::Exit;
use crate::history::Recorded;
use crate::names::shown;
use crate::screen::{Screen, Tone};

/// Operations of an order that are shown unless everything is asked for.
const ORDER: usize = 40;

impl Answer for Recorded<'_> {
    fn asked(&self) -> Asked<'_> {
        Asked {
            path: self.path,
            place: None,
            name: shown(self.path),
            command: &self.again,
            elapsed: self.elapsed,
        }
    }

    fn sentence(&self, screen: &Screen, limits: &Limits) -> String {
        let (spec, adjective) = (self.spec.name(), self.condition.adjective());
        match &self.decision.verdict {
            Verdict::Holds => format!("{} against {spec}", screen.paint(Tone::Good, adjective)),
            Verdict::Violated(_) => {
                format!("{} against {spec}", screen.paint(Tone::Bad, format!("NOT {adjective}")))
            }
            Verdict::Unknown(limit) => {
                format!("{}: {}", screen.paint(Tone::Doubtful, "unknown"), limits.words(*limit))
            }
        }
    }

    fn details(&self) -> Vec<String> {
        match &self.violation {
            Some(violation) => self.reason(violation),
            None => Vec::new(),
        }
    }

    fn figures(&self) -> Vec<(&'static str, String)> {
        vec![
            ("operations", grouped(self.history.operations.len() as u64)),
            ("processes", grouped(self.history.processes.len() as u64)),
            ("never returned", grouped(self.lost() as u64)),
            ("parts", grouped(self.decision.parts as u64)),
            ("configurations", grouped(self.decision.configurations)),
            ("time", seconds(self.elapsed)),
            ("memory", bytes(self.memory)),
        ]
    }

    fn text(&self, screen: &Screen, view: &View, limits: &Limits) -> String {
        let mut out = format!(
            "{}: {}\n",
            screen.paint(Tone::Heading, shown(self.path)),
            self.sentence(screen, limits)
        );
        if view.quiet {
            return out;
        }
        let count = |n: usize, thing: &str| counted(n as u64, thing);
        let _ = write!(
            out,
            "  {} of {}",
            count(self.history.operations.len(), "operation"),
            count(self.history.processes.len(), "client")
        );
        if self.lost() > 0 {
            let _ = write!(out, ", {} never returned", self.lost());
        }
        if self.decision.parts > 1 {
            let _ = write!(out, ", {} decided by themselves", count(self.decision.parts, "part"));
        }
        let _ = writeln!(
            out,
            ", {}, {}, {}",
            counted(self.decision.configurations, "configuration"),
            seconds(self.elapsed),
            bytes(self.memory)
        );
        if let Some(violation) = &self.violation {
            out += &self.violation(screen, violation);
        }
        let verdict = &self.decision.verdict;
        let asked = self.witness && verdict.holds() || matches!(verdict, Verdict::Unknown(_));
        match &self.decision.order {
            Some(order) if asked && !order.is_empty() => {
                let what = match (&self.decision.verdict, &self.effects) {
                    (Verdict::Holds, None) => "an order that explains it",
                    (Verdict::Holds, Some(_)) => "an order that the specification allows",
                    _ => "the longest order found",
                };
                let shown = if view.verbose || self.witness { order.len() } else { ORDER };
                out += &self.listed(what, order, shown);
                if let Some(effects) = self.effects.as_ref().filter(|e| *e != order) {
                    out += &self.listed("they took effect in this one", effects, shown);
                }
            }
            None if self.witness && self.decision.verdict.holds() => {
                out += "\n  no order: it was decided without one\n";
            }
            _ => {}
        }
        if self.violation.is_some() {
            let _ = writeln!(out, "\n  see it again\n    {}\n", self.again);
        }
        out
    }

    fn page(&self, limits: &Limits, exit: Exit, file: usize) -> Json {
        log::page(self, limits, exit, file)
    }

    fn json(&self) -> Json {
        let limit = self.decision.verdict.limit();
        let asked = self.witness && self.decision.verdict.holds() || limit.is_some();
        let order = self.decision.order.as_ref().filter(|_| asked);
        let order: Option<Vec<Json>> = order.map(|o| {
            o.iter().map(|&i| self.operation_json(&self.history.operations[i as usize])).collect()
        });
        let effects = self.effects.as_ref().filter(|_| asked);
        let effects: Option<Vec<Json>> = effects.map(|o| {
            o.iter().map(|&i| self.operation_json(&self.history.operations[i as usize])).collect()
        });
        let violation = self.violation.as_ref().map(|violation| {
            let at = violation.reason.operation;
            let before = violation.reason.before.as_ref().map(|order| {
                let steps = order.iter().map(|(i, state)| json!({ "operation": i, "state": state }));
                json!({ "initial": violation.reason.initial, "steps": steps.collect::<Vec<_>>() })
            });
            json!({
                "kind": format!("not_{}", self.condition.adjective().replace(' ', "_")),
                "history": violation.operations.iter().map(|o| self.operation_json(o)).collect::<Vec<_>>(),
                "operation": violation.operations.get(at).map(|_| at),
                "allowed": violation.reason.allowed.as_ref().map(|all| {
                    all.iter().map(Datum::to_json).collect::<Vec<_>>()
                }),
                "linearization_before": before,
                "because": self.reason(violation),
            })
        });
        let warnings = self.history.warnings.iter();
        json!({
            "schema": "linchpin-history/1",
            "file": self.path.display().to_string(),
            "check": null,
            "verdict": self.decision.verdict.name(),
            "limit": limit.map(Limit::name),
            "specification": self.spec.name(),
            "condition": self.condition.word(),
            "factors": self.factors.as_ref().map(ToString::to_string),
            "counts": {
                "operations": self.history.operations.len(),
                "processes": self.history.processes.len(),
                "never_returned": self.lost(),
                "parts": self.decision.parts,
                "configurations": self.decision.configurations,
            },
            "violation": violation,
            "order": order,
            "effects": effects,
            "warnings": warnings.map(|(line, text)| json!({ "line": line, "message": text })).collect::<Vec<_>>(),
            "seconds": self.elapsed.as_secs_f64(),
            "memory_bytes": self.memory,
            "command": self.again,
        })
    }
}

impl Recorded<'_> {
    fn lost(&self) -> usize {
        self.history.operations.iter().filter(|o| !o.returns()).count()
    }

    /// Operations in an order, under a title.
    fn listed(&self, what: &str, order: &[u32], most: usize) -> String {
        let mut out = format!("\n  {what}\n");
        for &i in order.iter().take(most) {
            let operation = &self.history.operations[i as usize];
            let _ = writeln!(out, "    {}", printable(&self.line(operation)));
        }
        if order.len() > most {
            let _ = writeln!(out, "    ... and {} more (--verbose)", order.len() - most);
        }
        out
    }

    /// `put("x", 1) = true`
    pub(super) fn call(&self, operation: &Operation) -> String {
        let object = self.history.objects.get(operation.object as usize);
        let object = object.filter(|o| !o.is_empty()).map_or(String::new(), |o| format!("{o}."));
        match (self.spec.result(operation), operation.returns()) {
            (Some(result), true) => format!("{object}{} = {result}", self.spec.call(operation)),
            (_, true) => format!("{object}{}", self.spec.call(operation)),
            (_, false) => format!("{object}{} (never returned)", self.spec.call(operation)),
        }
    }

    /// `line 12  process 3  put("x", 1)`
    fn line(&self, operation: &Operation) -> String {
        let process = self.history.processes.get(operation.process as usize);
        let process = process.map_or("?", String::as_str);
        format!("line {:<6} process {process:<4} {}", operation.line, self.call(operation))
    }

    fn operation_json(&self, operation: &Operation) -> Json {
        json!({
            "process": self.history.processes.get(operation.process as usize),
            "line": operation.line,
            "op": self.spec.op_name(operation.op),
            "args": operation.args.iter().map(Datum::to_json).collect::<Vec<_>>(),
            "result": operation.result.as_ref().map(Datum::to_json),
            "returned": operation.returns(),
            "call_event": operation.call,
            "return_event": operation.returns().then_some(operation.ret),
        })
    }

    /// The clients of what is left, in the order in which they appear: their numbers among the lanes.
    fn lanes(violation: &Shown) -> Vec<u32> {
        let mut lanes = Vec::new();
        for operation in &violation.operations {
            if !lanes.contains(&operation.process) {
                lanes.push(operation.process);
            }
        }
        lanes
    }

    fn violation(&self, screen: &Screen, violation: &Shown) -> String {
        let lanes = Self::lanes(violation);
        let mut places: Vec<u32> =
            violation.operations.iter().flat_map(|o| [o.call, o.ret]).collect();
        places.sort_unstable();
        places.dedup();
        let place = |p: u32| places.binary_search(&p).unwrap_or_default();
        let interval = |o: &Operation| Interval {
            thread: lanes.iter().position(|l| *l == o.process).unwrap_or_default() as u32 + 1,
            call: printable(&self.spec.call(o)).into_owned(),
            result: o.returns().then(|| {
                self.spec.result(o).map_or("()".to_string(), |r| printable(&r).into_owned())
            }),
            begin: place(o.call),
            end: o.returns().then(|| place(o.ret)),
        };
        let narrative = Narrative {
            roles: vec![String::new(); lanes.len()],
            operations: violation.operations.iter().map(interval).collect(),
            events: places.iter().filter(|p| **p != u32::MAX).count(),
            entries: Vec::new(),
        };
        let mut out = String::from("\n  history\n");
        // A picture of more would not be looked at.
        const PICTURE: usize = 60;
        if violation.operations.len() <= PICTURE {
            let failing =
                Some(violation.reason.operation).filter(|i| *i < violation.operations.len());
            for line in
                timeline::render(screen, &narrative, failing, screen.columns.saturating_sub(4))
            {
                let _ = writeln!(out, "    {line}");
            }
        }
        for (lane, process) in
            lanes.iter().enumerate().filter(|_| violation.operations.len() <= PICTURE)
        {
            let name = self.history.processes.get(*process as usize).map_or("?", String::as_str);
            let lines: Vec<String> = (violation.operations.iter())
                .filter(|o| o.process == *process)
                .map(|o| o.line.to_string())
                .collect();
            let lines = printable(&lines.join(", ")).into_owned();
            let _ = writeln!(out, "    T{} is process {}, line {lines}", lane + 1, printable(name));
        }
        let (left, all) = (violation.operations.len(), self.history.operations.len());
        let all_of_them = counted(all as u64, "operation");
        let _ = match left < all {
            true => {
                writeln!(out, "    ({left} of {all_of_them}; the others do not matter for this)")
            }
            false => writeln!(out, "    (all {all_of_them} of the log)"),
        };
        out += "\n  reason\n";
        for line in self.reason(violation) {
            let _ = writeln!(out, "    {}", printable(&line));
        }
        out
    }

    /// What nothing explains, in sentences.
    pub(super) fn blame(
        &self,
        violation: &Shown,
        name: &dyn Fn(&Operation) -> String,
    ) -> Vec<String> {
        let reason = &violation.reason;
        if let Some(factors) = &self.factors {
            let first = match violation.operations.get(reason.operation) {
                Some(operation) => format!(
                    "{} (line {}): no order within the factors explains that.",
                    name(operation),
                    operation.line
                ),
                None => "Everything is done, and no order within the factors explains it all."
                    .to_string(),
            };
            return vec![first, format!("The factors are {factors}.")];
        }
        let Some(operation) = violation.operations.get(reason.operation) else {
            let what = match self.condition {
                Condition::Sequential => "that keeps the order of each client ",
                _ => "",
            };
            return vec![format!("No order of these operations {what}explains their results.")];
        };
        let mut lines = vec![format!(
            "{} (line {}): no order of the operations explains that.",
            name(operation),
            operation.line
        )];
        if let Some(allowed) = &reason.allowed {
            let all: Vec<String> = allowed.iter().map(Datum::to_string).collect();
            lines.push(match (all.is_empty(), operation.result.is_some()) {
                (true, _) => "The specification allows no return here.".to_string(),
                (false, true) => format!("The specification allows {}.", all.join(" or ")),
                (false, false) => "The specification allows no return here.".to_string(),
            });
        }
        lines
    }

    /// Why there is no order, in sentences.
    fn reason(&self, violation: &Shown) -> Vec<String> {
        let reason = &violation.reason;
        let lanes = Self::lanes(violation);
        let name = |o: &Operation| {
            let lane = lanes.iter().position(|l| *l == o.process).unwrap_or_default() + 1;
            format!("T{lane}: {}", self.call(o))
        };
        let mut lines = self.blame(violation, &name);
        // Long stories are not read.
        const STEPS: usize = 30;
        match &reason.before {
            Some(before) if before.is_empty() => {
                lines.push("Nothing had taken effect before.".to_string())
            }
            Some(before) if before.len() <= STEPS => {
                lines.push("Before that return, this order explains everything:".to_string());
                let calls: Vec<String> =
                    before.iter().map(|(i, _)| name(&violation.operations[*i])).collect();
                let width = calls.iter().map(|c| c.chars().count()).max().unwrap_or(0).clamp(9, 40);
                lines.push(format!("  {:<width$}  {}", "initially", reason.initial));
                for (call, (_, state)) in calls.iter().zip(before) {
                    lines.push(format!("  {call:<width$}  {state}"));
                }
            }
            _ => {}
        }
        lines
    }
}
