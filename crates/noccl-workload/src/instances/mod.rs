// SPDX-License-Identifier: Apache-2.0
//! Actions as their participants see them: an instance per action and participant, which waits for earlier instances of
//! the same tile.
//!
//! A participant knows only what it takes part in, so a dependency on an action binds the tiles that both actions share.
//! Every engine and every model that carries actions out one by one asks here what may begin. How an instance is carried
//! out, and by whom, is theirs. Not here: the estimator of `noccl_model::predict`, which orders whole actions, and ESP's
//! routers, whose tiles do their actions strictly one after the other.

mod numbered;
mod waiters;

pub use numbered::Numbered;

use crate::Action;
use noccl_net::TileId;
use std::ops::Range;
use waiters::{Edges, List};

/// No instance.
const NONE: u32 = u32::MAX;

/// A participant's part of an action.
#[derive(Debug, Clone)]
pub struct Instance<T> {
    /// The action.
    pub action: u32,
    /// The participant.
    pub tile: TileId,
    /// Instances that must be over first, and holds that are not released.
    pub open: u32,
    /// Has it ended?
    pub is_over: bool,
    /// What the engine knows of it.
    pub data: T,
    /// Instances that wait for it.
    waiters: List,
}

/// Instances of an action: consecutive numbers.
#[derive(Debug, Clone, Copy)]
struct Span {
    first: u32,
    len: u32,
    /// Instances that are not over, and those that are not closed.
    open: u32,
    unclosed: u32,
}

/// Instances by number, in the order of the actions and ascending by tile, and what waits for what.
#[derive(Debug, Clone)]
pub struct Instances<T> {
    /// Instances that are not forgotten.
    pub all: Numbered<Instance<T>>,
    actions: Numbered<Span>,
    edges: Edges,
    /// By tile: the instance of the action that is being linked.
    at_tile: Vec<u32>,
    num_over: usize,
    num_actions_over: usize,
}

impl<T> Instances<T> {
    /// None yet, on a network of so many tiles.
    #[must_use]
    pub fn new(num_tiles: usize) -> Self {
        Self {
            all: Numbered::default(),
            actions: Numbered::default(),
            edges: Edges::default(),
            at_tile: vec![NONE; num_tiles],
            num_over: 0,
            num_actions_over: 0,
        }
    }

    /// Actions that have been added so far.
    #[must_use]
    pub fn num_actions(&self) -> u32 {
        self.actions.next_number()
    }

    /// Instances that have been added so far.
    #[must_use]
    pub fn num_instances(&self) -> u32 {
        self.all.next_number()
    }

    /// Instances that are over.
    #[must_use]
    pub const fn num_over(&self) -> usize {
        self.num_over
    }

    /// Actions of which every instance is over.
    #[must_use]
    pub const fn num_actions_over(&self) -> usize {
        self.num_actions_over
    }

