// SPDX-License-Identifier: Apache-2.0
//! Where compiler and compiled runtime are kept, each in a folder under the digest of what it is made from.

use crate::CompileError;
use noccl_files::{Scratch, hexadecimal, not_written};
use sha2::{Digest, Sha256};
use std::env;
use std::path::{Path, PathBuf};

/// Names the folder of everything that is kept.
const VARIABLE: &str = "NOCCL_CACHE";

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
    let id = std::process::id();
    let partial = Scratch::new(place.with_extension(format!("{id}.partial")));
    let made = partial.path("made");
    let io = |error| not_written(&place, &error);
    std::fs::create_dir_all(&made).map_err(io)?;
    make(&made)?;
    partial.publish("made", &place).map_err(io)?;
    Ok(place)
}
