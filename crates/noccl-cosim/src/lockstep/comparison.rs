// SPDX-License-Identifier: Apache-2.0
//! How far hardware and record have been compared, at whatever boundary.

use super::layout::Layout;
use super::numbers::Numbers;
use crate::verilated::{Unusable, Verilated};
use noccl_net::{Coord, Network, TileId};
use noccl_run::{CycleRecord, MemoryImage};
use noccl_spec::Plane;
use std::fmt;
use thiserror::Error;

/// A comparison of a network's flits.
pub(crate) struct Comparison<'n> {
    pub(crate) network: &'n Network,
    /// Flits in words, by plane.
    pub(crate) layouts: [Layout; 3],
    /// The next cycle of the hardware.
    pub(crate) cycle: u64,
    /// Handshakes compared.
    pub(crate) num_compared: u64,
}

impl<'n> Comparison<'n> {
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

// Where mesh and record part, for whoever has to find out why.

/// The first difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// Cycle.
    pub cycle: u64,
    /// Plane.
    pub plane: Plane,
    /// Mesh coordinate of the router.
    pub router: Coord,
    /// Where, in words.
    pub at: &'static str,
    /// What the record says, decoded; `None`: nothing there.
    pub recorded: Option<String>,
    /// What the hardware does, decoded; `None`: nothing there.
    pub hardware: Option<String>,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            cycle, plane, at, ..
        } = self;
        let Coord { x, y } = self.router;
        write!(f, "cycle {cycle}, plane {plane:?}, router ({x}, {y}), {at}")?;
        write_sides(f, [self.recorded.as_deref(), self.hardware.as_deref()])
    }
}

/// What each side has, a line each.
fn write_sides(f: &mut fmt::Formatter<'_>, sides: [Option<&str>; 2]) -> fmt::Result {
    let [recorded, hardware] = sides.map(|flit| flit.unwrap_or("nothing"));
    write!(f, "\n  recorded: {recorded}\n  hardware: {hardware}")
}

/// The first difference of routers that carry messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageDivergence {
    /// Cycle.
    pub cycle: u64,
    /// Mesh coordinate of the router.
    pub router: Coord,
    /// Where, in words.
    pub at: String,
    /// What the record says, decoded; `None`: nothing there.
    pub recorded: Option<String>,
    /// What the hardware does, decoded; `None`: nothing there.
    pub hardware: Option<String>,
}

impl fmt::Display for MessageDivergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cycle, at, .. } = self;
        let Coord { x, y } = self.router;
        write!(f, "cycle {cycle}, router ({x}, {y}), {at}")?;
        write_sides(f, [self.recorded.as_deref(), self.hardware.as_deref()])
    }
}

/// The first difference at a port, or in a memory at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortDivergence {
    /// Cycle from reset on.
    pub cycle: u64,
    /// Endpoint.
    pub endpoint: usize,
    /// What, in words.
    pub at: String,
    /// What the record says: bits of all endpoints, or the content.
    pub recorded: u64,
    /// What the hardware does.
    pub hardware: u64,
}

impl fmt::Display for PortDivergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cycle {}, endpoint {}, {}\n  recorded: {:#x}\n  hardware: {:#x}",
            self.cycle, self.endpoint, self.at, self.recorded, self.hardware
        )
    }
}

// Why hardware and record part, or cannot be compared.

/// Why hardware and record part, or cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LockstepError {
    /// The library cannot be used.
    #[error("{path}: {reason}")]
    Library {
        /// File.
        path: String,
        /// Why.
        reason: String,
    },
    /// The record has what has no hardware.
    #[error("cycle {cycle}: {what} has no hardware; accepted: any other transaction")]
    Unsupported {
        /// Cycle.
        cycle: u64,
        /// What.
        what: &'static str,
    },
    /// Hardware and record differ.
    #[error("{0}")]
    Divergence(Box<Divergence>),
    /// Routers that carry messages and record differ.
    #[error("{0}")]
    Messages(Box<MessageDivergence>),
    /// Torrent endpoints and record differ.
    #[error("{0}")]
    Ports(Box<PortDivergence>),
    /// An assertion of the hardware broke.
    #[error("cycle {cycle}: {what}")]
    Assertion {
        /// Cycle at whose end it broke.
        cycle: u64,
        /// File, line and instance.
        what: String,
    },
}

impl From<Unusable> for LockstepError {
    fn from(Unusable { path, reason }: Unusable) -> Self {
        LockstepError::Library { path, reason }
    }
}

// What all hardware in lock-step does, wherever it is driven.

/// Cycles after the last event in which hardware must stay still: more than any timer of it.
const DRAIN_CYCLES: u64 = 300;

/// Hardware that follows a recorded run, cycle by cycle.
pub trait Follow {
    /// Cycles up to and including a recorded one.
    ///
    /// # Errors
    /// The first difference or broken assertion; the hardware is of no use afterwards.
    fn follow(&mut self, record: &CycleRecord) -> Result<(), LockstepError>;

    /// As [`Self::follow`] with only as much compared as drives the hardware: what it costs alone.
    ///
    /// # Errors
    /// As [`Self::follow`].
    fn replay(&mut self, record: &CycleRecord) -> Result<(), LockstepError>;

    /// Cycles before `cycle` in which nothing may happen.
    ///
    /// # Errors
    /// As [`Self::follow`].
    fn idle_until(&mut self, cycle: u64) -> Result<(), LockstepError>;

    /// Cycles after the last event, in which nothing may happen.
    ///
    /// # Errors
    /// As [`Self::follow`].
    fn drain(&mut self) -> Result<(), LockstepError> {
        self.idle_until(self.cycle() + DRAIN_CYCLES)
    }

    /// Memories hold these bytes, if the hardware has memories.
    ///
    /// # Errors
    /// The first line that differs.
    fn check(&self, images: &[MemoryImage]) -> Result<(), LockstepError>;

    /// The next cycle of the hardware.
    fn cycle(&self) -> u64;

    /// Handshakes that hardware and record had in common so far.
    fn num_compared(&self) -> u64;
}
