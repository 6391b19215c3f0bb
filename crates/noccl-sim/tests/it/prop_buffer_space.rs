// SPDX-License-Identifier: Apache-2.0
//! The checker's account of operand stores and barrier counters against the simulator: what it accepts
//! completes, and what it refuses can deadlock.

use crate::common::hand_written::schedule_of;
use crate::common::{cluster, cube, network, run_alone, stalled};
use noccl_net::{MultiAddress, Network, TileRef, TileSet};
use noccl_run::{Mode, RunConfig, RunError, RunResult};
use noccl_testkit::actions::{barrier, compute, network_sum};
use noccl_testkit::networks::small_store;
use noccl_testkit::schedules::{after, alone};
use noccl_testkit::{assert_says, place};
use noccl_workload::{
    Action, ActionId, ActionKind, BarrierMechanism, CheckError, ElementType, Schedule, check,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Reductions into places of their own, after delays of some members.
#[derive(Debug, Default)]
struct Program {
    actions: Vec<Action>,
    delays: BTreeMap<TileRef, u32>,
}

impl Program {
    fn delay(&mut self, tile: TileRef, cycles: u64) {
        self.delays.insert(tile, self.actions.len() as u32);
        self.actions.push(alone(compute(tile, cycles)));
    }

    fn reduce(&mut self, group: MultiAddress, root: TileRef, beats: u64) -> u32 {
        let id = self.actions.len() as u32;
        let offset = 0x2000 * (1 + u64::from(id) - self.delays.len() as u64);
        let kind = network_sum(group, place(root, offset), beats * 64, ElementType::Fp64);
        let members = group.members().map(TileRef::Cluster);
        let delays: Vec<u32> = members
            .filter_map(|m| self.delays.get(&m).copied())
            .collect();
        self.actions.push(after(kind, &delays));
        id
    }

    fn schedule(self) -> Schedule {
        schedule_of(self.actions)
    }
}

fn run(net: &Network, schedule: &Schedule) -> Result<RunResult, RunError> {
    run_alone(net, schedule, &RunConfig::new(Mode::Timing))
}

/// The checker refuses it by its account of stores.
fn is_crowded(net: &Network, schedule: &Schedule) {
    let refusal = check(net, schedule);
    assert!(
        matches!(refusal, Err(CheckError::Overload(_))),
        "{refusal:?}"
    );
}

/// There is space for it, and it ends.
fn completes(net: &Network, schedule: &Schedule) {
    check(net, schedule).expect("there is space");
    run(net, schedule).expect("completes");
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
    is_crowded(&net, &crowd(4));
    let diagnosis = stalled(run(&net, &crowd(4)));
    assert_says(diagnosis, &["router.wide_reduction.store_beats = 64"]);
    // The store of the preset has space for all of them.
    completes(&network("collective_noc_4x4"), &crowd(4));
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
        let column = TileSet::Cube(cube(0, 0, 0, 3));
        let kind = barrier(column, cluster(0, 3), BarrierMechanism::InNetwork);
        let earlier = before.iter().copied();
        let after = std::iter::once(done).chain(earlier).collect();
        before = vec![ActionId(actions.len() as u32)];
        actions.push(Action { kind, after });
    }
    // One at a time has space.
    completes(&net, &schedule_of(actions));
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
    is_crowded(&net, &two_groups(512));
    stalled(run(&net, &two_groups(512)));
    // Seven of its bursts and the other's one have slots.
    completes(&net, &two_groups(7 * 64));
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
        is_crowded(&net, &crossing(beats));
    }
    stalled(run(&net, &crossing((70, 82))));
    // Of one burst each they have slots, and so has each alone.
    completes(&net, &crossing((64, 64)));
    for only in [1, 2] {
        let mut alone = crossing((70, 82));
        alone.actions.remove(only);
        completes(&net, &alone);
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
            Err(refusal) => prop_assert!(matches!(refusal, CheckError::Overload(_)), "{refusal}"),
        }
    }
}
