// SPDX-License-Identifier: Apache-2.0
//! Which multicasts of one engine may go together where the responses to several join at FIFO heads.
//!
//! Two that reach routers in opposite orders can wait for each other there (`docs/design/0008`). All in sequence would be
//! right as well; each would then cost the path of the one before it there and back.

use noccl_net::deadlock::{Flow, check};
use noccl_net::{Coord, MultiAddress, Network, TileRef};

/// Members up to which it is tried what goes together: half a second. The time of all trials grows with the third power.
const MAX_MEMBERS: u32 = 256;

/// Sets in steps, each after the one before it: a set goes with the first step whose others it cannot wait for in a circle.
/// Copies to single clusters, which nothing joins, go with the first step. Where the engine reads another tile, whose data
/// are held up by what it writes, every set has a step of its own, those of one cluster too.
pub(crate) fn steps(
    network: &Network,
    source: TileRef,
    initiator: Coord,
    sets: &[MultiAddress],
) -> Vec<Vec<MultiAddress>> {
    if source != TileRef::Cluster(initiator) {
        return sets.iter().map(|set| vec![*set]).collect();
    }
    let (mut first, sets): (Vec<MultiAddress>, Vec<MultiAddress>) =
        sets.iter().copied().partition(|set| set.len() == 1);
    let mut sets = sets.into_iter();
    first.extend(sets.next());
    let mut steps = vec![first];
    let num_members: u32 = sets.clone().map(|set| set.len()).sum();
    for set in sets {
        let fits = |step: &Vec<MultiAddress>| {
            let all: Vec<MultiAddress> = step.iter().chain([&set]).copied().collect();
            num_members <= MAX_MEMBERS && are_free(network, initiator, &all)
        };
        match steps.iter().position(fits) {
            Some(step) => steps[step].push(set),
            None => steps.push(vec![set]),
        }
    }
    steps
}

/// Can multicasts to these sets not wait for each other forever?
fn are_free(network: &Network, initiator: Coord, sets: &[MultiAddress]) -> bool {
    let Some(from) = network.find(TileRef::Cluster(initiator)) else {
        return false;
    };
    let flow = |set: &MultiAddress| match set.len() {
        1 => network
            .find(TileRef::Cluster(set.base))
            .map(|to| Flow::Write { from, to }),
        _ => Some(Flow::Multicast { from, set: *set }),
    };
    let flows: Option<Vec<Flow>> = sets.iter().map(flow).collect();
    flows.is_some_and(|flows| check(network, &flows).is_ok())
}
