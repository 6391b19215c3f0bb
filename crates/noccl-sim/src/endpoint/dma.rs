// SPDX-License-Identifier: Apache-2.0
//! The cluster's DMA engine: a read side and a write side with a buffer between them (S1 §2.2).
//!
//! Transfers are worked on in order; the read side runs ahead as far as the buffer reaches. It asks for
//! a burst only when the buffer has space for all of it: read data is therefore always taken from the
//! network, whatever the write side waits for (`docs/design/0001`). Reads of one engine carry one AXI ID,
//! so a read from another tile waits until the earlier ones have returned.
//!
//! An engine knows its transfers and nothing else: completions go in as calls, and what its tile and its interface have to do
//! comes out as [`DmaCommand`]s, in the order in which they are to be carried out.

use crate::ni::axi::issue::Target;
use crate::ni::axi::state::Source;
use crate::tile_index::tile_index;
use crate::transport::burst::Bursts;
use noccl_net::{AxiNetwork, Network, TileId};
use noccl_run::{RecordedRows, TransferStart};
use noccl_workload::{Destination, Transfer};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Where a movement reads or writes.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) enum Side {
    /// The engine's own L1.
    Own,
    /// Over the network.
    Remote(Target),
}

/// One transfer in an engine.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Movement {
    /// Instance of the schedule that waits for it.
    pub instance: u32,
    pub source: Side,
    pub source_offset: u64,
    pub source_stride: u64,
    pub destination: Side,
    pub destination_offset: u64,
    pub destination_stride: u64,
    /// Bytes per line and lines.
    pub bytes: u64,
    pub rows: u32,
}

/// A burst that the read side will ask for.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct ReadBurst {
    tile: u32,
    address: u64,
    bytes: u32,
}

/// A movement whose read data has not all come.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Reading {
    movement: Movement,
    received: u64,
}

/// What an engine has its tile and its interface do.
#[derive(Debug, Clone)]
pub(crate) enum DmaCommand {
    /// Record that a transfer begins.
    Begin(TransferStart),
    /// A wide write burst of an instance, from the tile's memory or from the engine's buffer.
    Write {
        instance: u32,
        target: Target,
        address: u64,
        bytes: u32,
        source: Source,
    },
    /// A wide read burst into the engine's buffer.
    Read { from: u32, address: u64, bytes: u32 },
    /// The next bytes of transfers into the tile's own memory move there from the buffer.
    Store { address: u64, bytes: u32 },
}

/// What an engine sees of its surroundings while it handles an event.
pub(crate) struct DmaPort<'a> {
    pub network: AxiNetwork<'a>,
    pub tile: u32,
    /// Bytes of the buffer that are in use, and of all of it.
    pub buffered_bytes: u32,
    pub buffer_bytes: u64,
    pub commands: &'a mut Vec<DmaCommand>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Dma {
    /// Transfers that wait until the engine works on fewer than its limit.
    waiting: VecDeque<Movement>,
    num_active: u32,
    reads: VecDeque<ReadBurst>,
    reading: VecDeque<Reading>,
    /// Bytes asked for and not yet in the buffer.
    in_flight_bytes: u64,
    /// Tile that the reads in flight go to.
    reading_from: u32,
    /// Instance and write bursts without a response, in order of issue.
    writing: VecDeque<(u32, u32)>,
}

impl Movement {
    /// The movement of a schedule's transfer at its initiator `tile`.
    pub(crate) fn of(instance: u32, tile: u32, transfer: &Transfer, network: &Network) -> Self {
        let find = |r| tile_index(network, r);
        let source = find(transfer.source.tile);
        let (destination, destination_offset) = match transfer.destination {
            Destination::One(place) if find(place.tile) == tile => (Side::Own, place.offset),
            Destination::One(place) => (Side::Remote(Target::Tile(find(place.tile))), place.offset),
            Destination::Multicast { set, offset } => {
                (Side::Remote(Target::Set(network.cube(set))), offset)
            }
        };
        Self {
            instance,
            source: if source == tile {
                Side::Own
            } else {
                Side::Remote(Target::Tile(source))
            },
            source_offset: transfer.source.offset,
            source_stride: transfer.source_stride,
            destination,
            destination_offset,
            destination_stride: transfer.destination_stride,
            bytes: transfer.bytes,
            rows: transfer.rows,
        }
    }

    const fn total_bytes(&self) -> u64 {
        self.bytes * self.rows as u64
    }

    /// As a record tells it.
    fn start(&self, tile: u32, network: &Network) -> TransferStart {
        let rows = |side, offset, stride| {
            let (at, set) = match side {
                Side::Own => (tile, None),
                Side::Remote(Target::Tile(other)) => (other, None),
                Side::Remote(Target::Set(cube)) => (tile, Some(cube.set)),
            };
            RecordedRows {
                tile: network.coord(TileId(at)),
                set,
                offset,
                stride,
            }
        };
        TransferStart {
            tile: TileId(tile),
            source: rows(self.source, self.source_offset, self.source_stride),
            destination: rows(
                self.destination,
                self.destination_offset,
                self.destination_stride,
            ),
            bytes: self.bytes,
            rows: self.rows,
            contribution: None,
        }
    }

