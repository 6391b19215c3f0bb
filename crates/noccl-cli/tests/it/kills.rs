// SPDX-License-Identifier: Apache-2.0
//! Runs that are killed (SIGKILL) at any time go on from their checkpoint, which is whole, and print what they would have printed.

use crate::common::{Folder, command, done};
use noccl_testkit::cases;
use std::process::Stdio;
use std::time::Duration;

const MADE: &str =
    "schedule all_to_all --spec collective_noc_8x8 --bytes 1KiB --algorithm pairwise -o s.json";
const RUN: &str = "run s.json --spec collective_noc_8x8 --mode timing --json";
/// The run takes some 100 ms.
const LATEST_MS: u64 = 120;

#[test]
fn a_run_that_is_killed_goes_on_and_prints_the_same() {
    let folder = Folder::new();
    done(&folder, MADE);
    let expected = done(&folder, RUN).stdout;
    let (mut killed, mut ended, mut resumed) = (0, 0, 0);
    for step in 0_u64.. {
        let saved = folder.0.join("c.ckpt");
        let resume = if saved.exists() {
            " --resume c.ckpt"
        } else {
            ""
        };
        resumed += u32::from(!resume.is_empty());
        let line = format!("{RUN} --checkpoint c.ckpt --checkpoint-every 0.003{resume}");
        let mut child = command(&folder.0, &line);
        let mut child = child
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(1 + step * 37 % LATEST_MS));
        if child.try_wait().unwrap().is_none() {
            killed += 1;
            child.kill().unwrap();
            child.wait().unwrap();
        } else {
            let output = child.wait_with_output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            assert!(output.status.success(), "step {step}: {}", output.status);
            assert!(printed == expected, "step {step} prints something else");
            ended += 1;
            let _ = std::fs::remove_file(saved);
        }
        if killed >= cases(20, 200) && ended > 0 {
            break;
        }
        assert!(step < 5_000, "{killed} kills, {ended} ends");
    }
    assert!(resumed > 0);
    // What a killed process has left is taken over by the next one.
    done(
        &folder,
        &format!("{RUN} --checkpoint c.ckpt --checkpoint-every 0.003"),
    );
    let names = folder.names();
    assert!(
        names
            .iter()
            .all(|name| ["c.ckpt", "s.json"].contains(&name.as_str())),
        "{names:?}"
    );
}
