//! A history as a drawing: threads are lines, time goes to the right, in at most 76 columns.

/// An operation: its line, from when to when, and what is written on it.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) line: usize,
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) text: String,
}

const WIDTH: usize = 76;

/// The lines of the drawing; one line per operation if it would be too wide.
pub(crate) fn draw(bars: &[Bar]) -> Vec<String> {
    let mut times: Vec<u32> = bars.iter().flat_map(|b| [b.from, b.to]).collect();
    times.sort_unstable();
    times.dedup();
    let place = |time: u32| times.iter().position(|&t| t == time).unwrap_or(0);
    // The column of every time. What begins and ends in one event still has a text.
    let mut columns: Vec<usize> = (0..times.len()).collect();
    let mut order: Vec<&Bar> = bars.iter().collect();
    order.sort_by_key(|b| (b.to, b.from));
    for bar in order {
        let (from, to) = (place(bar.from), place(bar.to));
        let missing = (columns[from] + bar.text.chars().count() + 3).saturating_sub(columns[to]);
        columns[to..].iter_mut().for_each(|column| *column += missing);
    }
    let lines = bars.iter().map(|b| b.line + 1).max().unwrap_or(0);
    let head = format!("thread {lines}  ").len();
    if head + columns.last().copied().unwrap_or(0) + 1 > WIDTH {
        return list(bars);
    }
    let mut drawn: Vec<Vec<char>> = (0..lines)
        .map(|line| format!("thread {:<1$}", line + 1, head - 7).chars().collect())
        .collect();
    let mut sorted: Vec<&Bar> = bars.iter().collect();
    sorted.sort_by_key(|b| b.from);
    for bar in sorted {
        let line = &mut drawn[bar.line];
        let (from, to) = (head + columns[place(bar.from)], head + columns[place(bar.to)]);
        line.resize(from, ' ');
        line.push('|');
        line.extend(bar.text.chars());
        line.resize(to, '-');
        line.push('|');
    }
    drawn.into_iter().map(|line| line.into_iter().collect::<String>()).collect()
}

/// Calls and returns, one after the other.
fn list(bars: &[Bar]) -> Vec<String> {
    let mut events: Vec<(u32, bool, &Bar)> =
        bars.iter().flat_map(|b| [(b.from, false, b), (b.to, true, b)]).collect();
    events.sort_by_key(|e| (e.0, e.1));
    let line = |(_, is_return, bar): (u32, bool, &Bar)| {
        let (call, result) = bar.text.split_once(" -> ").unwrap_or((&bar.text, ""));
        let text = match (is_return, result) {
            (false, _) => format!("calls {call}"),
            (true, "") => format!("returns from {call}"),
            (true, result) => format!("returns from {call} with {result}"),
        };
        clip(&format!("thread {} {text}", bar.line + 1))
    };
    events.into_iter().map(line).collect()
}

/// A line that is not too long.
pub(crate) fn clip(line: &str) -> String {
    match line.char_indices().nth(WIDTH - 1) {
        Some((end, _)) if line.chars().count() > WIDTH => format!("{}…", &line[..end]),
        _ => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(line: usize, from: u32, to: u32, text: &str) -> Bar {
        Bar { line, from, to, text: text.into() }
    }

    #[test]
    fn bars_overlap_as_the_operations_do() {
        let bars = [bar(0, 0, 5, "push(1)"), bar(1, 2, 7, "pop() -> None"), bar(0, 8, 9, "pop()")];
        let expected =
            ["thread 1  |push(1)--|     |pop()-|", "thread 2           |pop() -> None-|"];
        let drawn = draw(&bars);
        assert_eq!(drawn.len(), 2);
        let column = |line: usize, n: usize| {
            drawn[line].char_indices().filter(|c| c.1 == '|').nth(n).map(|c| c.0)
        };
        assert!(column(1, 0) < column(0, 1), "{drawn:#?} {expected:#?}");
        assert!(column(0, 1) < column(1, 1), "{drawn:#?}");
        assert!(column(1, 1) < column(0, 2), "{drawn:#?}");
    }

    #[test]
    fn what_is_too_wide_becomes_a_list() {
        let text = "insert(123456789, 987654321) -> true";
        let bars = [bar(0, 0, 1, text), bar(0, 2, 3, text), bar(1, 4, 5, text)];
        let drawn = draw(&bars);
        assert_eq!(drawn.len(), 6);
        assert_eq!(drawn[1], "thread 1 returns from insert(123456789, 987654321) with true");
        assert!(draw(&[bar(0, 0, 1, &"x".repeat(200))]).iter().all(|l| l.chars().count() <= 76));
    }
}
