// SPDX-License-Identifier: Apache-2.0
//! Lock-step of translated network interfaces and mesh with a recorded run, at the AXI ports.
//!
//! Endpoints are a model in Rust ([`managers`], [`memory`]): it offers the commands that the run's endpoints have given, in the
//! same cycles, and answers as the run's memories do. Everything between must be done by the hardware: in every cycle the same
//! flits enter and leave each network interface and cross the same links, bit by bit, transactions end in the same cycle with
//! the same response, and the same bytes land in the same memory.

mod axi;
mod managers;
mod map;
mod memory;
mod model;

use crate::lockstep::{Divergence, Layout, LockstepError, Numbers, OUTPUTS};
use axi::{Bit, Shown, WritePort};
use managers::{Answer, Managers};
use map::AddressMap;
use memory::Memory;
use model::{Model, Tiles};
use noccl_net::{Network, Port, TileId, TileKind};
use noccl_run::{
    Command, CommandKind, Completion, CycleRecord, FlitPlace, FlitRecord, Handshake, LocalSide,
    RecordedKind, RunConfig,
};
use noccl_spec::Plane;
use std::collections::HashMap;
use std::path::Path;

/// Network interfaces and mesh in lock-step.
pub struct Endpoints<'n> {
    network: &'n Network,
    config: RunConfig,
    model: Model,
    layouts: [Layout; 3],
    map: AddressMap,
    managers: Vec<Managers>,
    memories: Vec<Memory>,
    /// Hardware's names of the transactions, by recorded name.
    names: HashMap<u32, u32>,
    /// Writes without an answer yet, by tile and name.
    sent: HashMap<(TileId, u32), Command>,
    cycle: u64,
    num_compared: u64,
}

/// What a cycle is compared with.
struct Expected<'r> {
    record: &'r CycleRecord,
    /// Names that transactions get in this cycle; only flits that enter can bear them.
    new_names: Vec<managers::Name>,
}

impl<'n> Endpoints<'n> {
    /// Opens the library in `directory` (`out/cosim/NAME-endpoints`, made by `make cosim-endpoints`). Stalls of `config`
    /// are those of the recorded run.
    ///
    /// # Errors
    /// [`LockstepError::Library`] if it is missing or of another network.
    pub fn open(
        directory: &Path,
        network: &'n Network,
        config: &RunConfig,
    ) -> Result<Self, LockstepError> {
        let numbers = Numbers::read(&directory.join("noccl_cfg_pkg.sv"))?;
        numbers.check(network)?;
        let tiles = network.num_tiles();
        let [first, second, third] = Plane::ALL.map(|plane| Layout::new(plane, &numbers));
        let spec = network.spec();
        let memory = |tile| {
            let (latency, atomic) = match network.kind(TileId(tile as u32)) {
                TileKind::Cluster => (spec.cluster.l1_latency_cycles, spec.cluster.atomic_cycles),
                TileKind::Memory => (spec.memory.latency_cycles, spec.memory.atomic_cycles),
            };
            Memory::new(u64::from(latency), u64::from(atomic))
        };
        Ok(Self {
            network,
            config: config.clone(),
            model: Model::open(&directory.join("libnoccl_mesh.so"), tiles)?,
            layouts: [first?, second?, third?],
            map: AddressMap::new(&numbers)?,
            managers: vec![Managers::new(numbers.get("TAG_BITS")?); tiles],
            memories: (0..tiles).map(memory).collect(),
            names: HashMap::new(),
            sent: HashMap::new(),
            cycle: 0,
            num_compared: 0,
        })
    }

    /// Handshakes that hardware and record had in common so far.
    #[must_use]
    pub const fn num_compared(&self) -> u64 {
        self.num_compared
    }

    /// The next cycle of the hardware.
    #[must_use]
    pub const fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Cycles up to and including a recorded one.
    ///
    /// # Errors
    /// The first difference or broken assertion; the hardware is of no use afterwards.
    pub fn follow(&mut self, record: &CycleRecord) -> Result<(), LockstepError> {
        self.idle_until(record.cycle)?;
        self.step(record)
    }

