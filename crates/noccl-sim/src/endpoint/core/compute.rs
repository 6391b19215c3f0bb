// SPDX-License-Identifier: Apache-2.0
//! The compute cores: reductions, kernels and time that computing takes.

use super::Agents;
use super::event::CoreEvent;
use crate::endpoint::core::kernels::{compute_locally, reduce_locally};
use crate::machine::Machine;
use noccl_spec::Cluster;
use noccl_workload::ActionKind;

impl Agents<'_> {
    pub(super) fn wake_compute(&mut self, tile: u32, machine: &mut Machine<'_>) {
        let agent = self.compute.get_mut(&tile);
        let next = agent.and_then(|a| a.begin_next(&self.instances));
        let Some(id) = next.or_else(|| self.begin_beside_compute(tile)) else {
            return;
        };
        let instance = &mut self.instances.all[id];
        instance.data.start_cycle = machine.clock.now();
        let cluster = &machine.network.axi().cluster;
        let start = u64::from(cluster.instructions.compute_start);
        let work = match &*self.actions.kind(instance.action) {
            ActionKind::LocalReduce(l) => {
                let beats = l.bytes.div_ceil(Cluster::COMPUTE_BEAT_BYTES)
                    * (l.inputs.len() as u64 - 1).max(1);
                start + (beats * u64::from(cluster.compute_millicycles_per_beat)).div_ceil(1000)
            }
            ActionKind::Compute(c) => start + c.cycles,
            ActionKind::Kernel(kernel) => kernel.cycles,
            ActionKind::Transfer(_)
            | ActionKind::Delivery(_)
            | ActionKind::Arrival(_)
            | ActionKind::InNetworkReduction(_)
            | ActionKind::InNetworkAllReduce(_)
            | ActionKind::Chain(_)
            | ActionKind::ListMulticast(_)
            | ActionKind::Message(_)
            | ActionKind::StaticMulticast(_)
            | ActionKind::Barrier(_) => 0,
        };
        let end = machine.clock.now() + work;
        machine.mesh.fpu_busy_until[tile as usize] = end;
        machine.call_driver(end, CoreEvent::Computed { instance: id });
    }

    pub(super) fn computed(&mut self, id: u32, machine: &mut Machine<'_>) {
        let (action, tile) = (self.instances.all[id].action, self.instances.all[id].tile.0);
        let end = machine.mesh.fpu_busy_until[tile as usize];
        if end > machine.clock.now() {
            machine.call_driver(end, CoreEvent::Computed { instance: id });
            return;
        }
        match &*self.kind_of(action) {
            ActionKind::LocalReduce(reduce) => reduce_locally(tile, reduce, machine),
            ActionKind::Kernel(kernel) => compute_locally(tile, kernel, machine),
            ActionKind::Compute(_)
            | ActionKind::Transfer(_)
            | ActionKind::Delivery(_)
            | ActionKind::Arrival(_)
            | ActionKind::InNetworkReduction(_)
            | ActionKind::InNetworkAllReduce(_)
            | ActionKind::Chain(_)
            | ActionKind::ListMulticast(_)
            | ActionKind::Message(_)
            | ActionKind::StaticMulticast(_)
            | ActionKind::Barrier(_) => {}
        }
        if let Some(agent) = self.compute.get_mut(&tile) {
            agent.is_busy = false;
        }
        self.over(id, machine);
        self.wake_compute(tile, machine);
    }
}
