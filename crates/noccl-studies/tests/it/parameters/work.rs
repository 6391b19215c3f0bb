// SPDX-License-Identifier: Apache-2.0
//! What the networks are asked to do.

use super::programs;
use crate::common::stress_request;
use noccl_net::Network;
use noccl_run::Watch;
use noccl_studies::{
    CompareRequest, Error, ErrorClass, StressKind, StressRequest, compare, parse_algorithms,
    parse_group, stress,
};
use noccl_testkit::Random;
use noccl_workload::CollectiveKind;

/// One thing to do, verified.
#[derive(Debug, Clone)]
pub enum Work {
    /// Overlapping random transactions of these kinds at the ports, as `noccl stress` makes them.
    Ports(Vec<StressKind>, u64),
    /// A collective by these algorithms (empty: all), with so many bytes.
    Collective(CollectiveKind, &'static str, u64),
    /// A random program of transfers that lie anywhere in a beat, multicasts, reductions and barriers.
    Program(u64),
}

/// Why it did not end well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    Refused(String),
    Failed(String),
}

/// What core tiles do.
const CORE_KINDS: [CollectiveKind; 5] = [
    CollectiveKind::AllToAll,
    CollectiveKind::Barrier,
    CollectiveKind::Multicast,
    CollectiveKind::Reduce,
    CollectiveKind::AllReduce,
];

impl From<Error> for Wrong {
    fn from(error: Error) -> Self {
        let text = error.to_string();
        match (&error, error.class()) {
            (Error::Check(_), _) | (_, ErrorClass::BadInput) => Wrong::Refused(text),
            (
                _,
                ErrorClass::Failed
                | ErrorClass::NotWritten
                | ErrorClass::Interrupted
                | ErrorClass::Suspended,
            ) => Wrong::Failed(text),
        }
    }
}

impl Work {
    pub fn of_collective_networks() -> Vec<Work> {
        use CollectiveKind::{AllGather, AllReduce, AllToAll, Barrier, Multicast, Reduce};
        let kinds = [AllGather, AllToAll, Barrier, Multicast, Reduce, AllReduce];
        let all = kinds.map(|kind| Work::Collective(kind, "all", 1032));
        let ports = (0..3).map(|seed| Work::Ports(StressKind::ALL.to_vec(), seed));
        let long = [
            Work::Collective(Reduce, "in_network,tree:2", 6152),
            Work::Collective(AllReduce, "in_network,chain:3", 6152),
        ];
        let programs = programs::SEEDS.map(Work::Program);
        ports.chain(programs).chain(all).chain(long).collect()
    }

    pub fn of_torrents() -> Vec<Work> {
        let chains = (0..3).map(|seed| Work::Ports(vec![StressKind::Chain], seed));
        let one = Work::Collective(CollectiveKind::Multicast, "all", 4160);
        chains.chain([one]).collect()
    }

    pub fn of_esp() -> Vec<Work> {
        let sizes = [64, 4160];
        let multicast =
            |bytes| Work::Collective(CollectiveKind::Multicast, "in_network_list", bytes);
        sizes.map(multicast).to_vec()
    }

    /// A part of a unit, and several.
    pub fn of_cores() -> Vec<Work> {
        let sizes = [8, 264];
        let each = |bytes| CORE_KINDS.map(|kind| Work::Collective(kind, "all", bytes));
        sizes.into_iter().flat_map(each).collect()
    }

    /// Anything that a network of this name can do.
    pub fn random(preset: &str, random: &mut Random) -> Work {
        use CollectiveKind::{AllGather, AllReduce, AllToAll, Barrier, Multicast, Reduce};
        let bytes = 8 << random.below(7);
        if preset.starts_with("esp_") {
            return Work::Collective(Multicast, "in_network_list", 65 * bytes);
        }
        if preset.starts_with("torrent_") {
            return match random.below(4) {
                0 => Work::Collective(Multicast, "all", 65 * bytes),
                _ => Work::Ports(vec![StressKind::Chain], random.below(1 << 32)),
            };
        }
        if preset.starts_with("tilepro64_") {
            return Work::Collective(*random.pick(&CORE_KINDS), "all", bytes);
        }
        let kinds = [AllGather, AllToAll, Barrier, Multicast, Reduce, AllReduce];
        match random.below(8) {
            0 => Work::Collective(*random.pick(&kinds), "all", bytes),
            1 => Work::Collective(*random.pick(&[Reduce, AllReduce]), "in_network", 24 * bytes),
            2 | 3 => Work::Ports(StressKind::ALL.to_vec(), random.below(1 << 32)),
            _ => Work::Program(random.draw()),
        }
    }

    /// Programs may be refused for what they are; the rest is made to fit.
    pub fn is_accepted(&self, network: &Network) -> bool {
        match self {
            Work::Program(seed) => programs::is_accepted(network, *seed),
            Work::Ports(..) | Work::Collective(..) => true,
        }
    }

    pub fn run(&self, network: &Network) -> Result<(), Wrong> {
        match self {
            Work::Ports(kinds, seed) => ports(network, kinds, *seed),
            Work::Collective(kind, algorithms, bytes) => {
                collective(network, *kind, algorithms, *bytes)
            }
            Work::Program(seed) => programs::run(network, *seed),
        }
    }
}

fn ports(network: &Network, kinds: &[StressKind], seed: u64) -> Result<(), Wrong> {
    let request = StressRequest {
        first_seed: seed,
        ..stress_request(network.spec().name.clone(), kinds, 1)
    };
    let report = stress(network, &request, Watch::quiet())?;
    let failed = |f: &noccl_studies::StressFailure| {
        let stall = f.diagnosis.as_ref().map(|d| d.summary.clone());
        let wrong = format!("{} wrong", f.wrong_transactions);
        Wrong::Failed(stall.unwrap_or(wrong))
    };
    report.failures.first().map_or(Ok(()), |f| Err(failed(f)))
}

/// Exchanges that take minutes to simulate: hundreds of cores, or interrupts of millions of cycles. Long runs have them.
fn takes_minutes(network: &Network, kind: CollectiveKind) -> bool {
    let interrupt_cycles = network
        .spec()
        .cores()
        .map_or(0, |c| c.core.interrupt_cycles);
    let is_slow = network.clusters().count() > 64 || interrupt_cycles > 100_000;
    kind == CollectiveKind::AllToAll && is_slow
}

fn collective(
    network: &Network,
    kind: CollectiveKind,
    algorithms: &str,
    bytes: u64,
) -> Result<(), Wrong> {
    let is_left_out = !noccl_testkit::is_long() && takes_minutes(network, kind);
    let kind = if is_left_out {
        CollectiveKind::Multicast
    } else {
        kind
    };
    let group = parse_group(network, "all")?;
    let mut request = CompareRequest::new(kind, group, vec![bytes]);
    request.algorithms = parse_algorithms(algorithms)?;
    let comparison = compare(network, &request, Watch::quiet())?;
    let wrong = comparison.rows.iter().find(|row| !row.verified.is_yes());
    if comparison.rows.is_empty() {
        return Err(Wrong::Refused(format!("{:?}", comparison.skipped)));
    }
    wrong.map_or(Ok(()), |row| {
        Err(Wrong::Failed(format!("wrong bytes: {row:?}")))
    })
}
