// SPDX-License-Identifier: Apache-2.0
//! Cores that pass messages (S4; `docs/design/0013-core-tiles.md`): each does one thing at a time, word by word.
//!
//! A core has a list of shares that it begins in the order of the schedule, and messages to receive, which it takes as they
//! come. [`act`] decides what it does next, [`send`] and [`receive`] write and read words, [`local`] is what no network sees.
//! [`program`] is the schedule as each core sees it, [`store`] what the network has delivered, [`message`] a message in progress.
//! The state of the routers that a core sees is that of the beginning of the cycle.

mod act;
mod core;
mod noise;
mod open;
mod planes;
mod program;
mod receive;
mod rounds;
mod send;
mod store;
mod stream;

use self::core::{Core, Next};
use crate::driver::actions::Actions;
use crate::endpoint::memory::Memories;
use crate::kernel::bit_set::BitSet;
use crate::kernel::event_wheel::Wheel;
use crate::router::stalls::Stalls;
use noccl_net::{Network, TileId};
use noccl_run::{ActionTime, Counters, MemoryImage, Mode, Order, RunConfig, RunError};
use noccl_spec::Core as CoreSpec;
use noccl_spec::{CoreTiles, StaticNetwork};
use noccl_workload::{Action, First, Numbered, Place, Schedule};
use noise::Noise;
use open::Message;
use open::{message_of, refuse};
use program::Program;
use rounds::Rounds;
use std::collections::VecDeque;
use store::Store;
use stream::{MessageStream, StaticWord};

pub(crate) use core::{CoreWait, For};
pub use noise::is_held_up;
pub(crate) use planes::{Planes, Receivers};

/// A packet on the UDN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CoreUnit {
    message: u32,
    kind: UnitKind,
    words: u32,
    /// The tile that sends it.
    from: TileId,
}

