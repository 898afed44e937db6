//! Checks, their settings and clients.

use super::Case;

pub(crate) const FILES: &[Case] = &[
    (
        "param SIZE = 1\nobject O { op f() { } }\nspec S { op f() { } }\ncheck O(«E067|SIZ» = 2) against S",
        &["there is no `param SIZ` => did you mean `SIZE`?"],
    ),
    (
        "param «E067|SIZE» = 1\nobject O { op f() { } }\nspec S { op f() { } }\ncheck O(SIZE = true) against S",
        &["`SIZE=true` is not a value of type `int`"],
    ),
    (
        "param SIZE = 1\nnode Node { a: [int; SIZE] }\nobject O { op f() { } }\nspec S { op f() { } }\n\
         «E067|check O(SIZE = 2) against S»",
        &[
            "a field of a struct or node depends on this parameter => it can be set for the whole file, with `--set`",
        ],
    ),
    (
        "object Stack { op f() { } }\nspec S { op f() { } }\ncheck «E060|Stak» against S\ncheck Stack against S",
        &["there is no object `Stak` => did you mean `Stack`?"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against «E060|O»\ncheck O against S",
        &["there is no specification `O`"],
    ),
    (
        "object O { op «E062|push»() { } }\nspec S { op pusch() { } }\ncheck O against S",
        &["the specification `S` has no operation `push` => it has `pusch`; is that the same?"],
    ),
    (
        "object O { op «E062|f(x: 0..=1»)  { } }\nspec S { op f(x: 0..=2) { } }\ncheck O against S",
        &["`f` is not the same in `O` and `S`"],
    ),
    (
        "object O { op «E062|f() -> bool» { return true } }\nspec S { op f() { } }\ncheck O against S\ncheck O against S",
        &["`f` is not the same in `O` and `S`"],
    ),
    (
        "object O { data V\nop «E062|f(v: V»)  { } }\nspec S { data V\nop f(v: V) { } }\ncheck O against S",
        &["`f` is not the same in `O` and `S` => declare the type once, at the top of the file"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck a: O against S\ncheck «E020|a»: O against S",
        &["the check `a` is declared twice"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { threads «E063|9» }",
        &["the number of threads is from 1 to 8, not 9"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { threads «E063|0» }",
        &["the number of threads is from 1 to 8, not 0"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { threads 2, «E020|threads 3» }",
        &["the setting `threads` is declared twice"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { «E063|threads 2», role a(1) { f } }",
        &["`threads` and `role` exclude each other: the roles say how many there are"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\n«E063|check O against S» { role a(5) { f }, role b(4) { f } }",
        &["the roles have 9 threads together; at most 8 are possible"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { role a(1) { «E061|g» } }",
        &["the object has no operation `g` => the operations are `f`"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { role «E063|a»(1) { } }",
        &["the role `a` has no operations"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { role a(1) { f }, role «E020|a»(1) { f } }",
        &["the role `a` is declared twice"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { expect «E063|succes» }",
        &["`succes` cannot be expected => `holds`, `violated`, `deadlock` or `fault KIND`"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { expect fault «E063|assertoin» }",
        &["there is no fault `assertoin` => did you mean `assertion`?"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { expect holds «E063|maybe» }",
        &["nothing follows `expect holds`"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { heap «E030|true» }",
        &["expected `int`, found `bool`"],
    ),
    (
        "data Value\nobject O { op f(v: Value) { } }\nspec S { op f(v: Value) { } }\ncheck O against S { values «E063|Valeu»: 2 }",
        &["there is no `data` type `Valeu` => did you mean `Value`?"],
    ),
    (
        "enum C { A }\nobject O { op f(v: C) { } }\nspec S { op f(v: C) { } }\ncheck O against S { values «E063|C»: 2 }",
        &["`C` is not a `data` type; it has the values it has"],
    ),
    (
        "data Value\nobject O { op f(v: Value) { } }\nspec S { op f(v: Value) { } }\ncheck O against S { values Value: «E063|0» }",
        &["the number of values is from 1 to 64, not 0"],
    ),
    (
        "data Value\nobject O { op f(v: Value) { } }\nspec S { op f(v: Value) { } }\ncheck O against S { «E063|values f.v: {1, 2}» }",
        &[
            "the values of `Value` are opaque and cannot be listed => say how many there are: `values Value: 2`",
        ],
    ),
    (
        "object O { op f(x: int) { } }\nspec S { op f(x: int) { } }\n«E064|check O against S»",
        &[
            "which values of the `int` parameter `f.x` are to be tried? => add `values f.x: 0..=2` to the check, or give the parameter a type such as `0..=2`",
        ],
    ),
    (
        "object O { op f(x: 0..100) { } }\nspec S { op f(x: 0..100) { } }\n«E065|check O against S»",
        &[
            "the parameter `f.x` has more than 64 values => add `values f.x: {...}` to the check, with those to be tried",
        ],
    ),
    (
        "object O { op f(x: int) { } }\nspec S { op f(x: int) { } }\ncheck O against S { values f.x: «E065|0..100» }",
        &["these are 100 values; at most 64 are tried"],
    ),
    (
        "object O { op f(x: 0..3) { } }\nspec S { op f(x: 0..3) { } }\ncheck O against S { values f.x: {1, «E037|3»} }",
        &["3 is outside of the range 0..=2 of the parameter"],
    ),
    (
        "object O { op f(x: 0..3) { } }\nspec S { op f(x: 0..3) { } }\ncheck O against S { values f.«E063|y»: {1} }",
        &["the operation `f` has no parameter `y`"],
    ),
    (
        "object O { op f(x: 0..3) { } }\nspec S { op f(x: 0..3) { } }\ncheck O against S { «E063|values f.x: {}» }",
        &["there has to be at least one value"],
    ),
    (
        "object O { const K = 2\nop f(x: 0..3) { } }\nspec S { op f(x: 0..3) { } }\ncheck O against S { role a(1) script { f(K) } }",
        &[],
    ),
    (
        "data V\nobject O { op f(«E066|x»: V?) { } }\nspec S { op f(x: V?) { } }\ncheck O against S",
        &[
            "`V?` is not supported as type of a parameter => pass the parts as parameters of their own",
        ],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { role a(1) script { «E051|assert true» } }",
        &["`assert` cannot be used in a script"],
    ),
    (
        "object O { var x: int\nop f() { } }\nspec S { op f() { } }\ncheck O against S { role a(1) script { if «E021|x» == 1 { f() } } }",
        &["`x` is not declared"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { role a(1) script { «E061|g»() } }",
        &["the object has no operation `g` => the operations are `f`"],
    ),
    (
        "object O { op f(x: int) { } }\nspec S { op f(x: int) { } }\ncheck O against S { role a(1) script { f(1) } }",
        &[],
    ),
    (
        "object O { op f(x: int) { } }\nspec S { op f(x: int) { } }\n«E064|check O against S» { role a(1) script { f(_) } }",
        &["which values of the `int` parameter `f.x` are to be tried?"],
    ),
    (
        "object O { op lock() { }\nop check() -> bool { return true } }\nspec S { op lock() { }\nop check() -> bool { return true } }\ncheck O against S { role a(1) script { if check() { lock() } } }",
        &[],
    ),
];
