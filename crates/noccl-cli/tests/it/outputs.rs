// SPDX-License-Identifier: Apache-2.0
//! Outputs: nothing that was there is lost, whatever stands in their place and whenever the process is killed.

use crate::common::{Folder, Said, command, done, refused as refused_in, said};
use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const SCHEDULE: &str = "schedule barrier --spec collective_noc_2x2 -o";

fn refused(folder: &Folder, arguments: &str, words: &[&str]) {
    let before = tree(&folder.0);
    let outcome = refused_in(folder, arguments, words);
    assert!(outcome.stdout.is_empty(), "{arguments}: {outcome:?}");
    assert_eq!(tree(&folder.0), before, "{arguments}");
}

/// Every file below a folder with its bytes.
fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let shown = path.display().to_string();
        if path.is_dir() && !path.is_symlink() {
            found.push((shown, Vec::new()));
            found.extend(tree(&path));
        } else if path.is_file() {
            found.push((shown, fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// The list of a folder's files is right.
fn is_complete(folder: &Path) -> bool {
    let checked = Command::new("sha256sum")
        .args(["--check", "--quiet", "noccl.sha256"])
        .current_dir(folder)
        .output();
    checked.unwrap().status.success()
}

#[test]
fn a_folder_of_hardware_is_never_written_over_foreign_files() {
    let folder = Folder::new();
    fs::create_dir_all(folder.0.join("p/.git")).unwrap();
    folder.file("p/thesis.tex", "years");
    folder.file("p/.git/HEAD", "ref");
    done(&folder, "rtl --package p/noccl_cfg_pkg.sv");
    refused(&folder, "rtl -o p", &["p: ", ".git/HEAD", "thesis.tex"]);
    refused(&folder, "rtl -o p/../p", &["thesis.tex"]);
    symlink("p", folder.0.join("link")).unwrap();
    refused(&folder, "rtl -o link", &["thesis.tex"]);
    // Nothing else is written before the refusal.
    refused(&folder, "rtl -o p --vectors v.txt --json", &["thesis.tex"]);
    refused(&folder, "rtl -o p/thesis.tex", &["is no folder"]);
    refused(&folder, "rtl -o p/thesis.tex/inside", &["p/thesis.tex"]);
    refused(&folder, "rtl -o none/../p", &["there is no folder"]);
    symlink("nothing", folder.0.join("dangling")).unwrap();
    refused(&folder, "rtl -o dangling", &["is a link to nothing"]);
}

#[test]
fn a_folder_of_hardware_is_replaced_where_it_is_unless_it_was_changed() {
    let folder = Folder::new();
    done(&folder, "rtl -o hw");
    fs::create_dir(folder.0.join("below")).unwrap();
    symlink("hw", folder.0.join("link")).unwrap();
    for goal in ["hw", "below/../hw", "hw/../hw", "hw/.", "link"] {
        done(&folder, &format!("rtl --spec collective_noc_2x2 -o {goal}"));
        assert!(is_complete(&folder.0.join("hw")), "{goal}");
        assert_eq!(folder.names(), ["below", "hw", "link"], "{goal}");
    }
    assert!(folder.0.join("link").is_symlink());
    folder.file("hw/README.md", "my notes");
    refused(&folder, "rtl -o hw", &["README.md (changed)"]);
}

#[test]
fn a_folder_of_hardware_that_is_killed_while_it_is_written_is_whole_or_as_before() {
    let folder = Folder::new();
    done(&folder, "rtl -o hw");
    let start = std::time::Instant::now();
    done(&folder, "rtl -o hw");
    let whole = start.elapsed();
    for step in 0..40_u32 {
        let spec = ["collective_noc_2x2", "collective_noc_8x8"][step as usize % 2];
        let mut child = command(&folder.0, &format!("rtl --spec {spec} -o hw"));
        let mut child = child.stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole * step / 36);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_complete(&folder.0.join("hw")), "killed in step {step}");
    }
    done(&folder, "rtl -o hw");
    assert_eq!(folder.names(), ["hw"]);
}

/// A device of the folder's own, so that a mistake never hits the machine's. Who may not make one may not replace one either.
fn device(folder: &Folder, name: &str) {
    let path = folder.0.join(name);
    let minor = if name == "null" { "3" } else { "7" };
    let mut mknod = Command::new("mknod");
    let made = mknod.arg(&path).args(["c", "1", minor]).output();
    let is_made = made.is_ok_and(|made| made.status.success());
    // Some file systems hold devices that nobody can open.
    if !is_made || fs::File::open(&path).is_err() {
        let _ = fs::remove_file(&path);
        symlink(Path::new("/dev").join(name), &path).unwrap();
    }
}

#[test]
fn devices_and_fifos_are_written_into() {
    let folder = Folder::new();
    device(&folder, "null");
    symlink("null", folder.0.join("link")).unwrap();
    for goal in ["null", "link"] {
        done(&folder, &format!("{SCHEDULE} {goal}"));
        done(&folder, &format!("rtl --package {goal}"));
        let found = fs::metadata(folder.0.join("null")).unwrap().file_type();
        assert!(found.is_char_device(), "{goal}");
    }
    let printed = done(&folder, "schedule barrier --spec collective_noc_2x2").stdout;
    symlink("/dev/stdout", folder.0.join("stdout")).unwrap();
    for goal in ["stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        assert_eq!(
            done(&folder, &format!("{SCHEDULE} {goal}")).stdout,
            printed,
            "{goal}"
        );
    }
    let fifo = folder.0.join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let mut child = command(&folder.0, &format!("{SCHEDULE} fifo"))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut text = String::new();
    fs::File::open(&fifo)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(text, printed);
    assert_eq!(folder.names(), ["fifo", "link", "null", "stdout"]);
    assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
}

