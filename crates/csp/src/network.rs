//! The parallel structure of a state: which components there are and how they meet.
//!
//! The operators `|||`, `||` and `\` at the top of a process stay where they are whatever the
//! components do, unless one of them becomes such an operator itself or all terminate. So a state is
//! the number of its structure and one slot for each component. What happens to an event of a
//! component on its way to the top is found out once for every structure and label: it happens alone,
//! perhaps hidden, or together with others.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::mem::discriminant;
use std::ops::Range;
use std::slice::from_ref;

use linchpin_lts::{Content, Label, TAU, Trouble};

use crate::eval::Evaluated;
use crate::labels::SetId;
use crate::term::{AlphabetId, Term, TermId, Terms};

/// A table that is asked for every step: it need not be safe against keys that somebody chose.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Content>>;

/// The shape of the structure at the top of a term, and its components, which do not belong to it.
#[derive(Default)]
pub(crate) struct Shape {
    /// Equal for equal shapes.
    pub(crate) key: Vec<u32>,
    content: Content,
    pub(crate) components: Vec<TermId>,
}

impl Shape {
    /// Kinds of nodes in a key. A node is its kind, what it says (a list of alphabets, a set), and how many operands it has,
    /// which follow.
    pub(crate) const COMPONENT: u32 = 0;
    pub(crate) const INTERLEAVE: u32 = 1;
    pub(crate) const PARALLEL: u32 = 2;
    pub(crate) const HIDE: u32 = 3;

    pub(crate) fn of(terms: &Terms, term: TermId) -> Shape {
        let mut shape = Shape::default();
        shape.add(terms, term);
        shape
    }

    /// The content hash of the shape.
    pub(crate) fn hash(&self) -> u64 {
        self.content.finish()
    }

    fn add(&mut self, terms: &Terms, term: TermId) {
        let (kind, number, content, parts) = match terms.get(term) {
            Term::Interleave(parts) => (Self::INTERLEAVE, 0, 0, &**parts),
            Term::Parallel(id, parts) => (Self::PARALLEL, *id, terms.alphabet_hash(*id), &**parts),
            Term::Hide(inner, set) => {
                (Self::HIDE, *set, terms.labels.set_hash(*set), from_ref(inner))
            }
            _ => {
                self.components.push(term);
                (Self::COMPONENT, 0, 0, &[][..])
            }
        };
        self.key.extend([kind, number, parts.len() as u32]);
        for word in [kind.into(), content, parts.len() as u64] {
            self.content.add(word);
        }
        parts.iter().for_each(|&part| self.add(terms, part));
    }
}

/// The most combinations of components for one event.
const MAX_ALTERNATIVES: usize = 1 << 14;

/// Components that take part in an event, in order, and what is seen of it.
pub(crate) type Alternative = (Vec<u32>, Label);

/// What happens to an event of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It happens alone and is seen as this.
    Alone(Label),
    /// Others take part: see [`Network::alternatives`].
    Together,
}

enum Node {
    Component(u32),
    Interleave(Vec<usize>),
    Parallel(AlphabetId, Vec<usize>),
    Hide(usize, SetId),
}

/// Puts processes in the order of their shapes.
fn arrange(terms: &Terms, parts: &mut [TermId]) {
    parts.sort_by_cached_key(|&part| Shape::of(terms, part).hash());
}

fn is_arranged<'t>(terms: &Terms, parts: impl Iterator<Item = &'t TermId>) -> bool {
    parts.is_sorted_by_key(|&part| Shape::of(terms, part).hash())
}

/// The places of each alphabet that several operands have.
fn same(sets: &[SetId]) -> Vec<Vec<usize>> {
    let places = |set: SetId| (0..sets.len()).filter(move |&i| sets[i] == set).collect();
    let first = |i: &usize| !sets[..*i].contains(&sets[*i]);
    let all = (0..sets.len()).filter(first).map(|i| places(sets[i]));
    all.filter(|places: &Vec<usize>| places.len() > 1).collect()
}

