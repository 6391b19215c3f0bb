// SPDX-License-Identifier: Apache-2.0
//! The contract of a backend (`noccl_run::conformance`), kept by the collective, the published, ESP's and S2's routers, the crossbar and
//! core tiles.

use crate::common::hand_written::{images, place, schedule_of};
use crate::common::lists::list;
use crate::common::{cluster, cube, network, network_with};
use noccl_net::{Coord, Network, TileSet};
use noccl_run::conformance::{self, Subject};
use noccl_run::{MemoryImage, Mode, RunConfig};
use noccl_sim::Simulator;
use noccl_testkit::actions::{barrier, compute, message, multicast, network_sum, write};
use noccl_testkit::schedules::{after, at_once, in_order};
use noccl_workload::{ActionKind, BarrierMechanism, ElementType, Place, Schedule};

const CONFIG: RunConfig = RunConfig::new(Mode::Value);
const OUTPUT: u64 = 0x8_0000;
const BYTES: u64 = 48 << 10;

/// What one kind of routers is tried with.
struct Kind {
    network: Network,
    schedule: Schedule,
    inputs: Vec<MemoryImage>,
    outputs: Vec<(Place, u64)>,
    /// Cannot complete.
    stalling: Schedule,
    /// Is not accepted.
    refused: Schedule,
    has_checkpoints: bool,
}

impl Kind {
    fn subject<'a>(&'a self, schedule: &'a Schedule) -> Subject<'a> {
        Subject {
            network: &self.network,
            schedule,
            inputs: &self.inputs,
            outputs: &self.outputs,
            config: &CONFIG,
        }
    }
}

fn outputs() -> Vec<(Place, u64)> {
    let tiles = (0..4).flat_map(|x| (0..4).map(move |y| cluster(x, y)));
    tiles.map(|tile| (place(tile, OUTPUT), BYTES)).collect()
}

/// Unicasts, multicasts and reductions over rows, for routers that the machine has around it.
fn on_the_machine(preset: &str) -> Kind {
    let reduction = network_sum(
        cube(0, 2, 3, 0),
        place(cluster(3, 2), OUTPUT),
        BYTES,
        ElementType::Int64,
    );
    let round = [
        write(cluster(0, 0), place(cluster(3, 3), OUTPUT), BYTES),
        multicast(cluster(1, 2), cube(0, 0, 1, 3), OUTPUT, BYTES),
        reduction,
    ];
    let meet = |other| {
        let row = TileSet::Row(0);
        let kind = barrier(row, cluster(0, 0), BarrierMechanism::InNetwork);
        after(kind, &[other])
    };
    let compute = |x, other| after(compute(cluster(x, 0), 10), &[other]);
    Kind {
        network: network(preset),
        schedule: in_order([&round[..]; 3].concat()),
        inputs: images(BYTES),
        outputs: outputs(),
        // (0,0) wants the first barrier before the second one, (1,0) the second one before the first.
        stalling: schedule_of(vec![meet(3), compute(0, 0), meet(1), compute(1, 2)]),
        refused: in_order(lists(&[((0, 0), &[(1, 2), (2, 2)])], 64)),
        has_checkpoints: true,
    }
}

type OneList<'a> = ((u16, u16), &'a [(u16, u16)]);

fn lists(lists: &[OneList<'_>], bytes: u64) -> Vec<ActionKind> {
    let at = |(x, y): &(u16, u16)| Coord::new(*x, *y);
    let action = |(from, to): &OneList<'_>| {
        let to: Vec<Coord> = to.iter().map(at).collect();
        ActionKind::ListMulticast(list(at(from), &to, bytes))
    };
    lists.iter().map(action).collect()
}

fn esp() -> Kind {
    let (left, right): (OneList<'_>, OneList<'_>) = (
        ((0, 0), &[(1, 2), (2, 2)]),
        ((3, 1), &[(0, 3), (1, 3), (2, 3)]),
    );
    let crossing = lists(&[left, right], 4096);
    Kind {
        network: network("esp_4x5"),
        schedule: in_order(lists(&[left; 9], BYTES)),
        inputs: images(BYTES),
        outputs: outputs(),
        // Each holds the link that the other one's branch needs.
        stalling: at_once(crossing),
        refused: in_order([compute(cluster(0, 0), 10)]),
        has_checkpoints: false,
    }
}

