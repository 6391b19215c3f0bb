// SPDX-License-Identifier: Apache-2.0
//! Schedules over routers with bypass: bytes as the interpreter leaves them on every preset, cycles in closed form, refusals.

use crate::common::hand_written::{images, place};
use crate::common::interpreted::{expected, found};
use crate::common::{cluster, cube, network, network_with, stalling};
use noccl_net::{Coord, Network, TileSet};
use noccl_run::{Mode, RunConfig, RunError};
use noccl_sim::{run_schedule, run_traffic};
use noccl_testkit::actions::{barrier, compute, multicast, network_sum, write};
use noccl_testkit::assert_says;
use noccl_testkit::schedules::{at_once, in_order};
use noccl_workload::{
    ActionKind, BarrierMechanism, Destination, ElementType, InNetworkReduction, Operator, Pattern,
    Place, Traffic, Transfer,
};
use proptest::prelude::*;

const SLOT: u64 = 0x2000;
const PRESETS: [&str; 6] = [
    "smart_4x4",
    "smart_4x4_baseline",
    "smart_4x4_collective",
    "smart_4x4_unicast",
    "smart_4x4_private",
    "smart_4x4_connected",
];

#[derive(Debug, Clone)]
enum What {
    One([u16; 4]),
    Read([u16; 4]),
    Set([u16; 6]),
    Reduce([u16; 6], Operator),
    Meet(u16),
}

fn what() -> impl Strategy<Value = What> {
    let c = || 0..4_u16;
    let set = || [c(), c(), c(), c(), c(), c()];
    let operators = vec![
        Operator::Sum,
        Operator::Min,
        Operator::Max,
        Operator::And,
        Operator::Or,
    ];
    prop_oneof![
        [c(), c(), c(), c()].prop_map(What::One),
        [c(), c(), c(), c()].prop_map(What::Read),
        set().prop_map(What::Set),
        (set(), prop::sample::select(operators)).prop_map(|(set, op)| What::Reduce(set, op)),
        c().prop_map(What::Meet),
    ]
}

/// Each writes a slot of its own.
fn action(what: &What, slot: u64, bytes: u64) -> ActionKind {
    let offset = slot * SLOT;
    match what {
        What::One([a, b, x, y]) => write(cluster(*a, *b), place(cluster(*x, *y), offset), bytes),
        What::Read([a, b, x, y]) => ActionKind::Transfer(Transfer {
            initiator: cluster(*a, *b),
            source: place(cluster(*x, *y), 0),
            destination: Destination::One(place(cluster(*a, *b), offset)),
            bytes: 64,
            rows: 3,
            source_stride: 128,
            destination_stride: 80,
        }),
        What::Set([a, b, x, y, mx, my]) => {
            let set = cube(*x, *y, *mx, *my);
            multicast(cluster(*a, *b), set, offset, bytes)
        }
        What::Reduce([a, b, x, y, mx, my], operator) => {
            ActionKind::InNetworkReduction(InNetworkReduction {
                group: cube(*x, *y, *mx, *my),
                source_offset: 0,
                root: place(cluster(*a, *b), offset),
                bytes: bytes.next_multiple_of(8),
                operator: *operator,
                element: ElementType::Int64,
            })
        }
        What::Meet(row) => barrier(
            TileSet::Row(*row),
            cluster(0, *row),
            BarrierMechanism::InNetwork,
        ),
    }
}

