//! Files: what is written is read again, and no file makes the reader fail otherwise than by saying so.

use crate::common::{Random, system};
use linchpin_lts::{Dialect, Explicit, read_aut, write_aut};

/// The steps with the texts of their labels, sorted.
fn steps(lts: &Explicit) -> Vec<(u32, &str, u32)> {
    let of = |s: u32| lts.edges(s).iter().map(move |e| (s, e));
    let all = (0..lts.states()).flat_map(of);
    let mut all: Vec<_> =
        all.map(|(s, e)| (s, &*lts.labels()[e.label as usize], e.target)).collect();
    all.sort_unstable();
    all
}

#[test]
fn what_is_written_is_read_again() {
    let mut random = Random(21);
    for _ in 0..1_000 {
        let states = 1 + random.below(40);
        let count = random.below(80);
        let lts = system(&mut random, states, count, 3, 3);
        for dialect in [Dialect::Mcrl2, Dialect::Cadp] {
            let mut file = Vec::new();
            write_aut(&lts, dialect, &mut file).unwrap();
            let again = read_aut(&file[..]).unwrap();
            assert_eq!((again.initial(), again.states()), (lts.initial(), lts.states()));
            assert_eq!(steps(&again), steps(&lts));
        }
    }
}

#[test]
fn damaged_files_are_read_or_refused_with_a_line_that_exists() {
    let mut random = Random(22);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..5_000 {
        let lts = system(&mut random, 6, 10, 2, 3);
        let mut file = Vec::new();
        write_aut(&lts, Dialect::Cadp, &mut file).unwrap();
        for _ in 0..1 + random.below(3) {
            if file.is_empty() {
                break;
            }
            let at = random.below(file.len() as u32) as usize;
            match random.below(4) {
                0 => drop(file.remove(at)),
                1 => file.insert(at, b"(),\"0\n 9d"[random.below(9) as usize]),
                2 => file[at] = (random.next() >> 56) as u8,
                _ => file.truncate(at.max(1)),
            }
        }
        let lines = file.split(|b| *b == b'\n').count() as u64;
        match read_aut(&file[..]) {
            Ok(lts) => {
                assert!(lts.initial() < lts.states());
                read += 1;
            }
            Err(error) => {
                assert!((1..=lines).contains(&error.line), "{error}");
                refused += 1;
            }
        }
    }
    assert!(read > 200 && refused > 2_000, "{read} {refused}");
}
