// SPDX-License-Identifier: Apache-2.0
//! Chains of a few endpoints, and ports that stand still by a seed.

use super::address_map::{Map, bits};
use super::stream::Stream;
use noccl_run::PortWord;
use noccl_sim::lean_endpoint::{Addresses, CHANNELS, Cfg, ChainTask, Key};
use noccl_workload::number::mix;

const WORD_BYTES: u64 = 8;
const FRAME_WORDS: u64 = 8;
/// Words of a source or a destination; where frames lie, behind all of them; words that a chain's frames may take.
const REGION_WORDS: u64 = 2048;
const FRAMES_WORD: u64 = 30 * 1024;
const FRAMES_WORDS: u64 = 128;
/// Chains of a scenario: as many destinations as lie before the frames.
const MAX_CHAINS: u64 = FRAMES_WORD / REGION_WORDS - 1;
const MAX_BEATS: u64 = 200;

/// Where the words of a region's beats lie: those of a beat `stride` words apart, so that 16 and more meet in banks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortPattern {
    /// 1 to 32, a power of two.
    pub stride: u32,
    /// The outer loop inside.
    pub is_turned: bool,
}

/// A chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortChain {
    /// Who leads it.
    pub initiator: u32,
    /// Earliest cycle of its start.
    pub cycle: u64,
    /// Beats.
    pub beats: u64,
    /// In the initiator's memory.
    pub source: PortPattern,
    /// An own copy.
    pub own: Option<PortPattern>,
    /// In the order of the data.
    pub destinations: Vec<(u32, PortPattern)>,
}

/// Chains of a few endpoints; data lie where no chain writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortScenario {
    /// Endpoints.
    pub endpoints: u32,
    /// Chains. The memories hold 14: the 15th lies where the first does, and so on.
    pub chains: Vec<PortChain>,
    /// Of 256 cycles, how many narrow ports, wide ports and banks stand still.
    pub stalls: [u64; 3],
    /// Of the stalls.
    pub seed: u64,
}

/// A chain that waits for its start.
pub(super) struct Start {
    pub initiator: u32,
    pub cycle: u64,
    pub task: ChainTask,
    pub memory: Vec<PortWord>,
    frames: u64,
}

impl Start {
    /// Endpoint, first word of the frames, destinations, own copy.
    pub(super) fn drive(&self) -> [u64; 4] {
        let has_own = self.task.own_copy.is_some();
        let destinations = self.task.cfgs.len() as u64;
        [
            self.initiator.into(),
            self.frames,
            destinations,
            has_own.into(),
        ]
    }
}

impl PortPattern {
    fn addresses(self, region: u64) -> Addresses {
        let inner = (self.stride, 1);
        let outer = (REGION_WORDS as u32 / 8 / self.stride, 8 * self.stride);
        let loops = if self.is_turned {
            [outer, inner]
        } else {
            [inner, outer]
        };
        let mut addresses = Addresses {
            offset: region * REGION_WORDS * WORD_BYTES,
            word_stride: self.stride,
            bounds: [1; 5],
            strides: [0; 5],
        };
        for (i, (bound, stride)) in loops.into_iter().enumerate() {
            addresses.bounds[i] = bound;
            addresses.strides[i] = stride;
        }
        addresses
    }
}

impl PortScenario {
    /// Chains of one to all endpoints that share followers, patterns with and without conflicts, 1 to 200 beats.
    #[must_use]
    pub fn random(endpoints: u32, seed: u64) -> Self {
        let mut random = Stream::new(seed);
        let pattern = |random: &mut Stream| PortPattern {
            stride: 1 << [0, 0, 2, 3, 4, 5][random.below(6) as usize],
            is_turned: random.below(2) == 1,
        };
        let num_chains = 1 + random.below(if seed.is_multiple_of(2) {
            3
        } else {
            MAX_CHAINS
        });
        let mut cycle = 0;
        let chains = (0..num_chains).map(|_| {
            cycle += random.below(60);
            let mut order: Vec<u32> = (0..endpoints).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, random.below(i as u64 + 1) as usize);
            }
            let destinations = 1 + random.below(u64::from(endpoints) - 1) as usize;
            let has_own = random.below(4) == 0;
            // InlineQueue chains go nowhere else.
            let destinations = if has_own && random.below(4) == 0 {
                0
            } else {
                destinations
            };
            let limit = [8, 70, MAX_BEATS][random.below(3) as usize];
            PortChain {
                initiator: order[0],
                cycle,
                beats: 1 + random.below(limit),
                source: pattern(&mut random),
                own: has_own.then(|| pattern(&mut random)),
                destinations: order[1..=destinations]
                    .iter()
                    .map(|s| (*s, pattern(&mut random)))
                    .collect(),
            }
        });
        let chains = chains.collect();
        let mut stall = || [0, 0, 40, 128, 220][random.below(5) as usize];
        Self {
            endpoints,
            chains,
            stalls: [stall(), stall(), stall()],
            seed,
        }
    }

    /// Narrow ports, wide ports, banks that stand still in a cycle.
    pub(super) fn holds(&self, cycle: u64) -> [u64; 3] {
        let width = u64::from(self.endpoints);
        std::array::from_fn(|kind| {
            let width = [width, width, 32][kind];
            let mut random = Stream::new(mix(self.seed ^ mix(cycle * 3 + kind as u64)));
            let held = (0..width).map(|_| random.below(256) < self.stalls[kind]);
            bits(held)
        })
    }

    /// The chains as tasks, with frames and data.
    pub(super) fn starts(&self, map: &Map) -> Vec<Start> {
        let each = self.chains.iter().enumerate();
        each.map(|(i, chain)| start(i as u32, chain, map)).collect()
    }
}

