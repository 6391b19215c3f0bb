// SPDX-License-Identifier: Apache-2.0
//! What a module needs is found twice, here for programs without a checkout and in `tools/rtl_sources.py` for benches, proofs and
//! synthesis: both find the same.

use noccl_rtl::{PACKAGE_FILE, SMART_PACKAGE_FILE, SourceFile, closure, hardware_sources};
use std::path::Path;
use std::process::Command;

#[test]
fn the_tools_of_the_tests_find_what_a_module_needs_as_the_program_does() {
    let mut sources = hardware_sources();
    sources.extend(
        [PACKAGE_FILE, SMART_PACKAGE_FILE].map(|package| SourceFile {
            path: package.to_owned(),
            text: String::new(),
        }),
    );
    let modules = sources.iter().filter(|s| s.path.ends_with(".sv"));
    // The bench of Torrent endpoints is not in the program.
    let tops = modules
        .map(SourceFile::name)
        .filter(|n| *n != "noccl_torrent_cosim");
    let tops: Vec<&str> = tops.collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/rtl_sources.py");
    let said = Command::new("python3").arg(script).args(&tops).output();
    let said = said.unwrap();
    assert!(
        said.status.success(),
        "{}",
        String::from_utf8_lossy(&said.stderr)
    );
    let text = String::from_utf8(said.stdout).unwrap();
    assert_eq!(text.lines().count(), tops.len());
    for (line, top) in text.lines().zip(&tops) {
        let needed = closure(&sources, top).unwrap();
        let mut names: Vec<&str> = needed.iter().map(SourceFile::name).collect();
        names.sort_unstable();
        let found: Vec<&str> = line.split_whitespace().skip(1).collect();
        assert_eq!(found, names, "{top}");
    }
}
