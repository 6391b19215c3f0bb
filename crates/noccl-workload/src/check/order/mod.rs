// SPDX-License-Identifier: Apache-2.0
//! Happens-before: which event is over before another one begins.
//!
//! A vertex stands for a participant's run of an action. An action that makes its participants wait for
//! each other (barrier, reduction) has a vertex per participant, where it enters, and a hub, where all
//! have entered: nobody leaves before the hub. An all-reduce has a second vertex per participant
//! behind the hub: its own copy is there. Of an arrival only the root waits for the hub; a delivery
//! has a second vertex per participant, after the initiator's: the data is there, whatever the
//! destination has done so far; that of an initiator that is no destination comes behind all the others. A member of a static
//! multicast has a second vertex behind the root's and its own.
//!
//! Where lines are copied, the vertex in front of all ends stands for "all bytes have been read" ([`Order::read`]). What a user
//! may rely on is in `docs/order.md`. Edges are the
//! local `after` relations, and on core tiles the lists that a core works on in order. Vertex numbers
//! ascend along every edge, so reachability is one sweep; questions are collected and decided for
//! many sources at a time, one bit per source.

#[cfg(test)]
mod clocks;
mod lists;
#[cfg(test)]
mod prop_clocks;
mod questions;
pub(crate) mod shortcut;

use crate::check::CheckError;
use crate::check::form::carries_words;
use crate::{Schedule, Waits, participants};
use lists::Lists;
use noccl_net::{Network, TileId, TileRef};

/// A vertex of the order.
pub(crate) type Vertex = u32;

/// Sources per sweep.
pub(crate) const LANES: usize = 256;
type Lanes = [u64; LANES / 64];

/// The order of all events of a schedule.
pub(crate) struct Order {
    /// Predecessors, grouped by vertex.
    preds: Vec<Vertex>,
    /// Where each vertex's group starts; one more entry than vertices.
    starts: Vec<u32>,
    /// Per action.
    actions: Vec<ActionVertices>,
    /// Participants of all actions, grouped by action.
    members: Vec<TileId>,
}

#[derive(Clone, Copy)]
struct ActionVertices {
    /// First of its participants' vertices, in participant order.
    first: Vertex,
    finish: Finish,
    /// Its group in `members`.
    members: (u32, u32),
}

/// Which vertex stands for the end of a participant's share.
#[derive(Clone, Copy)]
enum Finish {
    /// Its own: nobody waits for others.
    Own,
    /// The hub, at which all have entered.
    Hub(Vertex),
    /// The hub for the participant at this position, its own for all others.
    HubOf(usize, Vertex),
    /// One of a second series of vertices, of which this is the first.
    Series(Vertex),
    /// The same for all but the participant at this position, whose end is the last vertex, behind all of the series.
    OthersThen(Vertex, usize, Vertex),
    /// One of a second series of vertices, which begins behind this hub.
    Behind(Vertex),
}

/// Where a participant that others wait for, or that waits, is among them.
///
/// # Errors
/// [`CheckError::Field`] where it does not take part. An order of another participant would prove nothing.
fn position(network: &Network, tiles: &[TileId], tile: TileRef) -> Result<usize, CheckError> {
    let found = network
        .find(tile)
        .and_then(|t| tiles.binary_search(&t).ok());
    found.ok_or_else(|| CheckError::Field {
        field: "participants".to_owned(),
        found: format!("none at {tile}"),
        accepted: "the tile that others wait for is one".to_owned(),
    })
}

impl Order {
    /// Builds the order of a schedule whose actions come after earlier ones only.
    ///
    /// Vertices 0 to the number of tiles - 1 stand for "this tile has not begun anything".
    pub(crate) fn new(network: &Network, schedule: &Schedule) -> Result<Self, CheckError> {
        Self::build(network, schedule, carries_words(network), |waits| waits)
    }

    /// The same, where each participant of a barrier or reduction has an end of its own: the response that reaches it.
    pub(crate) fn with_responses(
        network: &Network,
        schedule: &Schedule,
    ) -> Result<Self, CheckError> {
        let are_in_lists = carries_words(network);
        Self::build(network, schedule, are_in_lists, |waits| match waits {
            Waits::All => Waits::AllThenOwn,
            Waits::Nobody
            | Waits::AllThenOwn
            | Waits::One(_)
            | Waits::ForOne(_)
            | Waits::ForOneAndItForAll(_)
            | Waits::OwnAndOne(_) => waits,
        })
    }

