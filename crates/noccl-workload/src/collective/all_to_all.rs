// SPDX-License-Identifier: Apache-2.0
//! Block s of member d's output is block d of member s's input.

use super::class::{Blocks, Buffers, CollectiveClass, Holders, Origin, Values};

pub(super) const CLASS: CollectiveClass = CollectiveClass {
    name: "all_to_all",
    other_names: &["alltoall", "all2all", "all_2_all"],
    mpi_name: Some("Alltoall"),
    has_root: false,
    reduces: false,
    inputs: Buffers::of(Holders::Members, Blocks::PerMember),
    outputs: Buffers::of(Holders::Members, Blocks::PerMember),
    values: Some(Values {
        count: |ranks| ranks * ranks,
        origin: |value, ranks| Origin::OfRank {
            rank: value % ranks,
            block: value / ranks,
        },
        at: |holder, block, ranks| holder * ranks + block,
    }),
    is_one_schedule: true,
};
