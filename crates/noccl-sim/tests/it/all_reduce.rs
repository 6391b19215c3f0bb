// SPDX-License-Identifier: Apache-2.0
//! All-reduce in one transaction: its cycles in closed form, its bytes against the interpreter, limits.

use crate::common::hand_written::schedule_of;
use crate::common::interpreted::{expected, found};
use crate::common::{cluster, cube, image, length_of, network, network_with, run_alone, stalling};
use noccl_net::tree::join_set;
use noccl_net::{Coord, MultiAddress, Network, TileRef};
use noccl_run::{MemoryImage, Mode, RunConfig, RunError, RunResult};
use noccl_spec::Plane;
use noccl_testkit::actions::{copy, to_set};
use noccl_testkit::schedules::alone;
use noccl_testkit::{assert_says, place};
use noccl_workload::{
    Action, ActionKind, ElementType, InNetworkReduction, Operator, Place, Schedule, check,
};
use proptest::prelude::*;

const OUTPUT: u64 = 65_536;

fn all_reduce(group: MultiAddress, root: TileRef, source_offset: u64, bytes: u64) -> Action {
    let reduction = InNetworkReduction {
        group,
        source_offset,
        root: place(root, OUTPUT + source_offset),
        bytes,
        operator: Operator::Sum,
        element: ElementType::Fp64,
    };
    alone(ActionKind::InNetworkAllReduce(reduction))
}

fn multicast(group: MultiAddress, from: Coord, offset: u64, bytes: u64) -> ActionKind {
    let from = TileRef::Cluster(from);
    let to = to_set(group, OUTPUT + offset);
    copy(from, place(from, offset), to, bytes)
}

/// Contributions whose sums depend on their order.
fn contribution(at: Coord, bytes: u64) -> Vec<u8> {
    let seed = u64::from(at.x) * 131 + u64::from(at.y) * 977 + 1;
    let value = |i: u64| {
        let mixed = (i + 1)
            .wrapping_mul(seed)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        f64::from((mixed >> 40) as u32) * 10f64.powi((mixed % 31) as i32 - 15)
    };
    (0..bytes / 8)
        .flat_map(|i| value(i).to_le_bytes())
        .collect()
}

/// Runs a schedule in both modes, compares every member's output with the interpreter's.
fn run(net: &Network, schedule: &Schedule, group: MultiAddress, bytes: u64) -> RunResult {
    run_with(net, schedule, group, bytes, RunConfig::new)
}

fn run_with(
    net: &Network,
    schedule: &Schedule,
    group: MultiAddress,
    bytes: u64,
    config: impl Fn(Mode) -> RunConfig,
) -> RunResult {
    let input = |at| image(TileRef::Cluster(at), 0, contribution(at, bytes));
    let inputs: Vec<MemoryImage> = group.members().map(input).collect();
    let output = |at| (place(TileRef::Cluster(at), OUTPUT), bytes);
    let outputs: Vec<(Place, u64)> = group.members().map(output).collect();
    let run = |mode| {
        let config = config(mode);
        let run = noccl_sim::run_schedule(net, schedule, &inputs, &outputs, &config, &mut |_| true);
        run.expect("runs")
    };
    let (value, timing) = (run(Mode::Value), run(Mode::Timing));
    assert_eq!(
        value.actions, timing.actions,
        "value and timing mode differ"
    );
    assert_eq!(value.counters, timing.counters);
    assert_eq!(timing.wrong_transactions, 0, "sums of fewer contributions");
    let expected = expected(net, schedule, &inputs, &outputs).expect("a right schedule");
    assert!(found(&value) == expected);
    value
}

/// From the start of the transfer in the root's DMA engine to the last member's notice of its end: the
/// slowest path in with its additions, the longest path out, and a beat per cycle. Where routers have four or five
/// operands the pace lies between the two that are given.
fn expected_cycles(net: &Network, group: MultiAddress, root: Coord, beats: u64) -> [u64; 2] {
    let (set, to) = (net.cube(group), net.mesh_coord(root));
    let hop = u64::from(net.as_axi().unwrap().plane(Plane::Wide).hop_cycles);
    let operands = |at: Coord| u64::from(join_set(at, set, to).count_ones());
    let addition = |at: Coord| match operands(at) {
        0 | 1 => 0,
        // A partial sum goes back into the store.
        several => 3 * (several - 1) + 2 + if several > 3 { 2 } else { 0 },
    };
    let path_in = |member: Coord| -> u64 {
        let routers = net.path(member, to).map(|(at, _)| addition(at));
        hop * u64::from(member.hops_to(to)) + routers.sum::<u64>()
    };
    let path_in = set.members().map(path_in).max().unwrap_or(0);
    let path_out = set.members().map(|m| hop * u64::from(m.hops_to(to))).max();
    let all = set
        .members()
        .flat_map(|m| net.path(m, to).map(|(at, _)| at));
    let has_long = all.map(operands).any(|operands| operands > 3);
    // Start and completion in the engine and the paths to the NI: 6 in each direction; the rest lies between the ports.
    let (agents, ports) = (6, 6);
    let first = agents + ports + path_in + path_out.unwrap_or(0);
    if has_long {
        // Beats are worked on in packs of eight, the first four by one pass each.
        [first + (beats - 1), first + (beats - 1) * 12 / 5 + 24]
    } else {
        [first + (beats - 1); 2]
    }
}

