// SPDX-License-Identifier: Apache-2.0
//! A schedule of core tiles as the model sees it: every core's share of each action, and what it waits for.
//!
//! As in the simulator: a core waits for earlier shares of its own alone, and takes messages of one pair of tiles in their order. Tests of
//! `noccl-studies` compare both over random schedules.

use crate::ModelError;
use noccl_net::{Network, TileId};
use noccl_workload::{Schedule, participants};
use std::collections::BTreeMap;

/// A participant's part of an action.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub(super) action: u32,
    pub(super) tile: u32,
    /// Earlier shares of the same core that are not over.
    waits: u32,
}

/// Shares of all cores.
pub(super) struct Program {
    pub(super) shares: Vec<Share>,
    /// First share of each action, and one behind the last.
    first: Vec<u32>,
    /// Shares that wait for a share.
    later: Vec<Vec<u32>>,
    /// Start of the first share and end of the last one, by action.
    pub(super) times: Vec<Option<(u64, u64)>>,
    open: usize,
}

impl Program {
    pub(super) fn new(network: &Network, schedule: &Schedule) -> Result<Self, ModelError> {
        let (mut shares, mut first) = (Vec::new(), vec![0]);
        for (index, action) in schedule.actions.iter().enumerate() {
            let tiles = participants(network, &action.kind);
            if tiles.is_empty() {
                return Err(ModelError::Schedule {
                    action: index,
                    reason: "nobody takes part; accepted: tiles of this network".to_owned(),
                });
            }
            shares.extend(tiles.iter().map(|tile| Share {
                action: index as u32,
                tile: tile.0,
                waits: 0,
            }));
            first.push(shares.len() as u32);
        }
        let mut program = Self {
            later: vec![Vec::new(); shares.len()],
            open: shares.len(),
            shares,
            first,
            times: vec![None; schedule.actions.len()],
        };
        program.link(network, schedule);
        Ok(program)
    }

    /// Finds what waits for what.
    fn link(&mut self, network: &Network, schedule: &Schedule) {
        let mut last: BTreeMap<(TileId, TileId), u32> = BTreeMap::new();
        for (index, action) in schedule.actions.iter().enumerate() {
            for before in &action.after {
                for share in self.of(before.0) {
                    let tile = TileId(self.shares[share as usize].tile);
                    if let Some(waiting) = self.share_at(index as u32, tile) {
                        self.hold(share, waiting);
                    }
                }
            }
            let Some(message) = action.kind.message().filter(|m| !m.is_copy()) else {
                continue;
            };
            let ends = (
                network.find(message.source.tile),
                network.find(message.destination.tile),
            );
            if let (Some(source), Some(target)) = ends
                && let Some(share) = self.share_at(index as u32, target)
                && let Some(before) = last.insert((source, target), share)
            {
                self.hold(before, share);
            }
        }
    }

    fn hold(&mut self, before: u32, share: u32) {
        self.later[before as usize].push(share);
        self.shares[share as usize].waits += 1;
    }

    fn of(&self, action: u32) -> std::ops::Range<u32> {
        self.first[action as usize]..self.first[action as usize + 1]
    }

    /// Number of participants of an action.
    pub(super) fn num_shares(&self, action: u32) -> u32 {
        let range = self.of(action);
        range.end - range.start
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
        let time = &mut self.times[self.shares[share as usize].action as usize];
        time.get_or_insert((now, now));
    }

    /// A share is over; those of its core that may begin now.
    pub(super) fn end(&mut self, share: u32, now: u64) -> Vec<u32> {
        self.begin(share, now);
        if let Some((_, end)) = &mut self.times[self.shares[share as usize].action as usize] {
            *end = now.max(*end);
        }
        self.open -= 1;
        let mut later = std::mem::take(&mut self.later[share as usize]);
        later.retain(|waiting| {
            let waits = &mut self.shares[*waiting as usize].waits;
            *waits -= 1;
            *waits == 0
        });
        later
    }

    pub(super) const fn is_over(&self) -> bool {
        self.open == 0
    }
}
