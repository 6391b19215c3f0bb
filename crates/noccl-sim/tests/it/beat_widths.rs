// SPDX-License-Identifier: Apache-2.0
//! Wide beats of 8 to 256 bytes: n beats take the closed formulas of `docs/timing.md` at every width, and every byte is right.
//!
//! An addition of two beats takes one cycle of the FPUs if a cluster has a core for each 8 bytes, else several; the
//! latency of the FPUs is the same.

use crate::common::formulas::{check_reductions, check_writes};
use crate::common::lists::{list, run};
use crate::common::{
    check_overlaps, cluster, cube, disagree, length_of, network_with, run_trace, runtime,
};
use noccl_net::{Coord, Network, TileRef, elaborate};
use noccl_run::{Mode, RunConfig};
use noccl_testkit::traces::{wide_read, wide_reduction, wide_write};
use noccl_testkit::{assert_says, parsed};
use noccl_workload::Difference;

const WIDTHS: [u32; 6] = [8, 16, 32, 64, 128, 256];

/// A network with beats of this width and so many cores in a cluster.
fn network(preset: &str, width: u32, cores: u32) -> Network {
    let set = [("ni.wide_beat_bytes", width), ("cluster.num_cores", cores)];
    network_with(preset, &set)
}

/// A core for each 8 bytes of the widest beat.
const ENOUGH: u32 = 32;

#[test]
fn writes_reads_and_multicasts_take_their_closed_forms_at_every_width() {
    for width in WIDTHS {
        let net = network("collective_noc_4x4", width, ENOUGH);
        let serial = |beats: u32| u64::from(beats) - 1;
        check_writes(&net, 4, serial, &format!("{width} bytes"));
        for beats in [1, 16] {
            let read = wide_read(cluster(3, 0), TileRef::Memory(0), beats);
            let expected = 5 + 4 * 4 + serial(beats);
            assert_eq!(runtime(&net, 1, read), expected, "{width} bytes, {beats}");
        }
    }
}

#[test]
fn reductions_take_their_closed_forms_at_every_width_with_a_core_for_each_8_bytes() {
    for width in WIDTHS {
        let net = network("collective_noc_4x4", width, width / 8);
        let serial = |beats: u32| u64::from(beats) - 1;
        check_reductions(&net, 4, serial, &format!("{width} bytes"));
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
            let kind = wide_reduction(cube(0, 0, 3, 0), cluster(3, 0), beats);
            let expected = 5 + 4 * 3 + 5 * 3 + pace * (u64::from(beats) - 1);
            let what = format!("{width} bytes, {cores} cores, {beats}");
            assert_eq!(runtime(&net, 4, kind), expected, "{what}");
        }
    }
}

#[test]
fn published_routers_and_the_crossbar_keep_their_formulas_at_every_width() {
    for width in WIDTHS {
        let net = network("collective_noc_4x4_published", width, ENOUGH);
        let ni = &net.spec().axi().unwrap().ni;
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
            let expected = 3 + 3 + u64::from(beats) - 1;
            assert_eq!(
                runtime(&net, 4, reduction(beats)),
                expected,
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
        length_of(&result, 0)
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
            let fault = disagree(2, Difference::EnabledBytes(bytes));
            run_trace(&net, vec![(vec![Some(0); 4], kind)], vec![fault])
        };
        for bytes in [1, width - 1] {
            assert_eq!(run(bytes).expect("completes").responses, [2], "{width}");
        }
        let accepted = format!("1 to {} enabled bytes", width - 1);
        assert_says(run(width).expect_err("no difference"), &[&accepted]);
    }
}

#[test]
fn widths_beyond_the_range_are_refused_by_their_field_and_so_is_what_asks_for_64_bytes() {
    let read = |preset: &str, width: u32| parsed(preset, &[("ni.wide_beat_bytes", width)]);
    for (preset, width, accepted) in [
        ("collective_noc_4x4", 4, "must be 8 to 256"),
        ("collective_noc_4x4", 512, "must be 8 to 256"),
        ("collective_noc_4x4", 24, "must be a power of two"),
        ("torrent_4x5", 128, "must be 64 with cluster.torrent"),
        ("smart_8x8", 32, "must be 64 with router.smart"),
    ] {
        let error = read(preset, width).expect_err(preset);
        assert_says(error, &["ni.wide_beat_bytes", accepted]);
    }
    for (preset, width) in [
        ("collective_noc_4x4", 8),
        ("esp_4x5", 256),
        ("torrent_4x5", 64),
    ] {
        assert_eq!(read(preset, width).err(), None, "{preset}");
    }
}

/// A memory holds whole beats, and a burst one at least.
#[test]
fn sizes_follow_the_width() {
    let with = |width: u32, field, value| {
        let set = [("ni.wide_beat_bytes", width), (field, value)];
        parsed("collective_noc_4x4", &set)
    };
    let refused = with(256, "cluster.l1_bytes", 131_136).expect_err("half a beat");
    assert_says(refused, &["cluster.l1_bytes", "a multiple of 256"]);
    let refused = with(256, "ni.burst_boundary_bytes", 128).expect_err("less than a beat");
    assert_says(refused, &["ni.burst_boundary_bytes"]);
    let small = with(8, "ni.burst_boundary_bytes", 8).expect("a beat per burst");
    assert!(elaborate(&small).is_ok());
}
