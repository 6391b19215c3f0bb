// SPDX-License-Identifier: Apache-2.0
//! `noccl coherence`: rows, recordings that are saved and read, and what it refuses.

use crate::common::{Folder, done, fails};
use noccl::study::CoherenceRow;
use noccl_testkit::assert_says;

fn rows(text: &str) -> Vec<CoherenceRow> {
    serde_json::from_str(text).unwrap()
}

#[test]
fn designs_are_compared_with_the_first() {
    let run = done(
        &Folder::new(),
        "coherence --protocol ht --design collective,complete,connected --json",
    );
    let rows = rows(&run.stdout);
    let designs: Vec<&str> = rows.iter().map(|row| row.design.as_str()).collect();
    assert_eq!(designs, ["collective", "complete", "connected"]);
    for row in &rows {
        let relative = row.cycles as f64 / rows[0].cycles as f64;
        assert!((row.relative_cycles - relative).abs() < 1e-12);
        let flows: u64 = row.flows.values().sum();
        let share = row.flows["broadcasts"] as f64 / flows as f64;
        assert!((row.broadcast_share - share).abs() < 1e-12);
    }
    assert_eq!(rows[1].received_per_counted_flow, Some(1.0));
    assert!(rows[0].received_per_flow > Some(1.5));
    assert!(rows[1].relative_energy_range.unwrap()[0] < rows[1].relative_energy.unwrap());
    assert_eq!(rows[2].energy_pj, None);
}

#[test]
fn a_saved_recording_runs_as_its_kernel() {
    let folder = Folder::new();
    let of = "coherence --protocol token --design smart_4x4 --json";
    let kernel = done(
        &folder,
        &format!("{of} --kernel lu --threads 16 --save lu.refs"),
    );
    let recording = done(&folder, &format!("{of} --recording lu.refs"));
    let (kernel, recording) = (rows(&kernel.stdout), rows(&recording.stdout));
    assert_eq!(
        (kernel[0].program.as_str(), recording[0].program.as_str()),
        ("lu", "lu.refs")
    );
    assert_eq!(kernel[0].cycles, recording[0].cycles);
    let bytes = std::fs::read(folder.0.join("lu.refs")).unwrap();
    std::fs::write(folder.0.join("half.refs"), &bytes[..bytes.len() / 2]).unwrap();
    let half = fails(&folder, 2, &format!("{of} --recording half.refs"));
    assert_says(&half.stderr, &["recording, checksum:"]);
}

#[test]
fn core_tiles_are_a_design_without_energies() {
    let of = "coherence --protocol ht --threads 16 --design smart_4x4,tilepro64_4x4 --json";
    let rows = rows(&done(&Folder::new(), of).stdout);
    assert_eq!(rows[1].received_per_flow, Some(15.0));
    assert_eq!((rows[1].energy_pj, rows[1].relative_energy), (None, None));
    assert!(rows[1].relative_cycles > 1.0);
}

#[test]
fn what_is_wrong_is_named_with_what_is_accepted() {
    for (arguments, message) in [
        (
            "--kernel ftt",
            "--kernel 'ftt': accepted: fft, lu, radix, ocean, water, barnes-hut, or all",
        ),
        ("--protocol mesi", "--protocol 'mesi': accepted: ht, token"),
        ("--design greed", "--design 'greed': accepted: baseline,"),
        (
            "--threads 65",
            "--threads '65': accepted: 1 to 64, a core each",
        ),
        (
            "--design smart_4x4",
            "threads: 64; accepted: 1 to 16, a core each of smart_4x4",
        ),
        (
            "--kernel fft,lu --save x",
            "--save 'x': accepted: with one kernel",
        ),
        ("--recording none.refs", "none.refs"),
    ] {
        let run = fails(&Folder::new(), 2, &format!("coherence {arguments}"));
        assert!(run.stderr.contains(message), "{arguments}: {}", run.stderr);
    }
}
