//! What the steps of a component touch now, possible or not, and with whom they have to do.

use linchpin_lts::Label;

use crate::footprint::{Footprint, Known, Layout};
use crate::program::{NodeId, NodeKind, Program};
use crate::steps::{Action, Guard, Spec, Step, condition};
use crate::value::Value;

/// What is known about a list of steps of a term, possible or not.
#[derive(Default)]
pub(crate) struct Steps {
    /// May it be that other components have to be asked about which nothing is known?
    pub(crate) unclear: bool,
    /// Variables and channels; of channels with a buffer the end that is used.
    pub(crate) touched: Footprint,
    /// Labels that may be shared.
    pub(crate) labels: Vec<Label>,
    /// Outputs and inputs, which may have to wait.
    pub(crate) puts: Vec<u32>,
    pub(crate) takes: Vec<u32>,
}

impl Steps {
    /// Of these steps.
    pub(crate) fn of(program: &Program, layout: &Layout, list: &[Step]) -> Steps {
        let mut all = Steps::default();
        list.iter().for_each(|step| look(program, layout, step, &mut all));
        all
    }
}

/// Adds a step, possible or not.
fn look(program: &Program, layout: &Layout, step: &Step, to: &mut Steps) {
    let with = |values: &[Value], look: &mut dyn FnMut(Known<'_>)| {
        let env: Vec<Option<Value>> = values.iter().map(|v| Some(*v)).collect();
        look(Known { program, layout, env: &env });
    };
    for guard in &step.guards {
        match guard {
            Guard::Condition(node, which, env, ..) => with(env, &mut |known| {
                known.expr(condition(program, *node, *which), &mut to.touched);
            }),
            Guard::Named(Spec::Fixed(_), ..) | Guard::Is(Spec::Fixed(_), _) => {}
            Guard::Named(Spec::Event(node, env) | Spec::Communication(node, env), ..)
            | Guard::Is(Spec::Event(node, env) | Spec::Communication(node, env), _) => {
                with(env, &mut |known| name(known, *node, &mut to.touched));
            }
        }
    }
    match &step.action {
        Action::Tau | Action::Fault(_) => {}
        Action::Tick | Action::Communicate(..) => to.unclear = true,
        Action::Event(spec, code) => {
            match (spec, code) {
                (Spec::Fixed(label), None) => to.labels.push(*label),
                (Spec::Fixed(_), Some(_)) => {}
                (Spec::Event(node, env) | Spec::Communication(node, env), _) => {
                    // Which label it is, and with it who takes part, depends on variables.
                    to.unclear |= code.is_none();
                    with(env, &mut |known| name(known, *node, &mut to.touched));
                }
            }
            if let Some((node, env)) = code
                && let NodeKind::Prefix(_, Some(code), _) = &program.nodes[*node as usize].kind
            {
                with(env, &mut |known| known.code(code, &mut to.touched));
            }
        }
        Action::Send(node, env) => {
            if let NodeKind::Send(port, values, code, _) = &program.nodes[*node as usize].kind {
                with(env, &mut |known| {
                    known.send(port, values, code.as_ref(), &mut to.touched);
                    to.puts.extend(known.port(port));
                });
            }
        }
        Action::Receive(node, env) => with(env, &mut |known| {
            known.receive(&program.nodes[*node as usize].kind, &mut to.touched, |_| ());
            if let NodeKind::Receive(port, ..) = &program.nodes[*node as usize].kind {
                to.takes.extend(known.port(port));
            }
        }),
    }
}

/// What the name of an event or of a communication touches.
fn name(known: Known<'_>, node: NodeId, to: &mut Footprint) {
    match &known.program.nodes[node as usize].kind {
        NodeKind::Prefix(event, ..) => event.parts.iter().for_each(|e| known.expr(e, to)),
        NodeKind::Send(port, values, ..) => {
            port.index.iter().chain(values).for_each(|e| known.expr(e, to));
        }
        _ => {}
    }
}
