//! Statements and the flow of control.

use super::Case;

pub(crate) const OBJECT: &[Case] = &[
    (
        "«E071|goto» again",
        &[
            "there is no `goto` => name a loop, `again: loop { ... }`, and go on with `continue again`",
        ],
    ),
    (
        "«E072|match color» { Red => num = 1 }",
        &["`match` has no arm for `Green` => `_ => { }` is for all other values"],
    ),
    (
        "let x = 1\nlet «E020|x» = 2\nnum = x",
        &[
            "`x` is declared twice in the same block => assign to it without `let`, or choose another name",
        ],
    ),
    ("let x = 1\nif flag { let x = 2\nnum = x }\nnum = x", &[]),
    ("«E029|break»", &["`break` outside of a loop"]),
    (
        "a: loop { loop { break «E029|b» }\nbreak a }",
        &["there is no loop `b` around this => there is `a`"],
    ),
    ("a: loop { «E020|a»: loop { break a } }", &["the label `a` is declared twice"]),
    ("«W002|a»: loop { break }", &["the label `a` is never used"]),
    (
        "return «E050|3»",
        &[
            "a value is returned where there is no result => declare the result: `op name(...) -> TYPE`",
        ],
    ),
    ("return\n«W001|num = 3»", &["this is never reached"]),
    ("loop { num = 1 }\n«W001|num = 3»", &["this is never reached"]),
    ("let «W002|x» = num", &["the variable `x` is never read => call it `_x` if that is meant"]),
    ("let _x = num", &[]),
    ("if flag { assert false\nreturn }", &[]),
    (
        "«E018|data» V",
        &[
            "`data` cannot be declared inside code => move it to the top of the file or of the object",
        ],
    ),
    ("let «W003|num» = 3\nif num == 3 { }", &["`num` hides the variable of the same name"]),
    ("«W005|num == 3»", &["this has no effect => `==` compares; `=` assigns"]),
    ("«E034|null»", &["this is no statement: it has no effect"]),
    ("«E039|num + 1» = 3", &["this is a value, not a place that can be assigned to"]),
    ("«E039|K» = 3", &["`K` is a constant and cannot be assigned to"]),
    ("for i in 0..«E030|flag» { }", &["expected `int`, found `bool`"]),
    ("repeat «E012|3» { }", &["expected the end of the line or `;`, found `3`"]),
];

pub(crate) const SPEC: &[Case] =
    &[("atomic { n = 3 }", &[]), ("«E044|free(n)»", &["specifications have no heap"])];
