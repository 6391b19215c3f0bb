// SPDX-License-Identifier: Apache-2.0
//! Every member's output is the reduction of the inputs of all members up to its own rank (inclusive).

use super::class::{Blocks, Buffers, CollectiveClass, Holders, Origin, Values};

pub(super) const CLASS: CollectiveClass = CollectiveClass {
    name: "scan",
    other_names: &["inclusive_scan"],
    mpi_name: Some("Scan"),
    has_root: false,
    reduces: true,
    inputs: Buffers::of(Holders::Members, Blocks::One),
    outputs: Buffers::of(Holders::Members, Blocks::One),
    values: Some(Values {
        count: |ranks| ranks,
        origin: |rank, _| Origin::UpTo { rank },
        at: |holder, _, _| holder,
    }),
    is_one_schedule: false,
};