#[test]
fn a_shells_file_is_written_into_through_its_descriptor() {
    let folder = Folder::new();
    let printed = done(&folder, "schedule barrier --spec collective_noc_2x2").stdout;
    for (number, redirection) in [(1, ">"), (3, "3>")] {
        let noccl = env!("CARGO_BIN_EXE_noccl");
        let line = format!("'{noccl}' {SCHEDULE} /dev/fd/{number} {redirection} out.json");
        let mut shell = Command::new("sh");
        let outcome = said(shell.args(["-c", &line]).current_dir(&folder.0));
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        assert_eq!(
            fs::read_to_string(folder.0.join("out.json")).unwrap(),
            printed
        );
    }
    assert_eq!(folder.names(), ["out.json"]);
}

#[test]
fn a_link_stays_and_the_file_that_it_points_to_is_replaced() {
    let folder = Folder::new();
    fs::create_dir(folder.0.join("below")).unwrap();
    let target = folder.file("below/target.json", "old");
    symlink("below/target.json", folder.0.join("one")).unwrap();
    symlink("one", folder.0.join("two")).unwrap();
    symlink("below/new.json", folder.0.join("dangling")).unwrap();
    symlink("round", folder.0.join("round")).unwrap();
    done(&folder, &format!("{SCHEDULE} two"));
    done(&folder, &format!("{SCHEDULE} dangling"));
    assert!(fs::read_to_string(&target).unwrap().contains("barrier"));
    assert_eq!(
        fs::read(folder.0.join("below/new.json")).unwrap(),
        fs::read(&target).unwrap()
    );
    for name in ["one", "two", "dangling"] {
        assert!(folder.0.join(name).is_symlink(), "{name}");
    }
    refused(&folder, &format!("{SCHEDULE} round"), &["too many links"]);
    assert_eq!(folder.names(), ["below", "dangling", "one", "round", "two"]);
}

#[test]
fn permissions_stay_and_what_a_killed_process_left_is_taken_over() {
    let folder = Folder::new();
    let path = folder.file("s.json", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    folder.file(".s.json.partial", "half");
    done(&folder, &format!("{SCHEDULE} s.json"));
    let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o640);
    assert_eq!(folder.names(), ["s.json"]);
    // Somebody else's link of that name is neither followed nor removed.
    symlink("victim", folder.0.join(".s.json.partial")).unwrap();
    refused(&folder, &format!("{SCHEDULE} s.json"), &[".s.json.partial"]);
    assert_eq!(folder.names(), [".s.json.partial", "s.json"]);
}

#[test]
fn outputs_without_a_place_are_refused_before_any_work() {
    let folder = Folder::new();
    folder.file("file", "text");
    fs::create_dir(folder.0.join("folder")).unwrap();
    folder.file("rows.json", "[]");
    let run = "run s.json --spec collective_noc_2x2";
    done(&folder, &format!("{SCHEDULE} s.json"));
    for goal in ["file/x", "folder", "new/", "missing/../x", "/proc/x"] {
        for verb in [
            "schedule barrier -o",
            "report rows.json -o",
            "rtl --package",
            "rtl --vectors",
            "calibrate -o",
            "demo -o",
            "bench -o",
            "help-markdown -o",
            &format!("{run} --checkpoint"),
        ] {
            refused(&folder, &format!("{verb} {goal}"), &[goal]);
        }
    }
    for verb in ["barrier --figures", "schema --all", "rtl -o"] {
        refused(&folder, &format!("{verb} file"), &["file"]);
    }
}

