//! Memory at a moment: variables with their cells, nodes from left to right, pointers as arrows.

use std::collections::BTreeMap;

use linchpin_evidence::explain::Explanation;
use linchpin_evidence::snapshot::{Cell, Node};

use super::{Align, CHAR, Drawing, Look, Shape, Tip, wide};

const CELL: f64 = 20.0;
/// The widest figure: the text of a page.
const WIDEST: f64 = 640.0;

/// Something that was laid out, relative to its left upper corner, and where pointers leave it.
#[derive(Clone, Default)]
struct Block {
    w: f64,
    h: f64,
    shapes: Vec<Shape>,
    arrows: Vec<([f64; 2], String)>,
}

pub(super) fn draw(explanation: &Explanation, step: Option<usize>) -> Result<Drawing, String> {
    let film = &explanation.film;
    let last = film.len().checked_sub(1).ok_or("there is no memory to draw")?;
    let step = step.unwrap_or(last);
    if step > last {
        return Err(format!("there is no step {step}: the execution has {last}"));
    }
    let (now, before) = (&film[step].snapshot, &film[step.saturating_sub(1)].snapshot);
    let names = now.variables.iter().map(|v| wide(&v.name) + 12.0).fold(0.0, f64::max);
    let mut drawing = Drawing::default();
    let (mut arrows, mut y, mut right) = (Vec::new(), 4.0, 0.0_f64);
    for (cell, was) in now.variables.iter().zip(&before.variables) {
        let block = block(cell, Some(was));
        drawing.text(
            [2.0, y + 14.0 + if is_row(cell) { 14.0 } else { 0.0 }],
            Look::Ink,
            cell.name.clone(),
        );
        right = right.max(names + block.w);
        let tall = block.h;
        put(block, [names, y], &mut drawing, &mut arrows);
        y += tall + 8.0;
    }
    let roots = y;
    let columns = columns(&now.nodes);
    let mut by_column: BTreeMap<usize, Vec<(&Node, Block)>> = BTreeMap::new();
    for node in &now.nodes {
        let was = before.nodes.iter().find(|n| n.name == node.name);
        by_column.entry(columns[&node.name]).or_default().push((node, whole(node, was, step > 0)));
    }
    let left = right + 44.0;
    let (mut x, mut y, mut tall) = (left, if by_column.len() > 1 { 40.0 } else { 8.0 }, 0.0_f64);
    let mut places = BTreeMap::new();
    for nodes in by_column.into_values() {
        let widest = nodes.iter().map(|n| n.1.w).fold(0.0, f64::max);
        if x > left && x + widest > WIDEST {
            (x, y, tall) = (left, y + tall + 30.0, 0.0);
        }
        let mut down = y;
        for (node, block) in nodes {
            places.insert(node.name.clone(), ([x, down, block.w, block.h], node.freed));
            let high = block.h;
            put(block, [x, down], &mut drawing, &mut arrows);
            down += high + 24.0;
        }
        tall = tall.max(down - y - 24.0);
        right = right.max(x + widest);
        x += widest + 38.0;
    }
    for (from, target) in arrows {
        if let Some((to, freed)) = places.get(&target) {
            let look = if *freed { Look::Freed } else { Look::Ink };
            drawing.shapes.push(Shape::Curve(arrow(from, *to), look, Tip::Arrow));
        }
    }
    let mut height = roots.max(if now.nodes.is_empty() { 0.0 } else { y + tall + 40.0 });
    for (thread, locals) in (1..).zip(&now.locals).filter(|(_, l)| !l.is_empty()) {
        let texts: Vec<String> =
            locals.iter().map(|c| format!("{} = {}", c.name, c.value)).collect();
        let text = format!("T{thread}  {}", texts.join("   "));
        right = right.max(wide(&text) + 4.0);
        drawing.text([2.0, height + 12.0], Look::Thread(thread), text);
        height += 18.0;
    }
    (drawing.width, drawing.height) = (right + 8.0, height + 4.0);
    Ok(drawing)
}

/// Puts a block at its place.
fn put(block: Block, at: [f64; 2], drawing: &mut Drawing, arrows: &mut Vec<([f64; 2], String)>) {
    drawing.shapes.extend(block.shapes.into_iter().map(|s| moved(s, at)));
    arrows.extend(block.arrows.into_iter().map(|(p, to)| ([p[0] + at[0], p[1] + at[1]], to)));
}

fn moved(shape: Shape, [dx, dy]: [f64; 2]) -> Shape {
    let by = |[x, y]: [f64; 2]| [x + dx, y + dy];
    match shape {
        Shape::Box([x, y, w, h, r], look) => Shape::Box([x + dx, y + dy, w, h, r], look),
        Shape::Line(points, look, tip) => {
            Shape::Line(points.into_iter().map(by).collect(), look, tip)
        }
        Shape::Curve(points, look, tip) => Shape::Curve(points.map(by), look, tip),
        Shape::Dot([x, y, r], look) => Shape::Dot([x + dx, y + dy, r], look),
        Shape::Text(at, align, look, text) => Shape::Text(by(at), align, look, text),
    }
}

impl Block {
    fn add(&mut self, block: Block, at: [f64; 2]) {
        self.shapes.extend(block.shapes.into_iter().map(|s| moved(s, at)));
        self.arrows
            .extend(block.arrows.into_iter().map(|(p, to)| ([p[0] + at[0], p[1] + at[1]], to)));
    }
}

