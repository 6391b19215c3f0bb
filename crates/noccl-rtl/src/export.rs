// SPDX-License-Identifier: Apache-2.0
//! A folder that can be dropped into a chip: package, sources, file list, README.

use crate::readme::{readme, smart_readme};
use crate::sources::{closure, in_order};
use crate::{Package, RtlError, RtlNumbers, SourceFile};
use std::fmt::Write;

/// List of the folder's other files with their SHA-256, as `sha256sum` writes it; whoever writes the folder adds it.
pub const DIGEST_FILE: &str = "noccl.sha256";
pub(crate) const FILE_LIST: &str = "noccl.f";
/// The module that an integrator instantiates.
pub(crate) const TOP: &str = "noccl_system";
/// The same of routers with bypass, and the folder of all that serves nobody else.
pub(crate) const SMART_TOP: &str = "noccl_smart_mesh";
const SMART_FOLDER: &str = "src/router/smart/";

/// One file of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFile {
    /// Path relative to the folder, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// All files of the folder. `sources` are those below `src` and `include` of the project's `rtl`, which
/// stands at `folder`.
///
/// # Errors
/// [`RtlError::Sources`] if the top or the assertion header is missing, [`RtlError::Circle`] if packages
/// need each other.
pub fn export(
    numbers: &RtlNumbers,
    folder: &str,
    sources: &[SourceFile],
) -> Result<Vec<ExportFile>, RtlError> {
    let (top, readme) = match numbers {
        RtlNumbers::Axi(config) => (TOP, readme(config)),
        RtlNumbers::Smart(config) => (SMART_TOP, smart_readme(config)),
    };
    let has = |name: &str| sources.iter().any(|s| s.name() == name);
    for (name, path) in [(top, "src"), ("noccl_assert", "include")] {
        if !has(name) {
            return Err(RtlError::Sources {
                folder: folder.to_owned(),
                missing: format!("{path}/**/{name}"),
            });
        }
    }
    let package = numbers.package();
    let needed = needed(numbers, folder, sources)?;
    let compiled = needed.iter().filter(|s| s.path.ends_with(".sv"));
    let compiled: Vec<SourceFile> = compiled.cloned().chain([package.clone()]).collect();
    let ordered = in_order(&compiled)?;
    let mut files = vec![
        file(FILE_LIST, &file_list(&ordered)),
        file(&package.path, &package.text),
        file("README.md", &readme),
    ];
    files.extend(needed.iter().map(|s| file(&s.path, &s.text)));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// What a folder holds besides its package: the parts from which a chip is built, or the modules of routers with bypass alone.
fn needed(
    numbers: &RtlNumbers,
    folder: &str,
    sources: &[SourceFile],
) -> Result<Vec<SourceFile>, RtlError> {
    Ok(match numbers {
        RtlNumbers::Axi(_) => {
            let is_of_others = |s: &&SourceFile| !s.path.starts_with(SMART_FOLDER);
            sources.iter().filter(is_of_others).cloned().collect()
        }
        RtlNumbers::Smart(_) => {
            let headers = sources.iter().filter(|s| !s.path.ends_with(".sv"));
            let modules = closure(sources, SMART_TOP).ok_or_else(|| RtlError::Sources {
                folder: folder.to_owned(),
                missing: format!("src/**/{SMART_TOP}"),
            })?;
            headers.cloned().chain(modules).collect()
        }
    })
}

fn file(path: &str, text: &str) -> ExportFile {
    let (path, text) = (path.to_owned(), text.to_owned());
    ExportFile { path, text }
}

fn file_list(ordered: &[&SourceFile]) -> String {
    let head = "// Files in the order in which tools read them, relative to this folder.\n+incdir+include\n";
    ordered.iter().fold(head.to_owned(), |mut text, source| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", source.path);
        text
    })
}
