// SPDX-License-Identifier: Apache-2.0
//! How far hardware and record have been compared, at whatever boundary.

use super::divergence::Divergence;
use super::error::LockstepError;
use super::layout::Layout;
use super::numbers::Numbers;
use crate::verilated::Verilated;
use noccl_net::{Network, TileId};
use noccl_spec::Plane;

/// A comparison of a network's flits.
pub(crate) struct Course<'n> {
    pub(crate) network: &'n Network,
    /// Flits in words, by plane.
    pub(crate) layouts: [Layout; 3],
    /// The next cycle of the hardware.
    pub(crate) cycle: u64,
    /// Handshakes compared.
    pub(crate) num_compared: u64,
}

impl<'n> Course<'n> {
    /// # Errors
    /// [`LockstepError::Library`] if the library's numbers are another network's.
    pub(crate) fn new(network: &'n Network, numbers: &Numbers) -> Result<Self, LockstepError> {
        numbers.check(network)?;
        let [first, second, third] = Plane::ALL.map(|plane| Layout::new(plane, numbers));
        Ok(Self {
            network,
            layouts: [first?, second?, third?],
            cycle: 0,
            num_compared: 0,
        })
    }

    /// The clock rises.
    ///
    /// # Errors
    /// The first assertion of the hardware that broke.
    pub(crate) fn tick(&mut self, hardware: &mut Verilated) -> Result<(), LockstepError> {
        hardware.tick();
        if let Some(what) = hardware.broken() {
            let cycle = self.cycle;
            return Err(LockstepError::Assertion { cycle, what });
        }
        self.cycle += 1;
        Ok(())
    }

    /// A difference in this cycle.
    pub(crate) fn divergence(
        &self,
        (plane, tile, at): (Plane, usize, &'static str),
        recorded: Option<String>,
        hardware: Option<String>,
    ) -> LockstepError {
        LockstepError::Divergence(Box::new(Divergence {
            cycle: self.cycle,
            plane,
            router: self.network.coord(TileId(tile as u32)),
            at,
            recorded,
            hardware,
        }))
    }
}
