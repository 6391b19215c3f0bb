// SPDX-License-Identifier: Apache-2.0
//! What [`crate::Collective::definition`] states.

use super::class::{Blocks, Buffers, CollectiveClass, Holders};

pub(super) const CLASS: CollectiveClass = CollectiveClass {
    name: "custom",
    other_names: &[],
    mpi_name: None,
    has_root: false,
    reduces: false,
    inputs: Buffers::of(Holders::Members, Blocks::Defined),
    outputs: Buffers::of(Holders::Members, Blocks::Defined),
    values: None,
    is_one_schedule: false,
};
