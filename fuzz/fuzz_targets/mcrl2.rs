//! Any bytes are a `.mcrl2` specification with its system, also with atomic bodies, or diagnostics whose
//! places are in the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linchpin_fuzz::{decode, read};
use linchpin_mcrl2::Specification;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = decode(bytes) else { return };
    let Some(specification) = read(text, Specification::read(text)) else { return };
    read(text, specification.system().map_err(|d| vec![*d]));
    read(text, specification.atomic(&specification.events()).map_err(|d| vec![*d]));
});
