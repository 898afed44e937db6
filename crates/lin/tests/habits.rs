//! What people write who come from other languages: it means what they mean, or it is reported once, with the edit that
//! mends it.

use linchpin_lin::Diagnostic;
use linchpin_lin::syntax::{format, load};

/// A stack; what stands between `«` and `»` is replaced by the cases.
const STACK: &str = "\
node Node { val: int, next: Node }
object Stack {
  var top: Node
  var size: «int»
  var guard: lock
  op push(v: 0..=1) {
    let n = «new Node { val: v }»
    loop {
      let t = «top»
      «n.next = t»
      if «cas(top, t, n)» { return }
    }
  }
  op pop()« -> »int? {
    loop {
      let t = top
      if t == «null» { return «empty» }
      let next = t.next
      if cas(top, t, next) { return t.val }
    }
  }
}
spec StackSpec {
  var items: seq<int>
  op push(v: 0..=1) { items.push_back(v) }
  op pop() -> int? {
    if items.is_empty() { return empty }
    return items.pop_back()
  }
}
check Stack against «StackSpec» { «threads 2», ops 2 }
";

/// The stack with something else in one place, or as it is.
fn stack(change: Option<(&str, &str)>) -> String {
    let mut text = STACK.to_string();
    if let Some((from, to)) = change {
        let marked = format!("«{from}»");
        assert!(text.contains(&marked), "{from}");
        text = text.replacen(&marked, to, 1);
    }
    text.replace(['«', '»'], "")
}

fn errors(text: &str) -> Vec<Diagnostic> {
    load(text, &[]).err().unwrap_or_default()
}

fn messages(errors: &[Diagnostic]) -> Vec<String> {
    errors.iter().map(|d| d.message.clone()).collect()
}

/// The text with all edits of a diagnostic.
fn mended(text: &str, diagnostic: &Diagnostic) -> String {
    let mut edits: Vec<_> = diagnostic.edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    let mut text = text.to_string();
    for edit in edits {
        text.replace_range(edit.span.range(), &edit.replacement);
    }
    text
}

const INT: &str = "int";
const STATEMENT: &str = "n.next = t";

#[test]
fn what_has_one_meaning_is_accepted() {
    assert_eq!(messages(&errors(&stack(None))), [""; 0]);
    let accepted = [
        (INT, "usize"),
        (INT, "u32"),
        (INT, "i64"),
        (INT, "Option<int>"),
        (STATEMENT, "n.next = t; let mut k = 1; k += 1; size = k"),
        (STATEMENT, "n.next = t; size += 1; size -= 1; size *= 2; size /= 2; size %= 7"),
        (STATEMENT, "n.next = t; size++; size--"),
        (STATEMENT, "n->next = t"),
        (STATEMENT, "n.next = t; size = size & 3 | 4 ^ 1; size &= 1; size |= 2; size ^= 3"),
        (STATEMENT, "n.next = t; size = 1 << 3 >> 2; size = 0xff; size = 0b101"),
        (STATEMENT, "n.next = t; if size == 0 { size = 1 } size = 0"),
        (STATEMENT, "n.next = t; match size { 0 => { size = 1 } 1 => size = 2, _ => { } }"),
        (STATEMENT, "n.next = t; for i in 0..3 { size = i }"),
        ("top", "self.top"),
        ("empty", "None"),
        ("null", "(null)"),
    ];
    for (from, to) in accepted {
        let text = stack(Some((from, to)));
        assert_eq!(messages(&errors(&text)), [""; 0], "{to}");
        let formatted = format(&text).expect("the text is right");
        assert_eq!(format(&formatted).as_deref(), Ok(&*formatted), "{to}");
        assert_eq!(messages(&errors(&formatted)), [""; 0], "{formatted}");
    }
}

