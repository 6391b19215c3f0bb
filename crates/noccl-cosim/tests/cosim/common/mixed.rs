// SPDX-License-Identifier: Apache-2.0
//! Random schedules for DMA engines: reductions between writes, multicasts and barriers.

use super::engines::{Engines, L1_BYTES, multicast, push, sum};
use super::{HARD, enough, first, network, stalled};
use noccl_net::{Coord, MultiAddress, Network, TileId, TileRef, TileSet};
use noccl_run::mix;
use noccl_testkit::actions::barrier;
use noccl_testkit::schedules::schedule;
use noccl_testkit::{is_long, place};
use noccl_workload::{ActionKind, BarrierMechanism, Schedule};
use std::ops::Range;

/// Transfers that an engine works on at a time: an action waits for the one so many before it at each of its tiles.
const MOST_AT_ONCE: usize = 4;
/// Where transfers write: what they read is never written.
const RESULTS: u64 = 0x8000;

/// What a random schedule is made of.
#[derive(Debug, Clone, Copy)]
pub struct Mix {
    pub actions: usize,
    /// Of every transfer; registers that change from one to the next cost the hardware a cycle each.
    pub bytes: u64,
    pub seed: u64,
}

struct Coins(u64);

impl Coins {
    fn below(&mut self, end: u16) -> u16 {
        self.0 += 1;
        (mix(self.0) % u64::from(end)) as u16
    }

    fn cluster(&mut self, network: &Network) -> Coord {
        Coord::new(
            self.below(network.cluster_width()),
            self.below(network.cluster_height()),
        )
    }

    /// At least two clusters.
    fn set(&mut self, network: &Network) -> MultiAddress {
        let at = self.cluster(network);
        let mut mask = self.cluster(network);
        if mask == Coord::new(0, 0) {
            mask = Coord::new(network.cluster_width() - 1, network.cluster_height() - 1);
        }
        MultiAddress::new(Coord::new(at.x & !mask.x, at.y & !mask.y), mask)
    }
}

impl Mix {
    /// The schedule.
    pub fn schedule(self, network: &Network) -> Schedule {
        let mut coins = Coins(self.seed << 32);
        // Actions of each cluster so far.
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); network.num_tiles()];
        let mut actions = Vec::new();
        for i in 0..self.actions {
            let offset = RESULTS + i as u64 * self.bytes.next_multiple_of(64);
            let (kind, tiles) = self.action(offset, &mut coins, network);
            let mut after = Vec::new();
            for tile in tiles {
                let own = &mut before[tile.0 as usize];
                after.extend(own.len().checked_sub(MOST_AT_ONCE).map(|at| own[at]));
                after.extend(own.last().filter(|_| coins.below(4) == 0));
                own.push(i as u32);
            }
            after.sort_unstable();
            after.dedup();
            actions.push((kind, after));
        }
        schedule(actions)
    }

    /// An action and the clusters that take part.
    fn action(
        self,
        offset: u64,
        coins: &mut Coins,
        network: &Network,
    ) -> (ActionKind, Vec<TileId>) {
        let tile = |at| network.find(TileRef::Cluster(at)).unwrap();
        let (from, to) = (
            coins.cluster(network),
            TileRef::Cluster(coins.cluster(network)),
        );
        let set = coins.set(network);
        let members: Vec<TileId> = set.members().map(tile).collect();
        match coins.below(8) {
            0..4 => {
                let reduction = sum(set, place(to, offset), self.bytes);
                (ActionKind::InNetworkReduction(reduction), members)
            }
            4..=5 if to != TileRef::Cluster(from) => {
                let transfer = push(TileRef::Cluster(from), to, (0, offset), self.bytes);
                (ActionKind::Transfer(transfer), vec![tile(from)])
            }
            7 => {
                let counter = TileRef::Cluster(set.base);
                let mechanism = BarrierMechanism::InNetwork;
                (barrier(TileSet::Cube(set), counter, mechanism), members)
            }
            _ => {
                let transfer = multicast(TileRef::Cluster(from), set, offset, self.bytes);
                (ActionKind::Transfer(transfer), vec![tile(from)])
            }
        }
    }
}

impl Engines {
    /// Random schedules of up to so many actions match the simulator without and with back-pressure, seed by seed.
    pub fn agree_on_mixes(self, seeds: Range<u64>, most_actions: usize) {
        let most_bytes = (L1_BYTES - RESULTS) / most_actions as u64;
        let network = network(self.preset);
        let mut handshakes = 0;
        for seed in first(seeds) {
            let bytes = [64, 640, most_bytes][(seed % 3) as usize];
            // The shortest schedule that differs says most.
            let sizes = (1..).map(|i| 1 << i).take_while(|n| *n <= most_actions);
            let is_one_of_these = |n: &usize| is_long() || *n == most_actions;
            for actions in sizes.filter(is_one_of_these) {
                let mix = Mix {
                    actions,
                    bytes,
                    seed,
                };
                let schedule = mix.schedule(&network);
                for stalls in [None, Some(HARD)] {
                    let run = self.follow(&schedule, &stalled(stalls, seed), |_| ());
                    handshakes +=
                        run.unwrap_or_else(|error| panic!("{mix:?}, {stalls:?}: {error}"));
                }
            }
        }
        assert!(
            handshakes > enough(20_000),
            "{handshakes} handshakes are too few"
        );
    }
}
