// SPDX-License-Identifier: Apache-2.0
//! Lock-step of Verilated network interfaces and mesh with a recorded run, at the AXI ports.
//!
//! Endpoints are a model in Rust ([`managers`], [`memory`]): it offers the commands that the run's endpoints have given, in the
//! same cycles, and responds as the run's memories do. Everything between must be done by the hardware: in every cycle the same
//! flits enter and leave each network interface and cross the same links, bit by bit, transactions end in the same cycle with
//! the same response, and the same bytes are written to the same memory.

mod axi;
mod channels;
mod commands;
mod compare;
mod engine;
mod managers;
mod memory;
mod places;
mod results;

pub use engine::EngineStarts;
pub(crate) use managers::{NARROW_IDS, READ_IDS};
pub use managers::{places_of, refuse_network, refuse_schedule};
pub use places::Places;

use crate::lockstep::{Comparison, Follow, LockstepError, Numbers};
use crate::verilated::LIBRARY_FILE;
use axi::Shown;
use channels::Channels;
use engine::Engine;
use engine::path::ReadPath;
use managers::Managers;
use noccl_rtl::PACKAGE_FILE;

use compare::{EndpointModel, Tiles};
use memory::Memory;
use memory::map::AddressMap;
use noccl_net::{Network, TileId, TileKind};
use noccl_run::{AxiPort, Command, CommandKind, CycleRecord, LocalSide, MemoryImage, RunConfig};
use noccl_spec::Plane;

use channels::Name;
use results::Results;
use std::collections::HashMap;
use std::path::Path;

/// Network interfaces and mesh in lock-step.
pub struct Endpoints<'n> {
    comparison: Comparison<'n>,
    config: RunConfig,
    model: EndpointModel,
    map: AddressMap,
    places: Places,
    /// Bytes of a memory.
    memory_bytes: u64,
    managers: Vec<Managers>,
    memories: Vec<Memory>,
    /// By tile, if the hardware has some.
    engines: Option<Vec<Engine>>,
    /// First name of each of their reductions, by its name in the record.
    joins: HashMap<u32, u32>,
    /// Bits of an id at a wide write channel.
    wide_id_bits: u32,
    /// Hardware's names of the transactions, by recorded name.
    names: HashMap<u32, u32>,
    /// Writes and contributions without a response yet, by tile and name.
    sent: HashMap<(TileId, u32), Command>,
    results: Results,
}

/// What a cycle is compared with.
struct Expected<'r> {
    record: &'r CycleRecord,
    /// Names that transactions get in this cycle; only flits that enter can bear them.
    new_names: Vec<Name>,
}

impl<'n> Endpoints<'n> {
    /// Opens the library in `directory`. Stalls of `config`
    /// are those of the recorded run.
    ///
    /// # Errors
    /// [`LockstepError::Library`] if it is missing or of another network.
    pub fn open(
        directory: &Path,
        network: &'n Network,
        config: &RunConfig,
    ) -> Result<Self, LockstepError> {
        let numbers = Numbers::read(&directory.join(PACKAGE_FILE))?;
        let comparison = Comparison::new(network, &numbers)?;
        let tiles = network.num_tiles();
        let axi = network.spec().axi().ok_or_else(|| {
            numbers.refused("tiles are cores; accepted: clusters with interfaces".to_owned())
        })?;
        let memory = |tile| {
            let (latency, atomic) = match network.kind(TileId(tile as u32)) {
                TileKind::Cluster => (axi.cluster.l1_latency_cycles, axi.cluster.atomic_cycles),
                TileKind::Memory => (axi.memory.latency_cycles, axi.memory.atomic_cycles),
            };
            Memory::new(u64::from(latency), u64::from(atomic))
        };
        let mut model = EndpointModel::open(&directory.join(LIBRARY_FILE), tiles)?;
        let wide_id_bits = numbers.get("WIDE_ID_BITS")?;
        let channels = axi::driven_channels(numbers.get("WIDE_CHANNELS")?, model.axi_in(0).len());
        let path = axi.cluster.response_path_cycles + axi.cluster.request_path_cycles;
        let managers = Managers::new(
            numbers.get("TAG_BITS")?,
            Channels::new(channels, wide_id_bits),
            ReadPath::new(u64::from(path)),
        );
        Ok(Self {
            comparison,
            config: config.clone(),
            model,
            map: AddressMap::new(&numbers)?,
            places: Places::default(),
            memory_bytes: 1 << numbers.get("OFFSET_BITS")?,
            managers: vec![managers; tiles],
            memories: (0..tiles).map(memory).collect(),
            engines: None,
            joins: HashMap::new(),
            wide_id_bits,
            names: HashMap::new(),
            sent: HashMap::new(),
            results: Results::default(),
        })
    }

    /// Data of transactions lie at these places, and these memories fail.
    pub fn put(&mut self, places: Places) {
        for (tile, bytes) in places.broken() {
            if let Some(tile) = self.comparison.network.find(*tile) {
                self.memories[tile.0 as usize].break_bytes(bytes.clone());
            }
        }
        self.places = places;
    }

