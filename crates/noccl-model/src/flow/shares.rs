// SPDX-License-Identifier: Apache-2.0
//! A schedule as its participants see it: one share per action and participant, which waits for earlier shares of the
//! same tile.

use noccl_net::{Network, TileId};
use noccl_workload::{Agent, Notice, Schedule, participants};

/// No share.
const NOBODY: u32 = u32::MAX;

/// One participant's share of one action.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub(super) action: u32,
    pub(super) tile: TileId,
    /// Shares that must be over first.
    pub(super) open: u32,
    pub(super) begin: f64,
    pub(super) end: f64,
    pub(super) is_over: bool,
}

/// All shares, in the order of the actions.
#[derive(Debug)]
pub(super) struct Shares {
    pub(super) all: Vec<Share>,
    /// Shares of action a are `first[a]..first[a + 1]`, ascending by tile.
    first: Vec<u32>,
    /// Shares that wait for another one: place of the first link of each list, links as (share, next link).
    heads: Vec<u32>,
    links: Vec<(u32, u32)>,
    /// Shares that each agent works on, in order; agents as [`agent`] numbers them.
    pub(super) queues: Vec<Vec<u32>>,
    /// Per action.
    pub(super) notices: Vec<Notice>,
}

/// Number of an agent: two per tile.
pub(super) const fn agent(tile: TileId, agent: Agent) -> u32 {
    tile.0 * 2 + matches!(agent, Agent::Compute) as u32
}

impl Shares {
    pub(super) fn new(network: &Network, schedule: &Schedule) -> Self {
        let mut shares = Self {
            all: Vec::with_capacity(schedule.actions.len() * 2),
            first: vec![0],
            heads: Vec::new(),
            links: Vec::new(),
            queues: vec![Vec::new(); network.num_tiles() * 2],
            notices: Vec::with_capacity(schedule.actions.len()),
        };
        for (number, action) in schedule.actions.iter().enumerate() {
            for tile in participants(network, &action.kind) {
                let id = shares.all.len() as u32;
                if let Some(runs) = action.kind.agent_at(network, tile) {
                    shares.queues[agent(tile, runs) as usize].push(id);
                }
                shares.all.push(Share {
                    action: number as u32,
                    tile,
                    open: 0,
                    begin: 0.0,
                    end: 0.0,
                    is_over: false,
                });
            }
            shares.first.push(shares.all.len() as u32);
            shares.notices.push(action.kind.notice());
        }
        shares.heads = vec![NOBODY; shares.all.len()];
        shares.link(network, schedule);
        shares
    }

    /// Who waits for whom. Who only notices an end waits for nothing.
    fn link(&mut self, network: &Network, schedule: &Schedule) {
        let mut own = vec![NOBODY; network.num_tiles()];
        for (number, action) in schedule.actions.iter().enumerate() {
            for id in self.of(number as u32) {
                let tile = self.all[id as usize].tile;
                if action.kind.agent_at(network, tile).is_some() {
                    own[tile.idx()] = id;
                }
            }
            for before in &action.after {
                self.link_to(before.0, number as u32, &own);
            }
            for id in self.of(number as u32) {
                own[self.all[id as usize].tile.idx()] = NOBODY;
            }
        }
    }

    /// The shorter of both lists of shares is walked.
    fn link_to(&mut self, before: u32, action: u32, own: &[u32]) {
        // The checker refuses an action that waits for a later one.
        if before >= action {
            return;
        }
        let (earlier, shares) = (self.of(before), self.of(action));
        if earlier.len() <= shares.len() {
            for id in earlier {
                self.wait(id, own[self.all[id as usize].tile.idx()]);
            }
        } else {
            for share in shares {
                let tile = self.all[share as usize].tile;
                if let Some(id) = self.at(before, tile) {
                    self.wait(id, own[tile.idx()]);
                }
            }
        }
    }

    fn wait(&mut self, before: u32, waiting: u32) {
        if waiting != NOBODY {
            let next = self.heads[before as usize];
            self.heads[before as usize] = self.links.len() as u32;
            self.links.push((waiting, next));
            self.all[waiting as usize].open += 1;
        }
    }

    /// Shares of an action.
    pub(super) fn of(&self, action: u32) -> std::ops::Range<u32> {
        self.first[action as usize]..self.first[action as usize + 1]
    }

    /// The share of an action at a tile.
    pub(super) fn at(&self, action: u32, tile: TileId) -> Option<u32> {
        let range = self.of(action);
        let shares = &self.all[range.start as usize..range.end as usize];
        let found = shares
            .binary_search_by_key(&tile, |share| share.tile)
            .ok()?;
        Some(range.start + found as u32)
    }

    /// A share is over; does anybody wait for it?
    pub(super) fn release(&mut self, id: u32) -> bool {
        let mut at = self.heads[id as usize];
        let has_waiters = at != NOBODY;
        while let Some((waiting, next)) = self.links.get(at as usize).copied() {
            self.all[waiting as usize].open -= 1;
            at = next;
        }
        has_waiters
    }
}
