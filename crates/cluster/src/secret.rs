//! What processes have to know to belong together, and how they show that they know it without saying it.
//!
//! Everything is derived with BLAKE3, whose keyed mode is made for that: whoever does not know the key can neither produce the
//! sum of a message nor change a message and keep its sum.

/// A secret that all processes share.
#[derive(Clone)]
pub struct Secret([u8; 32]);

/// Sixteen bytes are more than anybody can guess.
const SHORTEST: usize = 16;

impl Secret {
    /// From what somebody has written; it must be long enough not to be guessed.
    pub fn from_text(text: &str) -> Result<Secret, String> {
        match text.trim().len() {
            length if length < SHORTEST => {
                Err(format!("a secret has at least {SHORTEST} characters, this one has {length}"))
            }
            _ => Ok(Secret(blake3::derive_key("linchpin cluster secret", text.trim().as_bytes()))),
        }
    }

    /// One that anybody may know, for processes that only hear their own machine.
    pub fn open() -> Secret {
        Secret(blake3::derive_key("linchpin cluster without a secret", b""))
    }

    /// A text that nobody knows, for a new secret.
    pub fn random_text() -> Result<String, String> {
        Ok(random()?.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The sum of some parts, for a purpose.
    pub(crate) fn sum(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in [purpose.as_bytes()].iter().chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.finalize().into()
    }

    /// Is this the sum? Takes the same time wherever they differ.
    pub(crate) fn is_sum(&self, sum: [u8; 32], purpose: &str, parts: &[&[u8]]) -> bool {
        blake3::Hash::from(sum) == blake3::Hash::from(self.sum(purpose, parts))
    }
}

/// Bytes that nobody has seen before.
pub(crate) fn random() -> Result<[u8; 32], String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| format!("there are no random numbers: {error}"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_knows_the_secret_knows_the_sums() {
        let (one, same) = (Secret::from_text("0123456789abcdef").unwrap(), "0123456789abcdef\n");
        let other = Secret::from_text("0123456789abcdeF").unwrap();
        let sum = one.sum("hello", &[b"ab", b"c"]);
        assert!(Secret::from_text(same).unwrap().is_sum(sum, "hello", &[b"ab", b"c"]));
        assert!(!one.is_sum(sum, "hello", &[b"a", b"bc"]));
        assert!(!one.is_sum(sum, "answer", &[b"ab", b"c"]));
        assert!(!other.is_sum(sum, "hello", &[b"ab", b"c"]));
        assert!(!Secret::open().is_sum(sum, "hello", &[b"ab", b"c"]));
        assert!(Secret::from_text("short").is_err());
        assert_ne!(Secret::random_text(), Secret::random_text());
    }
}