/// Components and how they meet.
pub(crate) struct Network {
    /// That of its [`Shape`].
    pub(crate) key: Vec<u32>,
    nodes: Vec<Node>,
    /// The node above each node, and the place there.
    above: Vec<Option<(usize, usize)>>,
    /// The node of each component.
    components: Vec<usize>,
    /// The components at or below each node.
    below: Vec<Range<u32>>,
    /// Numbers of the components, to point at.
    pub(crate) numbers: Vec<u32>,
    /// Which components labels have the same fates in, by component: those that are side by side in `|||`.
    sides: Vec<u32>,
    /// Fates of labels that are hidden or shared somewhere, by side.
    fates: Vec<Map<Label, Fate>>,
    /// What is seen of labels that are hidden, by side.
    hidden: Vec<Map<Label, Label>>,
    /// What may change places, inner ones first.
    pub(crate) rows: Vec<Row>,
    /// Are operands that may change places not in the order of their shapes?
    pub(crate) mixed: bool,
}

/// What operands have in common that may change places: the shape, and in `||` the alphabet.
type Kind<'k> = (&'k [u32], Option<SetId>);

/// Operands of one `|||` or `||` that may change places: they have the same shape, and in `||` the same
/// alphabet. See [`crate::multiset`].
pub(crate) struct Row {
    /// The first component of each.
    pub(crate) starts: Vec<u32>,
    /// How many components each has.
    pub(crate) width: u32,
}

impl PartialEq for Network {
    fn eq(&self, other: &Network) -> bool {
        self.key == other.key
    }
}

impl Network {
    /// The structure at the top of a term.
    pub(crate) fn new(terms: &Terms, root: TermId, key: Vec<u32>) -> Evaluated<Network> {
        let mut network = Network {
            key,
            nodes: Vec::new(),
            above: Vec::new(),
            components: Vec::new(),
            below: Vec::new(),
            numbers: Vec::new(),
            sides: Vec::new(),
            fates: Vec::new(),
            hidden: Vec::new(),
            rows: Vec::new(),
            mixed: false,
        };
        network.add(terms, root);
        network.find_rows(terms);
        let mut labels: Vec<Label> = Vec::new();
        for node in &network.nodes {
            match node {
                Node::Hide(_, set) => labels.extend(terms.labels.members(*set)),
                Node::Parallel(alphabets, _) => {
                    for &set in terms.alphabet(*alphabets) {
                        labels.extend(terms.labels.members(set));
                    }
                }
                _ => {}
            }
        }
        labels.sort_unstable();
        labels.dedup();
        network.numbers = (0..network.components.len() as u32).collect();
        let mut nodes: Vec<usize> = Vec::new();
        let mut known: Map<usize, u32> = Map::default();
        for &component in &network.components {
            let side = network.side(component);
            let number = *known.entry(side).or_insert_with(|| {
                nodes.push(side);
                nodes.len() as u32 - 1
            });
            network.sides.push(number);
        }
        network.fates = vec![Map::default(); nodes.len()];
        network.hidden = vec![Map::default(); nodes.len()];
        for label in labels {
            terms.ask()?;
            for (side, &node) in nodes.iter().enumerate() {
                let seen = network.seen_above(terms, node, label);
                if seen != label {
                    network.hidden[side].insert(label, seen);
                }
                let fate = match network.is_shared(terms, node, label) {
                    true => Fate::Together,
                    false if seen == label => continue,
                    false => Fate::Alone(seen),
                };
                network.fates[side].insert(label, fate);
            }
        }
        Ok(network)
    }

    /// The highest node that has nothing but `|||` between itself and a node below.
    fn side(&self, mut node: usize) -> usize {
        while let Some((above, _)) = self.above[node]
            && matches!(self.nodes[above], Node::Interleave(_))
        {
            node = above;
        }
        node
    }

    fn add(&mut self, terms: &Terms, term: TermId) -> usize {
        let id = self.nodes.len();
        let first = self.components.len() as u32;
        self.nodes.push(Node::Component(0));
        self.above.push(None);
        self.below.push(first..first);
        let children = |network: &mut Self, parts: &[TermId]| -> Vec<usize> {
            parts
                .iter()
                .enumerate()
                .map(|(i, &part)| {
                    let child = network.add(terms, part);
                    network.above[child] = Some((id, i));
                    child
                })
                .collect()
        };
        self.nodes[id] = match terms.get(term) {
            Term::Interleave(parts) => {
                self.mixed |= !is_arranged(terms, parts.iter());
                Node::Interleave(children(self, parts))
            }
            Term::Parallel(alphabets, parts) => {
                for places in same(terms.alphabet(*alphabets)) {
                    self.mixed |= !is_arranged(terms, places.iter().map(|&i| &parts[i]));
                }
                Node::Parallel(*alphabets, children(self, parts))
            }
            Term::Hide(inner, set) => Node::Hide(children(self, &[*inner])[0], *set),
            _ => {
                self.components.push(id);
                Node::Component(first)
            }
        };
        self.below[id].end = self.components.len() as u32;
        id
    }

