// SPDX-License-Identifier: Apache-2.0
//! State of a plane of wormhole routers in a checkpoint.
//!
//! Every field is named, so that a new one has to be sorted in: stored, or left out for a reason.

use super::WormholeFlit;
use super::Xy;
use super::configured::Configured;
use super::observe::{Fifos, INPUTS_PER_TILE};
use super::plane::Plane;
use super::plane::WormholePackets;
use super::rule::Rule;
use super::{LOCAL, PORTS};
use crate::checkpoint::{CheckpointError, Reader, Writer};
use noccl_net::Coord;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Read, Write};

/// A rule whose planes can be saved.
pub(crate) trait SavedRule: Rule<Route: Serialize + DeserializeOwned> {
    /// What grants have left behind; nothing where nobody asks for any.
    fn turns(&self) -> &[u8];

    /// Takes the place of a new rule's state, if it is one.
    fn set_turns(&mut self, turns: Vec<u8>) -> bool;

    /// Does a route end on a tile of the network?
    fn is_route(&self, route: &Self::Route) -> bool;
}

impl SavedRule for Configured {
    fn turns(&self) -> &[u8] {
        &[]
    }

    fn set_turns(&mut self, turns: Vec<u8>) -> bool {
        turns.is_empty()
    }

    fn is_route(&self, (): &()) -> bool {
        true
    }
}

impl SavedRule for Xy {
    fn turns(&self) -> &[u8] {
        let Self {
            // They follow from the network.
            coords: _,
            first,
        } = self;
        first
    }

    fn set_turns(&mut self, turns: Vec<u8>) -> bool {
        let is_like = turns.len() == self.first.len();
        self.first = turns;
        is_like && self.first.iter().all(|port| usize::from(*port) < PORTS)
    }

    fn is_route(&self, to: &Coord) -> bool {
        self.coords.contains(to)
    }
}

impl<R: SavedRule> Plane<R> {
    /// Appends the state to a checkpoint.
    pub(crate) fn save<W: Write>(&self, to: &mut Writer<W>) -> Result<(), CheckpointError> {
        let Self {
            rule,
            // They follow from the network.
            params: _,
            existing: _,
            behind: _,
            packets,
            fifos,
            streams,
            heads,
            holders,
            held,
            loads,
            blocked,
            granted_links,
            num_flits,
            // Found anew, and read, in every cycle.
            moves: _,
            delivered: _,
            can_move,
        } = self;
        let WormholePackets { all, unused, ended } = packets;
        to.put(&(rule.turns(), all, unused, ended))?;
        to.put(&(streams, heads, holders, held))?;
        to.put(&(loads, blocked, granted_links, num_flits, can_move))?;
        fifos.save(to)
    }

    /// Takes the place of a new plane's state.
    pub(crate) fn restore<A: Read>(&mut self, from: &mut Reader<A>) -> Result<(), CheckpointError> {
        let (tiles, inputs) = (self.held.len(), self.holders.len());
        let (turns, all, unused, ended) = from.take()?;
        (self.streams, self.heads, self.holders, self.held) = from.take()?;
        (
            self.loads,
            self.blocked,
            self.granted_links,
            self.num_flits,
            self.can_move,
        ) = from.take()?;
        self.packets = WormholePackets { all, unused, ended };
        let is_like = self.rule.set_turns(turns)
            && self.streams.is_for(inputs)
            && self.heads.is_for(inputs)
            && self.held.len() == tiles
            && [self.holders.len(), self.loads.len(), self.blocked.len()] == [inputs; 3];
        if !is_like {
            return Err(CheckpointError::damaged("it is of another number of tiles"));
        }
        self.fifos.restore(from)?;
        self.check()
    }

    /// Are packets and ports those of this network?
    fn check(&self) -> Result<(), CheckpointError> {
        let WormholePackets { all, unused, ended } = &self.packets;
        let is_packet = |id: u32| (id as usize) < all.len();
        let routes = all.iter().all(|packet| self.rule.is_route(&packet.route));
        let numbers = unused.iter().chain(ended).all(|id| is_packet(*id));
        let flits = self.fifos.flits().all(|flit| is_packet(flit.packet().0));
        if !(routes && numbers && flits) {
            return Err(CheckpointError::damaged("it has words of no packet"));
        }
        let existing = self.existing.iter().enumerate().all(|(tile, outputs)| {
            let base = tile * INPUTS_PER_TILE;
            let inputs = &self.fifos.inputs[base..=base + LOCAL];
            inputs.iter().all(|input| input.outputs & !outputs == 0)
        });
        if existing {
            Ok(())
        } else {
            Err(CheckpointError::damaged("it has links of another network"))
        }
    }

    /// What whoever opened packets knows them by, of those that are in use.
    pub(crate) fn tags(&self) -> impl Iterator<Item = u64> {
        let flits = self.fifos.flits();
        flits.map(|flit| self.packets.of(flit.packet()).tag)
    }
}

impl Fifos {
    fn save<W: Write>(&self, to: &mut Writer<W>) -> Result<(), CheckpointError> {
        let Self {
            inputs,
            slots,
            arrivals,
            // They follow from the network.
            shift: _,
            mask: _,
            link_flits: _,
            local_flits: _,
            is_delayed: _,
        } = self;
        let occupied = self.occupied();
        let flits: Vec<WormholeFlit> = occupied.iter().map(|slot| slots[*slot]).collect();
        // Empty where a link takes one cycle.
        let arrivals = occupied.iter().filter_map(|slot| arrivals.get(*slot));
        let arrivals: Vec<u64> = arrivals.copied().collect();
        to.put(&(inputs, flits, arrivals))
    }

    fn restore<A: Read>(&mut self, from: &mut Reader<A>) -> Result<(), CheckpointError> {
        let inputs = self.inputs.len();
        let (flits, arrivals): (Vec<WormholeFlit>, Vec<u64>);
        (self.inputs, flits, arrivals) = from.take()?;
        let (link, local, mask) = (self.link_flits, self.local_flits, self.mask);
        let fits = self.inputs.iter().enumerate().all(|(input, fifo)| {
            let is_local = input % INPUTS_PER_TILE == LOCAL;
            fifo.first <= mask && fifo.len <= if is_local { local } else { link }
        });
        let occupied = if fits { self.occupied() } else { Vec::new() };
        let delayed = if self.is_delayed { occupied.len() } else { 0 };
        if !fits
            || self.inputs.len() != inputs
            || [flits.len(), arrivals.len()] != [occupied.len(), delayed]
        {
            return Err(CheckpointError::damaged("it is of FIFOs of other lengths"));
        }
        for (slot, flit) in occupied.iter().zip(flits) {
            self.slots[*slot] = flit;
        }
        for (slot, arrival) in occupied.iter().zip(arrivals) {
            self.arrivals[*slot] = arrival;
        }
        Ok(())
    }

    /// Slots that hold a flit, by input and from the front on. The others' contents are read by nobody.
    fn occupied(&self) -> Vec<usize> {
        let inputs = self.inputs.iter().enumerate();
        let slots = inputs.flat_map(|(input, fifo)| {
            let slot = move |place: u16| {
                input << self.shift | usize::from((fifo.first + place) & self.mask)
            };
            (0..fifo.len).map(slot)
        });
        slots.collect()
    }

    fn flits(&self) -> impl Iterator<Item = WormholeFlit> {
        let occupied = self.occupied().into_iter();
        occupied.map(|slot| self.slots[slot])
    }
}
