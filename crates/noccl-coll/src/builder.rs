// SPDX-License-Identifier: Apache-2.0
//! Actions in steps: a participant's actions of one step run together, after all its earlier ones.

use noccl_net::{Coord, TileSet};
use noccl_workload::{Action, ActionId, ActionKind, as_multi_address};
use std::collections::BTreeMap;

/// Grows a schedule step by step; dependencies follow from who takes part.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    actions: Vec<Action>,
    /// Per participant: its latest actions of earlier steps.
    before: BTreeMap<Coord, Vec<ActionId>>,
    /// Per participant: its actions of this step.
    now: BTreeMap<Coord, Vec<ActionId>>,
}

impl Builder {
    /// Adds an action to this step.
    pub(crate) fn add(&mut self, kind: ActionKind, participants: &[Coord]) {
        let id = ActionId(self.actions.len() as u32);
        let mut after: Vec<ActionId> = participants
            .iter()
            .filter_map(|p| self.before.get(p))
            .flatten()
            .copied()
            .collect();
        after.sort_unstable();
        after.dedup();
        for participant in participants {
            self.now.entry(*participant).or_default().push(id);
        }
        self.actions.push(Action { kind, after });
    }

    /// Ends the step: what follows comes after it, participant by participant.
    pub(crate) fn end_step(&mut self) {
        self.before.append(&mut self.now);
    }

    /// All actions.
    pub(crate) fn finish(self) -> Vec<Action> {
        self.actions
    }
}

/// A set of clusters in its shortest form: a mask cube if it is one, else the list.
pub(crate) fn tile_set(members: &[Coord]) -> TileSet {
    match as_multi_address(members) {
        Some(cube) => TileSet::Cube(cube),
        None => TileSet::Arbitrary(members.to_vec()),
    }
}
