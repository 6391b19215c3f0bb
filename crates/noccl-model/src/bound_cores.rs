// SPDX-License-Identifier: Apache-2.0
//! Lower bounds where cores pass words (S4).
//!
//! A core does one thing at a time, so that its words add up, in and out, each `word_cycles`; a link carries one word per cycle. Two kinds of bounds:
//!
//! - Of a *direct* all-to-all, in which each block is a message of its own, with the header and tag of each of its units
//!   ([`direct_exchange`]): the words of all messages over the busiest link, and what the busiest core takes for its P - 1 messages in
//!   either direction, (P - 1) (send + receive + 2 (units × unit + words × word)). Distances from "the bound" name which of the two is larger.
//! - Of *any* algorithm ([`Words`]), which may put several blocks into one message or use the static network, without headers, beside: with W words of
//!   data of a payload or block and P members
//!   - a core that must give away g words and take in t of them takes (g + t) `word_cycles`: multicast W (the root gives, the others take), reduce W (the
//!     root takes), all-reduce 2 W (every member gives its contribution and takes what the others have made of it), all-gather P W, reduce-scatter
//!     P W, all-to-all 2 (P - 1) W;
//!   - the words that must cross a line of the mesh, over the links of both networks;
//!   - or the words of one block and the hops to the farthest member, behind which a reduction combines one element at least;
//!   - besides, what starts and ends a transfer: send and receive of a message, or the write of a route where one multicast on the static
//!     network may do. Of software, which does not use the static network, always the message; and one network crosses a line.

use crate::Bounds;
use crate::bound_class::{BoundClass, Span};
use noccl_net::counts::max_or_zero;
use noccl_net::{Network, Port, TileId};
use noccl_spec::CoreTiles;
use noccl_workload::CollectiveKind;

/// Networks that carry words beside each other.
const NETWORKS: u64 = 2;

/// Bounds of an all-to-all by a message from each member to each other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectExchangeBounds {
    /// Words over the busiest link between routers.
    pub link_bound_cycles: u64,
    /// Cycles of a core for its messages in both directions.
    pub core_bound_cycles: u64,
}

impl DirectExchangeBounds {
    /// The larger one.
    #[must_use]
    pub fn cycles(self) -> u64 {
        self.link_bound_cycles.max(self.core_bound_cycles)
    }
}

/// Those of so many bytes from each of these tiles to each other one, by rank; `None` where tiles are no cores.
#[must_use]
pub fn direct_exchange(
    network: &Network,
    members: &[TileId],
    bytes: &dyn Fn(usize, usize) -> u64,
) -> Option<DirectExchangeBounds> {
    let core = &network.cores()?.core;
    let mut on_links = vec![0; network.num_tiles() * Port::ALL.len()];
    let mut of_cores = vec![0; members.len()];
    for (from, source) in members.iter().enumerate() {
        for (to, target) in members.iter().enumerate().filter(|(to, _)| *to != from) {
            let bytes = bytes(from, to);
            let words = core.message_words(bytes);
            let of_units = core.units(bytes) * u64::from(core.unit_cycles);
            // What comes before a wait may pass while the core stands still.
            let receive = core.receive_cycles - core.receive_ahead_cycles;
            of_cores[from] +=
                u64::from(core.send_cycles) + of_units + words * core.written_word_cycles();
            of_cores[to] += u64::from(receive) + of_units + words * core.read_word_cycles();
            let path = network.path(network.coord(*source), network.coord(*target));
            for (at, port) in path.filter(|(_, port)| *port != Port::Local) {
                on_links[network.tile_at(at).idx() * Port::ALL.len() + port.idx()] += words;
            }
        }
    }
    let on_link = max_or_zero(on_links);
    Some(DirectExchangeBounds {
        link_bound_cycles: network.link_words_cycles(on_link)?,
        core_bound_cycles: max_or_zero(of_cores),
    })
}

/// A collective of cores, whatever the algorithm.
pub(crate) struct Words<'n> {
    pub cores: &'n CoreTiles,
    /// Words of its payload, or of a block.
    pub words: u64,
    /// Words over each link of the busiest line of the mesh, if one network carried them.
    pub cut_words: u64,
}

