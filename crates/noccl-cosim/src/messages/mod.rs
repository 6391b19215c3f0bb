// SPDX-License-Identifier: Apache-2.0
//! Lock-step of Verilated routers with bypass with a recorded run.
//!
//! The hardware gets the packets that interfaces have queued, in the same cycles, and interfaces that take nothing or offer nothing
//! do so in the same cycles too. Everything else it must do by itself: in every cycle the same flits enter routers, cross links and
//! reach interfaces, these bit by bit with what contributions have been combined to, and nothing moves in a cycle that the run
//! skipped.

mod layout;
mod model;

use crate::lockstep::{Follow, LockstepError, MessageDivergence, Numbers, OUTPUTS};
use crate::verilated::{LIBRARY_FILE, MAX_TILES};
use layout::MessageLayout;
use model::Queues;
use model::{CLASSES, LINKS, MessageModel, Place};
use noccl_net::{Network, TileId};
use noccl_rtl::{SMART_PACKAGE_FILE, SmartRtlConfig};
use noccl_run::{CycleRecord, MemoryImage, MessageCycle, MessageDelivery};
use std::path::Path;

/// Queues of an interface in words, by class.
const QUEUES: [&str; CLASSES] = [
    "queue of unicasts",
    "queue of contributions",
    "queue of multicasts",
];

/// Routers with bypass in lock-step.
pub struct MessagesLockstep<'n> {
    network: &'n Network,
    model: MessageModel,
    layout: MessageLayout,
    queues: Queues,
    /// Every tile's bit.
    tiles: u64,
    cycle: u64,
    num_compared: u64,
}

impl<'n> MessagesLockstep<'n> {
    /// Opens the library in `directory`, of [`find_or_build`](crate::library::find_or_build).
    ///
    /// # Errors
    /// [`LockstepError::Library`] if it is missing or of another network.
    pub fn open(directory: &Path, network: &'n Network) -> Result<Self, LockstepError> {
        let numbers = Numbers::read(&directory.join(SMART_PACKAGE_FILE))?;
        check(&numbers, network)?;
        let tiles = network.num_tiles();
        Ok(Self {
            network,
            model: MessageModel::open(&directory.join(LIBRARY_FILE))?,
            layout: MessageLayout::new(&numbers)?,
            queues: Queues::new(tiles),
            tiles: u64::MAX >> (MAX_TILES as usize - tiles),
            cycle: 0,
            num_compared: 0,
        })
    }

    fn step(&mut self, messages: &MessageCycle) -> Result<(), LockstepError> {
        let offered = self.drive(messages)?;
        self.model.hardware.settle();
        self.compare_entries(messages, offered)?;
        self.compare_crossings(messages)?;
        self.compare_deliveries(messages)?;
        self.tick(messages)
    }

    /// Drives queues and interfaces. Returns the tiles whose queues offer a flit, by class.
    fn drive(&mut self, messages: &MessageCycle) -> Result<[u64; CLASSES], LockstepError> {
        for queued in &messages.queued {
            if self.queues.push(self.network, queued, self.cycle)? {
                self.offer(queued.class as usize, queued.source.idx());
            }
        }
        let silent = bits(&messages.silent);
        let offered = [0, 1, 2].map(|class| self.queues.filled(class) & !silent);
        self.model
            .drive(offered, self.tiles & !bits(&messages.refusing));
        Ok(offered)
    }

    /// A queue's first flit stands at the router's input.
    fn offer(&mut self, class: usize, tile: usize) {
        if let Some((packet, index)) = self.queues.head(class, tile) {
            let words = self.layout.words;
            let data = packet.data(index, self.layout.flit_bytes);
            let input = self.model.input(class, Place { tile, words });
            self.layout.encode(packet, index, data, input);
        }
    }

    /// The clock rises, and queues go on from what has been taken.
    fn tick(&mut self, messages: &MessageCycle) -> Result<(), LockstepError> {
        self.model.hardware.tick();
        if let Some(what) = self.model.hardware.broken() {
            let cycle = self.cycle;
            return Err(LockstepError::Assertion { cycle, what });
        }
        for (tile, class) in &messages.entered {
            self.queues.advance(*class as usize, tile.idx());
            self.offer(*class as usize, tile.idx());
        }
        self.cycle += 1;
        Ok(())
    }

    /// The same flits enter routers.
    fn compare_entries(
        &mut self,
        messages: &MessageCycle,
        offered: [u64; CLASSES],
    ) -> Result<(), LockstepError> {
        let mut expected = [0_u64; CLASSES];
        for (tile, class) in &messages.entered {
            expected[*class as usize] |= 1 << tile.0;
            self.num_compared += 1;
        }
        for class in 0..CLASSES {
            let found = self.model.in_ready(class) & offered[class];
            let difference = found ^ expected[class];
            if difference != 0 {
                let tile = difference.trailing_zeros() as usize;
                let flit = self.queues.head(class, tile).map(|(packet, index)| {
                    let mut words = vec![0; self.layout.words];
                    let data = packet.data(index, self.layout.flit_bytes);
                    self.layout.encode(packet, index, data, &mut words);
                    format!("takes {}", self.layout.decode(&words))
                });
                let (recorded, hardware) = if found >> tile & 1 == 1 {
                    (None, flit)
                } else {
                    (flit, None)
                };
                return Err(self.differs(tile, QUEUES[class], recorded, hardware));
            }
        }
        Ok(())
    }