#[test]
fn what_is_written_otherwise_here_has_one_message_and_its_edit_mends_it() {
    let mended_by_an_edit = [
        ("null", "nil", "`nil` is not declared"),
        ("null", "nullptr", "`nullptr` is not declared"),
        ("cas(top, t, n)", "cas(&top, t, n)", "a place is named without `&`"),
        ("cas(top, t, n)", "cas(top, t, n, AcqRel)", "memory orders mean nothing here"),
        (
            "cas(top, t, n)",
            "cas(top, t, n, Ordering::AcqRel, Ordering::Relaxed)",
            "memory orders mean nothing here",
        ),
        ("cas(top, t, n)", "compare_exchange(top, t, n)", "this is written `cas`"),
        ("cas(top, t, n)", "top.compare_exchange(t, n)", "this is written `cas(place, old, new)`"),
        (
            "cas(top, t, n)",
            "top.compare_exchange_weak(t, n, Release, Relaxed)",
            "this is written `cas(place, old, new)`",
        ),
        ("cas(top, t, n)", "size == 0 and cas(top, t, n)", "`and` is written `&&`"),
        ("cas(top, t, n)", "size == 0 or cas(top, t, n)", "`or` is written `||`"),
        ("cas(top, t, n)", "not cas(top, t, n)", "`not` is written `!`"),
        ("cas(top, t, n)", "cas(top, t, n) then", "there is no `then`"),
        ("top", "top.load()", "a variable is read by naming it"),
        ("top", "top.load(Acquire)", "a variable is read by naming it"),
        (STATEMENT, "n.next.store(t)", "a variable is written with `=`"),
        (STATEMENT, "n.next := t", "`=` assigns"),
        (STATEMENT, "size := 1", "`=` assigns"),
        (STATEMENT, "(*n).next = t", "a node is named without `*`"),
        (STATEMENT, "var k = 1; size = k", "a local variable is declared with `let`"),
        (STATEMENT, "guard.lock(); unlock(guard)", "this is written `lock(place)`"),
        (STATEMENT, "lock(guard); guard.unlock()", "this is written `unlock(place)`"),
        (STATEMENT, "size.fetch_add(1)", "this is written `fetch_add(place, n)`"),
        (STATEMENT, "size.fetch_sub(1, SeqCst)", "this is written `fetch_add(place, -n)`"),
        (STATEMENT, "if size == 0 { } elif size == 1 { }", "this is written `else if`"),
        (STATEMENT, "# n.next = t", "`#` means nothing here"),
        ("new Node { val: v }", "new Node(v)", "the fields of a new node are named"),
        ("new Node { val: v }", "new Node(v, top)", "the fields of a new node are named"),
        (" -> ", ": ", "the type of the result follows `->`"),
        ("threads 2", "threads: 2", "the value of `threads` follows without a sign"),
        ("threads 2", "threads = 2", "the value of `threads` follows without a sign"),
        ("threads 2", "thread 2", "there is no setting `thread`"),
        (INT, "AtomicUsize", "there is no type `AtomicUsize`"),
        (INT, "boolean", "there is no type `boolean`"),
        (INT, "AtomicPtr<Node>", "there is no `AtomicPtr`: every variable can be shared"),
        (INT, "Option<Node>", "a `Node` may be `null`: no option is needed"),
        (INT, "*mut Node", "a variable of a `node` type refers to a node, or is `null`"),
        (INT, "int\n  let other: int", "`let` declares local variables; an object has `var`"),
        (INT, "int\n  int other;", "`int` begins nothing here"),
        (STATEMENT, "n.next = “t”", "names and values stand without quotation marks"),
        ("cas(top, t, n)", "(1)", "expected `bool`, found `int`"),
        ("cas(top, t, n)", "!t", "expected `bool`, found `Node`"),
        ("cas(top, t, n)", "!(size)", "expected `bool`, found `int`"),
        ("StackSpec", "Spec", "there is no specification `Spec`"),
    ];
    for (from, to, message) in mended_by_an_edit {
        let text = stack(Some((from, to)));
        let errors = errors(&text);
        assert_eq!(messages(&errors), [message], "{to}");
        let mended = mended(&text, &errors[0]);
        assert_eq!(messages(&self::errors(&mended)), [""; 0], "{to}:\n{mended}");
    }
}

#[test]
fn what_cannot_be_mended_by_an_edit_has_one_message_with_advice() {
    let advised = [
        (STATEMENT, "do { size = 1 } while size == 0", "there is no `do`"),
        (STATEMENT, "switch (size) { case 0: break; }", "there is no `switch`"),
        (STATEMENT, "goto retry", "there is no `goto`"),
        (STATEMENT, "fence(SeqCst)", "there are no fences"),
        (STATEMENT, "println!(\"hello\")", "models print nothing"),
        (STATEMENT, "for (i = 0; i < 3; i++) { size = i }", "`for` runs over a range"),
        (STATEMENT, "match size { 0 => size = 1 }", "`match` has no arm for other values"),
        (INT, "float", "there is no type `float`"),
        (INT, "String", "there is no type `String`"),
        (STATEMENT, "l.lock()", "`l` is not declared"),
        (STATEMENT, "return 5", "a value is returned where there is no result"),
        ("cas(top, t, n)", "cas(top, t)", "`cas` takes 3 arguments, but 2 are given"),
        ("cas(top, t, n)", "size == 0 &&", "expected an expression, found `{`"),
        (STATEMENT, "if size == 0 { size = 1", "this `{` is not closed"),
    ];
    for (from, to, message) in advised {
        let errors = errors(&stack(Some((from, to))));
        assert_eq!(messages(&errors), [message], "{to}");
        assert!(errors[0].help.is_some(), "{to}");
    }
}

