// SPDX-License-Identifier: Apache-2.0
//! Bursts of a wide reduction: how many it has, and how many of them can be at one merge point together.
//!
//! A member sends the bursts of a reduction one after the other, and has a response for each. So of one reduction no
//! more bursts are at a merge point than an interface may have open: they lie between the oldest that is not over
//! and the youngest that some member has begun. Often it is two; when, and why, is in `docs/design/0007`.

use super::Windows;
use crate::{AxiNetwork, MultiAddress, TileId};
use noccl_spec::NetworkInterface;

/// A full burst has to be longer than so many windows for two bursts to be the most at one merge point.
const WINDOWS_PER_BURST: u32 = 3;

/// Bursts that a contiguous range of bytes is cut into.
#[must_use]
pub fn num_bursts(ni: &NetworkInterface, offset: u64, bytes: u64) -> u64 {
    let boundary = u64::from(ni.burst_boundary_bytes.max(1));
    let beat = u64::from(ni.wide_beat_bytes.max(1));
    let longest = u64::from(ni.max_burst_beats.max(1)) * beat;
    let bursts = |from: u64, bytes: u64| (from % beat + bytes).div_ceil(longest);
    let first = bytes.min(boundary - offset % boundary);
    let rest = bytes - first;
    let whole = (rest / boundary).saturating_mul(bursts(0, boundary));
    bursts(offset, first)
        .saturating_add(whole)
        .saturating_add(bursts(0, rest % boundary))
}

/// Ends of the bursts that a contiguous range of bytes is cut into, counted from its first byte: so many beats behind a burst's first
/// one, or at a boundary. The simulator cuts by it too.
pub fn burst_ends(ni: &NetworkInterface, offset: u64, bytes: u64) -> BurstEnds {
    BurstEnds {
        boundary: u64::from(ni.burst_boundary_bytes.max(1)),
        beat: u64::from(ni.wide_beat_bytes.max(1)),
        longest: u64::from(ni.max_burst_beats.max(1)),
        offset,
        at: offset,
        end: offset + bytes,
    }
}

/// Iterator of [`burst_ends`].
#[derive(Debug, Clone)]
pub struct BurstEnds {
    boundary: u64,
    beat: u64,
    longest: u64,
    offset: u64,
    at: u64,
    end: u64,
}

impl Iterator for BurstEnds {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.at == self.end {
            return None;
        }
        let by_beats = (self.at / self.beat + self.longest) * self.beat;
        let by_boundary = (self.at / self.boundary + 1) * self.boundary;
        self.at = self.end.min(by_beats).min(by_boundary);
        Some(self.at - self.offset)
    }
}

/// Most bursts of one wide reduction of so many bursts that can be at one merge point together.
#[must_use]
pub fn bursts_together(
    network: AxiNetwork<'_>,
    group: MultiAddress,
    root: TileId,
    bursts: u64,
) -> u64 {
    let most = bursts.min(u64::from(network.axi().ni.max_open_reductions));
    if most > 2 && ends_before_the_next_but_one(network, group, root) {
        2
    } else {
        most
    }
}

/// Has a burst of this reduction left every merge point before the next but one arrives there? So it is where every
/// router of the tree belongs to a member and a burst does not find space in three windows.
fn ends_before_the_next_but_one(
    network: AxiNetwork<'_>,
    group: MultiAddress,
    root: TileId,
) -> bool {
    let ni = &network.axi().ni;
    let longest = u64::from(ni.max_burst_beats) * u64::from(ni.wide_beat_bytes);
    // Otherwise a burst in the middle can be short.
    let fills_boundaries = longest >= u64::from(ni.burst_boundary_bytes);
    let full_beats = ni.burst_boundary_bytes / ni.wide_beat_bytes.max(1);
    let is_side = |mask: u16| mask & mask.wrapping_add(1) == 0;
    let is_rectangle = is_side(group.mask.x) && is_side(group.mask.y);
    let root = network.cluster_coord(network.coord(root));
    fills_boundaries
        && full_beats > WINDOWS_PER_BURST * Windows::of(network).neighbours()
        && is_rectangle
        && root.is_some_and(|at| group.contains(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coord, Network, elaborate};

    fn network(overrides: &[(&str, &str)]) -> Network {
        let spec = noccl_testkit::parsed("collective_noc_4x4", overrides);
        elaborate(&spec.unwrap()).unwrap()
    }

    fn together(network: &Network, base: (u16, u16), mask: (u16, u16), bursts: u64) -> u64 {
        let coord = |(x, y)| Coord::new(x, y);
        let group = MultiAddress::new(coord(base), coord(mask));
        let root = network.find(crate::TileRef::Cluster(Coord::new(0, 0)));
        bursts_together(network.as_axi().unwrap(), group, root.unwrap(), bursts)
    }

    #[test]
    fn ranges_are_cut_at_boundaries_and_at_the_longest_burst() {
        for (width, boundary, longest) in [
            (64, 4096, 64),
            (64, 64, 64),
            (64, 1024, 64),
            (64, 4096, 16),
            (64, 1024, 5),
            (8, 4096, 64),
            (8, 8, 64),
            (32, 1024, 5),
            (256, 4096, 64),
            (256, 256, 64),
        ] {
            let net = network(&[
                ("ni.wide_beat_bytes", &width.to_string()),
                ("ni.burst_boundary_bytes", &boundary.to_string()),
                ("ni.max_burst_beats", &longest.to_string()),
            ]);
            for offset in [0_u64, 8, 64, 1000, 4095, 5000] {
                for bytes in [1_u64, 63, 64, 65, 1024, 4096, 4097, 20_000] {
                    // As the interfaces cut: at the boundary, or so many beats behind the burst's first one.
                    let (mut at, mut ends) = (offset, Vec::new());
                    while at < offset + bytes {
                        let by_beats = (at / width + longest) * width;
                        let by_boundary = (at / boundary + 1) * boundary;
                        at = (offset + bytes).min(by_beats).min(by_boundary);
                        ends.push(at - offset);
                    }
                    let ni = &net.spec().axi().unwrap().ni;
                    let named =
                        format!("{bytes} bytes at {offset}, {width}, {boundary}, {longest}");
                    assert_eq!(num_bursts(ni, offset, bytes), ends.len() as u64, "{named}");
                    let found: Vec<u64> = burst_ends(ni, offset, bytes).collect();
                    assert_eq!(found, ends, "{named}");
                }
            }
        }
    }

    #[test]
    fn two_bursts_are_together_only_where_members_stand_side_by_side_around_the_root() {
        let net = network(&[]);
        assert_eq!(together(&net, (0, 0), (3, 3), 1), 1);
        assert_eq!(together(&net, (0, 0), (3, 3), 20), 2);
        assert_eq!(together(&net, (0, 0), (0, 3), 20), 2);
        // The root is elsewhere; members are two hops apart.
        assert_eq!(together(&net, (2, 0), (1, 3), 20), 8);
        assert_eq!(together(&net, (2, 0), (1, 3), 3), 3);
        assert_eq!(together(&net, (0, 0), (2, 0), 20), 8);
        // Three windows hold a burst; bursts are cut shorter.
        let wide = network(&[("router.wide_reduction.window_beats", "22")]);
        assert_eq!(together(&wide, (0, 0), (3, 3), 20), 8);
        let short = network(&[("ni.max_burst_beats", "48")]);
        assert_eq!(together(&short, (0, 0), (3, 3), 20), 8);
        let few = network(&[("ni.max_open_reductions", "4")]);
        assert_eq!(together(&few, (2, 0), (1, 3), 20), 4);
    }
}
