// SPDX-License-Identifier: Apache-2.0
//! The root's input reaches every member of the group (a broadcast when the group is everybody).

use super::class::{Blocks, Buffers, CollectiveClass, Holders, Origin, Values};

pub(super) const CLASS: CollectiveClass = CollectiveClass {
    name: "multicast",
    other_names: &["broadcast", "bcast"],
    mpi_name: Some("Bcast"),
    has_root: true,
    reduces: false,
    inputs: Buffers::of(Holders::Root, Blocks::One),
    outputs: Buffers::of(Holders::Members, Blocks::One),
    values: Some(Values {
        count: |_| 1,
        origin: |_, _| Origin::OfRoot { block: 0 },
        at: |_, _, _| 0,
    }),
    is_one_schedule: true,
};
