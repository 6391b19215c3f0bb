// SPDX-License-Identifier: Apache-2.0
//! Where the cycles of a run go: every cycle once, and as the closed forms of `docs/timing.md` say where they apply.

use crate::common::random_schedule::random_schedule;
use crate::common::{cluster, cube, network, network_with, place_at, run_alone};
use noccl_net::{Network, TileSet};
use noccl_run::{Breakdown, Cause, Mode, Part, Resource, RunConfig, RunError, RunResult};
use noccl_testkit::actions::{barrier, chain, copy, multicast, network_sum, write};
use noccl_testkit::schedules::{at_once, in_order};
use noccl_workload::{ActionKind, BarrierMechanism, Destination, ElementType, Schedule};
use proptest::prelude::*;

const TIMING: RunConfig = RunConfig::new(Mode::Timing);
const BEAT_BYTES: u64 = 64;

/// The cycle from which a run of a schedule is timed.
fn first_start(result: &RunResult) -> u64 {
    let starts = result.actions.iter().map(|action| action.start_cycle);
    starts.min().unwrap_or(0)
}

/// The explanation of a schedule, whose run is not another one because of it.
fn explained(net: &Network, schedule: &Schedule) -> Breakdown {
    let explained = noccl_sim::explain_schedule(net, schedule, &TIMING, first_start, &mut |_| true);
    let (result, breakdown) = explained.unwrap();
    let alone = run_alone(net, schedule, &TIMING).unwrap();
    assert_eq!(result, alone, "an observed run is the same run");
    let last = result.actions.iter().map(|action| action.finish_cycle);
    let cycles = last.max().unwrap_or(0) - first_start(&result);
    let sum: u64 = breakdown.causes.iter().map(|cause| cause.cycles).sum();
    assert_eq!((breakdown.cycles, sum), (cycles, cycles), "{breakdown:#?}");
    for pair in breakdown.path.windows(2) {
        assert!(pair[0].end_cycle <= pair[1].start_cycle, "{breakdown:#?}");
    }
    breakdown
}

/// Cycles of these parts, and of all others together but for software.
fn parts<const N: usize>(breakdown: &Breakdown, named: [Part; N]) -> ([u64; N], u64) {
    let others = Part::ALL.into_iter().filter(|part| !named.contains(part));
    let others = others.filter(|part| *part != Part::Software);
    (
        named.map(|part| breakdown.of(part)),
        others.map(|part| breakdown.of(part)).sum(),
    )
}

#[test]
fn a_lone_write_has_hops_and_serialisation_of_the_closed_form() {
    let net = network("collective_noc_4x4");
    for (x, y) in [(1u16, 0u16), (3, 0), (0, 2), (3, 3)] {
        for beats in [1u64, 2, 16, 64, 65, 512] {
            let to = place_at((x, y), 0x8000);
            let lone = at_once([write(cluster(0, 0), to, BEAT_BYTES * beats)]);
            let found = explained(&net, &lone);
            let hops = 5 + 4 * u64::from(x + y);
            let named = [Part::Hops, Part::Serialisation];
            let expected = ([hops, beats - 1], 0);
            assert_eq!(
                parts(&found, named),
                expected,
                "({x},{y}), {beats}: {found:#?}"
            );
        }
    }
}

#[test]
fn a_lone_multicast_has_those_of_its_farthest_member() {
    let net = network("collective_noc_4x4");
    for (to, h) in [(cube(0, 0, 3, 0), 3), (cube(0, 0, 3, 3), 6)] {
        for beats in [1u64, 100] {
            let kind = multicast(cluster(0, 0), to, 0x8000, BEAT_BYTES * beats);
            let found = explained(&net, &at_once([kind]));
            let named = [Part::Hops, Part::Serialisation];
            let expected = ([5 + 4 * h, beats - 1], 0);
            assert_eq!(
                parts(&found, named),
                expected,
                "{to:?}, {beats}: {found:#?}"
            );
        }
    }
}

#[test]
fn a_lone_read_has_those_of_its_request_and_its_data() {
    let net = network("collective_noc_4x4");
    for beats in [1u64, 2, 64] {
        let (reader, to) = (cluster(0, 0), place_at((0, 0), 0x8000));
        let from = place_at((3, 1), 0);
        let kind = copy(reader, from, Destination::One(to), BEAT_BYTES * beats);
        let found = explained(&net, &at_once([kind]));
        let named = [Part::Hops, Part::Serialisation];
        let expected = ([5 + 4 * 4, beats - 1], 0);
        assert_eq!(parts(&found, named), expected, "{beats}: {found:#?}");
    }
}

