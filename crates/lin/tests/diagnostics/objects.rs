//! Objects and specifications as a whole, shared memory, `init`.

use super::Case;

pub(crate) const FILES: &[Case] = &[
    (
        "object O { op f() { } }\nobject «E020|O» { op f() { } }\nspec S { op f() { } }\ncheck O against S",
        &["the object `O` is declared twice"],
    ),
    (
        "object O { op f() { }\nop «E020|f»() { } }\nspec S { op f() { } }\ncheck O against S",
        &["the operation `f` is declared twice"],
    ),
    (
        "object O { var x: int\nvar «E020|x»: int\nop f() { } }\nspec S { op f() { } }\ncheck O against S",
        &["the variable `x` is declared twice"],
    ),
    (
        "object O { op f(a: 0..2, «E020|a»: 0..2) { } }\nspec S { op f(a: 0..2, b: 0..2) { } }\ncheck O against S",
        &["the parameter `a` is declared twice"],
    ),
    (
        "object O { fn «E020|cas»() { }\nop f() { } }\nspec S { op f() { } }\ncheck O against S",
        &["`cas` is the name of a primitive"],
    ),
    (
        "object «E012|O» { var x: int }\nspec S { op f() { } }\ncheck O against S",
        &["the object `O` has no operations => declare one: `op name(x: T) -> R { ... }`"],
    ),
    (
        "object O { var x: «E043|[[int; threads]; threads]»\nop f() { } }\nspec S { op f() { } }\ncheck O against S",
        &[
            "`[T; threads]` cannot be inside of another type => inside, use an array of a fixed size, as in `[[int; 3]; threads]`",
        ],
    ),
    (
        "object O { var x: «E043|[[int; ..]; 2]»\nop f() { } }\nspec S { op f() { } }\ncheck O against S",
        &["`[T; ..]` cannot be inside of another type => inside, use an array of a fixed size"],
    ),
    (
        "object O { op f() { let x: «E043|[int; ..]» } }\nspec S { op f() { } }\ncheck O against S",
        &["`[T; ..]` is for variables of objects only => inside, use an array of a fixed size"],
    ),
    (
        "object O { op f() { } }\nspec S { var x: «E043|[int; ..]»\nop f() { } }\ncheck O against S",
        &[
            "`[T; ..]` is for variables of objects only => specifications have `seq<T>`, which has no end either",
        ],
    ),
    (
        "object O { var x: [int; ..] = «E046|[0]»\nop f() { x[0] = 1 } }\nspec S { op f() { } }\ncheck O against S",
        &[
            "`[T; ..]` has no initial value: every cell begins with that of `T` => leave it out, or write cells in `init`",
        ],
    ),
    (
        "object O { var x: [int; ..]\nop f() { atomic { let y = «E041|x» } } }\nspec S { op f() { } }\ncheck O against S",
        &["an array without a stated end cannot be read as a whole => name an element"],
    ),
    (
        "object O { var x: [int; ..]\nop f() { x[«W004|-1»] = 0 } }\nspec S { op f() { } }\ncheck O against S",
        &["the array begins at 0: this is always a fault"],
    ),
    (
        "object O { var x: «E043|seq<int>»\nop f() { } }\nspec S { op f() { } }\ncheck O against S",
        &["objects cannot use `seq<int>` => build it from nodes or arrays"],
    ),
    (
        "node N { next: N }\nobject O { op f() { } }\nspec S { var n: «E043|N»\nop f() { } }\ncheck O against S",
        &[
            "specifications cannot use `N` => use `seq`, `set`, `bag` or `map` for the abstract state",
        ],
    ),
    (
        "object O { op f() { } }\nspec S { var l: «E043|lock»\nop f() { } }\ncheck O against S",
        &[
            "specifications need no locks => locks are variables of objects, fields of nodes, or arrays of locks",
        ],
    ),
    (
        "object O { op f() { } }\nspec S { «E044|memory gc»\nop f() { } }\ncheck O against S",
        &["specifications have no heap and no `memory`"],
    ),
    (
        "node N { next: N }\nobject O { op f(n: «E048|N») { } }\nspec S { op f() { } }\ncheck O against S",
        &["operations cannot take or return references => use a `fn` for code inside the object"],
    ),
    (
        "object O { op f() -> «E048|thread» { return self } }\nspec S { op f() { } }\ncheck O against S",
        &["operations cannot take or return threads => use a `fn` for code inside the object"],
    ),
    (
        "object O { fn a() { «E028|b()» }\nfn b() { c() }\nfn c() { a() }\nop f() { a() } }\nspec S { op f() { } }\ncheck O against S",
        &[
            "recursion: `a`, `b`, `c` call each other => say how deep: `fn name(...) depth 3 { ... }`, or use a loop",
        ],
    ),
    (
        "object O { fn a(n: int) { «E028|a(n)» }\nop f() { a(1) } }\nspec S { op f() { } }\ncheck O against S",
        &["`a` calls itself => say how deep: `fn name(...) depth 3 { ... }`, or use a loop"],
    ),
    (
        "object O { var x: int\nop f() -> int { if x == 1 { return 2 } «E049|}» }\nspec S { op f() -> int { return 2 } }\ncheck O against S",
        &["not every path through `f` returns a value"],
    ),
    (
        "object O { var x: int\nop f() -> int { x «E049|}» }\nspec S { op f() -> int { return 2 } }\ncheck O against S",
        &["not every path through `f` returns a value => is this the result? then `return` it"],
    ),
    (
        "object O { op f() -> int { «E050|return» } }\nspec S { op f() -> int { return 2 } }\ncheck O against S",
        &["`return` needs a value of type `int`"],
    ),
    (
        "object O { fn «W002|g»() { }\nop f() { } }\nspec S { op f() { } }\ncheck O against S",
        &["the procedure `g` is never called"],
    ),
    (
        "object O { var x: 0..=3 = «E037|4»\nop f() { } }\nspec S { op f() { } }\ncheck O against S",
        &["4 is outside of the range 0..=3"],
    ),
    (
        "object O { var x: [int; threads] = «E030|3»\nop f() { } }\nspec S { op f() { } }\ncheck O against S",
        &[
            "every thread has an element of its own here => write `[x; threads]`: every element is `x` at first",
        ],
    ),
    (
        "object O { var t: thread = «E046|self»\nop f() { } }\nspec S { op f() { } }\ncheck O against S",
        &["`init` runs before there are threads: no `self` here"],
    ),
    (
        "object O { var x: int\ninit { «E046|await x == 0» }\nop f() { } }\nspec S { op f() { } }\ncheck O against S",
        &["`init` runs alone and cannot wait"],
    ),
    (
        "object O { var l: lock\ninit { «E046|lock»(l) }\nop f() { } }\nspec S { op f() { } }\ncheck O against S",
        &["`init` runs before there are threads: no `lock` here"],
    ),
    (
        "object O { var t: thread\ninit { «E046|g()» }\nfn g() { h() }\nfn h() { t = self }\nop f() { } }\nspec S { op f() { } }\ncheck O against S",
        &["`init` cannot call `g`, which needs a thread"],
    ),
    (
        "object «W006|O» { op f() { } }\nspec «W006|S» { op f() { } }\nobject P { op f() { } }\nspec T { op f() { } }\ncheck P against T",
        &[
            "no check uses the object `O` => `check O against SPEC { threads 2, ops 2 }`",
            "no check uses the specification `S`",
        ],
    ),
    (
        "enum A { X, Y }\nenum B { X, Z }\nobject O { var a: A = X\nop f() { let y = «E026|X»\nif a == y { } } }\nspec S { op f() { } }\ncheck O against S",
        &["`X` could be `A.X` or `B.X` => name the enum as well"],
    ),
];

