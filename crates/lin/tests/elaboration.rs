//! What programs come out: short forms written out, types settled, checks resolved.

use crate::contract;
use crate::print::{block, proc};
use linchpin_lin::Value;
use linchpin_lin::display::display_value;
use linchpin_lin::program::{
    Against, Behaviour, Condition, DataDomain, DataId, Domain, Expect, FaultKind, OpId, Program,
    QuasiGroup, QuasiResult, SpecId, Type,
};
use linchpin_lin::syntax;

fn program(text: &str) -> Program {
    match syntax::load(text, &[]) {
        Ok(loaded) => {
            assert_eq!(contract::violations(&loaded.program), [""; 0], "{text}");
            loaded.program
        }
        Err(errors) => {
            let all: Vec<_> = errors.iter().map(|d| format!("{}: {}", d.code, d.message)).collect();
            panic!("{}\nin {text}", all.join("\n"))
        }
    }
}

const FRAME: &str = "data Value\nenum Color { Red, Green }\nstruct Pair { a: Node, b: 0..=3 }\n\
    node Node { val: Value, next: Node, pair: Pair, count: int }\n\
    object O {\n memory manual\n var top: Node\n var num: 0..=7\n var arr: [int; 3]\n var pair: Pair\n\
     var opt: Value?\n var per: [int; threads]\n var guard: lock\n\
     fn idx(n: int) -> int { return n }\n op f(v: Value) -> Value? {\n CODE\n return empty }\n}\n\
    spec S { op f(v: Value) -> Value? { return empty } }\ncheck O against S";

/// The code of `f` with these statements, without the last `return`.
fn code(statements: &str) -> String {
    let program = program(&FRAME.replace("CODE", statements));
    let unit = &program.objects[0].unit;
    let mut f = unit.op(OpId(0)).clone();
    f.body.pop();
    block(&f.body, &f, unit)
}

#[test]
fn let_declares_and_assigns() {
    assert_eq!(code("let n = top\nif n == null { }"), "n = top; if (n == null) { }");
    assert_eq!(code("let n: Node\nfree(n)"), "n = null; free(n)");
}

#[test]
fn values_become_options_where_options_are_wanted() {
    assert_eq!(code("opt = v"), "opt = Some(v)");
    assert_eq!(code("cas(opt, empty, v)"), "cas(opt, empty, Some(v))");
    assert_eq!(code("if opt == v { }"), "if (opt == Some(v)) { }");
    assert_eq!(code("if opt == empty { return v }"), "if (opt == empty) { return Some(v) }");
    assert_eq!(code("opt = num == 1 ? v : empty"), "opt = ((num == 1) ? Some(v) : empty)");
    assert_eq!(code("let x = choose(v, empty)\nopt = x"), "x = choose(Some(v), empty); opt = x");
}

#[test]
fn a_match_computes_its_value_once_and_the_last_arm_needs_no_comparison() {
    assert_eq!(
        code("match num { 0 => num = 1, 1 => { num = 2 } n => num = n - 1 }"),
        "matched = num; if (matched == 0) { num = 1 } else { if (matched == 1) { num = 2 } \
         else { n = matched; num = (n - 1) } }"
    );
    assert_eq!(
        code("match opt { None => return v, Some(x) => opt = x }"),
        "matched = opt; if (matched == empty) { return Some(v) } else { x = matched.unwrap(); \
         opt = Some(x) }"
    );
    assert_eq!(
        code("match opt { Some(_) => opt = None, empty => return Some(v) }"),
        "matched = opt; if (matched != empty) { opt = empty } else { return Some(v) }"
    );
}

