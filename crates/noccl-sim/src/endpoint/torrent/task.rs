// SPDX-License-Identifier: Apache-2.0
//! From a chain of the schedule to configurations, and the order in which followers are acquired.

use crate::endpoint::torrent::cfg::{Cfg, Key};
use crate::endpoint::torrent::contract::Settings;
use crate::endpoint::torrent::pattern::Addresses;
use crate::endpoint::torrent::published::head::ChainTask;
use noccl_net::{Network, TileId};
use noccl_workload::{AccessPattern, Chain};

/// A chain as configurations.
pub(crate) fn task(
    network: &Network,
    settings: &Settings,
    (tile, instance): (u32, u32),
    chain: &Chain,
) -> ChainTask {
    let destinations: Vec<(u32, &AccessPattern)> = chain
        .followers()
        .into_iter()
        .filter_map(|s| Some((network.find(s.tile)?.0, &s.pattern)))
        .collect();
    let mut grants: Vec<u32> = destinations
        .iter()
        .map(|(destination, _)| *destination)
        .collect();
    grants.sort_unstable_by_key(|destination| std::cmp::Reverse(rank(network, *destination)));
    let granted_after = |destination: u32| {
        let at = grants.iter().position(|s| *s == destination);
        at.and_then(|at| grants.get(at + 1)).copied()
    };
    let place = |destination: &u32| destinations.iter().position(|(s, _)| s == destination);
    let order = grants.iter().filter_map(place).map(|at| at as u16);
    let order: Vec<u16> = order.collect();
    let cfgs = destinations
        .iter()
        .enumerate()
        .map(|(i, (destination, pattern))| {
            let cfg = Cfg {
                key: Key {
                    initiator: tile,
                    task: 0,
                },
                previous: i
                    .checked_sub(1)
                    .map_or(tile, |before| destinations[before].0),
                next: destinations.get(i + 1).map(|(next, _)| *next),
                grant_to: granted_after(*destination).unwrap_or(tile),
                starts_grant: settings.is_parallel() || grants.first() == Some(destination),
                destination: if settings.is_parallel() { i as u16 } else { 0 },
                beats: chain.beats() as u32,
                addresses: Addresses::of(pattern),
            };
            (*destination, cfg)
        });
    let task = 0;
    ChainTask {
        key: Key {
            initiator: tile,
            task,
        },
        instance,
        source: Addresses::of(&chain.source),
        own_copy: chain.own_copy().map(Addresses::of),
        beats: chain.beats(),
        cfgs: cfgs.collect(),
        grants: order,
    }
}

/// The order in which all chains acquire followers, highest first: columns from West to East, every other one reversed.
///
/// Any order is free of deadlock; in this one neighbours are next to each other, and a chain that snakes
/// through the mesh is granted from its tail to its head, as published.
fn rank(network: &Network, tile: u32) -> u32 {
    let (at, height) = (network.coord(TileId(tile)), u32::from(network.height()));
    let y = u32::from(at.y);
    let rank_in_column = if at.x.is_multiple_of(2) {
        y
    } else {
        height - 1 - y
    };
    u32::from(at.x) * height + rank_in_column
}
