// SPDX-License-Identifier: Apache-2.0
//! The checker's account of operand stores and barrier counters against the simulator: what it accepts
//! completes, and what it refuses can deadlock.

use crate::common::hand_written::schedule_of;
use crate::common::{cluster, cube, network, network_with};
use noccl_net::{MultiAddress, Network, TileRef, TileSet};
use noccl_run::{Mode, RunConfig, RunError, RunResult};
use noccl_testkit::tiles::place;
use noccl_workload::{
    Action, ActionId, ActionKind, Barrier, BarrierMechanism, CheckError, Compute, ElementType,
    InNetworkReduction, Operator, Schedule, check,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn small_store() -> Network {
    let small = [
        ("router.wide_reduction.window_beats", "16"),
        ("router.wide_reduction.store_beats", "64"),
    ];
    network_with("collective_noc_4x4", &small)
}

/// Reductions into places of their own, after delays of some members.
#[derive(Debug, Default)]
struct Program {
    actions: Vec<Action>,
    delays: BTreeMap<TileRef, u32>,
}

impl Program {
    fn delay(&mut self, tile: TileRef, cycles: u64) {
        self.delays.insert(tile, self.actions.len() as u32);
        let kind = ActionKind::Compute(Compute { tile, cycles });
        let after = Vec::new();
        self.actions.push(Action { kind, after });
    }

    fn reduce(&mut self, group: MultiAddress, root: TileRef, beats: u64) -> u32 {
        let id = self.actions.len() as u32;
        let kind = ActionKind::InNetworkReduction(InNetworkReduction {
            group,
            source_offset: 0,
            root: place(
                root,
                0x2000 * (1 + u64::from(id) - self.delays.len() as u64),
            ),
            bytes: beats * 64,
            operator: Operator::Sum,
            element: ElementType::Fp64,
        });
        let delays = group
            .members()
            .filter_map(|m| self.delays.get(&TileRef::Cluster(m)));
        let after = delays.copied().map(ActionId).collect();
        self.actions.push(Action { kind, after });
        id
    }

    fn schedule(self) -> Schedule {
        schedule_of(self.actions)
    }
}

fn run(net: &Network, schedule: &Schedule) -> Result<RunResult, RunError> {
    let config = RunConfig::new(Mode::Timing);
    noccl_sim::run_schedule(net, schedule, &[], &[], &config, &mut |_| true)
}

/// Four reductions wait at their root for its own contribution; it first contributes to a fifth, whose
/// other member comes last and stands behind them.
fn crowd(others: u32) -> Schedule {
    let mut program = Program::default();
    let (root, late) = (cluster(0, 0), cluster(0, 1));
    program.delay(root, 2000);
    program.delay(late, 4000);
    program.reduce(cube(0, 0, 0, 1), root, 64);
    for _ in 0..others {
        program.reduce(cube(0, 0, 0, 2), root, 64);
    }
    program.schedule()
}

#[test]
fn reductions_that_crowd_a_store_are_refused_and_do_deadlock() {
    let net = small_store();
    let refusal = check(&net, &crowd(4));
    assert!(matches!(refusal, Err(CheckError::Crowd(_))), "{refusal:?}");
    let Err(RunError::Stall(diagnosis)) = run(&net, &crowd(4)) else {
        panic!("the schedule completes");
    };
    let text = diagnosis.to_string();
    assert!(
        text.contains("router.wide_reduction.store_beats = 64"),
        "{text}"
    );
    // The store of the preset has space for all of them.
    let net = network("collective_noc_4x4");
    check(&net, &crowd(4)).expect("there is space");
    run(&net, &crowd(4)).expect("completes");
}

#[test]
fn reductions_in_sequence_are_accepted_and_complete_on_a_small_store() {
    let net = small_store();
    let mut schedule = crowd(3);
    // One after the other, with everybody of the column at a barrier in between.
    let mut actions: Vec<Action> = schedule.actions.drain(..2).collect();
    let mut before = Vec::new();
    for mut reduction in schedule.actions {
        let done = ActionId(actions.len() as u32);
        reduction.after.extend(before.clone());
        actions.push(reduction);
        let barrier = Barrier {
            group: TileSet::Cube(cube(0, 0, 0, 3)),
            counter: cluster(0, 3),
            mechanism: BarrierMechanism::InNetwork,
        };
        let kind = ActionKind::Barrier(barrier);
        let earlier = before.iter().copied();
        let after = std::iter::once(done).chain(earlier).collect();
        before = vec![ActionId(actions.len() as u32)];
        actions.push(Action { kind, after });
    }
    let schedule = Schedule {
        actions,
        ..crowd(0)
    };
    check(&net, &schedule).expect("one at a time has space");
    run(&net, &schedule).expect("completes");
}

/// A reduction of eight bursts waits at its root for one member; another one, of other members, comes to the same root.
fn two_groups(beats: u64) -> Schedule {
    let mut program = Program::default();
    let root = cluster(0, 0);
    program.delay(cluster(2, 0), 4000);
    for y in 0..4 {
        program.delay(cluster(0, y), 2000);
        program.delay(cluster(1, y), 2000);
    }
    program.reduce(cube(2, 0, 1, 3), root, beats);
    let second = program.reduce(cube(0, 0, 1, 3), root, 64);
    let kind = &mut program.actions[second as usize].kind;
    if let ActionKind::InNetworkReduction(reduction) = kind {
        reduction.root.offset = 0x10000;
    }
    program.schedule()
}

#[test]
fn bursts_that_find_space_behind_each_other_are_all_counted() {
    let net = network("collective_noc_4x4");
    let refusal = check(&net, &two_groups(512));
    assert!(matches!(refusal, Err(CheckError::Crowd(_))), "{refusal:?}");
    assert!(matches!(
        run(&net, &two_groups(512)),
        Err(RunError::Stall(_))
    ));
    // Seven of its bursts and the other's one have slots.
    check(&net, &two_groups(7 * 64)).expect("there is space");
    run(&net, &two_groups(7 * 64)).expect("completes");
}

/// Two reductions of two bursts, of columns 0 and 1: to a root in the one and in the other. Each is alone at its merge points.
fn crossing(beats: (u64, u64)) -> Schedule {
    let mut program = Program::default();
    program.delay(cluster(1, 3), 1981);
    program.reduce(cube(1, 3, 1, 3), cluster(1, 2), beats.0);
    program.reduce(cube(0, 3, 1, 3), cluster(0, 3), beats.1);
    program.schedule()
}

#[test]
fn a_burst_without_a_slot_stands_before_what_passes_a_merge_point() {
    // The second burst of each stands at an input where the other one passes, which a late member has not begun.
    let net = small_store();
    for beats in [(70, 82), (73, 65)] {
        let refusal = check(&net, &crossing(beats));
        assert!(matches!(refusal, Err(CheckError::Crowd(_))), "{refusal:?}");
    }
    assert!(matches!(
        run(&net, &crossing((70, 82))),
        Err(RunError::Stall(_))
    ));
    // Of one burst each they have slots, and so has each alone.
    check(&net, &crossing((64, 64))).expect("there is space");
    run(&net, &crossing((64, 64))).expect("completes");
    for only in [1, 2] {
        let mut alone = crossing((70, 82));
        alone.actions.remove(only);
        check(&net, &alone).expect("there is space");
        run(&net, &alone).expect("completes");
    }
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn what_has_space_completes(
        delays in prop::collection::vec((0u16..2, 0u16..4, 0u64..3000), 0..4),
        reductions in prop::collection::vec(
            ((0u16..2, 0u16..4), (0u16..2, 1u16..4), (0u16..2, 0u16..4), 1u64..100),
            2..7,
        ),
    ) {
        let net = small_store();
        let mut program = Program::default();
        let mut tiles = BTreeMap::new();
        tiles.extend(delays.iter().map(|(x, y, cycles)| (cluster(*x, *y), *cycles)));
        for (tile, cycles) in tiles {
            program.delay(tile, cycles);
        }
        for ((x, y), (mask_x, mask_y), (root_x, root_y), beats) in reductions {
            let root = cluster(root_x, root_y);
            program.reduce(cube(x, y, mask_x, mask_y), root, beats);
        }
        let schedule = program.schedule();
        let checked = check(&net, &schedule);
        let result = run(&net, &schedule);
        match checked {
            Ok(_) => prop_assert!(result.is_ok(), "{:?}", result.err()),
            Err(refusal) => prop_assert!(matches!(refusal, CheckError::Crowd(_)), "{refusal}"),
        }
    }
}