#[test]
fn values_that_carry_others_are_written_out_with_all_that_variants_carry() {
    let text = "enum Word { Gone, Value(1..=3), Flag(bool) }\nobject O {\n var w: Word = Value(2)\n \
        op f(x: Word) -> bool {\n CODE\n return true }\n}\n\
        spec S { op f(x: Word) -> bool { return true } }\ncheck O against S";
    let code = |statements: &str| {
        let program = program(&text.replace("CODE", statements));
        let unit = &program.objects[0].unit;
        let f = unit.op(OpId(0)).clone();
        block(&f.body[..f.body.len() - 1].to_vec(), &f, unit)
    };
    assert_eq!(code("w = Flag(true)"), "w = [2, 1, true]");
    assert_eq!(code("cas(w, Word.Gone, Value(3))"), "cas(w, (0, 1, false), [1, 3, false])");
    assert_eq!(
        code("match w { Value(2) => w = Gone, Flag(b) => return b, _ => { } }"),
        "matched = w; if ((matched.a == 1) && (matched.b == 2)) { w = (0, 1, false) } else { \
         if (matched.a == 2) { b = matched.c; return b } }"
    );
    let program = program(&text.replace("CODE", ""));
    let Domain::OneOf(values) = &program.checks[0].domains[0][0] else { panic!("values") };
    let ty = &program.objects[0].unit.op(OpId(0)).locals[0].ty;
    let shown: Vec<_> = values.iter().map(|v| display_value(v, ty, &program)).collect();
    assert_eq!(shown, ["Gone", "Value(1)", "Value(2)", "Value(3)", "Flag(false)", "Flag(true)"]);
}

#[test]
fn other_spellings_mean_the_same() {
    assert_eq!(code("num++; num--"), "num = (num + 1); num = (num - 1)");
    assert_eq!(code("self.num = 1; self.top = self.top->next"), "num = 1; top = top.next");
    assert_eq!(code("let mut k = 0x1F & 3 << 1 | 1"), "k = ((31 & (3 << 1)) | 1)");
    assert_eq!(code("num = num >> 1 ^ 1 == 1 ? 0 : 1"), "num = ((((num >> 1) ^ 1) == 1) ? 0 : 1)");
    assert_eq!(code("if num == 0 { num = 1 } num = 2"), "if (num == 0) { num = 1 }; num = 2");
}

#[test]
fn updates_read_and_write_the_place() {
    assert_eq!(code("num += 2"), "num = (num + 2)");
    assert_eq!(code("let i = 0\narr[i] -= 1"), "i = 0; arr[i] = (arr[i] - 1)");
    assert_eq!(code("per[self] += 1"), "per[self] = (per[self] + 1)");
}

#[test]
fn updates_find_their_place_once() {
    assert_eq!(code("arr[idx(1)] += 1"), "index = idx(1); arr[index] = (arr[index] + 1)");
    assert_eq!(
        code("top.next.count += 1"),
        "reference = top.next; reference.count = (reference.count + 1)"
    );
    assert_eq!(
        code("top.pair.b += 1"),
        "reference = top; reference.pair.b = (reference.pair.b + 1)"
    );
}

#[test]
fn loops_over_ranges_count() {
    assert_eq!(
        code("for i in 0..3 { arr[i] = i }"),
        "i = 0; loop#0 (i < 3) { arr[i] = i } step { i = (i + 1) }"
    );
    assert_eq!(
        code("for i in num..=num { continue }"),
        "i = num; bound = num; loop#0 (i <= bound) { continue#0 } step { i = (i + 1) }"
    );
    assert_eq!(code("while true { break }"), "loop#0 { break#0 }");
    assert_eq!(code("a: loop { loop { break a\n}\n}"), "loop#0 { loop#1 { break#0 } }");
}

#[test]
fn loops_over_threads_count_threads() {
    assert_eq!(
        code("for t in threads { per[t] = 1 }"),
        "thread index = 0; loop#0 (thread index < threads) { t = threads[thread index]; per[t] = 1 } \
         step { thread index = (thread index + 1) }"
    );
}

#[test]
fn else_if_is_an_if_in_the_else() {
    assert_eq!(
        code("if num == 1 { num = 2 } else if num == 2 { num = 3 } else { num = 4 }"),
        "if (num == 1) { num = 2 } else { if (num == 2) { num = 3 } else { num = 4 } }"
    );
}

#[test]
fn blocks_inside_atomic_blocks_are_already_atomic() {
    assert_eq!(code("atomic { atomic { num = 1 }\nnum = 2 }"), "atomic { num = 1; num = 2 }");
}

