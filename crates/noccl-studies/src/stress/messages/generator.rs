// SPDX-License-Identifier: Apache-2.0
//! Actions of a random schedule, one after the other.
//!
//! No tile has more barriers open than it may (`ni.max_open_reductions`), whatever the order in which actions end.

use super::super::StressKind;
use super::super::generate::multi_address;
use super::{INPUT_BYTES, MAX_BYTES, MIN_BYTES};
use noccl_net::{AxiNetwork, MultiAddress, TileRef, TileSet};
use noccl_run::Rng;
use noccl_workload::{
    Action, ActionId, ActionKind, Arrival, Barrier, BarrierMechanism, Compute, Destination,
    ElementType, InNetworkReduction, Operator, Place, Transfer, participants,
};
use std::collections::BTreeMap;

/// Most cycles that a participant computes before it begins.
const MAX_DELAY_CYCLES: u64 = 48;

/// Bytes that a tile may read after an action.
#[derive(Debug, Clone, Copy)]
struct Left {
    place: Place,
    bytes: u64,
    by: ActionId,
}

pub(super) struct Generator<'n> {
    network: AxiNetwork<'n>,
    kinds: Vec<StressKind>,
    clusters: Vec<TileRef>,
    tiles: Vec<TileRef>,
    rng: Rng,
    range_bytes: u64,
    pub(super) actions: Vec<Action>,
    left: Vec<Left>,
    /// The last action of each tile.
    last: BTreeMap<TileRef, ActionId>,
    /// Groups of the barriers that each tile counts.
    counted: BTreeMap<TileRef, Vec<MultiAddress>>,
}

impl<'n> Generator<'n> {
    /// Without an action.
    pub(super) fn new(
        network: AxiNetwork<'n>,
        (clusters, tiles): (Vec<TileRef>, Vec<TileRef>),
        kinds: Vec<StressKind>,
        (rng, range_bytes): (Rng, u64),
    ) -> Self {
        Self {
            network,
            kinds,
            clusters,
            tiles,
            rng,
            range_bytes,
            actions: Vec::new(),
            left: Vec::new(),
            last: BTreeMap::new(),
            counted: BTreeMap::new(),
        }
    }

    /// One more transaction, which writes to the range with this index.
    pub(super) fn add(&mut self, index: u64) {
        let offset = INPUT_BYTES + index * self.range_bytes;
        let before = self.source();
        let kind = match self.rng.pick(&self.kinds) {
            StressKind::Read => self.read(offset),
            StressKind::Multicast => self.multicast(before, offset),
            StressKind::Reduction => self.reduction(offset),
            StressKind::Barrier => self.barrier(),
            // Chains are not mixed with others.
            StressKind::Write
            | StressKind::Atomic
            | StressKind::Chain
            | StressKind::Program
            | StressKind::ExecutedProgram => self.write(before, offset),
        };
        let mut after = self.delays(&kind);
        if let ActionKind::Transfer(transfer) | ActionKind::Delivery(transfer) = &kind
            && transfer.source.offset >= INPUT_BYTES
        {
            after.extend(before.map(|left| left.by));
        }
        let tiles = self.participants(&kind);
        if self.rng.one_in(4) {
            let tile = *self.rng.pick(&tiles);
            after.extend(self.last.get(&tile));
        }
        after.sort_unstable();
        after.dedup();
        let by = ActionId(self.actions.len() as u32);
        self.leave(&kind, by);
        for tile in tiles {
            self.last.insert(tile, by);
        }
        self.actions.push(Action { kind, after });
    }

    fn participants(&self, kind: &ActionKind) -> Vec<TileRef> {
        let tiles = participants(&self.network, kind).into_iter();
        tiles.map(|tile| self.network.tile_ref(tile)).collect()
    }

    /// Participants begin in different cycles.
    fn delays(&mut self, kind: &ActionKind) -> Vec<ActionId> {
        let mut delays = Vec::new();
        for tile in self.participants(kind) {
            if self.rng.one_in(4) {
                delays.push(ActionId(self.actions.len() as u32));
                let cycles = 1 + self.rng.below(MAX_DELAY_CYCLES);
                self.actions.push(Action {
                    kind: ActionKind::Compute(Compute { tile, cycles }),
                    after: Vec::new(),
                });
            }
        }
        delays
    }

    /// Notes who may read what an action leaves.
    fn leave(&mut self, kind: &ActionKind, by: ActionId) {
        let (places, offset, bytes) = match kind {
            ActionKind::Transfer(t) => match t.destination {
                Destination::One(place) if place.tile == t.initiator => {
                    (vec![place.tile], place.offset, t.bytes)
                }
                Destination::One(_) | Destination::Multicast { .. } => return,
            },
            ActionKind::Delivery(t) => match t.destination {
                Destination::One(place) => (vec![place.tile], place.offset, t.bytes),
                Destination::Multicast { set, offset } => (self.members(set), offset, t.bytes),
            },
            // Its root has the result; only a member of the group takes part.
            ActionKind::InNetworkReduction(r) => {
                let mut members = self.members(r.group);
                members.retain(|tile| *tile == r.root.tile);
                (members, r.root.offset, r.bytes)
            }
            ActionKind::InNetworkAllReduce(_)
            | ActionKind::LocalReduce(_)
            | ActionKind::Compute(_)
            | ActionKind::Barrier(_)
            | ActionKind::Arrival(_)
            | ActionKind::Kernel(_)
            | ActionKind::Chain(_)
            | ActionKind::ListMulticast(_)
            | ActionKind::Message(_)
            | ActionKind::StaticMulticast(_) => return,
        };
        let cluster = |tile: &&TileRef| matches!(tile, TileRef::Cluster(_));
        let left = places.iter().filter(cluster).map(|tile| Left {
            place: Place {
                tile: *tile,
                offset,
            },
            bytes,
            by,
        });
        self.left.extend(left.filter(|left| left.bytes > 0));
    }

