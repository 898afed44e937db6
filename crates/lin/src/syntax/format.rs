//! The formatter: indentation and spaces, nothing else.
//!
//! Line ends mean something in the language, so lines are kept as they are; what changes is the
//! white space at the beginning of lines and between tokens, and the number of empty lines.
//! Comments at the ends of lines stay in their column where they can. The tokens stay the same, and formatting twice is the
//! same as formatting once.

use super::token::{Meaning, Tok, Token};
use super::{lexer, parse};
use linchpin_text::check_size;
use linchpin_text::{Diagnostic, Sink, Span};

const INDENT: usize = 2;

/// The text with its white space put in order, or the syntax errors that prevent it.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    check_size(text.len()).map_err(|d| vec![d])?;
    let mut sink = Sink::default();
    let tokens = lexer::lex(text, Span::new(0, text.len()), &mut sink);
    let meanings = parse::meanings(text, &tokens, &mut sink);
    if sink.errors() > 0 {
        return Err(sink.finish());
    }
    let pieces = pieces(text, &tokens, &meanings);
    let mut out = String::new();
    let mut state = State::default();
    let mut rest = pieces.as_slice();
    while let Some(first) = rest.first() {
        let next_line = rest.iter().skip(1).position(|p| p.newlines > 0);
        let (line, tail) = rest.split_at(next_line.map_or(rest.len(), |n| n + 1));
        let blank = first.newlines > 1 && !state.after_open && !closes(first) && !out.is_empty();
        if blank {
            out.push('\n');
        }
        state.line(line, tail, &mut out);
        rest = tail;
    }
    Ok(out)
}

/// A token or comment.
struct Piece<'a> {
    text: &'a str,
    /// `None` is a comment.
    tok: Option<(Tok, Meaning)>,
    /// Line ends between this and what is before.
    newlines: usize,
    /// Of a comment to the end of the line: the characters before it.
    column: usize,
}

/// Tokens and comments in order.
fn pieces<'a>(text: &'a str, tokens: &[Token], meanings: &[Meaning]) -> Vec<Piece<'a>> {
    let mut out = Vec::new();
    let mut at = 0;
    for (token, meaning) in tokens.iter().zip(meanings) {
        let range = token.span.range();
        let mut gap = &text[at..range.start];
        let mut newlines = 0;
        loop {
            let comment = gap.trim_start();
            newlines += gap[..gap.len() - comment.len()].matches('\n').count();
            if comment.is_empty() {
                break;
            }
            let line_comment = comment.starts_with("//");
            let (end, column) = if line_comment {
                let end = comment.find('\n').unwrap_or(comment.len());
                (end, column(text, range.start - comment.len()))
            } else {
                (block_comment(comment), 0)
            };
            let text = comment[..end].trim_end();
            out.push(Piece { text, tok: None, newlines, column });
            newlines = 0;
            gap = &comment[end..];
        }
        if token.tok != Tok::End {
            let tok = Some((token.tok, *meaning));
            out.push(Piece { text: &text[range.clone()], tok, newlines, column: 0 });
        }
        at = range.end;
    }
    out
}

/// The number of characters before an offset on its line.
fn column(text: &str, offset: usize) -> usize {
    let line = text[..offset].rfind('\n').map_or(0, |i| i + 1);
    text[line..offset].chars().count()
}

/// The length of the (nested) block comment at the start of the text.
fn block_comment(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] if depth == 1 => return at + 2,
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    text.len()
}

/// What is open at the beginning of a line.
#[derive(Default)]
struct State {
    /// Per open bracket: itself and the indentation of the line it is on.
    open: Vec<(Tok, usize)>,
    last: Option<(Tok, Meaning)>,
    /// Did the line before end in an opening brace?
    after_open: bool,
}

impl State {
    /// Writes a line; `below` is what follows it.
    fn line(&mut self, pieces: &[Piece<'_>], below: &[Piece<'_>], out: &mut String) {
        let start = out.len();
        let base = self.base_indent(pieces);
        let extra = usize::from(self.continues(pieces) || continues_check(pieces, below));
        out.extend(std::iter::repeat_n(' ', INDENT * (base + extra)));
        let mut before: Option<&Piece<'_>> = None;
        for (i, piece) in pieces.iter().enumerate() {
            let trailing = i > 0 && piece.tok.is_none() && piece.text.starts_with("//");
            if trailing {
                let line = out[start..].rsplit('\n').next().unwrap_or("");
                let gap = piece.column.saturating_sub(line.chars().count());
                out.extend(std::iter::repeat_n(' ', gap.max(1)));
            } else if before.is_some_and(|b| space(b, piece)) {
                out.push(' ');
            }
            out.push_str(piece.text);
            if let Some((tok, meaning)) = piece.tok {
                // A block is not moved by a head on several lines, but what a check holds is.
                let moved = matches!(meaning, Meaning::Groups | Meaning::Continues);
                self.bracket(tok, if moved { base + extra } else { base });
                self.last = piece.tok;
                self.after_open = tok == Tok::BraceOpen;
            } else if !trailing {
                self.after_open = false;
            }
            before = Some(piece);
        }
        out.push('\n');
    }