#[test]
fn inner_variables_are_variables_of_their_own() {
    let program =
        program(&FRAME.replace("CODE", "let x = 1\nif num == x { let x = v\nopt = x }\nnum = x"));
    let f = program.objects[0].unit.op(OpId(0)).clone();
    let names: Vec<_> = f.locals.iter().map(|l| (l.name.as_str(), l.ty.clone())).collect();
    let data = Type::Data(DataId(0));
    assert_eq!(f.params, 1);
    assert_eq!(names, [("v", data.clone()), ("x", Type::INT), ("x", data)]);
}

#[test]
fn primitives_keep_their_places() {
    assert_eq!(
        code("dcas(top, num, null, 1, top.next, 2)"),
        "dcas(top, num, null, 1, top.next, 2)"
    );
    assert_eq!(
        code("let a = ll(pair)\nsc(pair, Pair(a.a, 0))"),
        "a = ll(pair); sc(pair, [a.a, 0])"
    );
    assert_eq!(code("lock(guard); unlock(guard)"), "lock(guard); unlock(guard)");
    assert_eq!(code("let s = swap(top, null)\nfree(s)"), "s = swap(top, null); free(s)");
}

#[test]
fn lines_go_on_after_and_before_operators() {
    let whole = "num = ((num + 1) * 2)";
    assert_eq!(code("num = (num\n+ 1) * 2"), whole);
    assert_eq!(code("num = (num + 1) *\n2"), whole);
    assert_eq!(code("num = (num + 1)\n* 2"), whole);
    assert_eq!(code("num =\n(num + 1) * 2"), whole);
    assert_eq!(code("let x = top\n.next\nfree(x)"), "x = top.next; free(x)");
    assert_eq!(code("if num == 1 { }\nelse { num = 1 }"), "if (num == 1) { } else { num = 1 }");
    // A minus begins a statement of its own.
    assert_eq!(code("let x = 3\nlet y = x\n-1\nnum = y"), "x = 3; y = x; -1; num = y");
}

#[test]
fn constants_are_initial_values_and_the_rest_is_code() {
    let text = "node N { next: N }\nconst K = 2\nobject O {\nvar a: 1..=9\nvar b: int = K * 3\nvar c: N = new N\n\
        var d: [bool; 2] = [true; 2]\nvar e: (int, bool)? = (K, false)\nvar own: [N; threads] = [new N; threads]\n\
        var per: [int; threads] = [K; threads]\ninit { b = 7 }\nop f() { }\n}\nspec S { op f() { } }\ncheck O against S";
    let program = program(text);
    let unit = &program.objects[0].unit;
    let inits: Vec<Value> = unit.vars.iter().map(|v| v.init.clone()).collect();
    let pair = Value::Tuple(vec![Value::Int(2), Value::Bool(false)]);
    assert_eq!(
        inits,
        [
            Value::Int(1),
            Value::Int(6),
            Value::Ref(0),
            Value::Tuple(vec![Value::Bool(true); 2]),
            Value::Option(Some(Box::new(pair))),
            Value::Ref(0),
            Value::Int(2),
        ]
    );
    let init = unit.init.as_ref().expect("code");
    assert_eq!(
        proc(init, unit),
        "c = new N; thread index = 0; loop#0 (thread index < threads) { own[threads[thread index]] = new N } \
         step { thread index = (thread index + 1) }; b = 7"
    );
}

#[test]
fn specifications_use_collections() {
    let text = "enum C { A, B }\nobject O { op f() -> int { return 1 } }\nspec S {\nvar s: seq<int> = [1, 2]\n\
        var m: map<C, set<int>>\nop f() -> int {\nm[A] = {1}\nm[A].insert(s[0])\nassume m.get(B) != empty\n\
        s[0] += 1\nif s.contains(3) { return s.pop_front() }\nreturn choose(s)\n}\n}\ncheck O against S";
    let program = program(text);
    let unit = &program.specs[0].unit;
    assert_eq!(unit.vars[0].init, Value::Seq(vec![Value::Int(1), Value::Int(2)]));
    assert_eq!(
        proc(unit.op(OpId(0)), unit),
        "m[0] = [1]; m[0].Insert(s[0]); assume (m.Get(1) != empty); s[0] = (s[0] + 1); \
         if s.Contains(3) { return s.PopFront() }; return choose_from(s)"
    );
}

