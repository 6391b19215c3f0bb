// SPDX-License-Identifier: Apache-2.0
//! What packets between cores take on an idle network: in closed form, so that the
//! simulator has something to be compared with.

use crate::{Coord, Network, TileId};
use noccl_spec::UdnRouter;

impl Network {
    /// Cycles of a packet of so many words that is alone on the dynamic network between cores: from the cycle in which its first word
    /// is written to that in which its last one is delivered. `None` of other networks.
    ///
    /// Over h hops each of the h + 1 FIFOs, that behind the core with them, takes `hop_cycles`; a route that changes from x to y takes
    /// `turn_cycles` besides; the other words follow the head one per cycle (S4 §3). Where FIFOs have fewer than `hop_cycles` + `turn_cycles` + 1
    /// slots they follow more slowly, and a corner may hold them up more than these cycles, which are then the least.
    #[must_use]
    pub fn lone_packet_cycles(&self, from: TileId, to: TileId, words: u64) -> Option<u64> {
        let ends = (self.coord(from), self.coord(to));
        Some(packet_cycles(&self.cores()?.router.udn, ends, words))
    }

    /// Cycles in which a link of the dynamic network carries so many words at best. `None` of other networks.
    #[must_use]
    pub fn link_words_cycles(&self, words: u64) -> Option<u64> {
        Some(words_on_link(&self.cores()?.router.udn, words))
    }
}

/// Cycles of a packet that is alone in these routers, from one coordinate to another.
pub(crate) fn packet_cycles(udn: &UdnRouter, (from, to): (Coord, Coord), words: u64) -> u64 {
    let has_corner = from.x != to.x && from.y != to.y;
    let hops = u64::from(from.hops_to(to));
    let head =
        (hops + 1) * u64::from(udn.hop_cycles) + u64::from(has_corner) * u64::from(udn.turn_cycles);
    head + words_on_link(udn, words.saturating_sub(1))
}

/// A slot of the FIFO behind a link is in use from the cycle behind that in which its word leaves the FIFO before to that in which the word
/// leaves this one: `hop_cycles` + 1 cycles at least.
fn words_on_link(udn: &UdnRouter, words: u64) -> u64 {
    let (slots, in_use) = (
        u64::from(udn.input_fifo_flits.max(1)),
        u64::from(udn.hop_cycles) + 1,
    );
    if slots >= in_use {
        return words;
    }
    words / slots * in_use + words % slots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coord, elaborate};

    fn network(preset: &str, overrides: &[(&str, &str)]) -> Network {
        elaborate(&noccl_testkit::parsed(preset, overrides).unwrap()).unwrap()
    }

    fn lone(network: &Network, from: (u16, u16), to: (u16, u16), words: u64) -> u64 {
        let at = |(x, y)| network.tile_at(Coord::new(x, y));
        network.lone_packet_cycles(at(from), at(to), words).unwrap()
    }

    #[test]
    fn a_lone_packet_takes_a_cycle_per_fifo_one_at_the_corner_and_one_per_word() {
        let n = network("tilepro64_8x8", &[]);
        assert_eq!(lone(&n, (0, 0), (0, 0), 1), 1);
        assert_eq!(lone(&n, (0, 0), (1, 0), 1), 2);
        assert_eq!(lone(&n, (0, 0), (7, 0), 34), 8 + 33);
        assert_eq!(lone(&n, (0, 0), (7, 7), 34), 15 + 1 + 33);
        assert_eq!(lone(&n, (5, 3), (2, 4), 2), 5 + 1 + 1);
    }

    #[test]
    fn the_other_reading_of_s4_has_two_cycles_per_hop_and_none_at_the_corner() {
        let two = [
            ("router.udn.hop_cycles", "2"),
            ("router.udn.turn_cycles", "0"),
        ];
        let n = network("tilepro64_8x8", &two);
        assert_eq!(lone(&n, (0, 0), (7, 7), 34), 30 + 33);
        let one_slot = network("tilepro64_8x8", &[("router.udn.input_fifo_flits", "1")]);
        assert_eq!(lone(&one_slot, (0, 0), (1, 0), 3), 2 + 2 * 2);
        let slow = [
            ("router.udn.input_fifo_flits", "2"),
            ("router.udn.hop_cycles", "4"),
        ];
        // Two words, and the next two five cycles later.
        let slow = network("tilepro64_8x8", &slow);
        assert_eq!(lone(&slow, (0, 0), (1, 0), 4), 8 + 5 + 1);
        assert_eq!(slow.link_words_cycles(6), Some(15));
        assert_eq!(n.link_words_cycles(6), Some(6));
    }

    #[test]
    fn other_networks_have_no_packets_between_cores() {
        let n = network("collective_noc_4x4", &[]);
        assert_eq!(n.lone_packet_cycles(TileId(0), TileId(1), 1), None);
    }
}
