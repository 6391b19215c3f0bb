// SPDX-License-Identifier: Apache-2.0
//! Runs that are killed (SIGKILL) at any time go on from their checkpoint, which is whole, and print what they would have printed.

use crate::common::{Folder, command, done};
use noccl_testkit::cases;
use std::process::Stdio;
use std::time::Instant;

const MADE: &str =
    "schedule multicast --spec collective_noc_8x8 --bytes 32KiB --algorithm chain:1 -o s.json";
const RUN: &str = "run s.json --spec collective_noc_8x8 --mode timing --json";
const SAVES: &str = "--checkpoint c.ckpt --checkpoint-every 0.001";

#[test]
fn a_run_that_is_killed_goes_on_and_prints_the_same() {
    let folder = Folder::new();
    done(&folder, MADE);
    let expected = done(&folder, RUN).stdout;
    let begun = Instant::now();
    done(&folder, &format!("{RUN} {SAVES}"));
    let whole = begun.elapsed();
    let saved = folder.0.join("c.ckpt");
    std::fs::remove_file(&saved).unwrap();
    let kills = cases(16, 200);
    for step in 0..kills {
        let line = if saved.exists() {
            format!("{RUN} {SAVES} --resume c.ckpt")
        } else {
            format!("{RUN} {SAVES}")
        };
        let mut command = command(&folder.0, &line);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // Anywhere between the first instruction and the end.
        std::thread::sleep(whole * (step * 37 % kills) / kills);
        child.kill().unwrap();
        child.wait().unwrap();
        if step % 8 == 7 && saved.exists() {
            let said = done(&folder, &format!("{RUN} {SAVES} --resume c.ckpt"));
            assert!(said.stdout == expected, "step {step} prints something else");
            std::fs::remove_file(&saved).unwrap();
        }
    }
    // What a killed process has left is taken over by the next one.
    let said = done(&folder, &format!("{RUN} {SAVES}"));
    assert!(said.stdout == expected, "prints something else");
    assert_eq!(folder.names(), ["c.ckpt", "s.json"]);
}
