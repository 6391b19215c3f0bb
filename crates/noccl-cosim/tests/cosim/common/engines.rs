// SPDX-License-Identifier: Apache-2.0
//! Schedules on the simulator, in lock-step with Verilated DMA engines, network interfaces and mesh, transfer by transfer.

use super::{HARD, cluster, library, network, stalled};
use noccl_cosim::endpoints::{Endpoints, EngineStarts};
use noccl_cosim::lockstep::{Follow, LockstepError};
use noccl_net::{MultiAddress, Network, TileRef};
use noccl_run::Watch;
use noccl_run::{CycleRecord, MemoryImage, RunConfig};
use noccl_sim::{run_schedule, run_schedule_recorded};
use noccl_studies::{CompareRequest, parse_algorithms};
use noccl_testkit::actions::to_set;
pub use noccl_testkit::place;
pub use noccl_testkit::schedules::schedule;
use noccl_testkit::schedules::{at_once, in_order};
use noccl_workload::CollectiveKind;
use noccl_workload::{
    ActionKind, Destination, ElementType, InNetworkReduction, Operator, Place, Schedule, Transfer,
};

/// Bytes of every L1 that transfers use.
pub const L1_BYTES: u64 = 0x1_0000;

/// A library with engines and the preset that it was made of.
#[derive(Debug, Clone, Copy)]
pub struct Engines {
    pub library: &'static str,
    pub preset: &'static str,
}

/// Clusters and memories.
fn tiles(network: &Network) -> Vec<TileRef> {
    let (clusters, memories) = (network.clusters(), network.memories());
    let all = clusters.chain(memories);
    all.map(|tile| network.tile_ref(tile)).collect()
}

/// Bytes that differ from tile to tile and from line to line.
fn inputs(network: &Network) -> Vec<MemoryImage> {
    let image = |(i, tile): (usize, TileRef)| MemoryImage {
        tile,
        offset: 0,
        bytes: (0..L1_BYTES as usize)
            .map(|at| (at * 7 + at / 64 * 31 + i * 101) as u8)
            .collect(),
    };
    tiles(network).into_iter().enumerate().map(image).collect()
}

/// A transfer of one row.
pub fn copy(initiator: TileRef, source: Place, destination: Destination, bytes: u64) -> Transfer {
    Transfer::row(initiator, source, destination, bytes)
}

/// The initiator sends from its own L1.
pub fn push(from: TileRef, to: TileRef, (source, destination): (u64, u64), bytes: u64) -> Transfer {
    let to = Destination::One(place(to, destination));
    copy(from, place(from, source), to, bytes)
}

/// The initiator fetches into its own L1.
pub fn pull(to: TileRef, from: TileRef, (source, destination): (u64, u64), bytes: u64) -> Transfer {
    let own = Destination::One(place(to, destination));
    copy(to, place(from, source), own, bytes)
}

pub fn multicast(from: TileRef, to: MultiAddress, offset: u64, bytes: u64) -> Transfer {
    let to = to_set(to, offset);
    copy(from, place(from, 0), to, bytes)
}

/// A sum over the first bytes of the L1 of each member.
pub fn sum(group: MultiAddress, root: Place, bytes: u64) -> InNetworkReduction {
    InNetworkReduction {
        group,
        source_offset: 0,
        root,
        bytes,
        operator: Operator::Sum,
        element: ElementType::Int64,
    }
}

/// All at once.
pub fn together(transfers: Vec<Transfer>) -> Schedule {
    at_once(transfers.into_iter().map(ActionKind::Transfer))
}

/// One after the other.
pub fn in_sequence(transfers: Vec<Transfer>) -> Schedule {
    in_order(transfers.into_iter().map(ActionKind::Transfer))
}

impl Engines {
    /// The schedule of a collective of all clusters.
    pub fn collective(
        self,
        kind: CollectiveKind,
        root: Option<TileRef>,
        (algorithm, bytes): (&str, u64),
    ) -> Schedule {
        let network = network(self.preset);
        let group = noccl_studies::parse_group(&network, "all").unwrap();
        let mut request = CompareRequest::new(kind, group, vec![bytes]);
        request.root = root;
        request.element = ElementType::Int64;
        let algorithm = parse_algorithms(algorithm).unwrap()[0];
        noccl_studies::schedule(&network, &request, bytes, algorithm, Watch::quiet()).unwrap()
    }

    /// Runs the hardware along records; its memories are then the simulator's. Returns handshakes compared.
    pub fn follow(
        self,
        schedule: &Schedule,
        config: &RunConfig,
        tamper: impl Fn(&mut Vec<CycleRecord>),
    ) -> Result<u64, LockstepError> {
        let network = network(self.preset);
        let inputs = inputs(&network);
        let mut records = Vec::new();
        let mut keep = |record: &CycleRecord| records.push(record.clone());
        run_schedule_recorded(&network, schedule, &inputs, config, &mut keep).unwrap();
        tamper(&mut records);
        let mut hardware = Endpoints::open(&library(self.library), &network, config)?;
        let mut starts = EngineStarts::default();
        records.iter().for_each(|record| starts.add(record));
        hardware.run_engines(&starts, &inputs)?;
        for record in &records {
            hardware.follow(record)?;
        }
        hardware.drain()?;
        let all = tiles(&network).into_iter();
        let whole: Vec<_> = all.map(|tile| (place(tile, 0), L1_BYTES)).collect();
        let mut go_on = |_| true;
        let run = run_schedule(&network, schedule, &inputs, &whole, config, &mut go_on).unwrap();
        for image in run.memory {
            let tile = network.find(image.tile).unwrap();
            let found = hardware.bytes(tile, 0, L1_BYTES as usize);
            let differs = found.iter().zip(&image.bytes).position(|(a, b)| a != b);
            assert_eq!(differs, None, "first byte of {} that differs", image.tile);
        }
        Ok(hardware.num_compared())
    }

    /// Without back-pressure and under much of it. Returns handshakes compared.
    pub fn agree(self, schedule: &Schedule) -> u64 {
        let comparison = |stalls| {
            let compared = self.follow(schedule, &stalled(stalls, 1), |_| ());
            compared.unwrap_or_else(|error| panic!("stalls {stalls:?}: {error}"))
        };
        comparison(None) + comparison(Some(HARD))
    }

    /// Why a schedule is refused.
    pub fn refusal(self, schedule: &Schedule) -> String {
        match self.follow(schedule, &stalled(None, 1), |_| ()) {
            Err(LockstepError::Unsupported { what, .. }) => what.to_owned(),
            other => panic!("{other:?}"),
        }
    }

    /// The first difference after a change of the records.
    pub fn found(self, schedule: &Schedule, tamper: impl Fn(&mut Vec<CycleRecord>)) -> String {
        let error = self
            .follow(schedule, &stalled(None, 1), tamper)
            .unwrap_err();
        assert!(matches!(error, LockstepError::Divergence(_)), "{error}");
        error.to_string()
    }
}

/// A multicast of data of a memory through the south-west engine.
pub fn from_memory(to: MultiAddress, bytes: u64) -> Transfer {
    let to = to_set(to, 0x8000);
    copy(cluster(0, 0), place(TileRef::Memory(1), 0), to, bytes)
}
