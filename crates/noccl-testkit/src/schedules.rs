// SPDX-License-Identifier: Apache-2.0
//! Schedules written by hand.

use crate::actions::{barrier, compute, copy, core_sum, to_set};
use crate::cluster;
use noccl_net::{MultiAddress, TileRef, TileSet};
use noccl_workload::{
    Action, ActionId, ActionKind, BarrierMechanism, Collective, CollectiveKind, Destination,
    ElementType, InNetworkReduction, Operator, Place, SCHEDULE_FORMAT, Schedule,
};
use std::collections::BTreeMap;

/// Every kind of collective, the custom one last.
pub const KINDS: [CollectiveKind; CollectiveKind::ALL.len() + 1] = {
    let mut kinds = [CollectiveKind::Custom; CollectiveKind::ALL.len() + 1];
    let (all, _) = kinds.split_at_mut(CollectiveKind::ALL.len());
    all.copy_from_slice(&CollectiveKind::ALL);
    kinds
};

/// A schedule of these actions that claims nothing.
#[must_use]
pub fn schedule_of(actions: Vec<Action>) -> Schedule {
    Schedule {
        format: SCHEDULE_FORMAT,
        first: None,
        claims_rounds: false,
        algorithm: "test".to_owned(),
        parameters: BTreeMap::new(),
        collective: None,
        actions,
    }
}

/// A schedule of actions with what each waits for, by number.
#[must_use]
pub fn schedule(actions: Vec<(ActionKind, Vec<u32>)>) -> Schedule {
    let action = |(kind, others): (ActionKind, Vec<u32>)| after(kind, &others);
    schedule_of(actions.into_iter().map(action).collect())
}

/// A schedule of actions that wait for nothing.
#[must_use]
pub fn at_once(kinds: impl IntoIterator<Item = ActionKind>) -> Schedule {
    schedule_of(kinds.into_iter().map(alone).collect())
}

/// An action that waits for nothing.
#[must_use]
pub const fn alone(kind: ActionKind) -> Action {
    Action {
        kind,
        after: Vec::new(),
    }
}

/// An action that waits for others, by number.
#[must_use]
pub fn after(kind: ActionKind, others: &[u32]) -> Action {
    Action {
        kind,
        after: others.iter().copied().map(ActionId).collect(),
    }
}

/// Actions, each after the one before it.
#[must_use]
pub fn in_order(kinds: impl IntoIterator<Item = ActionKind>) -> Schedule {
    let kinds = kinds.into_iter().zip(0_u32..);
    let action = |(kind, number): (ActionKind, u32)| {
        let before = number.checked_sub(1);
        after(kind, before.as_slice())
    };
    schedule_of(kinds.map(action).collect())
}

/// A collective on doubles whose output lies at 32 KiB.
#[must_use]
pub const fn collective(
    kind: CollectiveKind,
    group: TileSet,
    root: TileRef,
    bytes: u64,
) -> Collective {
    Collective {
        kind,
        group,
        root,
        bytes,
        input_offset: 0,
        output_offset: 0x8000,
        operator: Operator::Sum,
        element: ElementType::Fp64,
        lengths: None,
        definition: None,
    }
}

/// A schedule under construction.
#[derive(Debug, Clone)]
pub struct Build(pub Schedule);

impl Build {
    /// Nothing so far.
    #[must_use]
    pub fn new(collective: Option<Collective>) -> Self {
        let mut schedule = schedule_of(Vec::new());
        schedule.collective = collective;
        Self(schedule)
    }

    /// An action after others, by number; returns its own number.
    pub fn add(&mut self, kind: ActionKind, others: &[u32]) -> u32 {
        self.0.actions.push(after(kind, others));
        self.0.actions.len() as u32 - 1
    }

    /// A transfer of one row.
    pub fn copy(
        &mut self,
        initiator: TileRef,
        source: Place,
        destination: Place,
        bytes: u64,
        after: &[u32],
    ) -> u32 {
        let kind = copy(initiator, source, Destination::One(destination), bytes);
        self.add(kind, after)
    }

    /// A row that a tile writes from its own memory.
    pub fn push(&mut self, source: Place, destination: Place, bytes: u64, after: &[u32]) -> u32 {
        self.copy(source.tile, source, destination, bytes, after)
    }

    /// A row that a tile reads into its own memory.
    pub fn pull(&mut self, source: Place, destination: Place, bytes: u64, after: &[u32]) -> u32 {
        self.copy(destination.tile, source, destination, bytes, after)
    }

    /// A transfer from a tile's own memory to a set of clusters.
    pub fn multicast(
        &mut self,
        source: Place,
        set: MultiAddress,
        offset: u64,
        bytes: u64,
        after: &[u32],
    ) -> u32 {
        let kind = copy(source.tile, source, to_set(set, offset), bytes);
        self.add(kind, after)
    }

    /// A barrier in the network, counted at cluster (0, 0).
    pub fn barrier(&mut self, group: TileSet, after: &[u32]) -> u32 {
        let kind = barrier(group, cluster(0, 0), BarrierMechanism::InNetwork);
        self.add(kind, after)
    }

    /// A sum of doubles in the network.
    pub fn reduction(
        &mut self,
        group: MultiAddress,
        source_offset: u64,
        root: Place,
        bytes: u64,
        after: &[u32],
    ) -> u32 {
        let sum = InNetworkReduction {
            group,
            source_offset,
            root,
            bytes,
            operator: Operator::Sum,
            element: ElementType::Fp64,
        };
        self.add(ActionKind::InNetworkReduction(sum), after)
    }

    /// A sum of doubles by a core.
    pub fn local(
        &mut self,
        tile: TileRef,
        inputs: &[u64],
        output: u64,
        bytes: u64,
        after: &[u32],
    ) -> u32 {
        let sum = core_sum(tile, inputs, output, bytes, ElementType::Fp64);
        self.add(sum, after)
    }

    /// Ten cycles of computing.
    pub fn compute(&mut self, tile: TileRef, after: &[u32]) -> u32 {
        self.add(compute(tile, 10), after)
    }
}
