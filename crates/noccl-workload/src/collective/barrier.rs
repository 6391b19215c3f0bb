// SPDX-License-Identifier: Apache-2.0
//! No member leaves before every member has entered; no data. The root holds the counter, where there is one.

use super::class::{Buffers, CollectiveClass};

pub(super) const CLASS: CollectiveClass = CollectiveClass {
    name: "barrier",
    other_names: &[],
    mpi_name: Some("Barrier"),
    has_root: true,
    reduces: false,
    inputs: Buffers::NONE,
    outputs: Buffers::NONE,
    values: None,
    is_one_schedule: true,
};