const CLIENTS: &str = "data V\ntype Small = 0..=2\nenum C { A, B }\nobject O {\nop put(v: V, n: Small) { }\n\
    op get(c: C, d: bool) -> V? { return empty }\nop num(n: int) { }\n}\n\
    spec S {\nop num(n: int) { }\nop get(c: C, d: bool) -> V? { return empty }\nop put(v: V, n: Small) { }\n}\n";

fn ints(values: &[i32]) -> Domain {
    Domain::OneOf(values.iter().map(|n| Value::Int(*n)).collect())
}

#[test]
fn checks_have_defaults() {
    let program = program(&format!("{CLIENTS}check O against S {{ values num.n: {{5, 3, 5}} }}"));
    let check = &program.checks[0];
    assert_eq!((check.name.as_str(), check.heap, &check.expect), ("O", None, &None));
    assert_eq!(check.roles.len(), 1);
    assert_eq!((check.roles[0].name.as_str(), check.roles[0].threads), ("thread", 2));
    let Behaviour::General { ops, count } = &check.roles[0].behaviour else { panic!("no script") };
    assert_eq!((ops.as_slice(), *count), ([OpId(0), OpId(1), OpId(2)].as_slice(), Some(2)));
    assert_eq!(check.data, [DataDomain::Fresh]);
    let enums = Domain::OneOf(vec![Value::Enum(0), Value::Enum(1)]);
    let bools = Domain::OneOf(vec![Value::Bool(false), Value::Bool(true)]);
    assert_eq!(
        check.domains,
        [vec![Domain::Data(DataId(0)), ints(&[0, 1, 2])], vec![enums, bools], vec![ints(&[3, 5])]]
    );
}

#[test]
fn settings_are_taken_over() {
    let settings =
        "threads 3\nops unbounded\nheap 4\nvalues V: 2\nvalues num.n: 0..3\nexpect fault assertion";
    let program = program(&format!("{CLIENTS}check named: O against S {{\n{settings}\n}}"));
    let check = &program.checks[0];
    assert_eq!(check.name, "named");
    assert_eq!(check.heap, Some(4));
    assert_eq!(check.expect, Some(Expect::Fault(FaultKind::AssertionFailed)));
    assert_eq!(check.data, [DataDomain::Finite(2)]);
    assert_eq!(check.domains[2], [ints(&[0, 1, 2])]);
    assert_eq!(check.roles[0].threads, 3);
    assert!(matches!(check.roles[0].behaviour, Behaviour::General { count: None, .. }));
}

#[test]
fn checks_without_name_are_numbered() {
    let one = "check O against S { values num.n: {1} }\n";
    let named = "check O#: O against S { values num.n: {1} }\n".replace("O#", "N");
    let program = program(&format!("{CLIENTS}{one}{named}{one}{one}"));
    let names: Vec<_> = program.checks.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["O", "N", "O#2", "O#3"]);
}

#[test]
fn roles_and_scripts_are_clients() {
    let roles = "ops 3\nrole w(2) { put }\nrole r(1) ops 5 { get, put }\nrole s(1) script {\n\
        repeat 2 { put(_, 1); let x = get(B, _)\nif x != empty { break } }\nnum(7)\n}";
    let program = program(&format!("{CLIENTS}check O against S {{\n{roles}\n}}"));
    let check = &program.checks[0];
    let counts: Vec<_> = check
        .roles
        .iter()
        .map(|r| match &r.behaviour {
            Behaviour::General { ops, count } => (r.name.as_str(), r.threads, ops.len(), *count),
            Behaviour::Script(_) => (r.name.as_str(), r.threads, 0, None),
        })
        .collect();
    assert_eq!(counts, [("w", 2, 1, Some(3)), ("r", 1, 2, Some(5)), ("s", 1, 0, None)]);
    let Behaviour::Script(script) = &check.roles[2].behaviour else { panic!("a script") };
    assert_eq!(
        proc(script, &program.objects[0].unit),
        "round = 0; loop#0 (round < 2) { invoke put(_, 1); x = invoke get(1, _); if (x != empty) { break#0 } } \
         step { round = (round + 1) }; invoke num(7)"
    );
    // Nobody needs values for `num.n`, which is called with a given one.
    assert_eq!(check.domains[2], [Domain::OneOf(Vec::new())]);
}

