//! The words of the language, each in a sentence, for hovering and completing.

/// How a word is used, and what it means.
pub(crate) fn word(word: &str) -> Option<(&'static str, &'static str)> {
    WORDS.iter().find(|(w, ..)| *w == word).map(|(_, shape, about)| (*shape, *about))
}

/// What a method does.
pub(crate) fn method(name: &str) -> Option<&'static str> {
    METHODS.iter().find(|(m, _)| *m == name).map(|(_, about)| *about)
}

/// Words that are not declared: keywords, types, primitives, and the words of checks.
const WORDS: &[(&str, &str, &str)] = &[
    ("op", "op name(x: T) -> R { }", "An operation: clients call it."),
    ("fn", "fn name(x: T) -> R { }", "A helper procedure; no recursion."),
    ("var", "var x: T = e", "A variable of the object (shared) or of the specification."),
    ("let", "let x: T = e", "A local variable: only its thread sees it."),
    (
        "new",
        "new Node { field: e }",
        "A new record; fields left out have the initial value of their type.",
    ),
    ("if", "if c { } else { }", "A choice by condition."),
    ("else", "if c { } else { }", "What happens if the condition is false."),
    ("while", "while c { }", "Repeats while the condition is true."),
    ("loop", "loop { }", "Repeats until `break` or `return`."),
    (
        "for",
        "for i in 0..n { }",
        "Counts; the bounds are computed once. `for t in threads` visits all threads, \
         `for t in threads in any order` in every order.",
    ),
    ("in", "for i in 0..n { }", "What a `for` runs over."),
    ("break", "break label", "Leaves a loop: the innermost, or the one of that label."),
    ("continue", "continue label", "Begins the next round of a loop."),
    ("return", "return e", "Leaves the procedure."),
    ("assert", "assert c", "A fault if the condition is false."),
    ("assume", "assume c", "Executions in which it is false go no further."),
    ("await", "await c", "Waits: one step, possible only when the condition holds."),
    ("atomic", "atomic { }", "One step, whatever it contains."),
    ("either", "either { } or { }", "Takes one of the blocks; all are explored."),
    ("or", "either { } or { }", "Another possibility."),
    (
        "match",
        "match e { 0 => s, Some(x) => { }, _ => { } }",
        "Computes the value once and takes the first arm that fits; every value must be met.",
    ),
    (
        "choose",
        "choose(a, b)",
        "One of the values; all are explored. Also `choose(lo..=hi)`, `choose(xs)`.",
    ),
    ("free", "free(n)", "Gives a record back (`memory manual` and `stable`)."),
    ("true", "true", "Of type `bool`."),
    ("false", "false", "Of type `bool`."),
    ("null", "null", "No node."),
    ("empty", "empty", "No value, of an option `T?`."),
    ("self", "self", "The executing thread."),
    ("threads", "threads", "The number of threads; in a check: how many there are."),
    ("as", "t as int", "The number of a thread; `i as thread` is the thread of that number."),
    ("object", "object Name { }", "A concurrent object: shared variables and operations."),
    ("spec", "spec Name { }", "A sequential specification: each operation is one atomic action."),
    ("check", "check Object against Spec { threads 2, ops 2 }", "What is to be decided."),
    (
        "against",
        "check Object against Spec",
        "What the object is compared with: a specification, or `itself`.",
    ),
    ("init", "init { }", "Runs once, alone, before anything else."),
    ("const", "const N = 3", "A constant."),
    ("param", "param N = 3", "A constant that `--set N=4` overrides."),
    ("type", "type Count = 0..=3", "Another name for a type."),
    ("data", "data Value", "Opaque values: copied, compared with `==`, nothing else."),
    ("enum", "enum Color { Red, Green }", "Named values."),
    ("struct", "struct Pair { left: A, right: B }", "A value of several parts; one atomic word."),
    (
        "node",
        "node Node { val: Value, next: Node }",
        "A record on the heap; each field is a shared place.",
    ),
    ("use", "use \"queue.lin\"", "What another file declares; the path is from this file."),
    ("memory", "memory manual", "How `new` and `free` behave: `gc`, `manual` or `stable`."),
    ("gc", "memory gc", "Records that nobody can reach vanish; there is no `free`."),
    (
        "manual",
        "memory manual",
        "Freed records can be handed out again; touching a free one is a fault.",
    ),
    ("stable", "memory stable", "As `manual`, but a free record can still be read and written."),
    (
        "point",
        "point",
        "The operation takes effect here, with the access before; `point for t` for that of another thread.",
    ),
    (
        "meet",
        "meet",
        "Divides an operation into what it does when it comes in and what it does when it goes out, for `set_linearizable` and \
         `interval_linearizable`.",
    ),
    ("bool", "bool", "`true` or `false`."),
    ("int", "int", "32-bit integers; overflow is a fault."),
    ("thread", "thread", "The identity of a thread."),
    ("seq", "seq<T>", "A sequence; in specifications."),
    ("set", "set<T>", "A set; in specifications."),
    ("bag", "bag<T>", "A set that counts; in specifications."),
    ("map", "map<K, V>", "A map; in specifications."),
    (
        "cas",
        "cas(place, old, new) -> bool",
        "If the place holds `old`, stores `new`; was it so? One access.",
    ),
    (
        "dcas",
        "dcas(p, q, oldp, oldq, newp, newq) -> bool",
        "`cas` on two places at once: both are written, or none.",
    ),
    ("swap", "swap(place, new)", "Stores, gives the old value. One access."),
    (
        "cas_value",
        "cas_value(place, old, new)",
        "As `cas`, but gives the value that was found. One access.",
    ),
    (
        "weak_cas",
        "weak_cas(place, old, new) -> bool",
        "As `cas`, but it may also fail for no reason; both are explored.",
    ),
    ("fetch_add", "fetch_add(place, n)", "Adds, gives the old value. One access."),
    ("fetch_and", "fetch_and(place, n)", "Keeps these bits, gives the old value. One access."),
    ("fetch_or", "fetch_or(place, n)", "Sets these bits, gives the old value. One access."),
    ("fetch_xor", "fetch_xor(place, n)", "Changes these bits, gives the old value. One access."),
    ("ll", "ll(place)", "Load linked: reads, and links the thread to the place."),
    ("sc", "sc(place, new) -> bool", "Store conditional: stores if the link is intact; was it?"),
    ("vl", "vl(place) -> bool", "Is the link to the place intact?"),
    ("lock", "lock(place)", "Waits until the lock is free and takes it; as a type: a lock."),
    ("unlock", "unlock(place)", "Releases a lock; a fault if another thread holds it, or none."),
    ("try_lock", "try_lock(place) -> bool", "Takes the lock if it is free; was it?"),
    (
        "condition",
        "condition",
        "A condition variable: threads wait for it and are woken. Variables of objects only.",
    ),
    (
        "wait",
        "wait(condition, lock)",
        "Releases the lock and waits until it is woken, then takes the lock again. Two accesses.",
    ),
    ("signal", "signal(condition)", "Wakes one of the threads that wait, if there is one."),
    ("broadcast", "broadcast(condition)", "Wakes all threads that wait."),
    (
        "linearizable",
        "linearizable",
        "Every operation takes effect at once, between its call and its return.",
    ),
    ("points", "points", "Linearizable at the points that the source marks with `point`."),
    (
        "quasi",
        "quasi { deq: 2 }",
        "Linearizable, if operations of a group may be out of order by so many places.",
    ),
    (
        "sequential",
        "sequential",
        "Sequentially consistent: some order explains the results and keeps the order of each thread.",
    ),
    (
        "quiescent",
        "quiescent",
        "Quiescently consistent: operations keep their order over moments at which nothing runs.",
    ),
    (
        "set_linearizable",
        "set_linearizable",
        "Set linearizable: sets of operations take effect together, each at once.",
    ),
    (
        "interval_linearizable",
        "interval_linearizable",
        "Interval linearizable: operations begin to take effect at one moment and end at another.",
    ),
    ("strong", "strong", "Strongly linearizable: the order, once there, is only ever continued."),
    ("lock_free", "lock_free", "Progress: if threads keep running, some operation returns."),
    ("wait_free", "wait_free", "Progress: every operation of a thread that keeps running returns."),
    (
        "obstruction_free",
        "obstruction_free",
        "Progress: an operation that runs alone for long enough returns.",
    ),
    (
        "leak_free",
        "leak_free",
        "Whenever no operation is running, every record that is not free can be reached.",
    ),
    (
        "ltl",
        "ltl \"[] (T1.call -> <> T1.return)\"",
        "Every execution satisfies a formula about calls and returns; `ltl weak`, `ltl strong`: every fair one.",
    ),
    ("ops", "ops 2", "Operations per thread, or `ops unbounded`."),
    (
        "values",
        "values T: 2",
        "The values that are tried: of an opaque type, or `values op.param: 0..=2`.",
    ),
    ("heap", "heap 3", "Only executions with at most so many live records."),
    (
        "expect",
        "expect violated",
        "`holds`, `violated`, `deadlock` or `fault KIND`; compared with the verdict.",
    ),
    (
        "role",
        "role reader(2) { read }",
        "Threads that call these operations only, or run a script.",
    ),
    ("itself", "against itself", "The object, each operation executed without interruption."),
    (
        "weak",
        "ltl weak \"...\"",
        "Only executions in which every thread that could always go on does go on.",
    ),
    ("unbounded", "ops unbounded", "No limit."),
    ("fresh", "values T: fresh", "Each call passes a value never used before."),
    ("script", "role name(1) script { }", "Code that the threads of a role run."),
    ("repeat", "repeat 2 { }", "In scripts: so many times."),
    ("some", "deq -> some", "In the groups of `quasi`: when it returns a value, not `empty`."),
    ("holds", "expect holds", "Nothing is wrong within the bounds."),
    ("violated", "expect violated", "A history that does not satisfy the condition."),
    ("deadlock", "expect deadlock", "Threads that wait for ever."),
    ("fault", "expect fault KIND", "A run-time error of the object."),
];