    /// Destination of the byte at position `at` of the transfer.
    const fn destination_of(&self, at: u64) -> u64 {
        self.destination_offset + at / self.bytes * self.destination_stride + at % self.bytes
    }
}

impl Dma {
    /// The engine takes a transfer, now or when it has finished enough others.
    pub(crate) fn take(&mut self, movement: Movement, port: &mut DmaPort<'_>) {
        self.waiting.push_back(movement);
        self.start_waiting(port);
    }

    /// For diagnosis: has the engine a transfer that it has not begun?
    pub(crate) fn holds(&self, instance: u32) -> bool {
        self.waiting.iter().any(|m| m.instance == instance)
    }

    fn start_waiting(&mut self, port: &mut DmaPort<'_>) {
        while self.num_active < port.network.axi().cluster.dma.max_transfers {
            let Some(movement) = self.waiting.pop_front() else {
                return;
            };
            self.num_active += 1;
            let start = movement.start(port.tile, &port.network);
            port.commands.push(DmaCommand::Begin(start));
            self.start(movement, port);
        }
    }

    /// A transfer is complete: the next one may start.
    fn complete(&mut self, instance: u32, port: &mut DmaPort<'_>) -> Option<u32> {
        self.num_active -= 1;
        self.start_waiting(port);
        Some(instance)
    }

    fn start(&mut self, movement: Movement, port: &mut DmaPort<'_>) {
        if let Side::Remote(target) = movement.destination {
            let bursts = port.write(&movement, target);
            self.writing.push_back((movement.instance, bursts));
        }
        if let Side::Remote(Target::Tile(from)) = movement.source {
            for row in 0..u64::from(movement.rows) {
                let address = movement.source_offset + row * movement.source_stride;
                for burst in Bursts::new(address, movement.bytes, port.network.axi()) {
                    self.reads.push_back(ReadBurst {
                        tile: from,
                        address: address + burst.offset,
                        bytes: burst.bytes,
                    });
                }
            }
            self.reading.push_back(Reading {
                movement,
                received: 0,
            });
            self.read_ahead(port);
        }
    }

    /// Asks for further bursts while the buffer has space for them.
    pub(crate) fn read_ahead(&mut self, port: &mut DmaPort<'_>) {
        while let Some(next) = self.reads.front().copied() {
            let used = self.in_flight_bytes + u64::from(port.buffered_bytes);
            let is_other_tile = self.in_flight_bytes > 0 && self.reading_from != next.tile;
            let is_full = used > 0 && used + u64::from(next.bytes) > port.buffer_bytes;
            if is_other_tile || is_full {
                break;
            }
            self.reads.pop_front();
            self.in_flight_bytes += u64::from(next.bytes);
            self.reading_from = next.tile;
            port.commands.push(DmaCommand::Read {
                from: next.tile,
                address: next.address,
                bytes: next.bytes,
            });
        }
    }

    /// Bytes of a beat are in the buffer. Returns the instance of a pull that is now complete.
    pub(crate) fn on_read_beat(&mut self, bytes: u32, port: &mut DmaPort<'_>) -> Option<u32> {
        self.in_flight_bytes -= u64::from(bytes);
        let head = self.reading.front_mut()?;
        if matches!(head.movement.destination, Side::Own) {
            let address = head.movement.destination_of(head.received);
            port.store(address, bytes);
        }
        head.received += u64::from(bytes);
        let is_complete = head.received == head.movement.total_bytes();
        let finished = if is_complete {
            self.reading.pop_front()
        } else {
            None
        };
        self.read_ahead(port);
        let pull = finished.filter(|r| matches!(r.movement.destination, Side::Own))?;
        self.complete(pull.movement.instance, port)
    }

    /// A write burst has its response. Returns the instance of a transfer that is now complete.
    pub(crate) fn on_write_response(
        &mut self,
        instance: u32,
        port: &mut DmaPort<'_>,
    ) -> Option<u32> {
        let at = self.writing.iter().position(|(i, _)| *i == instance)?;
        self.writing[at].1 -= 1;
        if self.writing[at].1 == 0 {
            self.writing.remove(at);
            return self.complete(instance, port);
        }
        None
    }
}

impl DmaPort<'_> {
    /// Writes all bursts of a movement. Returns how many there are.
    fn write(&mut self, movement: &Movement, target: Target) -> u32 {
        let mut bursts = 0;
        for row in 0..u64::from(movement.rows) {
            let address = movement.destination_offset + row * movement.destination_stride;
            for burst in Bursts::new(address, movement.bytes, self.network.axi()) {
                let offset = movement.source_offset + row * movement.source_stride + burst.offset;
                let source = match movement.source {
                    Side::Own => Source::Memory(offset),
                    Side::Remote(_) => Source::Buffer,
                };
                self.commands.push(DmaCommand::Write {
                    instance: movement.instance,
                    target,
                    address: address + burst.offset,
                    bytes: burst.bytes,
                    source,
                });
                bursts += 1;
            }
        }
        bursts
    }

    /// Moves read data from the buffer into the tile's own memory.
    fn store(&mut self, address: u64, bytes: u32) {
        self.buffered_bytes -= bytes;
        self.commands.push(DmaCommand::Store { address, bytes });
    }
}

