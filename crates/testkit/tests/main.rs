//! All tests of this crate are one program: it is linked once, and slow tests of one kind run beside those of
//! another.

mod any_order;
mod attempts;
mod corpus;
mod corpus_defects;
mod coverage;
mod damaged;
mod derived;
mod differential;
mod docs;
mod evidence;
mod generator;
mod histories;
mod house;
mod infer;
mod itself;
mod methods;
mod minimal;
mod neighbours;
mod oracle;
mod points;
mod progress;
mod quasi;
mod spec_faults;
mod strong;
mod temporal;
mod together;
mod workers;

use std::fs;
use std::path::Path;

/// A file that is not part of the program of its crate would never be run.
#[test]
fn every_file_with_tests_is_part_of_a_program() {
    let mut seen = 0;
    for crate_ in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).expect("crates") {
        let tests = crate_.expect("a crate").path().join("tests");
        let Ok(main) = fs::read_to_string(tests.join("main.rs")) else { continue };
        for file in fs::read_dir(&tests).expect("files") {
            let path = file.expect("a file").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            if path.extension().is_some_and(|e| e == "rs") && name != "main" {
                assert!(main.contains(&format!("\nmod {name};")), "{}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 40, "{seen}");
}