    /// The process whose components are these.
    pub(crate) fn term(&self, terms: &Terms, components: &[TermId]) -> TermId {
        self.term_at(0, components, &|term| match term {
            Term::Interleave(parts) => terms.interleave(parts.into()),
            Term::Parallel(alphabets, parts) => terms.parallel(alphabets, parts.into()),
            Term::Hide(inner, set) => terms.hide(inner, set),
            other => terms.intern(other),
        })
    }

    /// The same with operands that may change places in the order of their shapes, and nothing made simpler:
    /// processes that differ only in that order become the same.
    pub(crate) fn arranged(&self, terms: &Terms, components: &[TermId]) -> TermId {
        self.term_at(0, components, &|mut term| {
            match &mut term {
                Term::Interleave(parts) => arrange(terms, parts),
                Term::Parallel(alphabets, parts) => {
                    for places in same(terms.alphabet(*alphabets)) {
                        let mut some: Vec<TermId> = places.iter().map(|&i| parts[i]).collect();
                        arrange(terms, &mut some);
                        places.iter().zip(some).for_each(|(&i, part)| parts[i] = part);
                    }
                }
                _ => {}
            }
            terms.intern(term)
        })
    }

    fn term_at(&self, node: usize, components: &[TermId], make: &dyn Fn(Term) -> TermId) -> TermId {
        let at = |node: usize| self.term_at(node, components, make);
        let all = |children: &[usize]| children.iter().map(|&child| at(child)).collect();
        make(match &self.nodes[node] {
            Node::Component(i) => return components[*i as usize],
            Node::Hide(child, set) => Term::Hide(at(*child), *set),
            Node::Interleave(children) => Term::Interleave(all(children)),
            Node::Parallel(alphabets, children) => Term::Parallel(*alphabets, all(children)),
        })
    }

    /// Must others take part when a component below a node does this?
    fn is_shared(&self, terms: &Terms, mut node: usize, label: Label) -> bool {
        while let Some((above, place)) = self.above[node] {
            match &self.nodes[above] {
                Node::Hide(_, set) if terms.labels.contains(*set, label) => return false,
                Node::Parallel(alphabets, _)
                    if terms.labels.contains(terms.alphabet(*alphabets)[place], label) =>
                {
                    return true;
                }
                _ => {}
            }
            node = above;
        }
        false
    }

    /// The sets of components that can have an event together, of those that offer it, which are in order.
    pub(crate) fn alternatives(
        &self,
        terms: &Terms,
        label: Label,
        offering: &[u32],
    ) -> Evaluated<Vec<Alternative>> {
        let mut complete = Vec::new();
        let open = self.ways(terms, 0, label, offering, &mut complete)?;
        complete.extend(open.into_iter().map(|who| (who, label)));
        complete.retain(|(who, _)| who.len() > 1);
        complete.iter_mut().for_each(|(who, _)| who.sort_unstable());
        Ok(complete)
    }

