//! Packs the models of the corpus into the program, for `linchpin example`.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo says where")).join("corpus");
    println!("cargo:rerun-if-changed=corpus");
    let mut models = String::new();
    let mut folders: Vec<_> = fs::read_dir(&root).into_iter().flatten().flatten().collect();
    folders.sort_by_key(std::fs::DirEntry::file_name);
    for folder in folders.iter().map(std::fs::DirEntry::path) {
        let Ok(expected) = fs::read_to_string(folder.join("expect.toml")) else { continue };
        println!("cargo:rerun-if-changed={}", folder.display());
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut used = Vec::new();
        // The files in the order of the list: the first one is the object as it should be.
        for line in expected.lines().filter_map(|line| line.strip_prefix("file = \"")) {
            let file = line.trim_end().trim_end_matches('"');
            let path = folder.join(file);
            if path.is_file() {
                add(&mut models, &name, file, &path);
                let text = fs::read_to_string(&path).unwrap_or_default();
                let uses = text.lines().filter_map(|line| line.strip_prefix("use \""));
                used.extend(uses.map(|file| file.trim_end().trim_end_matches('"').to_string()));
            }
        }
        // What they use comes behind them.
        used.sort();
        used.dedup();
        used.iter().for_each(|file| add(&mut models, &name, file, &folder.join(file)));
    }
    let out = Path::new(&env::var("OUT_DIR").expect("cargo says where")).join("models.rs");
    fs::write(out, format!("&[{models}]")).expect("the folder for what is built can be written");
}

/// Adds a model.
fn add(models: &mut String, folder: &str, file: &str, path: &Path) {
    let name = format!("{folder}/{}", file.trim_end_matches(".lin"));
    let _ = writeln!(models, "({name:?}, include_str!({:?})),", path.display().to_string());
}
