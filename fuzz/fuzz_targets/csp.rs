//! Any bytes are a `.csp` model or diagnostics whose places are in the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linchpin_fuzz::{are_in, decode, read};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = decode(bytes) else { return };
    if let Some(loaded) = read(text, linchpin_csp::load(text)) {
        are_in(text, &loaded.warnings);
    }
});