    fn build(
        network: &Network,
        schedule: &Schedule,
        are_in_lists: bool,
        refine: impl Fn(Waits) -> Waits,
    ) -> Result<Self, CheckError> {
        let mut order = Self {
            preds: Vec::new(),
            starts: vec![0; network.num_tiles() + 1],
            actions: Vec::with_capacity(schedule.actions.len()),
            members: Vec::new(),
        };
        let mut edges: Vec<(u32, Vertex)> = Vec::new();
        let mut lists = are_in_lists.then(|| Lists::new(network));
        for (i, action) in schedule.actions.iter().enumerate() {
            let tiles = participants(network, &action.kind);
            edges.clear();
            for (after_idx, before) in action.after.iter().enumerate() {
                if !order.edges_from(before.0 as usize, &tiles, &mut edges) {
                    return Err(unshared(schedule, i, after_idx));
                }
            }
            if let Some(lists) = &mut lists {
                lists.edges(network, &order, (i, &action.kind), &tiles, &mut edges);
            }
            let waits = refine(action.kind.waits());
            order.add(network, &tiles, &mut edges, waits)?;
        }
        Ok(order)
    }

    /// Edges from an earlier action to those of `tiles` that take part in it; false if there are none. The fewer of both are looked up
    /// among the others: thousands of transfers may wait for one barrier of all tiles.
    fn edges_from(&self, before: usize, tiles: &[TileId], edges: &mut Vec<(u32, Vertex)>) -> bool {
        let (known, members) = (edges.len(), self.members(before));
        let mut add = |p: usize, at: usize| edges.push((at as u32, self.finish(before, p)));
        if members.len() < tiles.len() {
            for (p, tile) in members.iter().enumerate() {
                if let Ok(at) = tiles.binary_search(tile) {
                    add(p, at);
                }
            }
        } else {
            for (at, tile) in tiles.iter().enumerate() {
                if let Ok(p) = members.binary_search(tile) {
                    add(p, at);
                }
            }
        }
        edges.len() > known
    }

    fn add(
        &mut self,
        network: &Network,
        tiles: &[TileId],
        edges: &mut Vec<(u32, Vertex)>,
        waits: Waits,
    ) -> Result<(), CheckError> {
        edges.sort_unstable();
        edges.dedup();
        let first = self.num_vertices() as Vertex;
        let mut edges = edges.iter().peekable();
        // Who starts a delivery has begun, even if it has waited for nothing but the ends of others' deliveries.
        let starter = waits.starter().and_then(|tile| network.find(tile));
        for (p, tile) in tiles.iter().enumerate() {
            let before = self.preds.len();
            while let Some((_, from)) = edges.next_if(|(to, _)| *to == p as u32) {
                self.preds.push(*from);
            }
            if self.preds.len() == before || starter == Some(*tile) {
                self.preds.push(tile.0);
            }
            self.starts.push(self.preds.len() as u32);
        }
        let finish = self.add_finish(first, tiles, waits, |tile| position(network, tiles, tile))?;
        let start = self.members.len() as u32;
        self.members.extend_from_slice(tiles);
        self.actions.push(ActionVertices {
            first,
            finish,
            members: (start, self.members.len() as u32),
        });
        Ok(())
    }

    /// Vertices beyond the participants' own.
    fn add_finish(
        &mut self,
        first: Vertex,
        tiles: &[TileId],
        waits: Waits,
        position: impl Fn(TileRef) -> Result<usize, CheckError>,
    ) -> Result<Finish, CheckError> {
        let len = tiles.len() as Vertex;
        let hub = first + len;
        Ok(match waits {
            Waits::Nobody => Finish::Own,
            Waits::All => {
                self.add_vertex(first..hub);
                Finish::Hub(hub)
            }
            Waits::One(tile) => {
                self.add_vertex(first..hub);
                Finish::HubOf(position(tile)?, hub)
            }
            Waits::AllThenOwn => {
                self.add_vertex(first..hub);
                (0..len).for_each(|_| self.add_vertex(hub..hub + 1));
                Finish::Behind(hub)
            }
            Waits::OwnAndOne(tile) => {
                let one = first + position(tile)? as Vertex;
                for own in first..hub {
                    let preds = if own == one { &[own][..] } else { &[one, own] };
                    self.preds.extend(preds);
                    self.starts.push(self.preds.len() as u32);
                }
                Finish::Series(hub)
            }
            Waits::ForOne(tile) => {
                let initiator = first + position(tile)? as Vertex;
                (0..len).for_each(|_| self.add_vertex(initiator..initiator + 1));
                Finish::Series(hub)
            }
            Waits::ForOneAndItForAll(tile) => {
                let position = position(tile)?;
                let initiator = first + position as Vertex;
                let last = hub + len - 1;
                (1..len).for_each(|_| self.add_vertex(initiator..initiator + 1));
                self.preds.push(initiator);
                self.add_vertex(hub..last);
                Finish::OthersThen(hub, position, last)
            }
        })
    }

    fn add_vertex(&mut self, preds: std::ops::Range<Vertex>) {
        self.preds.extend(preds);
        self.starts.push(self.preds.len() as u32);
    }

