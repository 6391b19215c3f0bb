// SPDX-License-Identifier: Apache-2.0
//! State of the agents in a checkpoint; what follows from the schedule is set up as for a new run.

use super::Agents;
use super::instances::Times;
use crate::checkpoint::{CheckpointError, Reader, Writer};
use crate::kernel::saved_form::Sorted;
use std::io::{Read, Write};

/// An instance: what it waits for, whether it is over, its times.
type SavedCore = (u32, bool, (u64, u64));

impl Agents<'_> {
    pub(crate) fn save<W: Write>(&self, to: &mut Writer<W>) -> Result<(), CheckpointError> {
        let Self {
            network: _,
            actions: _,
            instances,
            control,
            compute,
            engines,
            // Empty between two events.
            commands: _,
            barriers,
            reductions,
            open_bursts,
            watched: _,
        } = self;
        let times = |data: Times| (data.start_cycle, data.finish_cycle);
        let all = instances.all.iter();
        let saved = all.map(|(_, i)| (i.open, i.is_over, times(i.data)));
        to.put(&saved.collect::<Vec<SavedCore>>())?;
        to.put(&(Sorted(control), Sorted(compute), Sorted(engines)))?;
        to.put(&(barriers, Sorted(reductions), Sorted(open_bursts)))
    }

    /// Takes the place of the state that new agents of the same schedule begin with.
    pub(crate) fn restore<R: Read>(&mut self, from: &mut Reader<R>) -> Result<(), CheckpointError> {
        let saved: Vec<SavedCore> = from.take()?;
        if saved.len() != self.instances.num_instances() as usize {
            return Err(CheckpointError::Damaged {
                reason: "it is of another number of actions".to_owned(),
            });
        }
        for (id, (open, is_over, (start_cycle, finish_cycle))) in (0..).zip(saved) {
            let times = Times {
                start_cycle,
                finish_cycle,
            };
            self.instances.restore(id, open, is_over, times);
        }
        (self.control, self.compute, self.engines) = from.take()?;
        (self.barriers, self.reductions, self.open_bursts) = from.take()?;
        Ok(())
    }
}
