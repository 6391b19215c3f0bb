// SPDX-License-Identifier: Apache-2.0
//! 2×2 clusters with memory tiles on all four sides in lock-step with their hardware, with the real tools: `make cosim-sides`.

use crate::common::Folder;
use crate::tools::{done_with_tools, report_with_tools};
use noccl_testkit::sides::{self, Sides};

#[test]
fn collectives_from_memories_on_every_side_take_the_same_course_in_hardware() {
    let folder = Folder::new();
    let sides = Sides::all(1).last().unwrap();
    let text = sides::text("collective_noc_4x4", (2, 2), sides);
    folder.file("sides.toml", &text);
    let mut verified = 0;
    for (collective, boundary, stalls) in [
        (
            "multicast --root mem:0",
            "router",
            "--stalls 60,60 --stall-seed 7",
        ),
        ("multicast --root mem:5", "router", ""),
        ("multicast --root mem:6", "router", ""),
        ("multicast --root mem:11", "router", ""),
        ("reduce", "router", "--stalls 60,60 --stall-seed 7"),
        (
            "multicast --root mem:4",
            "dma",
            "--stalls 60,60 --stall-seed 7",
        ),
        ("multicast --root mem:7", "dma", ""),
        ("all_gather", "dma", ""),
    ] {
        let made = format!(
            "schedule {collective} --spec ./sides.toml --bytes 1KiB --algorithm in_network -o s.json"
        );
        done_with_tools(&folder, &made);
        let run = format!(
            "run s.json --spec ./sides.toml --backend rtl --boundary {boundary} {stalls} --json"
        );
        let report = report_with_tools(&folder, &run);
        assert_eq!(report["hardware"]["boundary"], boundary);
        assert_eq!(report["verified"], "yes", "{collective}");
        verified += 1;
    }
    assert_eq!(verified, 8);
}
