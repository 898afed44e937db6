//! Processes. From the loosest operator to the tightest: `|||`, `||`, `[]`, `<>`, `[*]`,
//! `interrupt`, `\`, `;`, guards, prefixes.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::codes;
use crate::lexer::Kind;

const LEVELS: &[(&str, Op)] = &[
    ("|||", Op::Interleave),
    ("||", Op::Parallel),
    ("[]", Op::General),
    ("<>", Op::Internal),
    ("[*]", Op::External),
];

impl Parser<'_> {
    pub(super) fn process(&mut self) -> Parsed<Process> {
        self.deeper(|p| p.level_of_processes(0))
    }

    fn level_of_processes(&mut self, level: usize) -> Parsed<Process> {
        let Some(&(sign, op)) = LEVELS.get(level) else { return self.interrupt() };
        let start = self.span();
        if self.is_sign(0, sign) {
            return self.indexed(op);
        }
        let first = self.level_of_processes(level + 1)?;
        if !self.is_sign(0, sign) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat(sign) {
            // An indexed operand needs no parentheses.
            let indexed = self.word_at(0).is_some() && self.is_sign(1, ":")
                || self.is_sign(0, "{") && self.replication_ahead();
            parts.push(if indexed {
                self.at -= 1;
                self.indexed(op)?
            } else {
                self.level_of_processes(level + 1)?
            });
        }
        Ok(Process { kind: ProcessKind::Nary(op, parts), span: self.since(start) })
    }

    /// Is this `{n}@`, and not a program?
    fn replication_ahead(&self) -> bool {
        let mut ahead = 1;
        while !self.is_sign(ahead, "}") {
            if matches!(self.token(ahead).kind, Kind::End | Kind::Sign(";" | "=")) {
                return false;
            }
            ahead += 1;
        }
        self.is_sign(ahead + 1, "@")
    }

    /// `op x:{0..2} @ P`, `|||{3}@P`
    fn indexed(&mut self, op: Op) -> Parsed<Process> {
        let start = self.span();
        self.advance();
        let kind = if self.is_sign(0, "{") {
            self.advance();
            let count = if self.eat("..") { None } else { Some(self.additive()?) };
            self.expect("}")?;
            self.expect("@")?;
            if op != Op::Interleave {
                let span = self.since(start);
                let why = "PAT replicates with `|||` only; use an index: `x:{0..2}@`";
                return self.unsupported(span, "replication with this operator", why);
            }
            let process = Box::new(self.process()?);
            match count {
                Some(count) => ProcessKind::Replicated(count, process),
                None => ProcessKind::Many(process),
            }
        } else {
            let over = self.ranges()?;
            self.expect("@")?;
            ProcessKind::Indexed(op, over, Box::new(self.process()?))
        };
        Ok(Process { kind, span: self.since(start) })
    }

    fn interrupt(&mut self) -> Parsed<Process> {
        let start = self.span();
        let mut left = self.hiding()?;
        while self.eat_word("interrupt") {
            self.around += 1;
            self.high(self.around)?;
            let right = self.hiding()?;
            let kind = ProcessKind::Interrupt(Box::new(left), Box::new(right));
            left = Process { kind, span: self.since(start) };
        }
        Ok(left)
    }

    fn hiding(&mut self) -> Parsed<Process> {
        let start = self.span();
        let mut left = self.sequence()?;
        while self.eat("\\") {
            self.around += 1;
            self.high(self.around)?;
            let events = self.event_sets()?;
            left = Process {
                kind: ProcessKind::Hide(Box::new(left), events),
                span: self.since(start),
            };
        }
        Ok(left)
    }

    fn sequence(&mut self) -> Parsed<Process> {
        let start = self.span();
        let depth = self.depth;
        let mut parts = vec![self.guarded()?];
        while self.is_sign(0, ";") {
            self.advance();
            // A semicolon before a closing bracket joins nothing.
            if self.is_sign(0, ")") || self.is_sign(0, "}") {
                break;
            }
            if self.declaration_ahead() {
                self.at -= 1;
                break;
            }
            // What comes later is nested deeper.
            self.depth += 1;
            let part = self.deeper(Self::guarded);
            parts.push(part?);
        }
        self.depth = depth;
        let last = parts.pop().expect("there is at least one part");
        Ok(parts.into_iter().rev().fold(last, |right, left| {
            let kind = ProcessKind::Sequence(Box::new(left), Box::new(right));
            Process { kind, span: self.since(start) }
        }))
    }

    fn guarded(&mut self) -> Parsed<Process> {
        let start = self.span();
        if !self.eat("[") {
            return self.prefixed();
        }
        let condition = self.condition()?;
        self.expect("]")?;
        let rest = self.deeper(Self::guarded)?;
        let kind = ProcessKind::Guard(condition, Box::new(rest));
        Ok(Process { kind, span: self.since(start) })
    }

    /// What follows an arrow.
    fn after_arrow(&mut self) -> Parsed<Box<Process>> {
        self.expect("->")?;
        Ok(Box::new(self.deeper(Self::guarded)?))
    }

    fn program(&mut self) -> Parsed<Option<Vec<Stmt>>> {
        if self.is_sign(0, "{") { Ok(Some(self.block()?)) } else { Ok(None) }
    }

    fn prefixed(&mut self) -> Parsed<Process> {
        let start = self.span();
        let kind = match self.peek() {
            Kind::Sign("{") => {
                let event = Event {
                    name: Name { text: "tau".into(), span: start },
                    parts: Vec::new(),
                    span: start,
                };
                let program = self.program()?;
                ProcessKind::Prefix(event, program, self.after_arrow()?)
            }
            Kind::Sign("(") => return self.parenthesised(),
            Kind::Word => match self.word_at(0) {
                Some("tau") => self.event_prefix()?,
                Some("case") => self.case()?,
                Some("if" | "ifa" | "ifb") => self.conditional()?,
                Some("atomic") => {
                    self.advance();
                    self.expect("{")?;
                    let inner = self.process()?;
                    self.expect("}")?;
                    ProcessKind::Atomic(Box::new(inner))
                }
                Some("Stop") if self.ends_after_empty_arguments() => ProcessKind::Stop,
                Some("Skip") if self.ends_after_empty_arguments() => ProcessKind::Skip,
                Some("assert") if self.is_sign(1, "(") => {
                    self.advance();
                    self.expect("(")?;
                    let condition = self.expr()?;
                    self.expect(")")?;
                    ProcessKind::Assert(condition)
                }
                _ => self.named()?,
            },
            _ => return self.expected("a process"),
        };
        Ok(Process { kind, span: self.since(start) })
    }

    /// Reads `Skip` or `Skip()`, unless it is an event that begins so.
    fn ends_after_empty_arguments(&mut self) -> bool {
        if self.is_sign(1, "->") || self.is_sign(1, "{") || self.is_sign(1, ".") {
            return false;
        }
        self.advance();
        if self.is_sign(0, "(") && self.is_sign(1, ")") {
            self.advance();
            self.advance();
        }
        true
    }

    /// Are these the events of `(a, b.x) -> P`, after the parenthesis?
    fn events_ahead(&self) -> bool {
        let (mut ahead, mut open, mut several) = (0, 1, false);
        while open > 0 {
            match self.token(ahead).kind {
                Kind::Sign("(" | "[") => open += 1,
                Kind::Sign(")" | "]") => open -= 1,
                Kind::Sign(",") => several |= open == 1,
                Kind::Sign("->" | ";" | "{") | Kind::End => return false,
                _ => {}
            }
            ahead += 1;
        }
        several && self.is_sign(ahead, "->")
    }

    fn parenthesised(&mut self) -> Parsed<Process> {
        let start = self.span();
        self.advance();
        if self.events_ahead() {
            let mut events = vec![self.event()?];
            while self.eat(",") {
                events.push(self.event()?);
            }
            self.expect(")")?;
            let kind = ProcessKind::Either(events, self.after_arrow()?);
            return Ok(Process { kind, span: self.since(start) });
        }
        let inner = self.process()?;
        self.expect(")")?;
        if self.is_sign(0, "->") {
            let span = self.since(start);
            let message = "an event is expected before `->`, not a process";
            return self.error(codes::EXPECTED, span, message);
        }
        Ok(Process { kind: inner.kind, span: self.since(start) })
    }

    /// A process that begins with a name: a call, an event, a channel.
    fn named(&mut self) -> Parsed<ProcessKind> {
        if self.is_sign(1, "->") || self.is_sign(1, "{") || self.is_sign(1, ".") {
            return self.event_prefix();
        }
        if self.is_sign(1, "!") || self.is_sign(1, "?") || self.is_sign(1, "[") {
            return self.communication();
        }
        let name = self.name("a process")?;
        let arguments = if self.eat("(") { self.arguments()? } else { Vec::new() };
        Ok(ProcessKind::Call(name, arguments))
    }

    fn event_prefix(&mut self) -> Parsed<ProcessKind> {
        let event = self.event()?;
        let program = self.program()?;
        Ok(ProcessKind::Prefix(event, program, self.after_arrow()?))
    }

    fn communication(&mut self) -> Parsed<ProcessKind> {
        let name = self.name("a channel")?;
        let index = if self.eat("[") {
            let index = self.additive()?;
            self.expect("]")?;
            Some(index)
        } else {
            None
        };
        let port = Port { name, index };
        if self.eat("!") {
            let values = self.message()?;
            let program = self.program()?;
            return Ok(ProcessKind::Send(port, values, program, self.after_arrow()?));
        }
        self.expect("?")?;
        let guard = if self.eat("[") {
            let guard = self.condition()?;
            self.expect("]")?;
            Some(guard)
        } else {
            None
        };
        let values = self.message()?;
        let program = self.program()?;
        Ok(ProcessKind::Receive(port, guard, values, program, self.after_arrow()?))
    }

    /// `x.(y+1)`
    fn message(&mut self) -> Parsed<Vec<Expr>> {
        let mut values = vec![self.condition()?];
        while self.eat(".") {
            values.push(self.condition()?);
        }
        Ok(values)
    }

    /// `e.i.(x+1)`
    pub(super) fn event(&mut self) -> Parsed<Event> {
        let span = self.span();
        let name = if self.eat_word("tau") {
            Name { text: "tau".into(), span }
        } else {
            self.name("an event")?
        };
        let mut parts = Vec::new();
        while self.eat(".") {
            parts.push(self.additive()?);
        }
        Ok(Event { name, parts, span: self.since(span) })
    }

    /// `{a, x:{0..2} @ b.x}`
    pub(super) fn event_sets(&mut self) -> Parsed<Vec<EventSet>> {
        self.expect("{")?;
        let mut sets = Vec::new();
        if self.eat("}") {
            return Ok(sets);
        }
        loop {
            let over = if self.is_sign(1, ":") {
                let over = self.ranges()?;
                self.expect("@")?;
                over
            } else {
                Vec::new()
            };
            sets.push(EventSet { over, event: self.event()? });
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(sets)
    }

    fn conditional(&mut self) -> Parsed<ProcessKind> {
        let kind = match self.word_at(0) {
            Some("ifa") => If::Atomic,
            Some("ifb") => If::Blocking,
            _ => If::Own,
        };
        self.advance();
        self.expect("(")?;
        let condition = self.condition()?;
        self.expect(")")?;
        self.expect("{")?;
        let then = self.process()?;
        self.expect("}")?;
        let mut other = None;
        if self.is_word("else") {
            let span = self.span();
            if kind == If::Blocking {
                return self.error(codes::EXPECTED, span, "`ifb` has no `else`: it waits");
            }
            self.advance();
            let start = self.span();
            other = Some(Box::new(if matches!(self.word_at(0), Some("if" | "ifa" | "ifb")) {
                let kind = self.deeper(Self::conditional)?;
                Process { kind, span: self.since(start) }
            } else {
                self.expect("{")?;
                let other = self.process()?;
                self.expect("}")?;
                other
            }));
        }
        Ok(ProcessKind::If(kind, condition, Box::new(then), other))
    }

    fn case(&mut self) -> Parsed<ProcessKind> {
        self.advance();
        self.expect("{")?;
        let mut cases = Vec::new();
        while !self.eat("}") {
            let condition = if self.eat_word("default") { None } else { Some(self.condition()?) };
            self.expect(":")?;
            cases.push((condition, self.process()?));
            while self.eat(";") {}
        }
        if cases.is_empty() {
            return self.expected("a case");
        }
        Ok(ProcessKind::Case(cases))
    }
}