fn assert_formula(net: &Network, group: MultiAddress, root: Coord, beats: u64) {
    let bytes = net.spec().axi().unwrap().ni.wide_beat() * beats;
    let schedule = schedule_of(vec![all_reduce(group, TileRef::Cluster(root), 0, bytes)]);
    let cycles = length_of(&run(net, &schedule, group, bytes), 0);
    let [least, most] = expected_cycles(net, group, root, beats);
    assert!(
        (least..=most).contains(&cycles) && (beats > 1 || cycles == least),
        "{group:?} to {root}, {beats} beats: {cycles}, expected {least} to {most}"
    );
}

#[test]
fn an_all_reduce_takes_the_path_in_the_path_out_and_its_roots_pace() {
    let net = network("collective_noc_4x4");
    for beats in [1, 2, 17, 64, 65, 200, 512] {
        for root in [(0, 0), (3, 0), (3, 3)] {
            assert_formula(&net, cube(0, 0, 3, 3), Coord::new(root.0, root.1), beats);
        }
        for x in 0..4 {
            assert_formula(&net, cube(0, 2, 3, 0), Coord::new(x, 2), beats);
            assert_formula(&net, cube(1, 0, 0, 3), Coord::new(1, x), beats);
        }
        assert_formula(&net, cube(0, 1, 1, 2), Coord::new(1, 3), beats);
    }
    let net = network("collective_noc_8x8");
    for beats in [1, 16, 64] {
        for root in [(0, 0), (0, 3), (3, 3), (7, 7)] {
            assert_formula(&net, cube(0, 0, 7, 7), Coord::new(root.0, root.1), beats);
        }
    }
}

#[test]
fn an_all_reduce_takes_its_closed_form_over_links_of_any_length() {
    for (rsp, wide) in [("1", "8"), ("8", "1"), ("3", "5"), ("8", "8")] {
        let links = [
            ("router.link_cycles.rsp", rsp),
            ("router.link_cycles.wide", wide),
        ];
        let net = network_with("collective_noc_4x4", &links);
        for beats in [1, 64, 200] {
            for root in [(0, 0), (3, 3)] {
                assert_formula(&net, cube(0, 0, 3, 3), Coord::new(root.0, root.1), beats);
            }
            assert_formula(&net, cube(0, 2, 3, 0), Coord::new(2, 2), beats);
        }
    }
}

#[test]
fn an_all_reduce_takes_its_closed_form_with_beats_of_any_width() {
    for (width, cores) in [("8", "1"), ("32", "4"), ("128", "16"), ("256", "32")] {
        let beats = [("ni.wide_beat_bytes", width), ("cluster.num_cores", cores)];
        let net = network_with("collective_noc_4x4", &beats);
        for beats in [1, 17, 64, 200] {
            for root in [(0, 0), (3, 3)] {
                assert_formula(&net, cube(0, 0, 3, 3), Coord::new(root.0, root.1), beats);
            }
            assert_formula(&net, cube(0, 2, 3, 0), Coord::new(2, 2), beats);
        }
    }
}

#[test]
fn windows_keep_one_beat_per_cycle_of_an_all_reduce_over_8x8_however_long_it_is() {
    let net = network("collective_noc_8x8");
    let (group, root) = (cube(0, 0, 7, 7), Coord::new(0, 0));
    for beats in [192, 512, 1000] {
        let bytes = 64 * beats;
        let schedule = schedule_of(vec![all_reduce(group, TileRef::Cluster(root), 0, bytes)]);
        let cycles = length_of(&run(&net, &schedule, group, bytes), 0);
        let [expected, _] = expected_cycles(&net, group, root, beats);
        assert_eq!(cycles, expected, "{beats} beats");
    }
}

