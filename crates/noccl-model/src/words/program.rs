// SPDX-License-Identifier: Apache-2.0
//! A schedule of core tiles as the model sees it: every core's instance of each action, and what it waits for.
//!
//! As in the simulator: a core waits for earlier instances of its own alone, and takes messages of one pair of tiles in their order. Tests of
//! `noccl-studies` compare both over random schedules.

use crate::ModelError;
use noccl_net::{Network, TileId};
use noccl_workload::{Action, Instances, Schedule, participants};
use std::collections::BTreeMap;

/// Instances of all cores.
pub(super) struct Program {
    pub(super) instances: Instances<()>,
    /// Start of the first instance and end of the last one, by action.
    pub(super) times: Vec<Option<(u64, u64)>>,
}

impl Program {
    pub(super) fn new(network: &Network, schedule: &Schedule) -> Result<Self, ModelError> {
        let mut instances = Instances::new(network.num_tiles());
        let mut last: BTreeMap<(TileId, TileId), u32> = BTreeMap::new();
        for (index, action) in schedule.actions.iter().enumerate() {
            let tiles = participants(network, &action.kind);
            if tiles.is_empty() {
                return Err(ModelError::Schedule {
                    action: index,
                    reason: "nobody takes part; accepted: tiles of this network".to_owned(),
                });
            }
            let number = instances.push(&tiles, || ());
            instances.link(number, action, |_| true);
            if let Some((ends, share)) = received(network, action, number, &instances)
                && let Some(before) = last.insert(ends, share)
            {
                instances.wait(before, share);
            }
        }
        Ok(Self {
            instances,
            times: vec![None; schedule.actions.len()],
        })
    }

    pub(super) fn begin(&mut self, share: u32, now: u64) {
        let time = &mut self.times[self.instances.all[share].action as usize];
        time.get_or_insert((now, now));
    }

    /// An instance is over; those of its core that may begin now.
    pub(super) fn end(&mut self, share: u32, now: u64) -> Vec<u32> {
        self.begin(share, now);
        let action = self.instances.all[share].action;
        if let Some((_, end)) = &mut self.times[action as usize] {
            *end = now.max(*end);
        }
        let mut ready = Vec::new();
        self.instances.end(share, |waiting, is_ready| {
            if is_ready {
                ready.push(waiting);
            }
        });
        ready
    }
}

/// The ends of a message that crosses the network, and the receiver's instance.
fn received(
    network: &Network,
    action: &Action,
    number: u32,
    instances: &Instances<()>,
) -> Option<((TileId, TileId), u32)> {
    let message = action.kind.message().filter(|m| !m.is_copy())?;
    let source = network.find(message.source.tile)?;
    let target = network.find(message.destination.tile)?;
    Some(((source, target), instances.at(number, target)?))
}