/// Without the machine: no checkpoints.
fn with_bypass(preset: &str) -> Kind {
    Kind {
        has_checkpoints: false,
        ..on_the_machine(preset)
    }
}

/// Those whose requests from farther away win, and whose contributions take along what they pass.
fn greedy_with_bypass(preset: &str) -> Kind {
    let fields = [
        ("router.smart.priority", "\"bypass\""),
        ("router.smart.reduction", "\"greedy\""),
    ];
    Kind {
        network: network_with(preset, &fields),
        ..with_bypass(preset)
    }
}

/// Cores that read what they wait for, and wait forever if two send to each other what their queues cannot hold.
fn cores() -> Kind {
    let at = |(x, y): (u16, u16), offset| place(cluster(x, y), offset);
    let message = |from, to, source| message(at(from, source), at(to, OUTPUT), BYTES);
    let round = [
        message((0, 0), (3, 2), 0),
        message((3, 2), (1, 1), OUTPUT),
        message((1, 1), (0, 0), OUTPUT),
    ];
    Kind {
        network: network_with("tilepro64_4x4", &[("core.drain", "\"in_receive\"")]),
        schedule: in_order([&round[..]; 3].concat()),
        inputs: images(BYTES),
        outputs: outputs(),
        stalling: at_once([message((0, 0), (3, 2), 0), message((3, 2), (0, 0), 0)]),
        refused: in_order([write(cluster(0, 0), place(cluster(3, 3), OUTPUT), BYTES)]),
        has_checkpoints: false,
    }
}

fn kinds() -> [Kind; 13] {
    [
        on_the_machine("collective_noc_4x4"),
        on_the_machine("collective_noc_4x4_bypass"),
        on_the_machine("collective_noc_4x4_published"),
        on_the_machine("ideal_4x4"),
        esp(),
        with_bypass("smart_4x4"),
        with_bypass("smart_4x4_baseline"),
        with_bypass("smart_4x4_collective"),
        with_bypass("smart_4x4_unicast"),
        with_bypass("smart_4x4_private"),
        with_bypass("smart_4x4_connected"),
        greedy_with_bypass("smart_4x4"),
        cores(),
    ]
}

#[test]
fn empty_schedule_takes_no_cycle() {
    for kind in kinds() {
        conformance::empty_schedule_takes_no_cycle(&Simulator, &kind.subject(&kind.schedule));
    }
}

#[test]
fn threads_change_nothing() {
    for kind in kinds() {
        conformance::threads_change_nothing(&Simulator, &kind.subject(&kind.schedule));
    }
}

#[test]
fn interrupted_run_goes_on() {
    for kind in kinds() {
        conformance::interrupted_run_goes_on(&Simulator, &kind.subject(&kind.schedule));
    }
}

#[test]
fn stall_is_diagnosed() {
    for kind in kinds() {
        conformance::stall_is_diagnosed(&Simulator, &kind.subject(&kind.stalling));
    }
}

#[test]
fn limit_of_cycles_ends_a_run() {
    for kind in kinds() {
        conformance::limit_of_cycles_ends_a_run(&Simulator, &kind.subject(&kind.schedule));
    }
}

#[test]
fn counts_are_consistent() {
    for kind in kinds() {
        conformance::counts_are_consistent(&Simulator, &kind.subject(&kind.schedule));
    }
}

#[test]
fn loaded_run_gives_the_same_result() {
    for kind in kinds().into_iter().filter(|kind| kind.has_checkpoints) {
        let subject = kind.subject(&kind.schedule);
        conformance::loaded_run_gives_the_same_result(&Simulator, &subject, &[0, 1, 900, 5000]);
    }
}

#[test]
fn refusal_is_typed() {
    for kind in kinds() {
        conformance::refusal_is_typed(&Simulator, &kind.subject(&kind.refused));
    }
}
