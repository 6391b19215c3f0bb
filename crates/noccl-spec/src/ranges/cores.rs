// SPDX-License-Identifier: Apache-2.0
//! Numbers of core tiles.

use super::{Form, Table};
use crate::{Core, CoreTiles, Mesh, StaticNetwork, UdnRouter, WORD_BYTES};

/// Most words of a packet, header and tag with them: the `TILEPro64`'s network takes no longer ones.
const MAX_PACKET_WORDS: u64 = 129;

impl Table {
    pub(super) fn cores(&mut self, mesh: &Mesh, tiles: &CoreTiles) {
        self.any("mesh.width", mesh.width, 1..=64);
        self.any("mesh.height", mesh.height, 1..=64);
        self.udn(&tiles.router.udn);
        self.static_network(&tiles.router.static_network);
        self.core(&tiles.core);
    }

    fn udn(&mut self, udn: &UdnRouter) {
        let depth = udn.input_fifo_flits;
        self.any("router.udn.input_fifo_flits", depth, 1..=64);
        self.any("router.udn.hop_cycles", udn.hop_cycles, 1..=8);
        self.any("router.udn.turn_cycles", udn.turn_cycles, 0..=8);
        self.only(
            "router.udn.flit_bits",
            udn.flit_bits,
            u64::from(8 * WORD_BYTES),
        );
    }

    fn static_network(&mut self, network: &StaticNetwork) {
        let fields = [
            ("input_fifo_flits", network.input_fifo_flits),
            ("port_fifo_words", network.port_fifo_words),
        ];
        self.all("router.static_network", &fields, 1..=64);
    }

    fn core(&mut self, core: &Core) {
        let fields = [
            ("send_cycles", core.send_cycles),
            ("receive_cycles", core.receive_cycles),
            ("unit_cycles", core.unit_cycles),
            ("list_cycles", core.list_cycles),
            ("round_cycles", core.round_cycles),
            ("blocked_cycles", core.blocked_cycles),
        ];
        self.all("core", &fields, 0..=100_000);
        self.any("core.word_cycles", core.word_cycles, 1..=1000);
        self.any("core.send_word_cycles", core.send_word_cycles, 0..=1000);
        self.any("core.row_cycles", core.row_cycles, 0..=1000);
        self.any(
            "core.receive_ahead_cycles",
            core.receive_ahead_cycles,
            0..=u64::from(core.receive_cycles),
        );
        let fields = [
            ("combine_cycles", core.combine_cycles),
            ("route_cycles", core.route_cycles),
        ];
        self.all("core", &fields, 0..=10_000);
        let per_billion = core.noise_per_billion_messages;
        let most = 1_000_000_000;
        self.any("core.noise_per_billion_messages", per_billion, 0..=most);
        self.any("core.noise_cycles", core.noise_cycles, 0..=most);
        let word = u64::from(WORD_BYTES);
        let longest = (MAX_PACKET_WORDS - u64::from(core.unit_words(0))) * word;
        self.push(
            "core.unit_bytes",
            core.unit_bytes,
            word..=longest,
            Form::Words,
            format!(" (a packet has at most {MAX_PACKET_WORDS} words)"),
        );
        let unit = core.unit_words(core.unit_bytes);
        self.push(
            "core.receive_store_words",
            core.receive_store_words,
            u64::from(unit)..=4096,
            Form::Any,
            format!(" (a unit of core.unit_bytes has {unit} words)"),
        );
        self.any("core.tagged_queues", core.tagged_queues, 3..=16);
        let interrupt = core.interrupt_cycles;
        self.any("core.interrupt_cycles", interrupt, 0..=10_000_000);
        let bytes = core.memory_bytes;
        self.push("core.memory_bytes", bytes, word..=1 << 40, Form::Words, "");
    }
}
