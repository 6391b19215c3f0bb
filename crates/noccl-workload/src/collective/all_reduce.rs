// SPDX-License-Identifier: Apache-2.0
//! Every member's output is the reduction of all members' inputs. The root is where it is reduced, if at one place.

use super::class::{Blocks, Buffers, CollectiveClass, Holders, Origin, Values};

pub(super) const CLASS: CollectiveClass = CollectiveClass {
    name: "all_reduce",
    other_names: &["allreduce"],
    mpi_name: Some("Allreduce"),
    has_root: true,
    reduces: true,
    inputs: Buffers::of(Holders::Members, Blocks::One),
    outputs: Buffers::of(Holders::Members, Blocks::One),
    values: Some(Values {
        count: |_| 1,
        origin: |_, _| Origin::OfAll { block: 0 },
        at: |_, _, _| 0,
    }),
    is_one_schedule: true,
};
