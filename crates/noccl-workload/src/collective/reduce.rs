// SPDX-License-Identifier: Apache-2.0
//! The root's output is the reduction of all members' inputs.

use super::class::{Blocks, Buffers, CollectiveClass, Holders, Origin, Values};

pub(super) const CLASS: CollectiveClass = CollectiveClass {
    name: "reduce",
    other_names: &[],
    mpi_name: Some("Reduce"),
    has_root: true,
    reduces: true,
    inputs: Buffers::of(Holders::Members, Blocks::One),
    outputs: Buffers::of(Holders::Root, Blocks::One),
    values: Some(Values {
        count: |_| 1,
        origin: |_, _| Origin::OfAll { block: 0 },
        at: |_, _, _| 0,
    }),
    is_one_schedule: true,
};
