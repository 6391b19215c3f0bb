// SPDX-License-Identifier: Apache-2.0
//! Links between routers, and what FIFOs and links together say of a hop.

use super::Router;
use crate::Plane;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cycles that a flit takes over a link between two routers, 1 to 8 on each plane; what is left out is 1. Each beyond the first
/// is a register stage of two slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkCycles {
    /// Of the request plane.
    #[serde(default = "one_cycle")]
    pub req: u32,
    /// Of the response plane.
    #[serde(default = "one_cycle")]
    pub rsp: u32,
    /// Of the wide plane.
    #[serde(default = "one_cycle")]
    pub wide: u32,
}

impl Default for LinkCycles {
    fn default() -> Self {
        Self {
            req: 1,
            rsp: 1,
            wide: 1,
        }
    }
}

impl LinkCycles {
    /// Is every link crossed in a cycle?
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Cycles of a link of one plane.
    #[must_use]
    pub const fn of(&self, plane: Plane) -> u32 {
        match plane {
            Plane::Req => self.req,
            Plane::Rsp => self.rsp,
            Plane::Wide => self.wide,
        }
    }
}

impl Router {
    /// Do flits go over links from tile to tile? Else every interface reaches every other one directly, however far it is.
    #[must_use]
    pub fn has_links(&self) -> bool {
        self.flow.rules().has_links()
    }

    /// Cycles from a router to the next one on a plane, for a flit that nobody holds up: the registers in front of the switch
    /// and behind it, and those of the link beyond its first cycle. Without links distance costs nothing.
    #[must_use]
    pub fn hop_cycles(&self, plane: Plane) -> u32 {
        if self.has_links() {
            self.router_cycles() + self.link_cycles.of(plane) - 1
        } else {
            0
        }
    }

    /// Cycles in one router with the first cycle of the link behind it.
    #[must_use]
    pub const fn router_cycles(&self) -> u32 {
        (self.input_fifo_flits > 0) as u32 + (self.output_fifo_flits > 0) as u32
    }

    /// Cycles in which a port passes a flit: a FIFO with one slot takes none while it holds one.
    #[must_use]
    pub const fn flit_cycles(&self) -> u32 {
        let has_one_slot = self.input_fifo_flits == 1 || self.output_fifo_flits == 1;
        1 + has_one_slot as u32
    }
}

pub(super) const fn one_cycle() -> u32 {
    1
}

/// Path and value of each field of `[router.link_cycles]`.
pub(super) fn fields(links: &LinkCycles) -> impl Iterator<Item = (String, u32)> {
    let fields = [("req", links.req), ("rsp", links.rsp), ("wide", links.wide)];
    fields
        .into_iter()
        .map(|(plane, cycles)| (format!("router.link_cycles.{plane}"), cycles))
}
