// SPDX-License-Identifier: Apache-2.0
//! Where compiler and compiled runtime are kept, each in a folder under the digest of what it is made from.

use crate::CompileError;
use noccl_files::{Scratch, hexadecimal, not_written};
use sha2::{Digest, Sha256};
use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Names the folder of everything that is kept.
const VARIABLE: &str = "NOCCL_CACHE";

/// End of the names of folders that are being made.
const PARTIAL: &str = "partial";
/// After this time nobody makes a folder any more.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// The user's caches, or the folder that `NOCCL_CACHE` names.
fn root() -> PathBuf {
    let folder = |name| env::var_os(name).map(PathBuf::from);
    let of_user = || folder("HOME").map(|home| home.join(".cache"));
    folder(VARIABLE).unwrap_or_else(|| {
        let caches = folder("XDG_CACHE_HOME").or_else(of_user);
        caches.unwrap_or_else(env::temp_dir).join("noccl/compiler")
    })
}

/// Digest of texts in their order.
pub(crate) fn digest<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hexadecimal(&hash.finalize()[..12])
}

/// A folder of the cache. If it is not there, `make` fills one that others do not see, and it is moved to its place as a
/// whole; one that somebody else has made meanwhile is as good.
///
/// # Errors
/// Those of `make`, and [`CompileError::File`].
pub(crate) fn folder(
    name: &str,
    key: &str,
    make: impl FnOnce(&Path) -> Result<(), CompileError>,
) -> Result<PathBuf, CompileError> {
    let place = root().join(format!("{name}-{key}"));
    if place.exists() {
        return Ok(place);
    }
    remove_abandoned(&root());
    let id = std::process::id();
    let partial = Scratch::new(root().join(format!("{name}-{key}.{id}.{PARTIAL}")));
    let made = partial.path("made");
    let io = |error| not_written(&place, &error);
    std::fs::create_dir_all(&made).map_err(io)?;
    make(&made)?;
    partial.publish("made", &place).map_err(io)?;
    Ok(place)
}

/// What somebody has left who was ended from outside.
fn remove_abandoned(root: &Path) {
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let changed = entry.metadata().and_then(|data| data.modified());
        let age = changed.ok().and_then(|at| at.elapsed().ok());
        let is_partial = entry.path().extension().is_some_and(|end| end == PARTIAL);
        if is_partial && age.is_some_and(|age| age > ABANDONED) {
            drop(Scratch::new(entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};
    use std::time::SystemTime;

    #[test]
    fn only_what_somebody_left_long_ago_goes() {
        let root = env::temp_dir().join(format!("noccl-compile-cache-{}", std::process::id()));
        for name in ["old.partial", "new.partial", "old"] {
            fs::create_dir_all(root.join(name).join("made")).unwrap();
        }
        for name in ["old.partial", "old"] {
            let folder = File::open(root.join(name)).unwrap();
            folder
                .set_modified(SystemTime::now() - 2 * ABANDONED)
                .unwrap();
        }
        remove_abandoned(&root);
        let entries = fs::read_dir(&root).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["new.partial", "old"]);
        fs::remove_dir_all(&root).unwrap();
    }
}
