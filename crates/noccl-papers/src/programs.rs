// SPDX-License-Identifier: Apache-2.0
//! Schedules that no collective makes: what a paper's experiment runs around what it measures.

use noccl_net::TileRef;
use noccl_workload::{
    Action, ActionId, ActionKind, Barrier, BarrierMechanism, Collective, Compute, SCHEDULE_FORMAT,
    Schedule,
};
use std::collections::BTreeMap;

/// A schedule of a chain of actions, each after the one before.
pub(crate) fn in_sequence(kinds: Vec<ActionKind>) -> Schedule {
    let actions = kinds.into_iter().enumerate().map(|(index, kind)| Action {
        kind,
        after: index
            .checked_sub(1)
            .map(|i| ActionId(i as u32))
            .into_iter()
            .collect(),
    });
    program(actions.collect())
}

/// A schedule of these actions, which is no collective.
pub(crate) fn program(actions: Vec<Action>) -> Schedule {
    Schedule {
        format: SCHEDULE_FORMAT,
        first: None,
        claims_rounds: false,
        algorithm: "sequence".to_owned(),
        parameters: BTreeMap::new(),
        collective: None,
        actions,
    }
}

/// A barrier of a collective's group at its root.
pub(crate) fn barrier(of: &Collective, mechanism: BarrierMechanism) -> ActionKind {
    ActionKind::Barrier(Barrier {
        group: of.group.clone(),
        counter: of.root,
        mechanism,
    })
}

/// Adds an action of no cycles whose start is when the tile has left the action `after`.
pub(crate) fn mark(schedule: &mut Schedule, tile: TileRef, after: u32) -> usize {
    schedule.actions.push(Action {
        kind: ActionKind::Compute(Compute { tile, cycles: 0 }),
        after: vec![ActionId(after)],
    });
    schedule.actions.len() - 1
}
