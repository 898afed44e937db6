//! Any bytes are a program or diagnostics whose places are in the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linchpin_lin::{decode, syntax};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = decode(bytes) else { return };
    let diagnostics = match syntax::load(text, &[]) {
        Ok(loaded) => loaded.warnings,
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty(), "neither a program nor a reason");
            diagnostics
        }
    };
    for d in diagnostics {
        let edits = d.edits.iter().map(|e| e.span);
        for span in d.secondary.iter().map(|l| l.span).chain([d.primary.span]).chain(edits) {
            assert!(text.get(span.range()).is_some(), "{} is at {span:?}", d.code);
        }
    }
});