#[test]
fn a_reduction_of_a_beat_has_five_cycles_of_addition_per_router() {
    let net = network("collective_noc_4x4");
    let kind = network_sum(
        cube(0, 0, 3, 0),
        place_at((0, 0), 0x8000),
        BEAT_BYTES,
        ElementType::Fp64,
    );
    let found = explained(&net, &at_once([kind]));
    let (h, adding_routers) = (3, 3);
    let (network, unit) = (found.of(Part::Hops), found.of(Part::ReductionUnit));
    // A sum at the root may be in the output in the cycle in which the unit ends.
    assert!(unit.abs_diff(5 * adding_routers) <= 1, "{found:#?}");
    assert_eq!(network + unit, 5 + 4 * h + 5 * adding_routers, "{found:#?}");
    let software = found.of(Part::Software);
    assert_eq!(network + unit + software, found.cycles, "{found:#?}");
}

#[test]
fn two_writes_into_one_memory_wait_for_its_port_as_long_as_the_other_has_it() {
    let net = network("collective_noc_4x4");
    for beats in [4u64, 64, 300] {
        let from = |x, y, offset| {
            let to = place_at((0, 0), offset);
            write(cluster(x, y), to, BEAT_BYTES * beats)
        };
        let both = at_once([from(1, 0, 0x8000), from(0, 1, 0x10000)]);
        let found = explained(&net, &both);
        let named = [Part::Hops, Part::Serialisation, Part::Memory];
        let expected = ([5 + 4, beats - 1, beats], 0);
        assert_eq!(parts(&found, named), expected, "{beats}: {found:#?}");
        let port = Resource::MemoryPort(net.find(cluster(0, 0)).unwrap());
        assert_eq!(found.busiest[0].resource, port);
        assert_eq!(found.busiest[0].busy_cycles, 2 * beats);
    }
}

#[test]
fn a_software_barrier_waits_for_the_counter_of_all_members() {
    let net = network("collective_noc_4x4");
    let group = || TileSet::Cube(cube(0, 0, 3, 3));
    let of = |mechanism| {
        let actions = in_order([barrier(group(), cluster(1, 1), mechanism)]);
        explained(&net, &actions)
    };
    let (software, network) = (
        of(BarrierMechanism::Software),
        of(BarrierMechanism::InNetwork),
    );
    // The last of 16 additions of three cycles waits for most of the others.
    let waits = software.of(Part::Memory) + software.of(Part::Links);
    assert!((30..=45).contains(&waits), "{software:#?}");
    assert_eq!(software.busiest[0].busy_cycles, 16 * 3);
    // Everybody arrives at once: the farthest member waits for nobody.
    let h = 4;
    let expected = ([5 + 4 * h], 0);
    assert_eq!(parts(&network, [Part::Hops]), expected, "{network:#?}");
}

#[test]
fn a_chain_is_followed_from_endpoint_to_endpoint() {
    let net = network("torrent_4x5");
    let destinations = [1, 2, 3].map(|x| cluster(x, 0));
    let kind = chain(cluster(0, 0), &destinations, 0x8000, BEAT_BYTES * 64);
    let found = explained(&net, &at_once([ActionKind::Chain(kind)]));
    let control = found.causes.iter().find(|c| c.cause == Cause::ChainControl);
    // Configuration, grant, data and finish of each destination (`docs/timing.md`): 13 + 6 + 5 + 7 cycles, paths apart.
    assert!(control.is_some_and(|c| c.cycles >= 31 * 3), "{found:#?}");
    assert!(found.of(Part::Serialisation) >= 63, "{found:#?}");
    assert_eq!(found.of(Part::Dependencies), 0, "{found:#?}");
}

#[test]
fn routers_without_axi_interfaces_are_refused() {
    let net = network("smart_8x8");
    let one = at_once([write(cluster(0, 0), place_at((1, 0), 0x8000), BEAT_BYTES)]);
    assert!(!noccl_sim::explains_every_cycle(&net));
    let refused = noccl_sim::explain_schedule(&net, &one, &TIMING, first_start, &mut |_| true);
    assert!(matches!(refused, Err(RunError::Refused { .. })));
}

proptest! {
    #![proptest_config(noccl_testkit::config(24, 256))]

    #[test]
    fn random_schedules_are_explained_to_the_cycle(
        seed in any::<u64>(),
        count in 1u32..30,
        kind in 0usize..6,
    ) {
        let fields: &[(&str, &str)] = match kind {
            1 => &[("router.merge_cycles", "3")],
            2 => &[("router.link_cycles.wide", "3"), ("router.input_fifo_flits", "1")],
            _ => &[],
        };
        let name = match kind {
            3 => "collective_noc_4x4_published",
            4 => "ideal_4x4",
            5 => "collective_noc_8x8_bypass",
            _ => "collective_noc_4x4",
        };
        let net = network_with(name, fields);
        let schedule = random_schedule(&net, seed, count);
        // On published routers some of them deadlock.
        if run_alone(&net, &schedule, &TIMING).is_ok() {
            explained(&net, &schedule);
        }
    }
}
