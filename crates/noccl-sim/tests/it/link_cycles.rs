// SPDX-License-Identifier: Apache-2.0
//! Links of 1 to 8 cycles: closed formulas on every plane, one flit per cycle over any length.
//!
//! A flit crosses h links in s h cycles more than links of a cycle take, s = `link_cycles` - 1 of its plane.

use crate::common::chains::{self, snake};
use crate::common::formulas::{check_barriers, check_reductions, check_writes};
use crate::common::{check_overlaps, cluster, cube, network_with, replay, runtime};
use noccl_net::{ChainCycles, Coord, Network, TileRef};
use noccl_run::Mode;
use noccl_testkit::traces::{
    atomic, barrier as port_barrier, narrow_read, narrow_write, together, trace, wide_read,
    wide_reduction, wide_write,
};

/// Lengths of links on req, rsp and wide: all equal ones, and others.
const LINKS: [(u64, u64, u64); 14] = [
    (1, 1, 1),
    (2, 2, 2),
    (3, 3, 3),
    (4, 4, 4),
    (5, 5, 5),
    (6, 6, 6),
    (7, 7, 7),
    (8, 8, 8),
    (8, 1, 1),
    (1, 8, 1),
    (1, 1, 8),
    (2, 5, 3),
    (6, 1, 4),
    (1, 3, 7),
];

fn network_of(preset: &str, links: (u64, u64, u64), others: &[(&str, u64)]) -> Network {
    let mut set = vec![
        ("router.link_cycles.req", links.0),
        ("router.link_cycles.rsp", links.1),
        ("router.link_cycles.wide", links.2),
    ];
    set.extend(others);
    network_with(preset, &set)
}

fn network(preset: &str, links: (u64, u64, u64)) -> Network {
    network_of(preset, links, &[])
}

#[test]
fn writes_reads_and_multicasts_take_their_closed_forms_over_links_of_any_length() {
    for links in LINKS {
        let (req, rsp, wide) = (links.0 - 1, links.1 - 1, links.2 - 1);
        let net = network("collective_noc_4x4", links);
        let serial = |beats: u32| u64::from(beats) - 1;
        check_writes(&net, 4 + wide + rsp, serial, &format!("{links:?}"));
        let (from, source, h) = (cluster(3, 0), TileRef::Memory(0), 4);
        let read = wide_read(from, source, 64);
        let expected = 5 + (4 + req + wide) * h + 63;
        assert_eq!(runtime(&net, 1, read), expected, "{links:?}");
        let read = narrow_read(from, source);
        let narrow = 5 + (4 + req + rsp) * h;
        assert_eq!(runtime(&net, 1, read), narrow, "{links:?}");
        let write = narrow_write(from, source);
        assert_eq!(runtime(&net, 1, write), narrow, "{links:?}");
        let atomic = atomic(from, source);
        assert_eq!(runtime(&net, 1, atomic), narrow + 2, "{links:?}");
    }
}

#[test]
fn barriers_take_their_closed_form_over_links_of_any_length() {
    for links in LINKS {
        let net = network("collective_noc_4x4", links);
        check_barriers(&net, 2 + links.0 + links.1, &format!("{links:?}"));
    }
}

/// Windows grow with the links: a beat per cycle wherever links of a cycle let one pass per cycle, also where members stand
/// far apart and at routers with three operands.
#[test]
fn reductions_take_their_closed_forms_over_links_of_any_length() {
    for links in LINKS {
        let (rsp, wide) = (links.1 - 1, links.2 - 1);
        let net = network("collective_noc_4x4", links);
        let serial = |beats: u32| u64::from(beats) - 1;
        check_reductions(&net, 4 + wide + rsp, serial, &format!("{links:?}"));
        let net = network("collective_noc_8x8", links);
        for (h, additions) in [(6, 5 * 3), (4, 5)] {
            let group = cube(0, 0, h, 0);
            for beats in [1, 64, 200] {
                let kind = wide_reduction(group, cluster(h, 0), beats);
                let cycles = runtime(&net, group.len() as usize, kind);
                let expected = 5 + (4 + wide + rsp) * u64::from(h) + additions + serial(beats);
                assert_eq!(cycles, expected, "{links:?} {group:?} {beats} beats");
            }
        }
    }
}

