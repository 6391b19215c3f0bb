// SPDX-License-Identifier: Apache-2.0
//! Actions as each core sees them: its share of every action, in their order, and what each share waits for.
//!
//! Actions are taken in one after the other: all before the first cycle if they are those of a schedule, and while the run goes on
//! if programs state them. A share waits for earlier ones of the same core, and for its release if it is held.

use crate::kernel::waiters::Waiters;
use noccl_net::{Network, TileId};
use noccl_run::{ActionTime, Ended};
use noccl_workload::{Action, ActionId, ActionKind, participants};
use std::collections::BTreeMap;

/// A participant's part of an action.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub action: u32,
    pub tile: u32,
    /// Earlier shares of the same core that are not over, and one if it is held.
    pub waits: u32,
    pub is_over: bool,
}

/// Shares of all cores.
#[derive(Debug)]
pub(super) struct Program {
    pub shares: Vec<Share>,
    /// First share of each action, and one behind the last.
    first: Vec<u32>,
    waiters: Waiters,
    /// Last message of each pair of tiles, if messages of a pair are received one after the other.
    last_of_pair: Option<BTreeMap<(TileId, TileId), u32>>,
    /// Shares of each action that are not over.
    open: Vec<u32>,
    times: Vec<ActionTime>,
    has_begun: Vec<bool>,
    pub num_over: usize,
    /// Shares that have ended and are watched; `None` if nobody watches.
    ended: Option<Vec<Ended>>,
}

impl Program {
    /// No actions yet. Those of a schedule are received in its order by each pair of tiles; what programs state is received in the
    /// order in which it is released, and its ends are watched.
    pub(super) fn new(is_open: bool) -> Self {
        Self {
            shares: Vec::new(),
            first: vec![0],
            waiters: Waiters::default(),
            last_of_pair: (!is_open).then(BTreeMap::new),
            open: Vec::new(),
            times: Vec::new(),
            has_begun: Vec::new(),
            num_over: 0,
            ended: is_open.then(Vec::new),
        }
    }

    /// Takes in the next action; its shares stand behind all others.
    pub(super) fn push(
        &mut self,
        network: &Network,
        action: &Action,
        is_held: &dyn Fn(TileId) -> bool,
    ) {
        let number = self.open.len() as u32;
        let tiles = participants(network, &action.kind);
        self.shares.extend(tiles.iter().map(|tile| Share {
            action: number,
            tile: tile.0,
            waits: u32::from(is_held(*tile)),
            is_over: false,
        }));
        self.waiters.grow_to(self.shares.len());
        self.first.push(self.shares.len() as u32);
        self.open.push(tiles.len() as u32);
        self.num_over += usize::from(tiles.is_empty());
        self.times.push(ActionTime::default());
        self.has_begun.push(false);
        let mut pairs = self.waits_of(number, action);
        pairs.extend(self.receive_before(network, number, action));
        pairs.sort_unstable();
        pairs.dedup();
        for (before, waiting) in pairs {
            self.link(before, waiting);
        }
    }

    /// What waits for what: a core waits only for what it has a share in itself.
    fn waits_of(&self, number: u32, action: &Action) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for before in action.after.iter().filter(|before| before.0 < number) {
            for share in self.of(before.0) {
                let tile = TileId(self.shares[share as usize].tile);
                if let Some(waiting) = self.share_at(number, tile) {
                    pairs.push((share, waiting));
                }
            }
        }
        pairs
    }

    /// The message that the same pair of tiles receives before: a pair of shares.
    fn receive_before(
        &mut self,
        network: &Network,
        number: u32,
        action: &Action,
    ) -> Option<(u32, u32)> {
        let ActionKind::Message(message) = &action.kind else {
            return None;
        };
        let source = network.find(message.source.tile)?;
        let target = network.find(message.destination.tile)?;
        let share = self.share_at(number, target).filter(|_| source != target)?;
        let before = self.last_of_pair.as_mut()?.insert((source, target), share);
        before.map(|before| (before, share))
    }

    fn link(&mut self, before: u32, waiting: u32) {
        if !self.shares[before as usize].is_over {
            self.waiters.add(before, waiting);
            self.shares[waiting as usize].waits += 1;
        }
    }

    /// A share is held no longer; may it begin?
    pub(super) fn release(&mut self, share: u32) -> bool {
        let waits = &mut self.shares[share as usize].waits;
        *waits -= 1;
        *waits == 0
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
        let Share { action, tile, .. } = self.shares[share as usize];
        self.shares[share as usize].is_over = true;
        let number = action as usize;
        self.times[number].finish_cycle = now;
        self.open[number] -= 1;
        self.num_over += usize::from(self.open[number] == 0);
        if let Some(ended) = &mut self.ended {
            ended.push(Ended {
                action: ActionId(action),
                tile: TileId(tile),
                cycle: now,
                is_over: true,
            });
        }
        let mut at = self.waiters.of(share);
        while let Some((waiting, next)) = self.waiters.next(at) {
            at = next;
            let waits = &mut self.shares[waiting as usize].waits;
            *waits -= 1;
            if *waits == 0 {
                is_next(waiting);
            }
        }
    }

    /// The first words of a message have come in a cycle; told if its receiver has not asked for it.
    pub(super) fn comes(&mut self, share: u32, now: u64) {
        let Share {
            action,
            tile,
            waits,
            ..
        } = self.shares[share as usize];
        if let Some(ended) = self.ended.as_mut().filter(|_| waits > 0) {
            ended.push(Ended {
                action: ActionId(action),
                tile: TileId(tile),
                cycle: now,
                is_over: false,
            });
        }
    }

    /// Shares that have ended since the last call, if somebody watches.
    pub(super) fn take_ended(&mut self, to: &mut Vec<Ended>) {
        if let Some(ended) = &mut self.ended {
            to.append(ended);
        }
    }

    /// Does somebody watch the ends of shares?
    pub(super) const fn is_watched(&self) -> bool {
        self.ended.is_some()
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
