//! Models in several files.

use linchpin_lin::syntax::{self, Loaded, Unread, load_files};
use linchpin_lin::{Found, Wanted};

const QUEUE: &str = "data Value\nspec Queue { var n: 0..=2\n  op put(v: Value) { n += 1 } }\n\
                     check own: Missing against Queue { }";
const OBJECT: &str = "object O { var n: 0..=2\n  op put(v: Value) { fetch_add(n, 1) } }\ncheck O against Queue { ops 1 }\n";

/// Loads a text beside these files. Folders are part of their names.
fn load(main: &str, files: &[(&str, &str)]) -> Result<Loaded, Unread> {
    let mut find = |wanted: Wanted<'_>, from: &str| {
        let Wanted::Include(path) = wanted else { return Ok(None) };
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let name = if folder.is_empty() { path.to_string() } else { format!("{folder}/{path}") };
        if path == "secret.lin" {
            return Err("permission denied".to_string());
        }
        let found = files.iter().find(|(file, _)| *file == name);
        Ok(found.map(|(_, text)| Found { key: name.clone(), name, text: text.to_string() }))
    };
    load_files(main, &[], &mut find)
}

/// The only error, with its place.
#[track_caller]
fn error(main: &str, files: &[(&str, &str)]) -> String {
    let Err(Unread { files, diagnostics }) = load(main, files) else {
        panic!("{main} is accepted")
    };
    let [one] = diagnostics.as_slice() else { panic!("{diagnostics:#?}") };
    let notes: String = files.divide(vec![one.clone()])[0].1[0].notes.join("; ");
    format!("{} {}: {}; {notes}", one.code, files.position(one.primary.span.start), one.message)
}

#[test]
fn declarations_are_taken_over_and_checks_are_not() {
    let main = format!("use \"spec/queue.lin\"\n{OBJECT}");
    let loaded = load(&main, &[("spec/queue.lin", QUEUE)]).expect("a model");
    assert_eq!(loaded.program.checks.len(), 1);
    let spec = &loaded.program.specs[0].unit;
    assert_eq!(loaded.files.position(spec.span.start), "spec/queue.lin:2:6");
}

#[test]
fn paths_begin_at_the_file_that_says_them_and_a_file_is_there_once() {
    let main = format!("use \"a/a.lin\"\nuse \"a/b.lin\"\n{OBJECT}");
    let files = [("a/a.lin", "use \"b.lin\"\nconst N = 1"), ("a/b.lin", QUEUE)];
    let loaded = load(&main, &files).expect("a model");
    let names: Vec<&str> = loaded.files.others().iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a/a.lin", "a/b.lin"]);
}

#[test]
fn what_is_declared_twice_names_both_places() {
    let main = format!("use \"queue.lin\"\ndata Value\n{OBJECT}");
    let said = error(&main, &[("queue.lin", QUEUE)]);
    assert_eq!(
        said,
        "E020 queue.lin:1:6: the type `Value` is declared twice; 2:6 of the model: first declared here"
    );
    let main = format!("use \"a.lin\"\nuse \"b.lin\"\n{OBJECT}");
    let said =
        error(&main, &[("a.lin", QUEUE), ("b.lin", "\nspec Queue { op put(v: Value) { } }")]);
    assert!(said.starts_with("E020 b.lin:2:6: the"), "{said}");
    assert!(said.ends_with("; a.lin:2:6: first declared here"), "{said}");
}

#[test]
fn a_file_that_uses_itself_is_refused_at_the_use() {
    let main = format!("use \"a.lin\"\n{OBJECT}");
    let files = [("a.lin", "use \"b.lin\""), ("b.lin", "const N = 1\nuse \"a.lin\"")];
    assert!(error(&main, &files).starts_with("E027 b.lin:2:5: `a.lin` uses itself"));
    // The model itself is a file, too.
    let files = [("a.lin", "use \"main.lin\""), ("main.lin", main.as_str())];
    assert!(error(&main, &files).starts_with("E027 a.lin:1:5: `main.lin` uses itself"));
    let files = [("a.lin", "use \"a.lin\"")];
    assert!(error(&main, &files).starts_with("E027 a.lin:1:5: `a.lin` uses itself"));
}

#[test]
fn a_file_that_cannot_be_read_is_one_error() {
    let main = format!("use \"nowhere.lin\"\n{OBJECT}");
    assert_eq!(error(&main, &[]), "E073 1:5: there is no file `nowhere.lin` to use; ");
    let main = format!("use \"secret.lin\"\n{OBJECT}");
    assert_eq!(error(&main, &[]), "E073 1:5: `secret.lin` cannot be used: permission denied; ");
    let said = error("use queue\nconst N = 1", &[]);
    assert!(said.starts_with("E012 1:5: expected a file in quotation marks"), "{said}");
    assert!(syntax::load("use \"queue.lin\"", &[]).is_err());
}

#[test]
fn errors_of_other_files_are_in_them() {
    let main = format!("use \"queue.lin\"\n{OBJECT}");
    let broken = QUEUE.replace("n += 1", "m += 1");
    let said = error(&main, &[("queue.lin", &broken)]);
    assert!(said.starts_with("E021 queue.lin:3:22: "), "{said}");
    let unclosed = QUEUE.replace("} }", "} } /*");
    let said = error(&main, &[("queue.lin", &unclosed)]);
    assert!(said.starts_with("E011 queue.lin:3:"), "{said}");
}

#[test]
fn the_formatter_keeps_what_is_used() {
    let text = "use   \"a b.lin\" // why\n\n\n\nconst N=1\n";
    assert_eq!(syntax::format(text).unwrap(), "use \"a b.lin\"   // why\n\nconst N = 1\n");
}
