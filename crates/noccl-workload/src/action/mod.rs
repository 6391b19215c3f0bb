// SPDX-License-Identifier: Apache-2.0
//! Kinds of actions: one file each, with the form in files, the class, the bytes it touches and the checks on it alone.
//!
//! [`ActionKind`] is matched here and where each kind has to be executed or timed; everything else asks the class.

mod all_reduce;
mod arrival;
mod barrier;
mod chain;
mod class;
mod compute;
mod core_work;
mod delivery;
mod kernel;
mod list_multicast;
mod local_reduce;
mod message;
mod pattern;
mod reduction;
mod static_multicast;
mod transfer;

pub use arrival::Arrival;
pub use barrier::{Barrier, BarrierMechanism};
pub use chain::{Chain, ChainDestination};
pub use class::{Agent, Completion, Effect, Lines, Need, NetworkFold, Targets, Waits};
pub use compute::Compute;
pub use core_work::WordStream;
pub use list_multicast::ListMulticast;
pub use local_reduce::LocalReduce;
pub use message::{Message, MessageRows};
pub use pattern::{AccessPattern, CHAIN_BEAT_BYTES, MAX_FIELD, MAX_LOOPS, PatternLoop, WORD_BYTES};
pub use reduction::InNetworkReduction;
pub use static_multicast::{Rectangle, StaticMulticast};
pub use transfer::{Destination, Transfer};

