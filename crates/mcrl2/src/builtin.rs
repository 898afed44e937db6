//! The functions that mCRL2 has by itself, and their sorts.
//!
//! Numbers are overloaded as in mCRL2 (`Pos < Nat < Int`): each function has a list of sorts, and
//! the cheapest that the arguments fit is taken. Functions on lists, sets and bags are polymorphic:
//! their sorts are computed from those of the arguments.

use crate::sorts::{BOOL, INT, NAT, POS, Sort, SortId, Sorts, UNKNOWN};

/// A built-in function that needs the values of its arguments.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub(crate) enum Builtin {
    Not,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Negate,
    Add,
    Subtract,
    Multiply,
    Div,
    Mod,
    Exp,
    Abs,
    Max,
    Min,
    Successor,
    Predecessor,
    /// A conversion that changes nothing.
    Identity,
    /// To `Nat`, which negative numbers are not.
    ToNat,
    /// To `Pos`, which only positive numbers are.
    ToPos,
    Nil,
    Cons,
    Snoc,
    Concat,
    At,
    Size,
    Head,
    Tail,
    LastElement,
    Front,
    InList,
    EmptySet,
    /// The set with one more element.
    Insert,
    InSet,
    Union,
    Intersection,
    Difference,
    Complement,
    SetSize,
    Subset,
    ProperSubset,
    EmptyBag,
    /// The bag with an element some more times.
    Put,
    Count,
    BagUnion,
    BagIntersection,
    BagDifference,
    BagSubset,
    BagProperSubset,
    SetToBag,
    BagToSet,
    /// `f[x -> y]`.
    Update,
}

impl Builtin {
    /// How an application that has no value is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Builtin::Not | Builtin::Complement => "!",
            Builtin::Equal => "==",
            Builtin::Unequal => "!=",
            Builtin::Less | Builtin::ProperSubset | Builtin::BagProperSubset => "<",
            Builtin::LessEqual | Builtin::Subset | Builtin::BagSubset => "<=",
            Builtin::Negate | Builtin::Subtract => "-",
            Builtin::Add | Builtin::Union | Builtin::BagUnion => "+",
            Builtin::Multiply | Builtin::Intersection | Builtin::BagIntersection => "*",
            Builtin::Div => "div",
            Builtin::Mod => "mod",
            Builtin::Exp => "exp",
            Builtin::Abs => "abs",
            Builtin::Max => "max",
            Builtin::Min => "min",
            Builtin::Successor => "succ",
            Builtin::Predecessor => "pred",
            Builtin::Identity => "Pos2Nat",
            Builtin::ToNat => "Int2Nat",
            Builtin::ToPos => "Int2Pos",
            Builtin::Nil => "[]",
            Builtin::Cons => "|>",
            Builtin::Snoc => "<|",
            Builtin::Concat => "++",
            Builtin::At => ".",
            Builtin::Size | Builtin::SetSize => "#",
            Builtin::Head => "head",
            Builtin::Tail => "tail",
            Builtin::LastElement => "rhead",
            Builtin::Front => "rtail",
            Builtin::InList | Builtin::InSet => "in",
            Builtin::EmptySet => "{}",
            Builtin::EmptyBag => "{:}",
            Builtin::Insert => "insert",
            Builtin::Difference | Builtin::BagDifference => "-",
            Builtin::Put => "put",
            Builtin::Count => "count",
            Builtin::SetToBag => "Set2Bag",
            Builtin::BagToSet => "Bag2Set",
            Builtin::Update => "update",
        }
    }

    /// Is it written between its two arguments?
    pub(crate) fn is_infix(self) -> bool {
        !self.name().starts_with(|c: char| c.is_ascii_alphabetic())
            || matches!(self, Builtin::Div | Builtin::Mod | Builtin::InList | Builtin::InSet)
    }
}

/// A function with its sorts. `swapped` functions take their arguments the other way round
/// (`x > y` is `y < x`).
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) builtin: Builtin,
    pub(crate) parameters: Vec<SortId>,
    pub(crate) result: SortId,
    pub(crate) swapped: bool,
}

