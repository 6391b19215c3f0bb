// SPDX-License-Identifier: Apache-2.0
//! The schedule: a DAG of actions.

use crate::{ActionKind, Collective};
use noccl_net::TileRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the schedule format this library reads and writes.
pub const SCHEDULE_FORMAT: u32 = 1;

/// A DAG of actions that realises a collective on one network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Format version; this library reads version 1.
    pub format: u32,
    /// Name of the algorithm: structure, not paper.
    pub algorithm: String,
    /// Parameters of the algorithm, e.g. `chunks = 4`.
    pub parameters: BTreeMap<String, String>,
    /// What the schedule claims to achieve; the checker proves it.
    pub collective: Option<Collective>,
    /// Actions; an action may only come after earlier ones.
    pub actions: Vec<Action>,
}

/// Index of an action in its schedule.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct ActionId(pub u32);

/// One action with its dependencies.
///
/// A dependency is local: a participant starts the action when it has itself finished every action of
/// `after` in which it takes part. An `after` edge between actions that share no participant is an
/// error: only a barrier or a reduction, in which both take part, carries an order between tiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// What happens.
    pub kind: ActionKind,
    /// Actions that must be over before this one starts.
    pub after: Vec<ActionId>,
}

/// A position in a tile's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Tile.
    pub tile: TileRef,
    /// Bytes from the start of its memory.
    pub offset: u64,
}

impl Schedule {
    /// How messages name an action: its place in the file and its kind.
    pub(crate) fn action_name(&self, action: usize) -> String {
        let kind = self.actions.get(action).map_or("absent", |a| a.kind.name());
        format!("actions[{action}] ({kind})")
    }
}
