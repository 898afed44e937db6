//! Any bytes are an `.aut` system, which is the same when it is written and read again, or an error in one of
//! their lines.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linchpin_lts::{Dialect, read_aut, write_aut};

fuzz_target!(|bytes: &[u8]| {
    match read_aut(bytes) {
        Ok(lts) => {
            let mut written = Vec::new();
            // Some labels that can be read cannot be written.
            let Ok(()) = write_aut(&lts, Dialect::Mcrl2, &mut written) else { return };
            let again = read_aut(written.as_slice()).expect("what was written can be read");
            assert_eq!((again.states(), again.steps()), (lts.states(), lts.steps()));
        }
        Err(error) => {
            let lines = bytes.split(|b| *b == b'\n').count() as u64;
            assert!(error.line <= lines, "{error}");
        }
    }
});
