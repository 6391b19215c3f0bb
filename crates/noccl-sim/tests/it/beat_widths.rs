// SPDX-License-Identifier: Apache-2.0
//! Wide beats of 8 to 256 bytes: n beats take the closed formulas of `docs/timing.md` at every width, and every byte is right.
//!
//! An addition of two beats takes one cycle of the FPUs if a cluster has a core for each 8 bytes, else several; the
//! latency of the FPUs is the same.

use crate::common::lists::{list, run};
use crate::common::{check_overlaps, cluster, cube, network_with, run_trace, runtime};
use noccl_net::{Coord, Network, TileRef, elaborate};
use noccl_run::{Mode, RunConfig};
use noccl_spec::{parse_spec, preset_text};
use noccl_testkit::traces::{wide_multicast, wide_read, wide_reduction, wide_write};
use noccl_workload::{Difference, Fault};

const WIDTHS: [u32; 6] = [8, 16, 32, 64, 128, 256];

/// A network with beats of this width and so many cores in a cluster.
fn network(preset: &str, width: u32, cores: u32) -> Network {
    let (width, cores) = (width.to_string(), cores.to_string());
    let set = [
        ("ni.wide_beat_bytes", width.as_str()),
        ("cluster.num_cores", cores.as_str()),
    ];
    network_with(preset, &set)
}

/// A core for each 8 bytes of the widest beat.
const ENOUGH: u32 = 32;

#[test]
fn writes_reads_and_multicasts_take_their_closed_forms_at_every_width() {
    for width in WIDTHS {
        let net = network("collective_noc_4x4", width, ENOUGH);
        let serial = |beats: u32| u64::from(beats) - 1;
        for (x, y, beats) in [(0, 0, 5), (3, 0, 64), (3, 3, 65), (2, 1, 130)] {
            let kind = wide_write(cluster(0, 0), cluster(x, y), beats);
            let expected = 5 + 4 * u64::from(x + y) + serial(beats);
            assert_eq!(runtime(&net, 1, kind), expected, "{width} bytes, {beats}");
        }
        for beats in [1, 16] {
            let read = wide_read(cluster(3, 0), TileRef::Memory(0), beats);
            let expected = 5 + 4 * 4 + serial(beats);
            assert_eq!(runtime(&net, 1, read), expected, "{width} bytes, {beats}");
        }
        for (to, h) in [(cube(0, 0, 3, 0), 3), (cube(0, 0, 3, 3), 6)] {
            for beats in [1, 64, 200] {
                let multicast = wide_multicast(cluster(0, 0), to, beats);
                let expected = 5 + 4 * h + serial(beats);
                assert_eq!(
                    runtime(&net, 1, multicast),
                    expected,
                    "{width} bytes, {beats}"
                );
            }
        }
    }
}

/// Into the end of a row (5 cycles at each of three routers), and into a corner of the mesh (three operands at three of six).
#[test]
fn reductions_take_their_closed_forms_at_every_width_with_a_core_for_each_8_bytes() {
    for width in WIDTHS {
        let net = network("collective_noc_4x4", width, width / 8);
        for beats in [1, 64, 130] {
            for (group, root, unloaded) in [
                (cube(0, 0, 3, 0), cluster(3, 0), 5 + 4 * 3 + 5 * 3),
                (cube(0, 0, 3, 3), cluster(0, 0), 5 + 4 * 6 + 5 * 3 + 8 * 3),
            ] {
                let kind = wide_reduction(group, root, beats);
                let cycles = runtime(&net, group.len() as usize, kind);
                assert_eq!(
                    cycles,
                    unloaded + u64::from(beats) - 1,
                    "{width} bytes, {beats}"
                );
            }
        }
    }
}

/// The first sum has the latency of the FPUs whatever their number; the others follow in the cycles that an addition keeps them.
#[test]
fn fewer_cores_than_units_of_8_bytes_add_a_beat_in_several_cycles() {
    for (width, cores, pace) in [
        (256, 8, 4),
        (256, 16, 2),
        (128, 8, 2),
        (128, 15, 2),
        (64, 3, 3),
        (16, 1, 2),
        (8, 1, 1),
    ] {
        let net = network("collective_noc_4x4", width, cores);
        for beats in [1, 2, 64] {
            let group = cube(0, 0, 3, 0);
            let root = cluster(3, 0);
            let kind = wide_reduction(group, root, beats);
            let expected = 5 + 4 * 3 + 5 * 3 + pace * (u64::from(beats) - 1);
            assert_eq!(
                runtime(&net, 4, kind),
                expected,
                "{width} bytes, {cores} cores, {beats}"
            );
        }
    }
}

#[test]
fn published_routers_and_the_crossbar_keep_their_formulas_at_every_width() {
    for width in WIDTHS {
        let net = network("collective_noc_4x4_published", width, ENOUGH);
        let ni = &net.axi().ni;
        let in_burst = u64::from(ni.max_burst_beats.min(ni.burst_boundary_bytes / width));
        for beats in [1, 64, 512] {
            let write = wide_write(cluster(0, 0), cluster(3, 1), beats);
            // An AW flit goes before each burst.
            let flits = u64::from(beats) + u64::from(beats).div_ceil(in_burst);
            let expected = 5 + 4 * 4 + flits - 1;
            assert_eq!(runtime(&net, 1, write), expected, "{width} bytes, {beats}");
        }
        let reduction = |beats| wide_reduction(cube(0, 0, 3, 0), cluster(3, 0), beats);
        assert_eq!(runtime(&net, 4, reduction(1)), 33, "{width} bytes");
        let net = network("ideal_4x4", width, ENOUGH);
        for beats in [1, 65, 200] {
            let write = wide_write(cluster(0, 0), cluster(3, 1), beats);
            assert_eq!(runtime(&net, 1, write), 3 + u64::from(beats) - 1);
            let cycles = runtime(&net, 4, reduction(beats));
            assert_eq!(
                cycles,
                3 + 3 + u64::from(beats) - 1,
                "{width} bytes, {beats}"
            );
        }
    }
}

