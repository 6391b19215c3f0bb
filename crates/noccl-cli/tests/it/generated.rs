// SPDX-License-Identifier: Apache-2.0
//! Committed text that is generated from the code is fresh; `make gen` writes it anew.

use crate::common::{Folder, done, noccl};
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn is_fresh(path: &str, arguments: &str) {
    let committed = std::fs::read_to_string(repository().join(path)).unwrap_or_default();
    let now = done(&Folder::new(), arguments);
    assert!(committed == now.stdout, "{path} is stale: run make gen");
}

#[test]
fn the_page_of_the_command_line_shows_todays_help() {
    is_fresh("docs/cli.md", "help-markdown");
}

#[test]
fn every_format_has_its_schema_of_today_and_no_other_file_lies_there() {
    let names: Vec<String> = noccl("schema --list")
        .stdout
        .lines()
        .map(str::to_owned)
        .collect();
    for name in &names {
        is_fresh(
            &format!("formats/{name}.schema.json"),
            &format!("schema {name}"),
        );
    }
    let mut files: Vec<String> = std::fs::read_dir(repository().join("formats"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let mut expected: Vec<String> = names.iter().map(|n| format!("{n}.schema.json")).collect();
    expected.sort();
    assert_eq!(files, expected);
}