/// Is it drawn as a row, with numbers above?
fn is_row(cell: &Cell) -> bool {
    let number = |name: &str| {
        let digits = name.strip_prefix('T').unwrap_or(name);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    cell.parts.first().is_some_and(|part| number(&part.name))
}

/// A place: a cell, a row of cells or a table.
fn block(cell: &Cell, was: Option<&Cell>) -> Block {
    let part = |i: usize| block(&cell.parts[i], was.and_then(|w| w.parts.get(i)));
    let mut out = Block::default();
    if cell.parts.is_empty() {
        let changed = was.is_some_and(|w| w.value != cell.value);
        let pointer = if cell.refers.is_empty() { 0.0 } else { 12.0 };
        out.w = (wide(&cell.value) + 12.0 + pointer).max(24.0);
        out.h = CELL;
        let look = if changed { Look::Changed } else { Look::Faint };
        out.shapes.push(Shape::Box([0.0, 0.0, out.w, CELL, 0.0], look));
        let look = if changed { Look::Changed } else { Look::Ink };
        out.shapes.push(Shape::Text([6.0, 14.0], Align::Start, look, cell.value.clone()));
        let dot = [out.w - 7.0, CELL / 2.0];
        if pointer > 0.0 {
            out.shapes.push(Shape::Dot([dot[0], dot[1], 2.6], Look::Ink));
        }
        out.arrows.extend(cell.refers.iter().map(|to| (dot, to.clone())));
    } else if is_row(cell) {
        for (i, of) in cell.parts.iter().enumerate() {
            let part = part(i);
            let middle = [out.w + part.w / 2.0, 10.0];
            out.shapes.push(Shape::Text(middle, Align::Middle, Look::Faint, of.name.clone()));
            let (wide, tall) = (part.w, part.h);
            out.add(part, [out.w, 14.0]);
            out.w += wide;
            out.h = out.h.max(tall + 14.0);
        }
    } else {
        let names = cell.parts.iter().map(|p| wide(&p.name)).fold(0.0, f64::max) + 10.0;
        for (i, of) in cell.parts.iter().enumerate() {
            let part = part(i);
            let lower = if is_row(of) { 14.0 } else { 0.0 };
            let at = [5.0, out.h + 14.0 + lower];
            out.shapes.push(Shape::Text(at, Align::Start, Look::Faint, of.name.clone()));
            let (wide, tall) = (part.w, part.h);
            out.add(part, [names, out.h]);
            out.w = out.w.max(names + wide);
            out.h += tall;
        }
    }
    out
}

/// A node with its name.
fn whole(node: &Node, was: Option<&Node>, later: bool) -> Block {
    let cell = |fields: &[Cell]| Cell {
        name: String::new(),
        value: String::new(),
        refers: Vec::new(),
        parts: fields.to_vec(),
        past: false,
    };
    let fields = match node.fields.is_empty() {
        true => Block::default(),
        false => block(&cell(&node.fields), was.map(|w| cell(&w.fields)).as_ref()),
    };
    let title = format!("{} {}{}", node.name, node.record, if node.freed { ", free" } else { "" });
    let mut out = Block {
        w: (fields.w + 16.0).max(wide(&title) + 16.0),
        h: fields.h + 30.0,
        ..Block::default()
    };
    let changed = later && was.is_none_or(|w| w.freed != node.freed);
    let look = match (node.freed, changed) {
        (true, _) => Look::Freed,
        (false, true) => Look::Changed,
        (false, false) => Look::Ink,
    };
    out.shapes.push(Shape::Box([0.0, 0.0, out.w, out.h, 5.0], look));
    out.shapes.push(Shape::Text([8.0, 16.0], Align::Start, Look::Ink, title));
    out.add(fields, [8.0, 23.0]);
    out
}

/// The column of every node: right of what points at it, as far as that goes without going round.
fn columns(nodes: &[Node]) -> BTreeMap<String, usize> {
    let mut after: BTreeMap<&str, Vec<&str>> =
        nodes.iter().map(|n| (&*n.name, Vec::new())).collect();
    fn leads<'a>(after: &BTreeMap<&'a str, Vec<&'a str>>, from: &str, to: &str) -> bool {
        from == to || after.get(from).is_some_and(|next| next.iter().any(|n| leads(after, n, to)))
    }
    for node in nodes {
        for target in node.fields.iter().flat_map(|f| &f.refers) {
            let known = after.contains_key(&**target) && !after[&*node.name].contains(&&**target);
            if known && !leads(&after, target, &node.name) {
                after.entry(&node.name).or_default().push(target);
            }
        }
    }
    let mut column: BTreeMap<String, usize> = nodes.iter().map(|n| (n.name.clone(), 0)).collect();
    for _ in nodes {
        for (from, targets) in &after {
            let next = column[*from] + 1;
            for to in targets {
                let at = column.entry((*to).to_string()).or_default();
                *at = (*at).max(next);
            }
        }
    }
    column
}

/// A pointer: to what is right of it into the side, else over or under what is between.
fn arrow([x, y]: [f64; 2], [tx, ty, w, h]: [f64; 4]) -> [[f64; 2]; 4] {
    if tx > x && tx - x < 130.0 {
        let (into, bend) = (y.max(ty + 8.0).min(ty + h - 8.0), ((tx - x) / 2.0).max(14.0));
        return [[x, y], [x + bend, y], [tx - bend, into], [tx, into]];
    }
    let near = tx + (w / 2.0).min(4.0 * CHAR);
    if ty > y + 24.0 {
        [[x, y], [x + 36.0, y + 6.0], [near, ty - 36.0], [near, ty]]
    } else if tx > x {
        let over = (y.min(ty) - 44.0).max(-34.0);
        [[x, y], [x + 46.0, over], [near, (ty - 44.0).max(-34.0)], [near, ty]]
    } else {
        let (middle, low) = (tx + w / 2.0, ty + h);
        [[x, y], [x + 40.0, y.max(low) + 34.0], [middle, low + 40.0], [middle, low]]
    }
}