/// A multicast of ESP: a request of two flits, and beats of the port's width behind a head.
#[test]
fn a_payload_of_esp_takes_a_cycle_for_each_beat_that_it_fills() {
    let cycles = |width: u32, bytes: u64| {
        let net = network("esp_4x5", width, ENOUGH);
        let (from, to) = (Coord::new(0, 0), [Coord::new(3, 0), Coord::new(1, 2)]);
        let value = RunConfig::new(Mode::Value);
        let (result, is_right) = run(&net, &[list(from, &to, bytes)], &value).expect("runs");
        assert!(is_right, "{width} bytes");
        result.actions[0].finish_cycle - result.actions[0].start_cycle
    };
    for width in WIDTHS {
        let one = cycles(width, width.into());
        for bytes in [1024, 4096] {
            let beats = bytes / u64::from(width);
            assert_eq!(cycles(width, bytes), one + beats - 1, "{width} bytes");
        }
    }
}

#[test]
fn random_overlaps_complete_with_the_right_bytes_in_both_modes_whatever_the_threads() {
    for (seed, width) in WIDTHS.into_iter().enumerate() {
        for preset in ["collective_noc_4x4", "ideal_4x4"] {
            check_overlaps(&network(preset, width, 8), seed as u64);
        }
    }
}

/// A contribution of which a part is enabled is told from a whole one up to the last byte of the beat.
#[test]
fn contributions_may_lack_any_byte_of_a_beat() {
    for width in WIDTHS {
        let net = network("collective_noc_4x4", width, ENOUGH);
        let run = |bytes| {
            let kind = wide_reduction(cube(0, 0, 3, 0), cluster(0, 0), 3);
            let fault = Fault::Disagree {
                transaction: 0,
                member: 2,
                difference: Difference::EnabledBytes(bytes),
            };
            run_trace(&net, vec![(vec![Some(0); 4], kind)], vec![fault])
        };
        for bytes in [1, width - 1] {
            assert_eq!(run(bytes).expect("completes").responses, [2], "{width}");
        }
        let refused = run(width).expect_err("no difference").to_string();
        let accepted = format!("1 to {} enabled bytes", width - 1);
        assert!(refused.contains(&accepted), "{refused}");
    }
}

#[test]
fn widths_beyond_the_range_are_refused_by_their_field_and_so_is_what_asks_for_64_bytes() {
    let shown = |preset: &str, width: &str| {
        let text = preset_text(preset).expect("preset");
        let set = ("ni.wide_beat_bytes".to_owned(), width.to_owned());
        let spec = parse_spec(preset, &text, &[set]);
        let error = spec.err().map(|e| e.to_string());
        error.unwrap_or_default()
    };
    for (preset, width, accepted) in [
        ("collective_noc_4x4", "4", "must be 8 to 256"),
        ("collective_noc_4x4", "512", "must be 8 to 256"),
        ("collective_noc_4x4", "24", "must be a power of two"),
        ("torrent_4x5", "128", "must be 64 with cluster.torrent"),
        ("smart_8x8", "32", "must be 64 with router.smart"),
    ] {
        let text = shown(preset, width);
        assert!(
            text.contains("ni.wide_beat_bytes") && text.contains(accepted),
            "{preset}, {width}: {text}"
        );
    }
    for (preset, width) in [
        ("collective_noc_4x4", "8"),
        ("esp_4x5", "256"),
        ("torrent_4x5", "64"),
    ] {
        assert_eq!(shown(preset, width), "", "{preset}");
    }
}

/// A memory holds whole beats, and a burst one at least.
#[test]
fn sizes_follow_the_width() {
    let text = preset_text("collective_noc_4x4").expect("preset");
    let with = |fields: &[(&str, &str)]| {
        let set: Vec<(String, String)> = (fields.iter())
            .map(|(field, value)| ((*field).to_owned(), (*value).to_owned()))
            .collect();
        parse_spec("preset", &text, &set).map_err(|e| e.to_string())
    };
    let refused = with(&[
        ("ni.wide_beat_bytes", "256"),
        ("cluster.l1_bytes", "131136"),
    ]);
    let refused = refused.expect_err("half a beat");
    assert!(refused.contains("cluster.l1_bytes"), "{refused}");
    assert!(refused.contains("a multiple of 256"), "{refused}");
    let refused = with(&[
        ("ni.wide_beat_bytes", "256"),
        ("ni.burst_boundary_bytes", "128"),
    ]);
    let refused = refused.expect_err("less than a beat");
    assert!(refused.contains("ni.burst_boundary_bytes"), "{refused}");
    let small = [
        ("ni.wide_beat_bytes", "8"),
        ("ni.burst_boundary_bytes", "8"),
    ];
    assert!(elaborate(&with(&small).expect("a beat per burst")).is_ok());
}
