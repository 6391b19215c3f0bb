// SPDX-License-Identifier: Apache-2.0
//! The schedule: a DAG of actions.

use crate::{ActionKind, Collective};
use noccl_net::TileRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

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
    /// What a core does first when a message has come and its next share could begin too; absent: it receives. For networks of
    /// core tiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<First>,
    /// Does it claim that the messages of each round share no link between routers? The checker proves it. It says nothing about
    /// time: messages of neighbouring rounds meet unless the rounds are kept apart.
    #[serde(default, skip_serializing_if = "is_false")]
    pub claims_rounds: bool,
    /// Actions; an action may only come after earlier ones.
    pub actions: Vec<Action>,
}

/// What a core that could do either does first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum First {
    /// It receives what has come.
    #[default]
    Receive,
    /// It goes on with its own share.
    Send,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_false(claim: &bool) -> bool {
    !*claim
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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
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
    /// A number that tells schedules of other actions or orders apart; equal schedules have equal ones, whatever made them.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.first, &self.actions).hash(&mut hasher);
        hasher.finish()
    }

    /// How messages name an action: its place in the file and its kind.
    pub(crate) fn action_name(&self, action: usize) -> String {
        let kind = self.actions.get(action).map_or("absent", |a| a.kind.name());
        format!("actions[{action}] ({kind})")
    }
}
