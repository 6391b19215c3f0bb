// SPDX-License-Identifier: Apache-2.0
//! A file of a fixed name that belongs to one process at a time, also after another one was killed.

use super::refusal;
use rustix::fs::OFlags;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Longer names would not leave space for what is added: file systems take 255 bytes.
const MAX_NAME_BYTES: usize = 200;

/// An empty file, locked, which goes away with the value unless it is moved to its place.
///
/// The lock ends with the process, so a file without one was left by a process that was killed.
#[derive(Debug)]
pub(super) struct Claim {
    path: PathBuf,
    file: File,
    is_moved: bool,
}

impl Claim {
    /// Makes the file; waits while another process has it. `mode`: permissions while it is written.
    pub(super) fn take(path: &Path, mode: u32) -> io::Result<Self> {
        loop {
            let mut options = OpenOptions::new();
            // The owner must be able to open what is left, should this process be killed.
            let made = (options.write(true).create_new(true).mode(mode | 0o200)).open(path);
            match made {
                Ok(file) => {
                    lock(&file)?;
                    // Between the two lines another process may have thought that nobody has it.
                    if is_at(&file, path) {
                        return Ok(Self {
                            path: path.to_owned(),
                            file,
                            is_moved: false,
                        });
                    }
                }
                Err(e) if e.kind() == ErrorKind::AlreadyExists => remove_left(path)?,
                Err(e) => return Err(e),
            }
        }
    }

    pub(super) const fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Moves the file to its place, with these permissions.
    pub(super) fn publish(
        mut self,
        place: &Path,
        permissions: Option<fs::Permissions>,
    ) -> io::Result<()> {
        if let Some(permissions) = permissions {
            self.file.set_permissions(permissions)?;
        }
        self.file.sync_all()?;
        fs::rename(&self.path, place)?;
        self.is_moved = true;
        Ok(())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if !self.is_moved {
            // If it stays, the next one takes it over.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Removes a file that a killed process has left; waits for one that is being written.
fn remove_left(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let left = match options.append(true).custom_flags(flags).open(path) {
        Ok(left) => left,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        Err(e) => {
            let reason = format!("{} cannot be replaced: {e}", path.display());
            return Err(refusal(e.kind(), reason));
        }
    };
    if !left.metadata()?.is_file() {
        let reason = format!("{} is no file and cannot be replaced", path.display());
        return Err(refusal(ErrorKind::InvalidInput, reason));
    }
    lock(&left)?;
    if is_at(&left, path) {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Locks a file; where the file system has no locks, two processes are not told apart.
fn lock(file: &File) -> io::Result<()> {
    match file.lock() {
        Err(e) if e.kind() == ErrorKind::Unsupported => Ok(()),
        locked => locked,
    }
}

/// Is this still the file of that name?
fn is_at(file: &File, path: &Path) -> bool {
    let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    let here = fs::symlink_metadata(path);
    here.is_ok_and(|here| file.metadata().is_ok_and(|file| same(&here, &file)))
}

/// Permission bits for a file that will have these.
pub(super) fn mode(permissions: Option<&fs::Permissions>) -> u32 {
    permissions.map_or(0o666, |p| p.mode() & 0o777)
}

/// Name beside a path: hidden, ending in `suffix`.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    // 0: a path without a name gets the suffix alone.
    let name = path.file_name().unwrap_or_default();
    let mut own = OsString::from(".");
    if name.len() > MAX_NAME_BYTES {
        let digest = Sha256::digest(name.as_bytes());
        own.push(
            digest
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect::<String>(),
        );
    } else {
        own.push(name);
    }
    own.push(".");
    own.push(suffix);
    path.with_file_name(own)
}
