// SPDX-License-Identifier: Apache-2.0
//! Routers that never block: what they ask of a spec.

use super::{Router, RouterRules};
use crate::ranges::{Form, Table};

/// Beats whose buffer space in an operand store is given back with one credit.
pub const BEATS_PER_CREDIT: u32 = 4;

pub(super) struct Collective;

impl RouterRules for Collective {
    fn name(&self) -> &'static str {
        "non_blocking"
    }

    fn ranges(&self, router: &Router, table: &mut Table) {
        table.ports(router);
        let entries = router.merge_table_entries;
        table.any("router.merge_table_entries", entries, 1..=256);
        // In one cycle, or with two registers: what lies between would end nowhere near the critical path of a router.
        let cycles = router.merge_cycles;
        table.push("router.merge_cycles", cycles, 1..=3, Form::Ends, "");
        stores(router, table);
    }

    fn reduces_three(&self) -> bool {
        true
    }

    fn has_stores(&self) -> bool {
        true
    }

    fn may_have_bypass(&self) -> bool {
        true
    }
}

/// A sender has at most a window of beats of one transaction in flight to its next merge point, which sends a credit
/// when it has reduced [`BEATS_PER_CREDIT`] of them. With a smaller window the sender would wait before the credit is
/// complete, and wait for ever; with that window or a larger one, a sender that has stopped has sent all the beats of the
/// next credit. The store holds a window from each of four neighbours, else nothing could be reduced.
fn stores(router: &Router, table: &mut Table) {
    let wide = &router.wide_reduction;
    let path = |name: &str| format!("router.wide_reduction.{name}");
    table.any(path("cut_cycles"), wide.cut_cycles, 0..=16);
    let window = u64::from(wide.window_beats);
    let least = u64::from(BEATS_PER_CREDIT);
    let because = " (a credit stands for 4 beats, and is sent when so many have come)";
    let ends = least..=256;
    table.push(path("window_beats"), window, ends, Form::Any, because);
    let because = format!(", at least 4 * {} = {window}", path("window_beats"));
    let ends = 4 * window..=1 << 20;
    let store = wide.store_beats;
    table.push(path("store_beats"), store, ends, Form::Any, because);
}