/// The functions that a name may mean with arguments of these sorts.
pub(crate) fn candidates(sorts: &mut Sorts, name: &str, given: &[SortId]) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut add = |builtin: Builtin, parameters: &[SortId], result: SortId| {
        let parameters = parameters.to_vec();
        found.push(Candidate { builtin, parameters, result, swapped: false });
    };
    for (builtin, parameters, result) in numeric(name, given.len()) {
        add(*builtin, parameters, *result);
    }
    match (name, given) {
        ("!", [BOOL | UNKNOWN]) => add(Builtin::Not, &[BOOL], BOOL),
        ("==" | "!=" | "<" | "<=" | ">" | ">=", [a, b]) => {
            if let Some(common) = sorts.join(*a, *b) {
                let bag = matches!(sorts.get(common), Sort::Bag(_) | Sort::FBag(_));
                let set = matches!(sorts.get(common), Sort::Set(_) | Sort::FSet(_));
                let builtin = match (name, set, bag) {
                    ("==", ..) => Builtin::Equal,
                    ("!=", ..) => Builtin::Unequal,
                    ("<" | ">", true, _) => Builtin::ProperSubset,
                    ("<" | ">", _, true) => Builtin::BagProperSubset,
                    ("<" | ">", ..) => Builtin::Less,
                    (_, true, _) => Builtin::Subset,
                    (_, _, true) => Builtin::BagSubset,
                    _ => Builtin::LessEqual,
                };
                let (parameters, swapped) = (vec![common; 2], matches!(name, ">" | ">="));
                found.push(Candidate { builtin, parameters, result: BOOL, swapped });
            }
        }
        _ => lists(sorts, name, given, &mut found),
    }
    found
}

type Typing = (Builtin, &'static [SortId], SortId);

/// The functions on numbers.
fn numeric(name: &str, arguments: usize) -> &'static [Typing] {
    use Builtin::{
        Abs, Add, Div, Exp, Identity, Max, Min, Mod, Multiply, Negate, Predecessor, Subtract,
        Successor, ToNat, ToPos,
    };
    match (name, arguments) {
        ("+", 2) => &[
            (Add, &[POS, POS], POS),
            (Add, &[POS, NAT], POS),
            (Add, &[NAT, POS], POS),
            (Add, &[NAT, NAT], NAT),
            (Add, &[INT, INT], INT),
        ],
        ("-", 2) => &[
            (Subtract, &[POS, POS], INT),
            (Subtract, &[NAT, NAT], INT),
            (Subtract, &[INT, INT], INT),
        ],
        ("-", 1) => &[(Negate, &[POS], INT), (Negate, &[NAT], INT), (Negate, &[INT], INT)],
        ("*", 2) => &[
            (Multiply, &[POS, POS], POS),
            (Multiply, &[NAT, NAT], NAT),
            (Multiply, &[INT, INT], INT),
        ],
        ("div", 2) => &[(Div, &[NAT, POS], NAT), (Div, &[INT, POS], INT)],
        ("mod", 2) => &[(Mod, &[NAT, POS], NAT), (Mod, &[INT, POS], NAT)],
        ("exp", 2) => &[(Exp, &[POS, NAT], POS), (Exp, &[NAT, NAT], NAT), (Exp, &[INT, NAT], INT)],
        ("abs", 1) => &[(Abs, &[INT], NAT)],
        ("max", 2) => &[
            (Max, &[POS, POS], POS),
            (Max, &[POS, NAT], POS),
            (Max, &[NAT, POS], POS),
            (Max, &[NAT, NAT], NAT),
            (Max, &[POS, INT], POS),
            (Max, &[INT, POS], POS),
            (Max, &[NAT, INT], NAT),
            (Max, &[INT, NAT], NAT),
            (Max, &[INT, INT], INT),
        ],
        ("min", 2) => &[(Min, &[POS, POS], POS), (Min, &[NAT, NAT], NAT), (Min, &[INT, INT], INT)],
        ("succ", 1) => {
            &[(Successor, &[POS], POS), (Successor, &[NAT], POS), (Successor, &[INT], INT)]
        }
        ("pred", 1) => {
            &[(Predecessor, &[POS], NAT), (Predecessor, &[NAT], INT), (Predecessor, &[INT], INT)]
        }
        ("Int2Nat", 1) => &[(ToNat, &[INT], NAT)],
        ("Pos2Nat", 1) => &[(Identity, &[POS], NAT)],
        ("Nat2Int", 1) => &[(Identity, &[NAT], INT)],
        ("Pos2Int", 1) => &[(Identity, &[POS], INT)],
        ("Int2Pos", 1) => &[(ToPos, &[INT], POS)],
        ("Nat2Pos", 1) => &[(ToPos, &[NAT], POS)],
        _ => &[],
    }
}