proptest! {
    #![proptest_config(noccl_testkit::config(16, 64))]
    #[test]
    fn what_is_in_flight_together_leaves_the_interpreters_bytes(
        actions in proptest::collection::vec((what(), 1..700_u64), 1..12),
        preset in prop::sample::select(PRESETS.to_vec()),
        sizes in (1..=3u32, 1..=2u32, 1..=6u32),
        priority in prop::sample::select(vec!["\"local\"", "\"bypass\""]),
        is_greedy: bool,
        scope in prop::sample::select(vec!["\"input_port\"", "\"router\"", "\"interface\""]),
        stall in 0..160u32,
    ) {
        let vcs = sizes.0.to_string();
        let setup = sizes.1.to_string();
        let entries = sizes.2.to_string();
        let mut fields = vec![
            ("router.smart.vcs", &vcs[..]),
            ("router.smart.reduction_vcs", &setup),
            ("router.smart.merge_scope", scope),
            ("router.smart.setup_cycles", &setup),
            ("router.smart.reduction_table_entries", &entries),
            ("router.smart.priority", priority),
        ];
        if is_greedy && !preset.ends_with("_connected") {
            fields.push(("router.smart.reduction", "\"greedy\""));
        }
        let net = network_with(preset, &fields);
        let kinds = actions.iter().enumerate();
        let schedule = at_once(kinds.map(|(i, (what, bytes))| action(what, i as u64 + 1, *bytes)));
        let images = images(SLOT);
        let tiles = (0..4).flat_map(|x| (0..4).map(move |y| place(cluster(x, y), SLOT)));
        let outputs: Vec<(Place, u64)> = tiles.map(|at| (at, actions.len() as u64 * SLOT)).collect();
        let config = RunConfig {
            stalls: Some(stalling(stall, stall)),
            ..RunConfig::new(Mode::Value)
        };
        let result = run_schedule(&net, &schedule, &images, &outputs, &config, &mut |_| true).unwrap();
        let expected = expected(&net, &schedule, &images, &outputs).unwrap();
        prop_assert!(found(&result) == expected, "{}", preset);
        let config = RunConfig { mode: Mode::Timing, ..config };
        let timing = run_schedule(&net, &schedule, &[], &[], &config, &mut |_| true).unwrap();
        prop_assert_eq!(timing.cycles, result.cycles);
    }
}

fn cycles(net: &Network, kind: ActionKind) -> u64 {
    let schedule = at_once([kind]);
    let config = RunConfig::new(Mode::Timing);
    let result = run_schedule(net, &schedule, &[], &[], &config, &mut |_| true).unwrap();
    result.actions[0].finish_cycle
}

/// docs/timing.md: an interface sends what a message causes in the cycle after it.
#[test]
fn transfer_and_barrier_take_their_messages_one_after_the_other() {
    let cases = [("1", 2, "local"), ("2", 3, "local"), ("1", 2, "bypass")];
    for (setup, per_path, priority) in cases {
        let priority = format!("\"{priority}\"");
        let fields = [
            ("router.smart.setup_cycles", setup),
            ("router.smart.priority", &priority),
        ];
        let net = network_with("smart_8x8", &fields);
        let message = |paths: u64| 1 + per_path * (paths + 1);
        // A line of 64 bytes: a head and four flits, then the acknowledgement.
        let line = write(cluster(0, 0), place(cluster(7, 5), 0), 64);
        assert_eq!(cycles(&net, line), message(2) + 4 + 1 + message(2));
        let all = TileSet::Cube(cube(0, 0, 7, 7));
        let meet = barrier(all, cluster(3, 3), BarrierMechanism::InNetwork);
        assert_eq!(cycles(&net, meet), 2 * message(2) + 1);
    }
}

/// docs/design/0010-smart.md: a channel is taken for 2s + 3 cycles by a flit that goes on at once, and a flow has an id from
/// the cycle of its contributions to that of its result.
#[test]
fn long_payloads_are_reduced_at_a_flit_per_cycle_if_channels_and_ids_last_that_long() {
    // A multiple of all numbers of channels.
    const FLITS: u64 = 840;
    let added = |setup: u64, vcs: u64, ids: u64| {
        let fields = [
            ("router.smart.setup_cycles", setup),
            ("router.smart.reduction_vcs", vcs),
            ("router.smart.reduction_table_entries", ids),
        ];
        let net = network_with("smart_4x4", &fields);
        let cycles = |flits: u64| {
            let sum = network_sum(
                cube(0, 0, 3, 3),
                place(cluster(1, 2), 0x1_0000),
                16 * flits,
                ElementType::Int64,
            );
            cycles(&net, sum)
        };
        cycles(2 * FLITS) - cycles(FLITS)
    };
    for (setup, channel_cycles) in [(1, 5), (2, 7)] {
        for vcs in (1..=8).chain([16]) {
            let expected = (FLITS * channel_cycles / vcs).max(FLITS);
            assert_eq!(added(setup, vcs, 64), expected, "{setup}, {vcs}");
        }
    }
    // The farthest member is two paths away: 7 cycles, and its next contribution goes in the cycle after.
    for ids in [1, 2, 4, 8] {
        assert_eq!(added(1, 8, ids), FLITS * 8 / ids, "{ids}");
    }
}