/// What a packet on the UDN carries.
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
    static_network: &'s StaticNetwork,
    actions: Actions<'s>,
    first: First,
    is_value: bool,
    stalls: Stalls,
    noise: Noise,
    program: Program,
    rounds: Rounds,
    /// By action; `None` for other actions, and for a message to its own tile.
    messages: Numbered<Message>,
    cores: Vec<Core>,
    stores: Vec<Store>,
    /// Units on the network or in a store, and numbers that are free.
    units: Vec<CoreUnit>,
    free_units: Vec<u32>,
    /// Cores that act in the next cycle, and those that act in later ones.
    active: BitSet,
    later: Wheel<u32>,
    due: Vec<u32>,
    /// Shares that may begin since the last one has ended.
    ready: Vec<u32>,
    /// Cores whose programs may submit actions in this cycle.
    asking: Vec<u32>,
    /// By action; `None` for actions other than multicasts over the static network.
    streams: Numbered<MessageStream>,
    /// By tile: words between router of the static network and core.
    static_words: Vec<VecDeque<StaticWord>>,
    pub(crate) memories: Memories,
    pub(crate) counters: Counters,
    pub(crate) checksum: u64,
    /// Units and words that came in another order than they were sent.
    pub(crate) wrong_units: u64,
    /// Routes of the static network that cores have written.
    pub(crate) route_writes: u64,
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
        let mut cores = Self::empty(network, of, config, false);
        // 0: cores send or receive first as a schedule says, else as usual.
        cores.first = schedule.first.unwrap_or_default();
        cores.actions = Actions::of(schedule);
        for action in &schedule.actions {
            cores.take_in(action, &|_| false, Order::InOrder)?;
        }
        let messages = cores.messages.iter();
        let of_messages = messages.filter_map(|(_, message)| message.round);
        cores.rounds = Rounds::new(config.is_lock_step, of_messages, network.num_tiles());
        Ok(cores)
    }

    /// Cores that have nothing to do yet: programs submit their actions.
    pub(crate) fn open(network: &'s Network, of: &'s CoreTiles, config: &RunConfig) -> Self {
        let mut cores = Self::empty(network, of, config, true);
        // A core that goes on with its program sends before it looks for messages, as a library of calls does.
        cores.first = First::Send;
        cores
    }

    fn empty(network: &'s Network, of: &'s CoreTiles, config: &RunConfig, is_open: bool) -> Self {
        let (tiles, spec) = (network.num_tiles(), &of.core);
        let mut active = BitSet::new(tiles);
        let noise = Noise::new(config.noise_seed, config.start_skew_cycles, spec);
        let mut later = Wheel::new();
        for tile in 0..tiles {
            match noise.start(tile as u32) {
                0 => active.insert(tile),
                start => later.push(start, tile as u32),
            }
        }
        Self {
            network,
            spec,
            static_network: &of.router.static_network,
            actions: Actions::none(),
            first: First::default(),
            is_value: config.mode == Mode::Value,
            stalls: Stalls::new(config),
            noise,
            program: Program::new(is_open, tiles),
            rounds: Rounds::new(false, std::iter::empty(), tiles),
            messages: Numbered::default(),
            cores: (0..tiles).map(|_| Core::default()).collect(),
            stores: vec![Store::new(spec.receive_store_words, spec.tagged_queues); tiles],
            units: Vec::new(),
            free_units: Vec::new(),
            active,
            later,
            due: Vec::new(),
            ready: Vec::new(),
            asking: Vec::new(),
            streams: Numbered::default(),
            static_words: vec![VecDeque::new(); tiles],
            memories: Memories::default(),
            counters: Counters::default(),
            checksum: 0,
            wrong_units: 0,
            route_writes: 0,
        }
    }

    /// Takes in the next action: each core's list gets its share, unless that is a message to receive or held.
    fn take_in(
        &mut self,
        action: &Action,
        is_held: &dyn Fn(TileId) -> bool,
        order: Order,
    ) -> Result<(), RunError> {
        let number = self.messages.next_number();
        refuse(self.network, action, number)?;
        self.program.push(self.network, action, is_held);
        let message = message_of(self.network, self.spec, action, &self.program, number);
        let receiving = message.as_ref().map(|message| message.receiving);
        let sent = action.kind.static_multicast();
        let stream =
            sent.and_then(|sent| MessageStream::new(self.network, sent, self.static_network));
        self.messages.push_or_skip(message);
        self.streams.push_or_skip(stream);
        for id in self.program.instances.of(number) {
            let tile = self.program.instances.all[id].tile;
            if Some(id) != receiving && !is_held(tile) {
                self.cores[tile.idx()].stand(id, order);
            }
        }
        Ok(())
    }

    pub(crate) fn fill(&mut self, inputs: &[MemoryImage]) -> Result<(), RunError> {
        self.memories.fill(self.network, inputs)
    }

    pub(crate) fn read(&self, outputs: &[(Place, u64)]) -> Vec<MemoryImage> {
        self.memories.images(self.network, outputs)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.program.instances.is_over()
    }

    pub(crate) const fn num_over(&self) -> usize {
        self.program.instances.num_actions_over()
    }

    pub(crate) fn num_actions(&self) -> usize {
        self.program.instances.num_actions() as usize
    }

    pub(crate) fn times(&self) -> Vec<ActionTime> {
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
        // Whoever was woken between two cycles acts with the others.
        self.asking.clear();
        let mut has_acted = false;
        let mut from = 0;
        while let Some(tile) = self.active.next_member(from) {
            from = tile + 1;
            has_acted |= self.act_at(tile, now, planes);
        }
        if self.rounds.advance() {
            has_acted = true;
            for tile in 0..self.cores.len() {
                self.wake(tile);
            }
        }
        has_acted
    }

    /// Everything that a core does in a cycle. Returns whether it has done something.
    fn act_at(&mut self, tile: usize, now: u64, planes: &mut Planes) -> bool {
        if self.program.is_watched() {
            self.cores[tile].count_until(now);
        }
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
                self.cores[tile].free_since = cycle;
                if cycle > now + 1 {
                    self.active.remove(tile);
                    self.later.push(cycle, tile as u32);
                }
                true
            }
            Next::Asks => {
                self.asking.push(tile as u32);
                true
            }
            Next::Blocked => false,
            Next::Asleep => {
                self.active.remove(tile);
                self.cores[tile].is_asleep = true;
                false
            }
        }
    }

    /// A core that sleeps acts in the next cycle, or in this one if the cores have not acted yet. Returns whether it slept.
    fn wake(&mut self, tile: usize) -> bool {
        let was_asleep = std::mem::take(&mut self.cores[tile].is_asleep);
        if was_asleep {
            self.active.insert(tile);
        }
        was_asleep
    }

    fn new_unit(&mut self, unit: CoreUnit) -> u32 {
        if let Some(free) = self.free_units.pop() {
            self.units[free as usize] = unit;
            return free;
        }
        self.units.push(unit);
        self.units.len() as u32 - 1
    }
}