    /// The same at a node; those that are decided below, because the event is hidden, go to `complete`.
    fn ways(
        &self,
        terms: &Terms,
        node: usize,
        label: Label,
        offering: &[u32],
        complete: &mut Vec<Alternative>,
    ) -> Evaluated<Vec<Vec<u32>>> {
        let below = &self.below[node];
        let from = offering.partition_point(|&c| c < below.start);
        let to = offering.partition_point(|&c| c < below.end);
        let offering = &offering[from..to];
        if offering.is_empty() {
            return Ok(Vec::new());
        }
        let ways = match &self.nodes[node] {
            Node::Component(i) => vec![vec![*i]],
            Node::Interleave(children) => {
                let mut ways = Vec::new();
                for &child in children {
                    ways.extend(self.ways(terms, child, label, offering, complete)?);
                }
                ways
            }
            Node::Hide(child, set) => {
                let ways = self.ways(terms, *child, label, offering, complete)?;
                if terms.labels.contains(*set, label) {
                    complete.extend(ways.into_iter().map(|who| (who, TAU)));
                    return Ok(Vec::new());
                }
                ways
            }
            Node::Parallel(alphabets, children) => {
                let mut alone = Vec::new();
                let mut together: Option<Vec<Vec<u32>>> = None;
                for (&child, &set) in children.iter().zip(terms.alphabet(*alphabets)) {
                    let ways = self.ways(terms, child, label, offering, complete)?;
                    if !terms.labels.contains(set, label) {
                        alone.extend(ways);
                        continue;
                    }
                    together = Some(match together {
                        None => ways,
                        Some(before) => {
                            let mut product = Vec::new();
                            for a in &before {
                                for b in &ways {
                                    product.push([a.as_slice(), b.as_slice()].concat());
                                }
                            }
                            product
                        }
                    });
                }
                alone.extend(together.unwrap_or_default());
                alone
            }
        };
        if ways.len() + complete.len() > MAX_ALTERNATIVES {
            let text = terms.labels.text(label);
            let message = format!("`{text}` is shared in more than {MAX_ALTERNATIVES} ways");
            return Err(Box::new(Trouble::new(message)));
        }
        Ok(ways)
    }

    /// The components that may have to take part in an event of one, in whatever state they are.
    pub(crate) fn partners(&self, terms: &Terms, component: usize, label: Label) -> Vec<u32> {
        let mut partners = Vec::new();
        let mut node = self.components[component];
        while let Some((above, place)) = self.above[node] {
            match &self.nodes[above] {
                Node::Hide(_, set) if terms.labels.contains(*set, label) => break,
                Node::Parallel(alphabets, children) => {
                    let sets = terms.alphabet(*alphabets);
                    if terms.labels.contains(sets[place], label) {
                        let with = children.iter().zip(sets).enumerate();
                        for (_, (&child, &set)) in with.filter(|(k, _)| *k != place) {
                            if terms.labels.contains(set, label) {
                                self.able(terms, child, label, &mut partners);
                            }
                        }
                    }
                }
                _ => {}
            }
            node = above;
        }
        partners
    }

    /// The components below a node whose event is not hidden on the way to it.
    fn able(&self, terms: &Terms, node: usize, label: Label, to: &mut Vec<u32>) {
        match &self.nodes[node] {
            Node::Component(i) => to.push(*i),
            Node::Hide(_, set) if terms.labels.contains(*set, label) => {}
            Node::Hide(child, _) => self.able(terms, *child, label, to),
            Node::Interleave(children) | Node::Parallel(_, children) => {
                children.iter().for_each(|&child| self.able(terms, child, label, to));
            }
        }
    }

    /// How many components there are.
    pub(crate) fn len(&self) -> usize {
        self.components.len()
    }

