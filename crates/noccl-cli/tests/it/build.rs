// SPDX-License-Identifier: Apache-2.0
//! `noccl build` where there is no compiler to be had: what is missing is named, and nothing is left behind. With a
//! compiler: `python/tests/test_compiled_programs.py`.

use crate::common::{Folder, Said, command, said};
use noccl_testkit::assert_says;
use std::fs;

/// Runs `noccl build` with a cache of its own and a mirror in the folder.
fn build(folder: &Folder, arguments: &str) -> Said {
    let mut command = command(&folder.0, &format!("build {arguments}"));
    command.env("NOCCL_CACHE", folder.0.join("cache"));
    command.env(
        "NOCCL_DEBIAN",
        format!("file://{}", folder.0.join("mirror").display()),
    );
    command.env_remove("NOCCL_RISCV_GCC");
    said(&mut command)
}

fn is_cache_empty(folder: &Folder) -> bool {
    fs::read_dir(folder.0.join("cache")).map_or(true, |mut entries| entries.next().is_none())
}

#[test]
fn sources_are_looked_at_first() {
    let folder = Folder::new();
    folder.file("main.c", "int main(void) { return 0; }\n");
    for (arguments, part) in [
        (
            "absent.c -o out.elf",
            "source file 'absent.c': No such file",
        ),
        (
            "main.c notes.txt -o out.elf",
            "source file 'notes.txt': it is none of these",
        ),
        ("main.c -o main.c/out.elf", "main.c/out.elf"),
        ("main.c -O9 -o out.elf", "accepted: 0, 1, 2, 3, s"),
        ("-o out.elf", "FILE"),
    ] {
        let said = build(&folder, arguments);
        assert_eq!(said.code, Some(2), "{arguments}: {said:?}");
        assert!(said.stderr.contains(part), "{arguments}: {}", said.stderr);
    }
    assert_eq!(folder.names(), ["main.c"]);
}

#[test]
fn an_archive_that_is_not_there_is_named_and_leaves_nothing() {
    let folder = Folder::new();
    folder.file("main.c", "int main(void) { return 0; }\n");
    let said = build(&folder, "main.c -o out.elf");
    assert_eq!(said.code, Some(2), "{said:?}");
    let parts = [
        "cannot fetch gcc-riscv64-unknown-elf from file://",
        "NOCCL_DEBIAN",
        "NOCCL_RISCV_GCC",
    ];
    assert_says(&said.stderr, &parts);
    assert!(is_cache_empty(&folder) && !folder.0.join("out.elf").exists());
}

#[test]
fn a_package_of_another_content_is_refused_with_both_digests() {
    let folder = Folder::new();
    folder.file("main.c", "int main(void) { return 0; }\n");
    let place = folder.0.join("mirror/pool/main/g/gcc-riscv64-unknown-elf");
    fs::create_dir_all(&place).unwrap();
    let name = "gcc-riscv64-unknown-elf_12.2.0-14+deb12u1+11+b2_amd64.deb";
    fs::write(place.join(name), "not a package").unwrap();
    let said = build(&folder, "main.c -o out.elf");
    assert_eq!(said.code, Some(2), "{said:?}");
    let accepted = "accepted: 6117b2328a58059977e04e9938fffa2016cc88a2dc0ca70d1efeeea0c7b4dace";
    assert_says(&said.stderr, &["content has SHA-256 ", accepted]);
    assert!(is_cache_empty(&folder) && !folder.0.join("out.elf").exists());
}

#[test]
fn a_compiler_of_ones_own_that_is_not_there_is_named() {
    let folder = Folder::new();
    folder.file("main.c", "int main(void) { return 0; }\n");
    let mut command = command(&folder.0, "build main.c -o out.elf");
    command.env("NOCCL_CACHE", folder.0.join("cache"));
    command.env("NOCCL_RISCV_GCC", "/nowhere/riscv-gcc");
    let said = said(&mut command);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert_says(&said.stderr, &["cannot run /nowhere/riscv-gcc"]);
    assert!(is_cache_empty(&folder));
}