#[test]
fn a_full_disk_is_no_wrong_input() {
    let folder = Folder::new();
    device(&folder, "full");
    for arguments in [
        &format!("{SCHEDULE} full"),
        &format!("{SCHEDULE} s.json --json"),
        "rtl --package full",
    ] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let outcome = said(command(&folder.0, arguments).stdout(full));
        assert_eq!(outcome.code, Some(4), "{arguments}: {outcome:?}");
        assert!(outcome.stderr.contains("cannot be written"), "{outcome:?}");
        assert!(outcome.stderr.contains("space"), "{outcome:?}");
    }
}

/// A limit on the size of files (512 bytes each) stands for a disk that is full.
fn on_a_full_disk(folder: &Folder, arguments: &str) -> Said {
    let noccl = env!("CARGO_BIN_EXE_noccl");
    let line = format!("trap '' XFSZ; ulimit -f 1; exec '{noccl}' {arguments}");
    said(
        Command::new("sh")
            .args(["-c", &line])
            .current_dir(&folder.0),
    )
}

#[test]
fn a_disk_that_fills_up_leaves_what_was_there_and_nothing_else() {
    let folder = Folder::new();
    folder.file("s.json", "old");
    done(&folder, "rtl -o hw");
    let made = "schedule multicast --spec collective_noc_16x16 --bytes 32KiB --algorithm chain:1 -o l.json";
    done(&folder, made);
    let before = tree(&folder.0);
    for arguments in [
        &format!("{SCHEDULE} s.json"),
        "rtl --package s.json",
        "rtl --vectors v.txt",
        "rtl --spec collective_noc_2x2 -o hw",
        "rtl -o new",
        "run l.json --spec collective_noc_16x16 --checkpoint my.ckpt --checkpoint-every 0.001",
    ] {
        let outcome = on_a_full_disk(&folder, arguments);
        assert_eq!(outcome.code, Some(4), "{arguments}: {outcome:?}");
        assert!(outcome.stderr.contains("cannot be written"), "{outcome:?}");
        assert_eq!(tree(&folder.0), before, "{arguments}");
    }
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_refused_before_the_run() {
    let folder = Folder::new();
    let made = "schedule multicast --spec collective_noc_32x32 --bytes 32KiB --algorithm chain:1 -o long.json";
    done(&folder, made);
    folder.file("file", "");
    let run = "run long.json --spec collective_noc_32x32 --mode timing --checkpoint file/my.ckpt";
    let start = std::time::Instant::now();
    refused(&folder, run, &["file/my.ckpt", "cannot be written"]);
    assert!(start.elapsed() < Duration::from_secs(60));
    refused(
        &folder,
        "gemm summa --mesh 4x4 --checkpoint file/my.ckpt",
        &["file/my.ckpt"],
    );
}

/// No other place in the command and its libraries makes, moves or removes files.
#[test]
fn files_are_written_in_one_place() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let calls = [
        "File::create",
        "File::options",
        "OpenOptions",
        "fs::write",
        "fs::copy",
        "fs::rename",
        "create_dir",
        "remove_file",
        "remove_dir",
        "fs::hard_link",
        "symlink(",
    ];
    let mut found = Vec::new();
    for member in fs::read_dir(crates).unwrap() {
        for (path, bytes) in tree(&member.unwrap().path().join("src")) {
            // The compiler's cache is unpacked and filled in scratch folders of noccl-files, which puts them in place as a whole.
            // What only tests use writes into folders of their own.
            let has_scratch =
                path.contains("/noccl-compile/src/") || path.contains("/noccl-testkit/src/");
            if !path.ends_with(".rs") || path.contains("/noccl-files/src/") || has_scratch {
                continue;
            }
            let text = String::from_utf8(bytes).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            let lines = code
                .lines()
                .filter(|line| calls.iter().any(|c| line.contains(c)));
            found.extend(lines.map(|line| format!("{path}: {}", line.trim())));
        }
    }
    assert!(
        found.is_empty(),
        "write by noccl::files::write_file: {found:#?}"
    );
}
