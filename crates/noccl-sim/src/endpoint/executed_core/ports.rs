// SPDX-License-Identifier: Apache-2.0
//! Port accesses of executing cores, and words from their ports into the networks.

use super::ExecutedCores;
use super::queues::QUEUES;
use super::tile::{CoreTile, Output, PORT_WORDS, PortPacket, State};
use crate::endpoint::message_core::Planes;
use crate::router::wormhole::PORTS;
use noccl_net::{Coord, Network, TileId};
use noccl_riscv::{Access, AccessKind, MAX_PAUSE_CYCLES, Port};

/// Words of a stream over the static network: it never ends.
const ENDLESS: u32 = u32::MAX >> 1;

/// What becomes of an access.
enum Outcome {
    /// A load has its value, or a store is carried out.
    Done(u64),
    /// There is no space yet.
    NoSpace,
    /// There are no words yet.
    NoWords,
    /// A store is carried out, and its core does nothing for so many cycles.
    Paused(u64),
    /// The program has ended with this code.
    Ended(u64),
    /// Nobody can do that.
    Wrong(String),
}

impl ExecutedCores<'_> {
    /// Carries an access out, if it does not have to wait. Returns whether the core goes on.
    pub(super) fn access(
        &mut self,
        rank: usize,
        access: Access,
        now: u64,
        planes: &mut Planes,
    ) -> bool {
        let words = usize::from(access.bytes / 4);
        let outcome = match (Port::at(access.address), access.kind) {
            (Some(port), _) if self.tiles[rank].is_untimed && !may_be_untimed(port) => {
                let name = port.c_name();
                Outcome::Wrong(format!(
                    "an access to {name} in untimed code; accepted: WAITED, WAITED_UNTIL, UNTIMED, CONSOLE, END"
                ))
            }
            (Some(port), AccessKind::Load) if port.is_load() => {
                self.load(rank, port, words, access, planes)
            }
            (Some(port), AccessKind::Store { value }) if !port.is_load() => {
                self.store(rank, port, value, words, now, planes)
            }
            (Some(port), AccessKind::Load) => Outcome::Wrong(format!(
                "a load from {}, to which one stores",
                port.c_name()
            )),
            (Some(port), AccessKind::Store { .. }) => Outcome::Wrong(format!(
                "a store to {}, from which one loads",
                port.c_name()
            )),
            (None, _) => Outcome::Wrong(format!("no port at {:#010x}", access.address)),
        };
        let tile = &mut self.tiles[rank];
        match outcome {
            Outcome::Done(value) => {
                let _ = tile.core.finish_load(value, now) || tile.core.finish_store(now);
                tile.state = State::Executing;
                return true;
            }
            Outcome::Paused(cycles) => {
                let _ = tile.core.finish_store(now + cycles);
                tile.state = State::Executing;
                return true;
            }
            Outcome::NoSpace => self.wait(rank, State::Blocked, now),
            Outcome::NoWords => self.wait(rank, State::Waiting, now),
            Outcome::Ended(code) => self.end(rank, code, now),
            Outcome::Wrong(what) => self.fail(rank, access.pc, what),
        }
        false
    }

    /// Space is looked for in every cycle, words when some have come.
    fn wait(&mut self, rank: usize, state: State, now: u64) {
        let tile = &mut self.tiles[rank];
        if tile.state != state {
            tile.state = state;
            tile.since_cycle = now;
        }
        if state == State::Blocked {
            self.retrying.insert(rank);
        } else {
            self.retrying.remove(rank);
        }
    }

    fn load(
        &mut self,
        rank: usize,
        port: Port,
        words: usize,
        access: Access,
        planes: &Planes,
    ) -> Outcome {
        let (ranks, network) = (self.tiles.len() as u64, self.network);
        let tile = &mut self.tiles[rank];
        let at = network.coord(tile.at);
        let value = match port {
            Port::Receive(queue) => return tile.receive(usize::from(queue), words),
            Port::ReceiveOther => return tile.receive(QUEUES - 1, words),
            Port::StaticReceive => return tile.receive_static(words),
            Port::Status => tile.status(),
            Port::Wait if !tile.has_words() => return Outcome::NoWords,
            Port::Wait => tile.status(),
            Port::StaticIdle => u64::from(tile.is_idle(planes)),
            Port::Waited => tile.send_wait_cycles + tile.receive_wait_cycles,
            Port::WaitedUntil => tile.waited_until_cycle,
            Port::Cycle => access.cycle,
            Port::Rank => rank as u64,
            Port::Ranks => ranks,
            Port::Column => u64::from(at.x),
            Port::Row => u64::from(at.y),
            Port::Columns => u64::from(network.width()),
            Port::Rows => u64::from(network.height()),
            Port::Send
            | Port::StaticSend
            | Port::StaticConfigure
            | Port::Console
            | Port::End
            | Port::Untimed
            | Port::Pause => 0,
        };
        Outcome::Done(value)
    }

    fn store(
        &mut self,
        rank: usize,
        port: Port,
        value: u64,
        words: usize,
        now: u64,
        planes: &mut Planes,
    ) -> Outcome {
        let tile = &mut self.tiles[rank];
        let halves = [value as u32, (value >> 32) as u32];
        match port {
            Port::Send | Port::StaticSend => {
                let out = if port == Port::Send {
                    &mut tile.out
                } else {
                    &mut tile.static_out
                };
                if !out.has_space(words) {
                    return Outcome::NoSpace;
                }
                out.words.extend(&halves[..words]);
                tile.sent_words += words as u64;
                self.writing.insert(rank);
            }
            Port::StaticConfigure => {
                if !tile.is_idle(planes) {
                    // Words of the last stream would be sent on the new route.
                    return Outcome::NoSpace;
                }
                planes.fixed.configure(now, tile.at, outputs(value));
            }
            Port::Console => tile.console.push(value as u8),
            Port::End => return Outcome::Ended(value & 0xffff_ffff),
            Port::Untimed => tile.is_untimed = value != 0,
            Port::Pause => return Outcome::Paused(value.min(MAX_PAUSE_CYCLES)),
            Port::Receive(_)
            | Port::ReceiveOther
            | Port::Status
            | Port::StaticReceive
            | Port::Cycle
            | Port::Rank
            | Port::Ranks
            | Port::Column
            | Port::Row
            | Port::Columns
            | Port::Rows
            | Port::StaticIdle
            | Port::Wait
            | Port::Waited
            | Port::WaitedUntil => {}
        }
        Outcome::Done(0)
    }

    /// A word from each of a rank's ports into its router, if that has space.
    pub(super) fn write_words(&mut self, rank: usize, now: u64, planes: &mut Planes) -> bool {
        let dynamic = self.write_dynamic(rank, now, planes);
        let fixed = self.write_static(rank, now, planes);
        let tile = &self.tiles[rank];
        if tile.out.words.is_empty() && tile.static_out.words.is_empty() {
            self.writing.remove(rank);
        }
        dynamic || fixed
    }

    fn write_dynamic(&mut self, rank: usize, now: u64, planes: &mut Planes) -> bool {
        let tile = &self.tiles[rank];
        let Some(word) = tile.out.words.front().copied() else {
            return false;
        };
        if !planes.udn.has_space(tile.at) {
            return false;
        }
        let at = tile.at;
        let packet = match tile.out.packet {
            Some(packet) => packet,
            None => match Header::decode(self.network, word) {
                Ok(header) => self.open_packet(header, planes),
                Err(wrong) => {
                    let pc = self.tiles[rank].core.pc;
                    self.fail(rank, pc, wrong);
                    return false;
                }
            },
        };
        self.records[packet.record as usize].push(word);
        planes.udn.push(now, at, packet.id, packet.next);
        let tile = &mut self.tiles[rank];
        tile.packets += u64::from(packet.next == 0);
        tile.out.words.pop_front();
        let next = packet.next + 1;
        tile.out.packet = (next < packet.words).then_some(PortPacket { next, ..packet });
        true
    }

    fn open_packet(&mut self, header: Header, planes: &mut Planes) -> PortPacket {
        let record = self.free_records.pop().unwrap_or_else(|| {
            self.records.push(Vec::new());
            self.records.len() as u32 - 1
        });
        let packet = planes
            .udn
            .open_packet(header.target, header.words, record.into());
        PortPacket {
            id: packet,
            next: 0,
            words: header.words,
            record,
        }
    }

    fn write_static(&mut self, rank: usize, now: u64, planes: &mut Planes) -> bool {
        let tile = &mut self.tiles[rank];
        let Some(word) = tile.static_out.words.front().copied() else {
            return false;
        };
        if !planes.fixed.has_space(tile.at) {
            return false;
        }
        let packet = tile.static_out.packet.unwrap_or_else(|| PortPacket {
            id: planes.fixed.open((), ENDLESS, 1, rank as u64),
            next: 0,
            words: ENDLESS,
            record: 0,
        });
        let most_travelling = PORTS * self.static_fifo_words * self.network.num_tiles();
        self.streams[rank].push(word, most_travelling);
        planes.fixed.push(now, tile.at, packet.id, packet.next);
        tile.static_out.words.pop_front();
        let next = packet.next + 1;
        tile.static_out.packet = Some(PortPacket { next, ..packet });
        true
    }
}

