// SPDX-License-Identifier: Apache-2.0
//! An ideal crossbar in place of routers: what it asks of a spec. It has no size, so there is nothing to choose.

use super::{Router, RouterRules};
use crate::ranges::Table;

/// Slots in front of an interface: with two a flit passes in every cycle.
const OUTPUT_FLITS: u64 = 2;

pub(super) struct Ideal;

impl RouterRules for Ideal {
    fn name(&self) -> &'static str {
        "ideal"
    }

    fn ranges(&self, router: &Router, table: &mut Table) {
        let wide = &router.wide_reduction;
        table.only("router.input_fifo_flits", router.input_fifo_flits, 0);
        let outputs = router.output_fifo_flits;
        table.only("router.output_fifo_flits", outputs, OUTPUT_FLITS);
        let entries = router.merge_table_entries;
        table.only("router.merge_table_entries", entries, 0);
        table.only("router.merge_cycles", router.merge_cycles, 1);
        for (field, cycles) in super::links::fields(&router.link_cycles) {
            table.only(&field, cycles, 1);
        }
        table.only("router.wide_reduction.cut_cycles", wide.cut_cycles, 0);
        table.only("router.wide_reduction.window_beats", wide.window_beats, 0);
        table.only("router.wide_reduction.store_beats", wide.store_beats, 0);
    }

    fn reduces_three(&self) -> bool {
        true
    }

    fn has_stores(&self) -> bool {
        false
    }
}
