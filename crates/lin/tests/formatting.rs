//! The formatter puts white space in order and leaves everything else alone.

use linchpin_lin::syntax;

fn formatted(text: &str) -> String {
    let once = syntax::format(text).unwrap_or_else(|e| panic!("{:?}\n{text}", e[0].message));
    let twice = syntax::format(&once).expect("still right");
    assert_eq!(once, twice, "formatting again changes something");
    let letters = |t: &str| t.split_whitespace().collect::<String>();
    assert_eq!(letters(text), letters(&once), "something else than white space changed");
    once
}

#[test]
fn spaces_between_tokens_are_put_in_order() {
    let cases = [
        ("const   A=1+2*3", "const A = 1 + 2 * 3\n"),
        ("const A=- 1 - -  2", "const A = -1 - -2\n"),
        ("const A = ! true||false", "const A = !true || false\n"),
        ("type T=0 ..= 3", "type T = 0..=3\n"),
        ("type T = map < int,seq<bool> >", "type T = map<int, seq<bool>>\n"),
        ("type T=( int ,bool ) ?", "type T = (int, bool)?\n"),
        ("type T = [ int ;3 ]", "type T = [int; 3]\n"),
        ("type T = [ int ;.. ]", "type T = [int; ..]\n"),
        ("enum E{A,B}", "enum E { A, B }\n"),
        ("enum E{A (int,bool) ,B}", "enum E { A(int, bool), B }\n"),
        ("const A = true?1:2", "const A = true ? 1 : 2\n"),
        ("const A = 1 // a comment  ", "const A = 1 // a comment\n"),
        ("const A = /* here */ 1", "const A = /* here */ 1\n"),
        ("data V\r\ndata W\r\n", "data V\ndata W\n"),
    ];
    for (text, wanted) in cases {
        assert_eq!(formatted(text), wanted);
    }
}

#[test]
fn code_is_indented_by_its_brackets() {
    let text = "\
object O {
memory   manual
    var x:int?=3
  var set : [ bool;threads ]
op f( a:Node,b :int )->bool{
if a==null{return b<3}
      else if x.unwrap( )>2 {
  retry:loop{ continue retry }
  }
let n=new Node{val:a , next : null}
let y = cas(
x,
empty,
n.next [ 0 ]
)
let z = a
+ b
* 2
for i in 0 .. threads{ }
lock ( a.l );unlock(a.l)
return choose ( 1,2 )==1
}
}
";
    let wanted = "\
object O {
  memory manual
  var x: int? = 3
  var set: [bool; threads]
  op f(a: Node, b: int) -> bool {
    if a == null { return b < 3 }
    else if x.unwrap() > 2 {
      retry: loop { continue retry }
    }
    let n = new Node { val: a, next: null }
    let y = cas(
      x,
      empty,
      n.next[0]
    )
    let z = a
      + b
      * 2
    for i in 0..threads { }
    lock(a.l); unlock(a.l)
    return choose(1, 2) == 1
  }
}
";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn a_condition_on_several_lines_does_not_move_its_block() {
    let text = "object O { op f() {\nif a &&\nb\n|| c {\nx = 1\n}\n}\n}";
    // Two brackets that open on one line indent by one level.
    let wanted = "object O { op f() {\n  if a &&\n    b\n    || c {\n    x = 1\n  }\n}\n}\n";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn empty_lines_are_kept_but_not_two_of_them() {
    let text =
        "\n\n\ndata A\n\n\n\ndata B\ndata C\nspec S {\n\n  op f() { }\n\n\n  op g() { }\n\n}\n\n\n";
    let wanted = "data A\n\ndata B\ndata C\nspec S {\n  op f() { }\n\n  op g() { }\n}\n";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn comments_stay_where_they_are() {
    let text = "\
// first
data A     // in its column
data Long  // in its column
spec S {   // too far left
// inside
   /* a block
      of comments */
  op f(a: A) { }   // at the end

      // last
}
// end
";
    let wanted = "\
// first
data A     // in its column
data Long  // in its column
spec S {   // too far left
  // inside
  /* a block
      of comments */
  op f(a: A) { }   // at the end

  // last
}
// end
";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn sets_are_written_tightly_and_blocks_are_not() {
    let text = "spec S {\nvar s: set<int> ={ 1,2 }\nvar m: map<int, int> = { }\nop f() {s={ }\n}\nop g() {}\n}";
    let wanted = "spec S {\n  var s: set<int> = {1, 2}\n  var m: map<int, int> = {}\n  op f() { s = {}\n  }\n  op g() { }\n}\n";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn checks_are_formatted_too() {
    let text = "check a :O against S{threads 2,ops unbounded\nvalues f.x:{ 1,2 }\nvalues f.y : 0 ..=2\nrole r (2) ops 3{f,g}\nrole s(1) script{ repeat 2{ f( _ ) } }\n}";
    let wanted = "check a: O against S { threads 2, ops unbounded\n  values f.x: {1, 2}\n  values f.y: 0..=2\n  role r(2) ops 3 { f, g }\n  role s(1) script { repeat 2 { f(_) } }\n}\n";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn texts_with_syntax_errors_are_left_alone() {
    assert_eq!(syntax::format("object {").unwrap_err()[0].code, "E012");
    assert_eq!(syntax::format("const A = #").unwrap_err()[0].code, "E010");
    // Other errors do not matter here.
    assert!(syntax::format("const A = B").is_ok());
}

#[test]
fn a_formatted_model_means_the_same() {
    let text = include_str!("models/tour.lin");
    // All on the left, and all far to the right.
    let left: String = text.lines().map(|l| format!("{}\n", l.trim())).collect();
    let right: String = text.lines().map(|l| format!("        {}\n", l.trim())).collect();
    assert_eq!(formatted(&left), formatted(text));
    assert_eq!(formatted(&right).replace(' ', ""), formatted(text).replace(' ', ""));
    // Without spans the programs are the same.
    let shown = |t: &str| {
        let shown = format!("{:?}", syntax::load(t, &[]).expect("a program").program);
        shown.split("Span {").map(|p| p.split_once('}').map_or(p, |s| s.1)).collect::<String>()
    };
    assert_eq!(shown(text), shown(&formatted(text)));
}

#[test]
fn conditions_continue_their_check() {
    let text = "\
check Net against Counter
quiescent expect holds,linearizable
      expect violated
{threads 3,ops 1}
check Net against itself points,
quasi{enq:0,deq->some+deq  -> - 1 :N*2 ,deq->( 1,true ):0}expect holds{
threads 2
}
// above the next
check Net against Counter
// why
strong
   // also
// this
 , quasi {
 enq :0
   // all others
 deq
 -> empty: 2
 }

{
threads 2
role r(1){ enq }
}
// the end
data V
";
    let wanted = "\
check Net against Counter
  quiescent expect holds, linearizable
  expect violated
  { threads 3, ops 1 }
check Net against itself points,
  quasi { enq: 0, deq -> some + deq -> -1: N * 2, deq -> (1, true): 0 } expect holds {
  threads 2
}
// above the next
check Net against Counter
  // why
  strong
  // also
  // this
  , quasi {
    enq: 0
    // all others
    deq
      -> empty: 2
  }

  {
    threads 2
    role r(1) { enq }
  }
// the end
data V
";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn points_are_statements() {
    let text =
        "object O { op f() {\nif x{point}\npoint   for self;point\npoint=3\npoint\n.x = 4\n}\n}\n";
    let wanted = "object O { op f() {\n  if x { point }\n  point for self; point\n  point = 3\n  point\n    .x = 4\n}\n}\n";
    assert_eq!(formatted(text), wanted);
}
