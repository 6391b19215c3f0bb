// SPDX-License-Identifier: Apache-2.0
//! The root's output is the inputs of all members in rank order, one block each.

use super::class::{Blocks, Buffers, CollectiveClass, Holders, Origin, Values};

pub(super) const CLASS: CollectiveClass = CollectiveClass {
    name: "gather",
    other_names: &[],
    mpi_name: Some("Gather"),
    has_root: true,
    reduces: false,
    inputs: Buffers::of(Holders::Members, Blocks::One),
    outputs: Buffers::of(Holders::Root, Blocks::PerMember),
    values: Some(Values {
        count: |ranks| ranks,
        origin: |rank, _| Origin::OfRank { rank, block: 0 },
        at: |_, block, _| block,
    }),
    is_one_schedule: false,
};