    fn bracket(&mut self, tok: Tok, base: usize) {
        match tok {
            Tok::BraceOpen | Tok::ParenOpen | Tok::SquareOpen => self.open.push((tok, base)),
            Tok::BraceClose | Tok::ParenClose | Tok::SquareClose => {
                self.open.pop();
            }
            _ => {}
        }
    }

    /// The indentation that follows from the brackets. Closing brackets at the beginning of a line
    /// stand below the line of their partners.
    fn base_indent(&self, pieces: &[Piece<'_>]) -> usize {
        let closing = pieces.iter().take_while(|p| closes(p)).count();
        match closing {
            0 => self.open.last().map_or(0, |o| o.1 + 1),
            n => self.open.len().checked_sub(n).map_or(0, |i| self.open[i].1),
        }
    }

    /// Does the line go on with the statement of the line before?
    fn continues(&self, pieces: &[Piece<'_>]) -> bool {
        let inside = matches!(self.open.last(), Some((Tok::ParenOpen | Tok::SquareOpen, _)));
        let (Some((first, _)), Some(last)) = (pieces[0].tok, self.last) else {
            return false;
        };
        if inside || closes(&pieces[0]) {
            return false;
        }
        let begins = first == Tok::Dot || first != Tok::Minus && is_infix(first);
        let ends = match last {
            (_, Meaning::Angle | Meaning::Optional | Meaning::Postfix) => false,
            (Tok::Comma | Tok::Semicolon, _) => false,
            (tok, _) => is_infix(tok) || tok == Tok::Dot,
        };
        begins || ends
    }
}

/// Does the line belong to the check before it? A comment does if what it stands above does.
fn continues_check(pieces: &[Piece<'_>], below: &[Piece<'_>]) -> bool {
    let first = match pieces.iter().find_map(|p| p.tok) {
        None => below.iter().find_map(|p| p.tok),
        first => first,
    };
    first.is_some_and(|(_, meaning)| meaning == Meaning::Continues)
}

fn closes(piece: &Piece<'_>) -> bool {
    matches!(piece.tok, Some((Tok::BraceClose | Tok::ParenClose | Tok::SquareClose, _)))
}

/// Marks that stand between two things.
fn is_infix(tok: Tok) -> bool {
    use Tok::*;
    matches!(
        tok,
        Assign
            | PlusAssign
            | MinusAssign
            | StarAssign
            | SlashAssign
            | PercentAssign
            | AmpAssign
            | PipeAssign
            | CaretAssign
            | Amp
            | Pipe
            | Caret
            | ShiftLeft
            | FatArrow
            | Plus
            | Minus
            | Star
            | Slash
            | Percent
            | EqEq
            | NotEq
            | Less
            | LessEq
            | Greater
            | GreaterEq
            | AndAnd
            | OrOr
            | Question
            | Colon
            | Arrow
            | DotDot
            | DotDotEq
    )
}

/// Is there a space between two neighbours on a line?
fn space(a: &Piece<'_>, b: &Piece<'_>) -> bool {
    use Meaning::{Angle, Half, Literal, Optional, Postfix, Prefix, Select};
    use Tok::*;
    let (Some((left, left_means)), Some((right, right_means))) = (a.tok, b.tok) else {
        return true;
    };
    match (left, right) {
        (ParenOpen | SquareOpen, _) | (_, ParenClose | SquareClose | Comma | Semicolon) => false,
        (Semicolon, DotDot) => true,
        (Dot | DotDot | DotDotEq, _) | (_, Dot | DotDot | DotDotEq) => false,
        (BraceOpen, _) if left_means == Literal => false,
        (_, BraceClose) if right_means == Literal => false,
        (_, _) if left_means == Prefix || left_means == Half => false,
        (_, _) if right_means == Postfix => false,
        (Less, _) if left_means == Angle => false,
        (_, Less | Greater) if right_means == Angle => false,
        (_, Question) if right_means == Optional => false,
        (_, Colon) => right_means == Select,
        // Calls and indices stand at what they belong to.
        (Ident | Choose | Free, ParenOpen) => false,
        (Ident | Threads | ParenClose | SquareClose, SquareOpen) => false,
        (Empty | New, ParenOpen) => true,
        _ => true,
    }
}
