//! Values: numbers and truth values, which the language tells apart only when it runs.
//!
//! A value is one machine word. Truth values lie outside the range of numbers, so equality is
//! equality of words, and a sum with a truth value is outside the range of numbers like one that is
//! too large.

/// A value.
pub(crate) type Value = i32;

/// The greatest number; the smallest is its negative.
pub(crate) const MAX: Value = 1 << 28;
/// `false`
pub(crate) const FALSE: Value = i32::MIN;
/// `true`
pub(crate) const TRUE: Value = i32::MIN + 1;

/// A truth value.
#[inline]
pub(crate) fn bool(b: bool) -> Value {
    FALSE + i32::from(b)
}

/// Is it a number?
#[inline]
pub(crate) fn is_number(v: Value) -> bool {
    v > TRUE
}

/// As a slot of a state: small numbers stay small.
#[inline]
pub(crate) fn to_slot(v: Value) -> u32 {
    match v {
        FALSE => 0,
        TRUE => 1,
        _ => (((v << 1) ^ (v >> 31)) as u32) + 2,
    }
}

/// Back from a slot.
#[inline]
pub(crate) fn from_slot(slot: u32) -> Value {
    match slot {
        0 => FALSE,
        1 => TRUE,
        _ => {
            let z = slot - 2;
            ((z >> 1) as i32) ^ -((z & 1) as i32)
        }
    }
}

/// As it is written.
pub(crate) fn show(v: Value) -> String {
    match v {
        FALSE => "false".to_string(),
        TRUE => "true".to_string(),
        _ => v.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_keep_values_and_small_numbers_small() {
        for v in [FALSE, TRUE, 0, 1, -1, 2, -2, 126, MAX, -MAX] {
            assert_eq!(from_slot(to_slot(v)), v);
        }
        assert!(to_slot(126) < 255 && to_slot(-126) < 255);
    }
}
