// SPDX-License-Identifier: Apache-2.0
//! Numbers of the router.

use super::{Form, Table};
use crate::{RouterFlow, Spec};

/// Beats whose buffer space in an operand store is given back with one credit.
pub const BEATS_PER_CREDIT: u32 = 4;

impl Table {
    pub(super) fn router(&mut self, spec: &Spec) {
        let router = &spec.router;
        let (inputs, outputs) = (router.input_fifo_flits, router.output_fifo_flits);
        match router.flow {
            RouterFlow::NonBlocking | RouterFlow::PeerCompatible => {
                self.any("router.input_fifo_flits", inputs, 1..=16);
                self.any("router.output_fifo_flits", outputs, 1..=16);
            }
            RouterFlow::Esp => {
                self.any("router.input_fifo_flits", inputs, 2..=64);
                self.only("router.output_fifo_flits", outputs, 0);
            }
        }
        self.links(spec);
        self.merging(spec);
        self.wide_reduction(spec);
        if let Some(esp) = &router.esp {
            self.any("router.esp.header_bits", esp.header_bits, 64..=4096);
            self.any("router.esp.reserve_cycles", esp.reserve_cycles, 0..=1);
            self.any("router.esp.worm_flits", esp.worm_flits, 0..=1 << 20);
        }
    }

    fn links(&mut self, spec: &Spec) {
        let links = &spec.router.link_cycles;
        for (plane, cycles) in [("req", links.req), ("rsp", links.rsp), ("wide", links.wide)] {
            let field = format!("router.link_cycles.{plane}");
            match spec.router.flow {
                RouterFlow::NonBlocking | RouterFlow::PeerCompatible => {
                    self.any(field, cycles, 1..=8);
                }
                RouterFlow::Esp => self.only(&field, cycles, 1),
            }
        }
    }

    fn merging(&mut self, spec: &Spec) {
        let router = &spec.router;
        let least = match router.flow {
            RouterFlow::NonBlocking => 1,
            RouterFlow::PeerCompatible | RouterFlow::Esp => 0,
        };
        let entries = router.merge_table_entries;
        self.any("router.merge_table_entries", entries, least..=256);
        match router.flow {
            // In one cycle, or with two registers: what lies between would end nowhere near the critical path of a router.
            RouterFlow::NonBlocking => {
                let cycles = router.merge_cycles;
                self.push("router.merge_cycles", cycles, 1..=3, Form::Ends, "");
            }
            RouterFlow::PeerCompatible | RouterFlow::Esp => {
                self.only("router.merge_cycles", router.merge_cycles, 1);
            }
        }
    }

    /// A sender has at most a window of beats of one transaction under way to its next merge point, which sends a credit
    /// when it has folded [`BEATS_PER_CREDIT`] of them. With a smaller window the sender would stop before the credit is
    /// complete, and wait for ever; with that window or a larger one, a sender that has stopped has sent all the beats of the
    /// next credit. The store holds a window from each of four neighbours, else nothing could be reduced.
    fn wide_reduction(&mut self, spec: &Spec) {
        let wide = &spec.router.wide_reduction;
        let path = |name: &str| format!("router.wide_reduction.{name}");
        self.any(path("cut_cycles"), wide.cut_cycles, 0..=16);
        let window = u64::from(wide.window_beats);
        match spec.router.flow {
            RouterFlow::NonBlocking => {
                let least = u64::from(BEATS_PER_CREDIT);
                let because = " (a credit stands for 4 beats, and is sent when so many have come)";
                self.push(
                    path("window_beats"),
                    wide.window_beats,
                    least..=256,
                    Form::Any,
                    because,
                );
                let because = format!(", at least 4 * {} = {window}", path("window_beats"));
                let ends = 4 * window..=1 << 20;
                let store = wide.store_beats;
                self.push(path("store_beats"), store, ends, Form::Any, because);
            }
            RouterFlow::PeerCompatible | RouterFlow::Esp => {
                self.any(path("store_beats"), wide.store_beats, 0..=1 << 20);
                self.any(path("window_beats"), wide.window_beats, 0..=256);
            }
        }
    }
}
