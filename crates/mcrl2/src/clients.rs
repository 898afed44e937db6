//! Specifications with their clients as parameters: how many threads, and how many operations each.
//!
//! In the models of the corpus the clients stand between the comments `% clients` and `% end`, one
//! `Thread(number, operations, values)` for each. The values are those of the thesis, as far as it
//! gives them or its counts do.

/// The values that a thread uses, one for every operation.
const VALUES: [[u32; 4]; 4] = [[2, 4, 1, 3], [4, 8, 16, 5], [1, 8, 10, 7], [9, 11, 13, 15]];

/// The specification with so many threads and operations; `None` if it does not say where its
/// clients are, or more are wanted than there are values for.
pub fn with_clients(text: &str, threads: usize, operations: usize) -> Option<String> {
    if threads == 0 || threads > VALUES.len() || operations > VALUES[0].len() {
        return None;
    }
    let from = text.find("% clients")? + "% clients".len();
    let to = from + text[from..].find("% end")?;
    let clients: Vec<String> = (0..threads)
        .map(|thread| {
            let values: Vec<String> =
                VALUES[thread][..operations].iter().map(u32::to_string).collect();
            format!("Thread({}, {operations}, [{}])", thread + 1, values.join(", "))
        })
        .collect();
    Some(format!("{}\n    {}\n    {}", &text[..from], clients.join(" || "), &text[to..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_replaced_where_the_text_says() {
        let text = "init M || % clients\n old\n% end\n;";
        let one = with_clients(text, 2, 1).expect("there is a place");
        assert_eq!(
            one,
            "init M || % clients\n    Thread(1, 1, [2]) || Thread(2, 1, [4])\n    % end\n;"
        );
        assert_eq!(with_clients("init M;", 2, 1), None);
        assert_eq!(with_clients(text, 5, 1), None);
    }
}
