//! Slots as bytes: how states are kept in the store.
//!
//! Almost every slot of a model is a small number, so a slot takes one byte, or five if it is 255 or
//! more. Exact (nothing is lost) and a quarter of the size of the slots, which is what the search
//! is bound by. A general compressor would cost more time than the memory traffic it saves.

const ESCAPE: u8 = u8::MAX;

/// So many slots are looked at together: small ones, which are nearly all, are copied with a few instructions.
const TOGETHER: usize = 16;

/// Replaces the contents of `bytes` by the packed form of `slots`.
#[inline]
pub fn pack(slots: &[u32], bytes: &mut Vec<u8>) {
    bytes.clear();
    append(slots, bytes);
}

/// Adds the packed form of `slots` to `bytes`. The form of a sequence is those of its parts, one after the other.
#[inline]
pub(crate) fn append(slots: &[u32], bytes: &mut Vec<u8>) {
    bytes.reserve(slots.len());
    for slots in slots.chunks(TOGETHER) {
        if slots.iter().fold(0, |all, &s| all | s) < u32::from(ESCAPE) {
            bytes.extend(slots.iter().map(|&s| s as u8));
            continue;
        }
        for &slot in slots {
            if slot < u32::from(ESCAPE) {
                bytes.push(slot as u8);
            } else {
                bytes.push(ESCAPE);
                bytes.extend_from_slice(&slot.to_le_bytes());
            }
        }
    }
}

/// Adds to `slots` what was packed.
#[inline]
pub(crate) fn unpack(bytes: &[u8], slots: &mut Vec<u32>) {
    slots.reserve(bytes.len());
    let mut rest = bytes;
    while let Some((&first, tail)) = rest.split_first() {
        if let Some((small, tail)) = rest.split_first_chunk::<TOGETHER>()
            && small.iter().fold(0, |most, &b| b.max(most)) < ESCAPE
        {
            slots.extend(small.iter().map(|&b| u32::from(b)));
            rest = tail;
        } else if first == ESCAPE
            && let Some((word, tail)) = tail.split_first_chunk::<4>()
        {
            slots.push(u32::from_le_bytes(*word));
            rest = tail;
        } else {
            slots.push(u32::from(first));
            rest = tail;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back() {
        let (mut bytes, mut back) = (Vec::new(), Vec::new());
        for slots in
            [&[][..], &[0, 1, 254], &[255], &[256, 3, u32::MAX, 0], &[255, 255, 1, 0xff00_ff00]]
        {
            pack(slots, &mut bytes);
            back.clear();
            unpack(&bytes, &mut back);
            assert_eq!(back, slots);
        }
    }

    #[test]
    fn large_slots_may_be_anywhere() {
        let (mut bytes, mut back) = (Vec::new(), Vec::new());
        for length in 0..3 * TOGETHER {
            for large in 0..=length {
                for large_too in 0..=length {
                    let mut slots: Vec<u32> = (0..length as u32).map(|i| i * 5).collect();
                    for at in [large, large_too] {
                        if let Some(slot) = slots.get_mut(at) {
                            *slot = 255 + at as u32 * 0x0001_0101;
                        }
                    }
                    pack(&slots, &mut bytes);
                    back.clear();
                    unpack(&bytes, &mut back);
                    assert_eq!(back, slots);
                }
            }
        }
    }
}
