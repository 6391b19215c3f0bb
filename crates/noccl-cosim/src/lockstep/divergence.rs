// SPDX-License-Identifier: Apache-2.0
//! Where mesh and record part, for whoever has to find out why.

use noccl_net::Coord;
use noccl_spec::Plane;
use std::fmt;

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
