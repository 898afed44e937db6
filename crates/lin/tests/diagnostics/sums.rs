//! Enums whose values carry others.

use super::Case;

/// Code of an operation of an object with words that are a number, a pair, a node or nothing.
pub(crate) fn with_words(code: &str) -> String {
    let types = "enum Color { Red, Green }\nenum Word { Value(0..=7), Pair(bool, Color), Ref(Node), Gone }\n\
        enum Other { Value(int), Nothing }\nnode Node { next: Word }\n";
    let object = format!(
        "object O {{\nvar word: Word\nvar color: Color\nvar num: 0..=7\nop f() {{\n{code}\n}}\n}}\n"
    );
    format!("{types}{object}spec S {{ op f() {{ }} }}\ncheck O against S\n")
}

pub(crate) const FILES: &[Case] = &[
    (
        "enum E { A(«E012|x»: int) }",
        &["what a value of an enum carries has a type and no name => declare it as `A(TYPE)`"],
    ),
    (
        "enum E { A«E012|()» }",
        &["what does `A` carry? => a value that carries nothing has no brackets"],
    ),
    (
        "enum E { A(«E022|Nowhere») }\ndata Nowher",
        &["there is no type `Nowhere` => did you mean `Nowher`?"],
    ),
    ("enum E { A(int), «E020|A» }", &["the value `A` is declared twice"]),
    (
        "enum E { A(«E043|lock») }",
        &[
            "a value of an enum cannot carry a lock => locks are variables of objects, fields of nodes, or arrays of locks",
        ],
    ),
    (
        "enum E { A(«E043|condition») }",
        &["a `condition` is a variable of an object, and no part of anything"],
    ),
    (
        "enum E { A(«E043|[int; threads]») }",
        &["`[T; threads]` is for variables of objects and specifications only"],
    ),
    (
        "enum «E027|E» { A(E?), B }",
        &[
            "the enum `E` contains itself => an `enum` is a value; use a `node`, which is referred to",
        ],
    ),
    (
        "enum E { A(seq<int>), B }\nobject O { var x: «E043|E»\nop f() { } }\nspec S { op f() { } }\ncheck O against S",
        &["objects cannot use `E` => build it from nodes or arrays"],
    ),
    (
        "node N { next: N }\nenum E { A(N), B }\nobject O { op f(e: «E048|E») { } }\nspec S { op f(e: bool) { } }",
        &["operations cannot take or return references => use a `fn` for code inside the object"],
    ),
    (
        "node N { next: N }\nenum E { A(N), B }\nobject O { op f() { } }\nspec S { var e: «E043|E»\nop f() { } }\n\
         check O against S",
        &[
            "specifications cannot use `E` => use `seq`, `set`, `bag` or `map` for the abstract state",
        ],
    ),
    (
        "enum E { A(int), B }\nconst N = «E027|A(1)»\nstruct S { a: [int; N] }",
        &["a constant that types depend on cannot contain a value that carries others"],
    ),
];

pub(crate) const CODE: &[Case] = &[
    (
        "word = Word.Value(3)\nword = Word::Gone\nword = Ref(null)\nif word == Pair(true, Red) { }",
        &[],
    ),
    (
        "word = «E032|Pair»(true)",
        &["`Pair` carries 2 values, but 1 is given => it is written `Pair(..., ...)`"],
    ),
    ("word = «E032|Pair»", &["`Pair` carries 2 values => it is written `Pair(..., ...)`"]),
    (
        "word = «E032|Gone»(1)",
        &["`Gone` carries no values, but 1 is given => it stands alone: `Gone`"],
    ),
    ("word = Pair(«E030|1», Red)", &["expected `bool`, found `int`"]),
    ("word = Value(«W004|9»)", &["9 is outside of the range 0..=7: this is always a fault"]),
    ("word = «E030|Other.Value(1)»", &["expected `Word`, found `Other`"]),
    (
        "let x = «E026|Value»(1)",
        &["`Value` could be `Word.Value` or `Other.Value` => name the enum as well"],
    ),
    (
        "word = Word.«E024|Valu»(1)",
        &["the enum `Word` has no value `Valu` => did you mean `Value`?"],
    ),
    (
        "num = word.«E024|variant»",
        &["`Word` has no fields, so no `.variant` => `match` says what a `Word` carries"],
    ),
    ("let t = word\nnum = t.«E024|0»", &["`Word` is not a tuple"]),
    ("word = «E023|Word»(Gone, 1)", &["there is no procedure `Word`"]),
    (
        "match word { Value(v) => num = v, Ref(n) => word = n.next, Gone => { }, Pair(_, _) => { } }",
        &[],
    ),
    (
        "match word { Word.Value(0) => num = 1, Word::Pair(b, Red) => num = b ? 1 : 2, _ => { } }",
        &[],
    ),
    (
        "«E072|match word» { Value(v) => num = v, Gone => { } }",
        &["`match` has no arm for `Pair(_, _)`, `Ref(_)` => `_ => { }` is for all other values"],
    ),
    (
        "«E072|match word» { Value(0) => num = 1, Pair(true, _) => { }, Ref(_) => { }, Gone => { } }",
        &["`match` has no arm for `Value(_)`, `Pair(_, _)` => `_ => { }` is for all other values"],
    ),
    (
        "match word { «E032|Pair»(b) => num = b, _ => { } }",
        &["`Pair` carries 2 values, but 1 is given => it is written `Pair(..., ...)`"],
    ),
    (
        "match word { «E032|Value» => num = 1, _ => { } }",
        &["`Value` carries 1 value => it is written `Value(...)`"],
    ),
    (
        "match word { «E024|Valu»(v) => num = v, _ => { } }",
        &["the enum `Word` has no value `Valu` => did you mean `Value`?"],
    ),
    (
        "match word { «E030|Other».Value(v) => num = v, _ => { } }",
        &["this is for values of `Other`, and the value is of `Word` => write `Word`"],
    ),
    (
        "match num { «E030|Value(v)» => num = v, _ => { } }",
        &["`int` is no enum, so there is no `Value` of it"],
    ),
    (
        "match word { Pair(x, «E020|x») => color = x, _ => { } }",
        &[
            "`x` is declared twice in the same block => assign to it without `let`, or choose another name",
        ],
    ),
    (
        "match word { Value(«W002|v») => { }, _ => { } }",
        &["the variable `v` is never read => call it `_v` if that is meant"],
    ),
];