impl Words<'_> {
    /// All bounds: with hops from the root to the farthest member, and between the two members farthest apart.
    pub(crate) fn bounds(
        &self,
        kind: CollectiveKind,
        num_members: usize,
        (farthest_hops, diameter_hops): (u32, u32),
    ) -> Bounds {
        let core = &self.cores.core;
        let message = u64::from(core.send_cycles)
            + u64::from(core.receive_cycles - core.receive_ahead_cycles);
        let class = BoundClass::of(kind);
        let ends = match class.is_routed {
            true => message.min(core.route_cycles.into()),
            false => message,
        };
        let hops = match class.span {
            Span::Root | Span::Defined => farthest_hops,
            Span::Members => diameter_hops,
        };
        let combine = match kind.reduces() {
            true => u64::from(core.combine_cycles),
            false => 0,
        };
        // A hop of the static network takes a cycle, one of the other at least as much.
        let word = core.written_word_cycles().max(core.read_word_cycles());
        let path = u64::from(hops) + self.words * word + combine;
        let payload_bound_cycles = self.payload_bound(kind, num_members as u64);
        // Without streams on the static network: messages only, and one network to cross a line.
        let by_messages = path.max(payload_bound_cycles).max(self.cut_words);
        Bounds {
            lower_bound_cycles: ends + path.max(payload_bound_cycles),
            software_bound_cycles: message + by_messages,
            payload_bound_cycles,
        }
    }

    /// Cycles for the words alone.
    fn payload_bound(&self, kind: CollectiveKind, num_members: u64) -> u64 {
        let core = &self.cores.core;
        let (written, read) = (core.written_word_cycles(), core.read_word_cycles());
        let others = num_members.saturating_sub(1);
        let cycles_of_a_word = (BoundClass::of(kind).word_cycles)(written, read, others);
        let by_core = self.words * cycles_of_a_word;
        by_core.max(self.cut_words.div_ceil(NETWORKS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noccl_testkit::network_with;

    fn network(preset: &str, overrides: &[(&str, &str)]) -> Network {
        network_with(preset, overrides)
    }

    /// Of cores that take 20 and 21 cycles for a message, if the overrides say nothing else.
    fn of_mesh(preset: &str, overrides: &[(&str, &str)], bytes: u64) -> (u64, u64) {
        let ends = [("core.send_cycles", "20"), ("core.receive_cycles", "21")];
        let network = network(preset, &[&ends, overrides].concat());
        let members: Vec<TileId> = network.clusters().collect();
        let found = direct_exchange(&network, &members, &|_, _| bytes).unwrap();
        assert_eq!(
            found.cycles(),
            found.link_bound_cycles.max(found.core_bound_cycles)
        );
        (found.link_bound_cycles, found.core_bound_cycles)
    }

    #[test]
    fn an_exchange_is_bound_by_the_middle_of_the_mesh_and_by_every_core() {
        // 84 and 128 messages of 34 words over a middle link; 48 and 63 messages of 20 + 21 + 2 × 34 cycles.
        assert_eq!(of_mesh("tilepro64_7x7", &[], 128), (2856, 5232));
        assert_eq!(of_mesh("tilepro64_8x8", &[], 128), (4352, 6867));
        // Two units: 68 words, and the costs of a message once.
        assert_eq!(
            of_mesh("tilepro64_7x7", &[], 256),
            (84 * 68, 48 * (41 + 136))
        );
        assert_eq!(of_mesh("tilepro64_4x4", &[], 0), (16 * 2, 15 * (41 + 4)));
        assert_eq!(of_mesh("tilepro64_1x1", &[], 128), (0, 0));
    }

    #[test]
    fn blocks_of_different_lengths_bind_the_core_and_the_link_that_have_most() {
        let network = network("tilepro64_3x1", &[]);
        let members: Vec<TileId> = network.clusters().collect();
        // Only rank 0 sends 128 B, to rank 2; all else is a header and a tag.
        let bytes = |from: usize, to: usize| if (from, to) == (0, 2) { 128 } else { 0 };
        let found = direct_exchange(&network, &members, &bytes).unwrap();
        assert_eq!(found.link_bound_cycles, 34 + 2);
        assert_eq!(found.core_bound_cycles, 2 * (15 + 15) + 34 + 3 * 2);
    }

    #[test]
    fn costs_of_units_and_words_count_at_both_ends() {
        let slow = [("core.unit_cycles", "5"), ("core.word_cycles", "3")];
        let (link, core) = of_mesh("tilepro64_7x7", &slow, 256);
        assert_eq!((link, core), (84 * 68, 48 * (41 + 2 * (10 + 3 * 68))));
        let lean = [("core.send_cycles", "2"), ("core.receive_cycles", "2")];
        assert_eq!(of_mesh("tilepro64_8x8", &lean, 128), (4352, 63 * 72));
    }

    #[test]
    fn a_bound_of_any_algorithm_counts_words_of_data_in_and_out() {
        let ends = [("core.send_cycles", "20"), ("core.receive_cycles", "21")];
        let network = network("tilepro64_8x8", &ends);
        let words = Words {
            cores: network.cores().unwrap(),
            words: 32,
            cut_words: 128 * 32,
        };
        let found = words.bounds(CollectiveKind::AllToAll, 64, (14, 14));
        assert_eq!(found.payload_bound_cycles, 2 * 63 * 32);
        assert_eq!(found.lower_bound_cycles, 41 + 2 * 63 * 32);
        // One route is written, and the last word goes over 14 hops.
        let no_cut = Words {
            cut_words: 0,
            ..words
        };
        let found = no_cut.bounds(CollectiveKind::Multicast, 64, (14, 14));
        assert_eq!(found.lower_bound_cycles, 15 + 14 + 32);
        let found = no_cut.bounds(CollectiveKind::Reduce, 64, (14, 14));
        assert_eq!(found.lower_bound_cycles, 41 + 14 + 32 + 2);
    }
}
