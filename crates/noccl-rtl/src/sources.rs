// SPDX-License-Identifier: Apache-2.0
//! The order in which tools read the sources: packages before whoever names them.
//!
//! A file holds one module or package and bears its name; all names begin with `noccl_`. So what a
//! file needs can be seen from the names in its code.

use crate::RtlError;
use std::collections::BTreeSet;

/// Paths and texts of the hardware that this crate was built with.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// The hardware that this program was built with: the [`crate::PARTS`] of the project's `rtl`.
#[must_use]
pub fn hardware_sources() -> Vec<SourceFile> {
    let owned = |(path, text): &(&str, &str)| SourceFile {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
    };
    EMBEDDED.iter().map(owned).collect()
}

/// A SystemVerilog source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Path relative to the folder of sources, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl SourceFile {
    /// Name of the module or package.
    #[must_use]
    pub fn name(&self) -> &str {
        let file = self.path.rsplit('/').next().unwrap_or(&self.path);
        file.split('.').next().unwrap_or(file)
    }

    fn is_package(&self) -> bool {
        self.name().ends_with("_pkg")
    }
}

/// A module or package and all that it needs, by path; `None` if a name is missing: that of the top.
#[must_use]
pub fn closure(files: &[SourceFile], top: &str) -> Option<Vec<SourceFile>> {
    let modules = || files.iter().filter(|f| f.path.ends_with(".sv"));
    let names: BTreeSet<&str> = modules().map(SourceFile::name).collect();
    let mut needed = BTreeSet::new();
    let mut open = vec![*names.get(top)?];
    while let Some(name) = open.pop() {
        if needed.insert(name) {
            let of_name = modules().filter(|f| f.name() == name);
            open.extend(of_name.flat_map(|f| needs(f, &names)));
        }
    }
    let is_needed = |f: &&SourceFile| needed.contains(f.name());
    Some(modules().filter(is_needed).cloned().collect())
}

/// Packages in the order of their needs, then modules by path.
///
/// # Errors
/// [`RtlError::Circle`] if packages need each other.
pub fn in_order(files: &[SourceFile]) -> Result<Vec<&SourceFile>, RtlError> {
    let (packages, mut modules): (Vec<_>, Vec<_>) = files.iter().partition(|f| f.is_package());
    modules.sort_by(|a, b| a.path.cmp(&b.path));
    let names: BTreeSet<&str> = packages.iter().map(|p| p.name()).collect();
    let mut open: Vec<(&SourceFile, BTreeSet<&str>)> = (packages.into_iter())
        .map(|p| (p, needs(p, &names)))
        .collect();
    open.sort_by(|a, b| a.0.path.cmp(&b.0.path));
    let mut ordered = Vec::with_capacity(files.len());
    while !open.is_empty() {
        let waiting: BTreeSet<&str> = open.iter().map(|(p, _)| p.name()).collect();
        let Some(next) = open.iter().position(|(_, n)| n.is_disjoint(&waiting)) else {
            let (first, second) = (&open[0], waiting.intersection(&open[0].1).next());
            return Err(RtlError::Circle {
                first: first.0.name().to_owned(),
                second: second.map_or_else(String::new, |s| (*s).to_owned()),
            });
        };
        ordered.push(open.remove(next).0);
    }
    ordered.extend(modules);
    Ok(ordered)
}

/// Others among these that the code of a file names.
fn needs<'n>(file: &SourceFile, names: &BTreeSet<&'n str>) -> BTreeSet<&'n str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let code = file.text.lines().map(|l| l.split("//").next().unwrap_or(l));
    let words = code.flat_map(|l| l.split(|c| !is_word(c)));
    words
        .filter_map(|word| names.get(word).copied())
        .filter(|name| *name != file.name())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        let (path, text) = (path.to_owned(), text.to_owned());
        SourceFile { path, text }
    }

    #[test]
    fn packages_come_before_whoever_names_them() {
        let files = [
            file("src/b/noccl_b.sv", "noccl_z_pkg::x"),
            file("src/a/noccl_a_pkg.sv", "noccl_z_pkg::x // not noccl_b_pkg"),
            file("src/b/noccl_b_pkg.sv", "noccl_a_pkg::x"),
            file("src/z/noccl_z_pkg.sv", ""),
        ];
        let names: Vec<_> = in_order(&files).unwrap().iter().map(|f| f.name()).collect();
        assert_eq!(
            names,
            ["noccl_z_pkg", "noccl_a_pkg", "noccl_b_pkg", "noccl_b"]
        );
    }

    #[test]
    fn packages_that_need_each_other_are_refused() {
        let files = [
            file("noccl_a_pkg.sv", "noccl_b_pkg::x"),
            file("noccl_b_pkg.sv", "noccl_a_pkg::x"),
        ];
        let refused = in_order(&files).unwrap_err().to_string();
        assert_eq!(refused, "noccl_a_pkg and noccl_b_pkg need each other");
    }
}
