// SPDX-License-Identifier: Apache-2.0
//! Files in and out. All files that this project's libraries and the `noccl` command write are written here.
//!
//! What is promised, whenever the process is killed and whatever the disk does:
//!
//! - A file is complete or as before: it is written beside its place under a fixed name (`.NAME.partial`) and renamed.
//!   What a killed process has left there is taken over by the next one that writes the same file; two at once wait for
//!   each other.
//! - A link stays a link: the file that it points to is replaced. A device, a FIFO or a descriptor (`/dev/stdout`,
//!   `/dev/fd/3`, `>(gzip)`) is written into.
//! - A folder is replaced only if every file in it was written by an earlier call and is as it was written then, which
//!   its list of files with their digests shows. What somebody else has put there is named, and nothing is deleted.

#[cfg(unix)]
mod claim;
#[cfg(not(unix))]
#[path = "no_claim.rs"]
mod claim;
mod error;
mod folder;
mod goal;
mod manifest;
mod read;
mod scratch;
mod visible;
mod write;

pub use error::FileError;
pub use folder::{check_output_folder, write_folder};
pub use manifest::hexadecimal;
pub use read::{
    MAX_FILE_BYTES, MAX_TOML_BYTES, MAX_TRACE_BYTES, begins_as_json, parse_json, read_bounded,
    read_bytes, read_json, read_text,
};
pub use scratch::Scratch;
pub use visible::{message, visible, visible_line};
pub use write::{check_output, replace_file, write_bytes, write_file};

use std::io;
use std::path::Path;

/// A file that cannot be read, or whose place is wrong.
#[must_use]
pub fn failed(path: &Path, what: &str, error: &io::Error) -> FileError {
    FileError::File {
        path: path.display().to_string(),
        reason: format!("{what}: {error}"),
    }
}

/// An output that could not be written.
#[must_use]
pub fn not_written(path: &Path, error: &io::Error) -> FileError {
    FileError::NotWritten {
        path: path.display().to_string(),
        reason: error.to_string(),
    }
}

fn refusal(kind: io::ErrorKind, reason: impl Into<String>) -> io::Error {
    io::Error::new(kind, reason.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::ErrorKind;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// An empty folder of the test's own.
    fn root() -> PathBuf {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root =
            std::env::temp_dir().join(format!("noccl-files-{}-{number}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        root
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |e: io::Result<fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    const OLD: [(&str, &str); 2] = [("src/a", "1"), ("src/b", "2")];
    const NEW: [(&str, &str); 1] = [("src/a", "3")];

    #[test]
    fn a_folder_is_replaced_as_a_whole() {
        let root = root();
        let folder = root.join("inner/hardware");
        write_folder(&folder, "list", &OLD).unwrap();
        write_folder(&folder, "list", &NEW).unwrap();
        assert_eq!(read_text(&folder.join("src/a")).unwrap(), "3");
        assert!(!folder.join("src/b").exists());
        assert_eq!(names(&root.join("inner")), ["hardware"]);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_folder_with_foreign_or_changed_files_is_refused_by_their_names_and_kept() {
        let root = root();
        let folder = root.join("hardware");
        write_folder(&folder, "list", &OLD).unwrap();
        let refused = |name: &str| {
            let refused = write_folder(&folder, "list", &NEW).unwrap_err().to_string();
            assert!(refused.contains(name), "no '{name}' in {refused}");
            let checked = check_output_folder(&folder, "list").unwrap_err();
            assert_eq!(refused, checked.to_string());
        };
        fs::write(folder.join("src/mine"), "").unwrap();
        refused("src/mine");
        fs::remove_file(folder.join("src/mine")).unwrap();
        fs::create_dir(folder.join("empty")).unwrap();
        refused("empty");
        fs::remove_dir(folder.join("empty")).unwrap();
        fs::write(folder.join("src/a"), "edited").unwrap();
        refused("src/a (changed)");
        fs::remove_file(folder.join("list")).unwrap();
        refused("src/a, src/b");
        assert_eq!(read_text(&folder.join("src/a")).unwrap(), "edited");
        assert_eq!(names(&root), ["hardware"]);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn what_a_killed_process_has_left_of_a_folder_is_removed_and_what_it_has_moved_comes_back() {
        let root = root();
        let folder = root.join("hardware");
        write_folder(&folder, "list", &OLD).unwrap();
        // Between the two steps of an exchange without the system's help.
        fs::rename(&folder, root.join(".hardware.old")).unwrap();
        write_folder(&root.join("other"), "list", &NEW).unwrap();
        fs::rename(root.join("other"), root.join(".hardware.partial")).unwrap();
        fs::remove_file(root.join(".hardware.partial/src/a")).unwrap();
        fs::write(root.join(".hardware.partial/.list.partial"), "half").unwrap();
        fs::write(root.join("keep"), "").unwrap();
        write_folder(&folder, "list", &NEW).unwrap();
        assert_eq!(read_text(&folder.join("src/a")).unwrap(), "3");
        assert_eq!(names(&root), ["hardware", "keep"]);
        // What nobody can have left like this stays.
        fs::create_dir(root.join(".hardware.partial")).unwrap();
        fs::write(root.join(".hardware.partial/mine"), "").unwrap();
        let refused = write_folder(&folder, "list", &OLD).unwrap_err();
        assert!(refused.to_string().contains("not on the list"), "{refused}");
        assert_eq!(names(&root), [".hardware.partial", "hardware", "keep"]);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_written_file_reads_back_and_a_failed_write_leaves_nothing() {
        let root = root();
        let path = root.join("inner/result.json");
        write_file(&path, "[1]").unwrap();
        assert_eq!(read_json::<Vec<u32>>(&path, "list").unwrap(), [1]);
        // A folder stands where the file should go.
        fs::create_dir_all(root.join("taken/inside")).unwrap();
        for place in [
            "taken",
            "new/",
            "new/..",
            "new/../file",
            "inner/result.json/file",
        ] {
            assert!(write_file(&root.join(place), "text").is_err(), "{place}");
            assert!(check_output(&root.join(place)).is_err(), "{place}");
        }
        let full = replace_file(&path, |_| -> Result<(), FileError> {
            Err(not_written(&path, &ErrorKind::StorageFull.into()))
        });
        assert!(full.is_err());
        assert_eq!(read_text(&path).unwrap(), "[1]");
        assert_eq!(names(&root), ["inner", "taken"]);
        assert_eq!(names(&root.join("inner")), ["result.json"]);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_place_is_checked_without_a_trace() {
        let root = root();
        fs::write(root.join("old"), "old").unwrap();
        for place in ["old", "new", "folder/below/new"] {
            check_output(&root.join(place)).unwrap();
        }
        assert_eq!(names(&root), ["old"]);
        assert_eq!(read_text(&root.join("old")).unwrap(), "old");
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_name_as_long_as_file_systems_allow_is_written() {
        let root = root();
        let path = root.join("x".repeat(255));
        write_file(&path, "text").unwrap();
        assert_eq!(read_text(&path).unwrap(), "text");
        assert_eq!(names(&root).len(), 1);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn writers_of_one_file_wait_for_each_other() {
        let root = root();
        let path = root.join("shared");
        let text = |writer: usize| writer.to_string().repeat(100_000);
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let path = &path;
                scope.spawn(move || (0..20).for_each(|_| write_file(path, &text(writer)).unwrap()));
            }
        });
        let found = read_text(&path).unwrap();
        assert!((0..8).any(|writer| found == text(writer)));
        assert_eq!(names(&root), ["shared"]);
        fs::remove_dir_all(&root).unwrap();
    }
}
