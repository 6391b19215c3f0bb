// SPDX-License-Identifier: Apache-2.0
//! Actions stated while a run goes on take the cycles that they take when they are known before: random sequences of actions, which every
//! tile does one after the other, as a schedule and as programs that state an action when the first tile comes to it.

use crate::common::hand_written::schedule_of;
use crate::common::{cluster, cube, network, place_at as place, run_alone};
use noccl_net::{Network, TileId, TileSet};
use noccl_run::{ActionTime, Ended, Mode, OpenRun, Order, RunConfig};
use noccl_sim::open_run;
use noccl_testkit::actions::{barrier, compute, core_sum, message, network_sum, write};
use noccl_testkit::schedules::{after, alone};
use noccl_workload::{
    Action, ActionId, ActionKind, BarrierMechanism, Completion, Destination, ElementType, First,
    Schedule, Transfer, participants,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const SLOT: u64 = 2048;

#[derive(Debug, Clone)]
struct Step {
    kind: u8,
    from: (u16, u16),
    to: (u16, u16),
    bytes: u64,
    cycles: u64,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let tile = || (0u16..4, 0u16..4);
    let bytes = prop_oneof![
        Just(8u64),
        Just(64),
        Just(128),
        (1u64..200).prop_map(|n| n * 8)
    ];
    let step =
        (0u8..8, tile(), tile(), bytes, 0u64..300).prop_map(|(kind, from, to, bytes, cycles)| {
            Step {
                kind,
                from,
                to,
                bytes,
                cycles,
            }
        });
    prop::collection::vec(step, 1..40)
}

fn local(step: &Step) -> ActionKind {
    if step.kind == 0 {
        return compute(cluster(step.from.0, step.from.1), step.cycles);
    }
    let tile = cluster(step.from.0, step.from.1);
    core_sum(tile, &[0, SLOT], 0, step.bytes, ElementType::Int64)
}

/// What cores do.
fn of_cores(step: &Step) -> ActionKind {
    match step.kind {
        0 | 1 => local(step),
        _ => message(place(step.from, 0), place(step.to, SLOT), step.bytes),
    }
}

/// What clusters do.
fn of_clusters(step: &Step) -> ActionKind {
    let initiator = cluster(step.from.0, step.from.1);
    let all = cube(0, 0, 3, 3);
    match step.kind {
        0 | 1 => local(step),
        2 => barrier(TileSet::Cube(all), initiator, BarrierMechanism::InNetwork),
        3 => network_sum(all, place(step.to, SLOT), step.bytes, ElementType::Int64),
        _ => write(initiator, place(step.to, SLOT), step.bytes),
    }
}

/// Each cluster of a path waits for a flag and then sends on to the next. Two flags for one action would differ: a core sees the second one
/// at no cost while it still looks at the first, and a program asks for one after the other.
fn relay(path: &[u16], bytes: u64) -> Vec<ActionKind> {
    let at = |index: u16| (index % 4, index / 4);
    let hops = path.windows(2).map(|pair| {
        let destination = Destination::One(place(at(pair[1]), SLOT));
        let (x, y) = at(pair[0]);
        let transfer = Transfer::row(cluster(x, y), place((x, y), 0), destination, bytes);
        ActionKind::Delivery(transfer)
    });
    hops.collect()
}

/// Each action after all earlier ones of its tiles.
fn in_sequence(net: &Network, kinds: Vec<ActionKind>) -> Schedule {
    let mut earlier: BTreeMap<TileId, Vec<u32>> = BTreeMap::new();
    let mut actions = Vec::new();
    for kind in kinds {
        let number = actions.len() as u32;
        let mut before = BTreeSet::new();
        for tile in participants(net, &kind) {
            let of_tile = earlier.entry(tile).or_default();
            before.extend(of_tile.iter().copied());
            of_tile.push(number);
        }
        let before: Vec<u32> = before.into_iter().collect();
        actions.push(after(kind, &before));
    }
    Schedule {
        first: Some(First::Send),
        ..schedule_of(actions)
    }
}

/// The programs of all tiles: which action of the schedule each does next.
struct Programs<'a> {
    schedule: &'a Schedule,
    lists: BTreeMap<TileId, Vec<usize>>,
    at: BTreeMap<TileId, usize>,
    /// Numbers that the run has given, by number in the schedule, and back.
    stated: BTreeMap<usize, ActionId>,
    origin: BTreeMap<ActionId, usize>,
    over: BTreeSet<(ActionId, TileId)>,
    finish: BTreeMap<usize, u64>,
}

