//! What the variables and channels of a state hold, as it is written, and what steps do to it.

use linchpin_lts::{LabelledSystem, Trouble};

use crate::check::{Change, WitnessStep};
use crate::objects::Objects;
use crate::program::{Channel, Variable};
use crate::system::System;
use crate::value::from_slot;

impl System {
    /// The variables of a state and then its channels with buffers, in the order of the text: names and
    /// values. An array is `[1, 2]`, and so is a buffer, the oldest message first.
    pub fn contents(&self, state: &[u32]) -> Vec<(String, String)> {
        let data = self.data(state);
        let objects = &self.program().objects;
        let variables =
            self.program().variables.iter().map(|v| (v.name.clone(), held(objects, v, data)));
        let buffered = self.program().channels.iter().filter(|c| c.size > 0);
        let channels = buffered.map(|c| (c.name.clone(), waiting(objects, c, data)));
        variables.chain(channels).collect()
    }

    /// What differs between two states.
    pub(crate) fn changes(&self, before: &[u32], after: &[u32]) -> Vec<Change> {
        let pairs = self.contents(before).into_iter().zip(self.contents(after));
        let changes = pairs.filter(|(old, new)| old.1 != new.1);
        changes.map(|((name, from), (_, to))| Change { name, from, to }).collect()
    }

    /// The steps that are possible in a state, as they are shown, with the states they lead to.
    pub fn steps(&self, state: &[u32]) -> Result<Vec<(WitnessStep, Vec<u32>)>, Trouble> {
        let mut steps = Vec::new();
        self.each_followed(&mut self.scratch(), state, &mut |found| {
            let places = found.nodes.iter().map(|&n| self.written(n)).collect();
            let step = (found.label, places, found.by.to_vec(), found.state.to_vec());
            // Equal processes side by side may do the same.
            if !steps.contains(&step) {
                steps.push(step);
            }
        })
        .map_err(|t| *t)?;
        let shown = steps.into_iter().map(|(label, places, by, next)| {
            let changes = self.changes(state, &next);
            (WitnessStep { label: self.label(label), places, by, changes }, next)
        });
        Ok(shown.collect())
    }
}

fn held(objects: &Objects, variable: &Variable, data: &[u32]) -> String {
    let slots = &data[variable.base as usize..(variable.base + variable.length) as usize];
    match (variable.sizes.is_empty(), slots) {
        (true, [slot]) => objects.show(from_slot(*slot)),
        _ => list(slots.iter().map(|&slot| objects.show(from_slot(slot)))),
    }
}

/// The messages in a channel; the values of one are separated by dots.
fn waiting(objects: &Objects, channel: &Channel, data: &[u32]) -> String {
    let base = channel.base as usize;
    let width = channel.width as usize;
    let message = |i: usize| {
        let slots = &data[base + 1 + i * width..base + 1 + (i + 1) * width];
        let values = match (channel.mixed, slots) {
            (true, [count, values @ ..]) => &values[..*count as usize],
            _ => slots,
        };
        values.iter().map(|&slot| objects.show(from_slot(slot))).collect::<Vec<_>>().join(".")
    };
    list((0..data[base] as usize).map(message))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}