const QUEUE: &str = "data V\nenum C { Red, Green }\nconst N = 2\nobject Q {\nop enq(v: V) { }\nop deq() -> V? { return empty }\n\
    op num() -> int? { return empty }\nop col() -> C { return Red }\nop pair() -> (int, bool) { return (1, true) }\n}\n";

/// Name, condition and expectation of the checks of a queue.
fn asked(checks: &str) -> Vec<(String, Condition, Option<Expect>)> {
    let program = program(&format!("{QUEUE}{checks}"));
    program.checks.into_iter().map(|c| (c.name, c.condition, c.expect)).collect()
}

/// The only condition of the only check of a queue.
fn condition(text: &str) -> Condition {
    let mut all = asked(&format!("check Q against itself {text}"));
    assert_eq!((all.len(), all[0].0.as_str()), (1, "Q"));
    all.remove(0).1
}

#[test]
fn a_check_asks_for_a_condition() {
    let plain = [
        ("", Condition::Linearizable),
        ("linearizable", Condition::Linearizable),
        ("points", Condition::Points),
        ("sequential", Condition::Sequential),
        ("quiescent", Condition::Quiescent),
        ("strong", Condition::Strong),
        ("quasi { }", Condition::Quasi(Vec::new())),
    ];
    for (text, wanted) in plain {
        assert_eq!(condition(text), wanted, "{text}");
        assert_eq!(condition(&format!("{text} {{ threads 1, ops 1 }}")), wanted, "{text}");
        assert_eq!(condition(&format!("\n  {text}\ndata W")), wanted, "{text}");
    }
}

#[test]
fn several_conditions_are_several_checks() {
    let holds = || Some(Expect::Holds);
    let name = |n: &str| n.to_string();
    let one =
        "check Q against itself\n  quiescent expect violated, strong\n{ threads 3, expect holds }";
    let wanted = [
        (name("Q/quiescent"), Condition::Quiescent, Some(Expect::Violated)),
        (name("Q/strong"), Condition::Strong, holds()),
    ];
    assert_eq!(asked(one), wanted);
    let two = "check a: Q against itself quasi { }, linearizable expect fault assertion,\n\
        quasi { } expect deadlock\nsequential\n\ncheck Q against itself";
    let wanted = [
        (name("a/quasi"), Condition::Quasi(Vec::new()), None),
        (
            name("a/linearizable"),
            Condition::Linearizable,
            Some(Expect::Fault(FaultKind::AssertionFailed)),
        ),
        (name("a/quasi-2"), Condition::Quasi(Vec::new()), Some(Expect::Deadlock)),
        (name("a/sequential"), Condition::Sequential, None),
        (name("Q"), Condition::Linearizable, None),
    ];
    assert_eq!(asked(two), wanted);
    let names: Vec<_> = asked(&format!("{one}\n{one}\ncheck Q against itself points expect holds"))
        .into_iter()
        .map(|c| c.0)
        .collect();
    assert_eq!(names, ["Q/quiescent", "Q/strong", "Q#2/quiescent", "Q#2/strong", "Q#3"]);
}

#[test]
fn settings_hold_for_all_conditions() {
    let text = format!(
        "{QUEUE}check Q against itself strong, points {{ threads 3, heap 4, values V: 2 }}"
    );
    for check in program(&text).checks {
        assert_eq!((check.roles[0].threads, check.heap), (3, Some(4)));
        assert_eq!(check.data, [DataDomain::Finite(2)]);
    }
}

#[test]
fn groups_list_operations_and_results() {
    use QuasiResult::{Any, Is, Some as NotEmpty};
    let int = |n| Value::Option(Some(Box::new(Value::Int(n))));
    let groups = "enq + deq -> some: N * 2, deq -> empty: 64\n num -> -3 + num -> N: 0\n\
        col -> Green: 1, col -> C.Red: 2, pair -> (1, false): 3, pair: 4";
    let group = |members: Vec<_>, factor| QuasiGroup { members, factor };
    let pair = Value::Tuple(vec![Value::Int(1), Value::Bool(false)]);
    let wanted = vec![
        group(vec![(OpId(0), Any), (OpId(1), NotEmpty)], 4),
        group(vec![(OpId(1), Is(Value::Option(None)))], 64),
        group(vec![(OpId(2), Is(int(-3))), (OpId(2), Is(int(2)))], 0),
        group(vec![(OpId(3), Is(Value::Enum(1)))], 1),
        group(vec![(OpId(3), Is(Value::Enum(0)))], 2),
        group(vec![(OpId(4), Is(pair))], 3),
        group(vec![(OpId(4), Any)], 4),
    ];
    assert_eq!(condition(&format!("quasi {{ {groups} }}")), Condition::Quasi(wanted));
}