#[cfg(test)]
mod tests {
    use super::{Dma, DmaCommand, DmaPort, Movement, Side};
    use crate::ni::axi::issue::Target;
    use noccl_net::{Network, elaborate};
    use noccl_spec::{parse_spec, preset_text};

    const TILE: u32 = 0;
    const BUFFER_BYTES: u64 = 8192;
    const BEAT_BYTES: u32 = 64;

    fn network() -> Network {
        let name = "collective_noc_4x4";
        let spec = parse_spec(name, &preset_text(name).unwrap(), &[]).unwrap();
        elaborate(&spec).unwrap()
    }

    /// Reads bytes of another tile into the engine's own memory.
    const fn pull(instance: u32, from: u32, bytes: u64) -> Movement {
        Movement {
            instance,
            source: Side::Remote(Target::Tile(from)),
            source_offset: 0,
            source_stride: 0,
            destination: Side::Own,
            destination_offset: 0x8000,
            destination_stride: 0,
            bytes,
            rows: 1,
        }
    }

    /// Passes an event to an engine with an empty buffer, or one that holds the beat of the event. Returns the tiles and bytes of the
    /// reads that it asks for.
    fn reads<R>(
        network: &Network,
        buffered_bytes: u32,
        on_event: impl FnOnce(&mut DmaPort<'_>) -> R,
    ) -> (R, Vec<(u32, u32)>) {
        let mut commands = Vec::new();
        let result = on_event(&mut DmaPort {
            network: network.as_axi().unwrap(),
            tile: TILE,
            buffered_bytes,
            buffer_bytes: BUFFER_BYTES,
            commands: &mut commands,
        });
        let read = |command: &DmaCommand| match *command {
            DmaCommand::Read { from, bytes, .. } => Some((from, bytes)),
            DmaCommand::Begin(_) | DmaCommand::Write { .. } | DmaCommand::Store { .. } => None,
        };
        (result, commands.iter().filter_map(read).collect())
    }

    /// Runs an engine until all that it has asked for has arrived. Returns its reads, and the transfers that ended, in order.
    fn run(network: &Network, movements: &[Movement]) -> (Vec<(u32, u32)>, Vec<u32>) {
        let (mut dma, mut all, mut ended) = (Dma::default(), Vec::new(), Vec::new());
        for movement in movements {
            let take = |port: &mut DmaPort<'_>| dma.take(movement.clone(), port);
            all.extend(reads(network, 0, take).1);
        }
        let mut arrived = 0;
        loop {
            let asked: u64 = all.iter().map(|(_, bytes)| u64::from(*bytes)).sum();
            assert!(asked - arrived <= BUFFER_BYTES, "more than the buffer");
            if asked == arrived {
                return (all, ended);
            }
            let beat = |port: &mut DmaPort<'_>| dma.on_read_beat(BEAT_BYTES, port);
            let (over, more) = reads(network, BEAT_BYTES, beat);
            ended.extend(over);
            all.extend(more);
            arrived += u64::from(BEAT_BYTES);
        }
    }

    #[test]
    fn reads_in_flight_never_exceed_the_buffer() {
        let network = network();
        let (reads, ended) = run(&network, &[pull(7, 5, 8 * BUFFER_BYTES)]);
        let bytes: u64 = reads.iter().map(|(_, bytes)| u64::from(*bytes)).sum();
        assert_eq!((bytes, ended), (8 * BUFFER_BYTES, vec![7]));
    }

    #[test]
    fn reads_from_another_tile_wait_for_those_in_flight() {
        let network = network();
        let mut dma = Dma::default();
        let (small, other) = (pull(1, 5, 64), pull(2, 6, 64));
        let (_, first) = reads(&network, 0, |port| dma.take(small, port));
        let (_, second) = reads(&network, 0, |port| dma.take(other, port));
        let (over, third) = reads(&network, 64, |port| dma.on_read_beat(64, port));
        assert_eq!((first, second), (vec![(5, 64)], vec![]));
        assert_eq!((over, third), (Some(1), vec![(6, 64)]));
    }

    #[test]
    fn transfers_start_and_end_in_the_order_in_which_they_were_given() {
        let network = network();
        let limit = network.spec().axi().unwrap().cluster.dma.max_transfers;
        let movements: Vec<_> = (0..2 * limit + 1).map(|i| pull(i, 5, 192)).collect();
        let (_, ended) = run(&network, &movements);
        assert_eq!(ended, (0..2 * limit + 1).collect::<Vec<_>>());
    }
}
