// SPDX-License-Identifier: Apache-2.0
//! The record of a cycle, for hardware that follows it. Without a recorder nothing is kept.

use super::SmartNetwork;
use super::message_network::MessageNetwork;
use super::numbers::LOCAL;
use super::packet::{Combining, PacketKind};
use super::plane::SmartPlane;
use crate::packets::{ReductionId, ReductionTreeId};
use noccl_net::{Network, Port, TileId};
use noccl_run::{
    CycleRecord, MessageClass, MessageCrossing, MessageDelivery, QueuedPacket, RunError,
};
use noccl_spec::{SmartMulticast, SmartTree};
use noccl_workload::{ElementType, Operator};

/// What a cycle's record is made of.
#[derive(Debug, Default)]
pub(super) struct SmartRecorder {
    /// The cycle that has been simulated last.
    record: CycleRecord,
    /// Packets queued since its beginning.
    queued: Vec<QueuedPacket>,
    /// Flits that cross links in the next cycle.
    crossings: Vec<MessageCrossing>,
    /// What the next packets carry.
    payload: Vec<u8>,
    /// Members of each reduction.
    members: Vec<Vec<TileId>>,
}

impl SmartNetwork<'_> {
    /// # Errors
    /// [`RunError::Refused`] for what no record tells: wires, slots, and trees from corners.
    pub(super) fn refuse_record(self) -> Result<(), RunError> {
        let refused = |field: &str, accepted: &str| RunError::Refused {
            backend: "sim",
            what: "a record of cycles".to_owned(),
            reason: format!("router.smart.{field} must be {accepted}"),
        };
        if self.smart.is_connected {
            return Err(refused("is_connected", "false"));
        }
        if self.smart.tree != SmartTree::Shared {
            return Err(refused("tree", "\"shared\""));
        }
        if self.smart.multicast == SmartMulticast::Complete {
            let accepted = "\"unicasts\", \"fork\" or \"greedy\"";
            return Err(refused("multicast", accepted));
        }
        Ok(())
    }
}

impl SmartPlane {
    /// Records from now on. The network is one of those that can be recorded ([`SmartNetwork::refuse_record`]).
    pub(super) fn begin_record(&mut self) {
        self.recorder = Some(Box::default());
    }

    /// The cycle that has been simulated last.
    pub(super) fn recorded(&self) -> Option<&CycleRecord> {
        self.recorder.as_ref().map(|recorder| &recorder.record)
    }

    /// What the packets that are queued next carry behind their heads.
    pub(super) fn set_payload(&mut self, bytes: &[u8]) {
        if let Some(recorder) = &mut self.recorder {
            recorder.payload.clear();
            recorder.payload.extend_from_slice(bytes);
        }
    }