#[test]
fn an_object_can_be_compared_with_itself() {
    let object = "object O { op f() { } }\n";
    let loaded = syntax::load(&format!("{object}check O against itself"), &[]).expect("a program");
    assert!(loaded.warnings.is_empty());
    assert_eq!(loaded.program.checks[0].against, Against::Itself);
    assert_eq!(loaded.program.checks[0].condition, Condition::Linearizable);
    let spec = "spec S { op f() { } }\ncheck O against S strong";
    let checks = program(&format!("{object}check O against itself\n{spec}")).checks;
    let against: Vec<_> = checks.iter().map(|c| c.against).collect();
    assert_eq!(against, [Against::Itself, Against::Spec(SpecId(0))]);
}

#[test]
fn points_are_marked_in_the_code() {
    assert_eq!(code("num = 1\npoint"), "num = 1; point");
    assert_eq!(code("point for self"), "point for self");
    assert_eq!(
        code("let t = self\nif num == 1 { point for t }"),
        "t = self; if (num == 1) { point for t }"
    );
    assert_eq!(code("atomic { num = 1; point }"), "atomic { num = 1; point }");
    assert_eq!(
        code("point\nfor i in 0..3 { point }"),
        "point; i = 0; loop#0 (i < 3) { point } step { i = (i + 1) }"
    );
    assert_eq!(code("point\n-1\npoint\n(num)"), "point; -1; point; num");
}

#[test]
fn a_variable_can_be_called_point() {
    assert_eq!(
        code("let point = 1\npoint = 3\npoint += point"),
        "point = 1; point = 3; point = (point + point)"
    );
    assert_eq!(
        code("let point = 1\npoint\n= 3\nnum = point\npoint"),
        "point = 1; point = 3; num = point; point"
    );
    assert_eq!(
        code("let point = pair\npoint.b = 1\npoint\n.b = 2"),
        "point = pair; point.b = 1; point.b = 2"
    );
    assert_eq!(
        code("let point = arr[0]\npoint == 1\npoint\n== 2"),
        "point = arr[0]; (point == 1); (point == 2)"
    );
    assert_eq!(code("point: loop { break point }"), "loop#0 { break#0 }");
    let text =
        "object O { fn point(n: int) { }\nop f() { point(1); point } }\ncheck O against itself";
    let program = program(text);
    let unit = &program.objects[0].unit;
    assert_eq!(proc(unit.op(OpId(0)), unit), "point(1); point");
}

const PARAMS: &str = "param N = 2\nparam B = false\nenum C { X, Y }\nparam E = X\nconst M = N + 1\n\
    object O { var a: [int; M]\nop f() { a[0] = 1 } }\nspec S { op f() { } }\ncheck O against S { threads N }";

fn set(pairs: &[(&str, &str)]) -> Result<Program, String> {
    let pairs: Vec<_> = pairs.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
    syntax::load(PARAMS, &pairs).map(|l| l.program).map_err(|errors| {
        errors.iter().map(|d| format!("{} {} {}", d.code, d.message, d.notes.join("; "))).collect()
    })
}

#[test]
fn parameters_can_be_set_from_outside() {
    let program = set(&[("N", "3"), ("B", "true"), ("E", "Y")]).expect("a program");
    assert_eq!(
        program.params,
        [
            ("N".into(), Value::Int(3), true),
            ("B".into(), Value::Bool(true), true),
            ("E".into(), Value::Enum(1), true)
        ]
    );
    assert_eq!(program.checks[0].roles[0].threads, 3);
    assert_eq!(program.objects[0].unit.vars[0].ty, Type::Array(Box::new(Type::INT), 4));
    let program = set(&[]).expect("a program");
    assert_eq!(program.params[0], ("N".into(), Value::Int(2), false));
}

