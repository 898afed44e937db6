//! Formatting a `.lin` text changes white space only, and formatting again changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linchpin_fuzz::decode;
use linchpin_lin::syntax;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = decode(bytes) else { return };
    let Ok(once) = syntax::format(text) else { return };
    let letters = |t: &str| t.split_whitespace().collect::<String>();
    assert_eq!(letters(text), letters(&once));
    assert_eq!(syntax::format(&once).as_ref(), Ok(&once));
    // It is as right or wrong as before.
    assert_eq!(syntax::load(text, &[]).is_ok(), syntax::load(&once, &[]).is_ok());
});
