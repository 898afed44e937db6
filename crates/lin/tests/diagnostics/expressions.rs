//! Names, types of values, calls and methods.

use super::Case;

pub(crate) const OBJECT: &[Case] = &[
    ("top = «E021|nul»", &["`nul` is not declared => did you mean `null`?"]),
    ("num = «E021|nmu»", &["`nmu` is not declared => did you mean `num`?"]),
    (
        "num = «E021|elsewhere»",
        &[
            "`elsewhere` is not declared => declare it with `let elsewhere = ...`, or as `var elsewhere: TYPE` of the object",
        ],
    ),
    ("flag = «E021|helper»", &["`helper` is not declared => to call it, write `helper(...)`"]),
    // What depends on something unknown stays silent.
    (
        "let x = «E021|unknown_thing»\nlet y = x + 1\nnum = y\nx.foo = y.bar[2]",
        &[
            "`unknown_thing` is not declared => declare it with `let unknown_thing = ...`, or as `var unknown_thing: TYPE` of the object",
        ],
    ),
    (
        "let x: «E022|Thing» = 3\nnum = x",
        &[
            "there is no type `Thing` => declare it, for example as `data Thing` if its values are opaque",
        ],
    ),
    ("num = «E030|true»", &["expected `0..=7`, found `bool`"]),
    ("if «E030|num» { }", &["expected `bool`, found `0..=7` => compare it: `... != 0`"]),
    ("if «E030|top» { }", &["expected `bool`, found `Node` => compare it: `... != null`"]),
    (
        "num = «E030|opt»",
        &[
            "expected `0..=7`, found `int?` => take the value out with `.unwrap()` (a fault if it is `empty`)",
        ],
    ),
    (
        "num = «E030|null»",
        &["expected `0..=7`, found `null` => declare the type as `0..=7?` and use `empty`"],
    ),
    ("num = «E030|empty»", &["expected `0..=7`, found `empty` => declare the type as `0..=7?`"]),
    ("top = «E030|empty»", &["expected `Node`, found `empty` => no node is `null`"]),
    (
        "num = «E030|self»",
        &["expected `0..=7`, found `thread` => `t as int` is the number of a thread"],
    ),
    (
        "let x = «E031|null»\nif x == top { }",
        &["the type of `null` cannot be told here => say it, as in `let x: Node = null`"],
    ),
    (
        "let x = «E031|empty»",
        &["the type of `empty` cannot be told here => say it, as in `let x: T? = empty`"],
    ),
    (
        "let x = «E031|[]»",
        &["the type of `[]` cannot be told here => say it, as in `let x: seq<T> = []`"],
    ),
    ("if num == «E030|flag» { }", &["expected `0..=7`, found `bool`"]),
    (
        "if «E033|val» < val { }",
        &[
            "`<` does not work on `Value`, whose values are opaque => declare it as numbers: `type Value = 0..=3`",
        ],
    ),
    (
        "num = «E033|val» + 1",
        &[
            "`+` does not work on `Value`, whose values are opaque => declare it as numbers: `type Value = 0..=3`",
        ],
    ),
    ("«E033|val» += 1", &["`+=` works on numbers, not on `Value`"]),
    ("«E030|flag» += 1", &["`+=` works on numbers, not on `bool`"]),
    ("flag = !«E030|num»", &["expected `bool`, found `0..=7` => write it like this"]),
    ("top = top.«E024|nxt»", &["`Node` has no field `nxt` => did you mean `next`?"]),
    ("num = pair.«E024|first»", &["`Pair` has no field `first` => there is `a`, `b`"]),
    ("num = num.«E024|x»", &["`0..=7` has no fields, so no `.x`"]),
    (
        "num = opt.«E024|x»",
        &["`int?` has no fields, so no `.x` => take the value out first: `.unwrap()`"],
    ),
    ("num = (1, 2).«E024|2»", &["`(int, int)` has 2 parts; the last one is `.1`"]),
    ("num = pair.«E024|0»", &["`Pair` is not a tuple"]),
    ("num = «E024|num»[0]", &["`0..=7` has no elements"]),
    ("num = arr[«E030|flag»]", &["expected `int`, found `bool`"]),
    ("num = per[«E030|0»]", &["expected `thread`, found `int`"]),
    ("num = arr[«W004|3»]", &["the array has 3 elements, from 0: this is always a fault"]),
    ("num = «W004|9»", &["9 is outside of the range 0..=7: this is always a fault"]),
    (
        "color = Color.«E024|Blue»",
        &["the enum `Color` has no value `Blue` => there is `Red`, `Green`"],
    ),
    ("flag = «E032|helper»()", &["`helper` takes 1 argument, but 0 are given"]),
    ("flag = helper(«E030|flag»)", &["expected `int`, found `bool`"]),
    ("flag = «E023|helpr»(1)", &["there is no procedure `helpr` => did you mean `helper`?"]),
    (
        "top = «E023|Node»(1)",
        &["there is no procedure `Node` => a node is made with `new Node { ... }`"],
    ),
    (
        "«E023|other»()",
        &[
            "`other` is an operation; only clients call operations => move what both need into a `fn`",
        ],
    ),
    ("pair = «E032|Pair»(1)", &["`Pair` takes 2 arguments, but 1 is given"]),
    ("top = new «E022|Nod»", &["there is no node type `Nod` => did you mean `Node`?"]),
    (
        "pair = new «E022|Pair»",
        &["there is no node type `Pair` => a struct is built without `new`: `Pair(...)`"],
    ),
    (
        "top = new Node { «E024|value»: val }",
        &["`Node` has no field `value` => did you mean `val`?"],
    ),
    ("top = new Node { val: val, «E020|val»: val }", &["the field `val` is given twice"]),
    ("top = new Node { «E042|l»: 3 }", &["the lock `l` is free at first; it cannot be given"]),
    (
        "num = opt.«E025|is_here»()",
        &[
            "`int?` has no method `is_here` => compare with `== empty`, or take the value out with `unwrap()`",
        ],
    ),
    ("num = num.«E025|len»()", &["`0..=7` has no method `len`"]),
    (
        "let x = «E034|lock(guard)»",
        &["`lock` is a statement and has no value => `try_lock(p)` tells whether it took the lock"],
    ),
    (
        "num = «E030|num as thread»",
        &["expected `0..=7`, found `thread` => `t as int` is the number of a thread"],
    ),
    ("num = «E030|flag as int»", &["`bool` cannot become `int`"]),
    (
        "num = choose(«E030|num»)",
        &[
            "there is nothing to choose from in `0..=7` => `choose(a, b)`, `choose(lo..=hi)`, or an element of a `seq`, `set` or `bag`",
        ],
    ),
    ("let x: [int; 3] = «E030|[1, 2]»", &["`[int; 3]` has 3 elements, not 2 elements"]),
    (
        "let x = [«E035|num + 1»; 3]\nnum = x[0]",
        &[
            "the element of `[x; n]` has to be a constant or a local variable => name it with `let`, or fill the array in a loop",
        ],
    ),
    ("num = «E051|_»", &["`_` stands for any value of a parameter, in calls of scripts only"]),
    ("num = flag ? 1 : «E030|true»", &["expected `0..=7`, found `bool`"]),
];