use crate::check::At;
use crate::{CheckError, Kernel};
use all_reduce::Shared;
use class::Kind;
use delivery::Delivered;
use noccl_net::deadlock::Work;
use noccl_net::{Network, TileId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an action does.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ActionKind {
    /// A DMA moves bytes to one tile or multicasts them.
    Transfer(Transfer),
    /// Every member of a group contributes; the network reduces on the path to the root.
    InNetworkReduction(InNetworkReduction),
    /// The same, and every member gets the result: the root reduces and multicasts beat by beat.
    InNetworkAllReduce(InNetworkReduction),
    /// Cores fold buffers of their own L1.
    LocalReduce(LocalReduce),
    /// Cores are busy.
    Compute(Compute),
    /// Participants wait for each other.
    Barrier(Barrier),
    /// A transfer whose end the destinations notice too.
    Delivery(Transfer),
    /// Members tell a root that they have come this far; only the root waits.
    Arrival(Arrival),
    /// The cores of every cluster of a group compute on their own L1.
    Kernel(Kernel),
    /// Endpoints hand a stream from destination to destination.
    Chain(Chain),
    /// The network takes one packet to a list of destinations, which have asked for it.
    ListMulticast(ListMulticast),
    /// A core sends to another one, which receives.
    Message(Message),
    /// A root sends to a rectangle over the static network.
    StaticMulticast(StaticMulticast),
}

impl ActionKind {
    /// What the kind states about itself.
    fn ask<'a, R>(&'a self, question: impl FnOnce(&dyn Kind<'a>) -> R) -> R {
        match self {
            Self::Transfer(t) => question(&t),
            Self::InNetworkReduction(r) => question(&r),
            Self::InNetworkAllReduce(r) => question(&Shared(r)),
            Self::LocalReduce(r) => question(&r),
            Self::Compute(c) => question(&c),
            Self::Barrier(b) => question(&b),
            Self::Delivery(t) => question(&Delivered(t)),
            Self::Arrival(a) => question(&a),
            Self::Kernel(kernel) => question(&kernel),
            Self::Chain(chain) => question(&chain),
            Self::ListMulticast(list) => question(&list),
            Self::Message(message) => question(&message),
            Self::StaticMulticast(multicast) => question(&multicast),
        }
    }

    /// Name in files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.ask(|kind| kind.name())
    }

    /// Name in messages.
    #[must_use]
    pub fn words(&self) -> &'static str {
        self.ask(|kind| kind.words())
    }

    /// Which agent runs the shares.
    #[must_use]
    pub fn agent(&self) -> Agent {
        self.ask(|kind| kind.agent())
    }

    /// Which agent runs a participant's share; `None` if it only notices the end.
    #[must_use]
    pub fn agent_at(&self, network: &Network, tile: TileId) -> Option<Agent> {
        self.ask(|kind| match kind.only_actor() {
            Some(actor) if network.find(actor) != Some(tile) => None,
            Some(_) | None => Some(kind.agent()),
        })
    }

    /// How the cores learn of its completion.
    #[must_use]
    pub fn completion(&self) -> Completion {
        self.ask(|kind| kind.completion())
    }

    /// Who waits for whom.
    #[must_use]
    pub fn waits(&self) -> Waits {
        self.ask(|kind| kind.waits())
    }

    /// What it needs of the network.
    #[must_use]
    pub fn needs(&self) -> Need {
        self.ask(|kind| kind.needs())
    }

    /// What it does to memories.
    #[must_use]
    pub fn effect(&self) -> Effect<'_> {
        self.ask(|kind| kind.effect())
    }

    /// The fold in the network, if it is one.
    #[must_use]
    pub fn network_fold(&self) -> Option<NetworkFold<'_>> {
        match self.effect() {
            Effect::NetworkFold(fold) => Some(fold),
            Effect::Nothing
            | Effect::Lines(_)
            | Effect::Stream(_)
            | Effect::LocalFold(_)
            | Effect::Kernel(_) => None,
        }
    }

    /// The chain of endpoints, if it is one.
    #[must_use]
    pub fn chain(&self) -> Option<&Chain> {
        match self.effect() {
            Effect::Stream(chain) => Some(chain),
            Effect::Nothing
            | Effect::Lines(_)
            | Effect::NetworkFold(_)
            | Effect::LocalFold(_)
            | Effect::Kernel(_) => None,
        }
    }

    /// The DMA engine's transfer, if it is one; of a delivery too.
    #[must_use]
    pub fn transfer(&self) -> Option<&Transfer> {
        self.ask(|kind| kind.transfer())
    }

    /// The barrier, if it is one: participants leave it together, and it does nothing else.
    #[must_use]
    pub fn barrier(&self) -> Option<&Barrier> {
        self.ask(|kind| kind.barrier())
    }

    /// The arrival, if it is one: members tell a root, and go on.
    #[must_use]
    pub fn arrival(&self) -> Option<&Arrival> {
        self.ask(|kind| kind.arrival())
    }

    /// The multicast by a list, if it is one.
    #[must_use]
    pub fn list_multicast(&self) -> Option<&ListMulticast> {
        self.ask(|kind| kind.list_multicast())
    }

    /// The message between cores, if it is one.
    #[must_use]
    pub fn message(&self) -> Option<&Message> {
        self.ask(|kind| kind.message())
    }

    /// The multicast over the static network, if it is one.
    #[must_use]
    pub fn static_multicast(&self) -> Option<&StaticMulticast> {
        self.ask(|kind| kind.static_multicast())
    }

    /// Whose message a tile receives as its share, if that is its share. Everything else is of a core's main list.
    #[must_use]
    pub fn receives_from(&self, network: &Network, tile: TileId) -> Option<TileId> {
        self.ask(|kind| kind.receives_from(network, tile))
    }

    /// Payload bytes that it sends over the network: of a multicast once, of a reduction per contributor, of a chain per destination.
    pub(crate) fn sent_bytes(&self, network: &Network) -> u64 {
        self.ask(|kind| kind.sent_bytes(network))
    }

    /// What it asks of the network; `None` if nothing.
    pub(crate) fn work(&self, network: &Network) -> Option<Work> {
        self.ask(|kind| kind.work(network))
    }

    /// Is it possible on this network, looked at alone?
    pub(crate) fn check(&self, at: &At<'_>) -> Result<(), CheckError> {
        self.ask(|kind| kind.check(at))
    }
}

/// Participants of an action, ascending by tile. Absent tiles, which the checker reports, are left out.
///
/// Only a participant can wait for an action. A transfer is its initiator's alone: source and destination tiles do not notice it,
/// unless it is a delivery: then destination clusters take part. The root of a reduction and the counter of a barrier are
/// participants only if they are members of the group.
#[must_use]
pub fn participants(network: &Network, kind: &ActionKind) -> Vec<TileId> {
    let mut tiles = kind.ask(|kind| kind.participants(network));
    tiles.sort_unstable();
    tiles.dedup();
    tiles
}
