// SPDX-License-Identifier: Apache-2.0
//! FIFOs of 1 to 16 slots: closed formulas at every depth, and what a depth changes.
//!
//! A FIFO with one slot takes a flit in every second cycle at most, as it takes none in the cycle in which its flit leaves:
//! beats follow each other by p = 2 cycles. From two slots on p = 1, and an idle network has the cycles of the default.

use crate::common::formulas::{check_barriers, check_reductions, check_writes};
use crate::common::{check_overlaps, cluster, cube, network_with, replay, runtime};
use noccl_net::{MultiAddress, Network, TileRef};
use noccl_run::Mode;
use noccl_testkit::traces::{
    atomic, barrier as port_barrier, narrow_read, together, trace, wide_read, wide_reduction,
    wide_write,
};

/// Depths of inputs and outputs: all equal ones, and each extreme beside others.
fn depths() -> Vec<(u32, u32)> {
    let equal = (1..=16).map(|d| (d, d));
    let mixed = [
        (1, 2),
        (2, 1),
        (1, 16),
        (16, 1),
        (3, 2),
        (2, 3),
        (5, 12),
        (16, 2),
    ];
    equal.chain(mixed).collect()
}

fn network(preset: &str, (inputs, outputs): (u32, u32)) -> Network {
    let set = [
        ("router.input_fifo_flits", inputs),
        ("router.output_fifo_flits", outputs),
    ];
    network_with(preset, &set)
}

/// Cycles between beats.
const fn pace(depths: (u32, u32)) -> u64 {
    if depths.0 == 1 || depths.1 == 1 { 2 } else { 1 }
}

#[test]
fn writes_reads_and_multicasts_take_their_closed_forms_at_every_depth() {
    for depths in depths() {
        let net = network("collective_noc_4x4", depths);
        let serial = |beats: u32| pace(depths) * (u64::from(beats) - 1);
        check_writes(&net, 4, serial, &format!("{depths:?}"));
        let (from, source) = (cluster(3, 0), TileRef::Memory(0));
        let read = wide_read(from, source, 64);
        assert_eq!(runtime(&net, 1, read), 5 + 4 * 4 + serial(64), "{depths:?}");
        let read = narrow_read(from, source);
        assert_eq!(runtime(&net, 1, read), 5 + 4 * 4, "{depths:?}");
        let atomic = atomic(from, source);
        assert_eq!(runtime(&net, 1, atomic), 4 + 4 * 4 + 3, "{depths:?}");
    }
}

#[test]
fn barriers_take_their_closed_form_at_every_depth() {
    for depths in depths() {
        let net = network("collective_noc_4x4", depths);
        check_barriers(&net, 4, &format!("{depths:?}"));
    }
}

#[test]
fn reductions_take_their_closed_forms_at_every_depth() {
    for depths in depths() {
        let net = network("collective_noc_4x4", depths);
        let serial = |beats: u32| pace(depths) * (u64::from(beats) - 1);
        check_reductions(&net, 4, serial, &format!("{depths:?}"));
    }
}

#[test]
fn published_routers_keep_their_formulas_from_two_slots_on() {
    for depths in depths() {
        let net = network("collective_noc_4x4_published", depths);
        let write = |beats| wide_write(cluster(0, 0), cluster(3, 1), beats);
        for beats in [1, 64, 512] {
            // An AW flit goes before each burst.
            let flits = u64::from(beats) + u64::from(beats).div_ceil(64);
            let expected = 5 + 4 * 4 + pace(depths) * (flits - 1);
            assert_eq!(runtime(&net, 1, write(beats)), expected, "{depths:?}");
        }
        let barrier = port_barrier(cube(0, 0, 3, 0), cluster(0, 0));
        let expected = 5 + 4 * 3 + pace(depths);
        assert_eq!(runtime(&net, 4, barrier), expected, "{depths:?}");
        if pace(depths) == 1 {
            for (beats, cycles) in [(1, 33), (64, 96), (512, 586)] {
                let kind = wide_reduction(cube(0, 0, 3, 0), cluster(3, 0), beats);
                assert_eq!(runtime(&net, 4, kind), cycles, "{depths:?}");
            }
        }
    }
}

#[test]
fn random_overlaps_complete_with_the_right_bytes_in_both_modes_whatever_the_threads() {
    for (seed, depths) in depths().into_iter().enumerate() {
        check_overlaps(&network("collective_noc_4x4", depths), seed as u64);
    }
}

fn all_to(net: &Network, root: TileRef, group: MultiAddress, beats: u32) -> u64 {
    let transactions = net.multi_tiles(group).flatten();
    let from = transactions.filter(|t| net.tile_ref(*t) != root);
    let write = |from| together(wide_write(from, root, beats), 1);
    let trace = trace(from.map(|t| write(net.tile_ref(t))).collect());
    let result = replay(net, &trace, Mode::Timing, 1, false);
    let ends = result.actions.iter().map(|a| a.finish_cycle);
    ends.max().unwrap_or(0)
}

/// Three streams into the end of a row share its last link, and its interface takes what that brings: one flit per cycle, or
/// in two cycles with one slot, however deep the FIFOs are.
#[test]
fn a_saturated_link_passes_a_flit_per_cycle_or_in_two_cycles_with_one_slot() {
    for depths in depths() {
        let net = network("collective_noc_4x4", depths);
        let (root, beats) = (cluster(3, 0), 200);
        let cycles = all_to(&net, root, cube(0, 0, 3, 0), beats);
        // The last link's first flit comes from the neighbour; the response to the last burst goes at most three hops.
        let flits = 3 * u64::from(beats);
        let least = pace(depths) * (flits - 1) + 5 + 4;
        assert!(
            (least..=least + 4 * 3).contains(&cycles),
            "{depths:?}: {cycles} instead of {least}"
        );
    }
}
