// SPDX-License-Identifier: Apache-2.0
//! The contract of a backend (`noccl_run::conformance`), kept by the collective, the published, ESP's and S2's routers, the crossbar and
//! core tiles.

use crate::common::hand_written::{images, place, schedule_of, transfer};
use crate::common::lists::list;
use crate::common::{cluster, cube, network, network_with};
use noccl_net::{Coord, Network, TileSet};
use noccl_run::conformance::{self, Subject};
use noccl_run::{MemoryImage, Mode, RunConfig};
use noccl_sim::Simulator;
use noccl_testkit::schedules::alone;
use noccl_workload::{
    Action, ActionId, ActionKind, Barrier, BarrierMechanism, Compute, Destination, ElementType,
    InNetworkReduction, Message, Operator, Place, Schedule,
};

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

/// One after the other.
fn in_order(kinds: Vec<ActionKind>) -> Schedule {
    let actions = kinds.into_iter().enumerate().map(|(i, kind)| Action {
        kind,
        after: i
            .checked_sub(1)
            .map(|i| ActionId(i as u32))
            .into_iter()
            .collect(),
    });
    schedule_of(actions.collect())
}

fn outputs() -> Vec<(Place, u64)> {
    let tiles = (0..4).flat_map(|x| (0..4).map(move |y| cluster(x, y)));
    tiles.map(|tile| (place(tile, OUTPUT), BYTES)).collect()
}

/// Unicasts, multicasts and reductions over rows, for routers that the machine has around it.
fn on_the_machine(preset: &str) -> Kind {
    let reduction = ActionKind::InNetworkReduction(InNetworkReduction {
        group: cube(0, 2, 3, 0),
        source_offset: 0,
        root: place(cluster(3, 2), OUTPUT),
        bytes: BYTES,
        operator: Operator::Sum,
        element: ElementType::Int64,
    });
    let round = [
        transfer(
            cluster(0, 0),
            Destination::One(place(cluster(3, 3), OUTPUT)),
            BYTES,
        ),
        transfer(
            cluster(1, 2),
            Destination::Multicast {
                set: cube(0, 0, 1, 3),
                offset: OUTPUT,
            },
            BYTES,
        ),
        reduction,
    ];
    let barrier = |after| Action {
        kind: ActionKind::Barrier(Barrier {
            group: TileSet::Row(0),
            counter: cluster(0, 0),
            mechanism: BarrierMechanism::InNetwork,
        }),
        after: vec![ActionId(after)],
    };
    let compute = |x, after| Action {
        kind: ActionKind::Compute(Compute {
            tile: cluster(x, 0),
            cycles: 10,
        }),
        after: vec![ActionId(after)],
    };
    Kind {
        network: network(preset),
        schedule: in_order(round.iter().chain(&round).chain(&round).cloned().collect()),
        inputs: images(BYTES),
        outputs: outputs(),
        // (0,0) wants the first barrier before the second one, (1,0) the second one before the first.
        stalling: schedule_of(vec![barrier(3), compute(0, 0), barrier(1), compute(1, 2)]),
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
    let at_once = crossing.into_iter().map(alone);
    Kind {
        network: network("esp_4x5"),
        schedule: in_order(lists(&[left; 9], BYTES)),
        inputs: images(BYTES),
        outputs: outputs(),
        // Each holds the link that the other one's branch needs.
        stalling: schedule_of(at_once.collect()),
        refused: in_order(vec![ActionKind::Compute(Compute {
            tile: cluster(0, 0),
            cycles: 10,
        })]),
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
    let message = |from: (u16, u16), to: (u16, u16), source| {
        ActionKind::Message(Message {
            source: place(cluster(from.0, from.1), source),
            destination: place(cluster(to.0, to.1), OUTPUT),
            bytes: BYTES,
            rows: None,
            round: None,
        })
    };
    let round = [
        message((0, 0), (3, 2), 0),
        message((3, 2), (1, 1), OUTPUT),
        message((1, 1), (0, 0), OUTPUT),
    ];
    let at_once = [message((0, 0), (3, 2), 0), message((3, 2), (0, 0), 0)];
    let at_once = at_once.into_iter().map(alone);
    Kind {
        network: network_with("tilepro64_4x4", &[("core.drain", "\"in_receive\"")]),
        schedule: in_order(round.iter().chain(&round).chain(&round).cloned().collect()),
        inputs: images(BYTES),
        outputs: outputs(),
        stalling: schedule_of(at_once.collect()),
        refused: in_order(vec![transfer(
            cluster(0, 0),
            Destination::One(place(cluster(3, 3), OUTPUT)),
            BYTES,
        )]),
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
