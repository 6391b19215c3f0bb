// SPDX-License-Identifier: Apache-2.0
//! Transactions as drivers issue them at the AXI ports.

use crate::endpoint::dma::{DmaCommand, DmaPort};
use crate::machine::Machine;
use crate::ni::axi::state::{BurstStream, Source};
use crate::router::collective::reduction::merging::window_ahead;
use crate::transport::flit::{Flit, FlitKind, LAST, MULTICAST, pack};
use crate::transport::transaction::{Owner, Tree, Txn, TxnKind};
use noccl_net::deadlock::Windows;
use noccl_net::pairs::FoldOrder;
use noccl_net::tree::Cube;
use noccl_net::{Coord, TileId};
use noccl_run::Mode;
use noccl_spec::Plane;
use noccl_workload::{ElementType, Operator};
use serde::{Deserialize, Serialize};

/// Where a write goes.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) enum Target {
    Tile(u32),
    Set(Cube),
}

/// Operator and type of a reduction, and whether every member gets its result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arithmetic {
    pub operator: Operator,
    pub element: ElementType,
    pub is_shared: bool,
    /// Of the whole reduction, all bursts alike.
    pub fold_order: FoldOrder,
}

impl Machine<'_> {
    pub(crate) fn coord(&self, tile: u32) -> Coord {
        self.network.coord(TileId(tile))
    }

    /// What a tile's DMA engine sees of the machine; it appends what it asks for to `commands`.
    pub(crate) fn dma_port<'a>(
        &'a self,
        tile: u32,
        commands: &'a mut Vec<DmaCommand>,
    ) -> DmaPort<'a> {
        let beats = u64::from(self.network.axi().cluster.dma.buffer_beats);
        DmaPort {
            network: self.network,
            tile,
            buffered_bytes: self.interfaces.nis[tile as usize].buffer_bytes,
            buffer_bytes: self.beat.bytes_of(beats),
            commands,
        }
    }

    /// Carries out what a tile's DMA engine asks for.
    pub(crate) fn issue_of_dma(&mut self, tile: u32, command: DmaCommand) {
        match command {
            DmaCommand::Begin(start) => self.record_start(start),
            DmaCommand::Write {
                instance,
                target,
                address,
                bytes,
                source,
            } => {
                let owner = Owner::DmaWrite { instance };
                self.issue_write(tile, target, address, bytes, owner, source);
            }
            DmaCommand::Read {
                from,
                address,
                bytes,
            } => self.issue_read(tile, from, address, bytes, Owner::DmaRead),
            DmaCommand::Store { address, bytes } => self.store_buffered(tile, address, bytes),
        }
    }

    /// Moves bytes from the DMA engine's buffer into the tile's own memory.
    fn store_buffered(&mut self, tile: u32, address: u64, bytes: u32) {
        self.checks.counters.dma_store_bytes += u64::from(bytes);
        self.checks.counters.spm_write_bytes += u64::from(bytes);
        let ni = &mut self.interfaces.nis[tile as usize];
        ni.buffer_bytes -= bytes;
        if self.config.mode == Mode::Value {
            // A beat never spans two rows of the transfer: rows are cut into bursts one by one. In front of it may be data of a
            // transfer that continues over the network, behind it beats that are still in the path.
            let first = ni.buffer_bytes as usize;
            let data: Vec<u8> = ni.buffer.drain(first..first + bytes as usize).collect();
            self.memory.memories.write(tile, address, &data);
        }
    }

    /// One wide write or multicast burst; beats leave when the source has them.
    pub(crate) fn issue_write(
        &mut self,
        tile: u32,
        to: Target,
        address: u64,
        bytes: u32,
        owner: Owner,
        source: Source,
    ) {
        let home = self.coord(tile);
        let (tree, target, is_multicast) = self.write_tree(to, home);
        let beats = self.beat.of_burst(address, bytes);
        let txn = Txn {
            target,
            address,
            bytes,
            beats,
            is_multicast,
            ..Txn::new(TxnKind::WideWrite, owner, tile)
        };
        let id = self.interfaces.txns.open(txn, tree);
        self.record_command(tile, id, Some(source));
        let stream = BurstStream::plain(id, beats, self.behaviour.is_wormhole, source);
        self.interfaces.nis[tile as usize].queue(stream, owner.channel());
        self.refresh_injecting(tile as usize);
    }

    /// One wide read burst.
    pub(crate) fn issue_read(
        &mut self,
        tile: u32,
        from: u32,
        address: u64,
        bytes: u32,
        owner: Owner,
    ) {
        let tree = Tree::unicast(self.coord(from), self.coord(tile));
        let beats = self.beat.of_burst(address, bytes);
        let txn = Txn {
            target: from,
            address,
            bytes,
            beats,
            ..Txn::new(TxnKind::WideRead, owner, tile)
        };
        let id = self.interfaces.txns.open(txn, tree);
        self.send_request(tile, from, id, FlitKind::ReadRequest);
    }

    /// Opens a burst of a wide reduction; members then contribute.
    pub(crate) fn open_reduction(
        &mut self,
        group: Cube,
        root: u32,
        address: u64,
        bytes: u32,
        arithmetic: Arithmetic,
        owner: Owner,
    ) -> u32 {
        let tree = Tree {
            set: group,
            root: self.coord(root),
            operator: arithmetic.operator,
            element: arithmetic.element,
            add_cycles: self.add_cycles(arithmetic.element),
            beats: self.beat.of_burst(address, bytes),
            is_shared: arithmetic.is_shared,
            fold_order: arithmetic.fold_order,
        };
        let beats = tree.beats;
        let open_members = group.set.len();
        let txn = Txn {
            address,
            bytes,
            beats,
            open_members,
            ..Txn::new(TxnKind::WideReduction, owner, root)
        };
        self.interfaces.txns.open(txn, tree)
    }

    pub(crate) fn add_cycles(&self, element: ElementType) -> u8 {
        let fpu = &self.network.axi().cluster.fpu;
        let cycles = match element.bytes() {
            8 => fpu.bits64_cycles,
            4 => fpu.bits32_cycles,
            2 => fpu.bits16_cycles,
            _ => fpu.bits8_cycles,
        };
        cycles as u8
    }

    /// A member's contribution to an open reduction burst.
    pub(crate) fn contribute(&mut self, tile: u32, txn: u32, source: Source) {
        let tree = self.interfaces.txns.trees.tree(txn);
        if tree.is_shared && self.interfaces.txns.get(txn).home == tile {
            self.fold_and_share(tile, txn, source);
            return;
        }
        let windows = Windows::of(self.network);
        let has_window = self.behaviour.has_credits && tree.fold_order == FoldOrder::ByRouter;
        let window = if has_window {
            window_ahead(self.coord(tile), tree, true, windows)
        } else {
            None
        };
        let stream = BurstStream {
            txn,
            next_beat: 0,
            beats: self.errors.beats_of(txn, tile).unwrap_or(tree.beats),
            in_flight: 0,
            window: window.map_or(u16::MAX, |w| u16::try_from(w).unwrap_or(u16::MAX)),
            head_pending: self.behaviour.is_wormhole,
            is_reduction: true,
            source,
        };
        self.record_command(tile, txn, Some(source));
        let channel = self.interfaces.txns.get(txn).owner.channel();
        self.interfaces.nis[tile as usize].queue(stream, channel);
        self.refresh_injecting(tile as usize);
    }

    /// Tree of a write from `home`, its target tile (0 for a set), and whether it is a multicast.
    fn write_tree(&self, to: Target, home: Coord) -> (Tree, u32, bool) {
        match to {
            Target::Tile(t) => (Tree::unicast(self.coord(t), home), t, false),
            Target::Set(set) => {
                let unicast = Tree::unicast(home, home);
                (Tree { set, ..unicast }, 0, true)
            }
        }
    }

    /// One narrow beat to one tile or to a set.
    pub(crate) fn issue_narrow_write(&mut self, tile: u32, to: Target, owner: Owner) {
        let home = self.coord(tile);
        let (tree, target, is_multicast) = self.write_tree(to, home);
        let txn = Txn {
            target,
            is_multicast,
            is_wide: false,
            ..Txn::new(TxnKind::NarrowWrite, owner, tile)
        };
        let dst = pack(tree.set.set.base);
        let id = self.interfaces.txns.open(txn, tree);
        self.record_command(tile, id, None);
        if self.behaviour.is_wormhole {
            let flags = u8::from(is_multicast) * MULTICAST;
            let head = Flit {
                txn: id,
                dst,
                payload: 0,
                beat: 0,
                kind: FlitKind::WriteHead,
                flags,
            };
            self.interfaces.send(tile, Plane::Req, head);
        }
        let flags = LAST | (u8::from(is_multicast) * MULTICAST);
        let flit = Flit {
            txn: id,
            dst,
            payload: 0,
            beat: 0,
            kind: FlitKind::NarrowWrite,
            flags,
        };
        self.interfaces.send(tile, Plane::Req, flit);
    }

    /// One narrow read.
    pub(crate) fn issue_narrow_read(&mut self, tile: u32, from: u32, owner: Owner) {
        let tree = Tree::unicast(self.coord(from), self.coord(tile));
        let txn = Txn {
            target: from,
            is_wide: false,
            ..Txn::new(TxnKind::NarrowRead, owner, tile)
        };
        let id = self.interfaces.txns.open(txn, tree);
        self.send_request(tile, from, id, FlitKind::ReadRequest);
    }

    /// Atomic add of one; the old value comes back.
    pub(crate) fn issue_atomic(&mut self, tile: u32, to: u32, address: u64, owner: Owner) {
        let tree = Tree::unicast(self.coord(to), self.coord(tile));
        let txn = Txn {
            target: to,
            address,
            is_wide: false,
            ..Txn::new(TxnKind::Atomic, owner, tile)
        };
        let id = self.interfaces.txns.open(txn, tree);
        self.send_request(tile, to, id, FlitKind::Atomic);
    }

    /// Opens a barrier; members then arrive.
    pub(crate) fn open_barrier(&mut self, group: Cube, root: u32, owner: Owner) -> u32 {
        let at = self.coord(root);
        let tree = Tree {
            set: group,
            ..Tree::unicast(at, at)
        };
        let open_members = group.set.len();
        let txn = Txn {
            is_wide: false,
            open_members,
            ..Txn::new(TxnKind::Barrier, owner, root)
        };
        self.interfaces.txns.open(txn, tree)
    }

    /// A member arrives at an open barrier.
    pub(crate) fn arrive_at_barrier(&mut self, tile: u32, txn: u32) {
        let dst = pack(self.interfaces.txns.trees.tree(txn).root);
        self.record_command(tile, txn, None);
        if self.behaviour.is_wormhole {
            let head = Flit {
                txn,
                dst,
                payload: 0,
                beat: 0,
                kind: FlitKind::BarrierHead,
                flags: 0,
            };
            self.interfaces.send(tile, Plane::Req, head);
        }
        let flit = Flit {
            txn,
            dst,
            payload: 1,
            beat: 0,
            kind: FlitKind::Barrier,
            flags: LAST,
        };
        self.interfaces.send(tile, Plane::Req, flit);
    }

    fn send_request(&mut self, tile: u32, to: u32, txn: u32, kind: FlitKind) {
        let dst = pack(self.coord(to));
        self.record_command(tile, txn, None);
        self.interfaces.send(
            tile,
            Plane::Req,
            Flit {
                txn,
                dst,
                payload: 0,
                beat: 0,
                kind,
                flags: LAST,
            },
        );
    }
}

impl Txn {
    /// A wide unicast transaction of no bytes; callers fill in what differs.
    pub(crate) const fn new(kind: TxnKind, owner: Owner, home: u32) -> Self {
        Self {
            kind,
            owner,
            home,
            target: 0,
            address: 0,
            bytes: 0,
            beats: 1,
            is_wide: true,
            is_multicast: false,
            arrived: 0,
            resp: 0,
            open_members: 0,
            is_live: true,
        }
    }
}
