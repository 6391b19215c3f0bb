// SPDX-License-Identifier: Apache-2.0
//! Multicasts over the static network (S4 §2): every member writes its route, the root writes words, the others read them.
//!
//! A member's route depends on nothing but where it lies as seen from the root: in its column, or to the East or West of that.
//! So words of the next root that come early wait at an input that is not selected, or want the outputs that are selected. A
//! member may write its next route when it has read the last word: with an atomic fork all routers behind it have that word
//! too. The root may when its last word has left its own FIFO.
//!
//! That is true of the next root, not of the one after it: a stream that fits into the FIFOs before a member that has not begun
//! it lets all others go on, and words of the root after it may come to the input that is still selected. So a root pads
//! streams: one that has ended anywhere is longer than what the FIFOs to any member hold, and every member has begun it.

use super::core::{Doing, Next};
use super::open::WORD_BYTES;
use super::{Cores, Planes};
use crate::kernel::random::mix;
use crate::router::wormhole::PORTS;
use noccl_net::{Coord, Network, Port, TileId};
use noccl_spec::{DrainRule, StaticNetwork};
use noccl_workload::{Rectangle, StaticMulticast};

/// A multicast in progress.
#[derive(Debug)]
pub(super) struct MessageStream {
    root: TileId,
    /// First byte read, and first byte written.
    from: u64,
    to: u64,
    bytes: u64,
    words: u32,
    set: Rectangle,
    /// Does nothing travel?
    is_local: bool,
    /// What is sent (value mode).
    payload: Vec<u8>,
}

/// A word between router and core.
#[derive(Debug, Clone, Copy)]
pub(super) struct StaticWord {
    pub action: u32,
    pub index: u32,
}

impl MessageStream {
    pub(super) fn new(
        network: &Network,
        sent: &StaticMulticast,
        routers: &StaticNetwork,
    ) -> Option<Self> {
        let root = network.find(sent.source.tile)?;
        let words = sent.bytes.div_ceil(WORD_BYTES) as u32;
        let least = routers
            .pads_streams
            .then(|| least_words(network.coord(root), sent.set, routers));
        Some(Self {
            root,
            // 0: without padding streams have no least length.
            words: words.max(least.unwrap_or(0)),
            from: sent.source.offset,
            to: sent.offset,
            bytes: sent.bytes,
            set: sent.set,
            is_local: sent.is_local(),
            payload: Vec::new(),
        })
    }

    pub(super) const fn root(&self) -> TileId {
        self.root
    }

    /// Words that travel, those that the root adds with them.
    const fn words(&self) -> u32 {
        self.words
    }

    const fn is_local(&self) -> bool {
        self.is_local
    }

    /// Outputs by input at a member: from the root over its column, and from there over the rows, and to the core of every other
    /// member (S4 §2, Broadcast).
    fn route(&self, network: &Network, at: Coord) -> [u8; PORTS] {
        let root = network.coord(self.root);
        let next = |port: Port| match port {
            Port::North => at.y + 1 < self.set.y + self.set.height,
            Port::East => at.x + 1 < self.set.x + self.set.width,
            Port::South => at.y > self.set.y,
            Port::West => at.x > self.set.x,
            Port::Local => true,
        };
        let bit = |port: Port| if next(port) { port.bit() } else { 0 };
        let row = bit(Port::East) | bit(Port::West);
        let (input, outputs) = if at == root {
            (Port::Local, row | bit(Port::North) | bit(Port::South))
        } else if at.x == root.x {
            let input = if at.y > root.y {
                Port::South
            } else {
                Port::North
            };
            (input, row | bit(input.opposite()) | Port::Local.bit())
        } else {
            let input = if at.x > root.x {
                Port::West
            } else {
                Port::East
            };
            (input, bit(input.opposite()) | Port::Local.bit())
        };
        let mut route = [0; PORTS];
        route[input.idx()] = outputs;
        route
    }
}

/// Words of the shortest stream that cannot stand in the FIFOs on the path to its farthest member.
fn least_words(root: Coord, set: Rectangle, routers: &StaticNetwork) -> u32 {
    let along = |at: u16, first: u16, count: u16| {
        let last = first + count.saturating_sub(1);
        u32::from(at.abs_diff(first).max(at.abs_diff(last)))
    };
    let hops = along(root.x, set.x, set.width) + along(root.y, set.y, set.height);
    routers.input_fifo_flits * hops + 1
}

