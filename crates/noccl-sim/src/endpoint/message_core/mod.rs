// SPDX-License-Identifier: Apache-2.0
//! Cores that pass messages (S4; `docs/design/0013-core-tiles.md`): each does one thing at a time, word by word.
//!
//! A core has a list of shares that it begins in the order of the schedule, and messages to receive, which it takes as they
//! come. [`act`] decides what it does next, [`send`] and [`receive`] write and read words, [`local`] is what no network sees.
//! [`program`] is the schedule as each core sees it, [`store`] what the network has delivered, [`message`] a message in progress.
//! The state of the routers that a core sees is that of the beginning of the cycle.

mod act;
mod core;
mod local;
mod message;
mod noise;
mod planes;
mod program;
mod receive;
mod rounds;
mod rows;
mod send;
mod store;
mod stream;
mod waits;

use self::core::{Core, Next};
use crate::endpoint::memory::Memories;
use crate::kernel::bit_set::BitSet;
use crate::kernel::event_wheel::Wheel;
use crate::router::stalls::Stalls;
use crate::router::wormhole::Flit;
use message::Message;
use noccl_net::{Network, TileId};
use noccl_run::{ActionTime, Counters, MemoryImage, Mode, RunConfig, RunError};
use noccl_spec::Core as CoreSpec;
use noccl_spec::CoreTiles;
use noccl_workload::{ActionKind, Place, Schedule};
use noise::Noise;
use program::Program;
use rounds::Rounds;
use std::collections::VecDeque;
use store::Store;
use stream::{StaticWord, Stream};

pub use noise::is_held_up;
pub(crate) use planes::Planes;
pub(crate) use waits::{CoreWait, For};

/// A worm on the UDN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Unit {
    message: u32,
    kind: UnitKind,
    words: u32,
}

/// What a worm on the UDN carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnitKind {
    /// This one of the message's units.
    Data(u32),
    /// The receiver's word that it is ready for another message.
    Acknowledgement,
    /// The sender's word that interrupts the receiver, and the receiver's that all is set up.
    Request,
    Reply,
}

impl UnitKind {
    /// Tag of the queue into which it comes. What a sender waits for never stands behind what it does not read.
    const fn tag(self) -> u32 {
        match self {
            Self::Data(_) => DATA_TAG,
            Self::Acknowledgement | Self::Reply => RESPONSE_TAG,
            Self::Request => REQUEST_TAG,
        }
    }
}

const DATA_TAG: u32 = 0;
const RESPONSE_TAG: u32 = 1;
const REQUEST_TAG: u32 = 2;

/// All cores of a network, and what they do in a run of a schedule.
pub(crate) struct Cores<'s> {
    network: &'s Network,
    spec: &'s CoreSpec,
    schedule: &'s Schedule,
    is_value: bool,
    stalls: Stalls,
    noise: Noise,
    program: Program,
    rounds: Rounds,
    /// By action; `None` for other actions, and for a message to its own tile.
    messages: Vec<Option<Message>>,
    cores: Vec<Core>,
    stores: Vec<Store>,
    /// Units on the network or in a store, and numbers that are free.
    units: Vec<Unit>,
    free_units: Vec<u32>,
    /// Cores that act in the next cycle, and those that act in later ones.
    active: BitSet,
    later: Wheel<u32>,
    due: Vec<u32>,
    /// Shares that may begin since the last one has ended.
    ready: Vec<u32>,
    /// By action; `None` for actions other than multicasts over the static network.
    streams: Vec<Option<Stream>>,
    /// By tile: words between router of the static network and core.
    static_words: Vec<VecDeque<StaticWord>>,
    memories: Memories,
    pub(crate) counters: Counters,
    pub(crate) checksum: u64,
    /// Units and words that came in another order than they were sent.
    pub(crate) wrong_units: u64,
    /// Routes of the static network that cores have written.
    pub(crate) route_writes: u64,
    port_fifo_words: usize,
}

impl<'s> Cores<'s> {
    /// Cores before the first cycle.
    ///
    /// # Errors
    /// [`RunError::Refused`] for actions that they do not do.
    pub(crate) fn new(
        network: &'s Network,
        of: &'s CoreTiles,
        schedule: &'s Schedule,
        config: &RunConfig,
    ) -> Result<Self, RunError> {
        let (tiles, spec) = (network.num_tiles(), &of.core);
        let program = Program::new(network, schedule);
        let messages: Result<Vec<_>, RunError> = (0..schedule.actions.len())
            .map(|action| message_of(network, spec, schedule, &program, action))
            .collect();
        let messages = messages?;
        let mut cores: Vec<Core> = (0..tiles).map(|_| Core::default()).collect();
        for (number, share) in program.shares.iter().enumerate() {
            let message = messages[share.action as usize].as_ref();
            if message.is_none_or(|message| message.receiving != number as u32) {
                cores[share.tile as usize].main.push(number as u32);
            }
        }
        let streams = schedule.actions.iter().map(|action| {
            let sent = action.kind.static_multicast()?;
            Stream::new(network, sent, &of.router.static_network)
        });
        let streams = streams.collect();
        let mut active = BitSet::new(tiles);
        let noise = Noise::new(config.noise_seed, config.start_skew_cycles, spec);
        let mut later = Wheel::new();
        for tile in 0..tiles {
            match noise.start(tile as u32) {
                0 => active.insert(tile),
                start => later.push(start, tile as u32),
            }
        }
        Ok(Self {
            network,
            spec,
            schedule,
            is_value: config.mode == Mode::Value,
            stalls: Stalls::new(config),
            noise,
            program,
            rounds: Rounds::new(config.is_lock_step, &messages, tiles),
            messages,
            cores,
            stores: vec![Store::new(spec.receive_store_words, spec.tagged_queues); tiles],
            units: Vec::new(),
            free_units: Vec::new(),
            active,
            later,
            due: Vec::new(),
            ready: Vec::new(),
            streams,
            static_words: vec![VecDeque::new(); tiles],
            memories: Memories::default(),
            counters: Counters::default(),
            checksum: 0,
            wrong_units: 0,
            route_writes: 0,
            port_fifo_words: of.router.static_network.port_fifo_words as usize,
        })
    }

