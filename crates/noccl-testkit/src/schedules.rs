// SPDX-License-Identifier: Apache-2.0
//! Schedules written by hand.

use crate::cluster;
use noccl_net::{MultiAddress, TileRef, TileSet};
use noccl_workload::{
    Action, ActionId, ActionKind, Barrier, BarrierMechanism, Collective, CollectiveKind, Compute,
    Destination, ElementType, InNetworkReduction, LocalReduce, Operator, Place, SCHEDULE_FORMAT,
    Schedule, Transfer,
};
use std::collections::BTreeMap;

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
    let action = |(kind, after): (ActionKind, Vec<u32>)| Action {
        kind,
        after: after.into_iter().map(ActionId).collect(),
    };
    schedule_of(actions.into_iter().map(action).collect())
}

/// A schedule of actions that wait for nothing.
#[must_use]
pub fn at_once(kinds: Vec<ActionKind>) -> Schedule {
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

/// Cluster (x, y) computes.
#[must_use]
pub const fn compute(x: u16, y: u16, cycles: u64) -> ActionKind {
    ActionKind::Compute(Compute {
        tile: cluster(x, y),
        cycles,
    })
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
    pub fn add(&mut self, kind: ActionKind, after: &[u32]) -> u32 {
        let after = after.iter().map(|a| ActionId(*a)).collect();
        self.0.actions.push(Action { kind, after });
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
        self.add(
            copy(initiator, source, Destination::One(destination), bytes),
            after,
        )
    }

    /// A transfer to a set of clusters.
    pub fn multicast(
        &mut self,
        initiator: TileRef,
        source: Place,
        set: MultiAddress,
        offset: u64,
        bytes: u64,
        after: &[u32],
    ) -> u32 {
        self.add(
            copy(
                initiator,
                source,
                Destination::Multicast { set, offset },
                bytes,
            ),
            after,
        )
    }

    /// A barrier in the network, counted at cluster (0, 0).
    pub fn barrier(&mut self, group: TileSet, after: &[u32]) -> u32 {
        self.add(
            ActionKind::Barrier(Barrier {
                group,
                counter: cluster(0, 0),
                mechanism: BarrierMechanism::InNetwork,
            }),
            after,
        )
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
        self.add(
            ActionKind::InNetworkReduction(InNetworkReduction {
                group,
                source_offset,
                root,
                bytes,
                operator: Operator::Sum,
                element: ElementType::Fp64,
            }),
            after,
        )
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
        self.add(
            ActionKind::LocalReduce(LocalReduce {
                tile,
                inputs: inputs.to_vec(),
                output,
                bytes,
                operator: Operator::Sum,
                element: ElementType::Fp64,
            }),
            after,
        )
    }

    /// Ten cycles of computing.
    pub fn compute(&mut self, tile: TileRef, after: &[u32]) -> u32 {
        self.add(ActionKind::Compute(Compute { tile, cycles: 10 }), after)
    }
}

/// A transfer of one row.
#[must_use]
pub fn copy(initiator: TileRef, source: Place, destination: Destination, bytes: u64) -> ActionKind {
    ActionKind::Transfer(Transfer::row(initiator, source, destination, bytes))
}
