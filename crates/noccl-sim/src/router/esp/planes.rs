// SPDX-License-Identifier: Apache-2.0
//! Requests of consumers and data of producers.

use super::plane::Plane;

/// The two planes.
pub(super) struct Planes<'n> {
    pub requests: Plane<'n>,
    pub(super) data: Plane<'n>,
}