#[test]
fn a_result_that_is_not_declared_is_one_mistake() {
    let text = stack(None).replacen("op pop() -> int? {", "op pop() {", 1);
    let errors = errors(&text);
    assert_eq!(messages(&errors), ["`pop` is not the same in `Stack` and `StackSpec`"]);
    assert_eq!(mended(&text, &errors[0]), stack(None));
}

#[test]
fn misspelled_words_are_named() {
    let text = stack(None);
    let words = [
        ("object Stack", "objct Stack", "object"),
        ("op push(v: 0..=1) {\n", "opp push(v: 0..=1) {\n", "op"),
        ("spec StackSpec", "speck StackSpec", "spec"),
    ];
    for (right, wrong, word) in words {
        let text = text.replacen(right, wrong, 1);
        let errors = errors(&text);
        assert_eq!(errors.len(), 1, "{:?}", messages(&errors));
        assert_eq!(errors[0].help, Some(format!("did you mean `{word}`?")));
    }
    let text = text.replace("node Node", "pub struct Node").replace("pub struct", "struct");
    assert_eq!(messages(&errors(&text)), ["the struct `Node` contains itself"]);
    // What depends on a declaration that failed is not wrong because of it.
    let text = stack(None).replace("items: seq<int>", "items: Vec<int>");
    assert_eq!(messages(&errors(&text)), ["this is written `seq`"]);
}

#[test]
fn structs_are_built_with_named_fields_too() {
    let text = |value: &str| {
        format!(
            "struct Pair {{ a: int, b: bool }}\nnode Node {{ a: int }}\nobject O {{\n  var p: Pair\n  var n: Node\n  \
             op f() {{ {value} }}\n}}\nspec S {{ op f() {{ }} }}\ncheck O against S\n"
        )
    };
    assert_eq!(messages(&errors(&text("p = Pair { a: 1, b: true }"))), [""; 0]);
    assert_eq!(
        messages(&errors(&text("p = Pair { b: true, a: 1 }"))),
        ["the fields of `Pair` are given in their order, all of them"]
    );
    let wrong = errors(&text("n = Node { a: 1 }"));
    assert_eq!(messages(&wrong), ["there is no struct `Node`"]);
    let mended = mended(&text("n = Node { a: 1 }"), &wrong[0]);
    assert_eq!(messages(&errors(&mended)), [""; 0], "{mended}");
}

#[test]
fn a_match_meets_every_value_once() {
    let object = |body: &str| {
        format!(
            "enum Color {{ Red, Green, Blue }}\nconst TWO = 2\nobject O {{\n  var c: Color\n  var o: int?\n  \
             var b: bool\n  op f() -> int {{\n{body}\n  }}\n}}\nspec S {{ op f() -> int {{ return 1 }} }}\n\
             check O against S {{ threads 1, ops 1 }}\n"
        )
    };
    let right = [
        "match c { Red => return 1, Green => return 2, Blue => { return 3 } }",
        "match c { Color.Red => return 1, Color::Green => return 2, _ => return 3 }",
        "match o { None => return 0, Some(x) => return x }",
        "match o { Some(_) => return 1, empty => { return 0 } }",
        "match b { true => return 1, false => return 0 }",
        "match 1 + 1 { TWO => return 1, n => return n }",
    ];
    for body in right {
        assert_eq!(messages(&errors(&object(body))), [""; 0], "{body}");
    }
    let wrong = [
        ("match c { Red => return 1, Green => return 2 }", "`match` has no arm for `Blue`"),
        ("match o { Some(x) => return x }", "`match` has no arm for `empty`"),
        ("match b { true => return 1 }", "`match` has no arm for `false`"),
        ("match c { Red => return 1, Grn => return 2, _ => return 3 }", "`Grn` is not declared"),
        (
            "match b { Some(x) => return 1, _ => return 2 }",
            "`bool` is no option, so there is no `Some` of it",
        ),
    ];
    for (body, message) in wrong {
        assert_eq!(messages(&errors(&object(body))), [message], "{body}");
    }
}
