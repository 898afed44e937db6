//! What kind of text surrounds a place, told from words and braces alone.
//!
//! Whoever completes a word has just broken the text, so the syntax tree cannot be asked. Braces and
//! the words before them are enough to know whether statements, members or settings belong here.

/// Where a place is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    pub(crate) place: Place,
    /// The object or specification around the place, or the object of the check.
    pub(crate) unit: Option<String>,
    /// The word before, if it is on the same line.
    pub(crate) before: Option<String>,
}

/// The kinds of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// At the top of the file.
    File,
    /// Between the members of an object or specification.
    Unit {
        spec: bool,
    },
    /// In code of an object, of a specification, or in a script.
    Object,
    Spec,
    Script,
    /// After `check`, before its settings; and among them.
    CheckHead,
    Check,
    /// Among the fields or values of a type, or in the braces of `new`.
    Fields,
    /// In a comment.
    Comment,
}

/// What surrounds an offset.
pub(crate) fn context(text: &str, offset: usize) -> Context {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut scan = Scan { text: &text[..end], at: 0, comment: false };
    let mut around: Vec<(Place, Option<String>)> = vec![(Place::File, None)];
    // What the next brace begins, and the words since it is known.
    let mut head: Option<(Place, Option<String>)> = None;
    let mut words: Vec<(String, usize)> = Vec::new();
    while let Some((piece, at)) = scan.next() {
        let inner = around.last().map_or(Place::File, |(place, _)| *place);
        match piece {
            "{" => {
                let same = || around.last().cloned().unwrap_or((Place::File, None));
                let next = head.take().unwrap_or_else(same);
                around.push(next);
            }
            "}" => {
                if around.len() > 1 {
                    around.pop();
                }
                head = None;
            }
            _ => {
                let last = words.last().map(|(w, _)| w.as_str());
                let unit = || around.last().and_then(|(_, unit)| unit.clone());
                match (piece, inner, last) {
                    (_, _, Some("object" | "spec")) if head_is_unit(&head) => {
                        head = head.map(|(place, _)| (place, Some(piece.to_string())));
                    }
                    ("object", Place::File, _) => head = Some((Place::Unit { spec: false }, None)),
                    ("spec", Place::File, _) => head = Some((Place::Unit { spec: true }, None)),
                    ("check", Place::File, _) => head = Some((Place::Check, None)),
                    ("against", Place::File, Some(object)) => {
                        head = Some((Place::Check, Some(object.to_string())));
                    }
                    ("op" | "fn" | "init", Place::Unit { spec }, _) => {
                        head = Some((if spec { Place::Spec } else { Place::Object }, unit()));
                    }
                    ("script", Place::Check, _) => head = Some((Place::Script, unit())),
                    ("enum" | "struct" | "node", Place::File | Place::Unit { .. }, _) => {
                        head = Some((Place::Fields, unit()));
                    }
                    ("new", Place::Object, _) => head = Some((Place::Fields, unit())),
                    // The head of a declaration ends where the next one begins.
                    ("const" | "param" | "type" | "data", Place::File, _) => head = None,
                    _ => {}
                }
                words.push((piece.to_string(), at));
            }
        }
    }
    let (mut place, mut unit) = around.pop().unwrap_or((Place::File, None));
    if let Some((Place::Check, object)) = head {
        (place, unit) = (Place::CheckHead, object);
    }
    if scan.comment {
        place = Place::Comment;
    }
    Context { place, unit, before: before(&text[..end], &words) }
}

fn head_is_unit(head: &Option<(Place, Option<String>)>) -> bool {
    matches!(head, Some((Place::Unit { .. }, None)))
}

/// The last word that is complete, if it is on the last line and nothing but blanks follows it.
fn before(text: &str, words: &[(String, usize)]) -> Option<String> {
    let typed = text.len() - text.trim_end_matches(is_word).len();
    let complete = &text[..text.len() - typed];
    let (word, at) = words.iter().rev().find(|(word, at)| at + word.len() <= complete.len())?;
    let between = &complete[at + word.len()..];
    let blank = between.chars().all(|c| c == ' ' || c == '\t') && !between.is_empty();
    blank.then(|| word.clone())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Words and braces of a text.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// Did the text end inside of a comment?
    comment: bool,
}

impl<'a> Scan<'a> {
    /// The next word or brace with its offset.
    fn next(&mut self) -> Option<(&'a str, usize)> {
        loop {
            let rest = &self.text[self.at..];
            let c = rest.chars().next()?;
            let start = self.at;
            if rest.starts_with("//") {
                self.comment = !rest.contains('\n');
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.at += self.comment_length(rest);
            } else if is_word(c) {
                self.at += rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                return Some((&self.text[start..self.at], start));
            } else {
                self.at += c.len_utf8();
                if c == '{' || c == '}' {
                    return Some((&self.text[start..self.at], start));
                }
            }
        }
    }

    /// The length of the nested comment at the beginning of a text.
    fn comment_length(&mut self, text: &str) -> usize {
        let (mut depth, mut at) = (0usize, 0);
        while let Some(next) = text.as_bytes().get(at..) {
            match next {
                [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
                [b'*', b'/', ..] if depth == 1 => return at + 2,
                [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
                [] => break,
                _ => at += 1,
            }
        }
        self.comment = true;
        text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
// object nothing {
node Node { $fields next: Node }
object Stack {
  $member
  op push(v: Value) { if v == 1 { $object } let n = new Node { $new } /* $comment
  */ return $return }
}
spec Queue { op deq() { $spec } $specmember }
$file
check a: Stack against $which Queue { $check role r(1) script { $script } }
";

    fn at(mark: &str) -> Context {
        let offset = TEXT.find(&format!("${mark}")).expect("a mark");
        context(TEXT, offset)
    }

    #[test]
    fn words_and_braces_tell_where_a_place_is() {
        let places = [
            ("fields", Place::Fields),
            ("member", Place::Unit { spec: false }),
            ("object", Place::Object),
            ("new", Place::Fields),
            ("comment", Place::Comment),
            ("return", Place::Object),
            ("spec", Place::Spec),
            ("specmember", Place::Unit { spec: true }),
            ("file", Place::File),
            ("which", Place::CheckHead),
            ("check", Place::Check),
            ("script", Place::Script),
        ];
        for (mark, place) in places {
            assert_eq!(at(mark).place, place, "{mark}");
        }
    }

    #[test]
    fn the_unit_is_the_one_around_or_the_object_of_the_check() {
        assert_eq!(at("object").unit.as_deref(), Some("Stack"));
        assert_eq!(at("spec").unit.as_deref(), Some("Queue"));
        assert_eq!(at("script").unit.as_deref(), Some("Stack"));
        assert_eq!(at("which").before.as_deref(), Some("against"));
        assert_eq!(at("return").before.as_deref(), Some("return"));
        assert_eq!(at("member").before, None);
    }

    #[test]
    fn any_offset_of_any_text_has_a_context() {
        for text in ["", "}}}", "{{{", "/* /*", "ü{ß}", "check", "object object {", "new {"] {
            for offset in 0..=text.len() + 2 {
                context(text, offset);
            }
        }
        assert_eq!(context("} object A { ", 13).place, Place::Unit { spec: false });
    }
}