    /// The same flits cross links.
    fn compare_crossings(&mut self, messages: &MessageCycle) -> Result<(), LockstepError> {
        let mut missing = [0, 1, 2, 3].map(|port| self.model.crossing(port));
        let text = |(packet, flit): (u32, u16)| Some(format!("packet {packet}, flit {flit}"));
        for crossing in &messages.crossings {
            let (port, tile) = (crossing.port as usize, crossing.tile.idx());
            let recorded = (crossing.packet, crossing.flit);
            let is_there = missing[port] >> tile & 1 == 1;
            let found = is_there.then(|| self.model.crossing_flit(port, tile));
            if found != Some(recorded) {
                let hardware = found.and_then(text);
                return Err(self.differs(tile, OUTPUTS[port], text(recorded), hardware));
            }
            missing[port] &= !(1 << tile);
            self.num_compared += 1;
        }
        let Some(port) = (0..LINKS).find(|port| missing[*port] != 0) else {
            return Ok(());
        };
        let tile = missing[port].trailing_zeros() as usize;
        let hardware = text(self.model.crossing_flit(port, tile));
        Err(self.differs(tile, OUTPUTS[port], None, hardware))
    }

    /// The same flits reach interfaces, bit by bit.
    fn compare_deliveries(&mut self, messages: &MessageCycle) -> Result<(), LockstepError> {
        const AT: &str = "Local output";
        let (mut missing, words) = (self.model.out_valid(), self.layout.words);
        let mut recorded = vec![0; words];
        for delivery in &messages.deliveries {
            let tile = delivery.tile.idx();
            self.encode(delivery, &mut recorded);
            let is_there = missing >> tile & 1 == 1;
            let found = is_there.then(|| self.model.output(Place { tile, words }));
            if found != Some(&recorded) {
                let hardware = found.map(|flit| self.layout.decode(flit));
                let recorded = Some(self.layout.decode(&recorded));
                return Err(self.differs(tile, AT, recorded, hardware));
            }
            missing &= !(1 << tile);
            self.num_compared += 1;
        }
        if missing == 0 {
            return Ok(());
        }
        let tile = missing.trailing_zeros() as usize;
        let hardware = self.layout.decode(self.model.output(Place { tile, words }));
        Err(self.differs(tile, AT, None, Some(hardware)))
    }

    /// A delivered flit: a contribution's operand is what it has been combined to.
    fn encode(&self, delivery: &MessageDelivery, words: &mut [u32]) {
        let MessageDelivery { packet, flit, .. } = *delivery;
        let Some(packet) = self.queues.packet(packet) else {
            return;
        };
        let data = if delivery.operand.is_empty() {
            packet.data(flit, self.layout.flit_bytes)
        } else {
            &delivery.operand
        };
        self.layout.encode(packet, flit, data, words);
    }

    /// A difference in this cycle.
    fn differs(
        &self,
        tile: usize,
        at: &str,
        recorded: Option<String>,
        hardware: Option<String>,
    ) -> LockstepError {
        LockstepError::Messages(Box::new(MessageDivergence {
            cycle: self.cycle,
            router: self.network.coord(TileId(tile as u32)),
            at: at.to_owned(),
            recorded,
            hardware,
        }))
    }
}

impl Follow for MessagesLockstep<'_> {
    fn follow(&mut self, record: &CycleRecord) -> Result<(), LockstepError> {
        self.idle_until(record.cycle)?;
        self.step(&record.messages)
    }

    fn replay(&mut self, record: &CycleRecord) -> Result<(), LockstepError> {
        let idle = MessageCycle::default();
        while self.cycle <= record.cycle {
            let is_idle = self.cycle < record.cycle;
            let messages = if is_idle { &idle } else { &record.messages };
            self.drive(messages)?;
            self.model.hardware.settle();
            self.tick(messages)?;
        }
        Ok(())
    }

    fn idle_until(&mut self, cycle: u64) -> Result<(), LockstepError> {
        let idle = MessageCycle::default();
        while self.cycle < cycle {
            self.step(&idle)?;
        }
        Ok(())
    }

    fn check(&self, _images: &[MemoryImage]) -> Result<(), LockstepError> {
        Ok(())
    }

    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn num_compared(&self) -> u64 {
        self.num_compared
    }
}

/// Tiles as bits.
fn bits(tiles: &[TileId]) -> u64 {
    tiles.iter().fold(0, |all, tile| all | 1 << tile.0)
}

/// The library must be of this network.
fn check(numbers: &Numbers, network: &Network) -> Result<(), LockstepError> {
    let config = match SmartRtlConfig::of(network) {
        Some(Ok(config)) => config,
        Some(Err(error)) => return Err(numbers.refused(error.to_string())),
        None => return Err(numbers.refused("the network's routers have no bypass".to_owned())),
    };
    for (name, wanted) in [
        ("MESH_WIDTH", config.mesh_width),
        ("MESH_HEIGHT", config.mesh_height),
        ("HPC_MAX", config.hpc_max),
        ("BITWISE_HPC_MAX", config.bitwise_hpc_max),
        ("ARITHMETIC_HPC_MAX", config.arithmetic_hpc_max),
        ("SETUP_CYCLES", config.setup_cycles),
        ("IS_BYPASS_FIRST", config.is_bypass_first.into()),
        ("UNICAST_VCS", config.unicast_vcs),
        ("REDUCTION_VCS", config.reduction_vcs),
        ("MULTICAST_VCS", config.multicast_vcs),
        ("VC_FLITS", config.vc_flits),
        ("FLIT_BITS", config.flit_bits),
        ("HAS_MULTICAST", config.has_multicast.into()),
        ("IS_PRUNED", config.is_pruned.into()),
        ("HAS_TABLE", config.has_table.into()),
        ("TABLE_ENTRIES", config.table_entries),
    ] {
        numbers.expect(name, wanted)?;
    }
    Ok(())
}