impl CoreTile {
    fn receive(&mut self, queue: usize, words: usize) -> Outcome {
        let Some([first, second]) = self.queues.read(queue, words) else {
            return Outcome::NoWords;
        };
        self.received_words += words as u64;
        Outcome::Done(u64::from(first) | u64::from(second) << 32)
    }

    fn receive_static(&mut self, words: usize) -> Outcome {
        if self.static_in.len() < words {
            return Outcome::NoWords;
        }
        self.received_words += words as u64;
        let mut value = 0;
        for (place, word) in self.static_in.drain(..words).enumerate() {
            value |= u64::from(word) << (32 * place);
        }
        Outcome::Done(value)
    }

    /// Are all its words of the static network behind its router?
    fn is_idle(&self, planes: &Planes) -> bool {
        planes.fixed.is_drained(self.at) && self.static_out.words.is_empty()
    }

    /// Has anything come that it can read?
    fn has_words(&self) -> bool {
        !self.static_in.is_empty() || self.queues.lengths().iter().any(|words| *words > 0)
    }

    /// The counts of the status port, a byte each.
    fn status(&self) -> u64 {
        let space = |out: &Output| PORT_WORDS - out.words.len();
        let [first, second, third, fourth, other] = self.queues.lengths();
        let counts = [
            first,
            second,
            third,
            fourth,
            other,
            space(&self.out),
            self.static_in.len(),
            space(&self.static_out),
        ];
        let byte = |(place, count): (usize, usize)| (count.min(255) as u64) << (8 * place);
        counts.into_iter().enumerate().map(byte).sum()
    }
}