/// The windows are not larger than they need be: with one credit less a column's beats wait, whatever the length of links.
#[test]
fn a_window_that_is_a_credit_smaller_costs_cycles_over_links_of_any_length() {
    for links in LINKS {
        let (rsp, wide) = (links.1 - 1, links.2 - 1);
        let window = [("router.wide_reduction.window_beats", 16)];
        let net = network_of("collective_noc_4x4", links, &window);
        let kind = wide_reduction(cube(0, 0, 3, 3), cluster(0, 0), 200);
        let with_full_windows = 5 + (4 + wide + rsp) * 6 + 5 * 3 + 8 * 3 + 199;
        assert!(runtime(&net, 16, kind) > with_full_windows, "{links:?}");
    }
}

#[test]
fn published_routers_keep_their_formulas_over_links_of_any_length() {
    for links in LINKS {
        let (req, rsp, wide) = (links.0 - 1, links.1 - 1, links.2 - 1);
        let net = network("collective_noc_4x4_published", links);
        for beats in [1, 64, 512] {
            let kind = wide_write(cluster(0, 0), cluster(3, 1), beats);
            let flits = u64::from(beats) + u64::from(beats).div_ceil(64);
            let expected = 5 + (4 + wide + rsp) * 4 + flits - 1;
            assert_eq!(runtime(&net, 1, kind), expected, "{links:?}");
        }
        let barrier = port_barrier(cube(0, 0, 3, 0), cluster(0, 0));
        let expected = 6 + (4 + req + rsp) * 3;
        assert_eq!(runtime(&net, 4, barrier), expected, "{links:?}");
        for (beats, cycles) in [(1, 33), (64, 96), (512, 586)] {
            let kind = wide_reduction(cube(0, 0, 3, 0), cluster(3, 0), beats);
            let expected = cycles + (wide + rsp) * 3;
            assert_eq!(runtime(&net, 4, kind), expected, "{links:?}");
        }
    }
}

#[test]
fn chains_take_their_closed_form_over_links_of_any_length() {
    for links in LINKS {
        for preset in ["torrent_4x5", "torrent_4x5_published"] {
            let net = network(preset, links);
            let tiles = snake(&net);
            let tile = |at: &Coord| net.tile_at(net.mesh_coord(*at));
            for destinations in [1, 2, 7] {
                let at = &tiles[1..=destinations];
                let ids: Vec<_> = at.iter().map(tile).collect();
                let expected = ChainCycles::of(&net).cycles(&net, tile(&tiles[0]), &ids, 100 * 64);
                let cycles = chains::cycles(&net, at, 100 * 64);
                assert_eq!(
                    cycles, expected,
                    "{preset} {links:?} {destinations} destinations"
                );
            }
        }
    }
}

/// Two streams share a link from their common router on: it passes a flit in every cycle from the first to the last.
#[test]
fn a_saturated_link_passes_a_flit_per_cycle_however_long_it_is() {
    for links in LINKS {
        let net = network("collective_noc_4x4", links);
        let beats = 256;
        let write = |from| wide_write(cluster(from, 0), cluster(3, 0), beats);
        let two = trace(vec![together(write(2), 1), together(write(2), 1)]);
        let found = replay(&net, &two, Mode::Timing, 1, false);
        let ends = found.actions.iter().map(|a| a.finish_cycle);
        let hop = 2 + links.1 + links.2;
        let expected = 5 + hop + 2 * u64::from(beats) - 1;
        assert_eq!(ends.max(), Some(expected), "{links:?}");
    }
}

#[test]
fn random_overlaps_complete_with_the_right_bytes_in_both_modes_whatever_the_threads() {
    let depths = [(1, 1), (2, 2), (1, 4), (6, 1), (16, 16)];
    for (seed, links) in LINKS.into_iter().enumerate() {
        let (inputs, outputs) = depths[seed % depths.len()];
        let set = [
            ("router.input_fifo_flits", inputs),
            ("router.output_fifo_flits", outputs),
        ];
        let net = network_of("collective_noc_4x4", links, &set);
        check_overlaps(&net, seed as u64);
    }
}
