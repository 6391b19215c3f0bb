// SPDX-License-Identifier: Apache-2.0
//! Why nothing moves: packets that wait for a virtual channel, and reductions that wait for contributions.

use super::numbers::{LOCAL, PORTS, ports};
use super::plane::SmartPlane;
use noccl_net::{Network, Port, TileId};
use noccl_run::{Diagnosis, WaitEdge};

/// Waits that are named.
const MAX_NAMED: usize = 16;

/// Who waits for whom: actions for members, then reductions and packets.
pub(super) fn diagnose(
    plane: &SmartPlane,
    network: &Network,
    cycle: u64,
    last_progress_cycle: u64,
    of_schedule: Vec<WaitEdge>,
) -> Diagnosis {
    let has_absent = !of_schedule.is_empty();
    let mut waits = of_schedule;
    waits.extend(reductions(plane, network, last_progress_cycle));
    waits.extend(packets(plane, network, last_progress_cycle));
    waits.truncate(MAX_NAMED);
    let summary = if has_absent {
        "actions wait for members that do not begin them"
    } else if waits.is_empty() {
        "no flit waits: a participant has not begun or not ended"
    } else if plane.table.waiting().next().is_some() {
        "a reduction waits for contributions that do not come"
    } else {
        "flits wait for virtual channels or for endpoints that take none"
    };
    Diagnosis {
        cycle,
        last_progress_cycle,
        summary: summary.to_owned(),
        waits,
    }
}

fn place(network: &Network, tile: usize) -> String {
    format!("router {}", network.coord(TileId(tile as u32)))
}

fn reductions(plane: &SmartPlane, network: &Network, since_cycle: u64) -> Vec<WaitEdge> {
    let waiting = plane.table.waiting().map(|(tile, id, missing)| WaitEdge {
        waiter: format!("reduction {id}"),
        awaited: format!("{missing} more contributions"),
        place: format!("reduction table of {}", place(network, tile)),
        since_cycle,
    });
    waiting.collect()
}

fn packets(plane: &SmartPlane, network: &Network, since_cycle: u64) -> Vec<WaitEdge> {
    let mut waits = Vec::new();
    for (input, ready) in plane.channels.ready.iter().enumerate() {
        let tile = input / PORTS;
        for bit in (0..plane.n.channels()).filter(|bit| ready >> bit & 1 == 1) {
            let channel = plane.n.channel(input, bit);
            let packet = &plane.packets[plane.channels.held[channel].packet as usize];
            for out in ports(plane.channels.held[channel].wants) {
                let awaited = if out == LOCAL {
                    "the interface".to_owned()
                } else {
                    format!("a virtual channel behind output {:?}", Port::ALL[out])
                };
                waits.push(WaitEdge {
                    waiter: format!(
                        "packet from {} to {}",
                        network.coord(TileId(packet.source)),
                        network.coord(TileId(packet.target))
                    ),
                    awaited,
                    place: place(network, tile),
                    since_cycle,
                });
            }
        }
    }
    waits
}