    /// Vertices so far.
    pub(crate) fn num_vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// Vertices right before one.
    pub(crate) fn preds(&self, vertex: Vertex) -> &[Vertex] {
        let vertex = vertex as usize;
        &self.preds[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// Vertices at which all participants of an action have entered, ascending.
    pub(crate) fn hubs(&self) -> impl Iterator<Item = Vertex> {
        self.actions
            .iter()
            .filter_map(|action| match action.finish {
                Finish::Hub(hub) => Some(hub),
                Finish::Own
                | Finish::HubOf(..)
                | Finish::Series(_)
                | Finish::OthersThen(..)
                | Finish::Behind(_) => None,
            })
    }

    /// Participants of an action, ascending.
    pub(crate) fn members(&self, action: usize) -> &[TileId] {
        let (start, end) = self.actions[action].members;
        &self.members[start as usize..end as usize]
    }

    /// Vertex at which the `position`-th participant starts the action.
    pub(crate) fn enter(&self, action: usize, position: usize) -> Vertex {
        self.actions[action].first + position as Vertex
    }

    /// Vertex after which the `position`-th participant has finished the action.
    pub(crate) fn finish(&self, action: usize, position: usize) -> Vertex {
        let vertices = self.actions[action];
        let own = vertices.first + position as Vertex;
        match vertices.finish {
            Finish::Own => own,
            Finish::Hub(hub) => hub,
            Finish::HubOf(of, hub) => {
                if of == position {
                    hub
                } else {
                    own
                }
            }
            Finish::Series(first) => first + position as Vertex,
            Finish::OthersThen(_, of, last) if of == position => last,
            Finish::OthersThen(first, of, _) => {
                first + position as Vertex - Vertex::from(position > of)
            }
            Finish::Behind(hub) => hub + 1 + position as Vertex,
        }
    }

    /// Vertex after which an action that copies lines has read all their bytes, with the reader at this position.
    ///
    /// Bytes that are at a destination have been read at the source, so it comes before the end of every participant. It needs
    /// no vertex of its own: nothing but these ends follows the vertex in front of them, so whatever comes behind that one comes
    /// behind them too. (A vertex of its own would prove the same for one more word per delivery.)
    pub(crate) fn read(&self, action: usize, reader: usize) -> Vertex {
        match self.actions[action].finish {
            Finish::Behind(hub) => hub,
            Finish::Own
            | Finish::Hub(_)
            | Finish::HubOf(..)
            | Finish::Series(_)
            | Finish::OthersThen(..) => self.enter(action, reader),
        }
    }

    /// Vertex at which all participants of an action have entered, if it keeps somebody until then.
    pub(crate) fn hub(&self, action: usize) -> Option<Vertex> {
        match self.actions[action].finish {
            Finish::Hub(hub) | Finish::Behind(hub) | Finish::HubOf(_, hub) => Some(hub),
            Finish::Own | Finish::Series(_) | Finish::OthersThen(..) => None,
        }
    }

    /// Vertex after which no contribution of a reduction is in flight: where it keeps all together, else the end
    /// of its first participant.
    pub(crate) fn reduced(&self, action: usize) -> Vertex {
        match self.actions[action].finish {
            Finish::Behind(hub) => hub,
            Finish::Own
            | Finish::Hub(_)
            | Finish::HubOf(..)
            | Finish::Series(_)
            | Finish::OthersThen(..) => self.finish(action, 0),
        }
    }

    /// Vertices that come after the entries of all these tiles, because an action keeps all of them
    /// together there.
    pub(crate) fn hubs_of_all(&self, tiles: &[TileId]) -> impl Iterator<Item = Vertex> {
        self.actions
            .iter()
            .enumerate()
            .filter_map(move |(i, action)| {
                let hub = match action.finish {
                    Finish::Hub(hub) | Finish::Behind(hub) => hub,
                    Finish::Own
                    | Finish::HubOf(..)
                    | Finish::Series(_)
                    | Finish::OthersThen(..) => return None,
                };
                let members = self.members(i);
                let is_member = |tile: &TileId| members.binary_search(tile).is_ok();
                (members.len() >= tiles.len() && tiles.iter().all(is_member)).then_some(hub)
            })
    }

    /// Adds a vertex per tile that comes after everything the tile takes part in; returns the first.
    pub(crate) fn add_leaves(&mut self, num_tiles: usize) -> Vertex {
        let first = self.num_vertices() as Vertex;
        let mut finishes: Vec<Vec<Vertex>> =
            (0..num_tiles as Vertex).map(|tile| vec![tile]).collect();
        for action in 0..self.actions.len() {
            for (p, tile) in self.members(action).iter().enumerate() {
                finishes[tile.idx()].push(self.finish(action, p));
            }
        }
        for finish in finishes {
            self.preds.extend(finish);
            self.starts.push(self.preds.len() as u32);
        }
        first
    }
}

fn unshared(schedule: &Schedule, action: usize, after_idx: usize) -> CheckError {
    let before = schedule.actions[action].after[after_idx].0 as usize;
    CheckError::Field {
        field: format!("actions[{action}].after[{after_idx}]"),
        found: before.to_string(),
        accepted: format!(
            "an action that shares a participant with {}; {} shares none, only a barrier or a \
             reduction carries an order between tiles",
            schedule.action_name(action),
            schedule.action_name(before)
        ),
    }
}
