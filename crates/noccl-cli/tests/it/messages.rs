// SPDX-License-Identifier: Apache-2.0
//! What is printed: nothing that a terminal obeys, of bounded length, and about the right thing.

use crate::common::{Folder, Said, command, fails, noccl_in, said};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;

/// Window title, colour, backspace, 8-bit controls, line end, text that runs backwards.
const HOSTILE: &str = "k\u{1b}]0;x\u{7}\u{1b}[31m\u{8}\u{9b}2J\u{85}\nerror: \u{202e}fine";

/// Nothing but text, line ends and tabulators.
fn assert_visible(said: &Said) {
    for text in [&said.stdout, &said.stderr] {
        let is_text = |c: char| c == '\n' || c == '\t' || !(c.is_control() || c == '\u{202e}');
        assert!(text.chars().all(is_text), "{text:?}");
    }
}

fn escaped(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

#[test]
fn keys_values_and_names_from_files_are_shown_and_not_obeyed() {
    let folder = Folder::new();
    let key = escaped(HOSTILE);
    folder.file("key.json", &format!("{{\"format\":1,{key}:1}}"));
    folder.file("rows.json", &format!("[{{{key}:1}}]"));
    folder.file("value.json", &format!("{{\"format\":{key}}}"));
    folder.file("key.toml", "\"k\\u001b]0;x\\u0007\\u009b2J\" = 1\n");
    folder.file("raw.toml", "a = \"\u{9b}31m\u{202e}");
    folder.file("raw.json", &format!("{HOSTILE}{{"));
    for arguments in [
        "check key.json",
        "run key.json",
        "run --trace key.json",
        "check value.json",
        "check raw.json",
        "report rows.json",
        "bench --compare rows.json",
        "elaborate ./key.toml",
        "check key.json --spec ./key.toml",
        "elaborate ./raw.toml",
        "compare barrier --backend model --calibration key.toml",
    ] {
        let said = fails(&folder, 2, arguments);
        assert_visible(&said);
        let lines = said.stderr.lines().filter(|l| l.starts_with("error:"));
        assert_eq!(lines.count(), 1, "{arguments}: {said:?}");
    }
    let said = noccl_in(&folder.0, "check key.json");
    assert!(said.stderr.contains("k\\u{1b}]0;x\\u{7}"), "{said:?}");
}

#[test]
fn names_of_files_networks_and_arguments_are_shown_and_not_obeyed() {
    let folder = Folder::new();
    let preset = noccl_in(&folder.0, "elaborate collective_noc_2x2 --toml").stdout;
    let name = "n\\u001b[31m\\u009b\\u0085\\u007f";
    let spec = preset.replace(
        "name = \"collective_noc_2x2\"",
        &format!("name = \"{name}\""),
    );
    assert_ne!(spec, preset);
    folder.file("s.toml", &spec);
    let refused = fails(&folder, 2, "elaborate ./s.toml");
    assert_visible(&refused);
    // What programs read holds the same name, escaped.
    let rows = noccl_in(
        &folder.0,
        "compare barrier --spec collective_noc_2x2 --json",
    )
    .stdout;
    folder.file("rows.json", &rows);
    let page = "\u{9b}31m\u{1b}.html";
    let reported = said(command(&folder.0, "report rows.json --json -o").arg(page));
    assert_eq!(reported.code, Some(0), "{reported:?}");
    assert_visible(&reported);
    let shown: serde_json::Value = serde_json::from_str(&reported.stdout).unwrap();
    assert_eq!(shown["page"], page);
    assert_visible(&said(command(&folder.0, "report rows.json -o").arg(page)));
    for words in [
        &["check", HOSTILE][..],
        &["elaborate", HOSTILE],
        &[HOSTILE],
        &["compare", HOSTILE],
        &["run", "x", "--mode", HOSTILE],
        &["rtl", "-o", HOSTILE, "--package", "none/\u{1b}[31m/../x"],
        &["run", "x", HOSTILE],
        &["elaborate", "collective_noc_2x2", "-P", HOSTILE],
    ] {
        let said = said(command(&folder.0, "").args(words));
        assert_eq!(said.code, Some(2), "{said:?}");
        assert_visible(&said);
    }
    let bytes = std::ffi::OsStr::from_bytes(b"\xff\x1b[31m");
    assert_visible(&said(command(&folder.0, "check").arg(bytes)));
}

#[test]
fn a_line_of_a_megabyte_is_not_repeated() {
    let folder = Folder::new();
    let long = "x".repeat(1 << 20);
    folder.file(
        "value.toml",
        &format!("format = 1\nname = \"{long}\" oops\n"),
    );
    folder.file("key.toml", &format!("format = 1\n{long} = 1\n"));
    folder.file("key.json", &format!("{{\"format\":1,\"{long}\":1}}"));
    folder.file("value.json", &format!("{{\"format\":\"{long}\"}}"));
    folder.file("rows.json", &format!("[{{\"{long}\":1}}]"));
    for arguments in [
        "elaborate ./value.toml",
        "elaborate ./key.toml",
        "check key.json",
        "check value.json",
        "report rows.json",
        "compare barrier --backend model --calibration value.toml",
    ] {
        let said = fails(&folder, 2, arguments);
        assert!(
            said.stderr.len() < 5000,
            "{arguments}: {}",
            said.stderr.len()
        );
    }
    let said = noccl_in(&folder.0, "elaborate ./value.toml");
    assert!(said.stderr.contains("line 2, column 1048587"), "{said:?}");
    assert!(said.stderr.contains("oops"), "{said:?}");
}

#[test]
fn files_above_their_limit_are_refused_before_they_are_read() {
    let folder = Folder::new();
    let sized = |name: &str, bytes: u64| {
        File::create(folder.0.join(name))
            .unwrap()
            .set_len(bytes)
            .unwrap()
    };
    // Holes: no disk is used, and only a reader that looks at the size first is fast.
    sized("huge.json", 1 << 40);
    sized("huge.toml", 1 << 40);
    sized("above.toml", noccl::files::MAX_TOML_BYTES + 1);
    sized("above.json", noccl::files::MAX_FILE_BYTES + 1);
    sized("trace.json", noccl::files::MAX_TRACE_BYTES + 1);
    for (arguments, limit) in [
        ("check huge.json", "128 MiB"),
        ("check above.json", "at most 134217728 bytes"),
        ("run above.json", "128 MiB"),
        ("report huge.json", "128 MiB"),
        ("run --trace trace.json", "32 MiB"),
        ("elaborate ./huge.toml", "4 MiB"),
        ("elaborate ./above.toml", "4 MiB"),
        (
            "compare barrier --backend model --calibration above.toml",
            "4 MiB",
        ),
        ("elaborate /dev/zero", "4 MiB"),
        ("run --trace /dev/zero", "32 MiB"),
    ] {
        let said = fails(&folder, 2, arguments);
        assert!(said.stderr.contains(limit), "{arguments}: {said:?}");
    }
}

#[test]
fn what_is_wrong_is_blamed() {
    let folder = Folder::new();
    let spec = noccl_in(&folder.0, "elaborate collective_noc_2x2 --toml").stdout;
    folder.file("x.toml", &spec);
    folder.file("spec.txt", &spec);
    folder.file("empty.json", "");
    for (arguments, words) in [
        ("run x.toml", &["schedule", "JSON", "--spec FILE"][..]),
        ("check x.toml", &["schedule", "JSON", "--spec FILE"]),
        ("run --trace x.toml", &["trace", "JSON", "--spec FILE"]),
        ("report x.toml", &["JSON", "--spec FILE"]),
        ("run spec.txt", &["schedule", "JSON", "begins with 'f'"]),
        ("check empty.json", &["schedule", "JSON", "nothing"]),
        (
            "order --spec torrent_4x5 --destinations 9,9,9,9",
            &["--destinations '9,9,9,9'", "5 x 4"],
        ),
        ("order --spec torrent_4x5 --source 9,9", &["--source '9,9'"]),
        (
            "schedule all_gather --root 0,0",
            &["--root '0,0'", "no root"],
        ),
        ("compare all_to_all --root 0,0 --bytes 64", &["--root"]),
        ("calibrate --spec torrent_4x5", &["router.flow"]),
    ] {
        let said = fails(&folder, 2, arguments);
        for word in words {
            assert!(
                said.stderr.contains(word),
                "{arguments}: no '{word}' in {}",
                said.stderr
            );
        }
        for other in ["--group", "constants/", "crates/"] {
            assert!(!said.stderr.contains(other), "{arguments}: {}", said.stderr);
        }
    }
}
