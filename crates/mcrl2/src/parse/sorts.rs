//! Sort expressions. `A # B -> C` is a function of two arguments; `->` associates to the right.

use super::Parser;
use crate::ast::{ConstructorDecl, SortExpr, SortKind};
use crate::lexer::Kind;
use crate::report::Checked;

impl Parser<'_> {
    /// A sort, perhaps of functions.
    pub(super) fn sort(&mut self) -> Checked<SortExpr> {
        self.nested(|p| {
            let start = p.span();
            let mut domain = p.product()?;
            if p.eat("->") {
                let result = Box::new(p.sort()?);
                let kind = SortKind::Function(domain, result);
                return Ok(SortExpr { kind, span: start.to(p.previous()) });
            }
            match (domain.len(), domain.pop()) {
                (1, Some(sort)) => Ok(sort),
                _ => Err(p.unexpected("`->` after a product of sorts")),
            }
        })
    }

    /// `A # B`, each without an arrow of its own.
    pub(super) fn product(&mut self) -> Checked<Vec<SortExpr>> {
        let mut factors = vec![self.basic_sort()?];
        while self.eat("#") {
            factors.push(self.basic_sort()?);
        }
        Ok(factors)
    }

    fn basic_sort(&mut self) -> Checked<SortExpr> {
        let start = self.span();
        let kind = match self.kind() {
            Kind::Id => {
                let name = self.name("a sort")?;
                SortKind::Named(name.text)
            }
            Kind::Symbol("(") => {
                self.advance();
                let sort = self.sort()?;
                self.expect(")", "after the sort")?;
                return Ok(sort);
            }
            Kind::Word(word) => match word {
                "Bool" | "Pos" | "Nat" | "Int" => {
                    self.advance();
                    match word {
                        "Bool" => SortKind::Bool,
                        "Pos" => SortKind::Pos,
                        "Nat" => SortKind::Nat,
                        _ => SortKind::Int,
                    }
                }
                "Real" => {
                    let why = "Linchpin has no real numbers, neither as data nor as time";
                    return Err(self.unsupported(start, "the sort `Real`", why));
                }
                "List" | "Set" | "FSet" | "Bag" | "FBag" => {
                    self.advance();
                    self.expect("(", "and the sort of the elements")?;
                    let element = Box::new(self.sort()?);
                    self.expect(")", "after the sort of the elements")?;
                    match word {
                        "List" => SortKind::List(element),
                        "Set" => SortKind::Set(element),
                        "FSet" => SortKind::FSet(element),
                        "Bag" => SortKind::Bag(element),
                        _ => SortKind::FBag(element),
                    }
                }
                "struct" => {
                    self.advance();
                    let mut constructors = vec![self.constructor()?];
                    while self.eat("|") {
                        constructors.push(self.constructor()?);
                    }
                    SortKind::Struct(constructors)
                }
                _ => return Err(self.unexpected("a sort")),
            },
            _ => return Err(self.unexpected("a sort")),
        };
        Ok(SortExpr { kind, span: start.to(self.previous()) })
    }

    /// `c(p: A, B)?is_c`.
    fn constructor(&mut self) -> Checked<ConstructorDecl> {
        let name = self.name("the name of a constructor")?;
        let mut fields = Vec::new();
        if self.eat("(") {
            loop {
                let named = self.kind() == Kind::Id && self.peek(1) == Kind::Symbol(":");
                let projection = match named {
                    true => {
                        let name = self.name("the name of a projection")?;
                        self.expect(":", "and the sort of the argument")?;
                        Some(name)
                    }
                    false => None,
                };
                fields.push((projection, self.sort()?));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")", "after the arguments of the constructor")?;
        }
        let recogniser =
            if self.eat("?") { Some(self.name("the name of a recogniser")?) } else { None };
        Ok(ConstructorDecl { name, fields, recogniser })
    }
}