#[test]
fn wrong_parameters_from_outside_are_reported() {
    let error = |pairs: &[(&str, &str)]| set(pairs).expect_err("an error");
    assert_eq!(
        error(&[("K", "1")]),
        "E067 there is no `param K` that could be set the parameters are N, B, E"
    );
    assert!(error(&[("M", "1")]).contains("`M` is a `const`; declare it as `param` to set it"));
    assert!(error(&[("N", "true")]).starts_with("E067 `N=true` is not a value of type `int`"));
    assert!(error(&[("N", "1 2")]).starts_with("E067"));
    assert!(error(&[("N", "")]).starts_with("E067"));
    assert!(error(&[("E", "Z")]).starts_with("E067"));
    assert!(error(&[("N", "9")]).starts_with("E063"));
}

#[test]
fn the_contract_is_broken_by_a_wrong_type() {
    let mut program = program(&FRAME.replace("CODE", "num = 1"));
    program.objects[0].unit.vars[1].ty = Type::Bool;
    assert!(!contract::violations(&program).is_empty());
}

#[test]
fn the_tour_of_the_language_loads() {
    let program = program(include_str!("models/tour.lin"));
    assert_eq!(program.checks.len(), 8);
}

#[test]
fn a_check_can_give_parameters_other_values() {
    let text = "param N = 1\nobject O { op f() -> int { return N } }\n\
        spec S { op f() -> int { return N } }\n\
        check O against S { threads 1, ops 1 }\n\
        check two: O(N = 2) against S { threads N, ops 1 }\n\
        check also: O(N = 2) against itself { threads 1, ops 1 }\n";
    let of = |overrides: &[(String, String)]| {
        let program = syntax::load(text, overrides).expect("a model").program;
        assert_eq!(contract::violations(&program), [""; 0]);
        let returns = |check: &linchpin_lin::program::Check| {
            let unit = &program.objects[check.object.index()].unit;
            proc(unit.op(OpId(0)), unit)
        };
        let checks = program.checks.iter();
        checks.map(|c| (c.name.clone(), returns(c), c.roles[0].threads)).collect::<Vec<_>>()
    };
    let expected = |first: &str| {
        vec![
            ("O".to_string(), format!("return {first}"), 1),
            ("two".to_string(), "return 2".to_string(), 2),
            ("also".to_string(), "return 2".to_string(), 1),
        ]
    };
    assert_eq!(of(&[]), expected("1"));
    // What the check says is stronger than what is set for all.
    assert_eq!(of(&[("N".to_string(), "7".to_string())]), expected("7"));
}

#[test]
fn recursion_is_unrolled_to_its_depth() {
    let text = |depth: u32| {
        format!(
            "object O {{ op f() -> int {{ return through(0) }}\n\
             fn through(n: int) -> int {{ return down(n + 1) }}\n\
             fn down(n: int) -> int depth {depth} {{\nif n > 9 {{ return n }}\nreturn through(n) + down(n)\n}} }}\n\
             spec S {{ op f() -> int {{ return 1 }} }}\ncheck O against S {{ threads 1, ops 1 }}\n"
        )
    };
    for depth in [1, 2, 3] {
        let program = program(&text(depth));
        let unit = &program.objects[0].unit;
        // `through` on every level from 0, `down` on every level from 1, and what is one too many.
        assert_eq!(unit.procs.len() as u32, 1 + (depth + 1) + depth + 1);
        let mut open = vec![("f", 0usize, 0u32)];
        let (mut deepest, mut seen) = (0, 0);
        while let Some((_, p, level)) = open.pop() {
            seen += 1;
            let mut callees = Vec::new();
            linchpin_lin::walk::visit_block(&unit.procs[p].body, &mut |e| {
                if let linchpin_lin::program::ExprKind::Call(id, _) = e.kind {
                    callees.push(id.index());
                }
            });
            for callee in callees {
                let deeper = level + u32::from(unit.procs[callee].name == "down");
                deepest = deepest.max(deeper);
                open.push((&unit.procs[callee].name, callee, deeper));
            }
            assert!(seen < 1000, "it never ends");
        }
        assert_eq!(deepest, depth + 1);
        let last = unit.procs.last().expect("the last one");
        assert_eq!(proc(last, unit), "assert false");
    }
}