/// The functions on lists, sets and bags.
fn lists(sorts: &mut Sorts, name: &str, given: &[SortId], found: &mut Vec<Candidate>) {
    let mut add = |builtin: Builtin, parameters: Vec<SortId>, result: SortId| {
        found.push(Candidate { builtin, parameters, result, swapped: false });
    };
    let shapes: Vec<Sort> = given.iter().map(|s| sorts.get(*s).clone()).collect();
    match (name, &shapes[..]) {
        ("#", [Sort::List(_)]) => add(Builtin::Size, given.to_vec(), NAT),
        ("#", [Sort::FSet(_) | Sort::Set(_)]) => add(Builtin::SetSize, given.to_vec(), NAT),
        ("head", [Sort::List(e)]) => add(Builtin::Head, given.to_vec(), *e),
        ("rhead", [Sort::List(e)]) => add(Builtin::LastElement, given.to_vec(), *e),
        ("tail", [Sort::List(_)]) => add(Builtin::Tail, given.to_vec(), given[0]),
        ("rtail", [Sort::List(_)]) => add(Builtin::Front, given.to_vec(), given[0]),
        (".", [Sort::List(e), _]) => add(Builtin::At, vec![given[0], NAT], *e),
        ("|>", [_, Sort::List(_) | Sort::Unknown]) | ("<|", [Sort::List(_) | Sort::Unknown, _]) => {
            cons(sorts, name, given, &mut add);
        }
        ("++", [Sort::List(_) | Sort::Unknown, Sort::List(_) | Sort::Unknown]) => {
            if let Some(list) = sorts.join(given[0], given[1]) {
                add(Builtin::Concat, vec![list; 2], list);
            }
        }
        ("in", [_, Sort::List(e)]) => {
            if let Some(element) = sorts.join(given[0], *e) {
                let list = sorts.intern(Sort::List(element));
                add(Builtin::InList, vec![element, list], BOOL);
            }
        }
        ("in", [_, Sort::Set(e) | Sort::FSet(e)]) => {
            if let Some(element) = sorts.join(given[0], *e) {
                let set = sorts.intern(Sort::Set(element));
                add(Builtin::InSet, vec![element, set], BOOL);
            }
        }
        ("in", [_, Sort::Bag(e) | Sort::FBag(e)]) => {
            if let Some(element) = sorts.join(given[0], *e) {
                let bag = sorts.intern(Sort::Bag(element));
                add(Builtin::InSet, vec![element, bag], BOOL);
            }
        }
        ("count", [_, Sort::Bag(e) | Sort::FBag(e)]) => {
            if let Some(element) = sorts.join(given[0], *e) {
                let bag = sorts.intern(Sort::Bag(element));
                add(Builtin::Count, vec![element, bag], NAT);
            }
        }
        ("!", [Sort::Set(e) | Sort::FSet(e)]) => {
            let set = sorts.intern(Sort::Set(*e));
            add(Builtin::Complement, vec![set], set);
        }
        ("Set2Bag", [Sort::Set(e) | Sort::FSet(e)]) => {
            let bag = sorts.intern(Sort::Bag(*e));
            add(Builtin::SetToBag, given.to_vec(), bag);
        }
        ("Bag2Set", [Sort::Bag(e) | Sort::FBag(e)]) => {
            let set = sorts.intern(Sort::Set(*e));
            add(Builtin::BagToSet, given.to_vec(), set);
        }
        ("+" | "-" | "*", [_, _]) => {
            let Some(common) = sorts.join(given[0], given[1]) else { return };
            let builtin = match (name, sorts.get(common)) {
                ("+", Sort::Set(_) | Sort::FSet(_)) => Builtin::Union,
                ("-", Sort::Set(_) | Sort::FSet(_)) => Builtin::Difference,
                ("*", Sort::Set(_) | Sort::FSet(_)) => Builtin::Intersection,
                ("+", Sort::Bag(_) | Sort::FBag(_)) => Builtin::BagUnion,
                ("-", Sort::Bag(_) | Sort::FBag(_)) => Builtin::BagDifference,
                ("*", Sort::Bag(_) | Sort::FBag(_)) => Builtin::BagIntersection,
                _ => return,
            };
            // What is taken from a finite set is finite, whatever is taken away.
            let finite = matches!(sorts.get(given[0]), Sort::FSet(_) | Sort::FBag(_));
            let result = if name == "-" && finite { given[0] } else { common };
            add(builtin, vec![common; 2], result);
        }
        _ => {}
    }
}

fn cons(
    sorts: &mut Sorts,
    name: &str,
    given: &[SortId],
    add: &mut dyn FnMut(Builtin, Vec<SortId>, SortId),
) {
    let (element, list) = if name == "|>" { (given[0], given[1]) } else { (given[1], given[0]) };
    let inner = match sorts.get(list) {
        Sort::List(e) => *e,
        _ => UNKNOWN,
    };
    let Some(element) = sorts.join(element, inner) else { return };
    let list = sorts.intern(Sort::List(element));
    match name {
        "|>" => add(Builtin::Cons, vec![element, list], list),
        _ => add(Builtin::Snoc, vec![list, element], list),
    }
}

/// The names of built-in functions, for suggestions.
pub(crate) const NAMES: &[&str] = &[
    "if", "head", "tail", "rhead", "rtail", "max", "min", "abs", "succ", "pred", "exp", "Pos2Nat",
    "Nat2Int", "Pos2Int", "Int2Nat", "Int2Pos", "Nat2Pos", "count", "Set2Bag", "Bag2Set",
];
