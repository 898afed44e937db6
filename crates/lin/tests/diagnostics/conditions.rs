//! The conditions of checks, `against itself` and `point`.

use super::Case;

pub(crate) const FILES: &[Case] = &[
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S «E068|quiesent»",
        &["there is no condition `quiesent` => did you mean `quiescent`?"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S\n  linearizable, «E068|quiesent» { threads 2 }",
        &["there is no condition `quiesent` => did you mean `quiescent`?"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S\n  «E068|quiesent» expect holds",
        &["there is no condition `quiesent` => did you mean `quiescent`?"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S «E068|fair»",
        &[
            "there is no condition `fair` => the conditions are `linearizable`, `points`, `quasi`, `sequential`, `quiescent`, `strong`, `set_linearizable`, `interval_linearizable`, `lock_free`, `wait_free`, `obstruction_free`, `leak_free`, `ltl`",
        ],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S linearizable, «E063|leak_free»",
        &[
            "`leak_free` means nothing under `memory gc` => say `memory manual` or `memory stable` in the object",
        ],
    ),
    (
        "object O {\n  var c: condition\n  var l: lock\n  op f() {\n    signal(c)\n    wait(«E030|l», l)\n  }\n}\nspec S { op f() { } }\ncheck O against S",
        &[
            "`wait` needs a variable of type `condition` => as in `var ready: condition` among the variables of the object",
        ],
    ),
    (
        "object O {\n  var c: condition\n  var l: lock\n  op f() {\n    lock(l)\n    wait(c, l)\n    assert «E030|c»\n  }\n}\nspec S { op f() { } }\ncheck O against S",
        &["`c` is a condition, which has no value => use it with `wait`, `signal` and `broadcast`"],
    ),
    (
        "node N { c: «E043|condition» }\nobject O {\n  var n: N\n  op f() { n = null }\n}\nspec S { op f() { } }\ncheck O against S",
        &["a `condition` is a variable of an object, and no part of anything"],
    ),
    (
        "object O {\n  var c: condition\n  op f() -> bool {\n    broadcast(c)\n    return «E034|signal(c)»\n  }\n}\nspec S { op f() -> bool { return true } }\ncheck O against S",
        &["`signal` is a statement and has no value"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S ltl «E012|{» threads 2 }",
        &["expected a formula in quotation marks, found `{`"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S ltl \"[] «E070|call.g»\"",
        &["there is no operation `g`"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S ltl weak \"<> «E070|T3.call»\"",
        &["there is no thread `T3`: they are `T1` to `T2`"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S ltl \"call «E070|&»\"",
        &["`&` has no meaning in a formula"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S ltl «E070|\"X call\"»",
        &[
            "`X` has no place in a formula about an object => what the next step is depends on how execution is divided into steps",
        ],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S «E068|expect» holds",
        &[
            "there is no condition `expect` => `expect` follows a condition (`linearizable expect holds`) or stands in the braces",
        ],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S strong,«E012|»",
        &["expected a condition, found the end of the file"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S strong, «E012|{» threads 2 }",
        &["expected a condition, found `{`"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S\n  strong, «E020|strong»",
        &["the condition `strong` is asked for twice"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S strong expect «E063|succes»",
        &["`succes` cannot be expected => `holds`, `violated`, `deadlock` or `fault KIND`"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S strong expect holds «E063|quiescent»",
        &["nothing follows `expect holds`"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S quasi«E012|»\ncheck O against S",
        &["expected the groups of `quasi`, such as `{ deq: 2 }`, found the end of the line"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S quasi «E012|expect» holds",
        &["expected the groups of `quasi`, such as `{ deq: 2 }`, found `expect`"],
    ),
    (
        "data V\nenum C { Red, Green }\nobject Q { op enq(v: V) { }\nop deq() -> V? { return empty }\nop num() -> 0..=3 { return 1 }\nop col() -> C { return Red } }\ncheck Q against itself quasi { deq «E012|2» }",
        &["expected `:`, found `2`"],
    ),
    (
        "data V\nenum C { Red, Green }\nobject Q { op enq(v: V) { }\nop deq() -> V? { return empty }\nop num() -> 0..=3 { return 1 }\nop col() -> C { return Red } }\ncheck Q against itself quasi { «E061|dequ»: 2 }",
        &["the object has no operation `dequ` => did you mean `deq`?"],
    ),
    (
        "data V\nenum C { Red, Green }\nobject Q { op enq(v: V) { }\nop deq() -> V? { return empty }\nop num() -> 0..=3 { return 1 }\nop col() -> C { return Red } }\ncheck Q against itself quasi { deq: «E063|65» }",
        &["the factor of a group is from 0 to 64, not 65"],
    ),
    (
        "data V\nenum C { Red, Green }\nobject Q { op enq(v: V) { }\nop deq() -> V? { return empty }\nop num() -> 0..=3 { return 1 }\nop col() -> C { return Red } }\ncheck Q against itself quasi { deq: «E063|-1» }",
        &["the factor of a group is from 0 to 64, not -1"],
    ),
    (
        "data V\nenum C { Red, Green }\nobject Q { op enq(v: V) { }\nop deq() -> V? { return empty }\nop num() -> 0..=3 { return 1 }\nop col() -> C { return Red } }\ncheck Q against itself quasi { deq: 1, «E020|deq»: 2 }",
        &["this is in a group already"],
    ),
    (
        "data V\nenum C { Red, Green }\nobject Q { op enq(v: V) { }\nop deq() -> V? { return empty }\nop num() -> 0..=3 { return 1 }\nop col() -> C { return Red } }\ncheck Q against itself quasi { deq -> some + num + «E020|deq -> some»: 2 }",
        &["this is in a group already"],
    ),
    (
        "data V\nenum C { Red, Green }\nobject Q { op enq(v: V) { }\nop deq() -> V? { return empty }\nop num() -> 0..=3 { return 1 }\nop col() -> C { return Red } }\ncheck Q against itself quasi { num -> 1: 1, num -> 2: 1, «E020|num -> 1»: 2 }",
        &["this is in a group already"],
    ),
    (
        "data V\nenum C { Red, Green }\nobject Q { op enq(v: V) { }\nop deq() -> V? { return empty }\nop num() -> 0..=3 { return 1 }\nop col() -> C { return Red } }\ncheck Q against itself quasi { «E069|num -> some»: 1 }",
        &["`some` is for options; `num` returns `0..=3` => `num` alone stands for all its results"],
    ),
    (
        "data V\nenum C { Red, Green }\nobject Q { op enq(v: V) { }\nop deq() -> V? { return empty }\nop num() -> 0..=3 { return 1 }\nop col() -> C { return Red } }\ncheck Q against itself quasi { num -> «E069|empty»: 1 }",
        &[
            "`empty` is for options; `num` returns `0..=3` => `num` alone stands for all its results",
        ],
    ),
    (
        "data V\nenum C { Red, Green }\nobject Q { op enq(v: V) { }\nop deq() -> V? { return empty }\nop num() -> 0..=3 { return 1 }\nop col() -> C { return Red } }\ncheck Q against itself quasi { enq -> «E069|3»: 1 }",
        &["`enq` returns nothing => `enq` alone stands for all its results"],
    ),
    (
        "data V\nenum C { Red, Green }\nobject Q { op enq(v: V) { }\nop deq() -> V? { return empty }\nop num() -> 0..=3 { return 1 }\nop col() -> C { return Red } }\ncheck Q against itself quasi { num -> «E037|4»: 1 }",
        &["4 is outside of the range 0..=3 of the result"],
    ),
    (
        "data V\nenum C { Red, Green }\nobject Q { op enq(v: V) { }\nop deq() -> V? { return empty }\nop num() -> 0..=3 { return 1 }\nop col() -> C { return Red } }\ncheck Q against itself quasi { num -> «E030|true»: 1 }",
        &["expected `0..=3`, found `bool`"],
    ),
    (
        "data V\nenum C { Red, Green }\nobject Q { op enq(v: V) { }\nop deq() -> V? { return empty }\nop num() -> 0..=3 { return 1 }\nop col() -> C { return Red } }\ncheck Q against itself quasi { deq: 1, deq -> some: 2, deq -> empty: 0, num -> 1 + num -> 2: 3, col -> Red + col -> C.Green: 1 }",
        &[],
    ),
    (
        "data V\nenum C { Red, Green }\nobject Q { op enq(v: V) { }\nop deq() -> V? { return empty }\nop num() -> 0..=3 { return 1 }\nop col() -> C { return Red } }\ncheck Q against itself quasi { }",
        &[],
    ),
    (
        "object O { op f() { } }\nspec «E013|itself» { op f() { } }\ncheck O against itself",
        &["`itself` cannot be the name of a specification"],
    ),
    (
        "object O { op f() { } }\ncheck O against «E060|itslef»",
        &["there is no specification `itslef` => did you mean `itself`?"],
    ),
    (
        "object O { op f() { } }\ncheck O against «E060|O»",
        &[
            "there is no specification `O` => to compare an object with itself, write `against itself`",
        ],
    ),
    (
        "object O { op f() { } }\nobject itself { op f() { } }\ncheck O against itself\ncheck itself against itself",
        &[],
    ),
    (
        "object O { var x: int\ninit { x = 1; «E046|point» }\nop f() { } }\ncheck O against itself",
        &["`init` belongs to no operation: no `point` here"],
    ),
    (
        "object O { init { «E046|g()» }\nfn g() { point }\nop f() { } }\ncheck O against itself",
        &["`init` cannot call `g`, which needs a thread"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { role a(1) script { f(); «E051|point» } }",
        &["`point` cannot be used in a script"],
    ),
    (
        "object O { op f() { } }\ncheck O against itself «W007|points»",
        &["no operation of the object has a `point` => `linchpin points` looks for points"],
    ),
    ("object O { op f() { g() }\nfn g() { point } }\ncheck O against itself points", &[]),
    ("object O { op f() { } }\ncheck O against itself linearizable", &[]),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S «W008|set_linearizable»",
        &["no operation of the specification says `meet`"],
    ),
    (
        "object O { op f() { } }\ncheck O against itself «E063|interval_linearizable»",
        &["`interval_linearizable` needs a specification that says `meet`"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { meet } }\ncheck O against S set_linearizable",
        &[],
    ),
    (
        "object O { op f() { «E074|meet» } }\ncheck O against itself",
        &[
            "`meet` is for operations of specifications => it says between which two parts of an operation others take effect",
        ],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { meet; «E074|meet» } }\ncheck O against S",
        &["an operation meets others once"],
    ),
    (
        "object O { op f() { } }\nspec S { var x: int\nop f() { if x == 0 { «E074|meet» } } }\ncheck O against S",
        &["`meet` stands in no block of an operation"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { g() }\nfn g() { «E074|meet» } }\ncheck O against S",
        &["`meet` is for operations, not for `init` or a `fn`"],
    ),
    (
        "object O { op f() { } }\nspec S { var x: int\nop f() { if x == 0 { «E074|return» }\nmeet } }\ncheck O against S",
        &[
            "an operation cannot return before it meets others => keep what to return in a variable, and return after `meet`",
        ],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { role a(1) script { f(); «E051|meet» } }",
        &["`meet` cannot be used in a script"],
    ),
];

pub(crate) const CODE: &[Case] = &[
    ("point for «E030|num»", &["expected `thread`, found `0..=7`"]),
    ("point «E012|num»", &["expected the end of the line or `;`, found `num`"]),
    ("point for «E021|t»", &["`t` is not declared"]),
    (
        "if flag { point }\nfor t in threads { point for t }\natomic { num = 1; point; point for self }",
        &[],
    ),
];

pub(crate) const SPEC: &[Case] = &[
    (
        "«E044|point»",
        &[
            "specifications have no `point`: their operations are atomic => a `point` says where an operation of an object takes effect",
        ],
    ),
    ("«E044|point for self»", &["specifications have no `point`: their operations are atomic"]),
];
