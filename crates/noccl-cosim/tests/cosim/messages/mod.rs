// SPDX-License-Identifier: Apache-2.0
//! Random messages that overlap on routers with bypass, in lock-step with their hardware: unicasts and multicasts of any length,
//! reductions with and without operands, with and without an entry of the routers' tables, barriers, interfaces that stand still.

mod draws;

pub use crate::libraries::smart_mutants::{MUTANTS, Mutant, Routers};
use draws::Draws;
use noccl_cosim::library::find_or_build;
use noccl_cosim::lockstep::{Follow, LockstepError};
use noccl_cosim::messages::MessagesLockstep;
use noccl_cosim::{BuildInputs, read_sources};
use noccl_net::{Network, TileId};
use noccl_rtl::{PARTS, SmartRtlConfig};
use noccl_run::{CycleRecord, Rng, Watch};
use noccl_sim::{MessageNetwork, PacketNetwork, ReductionId};
use noccl_testkit::networks::smart;
use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

/// Cycles after which nothing that can end is still in flight.
const LIMIT_CYCLES: u64 = 100_000;
/// Cycles after the last message: branches of trees without destinations end later than the others.
const IDLE_CYCLES: u64 = 64;

/// Fields of routers with bypass, and their values.
pub type Overrides<'o> = &'o [(&'o str, &'o str)];

/// A network of messages, by what differs from its preset; of several values of a field the last one counts.
pub fn network(preset: &str, overrides: &[Overrides<'_>]) -> Network {
    let fields: BTreeMap<_, _> = overrides.iter().copied().flatten().copied().collect();
    smart(preset, &fields.into_iter().collect::<Vec<_>>())
}

/// Its hardware, which is built unless that was done before; with a fault, if one is asked for.
pub fn library(network: &Network, fault: Option<&Mutant>) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rtl");
    let mut sources = read_sources(&folder, &PARTS).unwrap();
    if let Some(mutant) = fault {
        mutant.apply(&mut sources);
    }
    let config = SmartRtlConfig::of(network).unwrap().unwrap();
    let inputs = BuildInputs::of_smart(&config, "rtl", &sources).unwrap();
    let name = format!("{}-router", config.network);
    find_or_build(&name, &inputs, Watch::quiet()).unwrap()
}

/// How many messages, and how interfaces behave.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub seed: u64,
    pub messages: u32,
    /// Messages begin in one of so many cycles.
    pub every: u64,
    /// Of 256 cycles those in which an interface takes nothing, or offers nothing.
    pub stalls_per_256: u64,
}

impl Case {
    /// Little and much traffic, with interfaces that stand still and without.
    pub fn of_seed(seed: u64) -> Self {
        let mut rng = Rng::new(seed, "case");
        Self {
            seed,
            messages: 40 + rng.below(160) as u32,
            every: *rng.pick(&[1, 1, 2, 12]),
            stalls_per_256: *rng.pick(&[0, 0, 40, 128, 220]),
        }
    }
}

/// A contribution that its tile has not made yet.
struct Awaited {
    tile: TileId,
    reduction: ReductionId,
    operand: Vec<u8>,
}

/// What is in flight.
struct Traffic<'n> {
    messages: MessageNetwork<'n>,
    draws: Draws<'n>,
    awaited: Vec<Awaited>,
    /// Members of a barrier that its root tells of its end.
    released: BTreeMap<u64, (TileId, Vec<TileId>)>,
}

impl<'n> Traffic<'n> {
    fn new(network: &'n Network, seed: u64) -> Self {
        Self {
            messages: MessageNetwork::recorded(network).unwrap(),
            draws: Draws::new(network, seed),
            awaited: Vec::new(),
            released: BTreeMap::new(),
        }
    }

    /// One more message, or contributions that come one after the other.
    fn begin(&mut self, tag: u64) {
        let Self { draws, .. } = self;
        match draws.rng.below(5) {
            0 => {
                let (from, to, flits) = (draws.tile(), draws.tile(), draws.flits());
                let payload = draws.payload(flits);
                self.messages.set_payload(&payload);
                self.messages.send(from, to, flits, tag);
            }
            1 | 2 => {
                let (from, set, flits) = (draws.tile(), draws.set(), draws.flits());
                let payload = draws.payload(flits);
                let to = self.messages.add_multicast(from, &set);
                self.messages.set_payload(&payload);
                self.messages.send_multicast(to, flits, tag);
            }
            3 => self.barrier(tag),
            _ => self.reduction(tag),
        }
        self.messages.set_payload(&[]);
    }

    fn barrier(&mut self, tag: u64) {
        let (root, members) = (self.draws.tile(), self.draws.set());
        let tree = self.messages.add_reduction_tree(root, &members);
        let reduction = self.messages.open_reduction(tree, tag);
        self.await_all(&members, reduction, |_| Vec::new());
        self.released.insert(tag, (root, members));
    }

