// SPDX-License-Identifier: Apache-2.0
//! Interrupted commands go on in another process and print what they would have printed.

use crate::common::program::packets_to_itself;
use crate::common::{Folder, Said, command, done, fails};
use noccl_testkit::assert_says;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Starts `noccl` in a folder, with checkpoints.
fn start(folder: &Folder, run: &str, name: &str) -> Child {
    let arguments = format!("{run} --checkpoint {name} --checkpoint-every 0.05");
    spawn(folder, &arguments)
}

fn spawn(folder: &Folder, arguments: &str) -> Child {
    let mut command = command(&folder.0, arguments);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits until the child has written `name` and sends it a signal.
fn interrupt_once_saved(folder: &Folder, mut child: Child, name: &str, signal: &str) -> Said {
    let start = Instant::now();
    while !folder.0.join(name).exists() {
        assert!(child.try_wait().unwrap().is_none(), "ended before it saved");
        assert!(start.elapsed() < Duration::from_secs(120), "never saved");
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    Said::of(child.wait_with_output().unwrap())
}

/// The command line of the message, without the program.
fn printed_command(said: &Said) -> String {
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.stdout.is_empty(), "{said:?}");
    let line = said.stderr.lines().find(|l| l.starts_with("resume with: "));
    let words = line.unwrap().strip_prefix("resume with: ").unwrap();
    words.split_once(' ').unwrap().1.to_owned()
}

/// A schedule that takes seconds.
fn long_schedule(folder: &Folder) {
    let arguments = "schedule multicast --spec collective_noc_16x16 --bytes 32KiB -o long.json \
                     --algorithm chain:1";
    done(folder, arguments);
}

/// Interrupts a run twice; the third process has to print what `run` prints.
fn check_interrupted_twice(folder: &Folder, run: &str) {
    let before = folder.names();
    let whole = done(folder, run);
    let child = start(folder, run, "my.ckpt");
    let said = interrupt_once_saved(folder, child, "my.ckpt", "-INT");
    let command = printed_command(&said);
    assert!(command.ends_with("--resume my.ckpt"), "{command}");
    let second = command.replace("--checkpoint my.ckpt", "--checkpoint second.ckpt");
    let child = spawn(folder, &second);
    let said = interrupt_once_saved(folder, child, "second.ckpt", "-TERM");
    let command = printed_command(&said);
    assert!(command.ends_with("--resume second.ckpt"), "{command}");
    let resumed = done(folder, &command);
    assert!(resumed.stdout == whole.stdout, "reports differ");
    let made = ["my.ckpt", "second.ckpt"].map(str::to_owned);
    let mut expected = [&before[..], &made].concat();
    expected.sort();
    assert_eq!(folder.names(), expected);
}

#[test]
fn a_run_that_is_interrupted_twice_prints_what_an_uninterrupted_run_prints() {
    let folder = Folder::new();
    long_schedule(&folder);
    let run = "run long.json --spec collective_noc_16x16 --mode timing --links --json";
    check_interrupted_twice(&folder, run);
}

/// A program that takes seconds.
fn long_program(folder: &Folder) {
    let program = packets_to_itself(0x8_0000);
    std::fs::write(folder.0.join("long.elf"), program).unwrap();
}

#[test]
fn a_program_that_is_interrupted_twice_prints_what_an_uninterrupted_one_prints() {
    let folder = Folder::new();
    long_program(&folder);
    let run = "run long.elf --program --ranks 4 --spec tilepro64_2x2 --json";
    check_interrupted_twice(&folder, run);
}

#[test]
fn products_go_on_with_the_one_that_was_interrupted() {
    let folder = Folder::new();
    let gemm = "gemm summa --mesh 4x4,16x16 --collectives all --iterations 15 --json";
    let whole = done(&folder, gemm);
    let child = start(&folder, gemm, "my.ckpt");
    let said = interrupt_once_saved(&folder, child, "my.ckpt", "-INT");
    let resumed = done(&folder, &printed_command(&said));
    assert!(resumed.stdout == whole.stdout, "rows differ");
}

#[test]
fn a_checkpoint_of_another_run_or_of_none_is_refused_before_anything_runs() {
    let folder = Folder::new();
    long_schedule(&folder);
    let run = "run long.json --spec collective_noc_16x16 --mode timing";
    let child = start(&folder, run, "my.ckpt");
    interrupt_once_saved(&folder, child, "my.ckpt", "-INT");
    folder.file("text.ckpt", "hello");
    let mut bytes = std::fs::read(folder.0.join("my.ckpt")).unwrap();
    bytes.truncate(bytes.len() / 2);
    std::fs::write(folder.0.join("half.ckpt"), bytes).unwrap();
    done(
        &folder,
        "schedule barrier --spec collective_noc_16x16 -o other.json",
    );
    let cases = [
        (format!("{run} --resume text.ckpt"), "not a checkpoint"),
        (format!("{run} --resume half.ckpt"), "damaged"),
        (format!("{run} --resume none.ckpt"), "cannot read"),
        (
            format!("{run} -P memory.latency_cycles=77 --resume my.ckpt"),
            "another spec",
        ),
        (
            format!("{run} --resume my.ckpt").replace("long.json", "other.json"),
            "another schedule",
        ),
        (
            format!("{run} --max-cycles 1000000 --resume my.ckpt"),
            "--max-cycles",
        ),
        (
            format!("{run} --stalls 60,60 --resume my.ckpt"),
            "set of stalls (--stalls, --stall-seed)",
        ),
        (
            format!("{run} --mode value --resume my.ckpt").replacen("--mode timing", "", 1),
            "mode (--mode)",
        ),
        (
            format!("{run} --checkpoint a.ckpt --checkpoint-every 0"),
            "above 0",
        ),
        (
            format!("{run} --trace --resume my.ckpt"),
            "no effect on `noccl run trace`",
        ),
    ];
    check_refused(&folder, &cases);
}

/// Each command line is refused with these words, and writes nothing.
fn check_refused(folder: &Folder, cases: &[(String, &str)]) {
    let before = folder.names();
    for (arguments, words) in cases {
        let said = fails(folder, 2, arguments);
        assert_says(&said.stderr, &[words]);
        assert!(said.stdout.is_empty(), "{arguments}: {said:?}");
    }
    assert_eq!(folder.names(), before);
}

#[test]
fn a_checkpoint_of_another_program_is_refused_and_says_what_differs() {
    let folder = Folder::new();
    long_program(&folder);
    long_schedule(&folder);
    std::fs::write(folder.0.join("other.elf"), packets_to_itself(1)).unwrap();
    folder.file("ranks.py", "");
    let run = "run long.elf --program --ranks 4 --spec tilepro64_2x2";
    let schedule = "run long.json --spec collective_noc_16x16 --mode timing";
    for (run, name) in [(run, "my.ckpt"), (schedule, "schedule.ckpt")] {
        let child = start(&folder, run, name);
        interrupt_once_saved(&folder, child, name, "-INT");
    }
    let resume = format!("{run} --resume my.ckpt");
    let kind = "another kind of run (a schedule, or a program)";
    let cases = [
        (resume.replace("long.elf", "other.elf"), "another program"),
        (resume.replace("--ranks 4", "--ranks 3"), "--ranks"),
        (resume.replace("_2x2", "_3x2"), "another spec"),
        (format!("{resume} --costs one_cycle"), "--costs"),
        (
            format!("{resume} --program-memory 1MiB"),
            "--program-memory",
        ),
        (format!("{resume} --max-cycles 77"), "--max-cycles"),
        (resume.replace("my.ckpt", "schedule.ckpt"), kind),
        (format!("{schedule} --resume my.ckpt"), kind),
        (
            "run ranks.py --program --ranks 2 --checkpoint a.ckpt".to_owned(),
            "--checkpoint 'a.ckpt': the Python objects of a script's ranks cannot be stored",
        ),
        (
            "run ranks.py --program --ranks 2 --resume my.ckpt".to_owned(),
            "--resume 'my.ckpt': the Python objects of a script's ranks cannot be stored",
        ),
    ];
    check_refused(&folder, &cases);
}
