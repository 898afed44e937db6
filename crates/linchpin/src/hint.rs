//! Like `std::hint`.

use crate::runtime::{is_explored, with};

/// Says that the thread waits for another one to change something it has read. In a test it does not go on before that
/// has happened, or nobody else can do anything.
#[inline]
pub fn spin_loop() {
    if is_explored(0) {
        with(|world| world.spin());
        return;
    }
    std::hint::spin_loop();
}
