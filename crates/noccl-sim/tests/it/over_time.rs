// SPDX-License-Identifier: Apache-2.0
//! Records over time: the run is the same, sums over windows are its totals, ports are blocked where and why packets meet.

use crate::common::random_schedule::random_schedule;
use crate::common::{cluster, cube, network, place_at, run_alone};
use noccl_net::{Network, Port, TileId};
use noccl_run::{Cause, Mode, RecordRequest, Recording, Request, RunConfig, RunError, Window};
use noccl_sim::{Recorded, record_over_time};
use noccl_spec::PlaneName;
use noccl_testkit::actions::{multicast, network_sum, write};
use noccl_testkit::schedules::at_once;
use noccl_workload::{ElementType, Place, Schedule};
use proptest::prelude::*;

const TIMING: RunConfig = RunConfig::new(Mode::Timing);
const BEAT_BYTES: u64 = 64;
const MANY_WINDOWS: usize = 1024;

fn recorded(net: &Network, of: &Schedule, max_windows: usize) -> Recorded {
    let request = Request {
        network: net,
        schedule: of,
        inputs: &[],
        config: &TIMING,
    };
    let asked = RecordRequest {
        max_windows,
        max_entries: 1 << 20,
        is_links_only: false,
    };
    record_over_time(&request, &[], asked, &mut |_| true).unwrap()
}

/// Sum of each row over all windows.
fn sums(of: &Recording, rows: usize, entries: fn(&Window) -> &Vec<(u32, u32)>) -> Vec<u64> {
    let mut sums = vec![0; rows];
    for (index, count) in of.windows.iter().flat_map(entries) {
        sums[*index as usize] += u64::from(*count);
    }
    sums
}

/// Cycles in which inputs of a tile were blocked, by port (`None`: the merge point) and cause.
fn blocked(of: &Recording, tile: TileId, port: Option<Port>, cause: Cause) -> u64 {
    let rows = of.blocked.iter();
    let chosen = rows.filter(|b| (b.tile, b.port, b.cause) == (tile, port, cause));
    chosen.map(|b| b.cycles).sum()
}

/// What holds for every record.
fn check_record(net: &Network, of: &Schedule) {
    let alone = run_alone(net, of, &TIMING);
    if matches!(alone, Err(RunError::Refused { .. })) {
        return;
    }
    let found = recorded(net, of, MANY_WINDOWS);
    let Recorded {
        result, recording, ..
    } = &found;
    match &alone {
        Ok(alone) => assert_eq!(result, alone, "a recorded run is the same run"),
        Err(_) => assert!(found.stall.is_some()),
    }
    assert_eq!(recording.links, result.links);
    let flits: Vec<u64> = recording.links.iter().map(|link| link.flits).collect();
    assert_eq!(sums(recording, flits.len(), |w| &w.flits), flits);
    let cycles: Vec<u64> = recording.blocked.iter().map(|b| b.cycles).collect();
    assert_eq!(sums(recording, cycles.len(), |w| &w.blocked), cycles);
    let most = recording.windows.iter().flat_map(|w| &w.flits);
    assert!(most.map(|(_, n)| u64::from(*n)).max() <= Some(recording.window_cycles));
    assert!(recording.windows.len() <= MANY_WINDOWS);
    for port in &recording.blocked {
        let here = recording.blocked.iter();
        let here = here.filter(|b| (b.plane, b.tile, b.port) == (port.plane, port.tile, port.port));
        let all: u64 = here.map(|b| b.cycles).sum();
        assert!(all <= result.cycles + 1, "one cause per cycle: {port:?}");
    }
    let few = recorded(net, of, 4).recording;
    assert!(few.windows.len() <= 4);
    assert_eq!(
        (&few.links, &few.blocked),
        (&recording.links, &recording.blocked)
    );
    assert_eq!(few.transactions, recording.transactions);
    assert!(few.window_cycles >= recording.window_cycles && few.window_cycles.is_power_of_two());
    let bytes = |r: &Recording| sums(r, few.links.len(), |w| &w.flits);
    assert_eq!(bytes(&few), bytes(recording));
}

#[test]
fn two_writes_into_one_memory_block_each_other_at_its_port() {
    let net = network("collective_noc_4x4");
    let beats = 300;
    let from = |x, y, offset| {
        let to = place_at((0, 0), offset);
        write(cluster(x, y), to, BEAT_BYTES * beats)
    };
    let both = at_once([from(1, 0, 0x8000), from(0, 1, 0x10000)]);
    check_record(&net, &both);
    let found = recorded(&net, &both, MANY_WINDOWS).recording;
    let tile = |x, y| net.find(cluster(x, y)).unwrap();
    let at = |port| blocked(&found, tile(0, 0), Some(port), Cause::MemoryPort);
    // While both have beats, one of them passes.
    let waits = at(Port::East) + at(Port::North);
    assert!(waits.abs_diff(2 * beats) <= 10, "{waits}");
    let behind = blocked(&found, tile(1, 0), Some(Port::Local), Cause::NoSpace);
    assert!(behind.abs_diff(beats) <= 10, "{behind}");
    let others: u64 = found.blocked.iter().map(|b| b.cycles).sum();
    assert!(others < 5 * beats, "{:?}", found.blocked);
}

