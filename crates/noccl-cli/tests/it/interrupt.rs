// SPDX-License-Identifier: Apache-2.0
//! Ctrl-C and SIGTERM end every verb within two seconds.

use crate::common::{Folder, command, done, ended_within};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Every verb that can take long, each with work for minutes.
const LONG: [&str; 14] = [
    "schedule all_reduce --spec collective_noc_64x64 --bytes 32KiB --algorithm chain",
    "schedule barrier --spec collective_noc_1024x1024",
    "check fifo",
    "run fifo",
    "run --trace fifo",
    "run small.json --mode timing --resume fifo",
    "elaborate ./fifo.toml",
    "report fifo",
    "compare all_to_all --spec collective_noc_16x16_large --bytes 1KiB",
    "compare all_reduce --spec collective_noc_64x64 --bytes 32KiB --backend model",
    "order --spec torrent_64x64 --by latency",
    "gemm summa --mesh 256x256 --backend sim",
    "traffic uniform --spec collective_noc_64x64 --measure-cycles 10000000",
    "stress --seeds 1000000",
];

/// Work that is done in less than a signal's time would prove nothing.
const BEFORE_SIGNAL: Duration = Duration::from_millis(300);
/// From the signal to the end, with allowance for a loaded machine on top of two seconds.
const LIMIT: Duration = Duration::from_millis(2500);

fn folder() -> Folder {
    let folder = Folder::new();
    for name in ["fifo", "fifo.toml"] {
        let made = Command::new("mkfifo").arg(folder.0.join(name)).status();
        assert!(made.unwrap().success());
    }
    done(&folder, "schedule reduce --bytes 64 -o small.json");
    folder
}

/// Sends the signals to a verb that has been running for a moment; when and how it ends.
fn ends(folder: &Folder, arguments: &str, signals: &[&str]) -> (Duration, Option<i32>) {
    let mut child = command(&folder.0, arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(BEFORE_SIGNAL);
    let early = child.try_wait().unwrap();
    assert!(early.is_none(), "{arguments} ended before its signal");
    let sent = Instant::now();
    for signal in signals {
        let id = child.id().to_string();
        let told = Command::new("kill").args([*signal, id.as_str()]).status();
        assert!(told.unwrap().success());
        std::thread::sleep(Duration::from_millis(50));
    }
    let left = (4 * LIMIT).saturating_sub(sent.elapsed());
    let code = ended_within(&mut child, left).and_then(|status| status.code());
    (sent.elapsed(), code)
}

#[test]
fn every_verb_ends_within_two_seconds_of_a_signal() {
    let folder = folder();
    let mut late = Vec::new();
    // Two at a time: more would only measure how loaded the machine is.
    for pair in LONG.chunks(2) {
        std::thread::scope(|scope| {
            let ended = pair.iter().enumerate().map(|(i, arguments)| {
                let (folder, signal) = (&folder, ["-INT", "-TERM"][i]);
                scope.spawn(move || (arguments, ends(folder, arguments, &[signal])))
            });
            for ended in ended.collect::<Vec<_>>() {
                let (arguments, (time, code)) = ended.join().unwrap();
                if time > LIMIT || code != Some(130) {
                    late.push(format!("{arguments}: {time:?}, exit code {code:?}"));
                }
            }
        });
    }
    assert!(late.is_empty(), "{}", late.join("\n"));
}

#[test]
fn a_second_signal_ends_a_verb_at_once() {
    let (time, code) = ends(&folder(), "run fifo", &["-INT", "-INT"]);
    assert_eq!(code, Some(130));
    assert!(time < Duration::from_millis(600), "{time:?}");
}