impl Cores<'_> {
    fn stream(&self, share: u32) -> (u32, Option<&MessageStream>) {
        let action = self.program.instances.all[share].action;
        (action, self.streams.get(action))
    }

    /// A member begins: it writes its route, whatever the one before was.
    pub(super) fn begin_route(&mut self, tile: usize, share: u32, now: u64) -> Next {
        let (_, stream) = self.stream(share);
        if stream.is_none_or(MessageStream::is_local) {
            self.cores[tile].doing = Doing::Local { share };
            return Next::At(now);
        }
        self.cores[tile].doing = Doing::Route { share };
        Next::At(now + u64::from(self.spec.route_cycles))
    }

    /// The route is written: the root goes on to write, the others to read.
    pub(super) fn end_route(
        &mut self,
        tile: usize,
        share: u32,
        now: u64,
        planes: &mut Planes,
    ) -> Next {
        let at = TileId(tile as u32);
        let (action, stream) = self.stream(share);
        let Some(stream) = stream else {
            return Next::Asleep;
        };
        let outputs = stream.route(self.network, self.network.coord(at));
        let (is_root, words, tails) = (stream.root == at, stream.words(), stream.set.len() - 1);
        let (from, bytes) = (stream.from, stream.bytes);
        planes.fixed.configure(now, at, outputs);
        self.route_writes += 1;
        if !is_root {
            self.cores[tile].doing = Doing::Read { share, words: 0 };
            return Next::At(now);
        }
        let packet = planes.fixed.open((), words, tails as u32, action.into());
        if self.is_value {
            let mut payload = vec![0; bytes as usize];
            self.memories.read(tile as u32, from, &mut payload);
            if let Some(stream) = self.streams.get_mut(action) {
                stream.payload = payload;
            }
        }
        self.cores[tile].doing = Doing::Write {
            share,
            words: 0,
            packet,
        };
        Next::At(now)
    }

    /// The root writes the next word; `None` when its router has the last one.
    pub(super) fn stream_on(&mut self, tile: usize, now: u64, planes: &mut Planes) -> Option<Next> {
        let Doing::Write {
            share,
            words,
            packet,
        } = self.cores[tile].doing
        else {
            return None;
        };
        let at = TileId(tile as u32);
        let (_, stream) = self.stream(share);
        let is_written = words == stream?.words();
        if is_written && planes.fixed.is_drained(at) {
            self.end_share(share, now);
            self.cores[tile].doing = Doing::Nothing;
            return None;
        }
        if is_written || !planes.fixed.has_space(at) {
            if self.respond(tile) {
                return Some(Next::At(now));
            }
            return Some(self.stand_still(tile, now));
        }
        planes.fixed.push(now, at, packet, words);
        self.cores[tile].blocked_since = None;
        self.cores[tile].doing = Doing::Write {
            share,
            words: words + 1,
            packet,
        };
        Some(Next::At(now + self.spec.written_word_cycles()))
    }

    /// A member reads the next word; `None` when it has all.
    pub(super) fn read_stream(&mut self, tile: usize, now: u64) -> Option<Next> {
        let Doing::Read { share, words } = self.cores[tile].doing else {
            return None;
        };
        let (action, stream) = self.stream(share);
        if words == stream?.words() {
            self.end_read(tile, share, action, now);
            return None;
        }
        let Some(word) = self.static_words[tile].pop_front() else {
            if self.respond(tile) {
                return Some(Next::At(now));
            }
            return Some(match self.spec.drain {
                DrainRule::Always => self.receive(tile, now).unwrap_or(Next::Asleep),
                DrainRule::InReceive | DrainRule::Never => Next::Asleep,
            });
        };
        self.wrong_units += u64::from(word.action != action || word.index != words);
        self.cores[tile].doing = Doing::Read {
            share,
            words: words + 1,
        };
        Some(Next::At(now + self.spec.read_word_cycles()))
    }

    /// A member has read everything.
    fn end_read(&mut self, tile: usize, share: u32, action: u32, now: u64) {
        self.cores[tile].doing = Doing::Nothing;
        if let Some(stream) = self.streams.get(action) {
            self.counters.spm_write_bytes += stream.bytes;
            // It came over one link.
            self.counters.payload_byte_hops += stream.bytes;
            let key = u64::from(action) << 32 | tile as u64;
            self.checksum = self.checksum.wrapping_add(mix(key));
            if self.is_value {
                self.memories.write(tile as u32, stream.to, &stream.payload);
            }
        }
        self.end_share(share, now);
        if self.program.instances.is_action_over(action)
            && let Some(stream) = self.streams.get_mut(action)
        {
            stream.payload = Vec::new();
        }
    }
}