/// May a program use it in code that takes no time? It is the same whenever that is.
const fn may_be_untimed(port: Port) -> bool {
    matches!(
        port,
        Port::Waited | Port::WaitedUntil | Port::Untimed | Port::Console | Port::End
    )
}

/// Outputs by input of the crossbar: five bits per input, lowest first, in the order of the ports.
fn outputs(value: u64) -> [u8; PORTS] {
    std::array::from_fn(|input| (value >> (5 * input) & 0x1f) as u8)
}

// The first word of a packet: where it goes and how long it is.
//
// | bits | field |
// |---|---|
// | 0 to 7 | column of the destination |
// | 8 to 15 | row |
// | 16 to 23 | words behind the header |

/// A header, decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) target: TileId,
    /// Words of the packet, the header among them.
    pub(super) words: u32,
}

impl Header {
    /// What a header says, or what is wrong with it.
    pub(super) fn decode(network: &Network, word: u32) -> Result<Self, String> {
        let (x, y) = ((word & 0xff) as u16, (word >> 8 & 0xff) as u16);
        if x >= network.width() || y >= network.height() {
            return Err(format!(
                "the packet's header {word:#010x} names tile ({x},{y}); accepted: columns 0 to {}, rows 0 to {}",
                network.width() - 1,
                network.height() - 1
            ));
        }
        Ok(Self {
            target: network.tile_at(Coord::new(x, y)),
            words: 1 + (word >> 16 & 0xff),
        })
    }
}
