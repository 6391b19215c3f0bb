// SPDX-License-Identifier: Apache-2.0
//! What each kind of action is made of.

use super::{Program, ReadOfDelivery, StepId};
use crate::{
    ActionKind, Destination, InNetworkReduction, ListMulticast, Message, StaticMulticast, Transfer,
};
use noccl_net::{TileId, TileSet};

impl Program<'_> {
    pub(super) fn act(&mut self, action: usize, kind: &ActionKind, after: &[usize]) {
        match kind {
            ActionKind::Transfer(t) => self.movement(action, t, after, false),
            ActionKind::Delivery(t) => self.movement(action, t, after, true),
            ActionKind::Compute(c) => self.alone(action, self.tile(c.tile), after, &[], None),
            ActionKind::LocalReduce(r) => {
                let reads: Vec<_> = r.inputs.iter().map(|input| (*input, r.bytes)).collect();
                let write = Some((r.output, r.bytes));
                self.alone(action, self.tile(r.tile), after, &reads, write);
            }
            ActionKind::Kernel(kernel) => {
                let reads = kernel.operation.reads();
                let reads: Vec<_> = reads.iter().map(|r| (r.offset, r.bytes)).collect();
                let write = kernel.operation.write();
                for tile in self.tiles(&kernel.group) {
                    let write = Some((write.offset, write.bytes));
                    self.alone(action, tile, after, &reads, write);
                }
            }
            ActionKind::Barrier(b) => {
                let (tiles, begun) = self.all_begin(&b.group, after);
                for (tile, own) in tiles.into_iter().zip(&begun) {
                    let released = self.next(*own, begun.clone());
                    self.end(action, tile, released);
                }
            }
            ActionKind::Arrival(a) => {
                let (tiles, begun) = self.all_begin(&TileSet::Cube(a.group), after);
                for (tile, own) in tiles.into_iter().zip(&begun) {
                    let is_root = tile == self.tile(a.root);
                    let waits = if is_root { begun.clone() } else { Vec::new() };
                    let released = self.next(*own, waits);
                    self.end(action, tile, released);
                }
            }
            ActionKind::InNetworkReduction(r) => self.reduction(action, r, after),
            ActionKind::InNetworkAllReduce(r) => self.all_reduce(action, r, after),
            ActionKind::ListMulticast(m) => self.list_multicast(action, m, after),
            ActionKind::Message(m) => self.message(action, m, after),
            ActionKind::StaticMulticast(m) => self.static_multicast(action, m, after),
            ActionKind::Chain(c) => {
                let tile = self.tile(c.initiator);
                let begun = self.begin(tile, after);
                let ended = self.next(begun, Vec::new());
                for extent in c.source.extents() {
                    self.touch((action, false), tile, extent, (begun, ended));
                }
                for destination in &c.destinations {
                    let tile = self.tile(destination.tile);
                    for extent in destination.pattern.extents() {
                        self.touch((action, true), tile, extent, (begun, ended));
                    }
                }
                self.end(action, tile, ended);
            }
        }
    }

    fn all_begin(&mut self, group: &TileSet, after: &[usize]) -> (Vec<TileId>, Vec<StepId>) {
        let tiles = self.tiles(group);
        let begun = tiles.iter().map(|tile| self.begin(*tile, after)).collect();
        (tiles, begun)
    }

    /// A core and its own memory.
    fn alone(
        &mut self,
        action: usize,
        tile: TileId,
        after: &[usize],
        reads: &[(u64, u64)],
        write: Option<(u64, u64)>,
    ) {
        let begun = self.begin(tile, after);
        let ended = self.next(begun, Vec::new());
        for read in reads {
            self.touch((action, false), tile, *read, (begun, ended));
        }
        if let Some(write) = write {
            self.touch((action, true), tile, write, (begun, ended));
        }
        self.end(action, tile, ended);
    }

    /// An engine reads, writes at every target, and has responses; a delivery raises a flag behind each copy.
    fn movement(&mut self, action: usize, t: &Transfer, after: &[usize], has_flags: bool) {
        let initiator = self.tile(t.initiator);
        let begun = self.begin(initiator, after);
        let read = self.step(vec![begun]);
        let (targets, offset) = match t.destination {
            Destination::One(place) => (vec![self.tile(place.tile)], place.offset),
            Destination::Multicast { set, offset } => (self.tiles(&TileSet::Cube(set)), offset),
        };
        let written: Vec<StepId> = targets.iter().map(|_| self.step(vec![read])).collect();
        let ended = self.next(begun, written.clone());
        self.end(action, initiator, ended);
        if has_flags {
            for (tile, written) in targets.iter().zip(&written) {
                let flag = self.next(*written, Vec::new());
                self.end(action, *tile, flag);
            }
        }
        let is_old_rule = has_flags && self.read_of_delivery == ReadOfDelivery::Initiator;
        let read = match self.ended.get(&(action, initiator)) {
            Some(ended) if is_old_rule => *ended,
            _ => read,
        };
        let source = self.tile(t.source.tile);
        for row in 0..u64::from(t.rows) {
            let from = (t.source.offset + row * t.source_stride, t.bytes);
            self.touch((action, false), source, from, (begun, read));
            let to = (offset + row * t.destination_stride, t.bytes);
            for (tile, written) in targets.iter().zip(&written) {
                self.touch((action, true), *tile, to, (begun, *written));
            }
        }
    }

    /// Contributions come together, their sum goes to the root; nobody ends before it is there.
    fn reduction(&mut self, action: usize, r: &InNetworkReduction, after: &[usize]) {
        let root = self.tile(r.root.tile);
        let (tiles, begun) = self.all_begin(&TileSet::Cube(r.group), after);
        let all = self.step(begun.clone());
        let read = self.next(all, Vec::new());
        let written = self.step(vec![read]);
        for (tile, own) in tiles.iter().zip(&begun) {
            self.touch(
                (action, false),
                *tile,
                (r.source_offset, r.bytes),
                (*own, read),
            );
            let waits = if r.bytes > 0 { vec![written] } else { vec![] };
            let ended = self.next(*own, waits);
            self.end(action, *tile, ended);
        }
        self.touch(
            (action, true),
            root,
            (r.root.offset, r.bytes),
            (all, written),
        );
    }

    /// The same, and the sum goes to every member, which ends when its own copy is there.
    fn all_reduce(&mut self, action: usize, r: &InNetworkReduction, after: &[usize]) {
        let (tiles, begun) = self.all_begin(&TileSet::Cube(r.group), after);
        let all = self.step(begun.clone());
        let read = self.next(all, Vec::new());
        for (tile, own) in tiles.iter().zip(&begun) {
            let written = self.step(vec![read]);
            self.touch(
                (action, false),
                *tile,
                (r.source_offset, r.bytes),
                (*own, read),
            );
            self.touch(
                (action, true),
                *tile,
                (r.root.offset, r.bytes),
                (all, written),
            );
            let waits = if r.bytes > 0 { vec![written] } else { vec![] };
            let ended = self.next(*own, waits);
            self.end(action, *tile, ended);
        }
    }

    /// The source reads when all have asked.
    fn list_multicast(&mut self, action: usize, m: &ListMulticast, after: &[usize]) {
        let source = self.tile(m.source);
        let targets: Vec<_> = m.destinations.iter().map(|t| self.tile(*t)).collect();
        let own = self.begin(source, after);
        let begun: Vec<_> = targets.iter().map(|t| self.begin(*t, after)).collect();
        let all = self.step([&begun[..], &[own]].concat());
        let read = self.next(own, vec![all]);
        self.touch(
            (action, false),
            source,
            (m.source_offset, m.bytes),
            (own, read),
        );
        self.end(action, source, read);
        for (tile, asked) in targets.into_iter().zip(begun) {
            let written = self.next(asked, vec![read]);
            self.touch((action, true), tile, (m.offset, m.bytes), (all, written));
            self.end(action, tile, written);
        }
    }

    /// One core writes what another one takes.
    fn message(&mut self, action: usize, m: &Message, after: &[usize]) {
        let (source, target) = (self.tile(m.source.tile), self.tile(m.destination.tile));
        let own = self.begin(source, after);
        let from = (m.source.offset, m.bytes);
        let to = (m.destination.offset, m.bytes);
        let read = self.next(own, Vec::new());
        self.touch((action, false), source, from, (own, read));
        if source == target {
            self.touch((action, true), source, to, (own, read));
            self.end(action, source, read);
            return;
        }
        let asked = self.begin_receive(source, target, after);
        let met = self.next(asked, vec![own]);
        let written = self.next(met, vec![read]);
        self.touch((action, true), target, to, (met, written));
        self.end(action, source, read);
        self.ended.insert((action, target), written);
        self.receives.insert((source, target), written);
    }

    /// A root writes what all others take.
    fn static_multicast(&mut self, action: usize, m: &StaticMulticast, after: &[usize]) {
        let root = self.tile(m.source.tile);
        let tiles = self.tiles(&m.set.tile_set());
        let own = self.begin(root, after);
        let read = self.next(own, Vec::new());
        self.touch(
            (action, false),
            root,
            (m.source.offset, m.bytes),
            (own, read),
        );
        for tile in tiles.into_iter().filter(|tile| *tile != root) {
            let begun = self.begin(tile, after);
            let met = self.next(begun, vec![own]);
            let written = self.next(met, vec![read]);
            self.touch((action, true), tile, (m.offset, m.bytes), (met, written));
            self.end(action, tile, written);
        }
        self.end(action, root, read);
    }

    /// A receive is in no list but that of its pair of tiles.
    fn begin_receive(&mut self, source: TileId, target: TileId, after: &[usize]) -> StepId {
        let mut before: Vec<_> = after
            .iter()
            .filter_map(|earlier| self.ended.get(&(*earlier, target)).copied())
            .collect();
        let last = self.receives.get(&(source, target));
        before.extend(last.filter(|_| self.are_in_lists));
        self.step(before)
    }
}