    fn reduction(&mut self, tag: u64) {
        let (root, members) = (self.draws.tile(), self.draws.set());
        let tree = self.messages.add_reduction_tree(root, &members);
        let combining = self.draws.combining();
        let reduction = self.messages.open_values(tree, combining, tag);
        self.await_all(&members, reduction, Draws::operand);
    }

    fn await_all(
        &mut self,
        members: &[TileId],
        reduction: ReductionId,
        operand: impl Fn(&mut Draws<'n>) -> Vec<u8>,
    ) {
        for tile in members {
            let operand = operand(&mut self.draws);
            self.awaited.push(Awaited {
                tile: *tile,
                reduction,
                operand,
            });
        }
    }

    /// Contributions of this cycle, in any order.
    fn contribute(&mut self) {
        let most = self.draws.rng.below(12);
        for _ in 0..most.min(self.awaited.len() as u64) {
            let at = self.draws.rng.below(self.awaited.len() as u64) as usize;
            let Awaited {
                tile,
                reduction,
                operand,
            } = self.awaited.swap_remove(at);
            self.messages.contribute_operand(tile, reduction, &operand);
        }
    }

    /// What has arrived: a root tells the members of a barrier.
    fn arrive(&mut self) {
        for arrival in self.messages.take_arrivals() {
            let Some(reduction) = arrival.reduction else {
                continue;
            };
            self.messages.close(reduction);
            if let Some((root, members)) = self.released.remove(&arrival.tag) {
                let to = self.messages.add_multicast(root, &members);
                self.messages.send_multicast(to, 1, arrival.tag);
            }
        }
    }

    fn is_over(&self) -> bool {
        self.awaited.is_empty() && self.released.is_empty() && self.messages.is_idle()
    }
}

/// Runs a case; every cycle's record is followed.
pub fn run(
    network: &Network,
    case: Case,
    follow: &mut dyn FnMut(&CycleRecord) -> Result<(), LockstepError>,
) -> Result<u64, LockstepError> {
    let mut traffic = Traffic::new(network, case.seed);
    let (mut begun, mut idle_cycles) = (0, 0);
    for cycle in 0..LIMIT_CYCLES {
        while begun < case.messages && traffic.draws.rng.below(1 + case.every) == 0 {
            traffic.begin(begun.into());
            begun += 1;
        }
        traffic.contribute();
        let stands_still = |tile: TileId, side: u64| {
            let key = (cycle << 20 | u64::from(tile.0) << 1 | side) ^ case.seed << 40;
            noccl_run::mix(key) % 256 < case.stalls_per_256
        };
        traffic
            .messages
            .step_with(|tile| !stands_still(tile, 0), |tile| !stands_still(tile, 1));
        follow(traffic.messages.record().unwrap())?;
        traffic.arrive();
        idle_cycles = if begun == case.messages && traffic.is_over() {
            idle_cycles + 1
        } else {
            0
        };
        if idle_cycles == IDLE_CYCLES {
            return Ok(cycle);
        }
    }
    panic!("{case:?} does not end");
}

/// Seeds of a test: `NOCCL_COSIM_SEEDS` of them, or one alone, `NOCCL_COSIM_SEED`.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    match number("NOCCL_COSIM_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("NOCCL_COSIM_SEEDS").unwrap_or(usual / noccl_testkit::one_in(3) as u64),
    }
}

/// The hardware of a network matches the simulator on random messages.
pub fn matches_the_simulator(preset: &str, overrides: &[Overrides<'_>], usual_seeds: u64) {
    let network = network(preset, overrides);
    let library = library(&network, None);
    let (mut cycles, mut compared) = (0, 0);
    for seed in seeds(usual_seeds) {
        let mut hardware = MessagesLockstep::open(&library, &network).unwrap();
        let case = Case::of_seed(seed);
        let mut follow = |record: &CycleRecord| hardware.follow(record);
        let outcome = run(&network, case, &mut follow);
        if let Err(error) = outcome {
            panic!("{preset} {overrides:?}, {case:?}: {error}");
        }
        cycles += hardware.cycle();
        compared += hardware.num_compared();
    }
    println!("{preset} {overrides:?}: {cycles} cycles, {compared} flits compared");
    assert!(compared > cycles / 8, "hardly anything was compared");
}

/// Random messages differ in lock-step with hardware that has a fault, or an assertion of it breaks.
pub fn is_noticed(mutant: &Mutant, preset: &str, overrides: &[Overrides<'_>]) {
    let network = network(preset, overrides);
    let library = library(&network, Some(mutant));
    for seed in 0..100 {
        let mut hardware = MessagesLockstep::open(&library, &network).unwrap();
        let mut follow = |record: &CycleRecord| hardware.follow(record);
        if let Err(error) = run(&network, Case::of_seed(seed), &mut follow) {
            println!("{}, seed {seed}: {error}", mutant.name);
            return;
        }
    }
    panic!("100 seeds do not notice that {}", mutant.name);
}