    /// Cycles before `cycle` in which nothing may happen.
    ///
    /// # Errors
    /// As [`Self::follow`].
    pub fn idle_until(&mut self, cycle: u64) -> Result<(), LockstepError> {
        let nothing = CycleRecord::default();
        while self.cycle < cycle {
            self.step(&nothing)?;
        }
        Ok(())
    }

    fn step(&mut self, record: &CycleRecord) -> Result<(), LockstepError> {
        for command in &record.commands {
            self.command(command)?;
        }
        let new_names = self.managers.iter_mut().flat_map(Managers::offer).collect();
        let given: Vec<_> = self
            .memories
            .iter()
            .map(|m| m.answers(self.cycle))
            .collect();
        for (tile, managers) in self.managers.iter().enumerate() {
            let words = self.model.axi_in(tile);
            managers.drive(words, &self.map);
            axi::answer(words, &given[tile]);
        }
        self.hold();
        self.model.settle();
        let expected = Expected { record, new_names };
        self.compare_sets(&expected)?;
        self.compare_flits(&expected)?;
        self.compare_beats(record)?;
        for (tile, given) in given.iter().enumerate() {
            let shown = Shown(self.model.axi_out(tile));
            self.memories[tile].follow(shown, given, self.cycle);
        }
        self.compare_answers(record)?;
        // Names that became free in this cycle may be in use again.
        let writes = record.commands.iter();
        let writes = writes.filter(|c| c.kind == CommandKind::WideWrite);
        self.sent
            .extend(writes.map(|c| ((c.tile, c.tag), c.clone())));
        let names = expected.new_names.into_iter();
        self.names.extend(names.map(|n| (n.recorded, n.hardware)));
        self.model.tick();
        if let Some(what) = self.model.broken() {
            let cycle = self.cycle;
            return Err(LockstepError::Assertion { cycle, what });
        }
        self.cycle += 1;
        Ok(())
    }

    fn command(&mut self, command: &Command) -> Result<(), LockstepError> {
        let refuse = |what| {
            let cycle = self.cycle;
            Err(LockstepError::Unsupported { cycle, what })
        };
        match command.kind {
            CommandKind::Reduction => return refuse("a wide reduction through network interfaces"),
            CommandKind::WideWrite if command.data.len() != usize::from(command.beats) => {
                return refuse("a write of a DMA engine");
            }
            CommandKind::WideWrite
            | CommandKind::WideRead
            | CommandKind::NarrowWrite
            | CommandKind::NarrowRead
            | CommandKind::Atomic
            | CommandKind::Barrier => {}
        }
        self.managers[command.tile.0 as usize].take(command.clone());
        Ok(())
    }

    /// Seeded stalls between network interfaces and routers.
    fn hold(&mut self) {
        let tiles = self.network.num_tiles();
        for plane in Plane::ALL {
            for (of, side) in [
                (Tiles::HoldOut, LocalSide::Output),
                (Tiles::HoldIn, LocalSide::Input { tiles }),
            ] {
                let is_held = |tile: &usize| self.config.is_held(self.cycle, plane, *tile, side);
                let held = (0..tiles).filter(is_held).map(|tile| 1 << tile).sum();
                self.model.hold(number(plane), of, held);
            }
        }
    }

    /// The same ports have flits.
    fn compare_sets(&self, expected: &Expected<'_>) -> Result<(), LockstepError> {
        for plane in Plane::ALL {
            let (mut enters, mut leaves, mut crosses) = (0, 0, [0; 5]);
            let of_plane = expected.record.handshakes.iter();
            for handshake in of_plane.filter(|h| h.plane == plane) {
                let bit = 1u64 << handshake.tile.0;
                match handshake.place {
                    FlitPlace::Enters => enters |= bit,
                    FlitPlace::Leaves => {
                        leaves |= bit;
                        crosses[Port::Local as usize] |= bit;
                    }
                    FlitPlace::Refused => crosses[Port::Local as usize] |= bit,
                    FlitPlace::Crosses(port) => crosses[port as usize] |= bit,
                    FlitPlace::Owed | FlitPlace::Own => {}
                }
            }
            let number = number(plane);
            let crossing = self.model.crossing(number);
            for port in 0..5 {
                let places = (OUTPUTS[port], Some(port));
                self.same(expected, plane, places, crossing[port], crosses[port])?;
            }
            let entered = self.model.tiles(number, Tiles::Enter);
            self.same(expected, plane, ("Local input", None), entered, enters)?;
            let left = self.model.tiles(number, Tiles::Leave);
            let local = Some(Port::Local as usize);
            self.same(
                expected,
                plane,
                ("Local output, taken", local),
                left,
                leaves,
            )?;
        }
        Ok(())
    }

