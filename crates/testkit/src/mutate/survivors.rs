//! Survivors that somebody has read: mutants that no check can notice, and why.
//!
//! `corpus/lin/survivors.toml` lists them by file, with one reason for several mutants where it is the
//! same. A list like this decays when models change, so that whoever uses it says which entries no
//! longer fit: see [`Readings::unknown`].

use std::collections::BTreeSet;

use serde::Deserialize;

use super::Mutant;

/// What `corpus/lin/survivors.toml` says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Readings {
    /// In the order of the file.
    #[serde(default)]
    pub reading: Vec<Reading>,
}

/// Mutants of one file that survive for the same reason.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// The path of the model in the corpus.
    pub file: String,
    /// Why nobody can tell them from the original.
    pub why: String,
    /// Their [keys](Mutant::key).
    pub mutants: Vec<String>,
}

/// Reads `survivors.toml`.
///
/// # Errors
/// If it is not of this form or lists a mutant twice, in words.
pub fn parse(text: &str) -> Result<Readings, String> {
    let readings: Readings = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut seen = BTreeSet::new();
    for (file, key) in readings.entries() {
        if !seen.insert((file, key)) {
            return Err(format!("{file}: listed twice: {key}"));
        }
    }
    Ok(readings)
}

impl Readings {
    /// The file and the key of every mutant listed.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.reading
            .iter()
            .flat_map(|r| r.mutants.iter().map(|key| (r.file.as_str(), key.as_str())))
    }

    /// Why a mutant of a file survives, if it is listed.
    pub fn why(&self, file: &str, mutant: &Mutant) -> Option<&str> {
        let mut readings = self.reading.iter().filter(|r| r.file == file);
        readings.find(|r| r.mutants.contains(&mutant.key)).map(|r| r.why.as_str())
    }

    /// Keys listed for a file that none of its mutants has.
    pub fn unknown<'r>(&'r self, file: &str, mutants: &[Mutant]) -> Vec<&'r str> {
        let keys: BTreeSet<&str> = mutants.iter().map(|m| m.key.as_str()).collect();
        let of_file = self.entries().filter(|(f, _)| *f == file);
        of_file.map(|(_, key)| key).filter(|key| !keys.contains(key)).collect()
    }
}