    /// A cycle begins.
    pub(super) fn record_beginning(
        &mut self,
        takes: &impl Fn(TileId) -> bool,
        offers: &impl Fn(TileId) -> bool,
    ) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        recorder.record.cycle = self.cycle;
        let messages = &mut recorder.record.messages;
        messages.clear();
        messages.queued.append(&mut recorder.queued);
        messages.crossings.append(&mut recorder.crossings);
        let tiles = || (0..self.n.tiles as u32).map(TileId);
        messages
            .refusing
            .extend(tiles().filter(|tile| !takes(*tile)));
        messages
            .silent
            .extend(tiles().filter(|tile| !offers(*tile)));
    }

    /// A unicast or a multicast has been queued.
    pub(super) fn record_message(&mut self, id: u32) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        let packet = &self.packets[id as usize];
        let (class, members) = match packet.kind {
            PacketKind::Tree => {
                let ports = &self.trees[packet.of as usize].ports;
                (MessageClass::Multicast, members(ports))
            }
            PacketKind::Unicast | PacketKind::ToCorner | PacketKind::Contribution => {
                (MessageClass::Unicast, Vec::new())
            }
        };
        recorder.queued.push(QueuedPacket {
            packet: id,
            class,
            source: TileId(packet.source),
            root: TileId(packet.target),
            members,
            flits: packet.flits,
            entry: None,
            combining: None,
            data: recorder.payload.clone(),
        });
    }

    /// A reduction has been opened, over inputs by tile.
    pub(super) fn record_reduction(&mut self, at: u32, inputs: &[u8]) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        let at = at as usize;
        if recorder.members.len() <= at {
            recorder.members.resize(at + 1, Vec::new());
        }
        recorder.members[at] = members(inputs);
    }

    /// A contribution has been queued.
    pub(super) fn record_contribution(&mut self, id: u32, operand: &[u8]) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        let packet = &self.packets[id as usize];
        let reduction = &self.reductions[packet.of as usize];
        recorder.queued.push(QueuedPacket {
            packet: id,
            class: MessageClass::Contribution,
            source: TileId(packet.source),
            root: TileId(packet.target),
            members: recorder.members[packet.of as usize].clone(),
            flits: packet.flits,
            entry: reduction.id,
            combining: match reduction.combining {
                Combining::Count => None,
                Combining::Values(operator, element) => Some((operator, element)),
            },
            data: operand.to_vec(),
        });
    }

    /// A flit enters a router.
    #[inline]
    pub(super) fn record_entry(&mut self, tile: usize, class: usize) {
        if let Some(recorder) = &mut self.recorder {
            let entered = (TileId(tile as u32), MessageClass::ALL[class]);
            recorder.record.messages.entered.push(entered);
        }
    }

    /// A flit crosses some links in the next cycle.
    #[inline]
    pub(super) fn record_crossings(&mut self, from: (usize, usize), hops: u32, flit: (u32, u16)) {
        if let Some(recorder) = &mut self.recorder {
            let crossing = |hop: u32| MessageCrossing {
                tile: TileId(self.n.along(from.0, from.1, hop as usize) as u32),
                port: Port::ALL[from.1],
                packet: flit.0,
                flit: flit.1,
            };
            recorder.crossings.extend((0..hops).map(crossing));
        }
    }

    /// A flit reaches an interface.
    #[inline]
    pub(super) fn record_delivery(&mut self, id: u32, tile: u32, flit: u16) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        let is_contribution = self.packets[id as usize].kind == PacketKind::Contribution;
        let operand = if is_contribution {
            self.table.operand(id).to_vec()
        } else {
            Vec::new()
        };
        recorder.record.messages.deliveries.push(MessageDelivery {
            tile: TileId(tile),
            packet: id,
            flit,
            operand,
        });
    }
}

/// Tiles with a Local port.
fn members(ports: &[u8]) -> Vec<TileId> {
    let tiles = (0..).zip(ports);
    let members = tiles.filter(|(_, ports)| **ports >> LOCAL & 1 == 1);
    members.map(|(tile, _)| TileId(tile)).collect()
}

// A network of messages whose cycles are recorded: operands and bytes, for hardware that follows it.

impl<'n> MessageNetwork<'n> {
    /// With nothing in it; every cycle is recorded, and a flit of a contribution is an operand.
    ///
    /// # Errors
    /// [`RunError::Refused`] for routers of other kinds, and for what no record tells.
    pub fn recorded(network: &'n Network) -> Result<Self, RunError> {
        let on = SmartNetwork::new(network)?;
        on.refuse_record()?;
        let mut messages = Self::with_operands(on, on.smart.flit_bits as usize / 8);
        messages.plane.begin_record();
        Ok(messages)
    }

    /// What the packets that are sent from now on carry behind their heads.
    pub fn set_payload(&mut self, bytes: &[u8]) {
        self.plane.set_payload(bytes);
    }

    /// Opens a reduction of operands.
    pub fn open_values(
        &mut self,
        tree: ReductionTreeId,
        (operator, element): (Operator, ElementType),
        tag: u64,
    ) -> ReductionId {
        self.open_combining(tree, Combining::Values(operator, element), tag)
    }

    /// Queues a contribution with an operand at its source.
    pub fn contribute_operand(&mut self, from: TileId, reduction: ReductionId, operand: &[u8]) {
        self.plane.send_contribution(from, reduction.0, operand);
    }

    /// The record of the last cycle, if cycles are recorded.
    #[must_use]
    pub fn record(&self) -> Option<&CycleRecord> {
        self.plane.recorded()
    }
}