#[test]
fn a_root_sends_its_results_only_and_every_link_carries_the_payload_once() {
    let net = network("collective_noc_8x8");
    let (group, beats) = (cube(0, 0, 7, 7), 100);
    let schedule = schedule_of(vec![all_reduce(group, cluster(0, 0), 0, 64 * beats)]);
    let result = run(&net, &schedule, group, 64 * beats);
    let wide = result.links.iter().filter(|l| l.link.plane == Plane::Wide);
    let loads: Vec<u64> = wide.map(|l| l.flits).collect();
    // A tree of 63 links in, one of 63 links out; they share none.
    assert_eq!(loads, vec![beats; 126]);
    assert_eq!(result.counters.dma_store_bytes, 64 * 64 * beats);
    assert_eq!(result.counters.dma_load_bytes, 64 * 65 * beats);
    assert_eq!(result.counters.spm_write_bytes, 64 * 64 * beats);
    assert_eq!(result.counters.dca_ops, 8 * 63 * beats);
}

#[test]
fn all_reduces_of_which_a_tile_is_root_and_member_keep_their_order_beyond_the_limit_of_open_ones() {
    for limit in ["1", "2", "8"] {
        let net = network_with("collective_noc_4x4", &[("ni.max_open_reductions", limit)]);
        let group = cube(0, 0, 3, 3);
        let root = |i: u64| cluster((i % 4) as u16, (i / 4 % 4) as u16);
        let part = 64 * 70;
        let parts = (0..12).map(|i| all_reduce(group, root(5 * i), i * part, part));
        let _ = run(&net, &schedule_of(parts.collect()), group, 12 * part);
    }
}

#[test]
fn a_root_outside_the_group_and_published_routers_are_refused() {
    let refused = |net: &Network, root| {
        let schedule = schedule_of(vec![all_reduce(cube(0, 0, 1, 0), root, 0, 64)]);
        let error = run_alone(net, &schedule, &RunConfig::new(Mode::Timing));
        let error = error.expect_err("is refused");
        assert!(matches!(error, RunError::Refused { .. }), "{error}");
        error.to_string()
    };
    let text = refused(&network("collective_noc_4x4"), cluster(2, 0));
    assert_says(text, &["member"]);
    let text = refused(&network("collective_noc_4x4_published"), cluster(0, 0));
    assert_says(text, &["published"]);
}

/// Kind, base, mask, which member is the root, beats.
type Draw = (u8, (u16, u16), (u16, u16), usize, u64);

/// Meshes and their sides.
const NETWORKS: [(&str, u16); 3] = [
    ("collective_noc_4x4", 4),
    ("collective_noc_4x4_bypass", 4),
    ("collective_noc_8x8_bypass", 8),
];

/// Groups, roots and kinds of collectives that run at the same time.
fn crowds() -> impl Strategy<Value = Vec<Draw>> {
    let (base, mask) = ((0u16..8, 0u16..8), (0u16..8, 0u16..8));
    // One beat meets in pairs over routers with bypass.
    let beats = prop_oneof![Just(1), 1u64..100];
    let one = (0u8..4, base, mask, 0usize..64, beats);
    proptest::collection::vec(one, 1..9)
}

proptest! {
    #![proptest_config(noccl_testkit::config(12, 48))]

    #[test]
    fn all_reduces_between_reductions_and_multicasts_complete_with_the_interpreters_bytes(
        (preset, side) in prop::sample::select(NETWORKS.to_vec()),
        crowd in crowds(),
        stalls in (0u32..128, 0u32..128, any::<u64>()),
    ) {
        let net = network(preset);
        let mut actions: Vec<Action> = Vec::new();
        let mut at = 0;
        for (kind, base, mask, member, beats) in crowd {
            let on_mesh = |(x, y): (u16, u16)| Coord::new(x % side, y % side);
            let group = MultiAddress::new(on_mesh(base), on_mesh(mask));
            let members: Vec<Coord> = group.members().collect();
            let root = members[member % members.len()];
            if members.len() < 2 || at + 64 * beats > 32_768 {
                continue;
            }
            let mut action = all_reduce(group, TileRef::Cluster(root), at, 64 * beats);
            if kind == 0 && let ActionKind::InNetworkAllReduce(r) = &action.kind {
                action.kind = ActionKind::InNetworkReduction(r.clone());
            } else if kind == 1 {
                action.kind = multicast(group, root, at, 64 * beats);
            }
            at += 64 * beats;
            actions.push(action);
            if check(&net, &schedule_of(actions.clone())).is_err() {
                actions.pop();
            }
        }
        let config = |mode| {
            let (target, initiator, seed) = stalls;
            let stalls = stalling(target, initiator);
            RunConfig { stalls: Some(stalls), stall_seed: seed, ..RunConfig::new(mode) }
        };
        let _ = run_with(&net, &schedule_of(actions), cube(0, 0, side - 1, side - 1), 32_768, config);
    }
}
