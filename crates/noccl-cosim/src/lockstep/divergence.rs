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
        let or_nothing = |flit: &Option<String>| flit.clone().unwrap_or("nothing".to_owned());
        write!(
            f,
            "cycle {}, plane {:?}, router ({}, {}), {}\n  recorded: {}\n  hardware: {}",
            self.cycle,
            self.plane,
            self.router.x,
            self.router.y,
            self.at,
            or_nothing(&self.recorded),
            or_nothing(&self.hardware),
        )
    }
}