    /// Two sets of tiles with a flit at a port: `None` for the Local input.
    fn same(
        &self,
        expected: &Expected<'_>,
        plane: Plane,
        (at, port): (&'static str, Option<usize>),
        hardware: u64,
        recorded: u64,
    ) -> Result<(), LockstepError> {
        let difference = hardware ^ recorded;
        if difference == 0 {
            return Ok(());
        }
        let tile = difference.trailing_zeros() as usize;
        let here = |h: &&Handshake| {
            (h.plane, h.tile.0 as usize, port_of(h.place)) == (plane, tile, Some(port))
        };
        let layout = &self.layouts[plane.idx()];
        let recorded = recorded >> tile & 1 != 0;
        let found = expected.record.handshakes.iter().find(here);
        let recorded = found.filter(|_| recorded).map(|handshake| {
            let mut words = vec![0; layout.words];
            self.encode(expected, handshake, &mut words);
            layout.decode(&words)
        });
        let has_flit = hardware >> tile & 1 != 0;
        let hardware = has_flit.then(|| layout.decode(self.flit(plane, tile, port)));
        Err(self.divergence((plane, tile, at), recorded, hardware))
    }

    fn flit(&self, plane: Plane, tile: usize, port: Option<usize>) -> &[u32] {
        let (words, plane) = (self.layouts[plane.idx()].words, number(plane));
        match port {
            None => self.model.input(plane, tile, words),
            Some(port) => self.model.output(plane, tile, port, words),
        }
    }

    /// All bits of all flits are the same.
    fn compare_flits(&mut self, expected: &Expected<'_>) -> Result<(), LockstepError> {
        let mut words = [0; 32];
        for handshake in &expected.record.handshakes {
            let Some(port) = port_of(handshake.place) else {
                continue;
            };
            let (plane, tile) = (handshake.plane, handshake.tile.0 as usize);
            let layout = &self.layouts[plane.idx()];
            let recorded = &mut words[..layout.words];
            self.encode(expected, handshake, recorded);
            let hardware = self.flit(plane, tile, port);
            if recorded != hardware {
                let [recorded, hardware] = [&*recorded, hardware].map(|w| Some(layout.decode(w)));
                let at = port.map_or("Local input", |port| OUTPUTS[port]);
                return Err(self.divergence((plane, tile, at), recorded, hardware));
            }
            self.num_compared += 1;
        }
        Ok(())
    }

    /// The bits of a recorded flit, under the hardware's name of its transaction.
    fn encode(&self, expected: &Expected<'_>, handshake: &Handshake, words: &mut [u32]) {
        let recorded = handshake.flit.tag;
        let is_new = handshake.place == FlitPlace::Enters;
        let new = expected.new_names.iter().filter(|_| is_new);
        let new = new.rev().find(|n| n.recorded == recorded);
        let known = || self.names.get(&recorded).copied();
        // A transaction that no port has offered yet has no name.
        let tag = new.map(|n| n.hardware).or_else(known).unwrap_or(u32::MAX);
        let flit = FlitRecord {
            tag,
            ..handshake.flit.clone()
        };
        self.layouts[handshake.plane.idx()].encode(&flit, words);
    }

    /// Every beat that leaves the network reaches the memory in the same cycle.
    fn compare_beats(&self, record: &CycleRecord) -> Result<(), LockstepError> {
        for tile in 0..self.network.num_tiles() {
            let shown = Shown(self.model.axi_out(tile));
            let is_beat = |h: &&Handshake| {
                (h.plane, h.tile.0 as usize, h.place) == (Plane::Wide, tile, FlitPlace::Leaves)
                    && h.flit.kind == RecordedKind::Write
            };
            let beat = record.handshakes.iter().find(is_beat).map(|h| {
                let line = (h.flit.address / 64 + u64::from(h.flit.beat)) * 64;
                (line, h.flit.data.unwrap_or([0; 64]))
            });
            let has_beat = shown.has(Bit::MemAw) && shown.has(Bit::MemW);
            let found = has_beat.then(|| shown.beat(WritePort::Network));
            if found.map(|(address, _, data)| (address, data)) != beat {
                let text = |(address, data): (u64, [u8; 64])| {
                    format!("offset {address:#x}, data {:02x?}..", &data[..8])
                };
                let hardware = found.map(|(address, _, data)| text((address, data)));
                let place = (Plane::Wide, tile, "memory port, AW and W");
                return Err(self.divergence(place, beat.map(text), hardware));
            }
        }
        Ok(())
    }

    /// Transactions end in the same cycle, with the same response; what was written is in memory.
    fn compare_answers(&mut self, record: &CycleRecord) -> Result<(), LockstepError> {
        for tile in 0..self.network.num_tiles() {
            let mut answers = self.managers[tile].follow(Shown(self.model.axi_out(tile)));
            let here = record
                .completions
                .iter()
                .filter(|c| c.tile.0 as usize == tile);
            for completion in here {
                let is_it = |a: &Answer| (a.tag, a.resp) == (Some(completion.tag), completion.resp);
                let Some(at) = answers.iter().position(is_it) else {
                    let port = answers.first().map_or("AXI port, B or R", |a| a.port);
                    let hardware = answers.first().map(describe);
                    let recorded = Some(describe(&Answer {
                        tag: Some(completion.tag),
                        resp: completion.resp,
                        port,
                    }));
                    return Err(self.divergence((Plane::Rsp, tile, port), recorded, hardware));
                };
                answers.remove(at);
                self.num_compared += 1;
                self.check_memory(*completion)?;
            }
            if let Some(answer) = answers.first() {
                let place = (Plane::Rsp, tile, answer.port);
                return Err(self.divergence(place, None, Some(describe(answer))));
            }
        }
        Ok(())
    }

    /// The bytes of an answered write are where they belong.
    fn check_memory(&mut self, completion: Completion) -> Result<(), LockstepError> {
        let name = (completion.tile, completion.tag);
        let Some(command) = self.sent.remove(&name) else {
            return Ok(());
        };
        let members: Vec<_> = match command.set {
            None => vec![command.target],
            Some(set) => set.members().map(|at| self.map.cluster(at)).collect(),
        };
        for at in members {
            let tile = self.network.tile_at(at).0 as usize;
            for (line, data) in (command.address / 64..).zip(&command.data) {
                let found = self.memories[tile].line(line);
                if found != *data {
                    let text = |data: &[u8; 64]| {
                        Some(format!("offset {:#x}: {:02x?}..", line * 64, &data[..8]))
                    };
                    let place = (Plane::Wide, tile, "memory after the last answer");
                    return Err(self.divergence(place, text(data), text(&found)));
                }
            }
        }
        Ok(())
    }

    fn divergence(
        &self,
        (plane, tile, at): (Plane, usize, &'static str),
        recorded: Option<String>,
        hardware: Option<String>,
    ) -> LockstepError {
        LockstepError::Divergence(Box::new(Divergence {
            cycle: self.cycle,
            plane,
            router: self.network.coord(TileId(tile as u32)),
            at,
            recorded,
            hardware,
        }))
    }
}

fn describe(answer: &Answer) -> String {
    let name = answer
        .tag
        .map_or("nobody's id".to_owned(), |tag| format!("transaction {tag}"));
    format!("{name}, response {}", answer.resp)
}

/// Number of a plane in the C functions.
const fn number(plane: Plane) -> usize {
    match plane {
        Plane::Wide => 0,
        Plane::Req => 1,
        Plane::Rsp => 2,
    }
}

/// Port at which a flit is seen: `Some(None)` for the Local input.
const fn port_of(place: FlitPlace) -> Option<Option<usize>> {
    match place {
        FlitPlace::Enters => Some(None),
        FlitPlace::Leaves | FlitPlace::Refused => Some(Some(Port::Local as usize)),
        FlitPlace::Crosses(port) => Some(Some(port as usize)),
        FlitPlace::Owed | FlitPlace::Own => None,
    }
}