    /// Finds what may change places.
    fn find_rows(&mut self, terms: &Terms) {
        // A node comes before those below it, and has three words of the key.
        let shape = |node: usize| {
            let mut end = node + 1;
            while end < self.nodes.len() && self.below[end].start < self.below[node].end {
                end += 1;
            }
            &self.key[3 * node..3 * end]
        };
        let mut rows = Vec::new();
        for node in self.nodes.iter().rev() {
            let (children, sets) = match node {
                Node::Interleave(children) => (children, None),
                Node::Parallel(id, children) => (children, Some(terms.alphabet(*id))),
                Node::Component(_) | Node::Hide(..) => continue,
            };
            let mut kinds: Vec<(Kind<'_>, Vec<u32>)> = Vec::new();
            for (place, &child) in children.iter().enumerate() {
                let kind = (shape(child), sets.map(|sets| sets[place]));
                let start = self.below[child].start;
                match kinds.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, starts)) => starts.push(start),
                    None => kinds.push((kind, vec![start])),
                }
            }
            for ((shape, _), starts) in kinds.into_iter().filter(|(_, starts)| starts.len() > 1) {
                let components = shape.chunks(3).filter(|word| word[0] == Shape::COMPONENT);
                rows.push(Row { starts, width: components.count() as u32 });
            }
        }
        self.rows = rows;
    }

    /// The components that are side by side in one `|||`, for each.
    pub(crate) fn side_by_side(&self) -> impl Iterator<Item = Vec<usize>> {
        let side_by_side = |node: &Node| match node {
            Node::Interleave(children) => {
                let component = |&child: &usize| match self.nodes[child] {
                    Node::Component(i) => Some(i as usize),
                    _ => None,
                };
                Some(children.iter().filter_map(component).collect())
            }
            _ => None,
        };
        self.nodes.iter().filter_map(side_by_side)
    }

    /// Does the structure stay what it is when components go to other places and events get other names? `places` says
    /// where they go, `renamed` what sets of events become.
    pub(crate) fn is_kept(
        &self,
        terms: &Terms,
        places: &[u32],
        renamed: &mut dyn FnMut(SetId) -> SetId,
    ) -> bool {
        self.image(terms, 0, places, renamed) == Some(0)
    }

    /// The node that a node becomes.
    fn image(
        &self,
        terms: &Terms,
        node: usize,
        places: &[u32],
        renamed: &mut dyn FnMut(SetId) -> SetId,
    ) -> Option<usize> {
        let children = match &self.nodes[node] {
            Node::Component(i) => return Some(self.components[places[*i as usize] as usize]),
            Node::Hide(child, _) => from_ref(child),
            Node::Interleave(children) | Node::Parallel(_, children) => children,
        };
        let mut onto = Vec::with_capacity(children.len());
        for &child in children {
            let image = self.image(terms, child, places, renamed)?;
            onto.push(self.above[image]?);
        }
        let &(above, _) = onto.first()?;
        let sets = |node: usize| match &self.nodes[node] {
            Node::Parallel(alphabets, _) => terms.alphabet(*alphabets),
            Node::Hide(_, set) => from_ref(set),
            Node::Component(_) | Node::Interleave(_) => &[],
        };
        let (from, to) = (sets(node), sets(above));
        let same = discriminant(&self.nodes[node]) == discriminant(&self.nodes[above])
            && self.below[node].len() == self.below[above].len()
            && onto.iter().all(|(other, _)| *other == above)
            && from.iter().zip(&onto).all(|(&set, &(_, place))| renamed(set) == to[place]);
        same.then_some(above)
    }

    /// What happens to an event without program.
    #[inline]
    pub(crate) fn fate(&self, component: usize, label: Label) -> Fate {
        self.fates[self.sides[component] as usize]
            .get(&label)
            .copied()
            .unwrap_or(Fate::Alone(label))
    }

    /// What is seen of an event with a program, which is never shared.
    #[inline]
    pub(crate) fn seen(&self, component: usize, label: Label) -> Label {
        self.hidden[self.sides[component] as usize].get(&label).copied().unwrap_or(label)
    }

    fn seen_above(&self, terms: &Terms, mut node: usize, label: Label) -> Label {
        while let Some((above, _)) = self.above[node] {
            if let Node::Hide(_, set) = &self.nodes[above]
                && terms.labels.contains(*set, label)
            {
                return TAU;
            }
            node = above;
        }
        label
    }

    /// Labels that are hidden or shared somewhere.
    pub(crate) fn labels(&self) -> impl Iterator<Item = Label> {
        let hidden = self.hidden.iter().flat_map(|h| h.keys());
        self.fates.iter().flat_map(|f| f.keys()).chain(hidden).copied()
    }

    /// What is seen of a communication between two components; nothing if others would have to take
    /// part in it.
    pub(crate) fn communication(
        &self,
        terms: &Terms,
        a: usize,
        b: usize,
        label: Label,
    ) -> Option<Label> {
        let mut path = Vec::new();
        let mut node = self.components[a];
        while let Some((above, _)) = self.above[node] {
            path.push(above);
            node = above;
        }
        let mut node = self.components[b];
        while !path.contains(&node) {
            node = self.above[node]?.0;
        }
        while let Some((above, place)) = self.above[node] {
            match &self.nodes[above] {
                Node::Hide(_, set) if terms.labels.contains(*set, label) => return Some(TAU),
                Node::Parallel(alphabets, _)
                    if terms.labels.contains(terms.alphabet(*alphabets)[place], label) =>
                {
                    return None;
                }
                _ => {}
            }
            node = above;
        }
        Some(label)
    }
}