fn start(instance: u32, chain: &PortChain, map: &Map) -> Start {
    let place = u64::from(instance) % MAX_CHAINS;
    let task = task_of(instance, chain, place + 1);
    let frames = FRAMES_WORD + FRAMES_WORDS * place;
    let ends = task.own_copy.into_iter().chain([task.source]);
    let ends = ends.map(|addresses| (chain.initiator, cfg_of(chain, addresses, None)));
    let all = task.cfgs.iter().copied().chain(ends);
    let words = all.flat_map(|(tile, cfg)| words_of(&cfg.frame(tile, map)));
    let source = task.source;
    let read = (0..chain.beats)
        .flat_map(|beat| (0..CHANNELS).map(move |channel| source.at(beat, channel) / WORD_BYTES));
    let data = read.map(|word| (word, mix(u64::from(chain.initiator) << 32 | word)));
    let memory = (frames..)
        .zip(words)
        .chain(data)
        .map(|(word, value)| PortWord {
            endpoint: chain.initiator,
            word,
            value,
        });
    Start {
        initiator: chain.initiator,
        cycle: chain.cycle,
        memory: memory.collect(),
        task,
        frames,
    }
}

/// A chain's task, whose destinations are in a region of the memories.
fn task_of(instance: u32, chain: &PortChain, region: u64) -> ChainTask {
    let cfg = |(at, (destination, pattern)): (usize, &(u32, PortPattern))| {
        (
            *destination,
            cfg_of(chain, pattern.addresses(region), Some(at)),
        )
    };
    let place = |destination: &u32| {
        let at = chain
            .destinations
            .iter()
            .position(|(other, _)| other == destination)?;
        Some(at as u16)
    };
    ChainTask {
        key: Key {
            initiator: chain.initiator,
            task: 0,
        },
        instance,
        source: chain.source.addresses(0),
        own_copy: chain.own.map(|own| own.addresses(region)),
        beats: chain.beats,
        cfgs: chain.destinations.iter().enumerate().map(cfg).collect(),
        grants: grants_of(chain).iter().filter_map(place).collect(),
    }
}

/// The configuration of a destination, or the frame of an end at the initiator.
fn cfg_of(chain: &PortChain, addresses: Addresses, at: Option<usize>) -> Cfg {
    let tile = |at: usize| {
        chain
            .destinations
            .get(at)
            .map(|(destination, _)| *destination)
    };
    let grants = grants_of(chain);
    let granted = at
        .and_then(tile)
        .and_then(|own| grants.iter().position(|s| *s == own));
    let before = at.and_then(|at| at.checked_sub(1)).and_then(tile);
    let after = granted.and_then(|granted| grants.get(granted + 1)).copied();
    Cfg {
        key: Key {
            initiator: chain.initiator,
            task: 0,
        },
        previous: before.unwrap_or(chain.initiator),
        next: at.and_then(|at| tile(at + 1)),
        grant_to: after.unwrap_or(chain.initiator),
        starts_grant: granted == Some(0),
        destination: 0,
        beats: chain.beats as u32,
        addresses,
    }
}

/// Grants run from the highest endpoint to the lowest.
fn grants_of(chain: &PortChain) -> Vec<u32> {
    let mut grants: Vec<u32> = chain
        .destinations
        .iter()
        .map(|(destination, _)| *destination)
        .collect();
    grants.sort_unstable_by_key(|destination| std::cmp::Reverse(*destination));
    grants
}

fn words_of(frame: &[u8; FRAME_WORDS as usize * 8]) -> Vec<u64> {
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    };
    frame.chunks_exact(8).map(word).collect()
}
