// SPDX-License-Identifier: Apache-2.0
//! Reductions as drivers see them: opened, contributed to, read at the root, closed.

use super::channels::NOBODY;
use super::packet::{Combining, PacketKind, Reduction, ports_of};
use super::plane::SmartPlane;
use noccl_net::{TileId, TreeTable};

impl SmartPlane {
    /// Is there an id for another reduction, or, where routers do not count, space for it?
    pub(crate) fn has_free_id(&self) -> bool {
        if self.n.is_complete {
            !self.unused_ids.is_empty()
        } else {
            self.reductions.len() - self.unused_reductions.len() < self.n.table_entries
        }
    }

    /// Opens a reduction of `members` contributions over a tree of inputs. The delivery at its root that completes it has its tag.
    pub(crate) fn add_reduction(
        &mut self,
        table: &TreeTable,
        members: u32,
        combining: Combining,
        tag: u64,
    ) -> u32 {
        let id = if self.n.is_complete {
            self.unused_ids.pop()
        } else {
            None
        };
        let at = self
            .unused_reductions
            .pop()
            .unwrap_or(self.reductions.len() as u32);
        let (mut inputs, mut waiting) = (Vec::new(), Vec::new());
        if (at as usize) < self.reductions.len() {
            let old = &mut self.reductions[at as usize];
            inputs = std::mem::take(&mut old.inputs);
            waiting = std::mem::take(&mut old.waiting);
        }
        if self.n.merges_in_interface {
            waiting.resize(self.n.tiles, NOBODY);
        }
        ports_of(table, self.n.tiles, &mut inputs);
        self.record_reduction(at, &inputs);
        for ports in &mut inputs {
            *ports = (ports.count_ones() as u8).min(self.n.max_count);
        }
        let reduction = Reduction {
            inputs,
            waiting,
            root: table.root().0,
            id,
            combining,
            hpc_max: combining.hpc_max(&self.n),
            missing: members,
            messages: 0,
            value: Vec::new(),
            tag,
            is_open: true,
        };
        if (at as usize) < self.reductions.len() {
            self.reductions[at as usize] = reduction;
        } else {
            self.reductions.push(reduction);
        }
        at
    }

    /// Entries of the routers' tables that are in use.
    pub(crate) fn open_entries(&self) -> usize {
        if self.n.is_complete {
            self.n.table_entries - self.unused_ids.len()
        } else {
            0
        }
    }

    /// Queues a contribution at its source.
    pub(crate) fn send_contribution(&mut self, from: TileId, reduction: u32, operand: &[u8]) {
        let r = &self.reductions[reduction as usize];
        let (root, tag) = (TileId(r.root), r.tag);
        let packet = self.send(PacketKind::Contribution, from, root, reduction, 1, tag);
        if self.n.merges_in_interface {
            self.reductions[reduction as usize].waiting[from.0 as usize] = packet;
        }
        self.table.set_operand(packet, operand);
        self.record_contribution(packet, operand);
    }

    /// Contributions, combined ones counted once, that have come to the root of a reduction, and what they are together.
    pub(crate) fn result(&self, reduction: u32) -> (u32, &[u8]) {
        let reduction = &self.reductions[reduction as usize];
        (reduction.messages, &reduction.value)
    }

    /// Has a reduction an entry in the routers' tables?
    pub(crate) fn is_counting(&self, reduction: u32) -> bool {
        self.reductions[reduction as usize].id.is_some()
    }

    /// A complete reduction is forgotten, and its id used again.
    pub(crate) fn close(&mut self, at: u32) {
        let reduction = &mut self.reductions[at as usize];
        assert!(
            reduction.is_open && reduction.missing == 0,
            "a reduction is closed before it is complete"
        );
        reduction.is_open = false;
        if let Some(id) = reduction.id.take() {
            debug_assert!(
                self.table.is_free(id),
                "an id is free and a router still counts"
            );
            self.unused_ids.push(id);
        }
        self.unused_reductions.push(at);
    }
}
