// SPDX-License-Identifier: Apache-2.0
//! A network of messages whose cycles are recorded: operands and bytes, for hardware that follows it.

use super::SmartNetwork;
use super::message_network::{MessageNetwork, ReductionId, ReductionTreeId};
use super::packet::Combining;
use noccl_net::{Network, TileId};
use noccl_run::{CycleRecord, RunError};
use noccl_workload::{ElementType, Operator};

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
