//! The object's side of statements on shared places, plain or boxed.
//!
//! A boxed variable is changed by replacing its node (or, wrongly, inside the node), which gives
//! random programs with a heap: stale references, reuse and ABA come for free.

use super::bodies::{Place, Writer};

impl Writer<'_> {
    /// `place = value`
    pub(super) fn assign(&mut self, place: &Place, value: &str) {
        let name = &place.object;
        if !place.boxed {
            return self.object(&format!("{name} = {value}"));
        }
        if self.rng.percent(40) {
            return self.object(&format!("{name}.val = {value}"));
        }
        let old = self.name('o');
        match self.frees && self.rng.percent(60) {
            true => {
                self.object(&format!("let {old} = swap({name}, new Box {{ val: {value} }})"));
                self.object(&format!("free({old})"));
            }
            false => self.object(&format!("{name} = new Box {{ val: {value} }}")),
        }
    }

    /// `let t = cas(place, old, new)`; on a box it can also fail because the node is another one.
    pub(super) fn cas(&mut self, place: &Place, t: &str, old: &str, new: &str) {
        let name = &place.object;
        if !place.boxed {
            return self.object(&format!("let {t} = cas({name}, {old}, {new})"));
        }
        let node = self.name('o');
        self.object(&format!("let {node} = {name}"));
        let replace = format!("cas({name}, {node}, new Box {{ val: {new} }})");
        self.object(&format!("let {t} = {node}.val == {old} && {replace}"));
        if self.frees {
            self.object(&format!("if {t} {{"));
            self.object(&format!("  free({node})"));
            self.object("}");
        }
    }

    /// `let t = swap(place, new)`
    pub(super) fn swap(&mut self, place: &Place, t: &str, new: &str) {
        let name = &place.object;
        if !place.boxed {
            return self.object(&format!("let {t} = swap({name}, {new})"));
        }
        let node = self.name('o');
        self.object(&format!("let {node} = swap({name}, new Box {{ val: {new} }})"));
        self.object(&format!("let {t} = {node}.val"));
        if self.frees {
            self.object(&format!("free({node})"));
        }
    }

    /// A loop that reads `t`, and replaces it by `new` unless somebody else was faster.
    pub(super) fn retry_in_object(&mut self, place: &Place, t: &str, new: &str) {
        let name = &place.object;
        let linked = self.rng.percent(40);
        let node = self.name('o');
        let (source, new) = match place.boxed {
            true => (node.as_str(), format!("new Box {{ val: {new} }}")),
            false => (t, new.to_owned()),
        };
        let (read, write) = match linked {
            true => (format!("ll({name})"), format!("sc({name}, {new})")),
            false => (name.clone(), format!("cas({name}, {source}, {new})")),
        };
        self.object("loop {");
        self.object(&format!("  let {source} = {read}"));
        if place.boxed {
            self.object(&format!("  let {t} = {node}.val"));
        }
        self.object(&format!("  if {write} {{"));
        if place.boxed && self.frees {
            self.object(&format!("    free({node})"));
        }
        self.object("    break");
        self.object("  }");
        self.object("}");
    }
}
