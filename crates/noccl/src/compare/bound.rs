// SPDX-License-Identifier: Apache-2.0
//! Lower bounds on the runtime of a collective.
//!
//! Start event: first valid of the first request at its NI. End event: handshake of the last response.
//! Arbitration, AW flits and software are left out, so every algorithm on every flow needs more.
//!
//! Serialisation: a port takes one beat of the wide link per cycle, and in every collective at least
//! one port passes all n payload beats (multicast: the root's output and every member's input; reduce:
//! the root's input and every member's output; all-reduce: both at every member). A cut of the mesh
//! passes at least n beats too, but over one or more links, so no cut asks for more than a port does.
//!
//! Latency: a zero-load round trip over h hops takes 5 + 4h cycles at two cycles per hop and direction
//! and five cycles in the two NIs and the endpoint.

use noccl_net::{Network, TileId};
use noccl_workload::{Collective, CollectiveKind};

/// Cycles of a zero-load round trip that do not depend on the distance: NIs and endpoint, both ways.
const ROUND_TRIP_NI_CYCLES: u64 = 5;

/// Lower bounds of one collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Serialisation plus latency.
    pub lower_bound_cycles: u64,
    /// Serialisation alone: payload beats at the busiest port.
    pub payload_bound_cycles: u64,
}

/// Bounds of a collective over `members` (with the root apart).
#[must_use]
pub fn bounds(
    network: &Network,
    collective: &Collective,
    members: &[TileId],
    root: TileId,
) -> Bounds {
    let others = || members.iter().copied().filter(|m| *m != root);
    let farthest_hops = others().map(|m| network.hops(m, root)).max();
    let Some(farthest_hops) = farthest_hops.map(u64::from) else {
        return Bounds {
            lower_bound_cycles: 0,
            payload_bound_cycles: 0,
        };
    };
    let cycles_per_hop = u64::from(hop_cycles(network));
    let beats = match collective.kind {
        CollectiveKind::Barrier => 0,
        CollectiveKind::Multicast | CollectiveKind::Reduce | CollectiveKind::AllReduce => {
            let beat_bytes = u64::from(network.spec().ni.wide_beat_bytes);
            collective.bytes.div_ceil(beat_bytes)
        }
    };
    // The data of a member reaches the farthest other one without passing the root on some
    // algorithms, so only one way over that distance is certain for an all-reduce.
    let hops_both_ways = match collective.kind {
        CollectiveKind::Multicast | CollectiveKind::Reduce | CollectiveKind::Barrier => {
            2 * farthest_hops
        }
        CollectiveKind::AllReduce => diameter_hops(network, members),
    };
    let latency_cycles = ROUND_TRIP_NI_CYCLES + cycles_per_hop * hops_both_ways;
    Bounds {
        lower_bound_cycles: latency_cycles + beats.saturating_sub(1),
        payload_bound_cycles: beats,
    }
}

/// Input FIFO and output FIFO, one register stage each.
fn hop_cycles(network: &Network) -> u32 {
    let router = &network.spec().router;
    u32::from(router.input_fifo_flits > 0) + u32::from(router.output_fifo_flits > 0)
}

/// Largest distance between two members: in each dimension the extremes count, on both diagonals.
fn diameter_hops(network: &Network, members: &[TileId]) -> u64 {
    let spread = |value: &dyn Fn(TileId) -> i64| {
        let all = members.iter().map(|m| value(*m));
        let (low, high) = (all.clone().min(), all.max());
        high.zip(low).map_or(0, |(high, low)| high - low)
    };
    let x = |m| i64::from(network.coord(m).x);
    let y = |m| i64::from(network.coord(m).y);
    let diagonal = spread(&|m| x(m) + y(m));
    let anti_diagonal = spread(&|m| x(m) - y(m));
    diagonal.max(anti_diagonal).unsigned_abs()
}
