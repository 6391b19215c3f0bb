// SPDX-License-Identifier: Apache-2.0
//! State of the agents in a checkpoint; what follows from the schedule is set up as for a new run.

use super::Agents;
use crate::checkpoint::{CheckpointError, Reader, Writer};
use crate::endpoint::core::instances::Instance;
use crate::kernel::saved_form::Sorted;
use std::io::{Read, Write};

impl Agents<'_> {
    pub(crate) fn save<W: Write>(&self, to: &mut Writer<W>) -> Result<(), CheckpointError> {
        let Self {
            network: _,
            actions: _,
            instances,
            control,
            compute,
            engines,
            barriers,
            reductions,
            open_bursts,
            num_done,
            watched: _,
        } = self;
        to.put(&instances.all)?;
        to.put(&(Sorted(control), Sorted(compute), Sorted(engines)))?;
        to.put(&(barriers, Sorted(reductions), Sorted(open_bursts), num_done))
    }

    /// Takes the place of the state that new agents of the same schedule begin with.
    pub(crate) fn restore<R: Read>(&mut self, from: &mut Reader<R>) -> Result<(), CheckpointError> {
        let saved: Vec<Instance> = from.take()?;
        if saved.len() != self.instances.all.len() {
            return Err(CheckpointError::Damaged {
                reason: "it is of another number of actions".to_owned(),
            });
        }
        for (own, saved) in self.instances.all.iter_mut().zip(saved) {
            *own = Instance {
                action: own.action,
                tile: own.tile,
                ..saved
            };
        }
        (self.control, self.compute, self.engines) = from.take()?;
        (
            self.barriers,
            self.reductions,
            self.open_bursts,
            self.num_done,
        ) = from.take()?;
        Ok(())
    }
}
