//! Ways to damage a text: its bytes, its words, its lines, its numbers, its nesting.

/// Numbers that look random (Marsaglia's xorshift).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        // Neighbouring seeds begin far from each other, and none with 0.
        Random((seed.wrapping_add(1)).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// Numbers at the borders of something.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "7",
    "63",
    "64",
    "65",
    "255",
    "256",
    "1000",
    "4096",
    "4097",
    "65536",
    "1000000",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775808",
    "99999999999999999999999",
];

/// Bytes that are no text, or text that cannot be seen.
const STRANGE: &[&[u8]] = &[
    b"\0",
    b"\x1b]0;x\x07",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xc2\x9b",
    b"\xe2\x80\xae",
    b"\xe2\x80\xa8",
    b"\xcc\x81",
    b"\r",
    b"\"",
    b"'",
    b"\\",
    b"%",
    b"#",
    b"/*",
    b"(*",
];

/// Brackets and prefixes that can be repeated around something.
const NESTS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("!", ""),
    ("-", ""),
    ("1 + ", ""),
    ("if (true) {", "}"),
    ("a -> ", ""),
    ("(a + ", ")"),
    ("[] ", ""),
    ("sum x: Bool. ", ""),
    ("forall x: Bool. ", ""),
    ("List(", ")"),
    ("seq<", ">"),
];

/// A text with one or two damages; `other` is where foreign pieces come from.
pub(super) fn damage(random: &mut Random, text: &[u8], other: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..1 + random.below(2) {
        match random.below(8) {
            0 => bytes(random, &mut text),
            1 => pieces(random, &mut text, other, |a, b| class(a) != class(b) || class(b) == 2),
            2 => pieces(random, &mut text, other, |a, _| a == b'\n'),
            3 => nest(random, &mut text),
            // A model with another number often still is one.
            _ => number(random, &mut text),
        }
        text.truncate(1 << 20);
    }
    text
}

fn class(byte: u8) -> u8 {
    match byte {
        b if b.is_ascii_alphanumeric() || b == b'_' || b >= 128 => 0,
        b if b.is_ascii_whitespace() => 1,
        _ => 2,
    }
}

fn bytes(random: &mut Random, text: &mut Vec<u8>) {
    let at = random.below(text.len() + 1);
    match random.below(5) {
        0 if at < text.len() => drop(text.remove(at)),
        1 if at < text.len() => text[at] ^= 1 << random.below(8),
        2 => drop(text.splice(at..at, random.of(STRANGE).iter().copied())),
        3 => {
            let strange = random.of(STRANGE).repeat(1 << random.below(12));
            drop(text.splice(at..at, strange));
        }
        _ => text.truncate(at),
    }
}

/// Divides both texts, and deletes, repeats, exchanges or replaces pieces.
fn pieces(random: &mut Random, text: &mut Vec<u8>, other: &[u8], ends: impl Fn(u8, u8) -> bool) {
    let mut list: Vec<&[u8]> = text.chunk_by(|a, b| !ends(*a, *b)).collect();
    let foreign: Vec<&[u8]> = other.chunk_by(|a, b| !ends(*a, *b)).collect();
    if list.is_empty() || foreign.is_empty() {
        return;
    }
    let (i, j) = (random.below(list.len()), random.below(list.len()));
    match random.below(5) {
        0 => drop(list.drain(i.min(j)..i.max(j).min(i.min(j) + 5))),
        1 => list.insert(j, list[i]),
        2 => list.swap(i, j),
        3 => list[i] = foreign[random.below(foreign.len())],
        _ => {
            let again = vec![list[i]; 1 << random.below(10)];
            drop(list.splice(j..j, again));
        }
    }
    *text = list.concat();
}

/// Replaces a number.
fn number(random: &mut Random, text: &mut Vec<u8>) {
    let starts: Vec<usize> = (0..text.len())
        .filter(|&i| text[i].is_ascii_digit() && (i == 0 || class(text[i - 1]) != 0))
        .collect();
    if starts.is_empty() {
        return;
    }
    let from = starts[random.below(starts.len())];
    let length = text[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    drop(text.splice(from..from + length, random.of(NUMBERS).bytes()));
}

/// Puts brackets around a word, many times.
fn nest(random: &mut Random, text: &mut Vec<u8>) {
    let list: Vec<&[u8]> = text.chunk_by(|a, b| class(*a) == class(*b)).collect();
    if list.is_empty() {
        return;
    }
    let i = random.below(list.len());
    let (open, close) = NESTS[random.below(NESTS.len())];
    let n = 1 << random.below(15);
    let nested = [open.repeat(n).as_bytes(), list[i], close.repeat(n).as_bytes()].concat();
    *text = [list[..i].concat(), nested, list[i + 1..].concat()].concat();
}
