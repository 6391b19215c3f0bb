// SPDX-License-Identifier: Apache-2.0
//! Every member's output is the block of its rank of the root's input.

use super::class::{Blocks, Buffers, CollectiveClass, Holders, Origin, Values};

pub(super) const CLASS: CollectiveClass = CollectiveClass {
    name: "scatter",
    other_names: &[],
    mpi_name: Some("Scatter"),
    has_root: true,
    reduces: false,
    inputs: Buffers::of(Holders::Root, Blocks::PerMember),
    outputs: Buffers::of(Holders::Members, Blocks::One),
    values: Some(Values {
        count: |ranks| ranks,
        origin: |block, _| Origin::OfRoot { block },
        at: |holder, _, _| holder,
    }),
    is_one_schedule: false,
};
