//! Values: numbers, truth values, arrays and collections, which the language tells apart only when it
//! runs.
//!
//! A value is one machine word. Truth values lie outside the range of numbers, so equality is
//! equality of words, and a sum with a truth value is outside the range of numbers like one that is
//! too large. An array or collection is a number of [`Objects`](crate::objects::Objects), which has
//! one number for equal ones.

/// A value.
pub(crate) type Value = i32;

/// The greatest number; the smallest is its negative.
pub(crate) const MAX: Value = 1 << 30;
/// `false`
pub(crate) const FALSE: Value = i32::MIN;
/// `true`
pub(crate) const TRUE: Value = i32::MIN + 1;

/// What a method without result gives.
pub(crate) const NOTHING: Value = i32::MIN + 2;

/// The value of the first object; those of others are smaller.
const FIRST_OBJECT: Value = -MAX - 1;
/// How many objects there can be.
pub(crate) const MAX_OBJECTS: u32 = 1 << 29;

/// The value of an object.
pub(crate) fn object(number: u32) -> Value {
    FIRST_OBJECT - number as Value
}

/// The number of an object, if it is one.
pub(crate) fn number_of_object(v: Value) -> Option<u32> {
    let number = i64::from(FIRST_OBJECT) - i64::from(v);
    (0..i64::from(MAX_OBJECTS)).contains(&number).then_some(number as u32)
}

/// A truth value.
#[inline]
pub(crate) fn bool(b: bool) -> Value {
    FALSE + i32::from(b)
}

/// Is it a number?
#[inline]
pub(crate) fn is_number(v: Value) -> bool {
    v >= -MAX
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

/// Slots of numbers and of truth values are at most this.
pub(crate) const MAX_NUMBER_SLOT: u32 = ((MAX as u32) << 1) + 2;

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

/// As it is written; for objects see [`Objects::show`](crate::objects::Objects::show).
pub(crate) fn show(v: Value) -> String {
    match v {
        FALSE => "false".to_string(),
        TRUE => "true".to_string(),
        NOTHING => "nothing".to_string(),
        _ if !is_number(v) => "an array or collection".to_string(),
        _ => v.to_string(),
    }
}

/// What kind of value it is.
pub(crate) fn describe(v: Value) -> String {
    match v {
        FALSE | TRUE => format!("{} is a truth value", show(v)),
        NOTHING => "there is no value".to_string(),
        _ if !is_number(v) => "this is an array or collection".to_string(),
        _ => format!("{v} is a number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_keep_values_and_small_numbers_small() {
        for v in [FALSE, TRUE, 0, 1, -1, 2, -2, 126, MAX, -MAX, object(0), object(MAX_OBJECTS - 1)]
        {
            assert_eq!(from_slot(to_slot(v)), v);
        }
        assert_eq!(number_of_object(object(7)), Some(7));
        for v in [FALSE, TRUE, NOTHING, -MAX, MAX, 0] {
            assert_eq!(number_of_object(v), None);
        }
        assert!(!is_number(object(0)) && !is_number(NOTHING) && is_number(-MAX));
        for v in [FALSE, TRUE, 0, MAX, -MAX] {
            assert!(to_slot(v) <= MAX_NUMBER_SLOT);
        }
        for number in [0, 1, MAX_OBJECTS - 1] {
            assert!(to_slot(object(number)) > MAX_NUMBER_SLOT);
        }
        assert!(to_slot(126) < 255 && to_slot(-126) < 255);
    }
}
