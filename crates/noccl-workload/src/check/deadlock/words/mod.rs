// SPDX-License-Identifier: Apache-2.0
//! Core tiles whose cores may leave words in their stores: can they wait for words, stores and one another in a circle?
//!
//! [`shares`] is what each core does and in which order, [`packets`] what travels and whether a store has space for all that may
//! come together, [`waits`] who may wait for whom. Nothing depends on timing, so noise and pauses change nothing.

mod packets;
mod shares;
mod waits;

use super::{Deadlock, DeadlockReport, DeadlockWait, proved, refused};
use crate::Schedule;
use crate::check::CheckError;
use noccl_net::deadlock::Proof;
use noccl_net::{Network, TileId};
use noccl_spec::CoreTiles;
use packets::{Carried, Packets, link_text};
use shares::{MAX_SHARES, Shares};
use waits::{MAX_WAITS, Node, Of, WordWaits};

const REMEDY: &str = "core.drain = \"always\", messages that fit into core.receive_store_words together, or actions that an \
                      `after` orders";

/// Proves that no core waits forever.
///
/// # Errors
/// [`CheckError::Deadlock`] with a circle of possible waits, or with the limit that is reached.
pub(super) fn check(
    network: &Network,
    tiles: &CoreTiles,
    schedule: &Schedule,
) -> Result<DeadlockReport, CheckError> {
    let Some(shares) = Shares::new(network, schedule) else {
        return Err(too_many(MAX_SHARES, "parts of cores in actions"));
    };
    let packets = Packets::new(network, tiles, schedule, &shares);
    let of = Of {
        network,
        tiles,
        shares: &shares,
        packets: &packets,
    };
    let Some(waits) = WordWaits::new(of) else {
        return Err(too_many(MAX_WAITS, "possible waits"));
    };
    match waits.circle() {
        None => Ok(proved(Proof {
            nodes: waits.nodes.len(),
            waits: waits.count,
        })),
        Some(circle) => Err(refused(of.deadlock(schedule, &circle))),
    }
}

fn too_many(limit: usize, what: &str) -> CheckError {
    refused(Deadlock {
        cycle: Vec::new(),
        is_found: false,
        text: format!("more than {limit} {what}, which are not all looked at"),
        remedy: REMEDY,
    })
}

impl Of<'_> {
    /// The circle in words.
    fn deadlock(self, schedule: &Schedule, circle: &[Node]) -> Deadlock {
        let names: Vec<(usize, String, String)> = circle
            .iter()
            .map(|node| self.name(schedule, *node))
            .collect();
        let next = names.iter().cycle().skip(1);
        let cycle: Vec<DeadlockWait> = (names.iter().zip(next))
            .map(
                |((index, holder, place), (_, awaited, there))| DeadlockWait {
                    index: Some(*index),
                    holder: holder.clone(),
                    holds: place.clone(),
                    waits_for: format!("{awaited}, {there}"),
                },
            )
            .collect();
        let waits = cycle.iter().map(|wait| {
            format!(
                "{}, {}, may wait for {}",
                wait.holder, wait.holds, wait.waits_for
            )
        });
        Deadlock {
            text: waits.collect::<Vec<_>>().join("; "),
            cycle,
            is_found: false,
            remedy: REMEDY,
        }
    }

    /// Action, who waits, and where.
    fn name(self, schedule: &Schedule, node: Node) -> (usize, String, String) {
        let core = |tile: TileId| format!("at core {}", self.network.coord(tile));
        let words = |packet: usize| {
            let own = &self.packets.all[packet];
            let action = self.shares.all[own.send].action;
            let name = schedule.action_name(action);
            let who = match own.carried {
                Carried::Data => format!("words of {name}"),
                Carried::Acknowledgement => format!("the acknowledgement of {name}"),
                Carried::Request => format!("the request of {name}"),
                Carried::Reply => format!("the reply to {name}"),
            };
            (action, who)
        };
        match node {
            Node::Share(share) => {
                let own = &self.shares.all[share];
                (own.action, schedule.action_name(own.action), core(own.tile))
            }
            Node::Stream(action) => {
                let members = "at all its members".to_owned();
                (action, schedule.action_name(action), members)
            }
            Node::At(packet, place) => {
                let (action, who) = words(packet);
                let link = self.packets.all[packet].links[place];
                (action, who, format!("at {}", link_text(self.network, link)))
            }
            Node::Store(packet) => {
                let (action, who) = words(packet);
                let at = self.network.coord(self.packets.all[packet].to);
                (action, who, format!("before the full store of core {at}"))
            }
        }
    }
}