#[test]
fn what_no_message_does_is_refused_by_its_action() {
    let net = network("smart_4x4");
    let floats = network_sum(
        cube(0, 0, 3, 0),
        place(cluster(0, 0), SLOT),
        64,
        ElementType::Fp64,
    );
    let schedule = in_order([compute(cluster(0, 0), 5), floats]);
    let config = RunConfig::new(Mode::Value);
    let error = run_schedule(&net, &schedule, &[], &[], &config, &mut |_| true).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, RunError::Refused { .. }), "{text}");
    assert_says(&text, &["actions[1]", "sum of floats"]);
}

#[test]
fn actions_of_more_flits_than_their_tags_number_are_refused() {
    let net = network("smart_4x4");
    let smart = net.spec().axi().and_then(|axi| axi.router.smart.as_ref());
    let flit_bytes = u64::from(smart.map_or(0, |smart| smart.flit_bits)) / 8;
    let bytes = (1 << 29) * flit_bytes + 1;
    let to = place(cluster(0, 0), SLOT);
    let sum = network_sum(cube(0, 0, 3, 0), to, bytes, ElementType::Int64);
    let config = RunConfig::new(Mode::Timing);
    let schedule = in_order([sum]);
    let error = run_schedule(&net, &schedule, &[], &[], &config, &mut |_| true).unwrap_err();
    assert_says(error.to_string(), &["actions[0]", "2^29 flits"]);
}

fn traffic(pattern: Pattern, beats: u32, load: f64) -> Traffic {
    Traffic {
        pattern,
        beats,
        offered_beats_per_cycle: load,
        warmup_cycles: 500,
        measure_cycles: 4000,
        seed: 3,
    }
}

#[test]
fn traffic_of_almost_no_load_has_the_latency_of_an_empty_network() {
    for preset in PRESETS {
        let net = network(preset);
        let config = RunConfig::new(Mode::Timing);
        let found = run_traffic(
            &net,
            &traffic(Pattern::Neighbour, 1, 0.001),
            &config,
            &mut |_| true,
        )
        .unwrap();
        // Three of four are a hop away, one three hops, which takes one path with bypass.
        let hops = |hops: u16| f64::from(net.idle_cycles(Coord::new(0, 0), Coord::new(hops, 0)));
        let expected = (3.0 * hops(1) + hops(3)) / 4.0;
        assert!(
            (found.mean_latency_cycles - expected).abs() < 0.4,
            "{preset}: {found:?}"
        );
        assert!(!found.saturated && found.packets > 30);
    }
    let error = run_traffic(
        &network("smart_4x4"),
        &traffic(Pattern::Uniform, 6, 0.1),
        &RunConfig::new(Mode::Timing),
        &mut |_| true,
    );
    assert!(error.unwrap_err().to_string().contains("vc_flits"));
}

#[test]
fn bypass_lowers_latency_and_accepts_what_the_mesh_accepts() {
    let config = RunConfig::new(Mode::Timing);
    let run = |preset: &str, pattern, beats, load| {
        run_traffic(
            &network(preset),
            &traffic(pattern, beats, load),
            &config,
            &mut |_| true,
        )
        .unwrap()
    };
    for (pattern, beats) in [
        (Pattern::Uniform, 1),
        (Pattern::Uniform, 5),
        (Pattern::BitComplement, 1),
        (Pattern::Tornado, 1),
    ] {
        let mesh = run("smart_8x8_baseline", pattern, beats, 0.1);
        let bypass = run("smart_8x8", pattern, beats, 0.1);
        assert!(bypass.mean_latency_cycles < 0.7 * mesh.mean_latency_cycles);
        assert!((bypass.accepted_beats_per_cycle - 0.1).abs() < 0.01);
    }
    // Trees span the mesh: 8/7 multicasts per cycle are what the links let pass.
    let copies = run("smart_8x8", Pattern::RowMulticast, 1, 0.005);
    assert!(
        (copies.accepted_beats_per_cycle - 0.04).abs() < 0.005,
        "{copies:?}"
    );
}