const METHODS: &[(&str, &str)] = &[
    ("len", "How many elements there are."),
    ("is_empty", "Are there none?"),
    ("contains", "Is the element (of a map: the key) there?"),
    ("clear", "Removes all elements."),
    ("push_back", "Appends an element."),
    ("push_front", "Puts an element before the first."),
    ("pop_back", "Removes the last element and gives it; a fault if there is none."),
    ("pop_front", "Removes the first element and gives it; a fault if there is none."),
    ("first", "The first element."),
    ("last", "The last element."),
    ("remove_at", "Removes the element at an index and gives it."),
    ("insert_at", "Inserts an element at an index."),
    ("insert", "Adds an element; was it new?"),
    ("remove", "Removes an element (of a map: a key); was it there?"),
    ("count", "How many copies there are."),
    ("get", "The value of a key, or `empty`."),
    ("put", "Sets the value of a key."),
    ("min", "The least element."),
    ("max", "The greatest element."),
    ("unwrap", "The value of the option; a fault if it is `empty`."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use linchpin_lin::syntax::words;

    #[test]
    fn every_word_of_the_language_is_described_once() {
        let lists = [
            words::KEYWORDS,
            words::DECLARING,
            words::MEMORIES,
            words::TYPES,
            words::PRIMITIVE_CALLS,
            words::CONDITION_NAMES,
            words::SETTING_NAMES,
            words::CHECK_WORDS,
            &[words::POINT, words::MEET],
        ];
        for known in lists.into_iter().flatten() {
            assert_eq!(WORDS.iter().filter(|(w, ..)| w == known).count(), 1, "{known}");
        }
        for (described, ..) in WORDS {
            assert!(lists.iter().any(|list| list.contains(described)), "{described}");
        }
        let methods: Vec<&str> = METHODS.iter().map(|(m, _)| *m).collect();
        assert_eq!(methods, words::METHOD_NAMES);
    }
}
