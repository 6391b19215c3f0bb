// SPDX-License-Identifier: Apache-2.0
//! The checker's deadlock analysis against the simulator, for schedules of actions that overlap in part: what is accepted
//! completes with the bytes that the reference interpreter leaves, on every kind of router; of what is refused on published
//! routers a share really deadlocks.
//!
//! No two actions write the same byte, and none reads what another one writes, so every order gives the same bytes.
#![allow(clippy::print_stdout)]

use crate::common::hand_written::schedule_of;
use crate::common::interpreted::{beginnings, expected, random_images};
use crate::common::{network, stalling};
use noccl_net::{Coord, MultiAddress, Network, TileRef, TileSet};
use noccl_run::{Mode, RunConfig, RunError, RunResult};
use noccl_testkit::actions::{barrier, chain, compute, copy, list_multicast, network_sum, to_set};
use noccl_testkit::schedules::after;
use noccl_testkit::{Random, cases, is_long, place};
use noccl_workload::{
    Action, ActionKind, BarrierMechanism, CheckError, Destination, ElementType, Schedule,
    check_deadlock, participants,
};

/// Bytes that every cluster has from the start, and that nobody writes.
const INPUT_BYTES: u64 = 0x1000;

/// Schedules per network.
fn seeds() -> u64 {
    cases(300, 1500).into()
}

struct Generator<'n> {
    net: &'n Network,
    random: Random,
    actions: Vec<Action>,
    next_offset: u64,
}

impl Generator<'_> {
    /// Sizes from a beat to some bursts; whole beats.
    fn bytes(&mut self) -> u64 {
        match self.random.below(4) {
            0 => 64,
            1 => 64 * (1 + self.random.below(8)),
            _ => 64 * (1 + self.random.below(64)),
        }
    }

    /// A place that no other action writes to.
    fn output(&mut self, bytes: u64) -> u64 {
        let offset = self.next_offset;
        self.next_offset += bytes.next_multiple_of(64);
        offset
    }

    fn cluster(&mut self) -> TileRef {
        self.random.cluster(self.net)
    }

    fn set(&mut self) -> MultiAddress {
        loop {
            let set = self.random.cube(self.net);
            if self.net.has_cluster(set.max()) {
                return set;
            }
        }
    }

    /// A part of a row, and one of its ends: published units fold two operands.
    fn row(&mut self) -> (MultiAddress, TileRef) {
        let set = self.set();
        let row = MultiAddress::new(set.base, Coord::new(set.mask.x, 0));
        let end = if self.random.below(2) == 0 {
            row.base
        } else {
            row.max()
        };
        (row, TileRef::Cluster(end))
    }

    fn transfer(&mut self, is_multicast: bool) -> ActionKind {
        let bytes = self.bytes();
        let offset = self.output(bytes);
        let initiator = self.cluster();
        let source = if self.random.below(3) == 0 {
            self.cluster()
        } else {
            initiator
        };
        let source = place(source, 0);
        let destination = if is_multicast {
            to_set(self.set(), offset)
        } else {
            let tile = if self.random.below(3) == 0 {
                initiator
            } else {
                self.cluster()
            };
            Destination::One(place(tile, offset))
        };
        copy(initiator, source, destination, bytes)
    }

    fn reduction(&mut self) -> ActionKind {
        let bytes = self.bytes();
        let offset = self.output(bytes);
        let (group, tile) = self.row();
        network_sum(group, place(tile, offset), bytes, ElementType::Int64)
    }

    fn barrier(&mut self) -> ActionKind {
        let mechanism = match self.random.below(3) {
            0 => BarrierMechanism::Software,
            _ => BarrierMechanism::InNetwork,
        };
        barrier(TileSet::Cube(self.set()), self.cluster(), mechanism)
    }

    /// Some clusters, each once.
    fn clusters(&mut self, most: u64) -> Vec<TileRef> {
        let mut clusters = Vec::new();
        for _ in 0..1 + self.random.below(most) {
            let one = self.cluster();
            if !clusters.contains(&one) {
                clusters.push(one);
            }
        }
        clusters
    }

    fn chain(&mut self) -> ActionKind {
        // The published endpoint never sends a burst of one beat.
        let bytes = 64 + 64 * (1 + self.random.below(62));
        let offset = self.output(bytes);
        let initiator = self.cluster();
        let mut destinations = self.clusters(5);
        destinations.retain(|destination| *destination != initiator);
        if destinations.is_empty() {
            return self.transfer(false);
        }
        ActionKind::Chain(chain(initiator, &destinations, offset, bytes))
    }

    fn list(&mut self) -> ActionKind {
        let bytes = self.bytes();
        let offset = self.output(bytes);
        let (source, destinations) = (self.cluster(), self.clusters(5));
        ActionKind::ListMulticast(list_multicast(source, destinations, offset, bytes))
    }

    fn delay(&mut self) -> ActionKind {
        compute(self.cluster(), self.random.below(200))
    }

    fn published(&mut self) -> ActionKind {
        match self.random.below(8) {
            0..3 => self.transfer(false),
            3 | 4 => self.transfer(true),
            5 => self.reduction(),
            6 => self.barrier(),
            _ => self.delay(),
        }
    }

    fn torrent(&mut self) -> ActionKind {
        match self.random.below(6) {
            0..3 => self.chain(),
            3 => self.transfer(false),
            4 => self.barrier(),
            _ => self.delay(),
        }
    }

    /// The action comes after some earlier ones with which it shares a participant.
    fn push(&mut self, kind: ActionKind) {
        let tiles = participants(self.net, &kind);
        let shares = |action: &Action| {
            let others = participants(self.net, &action.kind);
            others.iter().any(|tile| tiles.contains(tile))
        };
        let known: Vec<bool> = self.actions.iter().map(shares).collect();
        let mut others = Vec::new();
        for (index, is_known) in known.into_iter().enumerate() {
            if is_known && self.random.below(2) == 0 {
                others.push(index as u32);
            }
        }
        self.actions.push(after(kind, &others));
    }
}

