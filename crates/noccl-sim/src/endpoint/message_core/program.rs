// SPDX-License-Identifier: Apache-2.0
//! A schedule as each core sees it: its share of every action, in the order of the file, and what each share waits for.

use noccl_net::{Network, TileId};
use noccl_run::ActionTime;
use noccl_workload::{ActionKind, Schedule, participants};
use std::collections::BTreeMap;

/// A participant's part of an action.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub action: u32,
    pub tile: u32,
    /// Earlier shares of the same core that are not over.
    pub waits: u32,
    pub is_over: bool,
}

/// Shares of all cores.
#[derive(Debug)]
pub(super) struct Program {
    pub shares: Vec<Share>,
    /// First share of each action, and one behind the last.
    first: Vec<u32>,
    /// Shares that wait for a share, those of all shares one after the other.
    later: Vec<u32>,
    first_later: Vec<u32>,
    /// Shares of each action that are not over.
    open: Vec<u32>,
    times: Vec<ActionTime>,
    has_begun: Vec<bool>,
    pub num_over: usize,
}

impl Program {
    pub(super) fn new(network: &Network, schedule: &Schedule) -> Self {
        let mut shares = Vec::new();
        let mut first = vec![0];
        for (index, action) in schedule.actions.iter().enumerate() {
            let tiles = participants(network, &action.kind);
            shares.extend(tiles.iter().map(|tile| Share {
                action: index as u32,
                tile: tile.0,
                waits: 0,
                is_over: false,
            }));
            first.push(shares.len() as u32);
        }
        let actions = schedule.actions.len();
        let open: Vec<u32> = first.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mut program = Self {
            shares,
            first,
            later: Vec::new(),
            first_later: Vec::new(),
            num_over: open.iter().filter(|shares| **shares == 0).count(),
            open,
            times: vec![ActionTime::default(); actions],
            has_begun: vec![false; actions],
        };
        program.link(network, schedule);
        program
    }

    /// Finds what waits for what: a core waits only for what it has a share in itself.
    fn link(&mut self, network: &Network, schedule: &Schedule) {
        let mut pairs = Vec::new();
        for (index, action) in schedule.actions.iter().enumerate() {
            for before in &action.after {
                for share in self.of(before.0) {
                    let tile = TileId(self.shares[share as usize].tile);
                    if let Some(waiting) = self.share_at(index as u32, tile) {
                        pairs.push((share, waiting));
                    }
                }
            }
        }
        pairs.extend(self.receives_in_order(network, schedule));
        pairs.sort_unstable();
        pairs.dedup();
        self.first_later = vec![0; self.shares.len() + 1];
        for (share, waiting) in &pairs {
            self.first_later[*share as usize + 1] += 1;
            self.shares[*waiting as usize].waits += 1;
        }
        for share in 0..self.shares.len() {
            self.first_later[share + 1] += self.first_later[share];
        }
        self.later = pairs.into_iter().map(|(_, waiting)| waiting).collect();
    }

    /// Messages of one pair of tiles are received one after the other: pairs of shares.
    fn receives_in_order(&self, network: &Network, schedule: &Schedule) -> Vec<(u32, u32)> {
        let mut last: BTreeMap<(TileId, TileId), u32> = BTreeMap::new();
        let mut pairs = Vec::new();
        for (index, action) in schedule.actions.iter().enumerate() {
            let ActionKind::Message(message) = &action.kind else {
                continue;
            };
            let source = network.find(message.source.tile);
            let target = network.find(message.destination.tile);
            if let (Some(source), Some(target)) = (source, target)
                && source != target
                && let Some(share) = self.share_at(index as u32, target)
                && let Some(before) = last.insert((source, target), share)
            {
                pairs.push((before, share));
            }
        }
        pairs
    }

    /// Shares of an action, ascending by tile.
    pub(super) fn of(&self, action: u32) -> std::ops::Range<u32> {
        self.first[action as usize]..self.first[action as usize + 1]
    }

    /// A core's share of an action, if it takes part.
    pub(super) fn share_at(&self, action: u32, tile: TileId) -> Option<u32> {
        let range = self.of(action);
        let shares = &self.shares[range.start as usize..range.end as usize];
        let found = shares.binary_search_by_key(&tile.0, |share| share.tile);
        found.ok().map(|at| range.start + at as u32)
    }

    /// May a share begin?
    pub(super) fn is_ready(&self, share: u32) -> bool {
        self.shares[share as usize].waits == 0
    }

    pub(super) fn begin(&mut self, share: u32, now: u64) {
        let action = self.shares[share as usize].action as usize;
        if !self.has_begun[action] {
            self.has_begun[action] = true;
            self.times[action].start_cycle = now;
        }
    }

    /// A share is over; `is_next` gets those of the same core that may begin now.
    pub(super) fn end(&mut self, share: u32, now: u64, mut is_next: impl FnMut(u32)) {
        self.begin(share, now);
        let action = self.shares[share as usize].action as usize;
        self.shares[share as usize].is_over = true;
        self.times[action].finish_cycle = now;
        self.open[action] -= 1;
        self.num_over += usize::from(self.open[action] == 0);
        let later = self.first_later[share as usize] as usize
            ..self.first_later[share as usize + 1] as usize;
        for waiting in &self.later[later] {
            let waits = &mut self.shares[*waiting as usize].waits;
            *waits -= 1;
            if *waits == 0 {
                is_next(*waiting);
            }
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.num_over == self.open.len()
    }

    pub(super) const fn num_actions(&self) -> usize {
        self.open.len()
    }

    pub(super) fn times(&self) -> &[ActionTime] {
        &self.times
    }

    /// Has every share of an action ended?
    pub(super) fn is_action_over(&self, action: u32) -> bool {
        self.open[action as usize] == 0
    }
}