    /// Is every instance over?
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.num_over == self.all.next_number() as usize
    }

    /// Adds the next action with its participants, ascending by tile; the action's number.
    pub fn push(&mut self, tiles: &[TileId], mut data: impl FnMut() -> T) -> u32 {
        let action = self.actions.next_number();
        let len = tiles.len() as u32;
        self.num_actions_over += usize::from(tiles.is_empty());
        self.actions.push(Span {
            first: self.all.next_number(),
            len,
            open: len,
            unclosed: len,
        });
        for tile in tiles {
            self.all.push(Instance {
                action,
                tile: *tile,
                open: 0,
                is_over: false,
                data: data(),
                waiters: List::EMPTY,
            });
        }
        action
    }

    /// Instances of an action wait for those of the actions that it names and that have been added; not those of tiles
    /// that only see the action's end, for which `does_work` is false.
    pub fn link(&mut self, number: u32, action: &Action, does_work: impl Fn(TileId) -> bool) {
        for id in self.of(number) {
            let tile = self.all[id].tile;
            if does_work(tile) {
                self.at_tile[tile.idx()] = id;
            }
        }
        for before in &action.after {
            self.link_to(before.0, number);
        }
        for id in self.of(number) {
            self.at_tile[self.all[id].tile.idx()] = NONE;
        }
    }

    /// The shorter of the lists of both actions is walked.
    fn link_to(&mut self, before: u32, number: u32) {
        let (earlier, later) = (self.of(before), self.of(number));
        if earlier.len() <= later.len() {
            for id in earlier {
                let waiting = self.at_tile[self.all[id].tile.idx()];
                if waiting != NONE {
                    self.wait(id, waiting);
                }
            }
        } else {
            for id in later {
                let tile = self.all[id].tile;
                let waiting = self.at_tile[tile.idx()];
                if waiting != NONE
                    && let Some(before) = self.at(before, tile)
                {
                    self.wait(before, waiting);
                }
            }
        }
    }

    /// An instance waits for another one, unless that is over.
    pub fn wait(&mut self, before: u32, waiting: u32) {
        let earlier = &mut self.all[before];
        if !earlier.is_over {
            self.edges.add(&mut earlier.waiters, waiting);
            self.all[waiting].open += 1;
        }
    }

    /// An instance does not begin before it is released.
    pub fn hold(&mut self, id: u32) {
        self.all[id].open += 1;
    }

    /// A hold is released; may the instance begin?
    pub fn release(&mut self, id: u32) -> bool {
        let open = &mut self.all[id].open;
        *open -= 1;
        *open == 0
    }

    /// May an instance begin? A forgotten one has ended.
    #[must_use]
    pub fn is_ready(&self, id: u32) -> bool {
        self.all.get(id).is_some_and(|instance| instance.open == 0)
    }

    /// Does one instance wait for another one that is not over?
    #[must_use]
    pub fn waits_for(&self, waiting: u32, before: u32) -> bool {
        let list = self.all[before].waiters;
        self.edges.members(list).any(|member| member == waiting)
    }

    /// Instances of an action, ascending by tile; none if it is forgotten or has not been added.
    #[must_use]
    pub fn of(&self, action: u32) -> Range<u32> {
        let span = self.actions.get(action);
        // 0: an empty range, as said above.
        span.map_or(0..0, |span| span.first..span.first + span.len)
    }

    /// The instance of an action at a tile.
    #[must_use]
    pub fn at(&self, action: u32, tile: TileId) -> Option<u32> {
        let Range { mut start, mut end } = self.of(action);
        while start < end {
            let middle = start + (end - start) / 2;
            let found = self.all.get(middle)?.tile;
            if found == tile {
                return Some(middle);
            }
            if found < tile {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        None
    }

    /// Is every instance of an action over? A forgotten action is.
    #[must_use]
    pub fn is_action_over(&self, action: u32) -> bool {
        self.actions.get(action).is_none_or(|span| span.open == 0)
    }

    /// An instance is over; `on_waiter` gets each that waited for it, and whether it may begin now.
    pub fn end(&mut self, id: u32, mut on_waiter: impl FnMut(u32, bool)) {
        self.mark_over(id);
        let mut waiters = std::mem::replace(&mut self.all[id].waiters, List::EMPTY);
        while let Some(waiting) = self.edges.take_first(&mut waiters) {
            let is_ready = self.release(waiting);
            on_waiter(waiting, is_ready);
        }
    }

    fn mark_over(&mut self, id: u32) {
        let instance = &mut self.all[id];
        instance.is_over = true;
        let span = &mut self.actions[instance.action];
        span.open -= 1;
        self.num_over += 1;
        self.num_actions_over += usize::from(span.open == 0);
    }

    /// The engine will not ask for an instance any more that is over. Returns whether that holds for all of its action,
    /// which may be forgotten then.
    pub fn close(&mut self, id: u32) -> bool {
        let span = &mut self.actions[self.all[id].action];
        span.unclosed -= 1;
        span.unclosed == 0
    }

    /// Forgets an action whose instances are over.
    pub fn forget(&mut self, action: u32) {
        if let Some(span) = self.actions.forget(action) {
            for id in span.first..span.first + span.len {
                self.all.forget(id);
            }
        }
    }

    /// An instance is as it was in another process that runs the same schedule.
    pub fn restore(&mut self, id: u32, open: u32, is_over: bool, data: T) {
        let instance = &mut self.all[id];
        instance.open = open;
        instance.data = data;
        if is_over && !instance.is_over {
            self.mark_over(id);
        }
    }
}
