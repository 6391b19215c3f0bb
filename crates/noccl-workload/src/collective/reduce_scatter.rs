// SPDX-License-Identifier: Apache-2.0
//! Every member's output is the reduction of all members' blocks of its own rank.

use super::class::{Blocks, Buffers, CollectiveClass, Holders, Origin, Values};

pub(super) const CLASS: CollectiveClass = CollectiveClass {
    name: "reduce_scatter",
    other_names: &["reducescatter", "reduce_scatter_block"],
    mpi_name: Some("Reduce_scatter_block"),
    has_root: false,
    reduces: true,
    inputs: Buffers::of(Holders::Members, Blocks::PerMember),
    outputs: Buffers::of(Holders::Members, Blocks::One),
    values: Some(Values {
        count: |ranks| ranks,
        origin: |block, _| Origin::OfAll { block },
        at: |holder, _, _| holder,
    }),
    is_one_schedule: true,
};
