// SPDX-License-Identifier: Apache-2.0
//! Completion scripts load in the shells that this machine has, and complete.

use crate::common::{Folder, Said, noccl, refused};
use std::process::{Command, Stdio};

/// What a shell says to a script; none if there is no such shell.
fn in_shell(shell: &str, arguments: &[&str]) -> Option<Said> {
    let output = Command::new(shell)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    output.ok().map(Said::of)
}

#[test]
fn bash_completes_verbs_and_options() {
    let folder = Folder::new();
    let script = folder.file("noccl.bash", &noccl("completion bash").stdout);
    let complete = |words: &str, index: usize| {
        let text = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD={index}; \
             _noccl noccl \"${{COMP_WORDS[{index}]}}\" \"${{COMP_WORDS[{}]}}\"; echo ${{COMPREPLY[@]}}",
            script.display(),
            index - 1
        );
        let Some(said) = in_shell("bash", &["-c", &text]) else {
            panic!("no bash, which runs the tests");
        };
        assert_eq!(said.code, Some(0), "{said:?}");
        said.stdout
    };
    assert_eq!(complete("noccl compa", 1).trim(), "compare");
    assert_eq!(complete("noccl compare --colu", 2).trim(), "--columns");
    assert!(complete("noccl compare --format ", 3).contains("csv"));
    assert_eq!(complete("noccl compare all_r", 2).trim(), "all_reduce");
    assert_eq!(
        complete("noccl compare --spec tor", 3)
            .matches("torrent_")
            .count(),
        4
    );
    assert!(complete("noccl run program --spec smart_8x8_b", 4).contains("smart_8x8_baseline"));
    folder.file("tortoise.toml", "");
    let file = folder.0.join("tort").display().to_string();
    assert!(complete(&format!("noccl compare --spec {file}"), 3).contains("tortoise.toml"));
}

#[test]
fn zsh_and_fish_load_their_scripts_where_they_are_installed() {
    let folder = Folder::new();
    for (shell, arguments) in [("zsh", "-n"), ("fish", "--no-execute")] {
        let text = noccl(&format!("completion {shell}")).stdout;
        assert!(
            text.contains("compare") && text.contains("columns"),
            "{shell}: {text}"
        );
        assert!(text.contains("multicast reduce all_reduce"), "{shell}");
        let is_of_spec =
            |line: &&str| line.contains("PRESET_OR_FILE") || line.contains(" -l spec ");
        let of_spec: Vec<&str> = text.lines().filter(is_of_spec).collect();
        assert!(of_spec.len() > 10, "{shell}: {of_spec:?}");
        for line in of_spec {
            let has_files =
                line.contains("{compadd -- collective_noc_4x4 ") || line.contains(" -r -F -a ");
            assert!(has_files, "{shell}: {line}");
        }
        assert!(text.contains("torrent_4x5_parallel"), "{shell}");
        let script = folder.file(&format!("noccl.{shell}"), &text);
        if let Some(said) = in_shell(shell, &[arguments, &script.display().to_string()]) {
            assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{shell}");
        }
    }
}

#[test]
fn other_shells_are_refused() {
    refused(
        &Folder::new(),
        "completion tcsh",
        &["tcsh", "bash, zsh, fish"],
    );
}
