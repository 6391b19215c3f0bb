// SPDX-License-Identifier: Apache-2.0
//! The recorder for programs of users: compiled as its head says, its recordings are read, checked, and hold what the program has done.

use noccl_coherence::recording::RecordedEvent;
use noccl_coherence::{Log, RECORDER_SOURCE};
use noccl_testkit::assert_says;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder that no other test of this process uses.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the folder of tests can be written");
    folder
}

fn compile(arguments: &[&str], folder: &Path) {
    let run = Command::new("g++")
        .args(arguments)
        .current_dir(folder)
        .output();
    let run = run.expect("g++ is there: the README asks for it");
    assert!(run.status.success(), "{arguments:?}: {run:?}");
}

/// Compiles one of `tests/programs`.
fn program(name: &str, options: &[&str]) -> PathBuf {
    let folder = folder(name);
    std::fs::write(folder.join("noccl_recorder.c"), RECORDER_SOURCE).expect("written");
    compile(
        &[
            "-x",
            "c",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Wno-unused-parameter",
            "-Werror",
            "-c",
            "noccl_recorder.c",
        ],
        &folder,
    );
    let source = format!(
        "{}/../noccl-coherence/tests/programs/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    let instrumented = [
        &["-O1", "-fsanitize=thread", "-c", &source, "-o", "program.o"],
        options,
    ];
    compile(&instrumented.concat(), &folder);
    let linked = [
        "-rdynamic",
        "program.o",
        "noccl_recorder.o",
        "-o",
        "program",
        "-pthread",
    ];
    compile(&[&linked, options].concat(), &folder);
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let run = Command::new(folder.join("program"))
        .args(arguments)
        .current_dir(folder)
        .env("NOCCL_RECORDING", "recording")
        .output();
    run.expect("the program runs")
}

fn recording(folder: &Path) -> Log {
    let bytes = std::fs::read(folder.join("recording")).expect("a recording is there");
    Log::from_bytes(&bytes).expect("it has the form of recordings")
}

fn count(log: &Log, thread: usize, is_counted: impl Fn(RecordedEvent) -> bool) -> usize {
    log.events(thread)
        .filter(|event| is_counted(*event))
        .count()
}

#[test]
fn threads_of_a_program_are_recorded_with_what_orders_them() {
    let folder = program("sums.cpp", &[]);
    let output = run(&folder, &[]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "79800 4\n");
    let log = recording(&folder);
    assert_eq!(log.num_threads(), 5);
    assert_eq!(log.check(), Ok(()));
    let is_start = |event| matches!(event, RecordedEvent::Start(_));
    let is_join = |event| matches!(event, RecordedEvent::Join(_));
    assert_eq!((count(&log, 0, is_start), count(&log, 0, is_join)), (4, 4));
    for thread in 1..5 {
        let of_values = |event| matches!(event, RecordedEvent::Read(_, 4));
        // The other thread's hundred, and the counter of those that have finished.
        assert_eq!(count(&log, thread, of_values), 101);
        assert_eq!(
            count(&log, thread, |event| matches!(
                event,
                RecordedEvent::Write(_, 4)
            )),
            101
        );
        // The sum and the counter.
        assert_eq!(
            count(&log, thread, |event| matches!(
                event,
                RecordedEvent::Lock(_)
            )),
            2
        );
        assert_eq!(
            count(&log, thread, |event| matches!(
                event,
                RecordedEvent::Unlock(_)
            )),
            2
        );
        assert_eq!(
            count(&log, thread, |event| matches!(
                event,
                RecordedEvent::Barrier(_)
            )),
            1
        );
    }

    run(&folder, &["racy"]);
    let refusal = recording(&folder)
        .check()
        .expect_err("without its mutex the sum is racy");
    assert_says(&refusal, &["without an order between them"]);
}

#[test]
fn teams_of_openmp_are_recorded_alike() {
    let folder = program("openmp.c", &["-fopenmp"]);
    let output = run(&folder, &[]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "523776\n");
    let log = recording(&folder);
    assert_eq!(log.num_threads(), 4);
    assert_eq!(log.check(), Ok(()));
    for thread in 0..4 {
        // Before and behind the region, and behind each of the two loops.
        assert_eq!(
            count(&log, thread, |event| matches!(
                event,
                RecordedEvent::Barrier(_)
            )),
            4
        );
        assert!(
            count(&log, thread, |event| matches!(
                event,
                RecordedEvent::Write(_, 8)
            )) >= 256
        );
        assert!(
            count(&log, thread, |event| matches!(
                event,
                RecordedEvent::Read(_, 8)
            )) >= 256
        );
    }
}

#[test]
fn what_cannot_be_replayed_ends_the_program_with_a_message() {
    let folder = program("condition.c", &[]);
    let output = run(&folder, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "noccl_recorder: a wait for a condition variable; accepted: mutexes, spin locks, barriers, starts and joins of threads\n"
    );
    assert!(!folder.join("recording").exists());

    let folder = program("threads.c", &[]);
    assert_eq!(run(&folder, &["63"]).status.code(), Some(0));
    assert_eq!(recording(&folder).num_threads(), 64);
    let output = run(&folder, &["64"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert_says(&message, &["more than 64 threads; accepted: 1 to 64"]);
}
