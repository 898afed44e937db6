//! `cargo xtask dist`: an archive that can be given to others.
//!
//! `target/dist/linchpin-VERSION-TARGET.tar.gz` has the program, completions for shells, the manual page, the licence
//! texts of everything that is linked, and a list of it (CycloneDX 1.5). On Linux the program is static if the target
//! `x86_64-unknown-linux-musl` (or that of the machine) and a C compiler for it are there; if not, the archive says in its name
//! what it was built for.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// Shells with completions, and the names of their files.
const SHELLS: [(&str, &str); 4] = [
    ("bash", "linchpin.bash"),
    ("zsh", "_linchpin"),
    ("fish", "linchpin.fish"),
    ("powershell", "linchpin.ps1"),
];

/// Makes the archive. `--target T` says for what; `--program FILE` takes a program that is built already.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().map_err(|e| e.to_string())?;
    let host = host()?;
    let target = match crate::option(args, "--target") {
        Some(target) => target.to_string(),
        None => static_target(&host).unwrap_or_else(|| host.clone()),
    };
    let program = match crate::option(args, "--program") {
        Some(path) => PathBuf::from(path),
        None => built(&root, &target)?,
    };
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("linchpin-{version}-{target}");
    let folder = root.join("target/dist").join(&name);
    let failed = |what: &Path| {
        let what = what.display().to_string();
        move |e: std::io::Error| format!("{what}: {e}")
    };
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed(&folder))?;
    }
    for sub in ["completions", "licenses"] {
        fs::create_dir_all(folder.join(sub)).map_err(failed(&folder))?;
    }
    let file = if target.contains("windows") { "linchpin.exe" } else { "linchpin" };
    fs::copy(&program, folder.join(file)).map_err(failed(&program))?;
    let write = |path: PathBuf, text: &[u8]| fs::write(&path, text).map_err(failed(&path));
    for (shell, file) in SHELLS {
        write(folder.join("completions").join(file), &said(&program, &["completions", shell])?)?;
    }
    write(folder.join("linchpin.1"), &said(&program, &["man"])?)?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root.join(file), folder.join(file)).map_err(failed(&root.join(file)))?;
    }
    let linked = linked(&root, &target)?;
    for package in &linked {
        licences(package, &folder.join("licenses"))?;
    }
    let list = serde_json::to_string_pretty(&bill(&linked, version)).map_err(|e| e.to_string())?;
    write(folder.join("sbom.cdx.json"), (list + "\n").as_bytes())?;
    let archive = root.join("target/dist").join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.arg("-czf").arg(&archive).arg("-C").arg(root.join("target/dist")).arg(&name);
    succeed(&mut tar)?;
    println!("{} ({} crates linked)", archive.display(), linked.len());
    Ok(())
}

/// What the compiler builds for by itself.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|e| format!("rustc: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|l| l.strip_prefix("host: "));
    line.map(str::to_string).ok_or_else(|| "rustc does not say its host".to_string())
}

/// The target for static programs, if it and its C compiler are there.
fn static_target(host: &str) -> Option<String> {
    let target = host.strip_suffix("-gnu").map(|begin| format!("{begin}-musl"))?;
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let sysroot = String::from_utf8(sysroot.stdout).ok()?;
    let library = Path::new(sysroot.trim()).join("lib/rustlib").join(&target);
    let compiler = Command::new("musl-gcc").arg("--version").output();
    (library.is_dir() && compiler.is_ok_and(|o| o.status.success())).then_some(target)
}

fn built(root: &Path, target: &str) -> Result<PathBuf, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args([
        "build",
        "--release",
        "--locked",
        "-p",
        "linchpin-cli",
        "--target",
        target,
    ]);
    succeed(&mut cargo)?;
    let file = if target.contains("windows") { "linchpin.exe" } else { "linchpin" };
    Ok(root.join("target").join(target).join("release").join(file))
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

/// What the program says.
fn said(program: &Path, args: &[&str]) -> Result<Vec<u8>, String> {
    let output = Command::new(program).args(args).output();
    let output = output.map_err(|e| format!("{}: {e}", program.display()))?;
    match output.status.success() && !output.stdout.is_empty() {
        true => Ok(output.stdout),
        false => Err(format!("{} {}: nothing was written", program.display(), args.join(" "))),
    }
}

/// The packages that are linked into the program: what `linchpin-cli` needs, without tests and build scripts.
fn linked(root: &Path, target: &str) -> Result<Vec<Value>, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args([
        "metadata",
        "--locked",
        "--format-version",
        "1",
        "--filter-platform",
        target,
    ]);
    let output = cargo.output().map_err(|e| format!("cargo: {e}"))?;
    let data: Value =
        serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages = list(&data["packages"]);
    let nodes = list(&data["resolve"]["nodes"]);
    let program = packages.iter().find(|p| p["name"] == "linchpin-cli");
    let program = program.ok_or("there is no package linchpin-cli")?;
    let (mut needed, mut todo) = (BTreeSet::new(), vec![program["id"].clone()]);
    while let Some(id) = todo.pop() {
        if !needed.insert(id.to_string()) {
            continue;
        }
        let node = nodes.iter().find(|n| n["id"] == id).unwrap_or(&Value::Null);
        for dependency in list(&node["deps"]) {
            // A kind of `null` is a dependency as usual.
            if list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()) {
                todo.push(dependency["pkg"].clone());
            }
        }
    }
    Ok(packages.into_iter().filter(|p| needed.contains(&p["id"].to_string())).collect())
}

/// Copies the licence texts of a package.
fn licences(package: &Value, to: &Path) -> Result<(), String> {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    // Those of this project are at the top of the archive.
    let Some(folder) =
        Path::new(text("manifest_path")).parent().filter(|_| package["source"].is_string())
    else {
        return Ok(());
    };
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        let upper = name.to_uppercase();
        if ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"]
            .iter()
            .any(|w| upper.starts_with(w))
            && file.path().is_file()
        {
            let copy = to.join(format!("{}-{}-{name}", text("name"), text("version")));
            fs::copy(file.path(), &copy).map_err(|e| format!("{}: {e}", copy.display()))?;
        }
    }
    Ok(())
}

/// The list of everything that is linked.
fn bill(linked: &[Value], version: &str) -> Value {
    let component = |package: &Value| {
        let (name, version) = (&package["name"], &package["version"]);
        let purl = format!(
            "pkg:cargo/{}@{}",
            name.as_str().unwrap_or_default(),
            version.as_str().unwrap_or_default()
        );
        json!({
            "type": "library",
            "bom-ref": purl,
            "name": name,
            "version": version,
            "purl": purl,
            "licenses": [{ "expression": package["license"].as_str().unwrap_or("NOASSERTION").replace('/', " OR ") }],
        })
    };
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": { "type": "application", "name": "linchpin", "version": version } },
        "components": linked.iter().map(component).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_linked_is_listed_with_a_licence() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let linked = linked(&root, &host().unwrap()).unwrap();
        let bill = bill(&linked, "1");
        let components = bill["components"].as_array().unwrap();
        let has = |name: &str| components.iter().any(|c| c["name"] == name);
        assert!(has("linchpin-cli") && has("clap") && has("serde_json"));
        // Tests need it, the program does not.
        assert!(!has("tempfile"));
        assert!(components.iter().all(|c| c["licenses"][0]["expression"] != "NOASSERTION"));
    }
}