pub(crate) const SPEC: &[Case] = &[
    ("if s == [1, 2] && set == {1} && s != [] { n = 1 }", &[]),
    ("let x = [[1], [«E030|true»]]\nn = x[0][0]", &["expected `int`, found `bool`"]),
    ("s.«E025|push»(1)", &["`seq<int>` has no method `push` => did you mean `push_back`?"]),
    ("s.push_back(«E030|true»)", &["expected `int`, found `bool`"]),
    ("s.«E032|push_back»()", &["`push_back` takes 1 argument, but 0 are given"]),
    ("n = vals.«E033|min»().foo", &["`min` needs numbers; `Value` has no order"]),
    ("n = «E039|(s, n).0».pop_back()", &["`pop_back` changes a variable, and this is a value"]),
    (
        "set = «E030|[1]»",
        &["a `set<int>` is written with braces => `{a, b}`, or `{}` if it is empty"],
    ),
    ("s = «E030|{1}»", &["a `seq<int>` is written with square brackets"]),
    (
        "m = «E030|{1}»",
        &["only empty maps can be written out => begin with `{}` and use `m[k] = v`"],
    ),
    ("n = «E034|s.clear()»", &["this has no value"]),
    ("let x = «E044|new Node»", &["only code of objects can make nodes"]),
    (
        "«E044|cas»(n, 1, 2)",
        &["specifications are sequential: no `cas` here => write `if p == old { p = new }`"],
    ),
    (
        "«E044|await n > 0»",
        &[
            "specifications do not wait => `assume c` says that the operation is possible only if `c` holds",
        ],
    ),
    (
        "let x: «E043|Node» = null",
        &[
            "specifications cannot use `Node` => use `seq`, `set`, `bag` or `map` for the abstract state",
        ],
    ),
];
