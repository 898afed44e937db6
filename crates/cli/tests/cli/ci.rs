//! The recipes of the book for servers: their commands, as they stand there.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::models;

/// The command of a recipe that checks.
fn command(recipe: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/ci").join(recipe);
    let text = fs::read_to_string(path).expect("the recipe is there");
    let line = text.lines().find_map(|l| l.split_once("linchpin check ").map(|(_, rest)| rest));
    line.expect("it checks").split_whitespace().map(str::to_string).collect()
}

#[test]
fn the_recipes_check_a_folder_and_write_what_servers_show() {
    for recipe in ["github.yml", "gitlab.yml"] {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = folder.path().join("models");
        fs::create_dir(&inside).expect("a folder");
        let copy = |name: &str, text: &str| fs::write(inside.join(name), text).expect("a model");
        let counter = fs::read_to_string(models().join("counter.lin")).expect("the model is there");
        let check = |expected: &str| {
            let mut command_line = Command::new(env!("CARGO_BIN_EXE_linchpin"));
            copy("counter.lin", &counter.replace("expect violated", expected));
            command_line.arg("check").args(command(recipe)).current_dir(folder.path());
            command_line.output().expect("it starts")
        };
        assert_eq!(check("expect violated").status.code(), Some(0), "{recipe}: as expected");
        let output = check("expect holds");
        assert_eq!(output.status.code(), Some(1), "{recipe}: a violation that nobody expects");
        let xml = fs::read_to_string(folder.path().join("linchpin.xml")).expect("results");
        for part in ["<failure ", "history", "schedule", "increment()"] {
            assert!(xml.contains(part), "{recipe}: {part}: {xml}");
        }
        let page = fs::read_to_string(folder.path().join("linchpin.html")).expect("a page");
        assert!(page.contains("</html>"), "{recipe}");
        copy("wrong.lin", "object X {\n  op\n}\n");
        let output = check("expect holds");
        assert_eq!(output.status.code(), Some(2), "{recipe}: an error");
        let xml = fs::read_to_string(folder.path().join("linchpin.xml")).expect("results");
        assert!(xml.contains("message=\"line "), "{recipe}: {xml}");
    }
}