pub(crate) const CODE: &[Case] = &[
    (
        "let x = num\ncas(«E040|x», 1, 2)",
        &[
            "`cas` needs a shared place; `x` is a local variable => name a variable of the object or a field of a node",
        ],
    ),
    (
        "let x = top\nll(«E040|x»)",
        &[
            "`ll` needs a shared place; `x` is a local variable => name a field of the node: `x.field`",
        ],
    ),
    ("cas(«E039|num + 1», 1, 2)", &["this is a value, not a place that can be operated on"]),
    ("cas(num, «E030|true», 2)", &["expected `0..=7`, found `bool`"]),
    ("«E032|cas»(num, 1)", &["`cas` takes 3 arguments, but 2 are given"]),
    ("fetch_add(«E030|flag», 1)", &["`fetch_add` needs a number, found `bool`"]),
    ("lock(«E030|num»)", &["expected a place of type `lock`, found `0..=7`"]),
    (
        "lock(«E030|top»)",
        &[
            "expected a place of type `lock`, found `Node` => name the field of the node that is the lock",
        ],
    ),
    ("try_lock(top.l)\nunlock(top.l)", &[]),
    (
        "let g = «E042|guard»",
        &["a lock cannot be read => use `lock(p)`, `unlock(p)` and `try_lock(p)`"],
    ),
    (
        "for t in threads in «E012|some» order { flag = t == self }",
        &["expected `any order`, found `some`"],
    ),
    ("for t in threads in any order { flag = t == self }", &[]),
    (
        "let x: «E043|lock»",
        &[
            "a lock cannot be a local variable, parameter, result or part of a struct => locks are variables of objects, fields of nodes, or arrays of locks",
        ],
    ),
    (
        "let a = «E041|arr»\nnum = a[0]",
        &[
            "a shared array is read as a whole, which is not one access => do it element by element, or inside `atomic { }`",
        ],
    ),
    (
        "let a = [1, 2, 3]\n«E041|arr» = a",
        &[
            "a shared array is written as a whole, which is not one access => do it element by element, or inside `atomic { }`",
        ],
    ),
    (
        "let b = «E041|top.bits»\nflag = b[0]",
        &[
            "a shared array is read as a whole, which is not one access => do it element by element, or inside `atomic { }`",
        ],
    ),
    ("atomic { let a = arr\narr = a }", &[]),
    (
        "let p = «E041|per»",
        &[
            "`[T; threads]` cannot be read as a whole => name an element, for example that of `self`",
        ],
    ),
    (
        "«E047|free(top)»",
        &[
            "`free` is not possible under `memory gc` => declare `memory manual` (or `stable`) in the object",
        ],
    ),
];
