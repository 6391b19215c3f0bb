// SPDX-License-Identifier: Apache-2.0
//! Writes the list of the hardware's sources, which the crate holds as texts: whoever has the program needs no checkout.

#[path = "src/parts.rs"]
mod parts;

use parts::PARTS;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let crate_folder =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = crate_folder.join("../../rtl");
    let mut entries = Vec::new();
    for (part, ends) in PARTS {
        collect(&root, &root.join(part), ends, &mut entries);
    }
    entries.sort();
    let list: String = entries
        .iter()
        .map(|(name, path)| format!("    ({name:?}, include_str!({path:?})),\n"))
        .collect();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let text = format!("&[\n{list}]\n");
    fs::write(out.join("sources.rs"), text).expect("the folder of this build can be written");
}

/// Names relative to `root`, and absolute paths. Cargo comes back when a folder changes; files it sees itself.
fn collect(root: &Path, folder: &Path, ends: &[&str], entries: &mut Vec<(String, String)>) {
    println!("cargo:rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder).expect("the hardware stands beside the crates") {
        let path = entry.expect("a readable folder").path();
        let is_wanted = |path: &Path| {
            path.extension()
                .is_some_and(|end| ends.iter().any(|e| end == *e))
        };
        if path.is_dir() {
            collect(root, &path, ends, entries);
        } else if is_wanted(&path) {
            let relative = path.strip_prefix(root).expect("below the root");
            let parts: Vec<_> = relative.iter().map(|p| p.to_string_lossy()).collect();
            entries.push((parts.join("/"), path.display().to_string()));
        }
    }
}
