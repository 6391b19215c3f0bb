// SPDX-License-Identifier: Apache-2.0
//! Links between routers.

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
    #[inline]
    pub const fn of(&self, plane: Plane) -> u32 {
        match plane {
            Plane::Req => self.req,
            Plane::Rsp => self.rsp,
            Plane::Wide => self.wide,
        }
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
