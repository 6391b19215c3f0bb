// SPDX-License-Identifier: Apache-2.0
//! Random sets of overlapping chains, with plain writes between them: all end, and every destination has its bytes.
//!
//! Chains share followers and links in any order, initiators follow in each other's chains, and some have several
//! chains to begin. Nothing orders them: whatever can wait for each other does.

use super::Program;
use crate::Error;
use noccl_net::{AxiNetwork, Network, TileRef};
use noccl_run::{MemoryImage, Rng, RunResult};
use noccl_workload::{
    AccessPattern, Action, ActionKind, Chain, ChainDestination, Destination, Place,
    SCHEDULE_FORMAT, Schedule, Transfer, check,
};
use std::collections::BTreeMap;

/// Most chains and most writes of a set.
const MAX_CHAINS: u64 = 12;
const MAX_WRITES: u64 = 8;
/// Beats of a stream: one, around one burst, several bursts.
const BEATS: [u64; 9] = [1, 2, 3, 16, 63, 64, 65, 130, 200];

/// A set of chains with its inputs, and what every destination must hold.
pub(super) struct Chains {
    pub schedule: Schedule,
    pub inputs: Vec<MemoryImage>,
    /// Place and input of each destination.
    expected: Vec<(Place, usize)>,
}

/// The network, if it can have such sets: two clusters with endpoints and memory for all streams.
pub(super) fn accepted(network: &Network) -> Result<AxiNetwork<'_>, Error> {
    let num_streams = MAX_CHAINS + MAX_WRITES;
    let needed_bytes = 2 * num_streams * BEATS[BEATS.len() - 1] * 64;
    let with_chains = network
        .as_axi()
        .filter(|n| n.capabilities().chains.is_some());
    let reason = match with_chains {
        None => "accepted: a spec with [cluster.torrent], as in the preset torrent_4x5".to_owned(),
        Some(axi) if axi.clusters().count() < 2 => "accepted: at least two clusters".to_owned(),
        Some(axi) if axi.axi().cluster.l1_bytes < needed_bytes => {
            format!("accepted: cluster.l1_bytes of at least {needed_bytes}")
        }
        Some(axi) => return Ok(axi),
    };
    Err(Error::argument("--only", "chain", reason))
}

/// The set of a seed.
pub(super) fn generate(network: AxiNetwork<'_>, seed: u64) -> Chains {
    let mut rng = Rng::new(seed, "stress chains");
    let clusters: Vec<TileRef> = network.clusters().map(|t| network.tile_ref(t)).collect();
    let num_chains = 2 + rng.below(MAX_CHAINS - 1);
    let num_writes = rng.below(MAX_WRITES + 1);
    let half = network.axi().cluster.l1_bytes / 2;
    let slot = half / (MAX_CHAINS + MAX_WRITES) / 64 * 64;
    let mut set = Chains {
        schedule: Schedule {
            format: SCHEDULE_FORMAT,
            first: None,
            claims_rounds: false,
            algorithm: "stress".to_owned(),
            parameters: BTreeMap::new(),
            collective: None,
            actions: Vec::new(),
        },
        inputs: Vec::new(),
        expected: Vec::new(),
    };
    for stream in 0..num_chains + num_writes {
        let bytes = rng.pick(&BEATS) * 64;
        let source = Place {
            tile: *rng.pick(&clusters),
            offset: stream * slot,
        };
        set.inputs.push(MemoryImage {
            tile: source.tile,
            offset: source.offset,
            bytes: (0..bytes).map(|_| rng.draw() as u8).collect(),
        });
        let offset = half + stream * slot;
        let kind = if stream < num_chains {
            set.chain(&mut rng, &clusters, &network, source, offset)
        } else {
            set.write(&mut rng, &clusters, source, offset)
        };
        set.schedule.actions.push(Action {
            kind,
            after: Vec::new(),
        });
    }
    set
}

impl Chains {
    /// Another range of the stream's bytes; the input that was added last goes there.
    fn expect(&mut self, tile: TileRef, offset: u64) {
        let input = self.inputs.len() - 1;
        self.expected.push((Place { tile, offset }, input));
    }

    fn bytes(&self) -> u64 {
        self.inputs[self.inputs.len() - 1].bytes.len() as u64
    }

    fn chain(
        &mut self,
        rng: &mut Rng,
        clusters: &[TileRef],
        network: &Network,
        source: Place,
        offset: u64,
    ) -> ActionKind {
        let endpoint = network.capabilities().chains;
        // 0: endpoints without chains follow none, so each chain has one destination.
        let most = endpoint.map_or(0, |e| u64::from(e.max_followers));
        let mut rest = clusters.to_vec();
        let num_destinations = 1 + rng.below(most.min(clusters.len() as u64 - 1));
        let pattern = AccessPattern::linear(offset, self.bytes());
        let mut destinations = Vec::new();
        for _ in 0..num_destinations {
            let tile = rest.swap_remove(rng.below(rest.len() as u64) as usize);
            self.expect(tile, offset);
            let pattern = pattern.clone();
            destinations.push(ChainDestination { tile, pattern });
        }
        ActionKind::Chain(Chain {
            initiator: source.tile,
            source: AccessPattern::linear(source.offset, self.bytes()),
            destinations,
            bytes: self.bytes(),
        })
    }

    fn write(
        &mut self,
        rng: &mut Rng,
        clusters: &[TileRef],
        source: Place,
        offset: u64,
    ) -> ActionKind {
        let tile = *rng.pick(clusters);
        self.expect(tile, offset);
        ActionKind::Transfer(Transfer::row(
            source.tile,
            source,
            Destination::One(Place { tile, offset }),
            self.bytes(),
        ))
    }

    /// What runs, and ranges to read back.
    pub(super) fn program(&self) -> Program<'_> {
        let bytes = |input: usize| self.inputs[input].bytes.len() as u64;
        let places = self.expected.iter();
        Program {
            schedule: &self.schedule,
            inputs: &self.inputs,
            outputs: places
                .map(|(place, input)| (*place, bytes(*input)))
                .collect(),
        }
    }

    /// Destinations that hold anything else than their stream.
    pub(super) fn num_wrong(&self, result: &RunResult) -> u64 {
        let pairs = result.memory.iter().zip(&self.expected);
        let wrong = pairs.filter(|(found, (_, input))| found.bytes != self.inputs[*input].bytes);
        wrong.count() as u64
    }

    /// The checker accepts these sets: they are right programs.
    pub(super) fn check(&self, network: &Network) -> Result<(), Error> {
        check(network, &self.schedule)?;
        Ok(())
    }
}
