// SPDX-License-Identifier: Apache-2.0
//! Contributions that come together: a reduction of one flit per member for each flit of the operands.

use super::messages::{FLOW, Messages, RELEASE, tag};
use super::plane::SmartPlane;
use super::task::{Then, Work};
use noccl_net::TileId;
use noccl_run::WaitEdge;

impl Messages<'_> {
    /// Actions that some members have begun and others have not.
    pub(super) fn waits(&self) -> Vec<WaitEdge> {
        let mut waits = Vec::new();
        for (index, task) in self.tasks.iter() {
            let Work::Gather(gather) = &task.work else {
                continue;
            };
            let has_begun = |tile: &TileId| {
                let instance = self.instances.at(index, *tile);
                instance.is_some_and(|id| self.instances.all[id].data)
            };
            if !gather.members.iter().any(has_begun) {
                continue;
            }
            let absent = gather.members.iter().filter(|tile| !has_begun(tile));
            waits.extend(absent.map(|tile| WaitEdge {
                waiter: format!("actions[{index}] ({})", self.actions.kind(index).name()),
                awaited: format!(
                    "{}, which has not begun it",
                    self.on.network.tile_ref(*tile)
                ),
                place: format!("its root, {}", self.on.network.tile_ref(gather.root)),
                // 0: members have been absent from the first cycle on if nobody has begun it.
                since_cycle: task.start_cycle.unwrap_or(0),
            }));
        }
        waits
    }

    pub(super) fn begin_gather(&mut self, action: u32, tile: TileId, plane: &mut SmartPlane) {
        let gather = self.gathering(action);
        if gather.flows == 0 {
            self.finish(action, tile);
            return;
        }
        let opened: Vec<(u64, u32)> = (0..)
            .zip(&gather.opened)
            .filter_map(|(i, id)| Some((i, (*id)?)))
            .collect();
        let leaves = gather.then == Then::Nothing && gather.root != tile;
        for (flow, id) in opened {
            self.contribute(action, tile, flow, id, plane);
        }
        self.open_flows(action, plane);
        if leaves {
            self.finish(action, tile);
        }
    }

    /// Opens flows as long as ids are free; one at least, whose contributions may have to go one by one.
    fn open_flows(&mut self, action: u32, plane: &mut SmartPlane) {
        loop {
            let on = self.on;
            let gather = self.gathering(action);
            let flow = gather.opened.len() as u64;
            let is_alone = flow == gather.complete;
            if flow == gather.flows || !(is_alone || plane.has_free_id()) {
                return;
            }
            let (root, members, combining) =
                (gather.root, gather.members.clone(), gather.combining);
            let id = on.reduction(plane, root, &members, combining, tag(action, FLOW, flow));
            self.gathering(action).opened.push(Some(id));
            let all = self.instances.of(action).map(|id| &self.instances.all[id]);
            let begun = all.filter(|instance| instance.data);
            let begun: Vec<TileId> = begun.map(|instance| instance.tile).collect();
            for tile in begun {
                self.contribute(action, tile, flow, id, plane);
            }
        }
    }

    fn contribute(
        &mut self,
        action: u32,
        tile: TileId,
        flow: u64,
        id: u32,
        plane: &mut SmartPlane,
    ) {
        let flit_bytes = self.flit_bytes;
        let mut operand = Vec::new();
        if let Some(reduction) = self.gathering(action).reduction.clone() {
            let from = flow * flit_bytes;
            let bytes = (reduction.bytes - from).min(flit_bytes);
            self.counters.dma_load_bytes += bytes;
            self.counters.dma_store_bytes += bytes;
            if self.is_value {
                operand = vec![0; bytes as usize];
                let offset = reduction.source_offset + from;
                self.memories.read(tile.0, offset, &mut operand);
            }
        }
        plane.send_contribution(tile, id, &operand);
    }

    pub(super) fn flow_complete(
        &mut self,
        action: u32,
        flow: u64,
        value: &[u8],
        plane: &mut SmartPlane,
    ) {
        let (flit_bytes, is_value, on) = (self.flit_bytes, self.is_value, self.on);
        let gather = self.gathering(action);
        gather.opened[flow as usize] = None;
        gather.complete += 1;
        let (root, members, then) = (gather.root, gather.members.clone(), gather.then);
        let is_over = gather.complete == gather.flows;
        if let Some(reduction) = gather.reduction.clone() {
            let from = flow * flit_bytes;
            let bytes = (reduction.bytes - from).min(flit_bytes);
            let elements = bytes / reduction.element.bytes();
            self.counters.dca_ops += (members.len() as u64 - 1) * elements;
            self.counters.spm_write_bytes += bytes;
            if is_value {
                let offset = reduction.root.offset + from;
                self.memories
                    .write(root.0, offset, &value[..bytes as usize]);
            }
        }
        if !is_over {
            self.open_flows(action, plane);
        } else if then == Then::Release {
            on.send(plane, root, &members, 1, tag(action, RELEASE, 0));
        } else {
            self.finish(action, root);
        }
    }
}
