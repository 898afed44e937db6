//! Objects and specifications as parts of objects: they mean what one would write out by hand.

use linchpin_lin::program::{Program, Unit};
use linchpin_lin::syntax;

use crate::print::proc;

const AROUND: &str = "
spec S { op a() { }  op b() -> int { return 0 } }
check O against S { threads 1, ops 1 }
";

fn load(text: &str) -> Program {
    let text = format!("{text}{AROUND}");
    let loaded = syntax::load(&text, &[]).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert!(loaded.warnings.is_empty(), "{:#?}", loaded.warnings);
    loaded.program
}

/// The object `O`, without places in the text.
fn shown(program: &Program) -> String {
    let unit: &Unit = &program.objects.iter().find(|o| o.unit.name == "O").expect("it").unit;
    let vars: Vec<_> =
        unit.vars.iter().map(|v| format!("{}: {:?} = {:?}", v.name, v.ty, v.init)).collect();
    let procs = unit.procs.iter().chain(&unit.init);
    let procs: Vec<_> = procs.map(|p| format!("{} {{ {} }}", p.name, proc(p, unit))).collect();
    format!("{}\n{}", vars.join("\n"), procs.join("\n")).replace('.', "_")
}

#[track_caller]
fn same(with_parts: &str, by_hand: &str) {
    assert_eq!(shown(&load(with_parts)), shown(&load(by_hand)));
}

#[test]
fn an_object_is_written_out_step_by_step() {
    same(
        "object Lock { var held: bool = true
           op take() { loop { if cas(held, false, true) { return } } }
           op give() { _set(false) }
           fn _set(b: bool) { held = b } }
         object O { var x: int
           var l: Lock
           op a() { l.take(); x = 1; l.give() }
           op b() -> int { return x } }",
        "object O { var x: int
           var l_held: bool = true
           op a() { l_take(); x = 1; l_give() }
           op b() -> int { return x }
           fn l_take() { loop { if cas(l_held, false, true) { return } } }
           fn l_give() { l__set(false) }
           fn l__set(b: bool) { l_held = b } }",
    );
}

#[test]
fn operations_of_a_specification_are_one_step_each() {
    same(
        "spec Cell { var x: int
           op put(v: int) { x = v }
           op get() -> int { return x } }
         object O { var p: Cell
           var q: Cell
           op a() { p.put(q.get() + p.get()); q.put(0) }
           op b() -> int { return q.get() } }",
        "object O { var p_x: int
           var q_x: int
           op a() { p_put(q_get() + p_get()); q_put(0) }
           op b() -> int { return q_get() }
           fn p_put(v: int) { atomic { p_x = v } }
           fn p_get() -> int { atomic { return p_x } }
           fn q_put(v: int) { atomic { q_x = v } }
           fn q_get() -> int { atomic { return q_x } } }",
    );
}

#[test]
fn parts_have_parts_and_begin_before_what_they_are_a_part_of() {
    same(
        "node N { v: int }
         object Inner { var n: N = new N { v: 1 }
           op get() -> int { return n.v } }
         object Middle { var i: Inner
           op get() -> int { return i.get() } }
         object O { var m: Middle
           var n: N
           init { n = new N { v: 2 } }
           op a() { n.v = m.get() }
           op b() -> int { return n.v } }",
        "node N { v: int }
         object O { var n: N
           var m_i_n: N
           init { m_init(); n = new N { v: 2 } }
           op a() { n.v = m_get() }
           op b() -> int { return n.v }
           fn m_get() -> int { return m_i_get() }
           fn m_i_get() -> int { return m_i_n.v }
           fn m_i_init() { m_i_n = new N { v: 1 } }
           fn m_init() { m_i_init() } }",
    );
}

#[track_caller]
fn refused(text: &str, wanted: &str) {
    let text = format!("{text}{AROUND}");
    let errors = syntax::load(&text, &[]).expect_err("it is wrong");
    let messages: Vec<_> = errors.iter().map(|e| e.message.as_str()).collect();
    assert_eq!(messages, [wanted]);
}

#[test]
fn what_cannot_be_a_part_is_refused_by_name() {
    let o = |vars: &str, a: &str| {
        format!("object O {{ {vars}\n op a() {{ {a} }}\n op b() -> int {{ return 0 }} }}\n")
    };
    let lock = "object Lock { var held: bool\n op take() { held = true } }\n";
    refused(&o("var o: O", ""), "`O` would be a part of itself");
    refused(&format!("{lock}{}", o("var l: [Lock; 2]", "")), "there is no type `Lock`");
    refused(
        &format!("{lock}{}", o("var l: Lock", "l.held = false")),
        "`l` is a part: only its operations can be used",
    );
    refused(&format!("{lock}{}", o("var l: Lock", "l.give()")), "`l` has no operation `give`");
    refused(
        &format!("{lock}{}", o("var l: Lock", "l.take(1)")),
        "`take` takes no arguments, but 1 is given",
    );
    refused(
        &format!("{lock}{}", o("var l: Lock\n init { l.take() }", "")),
        "`init` cannot call operations of parts: they have their own `init`",
    );
    refused(
        &format!("{lock}{}", o("memory manual\n var l: Lock", "")),
        "`Lock` has another `memory` than what it is a part of",
    );
    refused(
        &format!(
            "spec Q {{ var s: seq<int>\n op p() {{ s.push_back(1) }} }}\n{}",
            o("var q: Q", "")
        ),
        "`Q` has a `seq<int>`, which is for specifications alone",
    );
    refused(
        &format!("spec Q {{ var n: int\n op p() {{ assume n > 0 }} }}\n{}", o("var q: Q", "q.p()")),
        "a specification with `assume` cannot be a part: nobody says what waits",
    );
    refused(
        &format!("spec Q {{ var n: int\n op p() {{ n = 1\n meet }} }}\n{}", o("var q: Q", "q.p()")),
        "a specification with `meet` cannot be a part: its operations are not one step",
    );
    let spec = "spec T { var l: Lock\n op p() { } }\n";
    refused(
        &format!("{lock}{spec}{}", o("var x: int", "x = 1")),
        "a specification has no parts: it is one piece",
    );
}
