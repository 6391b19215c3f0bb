// SPDX-License-Identifier: Apache-2.0
//! Why worms stand still: who holds the output that another one asks for, or the queue behind it.

use super::planes::{EspPlane, EspPlanes};
use super::protocol::Protocol;
use crate::kernel::circle::circle as find_circle;
use crate::router::wormhole::{Awaited, WormId};
use noccl_net::{Network, Port, TileId};
use noccl_run::{Diagnosis, WaitEdge};

/// Waits that are named where there is no circle.
const MAX_NAMED: usize = 16;

/// Why a run cannot go on.
pub(super) fn diagnose(
    planes: &EspPlanes,
    protocol: &Protocol<'_>,
    cycle: u64,
    last_progress_cycle: u64,
) -> Diagnosis {
    let network = protocol.network();
    let of = |plane: &EspPlane, name: &str| -> Vec<WaitEdge> {
        let all = waits(plane);
        let named = circle(&all).unwrap_or_else(|| all.into_iter().take(MAX_NAMED).collect());
        named
            .into_iter()
            .map(|wait| edge(network, plane, name, wait, last_progress_cycle))
            .collect()
    };
    let is_circle = circle(&waits(&planes.data)).is_some();
    let mut waits = of(&planes.data, "data");
    waits.extend(of(&planes.requests, "request"));
    let summary = if is_circle {
        "deadlock in the network: multicast worms hold outputs that each other needs"
    } else if waits.is_empty() {
        "no flit waits: a participant has not begun or not ended"
    } else {
        "flits wait for each other or for endpoints that take none"
    };
    Diagnosis {
        cycle,
        last_progress_cycle,
        summary: summary.to_owned(),
        waits,
    }
}

/// Worm, awaited worm, router, output.
type EspWait = (u32, u32, TileId, Port);

/// Which worms wait for others.
fn waits(plane: &EspPlane) -> Vec<EspWait> {
    let waits = plane.routers.waits().into_iter();
    let between = waits.filter_map(|wait| match wait.awaited {
        Awaited::Worm(other) if other != wait.worm => {
            Some((wait.worm.0, other.0, wait.tile, wait.output))
        }
        Awaited::Worm(_) | Awaited::Tile => None,
    });
    between.collect()
}

/// A circle of waits, if there is one.
fn circle(waits: &[EspWait]) -> Option<Vec<EspWait>> {
    let edges: Vec<(u32, u32)> = waits.iter().map(|wait| (wait.0, wait.1)).collect();
    let found = find_circle(&edges)?.into_iter();
    Some(found.map(|edge| waits[edge]).collect())
}

fn edge(
    network: &Network,
    plane: &EspPlane,
    name: &str,
    (waiter, awaited, at, port): EspWait,
    since_cycle: u64,
) -> WaitEdge {
    let worm = |id: u32| {
        let worm = plane.worm(WormId(id));
        let source = network.tile_ref(worm.source);
        format!(
            "{name} worm of action #{} from {source} (id {id})",
            worm.action
        )
    };
    WaitEdge {
        waiter: worm(waiter),
        awaited: worm(awaited),
        place: format!(
            "output {port:?} of the {name} router of {}",
            network.tile_ref(at)
        ),
        since_cycle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_found_and_a_chain_is_none() {
        let wait = |a, b| (a, b, TileId(0), Port::East);
        assert_eq!(circle(&[wait(0, 1), wait(1, 2), wait(0, 2)]), None);
        let waits = [wait(0, 1), wait(1, 3), wait(1, 2), wait(2, 1)];
        assert_eq!(circle(&waits), Some(vec![wait(1, 2), wait(2, 1)]));
    }
}