    pub(crate) fn fill(&mut self, inputs: &[MemoryImage]) -> Result<(), RunError> {
        self.memories.fill(self.network, inputs)
    }

    pub(crate) fn read(&self, outputs: &[(Place, u64)]) -> Vec<MemoryImage> {
        self.memories.images(self.network, outputs)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.program.is_over()
    }

    pub(crate) const fn num_over(&self) -> usize {
        self.program.num_over
    }

    pub(crate) const fn num_actions(&self) -> usize {
        self.program.num_actions()
    }

    pub(crate) fn times(&self) -> &[ActionTime] {
        self.program.times()
    }

    /// Does somebody act in the next cycle?
    pub(crate) const fn is_active(&self) -> bool {
        !self.active.is_empty()
    }

    /// The next cycle in which a core acts that is busy until then.
    pub(crate) fn next_event(&self) -> Option<u64> {
        self.later.next_cycle()
    }

    /// One cycle of the cores that do not stand still. Returns whether one of them has done something.
    pub(crate) fn act(&mut self, now: u64, planes: &mut Planes) -> bool {
        let mut due = std::mem::take(&mut self.due);
        self.later.take(now, &mut due);
        for tile in &due {
            self.active.insert(*tile as usize);
        }
        self.due = due;
        let mut has_acted = false;
        let mut from = 0;
        while let Some(tile) = self.active.next_member(from) {
            from = tile + 1;
            let mut next = self.act_one(tile, now, planes);
            // What takes no time is done in one cycle.
            while next == Next::At(now) {
                next = self.act_one(tile, now, planes);
            }
            if next != Next::Blocked {
                self.cores[tile].since = now + 1;
            }
            match next {
                Next::At(cycle) => {
                    has_acted = true;
                    if cycle > now + 1 {
                        self.active.remove(tile);
                        self.later.push(cycle, tile as u32);
                    }
                }
                Next::Blocked => {}
                Next::Asleep => {
                    self.active.remove(tile);
                    self.cores[tile].is_asleep = true;
                }
            }
        }
        if self.rounds.advance() {
            has_acted = true;
            (0..self.cores.len()).for_each(|tile| self.wake(tile));
        }
        has_acted
    }

    /// Does a tile's store take a word?
    pub(crate) fn takes(&self, tile: usize) -> bool {
        self.stores[tile].has_space()
    }

    /// A word of the dynamic network has come.
    pub(crate) fn deliver(&mut self, tile: usize, flit: Flit, number: u64) {
        let unit = self.units[number as usize];
        let store = &mut self.stores[tile];
        let queue = store.queue_of(unit.kind.tag());
        if flit.is_head() {
            store.open(queue, number as u32, unit.words);
        } else {
            store.fill(queue);
        }
        self.wake(tile);
    }

    fn wake(&mut self, tile: usize) {
        if std::mem::take(&mut self.cores[tile].is_asleep) {
            self.active.insert(tile);
        }
    }

    fn new_unit(&mut self, unit: Unit) -> u32 {
        if let Some(free) = self.free_units.pop() {
            self.units[free as usize] = unit;
            return free;
        }
        self.units.push(unit);
        self.units.len() as u32 - 1
    }
}

/// The message of an action, if it is one that crosses the network.
fn message_of(
    network: &Network,
    spec: &CoreSpec,
    schedule: &Schedule,
    program: &Program,
    action: usize,
) -> Result<Option<Message>, RunError> {
    let kind = &schedule.actions[action].kind;
    let refused = |reason: &str| RunError::Refused {
        backend: "sim",
        what: format!("actions[{action}] ({})", kind.name()),
        reason: format!(
            "{reason}; accepted on core tiles: message, static_multicast, local_reduce, compute"
        ),
    };
    let find = |tile| {
        let found: Option<TileId> = network.find(tile);
        found.ok_or_else(|| refused("it names a tile that is not on the mesh"))
    };
    match kind {
        ActionKind::Message(sent) => {
            let (source, target) = (find(sent.source.tile)?, find(sent.destination.tile)?);
            let receiving = program.share_at(action as u32, target);
            let crosses = receiving.filter(|_| source != target);
            Ok(crosses.map(|share| Message::new(sent, (source.0, target.0), share, spec)))
        }
        ActionKind::LocalReduce(_) | ActionKind::Compute(_) | ActionKind::StaticMulticast(_) => {
            Ok(None)
        }
        ActionKind::Transfer(_)
        | ActionKind::InNetworkReduction(_)
        | ActionKind::InNetworkAllReduce(_)
        | ActionKind::Barrier(_)
        | ActionKind::Delivery(_)
        | ActionKind::Arrival(_)
        | ActionKind::Kernel(_)
        | ActionKind::Chain(_)
        | ActionKind::ListMulticast(_) => Err(refused("cores pass messages and have no DMA")),
    }
}