    fn members(&self, set: MultiAddress) -> Vec<TileRef> {
        let tiles = self.network.multi_tiles(set).flatten();
        tiles.map(|tile| self.network.tile_ref(tile)).collect()
    }

    /// What an earlier action has left, for a third of those that could read it.
    fn source(&mut self) -> Option<Left> {
        (self.rng.one_in(3) && !self.left.is_empty()).then(|| *self.rng.pick(&self.left))
    }

    fn write(&mut self, before: Option<Left>, offset: u64) -> ActionKind {
        let to = *self.rng.pick(&self.tiles);
        let destination = Destination::One(Place { tile: to, offset });
        self.send(before, destination)
    }

    fn multicast(&mut self, before: Option<Left>, offset: u64) -> ActionKind {
        let set = self.set();
        self.send(before, Destination::Multicast { set, offset })
    }

    /// What was left before, input of the initiator, or input of somebody else.
    fn send(&mut self, before: Option<Left>, destination: Destination) -> ActionKind {
        let (initiator, source, most) = if let Some(left) = before {
            let skipped = self.rng.below(left.bytes);
            let offset = left.place.offset + skipped;
            let source = Place {
                offset,
                ..left.place
            };
            (left.place.tile, source, left.bytes - skipped)
        } else {
            let initiator = *self.rng.pick(&self.clusters);
            let tile = if self.rng.one_in(4) {
                *self.rng.pick(&self.tiles)
            } else {
                initiator
            };
            (initiator, self.input(tile), self.range_bytes)
        };
        let bytes = self.bytes(most);
        let mut transfer = Transfer::row(initiator, source, destination, bytes);
        if before.is_none() && self.rng.one_in(4) {
            self.lines(&mut transfer);
        }
        if self.rng.one_in(2) {
            ActionKind::Delivery(transfer)
        } else {
            ActionKind::Transfer(transfer)
        }
    }

    fn read(&mut self, offset: u64) -> ActionKind {
        let initiator = *self.rng.pick(&self.clusters);
        let from = *self.rng.pick(&self.tiles);
        let source = self.input(from);
        let destination = Destination::One(Place {
            tile: initiator,
            offset,
        });
        let bytes = self.bytes(self.range_bytes);
        let mut transfer = Transfer::row(initiator, source, destination, bytes);
        if self.rng.one_in(4) {
            self.lines(&mut transfer);
        }
        ActionKind::Transfer(transfer)
    }

    /// Makes lines with gaps of it, within the input and the range of the action.
    fn lines(&mut self, transfer: &mut Transfer) {
        let rows = 1 + self.rng.below(5);
        transfer.bytes = 1 + self.rng.below(self.range_bytes / rows / 2);
        transfer.rows = rows as u32;
        transfer.source_stride = self.rng.below(1 + MAX_BYTES / rows);
        let gap = self.rng.below(self.range_bytes / rows - transfer.bytes);
        transfer.destination_stride = transfer.bytes + gap;
    }

    fn reduction(&mut self, offset: u64) -> ActionKind {
        let integers = ElementType::ALL.into_iter().filter(|e| !e.is_float());
        let element = *self.rng.pick(&integers.collect::<Vec<_>>());
        let operator = *self.rng.pick(&Operator::ALL);
        let whole = |bytes: u64| bytes.next_multiple_of(element.bytes());
        let most = self.range_bytes;
        let source_offset = self.rng.below(INPUT_BYTES - most) / MIN_BYTES * MIN_BYTES;
        ActionKind::InNetworkReduction(InNetworkReduction {
            group: self.set(),
            source_offset,
            root: Place {
                tile: *self.rng.pick(&self.clusters),
                offset,
            },
            bytes: whole(self.bytes(most)),
            operator,
            element,
        })
    }

    /// All wait, or the first one of them alone.
    fn barrier(&mut self) -> ActionKind {
        let group = self.set();
        if self.rng.one_in(2) {
            let members = self.members(group);
            let root = *self.rng.pick(&members);
            return ActionKind::Arrival(Arrival { group, root });
        }
        let counter = *self.rng.pick(&self.clusters);
        ActionKind::Barrier(Barrier {
            group: TileSet::Cube(self.group_at(counter, group)),
            counter,
            mechanism: BarrierMechanism::InNetwork,
        })
    }

    /// The group, or one of those whose barriers the tile counts if these are as many as it may have open at a time: of one
    /// group only one is.
    fn group_at(&mut self, counter: TileRef, group: MultiAddress) -> MultiAddress {
        let limit = self.network.axi().ni.max_open_reductions as usize;
        let groups = self.counted.entry(counter).or_default();
        if groups.len() < limit && !groups.contains(&group) {
            groups.push(group);
        }
        if groups.contains(&group) {
            group
        } else {
            *self.rng.pick(groups)
        }
    }

    fn set(&mut self) -> MultiAddress {
        let (width, height) = (self.network.cluster_width(), self.network.cluster_height());
        multi_address(&mut self.rng, width, height)
    }

    /// Somewhere in the input of a tile, with space for what a transfer reads.
    fn input(&mut self, tile: TileRef) -> Place {
        let offset = self.rng.below(INPUT_BYTES - 2 * MAX_BYTES);
        Place { tile, offset }
    }

    /// 1 to `most` bytes, short and long ones equally likely in octaves.
    fn bytes(&mut self, most: u64) -> u64 {
        let octave = self.rng.below(u64::from(most.ilog2()) + 1);
        let low = 1_u64 << octave;
        (low + self.rng.below(low)).min(most)
    }
}