fn random_schedule(
    net: &Network,
    seed: u64,
    kind: impl Fn(&mut Generator<'_>) -> ActionKind,
) -> Schedule {
    let mut generator = Generator {
        net,
        random: Random(seed),
        actions: Vec::new(),
        next_offset: INPUT_BYTES,
    };
    for _ in 0..2 + seed % 6 {
        let kind = kind(&mut generator);
        generator.push(kind);
    }
    schedule_of(generator.actions)
}

/// What a run ends with, and the bytes that the interpreter leaves.
type Outcome = (RunResult, Option<Vec<Vec<u8>>>);

/// Runs without the check. The bytes that were asked for, and those that the reference interpreter leaves, if the checker
/// accepts the schedule.
fn run(net: &Network, schedule: &Schedule, seed: u64) -> Result<Outcome, RunError> {
    let inputs = random_images(net, INPUT_BYTES);
    let outputs = beginnings(&inputs, 0x1_0000);
    let mut config = RunConfig::new(Mode::Value);
    config.stall_seed = seed;
    let can_stall = net.spec().axi().unwrap().router.esp.is_none()
        && net.spec().axi().unwrap().cluster.torrent.is_none();
    config.stalls = (can_stall && seed % 2 == 1).then_some(stalling(40, 30));
    let result = noccl_sim::run_schedule(net, schedule, &inputs, &outputs, &config, &mut |_| true)?;
    let expected = expected(net, schedule, &inputs, &outputs);
    Ok((result, expected))
}

#[derive(Debug, Default)]
struct Counts {
    accepted: u32,
    refused: u32,
    refused_and_stuck: u32,
}

/// Runs random schedules, those that are refused too.
fn compare(
    preset: &str,
    seeds: u64,
    kind: impl Fn(&mut Generator<'_>) -> ActionKind + Copy,
) -> Counts {
    let net = network(preset);
    let mut counts = Counts::default();
    for seed in 0..seeds {
        let schedule = random_schedule(&net, seed, kind);
        let text = || noccl_workload::to_json(&schedule);
        match check_deadlock(&net, &schedule) {
            Ok(report) => {
                assert!(report.free);
                counts.accepted += 1;
                match run(&net, &schedule, seed) {
                    Ok((result, expected)) => {
                        let found: Vec<_> = result.memory.into_iter().map(|m| m.bytes).collect();
                        let is_right = expected.is_some_and(|expected| expected == found);
                        assert!(is_right, "{preset}, seed {seed}: {}", text());
                    }
                    Err(error) => panic!("{preset}, seed {seed}: {error}\n{}", text()),
                }
            }
            Err(CheckError::Deadlock(deadlock)) => {
                counts.refused += 1;
                assert!(
                    !deadlock.cycle.is_empty(),
                    "{preset}, seed {seed}: {deadlock}"
                );
                let result = run(&net, &schedule, seed);
                counts.refused_and_stuck += u32::from(matches!(result, Err(RunError::Stall(_))));
            }
            Err(other) => panic!("{preset}, seed {seed}: {other}"),
        }
    }
    println!("{preset}: {counts:?}");
    counts
}

#[test]
fn what_is_accepted_on_published_routers_completes_and_some_of_the_refused_deadlocks() {
    let mut stuck = 0;
    for preset in [
        "collective_noc_2x2_published",
        "collective_noc_4x2_published",
        "collective_noc_4x4_published",
    ] {
        let counts = compare(preset, seeds(), |g| g.published());
        assert!(
            counts.accepted > cases(10, 50) && counts.refused > cases(4, 20),
            "{preset}: {counts:?}"
        );
        stuck += counts.refused_and_stuck;
    }
    assert!(stuck > cases(4, 20), "of the refused only {stuck} deadlock");
}

#[test]
fn what_is_accepted_with_torrent_endpoints_completes() {
    for preset in [
        "torrent_3x3",
        "torrent_4x2_parallel",
        "torrent_3x3_published",
    ] {
        let counts = compare(preset, seeds() / 2, |g| g.torrent());
        assert!(counts.accepted > cases(4, 20), "{preset}: {counts:?}");
    }
}

#[test]
fn what_is_accepted_on_lists_of_destinations_completes() {
    let counts = compare("esp_4x5", 2 * seeds(), |g| g.list());
    assert!(counts.accepted > cases(20, 100), "{counts:?}");
    // Few of them are refused.
    assert!(counts.refused > 0 || !is_long(), "{counts:?}");
}
