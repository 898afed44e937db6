//! Tokens and grammar.

use super::Case;

const TOP: &str = "expected a declaration (`object`, `spec`, `check`, `const`, `param`, `type`, \
                   `data`, `enum`, `struct`, `node` or `use`), found `hello`";

pub(crate) const FILES: &[Case] = &[
    ("const A = 1 «E010|#» \nconst B = 2", &["`#` means nothing here"]),
    (
        "const A = 1\n«E011|/*» never closed",
        &["this comment is not closed => comments nest: every `/*` needs a `*/`"],
    ),
    (
        "const A = «E010|\"text\"»\nconst B =«E012|» ",
        &[
            "there are no texts in the model language => use an `enum` for named values, `data` for opaque ones",
            "expected an expression, found the end of the file",
        ],
    ),
    ("«E012|hello» world", &[TOP]),
    ("const A «E012|2»", &["expected `=`, found `2`"]),
    ("const A = 3 «E012|4»\nconst B = 4", &["expected the end of the line, found `4`"]),
    (
        "const «E013|loop» = 3",
        &[
            "`loop` is a keyword and cannot be the name of a constant => choose another name, for example `loop_`",
        ],
    ),
    ("const A = 1 < 2 «E016|<» 3", &["comparisons cannot be chained => write `a < b && b < c`"]),
    ("const A = (1 + «E012|)»", &["expected an expression, found `)`"]),
    ("const A = «E010|1x»", &["a name cannot begin with a digit, nor a number end in letters"]),
    ("struct S { a: int, b «E012|int», c: bool }", &["expected `:`, found `int`"]),
    ("enum E { A, B«E012|.»C }", &["expected a comma or line end or `}`, found `.`"]),
    (
        "object O {\n  var x: int\n  «E012|hello»\n  op f() { }\n}",
        &[
            "expected a member (`var`, `op`, `fn`, `init`, `memory` or a declaration), found `hello`",
        ],
    ),
    (
        "object O {\n  op f() «E014|{»\n    if x == 1 {\n  }\n  op g() { }\n}",
        &["this `{` is not closed"],
    ),
    ("object O «E014|{»\n  op f() { }\nspec S { op f() { } }", &["this `{` is not closed"]),
    (
        "object O { op f() { } }\n«E018|op» g() { }",
        &[
            "`op` stands inside an object or specification => is a closing brace too many before it?",
        ],
    ),
    (
        "object O {\n  var «E012|x» = 3\n  op f() { }\n}",
        &["the type of `x` is missing => declare it as `var x: TYPE = ...`"],
    ),
    ("object O {\n  memory «E012|none»\n}", &["expected `gc`, `manual` or `stable`, found `none`"]),
    (
        "object O {\n  init { }\n  «E020|init» { }\n  op f() { }\n}\nspec S { op f() { } }\ncheck O against S",
        &["`init` is given twice"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O «E012|with» S",
        &["expected `against`, found `with`"],
    ),
    (
        "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S { «E019|thread» 2 }",
        &["there is no setting `thread` => did you mean `threads`?"],
    ),
    (
        "spec S { var s: set<int«E012|>=» {1}\nop f() { } }",
        &["`>=` is one sign; put a space between `>` and `=`"],
    ),
    // Several mistakes, one message each.
    (
        "const A «E012|1»\nconst B = 2\nconst C «E012|3»",
        &["expected `=`, found `1`", "expected `=`, found `3`"],
    ),
];

pub(crate) const CODE: &[Case] = &[
    ("let x «E012|5»", &["expected `=` or `: type`, found `5`"]),
    ("num =«E012|» \nflag = true", &["expected an expression, found the end of the line"]),
    ("if num «E017|=» 3 { flag = true }", &["`=` assigns; a condition compares with `==`"]),
    ("if «E012|{» flag = true }", &["expected a condition, found `{`"]),
    ("num = 1 «E012|num» = 2", &["expected the end of the line or `;`, found `num`"]),
    ("«E012|else» { }", &["this `else` has no `if` before it"]),
    ("«E012|{» }", &["a block needs a word before it => `atomic { }`, `loop { }`, `if c { }` ..."]),
    ("here: «E012|num» = 3", &["expected `loop`, `while` or `for` after a label, found `num`"]),
    (
        "«E018|const» X = 3",
        &[
            "`const` cannot be declared inside code => move it to the top of the file or of the object",
        ],
    ),
    ("flag = «E030|flag» & flag", &["`&` works on the bits of numbers => truth values have `&&`"]),
    ("num = «E012|()»", &["there is no empty tuple"]),
];
