// SPDX-License-Identifier: Apache-2.0
//! Folders of generated files, which are replaced as a whole and only if nobody else has put anything there.

use super::claim::{Claim, beside};
use super::manifest::{self, contents};
use super::write::check_place;
use super::{failed, goal, not_written, refusal};
use crate::FileError;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// End of the name of a file that is there while a folder is replaced.
const LOCK: &str = "lock";
/// How many foreign files a refusal names.
const MAX_NAMED: usize = 5;

/// A folder to be replaced.
struct Place {
    /// Without links and `..`.
    folder: PathBuf,
    /// Name of the list of its files.
    list: &'static str,
}

/// Writes a folder of files beside its place and exchanges it with what is there. That goes only if an earlier call wrote
/// all of it, which its file `list` shows, and nothing was changed since; an empty folder goes too.
///
/// # Errors
/// [`FileError::File`] with the names of foreign or changed files, [`FileError::NotWritten`]; the folder is as before.
pub fn write_folder(
    folder: &Path,
    list: &'static str,
    files: &[(&str, &str)],
) -> Result<(), FileError> {
    let io = |e: io::Error| not_written(folder, &e);
    let place = place(folder, list)?;
    if let Some(above) = place.folder.parent() {
        fs::create_dir_all(above).map_err(io)?;
    }
    let _lock = Claim::take(&beside(&place.folder, LOCK), 0o600).map_err(io)?;
    place.recover().map_err(io)?;
    place.check(folder)?;
    place.replace(files).map_err(io)
}

/// Can a folder be written here? To be asked before other work; nothing is changed.
///
/// # Errors
/// As [`write_folder`], as [`FileError::File`].
pub fn check_output_folder(folder: &Path, list: &'static str) -> Result<(), FileError> {
    let place = place(folder, list)?;
    check_place(&place.folder, LOCK).map_err(|e| failed(folder, "cannot be written", &e))?;
    place.check(folder)
}

fn place(folder: &Path, list: &'static str) -> Result<Place, FileError> {
    let refused = |e: io::Error| failed(folder, "cannot be written", &e);
    let real = goal::of_folder(folder).map_err(refused)?;
    if real.file_name().is_none() {
        let error = refusal(ErrorKind::InvalidInput, "names no folder below another");
        return Err(refused(error));
    }
    Ok(Place { folder: real, list })
}

impl Place {
    fn partial(&self) -> PathBuf {
        beside(&self.folder, "partial")
    }

    fn old(&self) -> PathBuf {
        beside(&self.folder, "old")
    }

    /// Is everything there as an earlier call wrote it?
    fn check(&self, shown: &Path) -> Result<(), FileError> {
        let foreign = foreign(&self.folder, self.list);
        let foreign = foreign.map_err(|e| failed(shown, "cannot read", &e))?;
        if foreign.is_empty() {
            return Ok(());
        }
        let more = match foreign.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named: Vec<&str> = foreign.iter().take(MAX_NAMED).map(String::as_str).collect();
        Err(FileError::File {
            path: shown.display().to_string(),
            reason: format!(
                "holds files that were not written by this command: {}{more}; accepted: a new or empty folder, \
                 or one as it was written",
                named.join(", ")
            ),
        })
    }

    /// Puts right what a killed process has left.
    fn recover(&self) -> io::Result<()> {
        let (partial, old) = (self.partial(), self.old());
        if old.exists() {
            if self.folder.exists() {
                self.remove(&old)?;
            } else {
                fs::rename(&old, &self.folder)?;
            }
        }
        self.remove(&partial)
    }

    fn replace(&self, files: &[(&str, &str)]) -> io::Result<()> {
        let partial = self.partial();
        let written = self.write(&partial, files).and_then(|()| self.exchange());
        // What is left of a failed or a former folder; the first error is the one to report.
        let removed = self.remove(&partial);
        written.and(removed)
    }

    /// Writes all files, their list first: so a later call knows what it may remove, should this one be killed.
    fn write(&self, partial: &Path, files: &[(&str, &str)]) -> io::Result<()> {
        fs::create_dir(partial)?;
        if let Ok(found) = fs::metadata(&self.folder) {
            fs::set_permissions(partial, found.permissions())?;
        }
        let list = partial.join(self.list);
        let mut claim = Claim::take(&beside(&list, "partial"), 0o666)?;
        claim.file().write_all(manifest::text(files).as_bytes())?;
        claim.publish(&list, None)?;
        files.iter().try_for_each(|(path, text)| {
            let path = partial.join(path);
            fs::create_dir_all(path.parent().unwrap_or(partial))?;
            let mut file = File::create_new(&path)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
    }

    /// Puts the new folder where the old one is.
    fn exchange(&self) -> io::Result<()> {
        let partial = self.partial();
        // That is one step where nothing or an empty folder stands.
        match fs::rename(&partial, &self.folder) {
            Err(e) if e.kind() == ErrorKind::DirectoryNotEmpty => {}
            renamed => return renamed,
        }
        if exchanged(&partial, &self.folder)? {
            return Ok(());
        }
        let old = self.old();
        fs::rename(&self.folder, &old)?;
        fs::rename(&partial, &self.folder)?;
        self.remove(&old)
    }

    /// Removes what a call has written into a folder beside the place, and nothing else.
    fn remove(&self, folder: &Path) -> io::Result<()> {
        let Ok(found) = contents(folder) else {
            return Ok(());
        };
        let known = manifest::read(&folder.join(self.list))?;
        let list = PathBuf::from(self.list);
        let unfinished = beside(&list, "partial");
        let is_known = |path: &PathBuf| known.contains_key(path) || *path == unfinished;
        for path in found.iter().filter(|path| is_known(path)) {
            fs::remove_file(folder.join(path))?;
        }
        // The list goes last: without it nobody could tell whose files these are.
        let rest: Vec<PathBuf> = contents(folder)?;
        let is_empty = |path: &PathBuf| *path == list || folder.join(path).is_dir();
        if let Some(foreign) = rest.iter().find(|path| !is_empty(path)) {
            let reason = format!(
                "{} is not on the list of generated files",
                folder.join(foreign).display()
            );
            return Err(refusal(ErrorKind::DirectoryNotEmpty, reason));
        }
        if folder.join(&list).exists() {
            fs::remove_file(folder.join(&list))?;
        }
        remove_empty(folder)
    }
}

/// Removes a folder that holds folders only.
fn remove_empty(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        remove_empty(&entry?.path())?;
    }
    fs::remove_dir(folder)
}

/// What is in a folder that its list does not name, or names with another digest.
fn foreign(folder: &Path, list: &str) -> io::Result<Vec<String>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let known = manifest::read(&folder.join(list))?;
    let mut foreign = Vec::new();
    for path in contents(folder)? {
        let full = folder.join(&path);
        let is_file = fs::symlink_metadata(&full)?.is_file();
        match known.get(&path) {
            _ if path == Path::new(list) && is_file => {}
            Some(digest) if is_file && manifest::of_file(&full)? == *digest => {}
            Some(_) => foreign.push(format!("{} (changed)", path.display())),
            None => foreign.push(path.display().to_string()),
        }
    }
    Ok(foreign)
}

/// Exchanges two folders in one step, if the system can.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchanged(a: &Path, b: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchanged(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}
