//! Types and constants.

use super::Case;

pub(crate) const FILES: &[Case] = &[
    ("use «E073|\"nowhere.lin\"»", &["there is no file `nowhere.lin` to use"]),
    ("const A = 1\nconst «E020|A» = 2", &["the constant `A` is declared twice"]),
    ("data A\nenum «E020|A» { X }", &["the type `A` is declared twice"]),
    ("data «E020|int»", &["`int` is the name of a type that is always there"]),
    ("enum E { A, B, «E020|A» }", &["the value `A` is declared twice"]),
    ("enum «E012|E» { }", &["an `enum` needs at least one value"]),
    ("struct S { a: int, «E020|a»: bool }", &["the field `a` is declared twice"]),
    ("type T = «E022|Valu»\ndata Value", &["there is no type `Valu` => did you mean `Value`?"]),
    (
        "type T = «E022|Unknown»",
        &[
            "there is no type `Unknown` => declare it, for example as `data Unknown` if its values are opaque",
        ],
    ),
    ("const N = 3\ntype T = «E022|N»", &["there is no type `N` => a range is `0..N`"]),
    ("type T = «E032|seq»", &["`seq` needs the type of its elements => as in `seq<Value>`"]),
    ("type T = «E032|map<int>»", &["`map` takes 2 types, not 1 type"]),
    (
        "type T = «E022|list»<int>",
        &["`list` takes no types in `<` `>` => only `seq`, `set`, `bag` and `map` do"],
    ),
    ("type «E027|A» = B?\ntype B = (A, int)", &["the type `A` is defined by itself"]),
    ("const «E027|A» = B + 1\nconst B = A", &["the constant `A` is defined by itself"]),
    (
        "struct «E027|A» { b: B }\nstruct B { a: A? }",
        &[
            "the struct `A` contains itself => a `struct` is a value; use a `node`, which is referred to",
        ],
    ),
    ("type T = «E037|3..3»", &["the range is empty: nothing is from 3 to 2"]),
    (
        "const A = «E037|2147483648»\nconst B = -2147483648",
        &["the number is out of the range of 32 bits"],
    ),
    ("const A = «E036|2147483647 + 1»", &["the number is out of the range of 32 bits"]),
    ("const A = 3 + «E036|1 / 0»", &["division by zero"]),
    ("const A = «E035|threads»", &["this is not a constant"]),
    ("const A = «E035|foo»(1)", &["a constant cannot call `foo`"]),
    ("const A = «E021|B»", &["`B` is not declared"]),
    ("type T = [int; «E038|5000»]", &["an array has from 0 to 4096 elements, not 5000"]),
    (
        "type T = «E038|[[int; 100]; 100]»",
        &[
            "this type has too many parts; at most 4096 are allowed => use smaller arrays, or a `node`, which is one part wherever it is used",
        ],
    ),
    (
        "struct «E038|A» { a: [B; 65] }\nstruct B { b: [int; 64] }",
        &[
            "this type has too many parts; at most 4096 are allowed => use smaller arrays, or a `node`, which is one part wherever it is used",
        ],
    ),
    ("type T = [int; «E030|true»]", &["expected `int`, found `bool`"]),
    (
        "node N { s: «E043|seq<int>» }",
        &["objects cannot use `seq<int>` => build it from nodes or arrays"],
    ),
    (
        "node N { p: «E043|[int; threads]» }",
        &["`[T; threads]` is for variables of objects and specifications only"],
    ),
    (
        "struct S { l: «E043|lock» }",
        &[
            "a lock cannot be a local variable, parameter, result or part of a struct => locks are variables of objects, fields of nodes, or arrays of locks",
        ],
    ),
    (
        "node N { l: «E043|lock?» }",
        &[
            "a lock cannot be inside `lock?` => locks are variables of objects, fields of nodes, or arrays of locks",
        ],
    ),
];