impl<'a> Programs<'a> {
    fn new(net: &Network, schedule: &'a Schedule) -> Self {
        let mut lists: BTreeMap<TileId, Vec<usize>> = BTreeMap::new();
        for (number, action) in schedule.actions.iter().enumerate() {
            for tile in participants(net, &action.kind) {
                lists.entry(tile).or_default().push(number);
            }
        }
        Self {
            schedule,
            at: lists.keys().map(|tile| (*tile, 0)).collect(),
            lists,
            stated: BTreeMap::new(),
            origin: BTreeMap::new(),
            over: BTreeSet::new(),
            finish: BTreeMap::new(),
        }
    }

    /// A tile comes to its next action, which is stated if no other tile has come to it; what has ended meanwhile is left behind.
    fn go_on(&mut self, tile: TileId, run: &mut dyn OpenRun) {
        while let Some(number) = self.lists[&tile].get(self.at[&tile]).copied() {
            let id = self.stated.get(&number).copied().unwrap_or_else(|| {
                let kind = self.schedule.actions[number].kind.clone();
                let id = run.submit(alone(kind), &|_| true, Order::InOrder);
                id.expect("the network does what the schedule does")
            });
            self.stated.insert(number, id);
            self.origin.insert(id, number);
            run.release(id, tile, Order::InOrder);
            if !self.over.contains(&(id, tile)) {
                return;
            }
            *self.at.get_mut(&tile).expect("it has a list") += 1;
        }
    }

    fn ended(&mut self, ended: Ended, run: &mut dyn OpenRun) {
        if !ended.is_over {
            return;
        }
        let number = self.origin[&ended.action];
        let finish = self.finish.entry(number).or_default();
        *finish = ended.cycle.max(*finish);
        self.over.insert((ended.action, ended.tile));
        let list = &self.lists[&ended.tile];
        let at = self.at.get_mut(&ended.tile).expect("it has a list");
        if list.get(*at) == Some(&number) {
            *at += 1;
            self.go_on(ended.tile, run);
        }
    }
}

/// Cycles in which the actions end that programs state.
fn stated_cycles(net: &Network, schedule: &Schedule) -> Vec<u64> {
    let config = RunConfig::new(Mode::Value);
    let mut run = open_run(net, &config).expect("it offers open runs");
    let mut programs = Programs::new(net, schedule);
    let tiles: Vec<TileId> = programs.lists.keys().copied().collect();
    for tile in tiles {
        programs.go_on(tile, &mut *run);
    }
    loop {
        let mut ended = Vec::new();
        run.advance(&mut ended).expect("it goes on");
        if ended.is_empty() {
            break;
        }
        for ended in ended {
            programs.ended(ended, &mut *run);
        }
    }
    programs.finish.into_values().collect()
}

fn known_cycles(net: &Network, schedule: &Schedule) -> Vec<u64> {
    let result = run_alone(net, schedule, &RunConfig::new(Mode::Value));
    let times = result.expect("it goes on").actions;
    let actions = schedule.actions.iter().zip(&times);
    let seen = |(action, time): (&Action, &ActionTime)| time.finish_cycle + poll(net, &action.kind);
    actions.map(seen).collect()
}

/// Cycles until the core of a cluster has seen that an action is over.
fn poll(net: &Network, kind: &ActionKind) -> u64 {
    if net.cores().is_some() || net.spec().name.starts_with("smart") {
        return 0;
    }
    let instructions = &net.spec().axi().unwrap().cluster.instructions;
    u64::from(match kind.completion() {
        Completion::Engine => instructions.dma_wait,
        Completion::Flag => instructions.poll,
        Completion::AtOnce => 0,
    })
}

fn same_cycles(preset: &str, kinds: Vec<ActionKind>) -> Result<(), TestCaseError> {
    let net = network(preset);
    let schedule = in_sequence(&net, kinds);
    prop_assert_eq!(
        stated_cycles(&net, &schedule),
        known_cycles(&net, &schedule)
    );
    Ok(())
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn cores_take_the_cycles_of_the_schedule(steps in steps()) {
        same_cycles("tilepro64_4x4", steps.iter().map(of_cores).collect())?;
    }

    #[test]
    fn clusters_take_the_cycles_of_the_schedule(steps in steps()) {
        same_cycles("collective_noc_4x4", steps.iter().map(of_clusters).collect())?;
    }

    #[test]
    fn flags_are_seen_in_the_cycles_of_the_schedule(
        path in Just((0u16..16).collect::<Vec<_>>()).prop_shuffle(),
        length in 2usize..16,
        bytes in 1u64..400,
    ) {
        // Which of several messages of one cycle goes first over routers with bypass depends on the order in which they are stated, so there only a
        // relay has one result.
        for preset in ["collective_noc_4x4", "smart_8x8"] {
            same_cycles(preset, relay(&path[..length], bytes))?;
        }
    }
}
