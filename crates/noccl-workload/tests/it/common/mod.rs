// SPDX-License-Identifier: Apache-2.0
//! Networks and small schedules that the tests of the checker and of the interpreter share.

use noccl_net::{MultiAddress, Network, TileRef, TileSet};
pub use noccl_testkit::{at, cluster, cube as set, network};
use noccl_workload::{
    Action, ActionId, ActionKind, Barrier, BarrierMechanism, CheckError, Collective,
    CollectiveKind, Compute, Destination, ElementType, InNetworkReduction, LocalReduce, Operator,
    Place, SCHEDULE_FORMAT, Schedule, Transfer, check,
};
use std::collections::BTreeMap;

pub fn mesh4x4() -> Network {
    network("collective_noc_4x4")
}

pub fn rejection(schedule: &Schedule) -> CheckError {
    check(&mesh4x4(), schedule).expect_err("the schedule is wrong")
}

/// Asserts that the message begins with the field and names what would be accepted.
pub fn assert_names(schedule: &Schedule, field: &str, accepted: &str) {
    let message = rejection(schedule).to_string();
    assert!(message.starts_with(field), "{message}");
    assert!(message.contains(accepted), "{message}");
}

/// The south row of the 4×4 mesh.
pub fn row() -> TileSet {
    TileSet::Row(0)
}

pub fn collective(kind: CollectiveKind, group: TileSet, root: TileRef, bytes: u64) -> Collective {
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
pub struct Build(pub Schedule);

impl Build {
    pub fn new(collective: Option<Collective>) -> Self {
        Self(Schedule {
            format: SCHEDULE_FORMAT,
            first: None,
            claims_rounds: false,
            algorithm: "test".to_owned(),
            parameters: BTreeMap::new(),
            collective,
            actions: Vec::new(),
        })
    }

    pub fn add(&mut self, kind: ActionKind, after: &[u32]) -> u32 {
        let after = after.iter().map(|a| ActionId(*a)).collect();
        self.0.actions.push(Action { kind, after });
        self.0.actions.len() as u32 - 1
    }

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

    pub fn compute(&mut self, tile: TileRef, after: &[u32]) -> u32 {
        self.add(ActionKind::Compute(Compute { tile, cycles: 10 }), after)
    }
}

pub fn copy(initiator: TileRef, source: Place, destination: Destination, bytes: u64) -> ActionKind {
    ActionKind::Transfer(Transfer::row(initiator, source, destination, bytes))
}

/// Multicast along a row by pulls from the left neighbour, one chunk behind the other, a barrier after every step.
pub fn chain_multicast(width: u16, bytes: u64, chunks: u64) -> Schedule {
    let mut c = collective(
        CollectiveKind::Multicast,
        TileSet::Row(0),
        cluster(0, 0),
        bytes,
    );
    c.output_offset = 0;
    let mut s = Build::new(Some(c));
    let chunk = bytes / chunks;
    let mut gate: Vec<u32> = Vec::new();
    for step in 0..chunks + u64::from(width) - 2 {
        let mut started = Vec::new();
        for x in 1..width {
            let Some(i) = step.checked_sub(u64::from(x) - 1).filter(|i| *i < chunks) else {
                continue;
            };
            let end = if i == chunks - 1 {
                bytes
            } else {
                (i + 1) * chunk
            };
            let from = i * chunk;
            let (source, here) = (at(x - 1, 0, from), at(x, 0, from));
            started.push(s.copy(cluster(x, 0), source, here, end - from, &gate));
        }
        started.extend(&gate);
        gate = vec![s.barrier(row(), &started)];
    }
    s.0
}

/// Reduction of a row into its west end: the east neighbour pushes its partial sum, the cores add.
pub fn chain_reduce(width: u16, bytes: u64) -> Schedule {
    let mut s = Build::new(Some(collective(
        CollectiveKind::Reduce,
        row(),
        cluster(0, 0),
        bytes,
    )));
    let mut ready: Vec<u32> = Vec::new();
    for x in (1..width).rev() {
        // The east end pushes its input, the others their partial sum.
        let from = if x == width - 1 { 0 } else { 0x8000 };
        let push = s.copy(
            cluster(x, 0),
            at(x, 0, from),
            at(x - 1, 0, 0x4000),
            bytes,
            &ready,
        );
        let gate = s.barrier(row(), &[&ready[..], &[push]].concat());
        let sum = s.local(cluster(x - 1, 0), &[0x4000, 0], 0x8000, bytes, &[gate]);
        ready = vec![gate, sum];
    }
    s.0
}
