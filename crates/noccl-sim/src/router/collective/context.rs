// SPDX-License-Identifier: Apache-2.0
//! What the routers of a plane read of the rest of the simulation.

use crate::fabric::payload::PayloadPool;
use crate::fabric::transaction::Trees;

/// What planes read of the rest of the simulation.
pub(crate) struct Context<'a> {
    pub cycle: u64,
    pub trees: &'a Trees,
    pub pool: &'a mut PayloadPool,
    pub is_value: bool,
    /// Per tile: the cores use the FPUs until this cycle.
    pub fpu_busy_until: &'a mut [u64],
}
