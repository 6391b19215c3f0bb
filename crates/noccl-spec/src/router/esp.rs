// SPDX-License-Identifier: Apache-2.0
//! ESP's routers: what they ask of a spec.

use super::{Router, RouterRules};
use crate::EspRouter;
use crate::ranges::Table;

pub(super) struct Esp;

impl RouterRules for Esp {
    fn name(&self) -> &'static str {
        "esp"
    }

    fn ranges(&self, router: &Router, table: &mut Table) {
        let (inputs, outputs) = (router.input_fifo_flits, router.output_fifo_flits);
        table.any("router.input_fifo_flits", inputs, 2..=64);
        table.only("router.output_fifo_flits", outputs, 0);
        for (field, cycles) in super::links::fields(&router.link_cycles) {
            table.only(&field, cycles, 1);
        }
        table.no_stores(router);
    }

    fn reduces_three(&self) -> bool {
        false
    }

    fn has_stores(&self) -> bool {
        false
    }

    fn own_tables(&self) -> &'static [&'static str] {
        &["router.esp", "cluster.esp"]
    }

    fn takes_torrent(&self) -> bool {
        false
    }
}

/// Ranges of the table of their own, of whatever routers it stands beside.
pub(super) fn own_ranges(esp: &EspRouter, table: &mut Table) {
    table.any("router.esp.header_bits", esp.header_bits, 64..=4096);
    table.any("router.esp.reserve_cycles", esp.reserve_cycles, 0..=1);
    table.any("router.esp.worm_flits", esp.worm_flits, 0..=1 << 20);
}