    fn step(&mut self, record: &CycleRecord, is_compared: bool) -> Result<(), LockstepError> {
        for command in &record.commands {
            self.command(command)?;
        }
        for (managers, memory) in self.managers.iter_mut().zip(&mut self.memories) {
            managers.arrive(self.comparison.cycle, memory);
        }
        for start in &record.starts {
            if !self.has_engine(start.tile) {
                let home = self.comparison.network.coord(start.tile);
                self.managers[start.tile.0 as usize].begin(start, home);
            }
        }
        for store in &record.stores {
            self.memories[store.tile.0 as usize].fill(store.offset, &store.bytes);
        }
        let mut new_names: Vec<_> = self.managers.iter_mut().flat_map(Managers::offer).collect();
        new_names.extend(self.name_joins(record));
        let given: Vec<_> = (self.memories.iter().enumerate())
            .map(|(tile, memory)| {
                memory.responses(self.comparison.cycle, compare::written_beat(record, tile))
            })
            .collect();
        for (tile, managers) in self.managers.iter().enumerate() {
            let busy = self.busy(tile);
            let words = self.model.axi_in(tile);
            managers.drive(words, &self.map, &self.memories[tile]);
            axi::respond(words, &given[tile], busy);
        }
        self.refuse_waiting(record)?;
        self.show_engines(self.comparison.cycle as i64);
        self.hold();
        self.model.hardware.settle();
        self.refuse_hungry(record)?;
        new_names.extend(self.learn(record));
        let expected = Expected { record, new_names };
        if is_compared {
            self.compare_sets(&expected)?;
            self.compare_flits(&expected)?;
            self.compare_beats(record)?;
        }
        for (tile, given) in given.iter().enumerate() {
            let shown = Shown(self.model.axi_out(tile));
            let at = (self.busy(tile), self.comparison.cycle);
            self.memories[tile].follow(shown, given, at);
        }
        self.refuse_failures()?;
        self.follow_engines()?;
        self.compare_responses(record)?;
        // Names that became free in this cycle may be in use again.
        record.commands.iter().for_each(|c| self.results.add(c));
        let writes = record.commands.iter();
        let is_write = |c: &&Command| {
            matches!(c.kind, CommandKind::WideWrite | CommandKind::Reduction) && !c.data.is_empty()
        };
        let writes = writes.filter(is_write);
        self.sent
            .extend(writes.map(|c| ((c.tile, c.tag), c.clone())));
        let names = expected.new_names.into_iter();
        self.names.extend(names.map(|n| (n.recorded, n.hardware)));
        self.comparison.tick(&mut self.model.hardware)
    }

    /// Ports behind a NI that are not ready in this cycle.
    fn busy(&self, tile: usize) -> axi::Busy {
        AxiPort::ALL.map(|port| self.config.is_busy(self.comparison.cycle, tile, port))
    }

    /// Seeded stalls between network interfaces and routers.
    fn hold(&mut self) {
        let tiles = self.comparison.network.num_tiles();
        for plane in Plane::ALL {
            for (of, side) in [
                (Tiles::HoldOut, LocalSide::Output),
                (Tiles::HoldIn, LocalSide::Input { tiles }),
            ] {
                let is_held = |tile: &usize| {
                    self.config
                        .is_held(self.comparison.cycle, plane, *tile, side)
                };
                let held = (0..tiles).filter(is_held).map(|tile| 1 << tile).sum();
                self.model.hold(number(plane), of, held);
            }
        }
    }
}

impl Follow for Endpoints<'_> {
    fn follow(&mut self, record: &CycleRecord) -> Result<(), LockstepError> {
        self.idle_until(record.cycle)?;
        let places = std::mem::take(&mut self.places);
        let comparison = self.step(&places.moved(record), true);
        self.places = places;
        comparison
    }

    /// With the responses compared, which the model of the endpoints waits for.
    fn replay(&mut self, record: &CycleRecord) -> Result<(), LockstepError> {
        let nothing = CycleRecord::default();
        while self.comparison.cycle < record.cycle {
            self.step(&nothing, false)?;
        }
        self.step(record, false)
    }

    fn idle_until(&mut self, cycle: u64) -> Result<(), LockstepError> {
        let nothing = CycleRecord::default();
        while self.comparison.cycle < cycle {
            self.step(&nothing, true)?;
        }
        Ok(())
    }

    fn check(&self, images: &[MemoryImage]) -> Result<(), LockstepError> {
        for image in images {
            let Some(tile) = self.comparison.network.find(image.tile) else {
                continue;
            };
            let found = self.bytes(tile, image.offset, image.bytes.len());
            let Some(at) = (found.iter().zip(&image.bytes)).position(|(a, b)| a != b) else {
                continue;
            };
            let text = |bytes: &[u8]| {
                let offset = image.offset + at as u64;
                let first = &bytes[at..bytes.len().min(at + 8)];
                Some(format!("offset {offset:#x}: {first:02x?}.."))
            };
            let place = (Plane::Wide, tile.0 as usize, "memory after the run");
            return Err(self
                .comparison
                .divergence(place, text(&image.bytes), text(&found)));
        }
        Ok(())
    }

    fn cycle(&self) -> u64 {
        self.comparison.cycle
    }

    fn num_compared(&self) -> u64 {
        self.comparison.num_compared
    }
}

/// Number of a plane in the C functions.
const fn number(plane: Plane) -> usize {
    match plane {
        Plane::Wide => 0,
        Plane::Req => 1,
        Plane::Rsp => 2,
    }
}