#[test]
fn a_link_that_two_packets_want_is_lost_by_one_of_them() {
    let net = network("collective_noc_4x4");
    let beats = 200;
    let to = |x, y, target, offset| {
        write(
            cluster(x, y),
            place_at((target, 0), offset),
            BEAT_BYTES * beats,
        )
    };
    // Both cross the link from (1,0) to (2,0), to different memories.
    let both = at_once([to(0, 0, 2, 0x8000), to(1, 0, 3, 0x8000)]);
    check_record(&net, &both);
    let found = recorded(&net, &both, MANY_WINDOWS).recording;
    let tile = net.find(cluster(1, 0)).unwrap();
    let lost = |port| blocked(&found, tile, Some(port), Cause::Arbitration);
    let full = |port| blocked(&found, tile, Some(port), Cause::NoSpace);
    let waits = lost(Port::West) + lost(Port::Local) + full(Port::West) + full(Port::Local);
    assert!(
        waits.abs_diff(2 * beats) <= 12,
        "{waits}: {:?}",
        found.blocked
    );
    assert!(
        lost(Port::West) + lost(Port::Local) > beats,
        "{:?}",
        found.blocked
    );
}

#[test]
fn operands_wait_at_the_root_for_those_of_farther_members() {
    let net = network("collective_noc_4x4");
    let to = place_at((0, 0), 0x8000);
    let root = net.find(cluster(0, 0)).unwrap();
    let waits = |columns: u16| {
        let group = cube(0, 0, columns - 1, 0);
        let sum = at_once([network_sum(group, to, BEAT_BYTES, ElementType::Fp64)]);
        check_record(&net, &sum);
        let found = recorded(&net, &sum, MANY_WINDOWS).recording;
        assert_eq!(found.transactions[0].kind, "reduction");
        blocked(&found, root, None, Cause::Contributions)
    };
    // Two more routers: four cycles per hop and five per addition.
    let (near, far) = (waits(2), waits(4));
    assert!((far - near).abs_diff(2 * (2 + 5)) <= 4, "{near}, {far}");
}

#[test]
fn a_lone_write_blocks_nothing_and_its_beats_take_four_cycles_per_hop() {
    let net = network("collective_noc_4x4");
    for (x, y) in [(1u16, 0u16), (3, 0), (3, 3)] {
        for beats in [1u64, 16, 64] {
            let to = place_at((x, y), 0x8000);
            let lone = at_once([write(cluster(0, 0), to, BEAT_BYTES * beats)]);
            check_record(&net, &lone);
            let found = recorded(&net, &lone, MANY_WINDOWS).recording;
            assert_eq!(found.blocked, [], "({x},{y}), {beats}");
            let [of] = found.transactions[..] else {
                panic!("{:?}", found.transactions);
            };
            assert_eq!((of.kind, of.action), ("write", Some(0)));
            assert_eq!(of.target, net.find(cluster(x, y)));
            let first = of.first_beat_cycle.unwrap();
            let (last, response) = (of.last_beat_cycle.unwrap(), of.response_cycle.unwrap());
            let hops = u64::from(x + y);
            assert!(of.start_cycle <= first);
            assert_eq!(last - first, 2 + 2 * hops + beats - 1, "({x},{y}), {beats}");
            assert_eq!(response - last, 3 + 2 * hops, "({x},{y}), {beats}");
        }
    }
}

#[test]
fn other_routers_have_links_and_actions() {
    for (name, has_causes) in [
        ("smart_8x8", false),
        ("tilepro64_4x4", false),
        ("esp_4x5", true),
    ] {
        let net = network(name);
        let tiles: Vec<_> = net.clusters().take(2).collect();
        let (from, to) = (net.tile_ref(tiles[0]), net.tile_ref(tiles[1]));
        let place = Place {
            tile: to,
            offset: 0x800,
        };
        let one = at_once([write(from, place, 256)]);
        if let Ok(alone) = run_alone(&net, &one, &TIMING) {
            let found = recorded(&net, &one, MANY_WINDOWS).recording;
            assert_eq!(found.links, alone.links, "{name}");
            assert!(!found.links.is_empty(), "{name}");
            assert!(has_causes || found.blocked.is_empty());
        }
    }
}

#[test]
fn planes_of_a_multicast_and_its_responses_are_apart() {
    let net = network("collective_noc_4x4");
    let one = at_once([multicast(
        cluster(0, 0),
        cube(0, 0, 3, 3),
        0x8000,
        64 * BEAT_BYTES,
    )]);
    check_record(&net, &one);
    let found = recorded(&net, &one, MANY_WINDOWS).recording;
    let planes: Vec<PlaneName> = found.links.iter().map(|l| l.link.plane).collect();
    assert!(planes.contains(&PlaneName::Wide) && planes.contains(&PlaneName::Rsp));
    assert_eq!(found.transactions[0].target, None);
}

proptest! {
    #![proptest_config(noccl_testkit::config(16, 256))]

    #[test]
    fn random_schedules_are_recorded_with_exact_totals(
        seed in any::<u64>(),
        count in 1u32..30,
        kind in 0usize..4,
    ) {
        let names = ["collective_noc_4x4", "collective_noc_4x4_published", "ideal_4x4", "collective_noc_8x8_bypass"];
        let net = network(names[kind]);
        check_record(&net, &random_schedule(&net, seed, count));
    }
}
