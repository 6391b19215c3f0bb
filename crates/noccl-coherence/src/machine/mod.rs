// SPDX-License-Identifier: Apache-2.0
//! A machine of cores with private caches over a simulated network: what a recording costs there.
//!
//! A core is in order and makes one reference per cycle; one that misses waits. Locks and barriers are not replayed but taken again, by loads
//! and stores of lines of their own. Every load is compared with the last store to its line in a golden memory, and every store needs the
//! only copy, at the cycle in which the core accesses the line.

mod accounts;
mod cores;
mod sync;
mod transport;

pub use accounts::Counts;

use crate::protocol::{Access, Ht, Permission, Protocol, Sent, Token, value_text};
use crate::recording::{Log, Mixer};
use accounts::Accounts;
use cores::{Core, Doing};
use noccl_net::{Coord, Network, TileId};
use noccl_run::RunError;
use noccl_sim::packet_network;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::BuildHasherDefault;
use transport::{Envelope, Lengths, Transport};

/// A line: its address over its bytes, or a line that the machine itself uses to synchronise.
pub(crate) type LineId = u64;
/// Keyed by lines.
pub(crate) type ByLine<T> = HashMap<LineId, T, BuildHasherDefault<Mixer>>;

/// Bytes of a line.
pub const LINE_BYTES: u64 = 64;
/// Cycles without a message, an event or a reference after which a run has stalled.
const MAX_QUIET_CYCLES: u64 = 100_000;

/// Cycles of what is not the network, at least one each. S2 gives none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latencies {
    /// From a miss to its request.
    pub issue_cycles: u64,
    /// From a message to a cache to what the cache sends.
    pub cache_cycles: u64,
    /// The same of a home.
    pub directory_cycles: u64,
    /// Besides, if memory is read.
    pub memory_cycles: u64,
    /// Of a hit in the second-level cache.
    pub second_level_cycles: u64,
    /// Least time until a request of the token protocol is repeated; twice the mean of the core's misses where that is more.
    pub retry_cycles: u64,
}

/// Those of all published runs.
pub const LATENCIES: Latencies = Latencies {
    issue_cycles: 2,
    cache_cycles: 2,
    directory_cycles: 8,
    memory_cycles: 90,
    second_level_cycles: 8,
    retry_cycles: 100,
};

/// Why a machine does not run, or not to its end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MachineError {
    /// More threads than cores.
    #[error("threads: {threads}; accepted: 1 to {cores}, a core each of {network}")]
    Threads {
        /// Of the recording.
        threads: usize,
        /// Of the network.
        cores: usize,
        /// Its name.
        network: String,
    },
    /// A network of too many tiles.
    #[error(
        "network {network}: {tiles} tiles; accepted: 4 to 64, so that each corner has one and 6 bits name a cache"
    )]
    Tiles {
        /// Its name.
        network: String,
        /// Of the network.
        tiles: usize,
    },
    /// Packets that are too long for it.
    #[error(
        "network {network}: {field} = {limit}; accepted: {flits} or more, the flits of a cache line with its head"
    )]
    Flits {
        /// Its name.
        network: String,
        /// Field of the spec that is too small.
        field: &'static str,
        /// Its value.
        limit: u32,
        /// Of a packet with data.
        flits: u16,
    },
    /// Its routers carry no packets.
    #[error(transparent)]
    Network(#[from] RunError),
    /// A promise of the protocol does not hold.
    #[error("core {core}, line {line:#x}, cycle {cycle}: {what}")]
    Incoherent {
        /// Whose access it is.
        core: u8,
        /// Of which line.
        line: LineId,
        /// When.
        cycle: u64,
        /// What is wrong.
        what: String,
    },
    /// Nothing moves any more.
    #[error("cycle {cycle}: nothing has moved for {MAX_QUIET_CYCLES} cycles; {waiting}")]
    Stalled {
        /// When.
        cycle: u64,
        /// Who waits for what.
        waiting: String,
    },
    /// By the user.
    #[error("interrupted in cycle {cycle}")]
    Interrupted {
        /// When.
        cycle: u64,
    },
}

/// Something that happens later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A cache or a home acts on a message.
    Act(u32, Actor),
    /// A message is sent.
    Send(u32),
    /// A core goes on.
    Resume(u8),
    /// A core has waited for long, if it still waits for its miss of this number.
    Retry(u8, u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Actor {
    Home,
    Cache(u8),
}

/// Broadcasts of a request before it becomes persistent: the first, and one repetition (S2 names no number).
pub const TOKEN_BROADCASTS: u8 = 2;

/// Runs a recording under HT. `goes_on` is asked now and then, with the cycle. Not generic, so that the machine is compiled here, with this
/// crate's optimisation: in a caller without any it was three times as slow.
///
/// # Errors
/// [`MachineError`].
pub fn run_ht(
    network: &Network,
    log: &Log,
    goes_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Counts, MachineError> {
    Machine::<Ht>::new(network, log, LATENCIES)?.run(goes_on)
}

/// The same under token coherence.
///
/// # Errors
/// [`MachineError`].
pub fn run_token(
    network: &Network,
    log: &Log,
    goes_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Counts, MachineError> {
    Machine::<Token<TOKEN_BROADCASTS>>::new(network, log, LATENCIES)?.run(goes_on)
}

/// The machine, running a recording.
pub struct Machine<'a, P: Protocol> {
    latencies: Latencies,
    caches: u8,
    homes: [TileId; 4],
    transport: Transport<'a, P>,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    next_event: u64,
    cores: Vec<Core<'a>>,
    /// Cores that make a reference in this cycle.
    ready: u64,
    copies: Vec<ByLine<P::Line>>,
    home_lines: ByLine<P::Home>,
    /// Number of the last store to each line, and what stands in lines for synchronisation.
    golden: ByLine<u32>,
    words: ByLine<u32>,
    accounts: Accounts,
    last_moved: u64,
    sent: Sent<P::Message>,
}

impl<'a, P: Protocol> Machine<'a, P> {
    /// Before its first cycle.
    ///
    /// # Errors
    /// [`MachineError`] for networks and recordings that do not fit.
    pub fn new(
        network: &'a Network,
        log: &'a Log,
        latencies: Latencies,
    ) -> Result<Self, MachineError> {
        let tiles = network.num_tiles();
        let name = || network.spec().name.clone();
        if !(4..=64).contains(&tiles) || network.width() < 2 || network.height() < 2 {
            let network = name();
            return Err(MachineError::Tiles { network, tiles });
        }
        if log.num_threads() > tiles {
            return Err(MachineError::Threads {
                threads: log.num_threads(),
                cores: tiles,
                network: name(),
            });
        }
        let on = packet_network(network)?;
        let lengths = Lengths::of_flits(network.data_plane().data_bytes);
        if let Some((limit, field)) = on.longest_packet()
            && u32::from(lengths.data) > limit
        {
            return Err(MachineError::Flits {
                network: name(),
                field,
                limit,
                flits: lengths.data,
            });
        }
        let (east, north) = (network.width() - 1, network.height() - 1);
        let corners = [(0, 0), (east, 0), (east, north), (0, north)];
        let threads = log.num_threads();
        Ok(Self {
            latencies,
            caches: tiles as u8,
            homes: corners.map(|(x, y)| network.tile_at(Coord::new(x, y))),
            transport: Transport::new(on, lengths, tiles),
            events: BinaryHeap::new(),
            next_event: 0,
            cores: sync::cores(log),
            ready: u64::MAX >> (64 - threads),
            copies: vec![ByLine::default(); tiles],
            home_lines: ByLine::default(),
            golden: ByLine::default(),
            words: ByLine::default(),
            accounts: Accounts::default(),
            last_moved: 0,
            sent: Sent::new(),
        })
    }

    /// Runs to the end. `goes_on` is asked now and then, with the cycle.
    ///
    /// # Errors
    /// [`MachineError`].
    pub fn run(&mut self, goes_on: &mut dyn FnMut(u64) -> bool) -> Result<Counts, MachineError> {
        let mut rounds = 0_u32;
        loop {
            self.cycle()?;
            if self.cores.iter().all(|core| core.doing == Doing::Ended) && self.is_quiet() {
                return Ok(self.counts());
            }
            rounds = rounds.wrapping_add(1);
            if rounds.is_multiple_of(1 << 14) && !goes_on(self.now()) {
                return Err(MachineError::Interrupted { cycle: self.now() });
            }
        }
    }

    fn is_quiet(&self) -> bool {
        self.events.is_empty() && self.transport.is_idle()
    }

    fn now(&self) -> u64 {
        self.transport.network.cycle()
    }

    fn cycle(&mut self) -> Result<(), MachineError> {
        let now = self.now();
        let mut has_moved = self.ready != 0;
        while let Some(Reverse((cycle, _, event))) = self.events.peek().copied()
            && cycle <= now
        {
            self.events.pop();
            has_moved = true;
            self.happen(event)?;
        }
        let mut ready = self.ready;
        while ready != 0 {
            let core = ready.trailing_zeros() as u8;
            ready &= ready - 1;
            self.refer(core)?;
        }
        self.accounts.open_entries += self.transport.network.open_entries() as u64;
        if self.transport.is_idle() && self.ready == 0 {
            if let Some(Reverse((cycle, ..))) = self.events.peek() {
                self.transport.network.skip_to((*cycle).max(now + 1));
            }
        } else {
            has_moved |= self.transport.network.step();
            self.arrive();
        }
        if has_moved || self.is_quiet() {
            self.last_moved = now;
        }
        let is_stuck = self.is_quiet() && self.ready == 0 && self.waiting().is_some();
        if is_stuck || now - self.last_moved > MAX_QUIET_CYCLES {
            let waiting = self.waiting().unwrap_or_else(|| "no core".to_owned());
            return Err(MachineError::Stalled {
                cycle: now,
                waiting,
            });
        }
        Ok(())
    }

    fn waiting(&self) -> Option<String> {
        let mut cores = self.cores.iter().enumerate();
        let (core, state) = cores.find(|(_, core)| core.doing != Doing::Ended)?;
        Some(format!("core {core}: {:?}", state.doing))
    }

    fn later(&mut self, cycles: u64, event: Event) {
        let at = self.now() + cycles;
        self.events.push(Reverse((at, self.next_event, event)));
        self.next_event += 1;
    }

    fn happen(&mut self, event: Event) -> Result<(), MachineError> {
        match event {
            Event::Resume(core) => self.ready |= 1 << core,
            Event::Send(envelope) => self.dispatch(envelope),
            Event::Retry(core, miss) => self.retry(core, miss),
            Event::Act(envelope, Actor::Home) => {
                let Envelope { line, message, .. } = self.transport.open(envelope);
                let caches = self.caches;
                let home = self
                    .home_lines
                    .entry(line)
                    .or_insert_with(|| P::home(caches));
                let mut sent = std::mem::take(&mut self.sent);
                P::serve(home, caches, message, &mut sent);
                self.send_from(self.home_of(line), line, &mut sent);
                self.sent = sent;
            }
            Event::Act(envelope, Actor::Cache(cache)) => {
                let Envelope { line, message, .. } = self.transport.open(envelope);
                self.receive(cache, line, message)?;
            }
        }
        Ok(())
    }

    fn receive(
        &mut self,
        cache: u8,
        line: LineId,
        message: P::Message,
    ) -> Result<(), MachineError> {
        let mut sent = std::mem::take(&mut self.sent);
        let copy = self.copies[usize::from(cache)].entry(line).or_default();
        let is_complete = P::receive(copy, cache, self.caches, message, &mut sent);
        if is_complete {
            self.complete(cache, line)?;
            let copy = self.copies[usize::from(cache)].entry(line).or_default();
            P::settle(copy, cache, &mut sent);
        }
        self.send_from(TileId(cache.into()), line, &mut sent);
        self.sent = sent;
        self.copy_changed(cache, line);
        Ok(())
    }

    /// A copy may be gone: whoever spins on it looks again, and nothing is kept about a line that a cache does not have.
    fn copy_changed(&mut self, cache: u8, line: LineId) {
        let copies = &mut self.copies[usize::from(cache)];
        // 0: a line that the cache does not have is one without permission.
        let copy = copies.get(&line).copied().unwrap_or_default();
        let permission = P::permission(&copy, self.caches);
        if copy == P::Line::default() {
            copies.remove(&line);
        }
        if let Some(core) = self.cores.get_mut(usize::from(cache)) {
            let looks_again = match core.doing {
                Doing::Spins(at) => at == line && permission == Permission::None,
                Doing::WaitsForCopy(at) => at == line && !P::is_busy(&copy),
                Doing::Refers | Doing::Misses { .. } | Doing::Ended => false,
            };
            if looks_again {
                core.doing = Doing::Refers;
                self.ready |= 1 << cache;
            }
        }
    }

    fn home_of(&self, line: LineId) -> TileId {
        self.homes[(line % 4) as usize]
    }

    fn check_value(&self, core: u8, line: LineId, copy: &P::Line) -> Result<(), MachineError> {
        // 0: before the first store.
        let last = self.golden.get(&line).copied().unwrap_or(0);
        let value = P::value(copy);
        if value == Some(last) {
            return Ok(());
        }
        let what = format!("loads {}; the last store is {last}", value_text(value));
        Err(self.incoherent(core, line, what))
    }

    fn incoherent(&self, core: u8, line: LineId, what: String) -> MachineError {
        let cycle = self.now();
        MachineError::Incoherent {
            core,
            line,
            cycle,
            what,
        }
    }

    /// No other cache may access a line that is written.
    fn check_single_writer(&self, core: u8, line: LineId) -> Result<(), MachineError> {
        for (cache, copies) in self.copies.iter().enumerate() {
            let may = copies
                .get(&line)
                .map(|copy| P::permission(copy, self.caches));
            if cache != usize::from(core) && may.is_some_and(|may| may.allows(Access::Load)) {
                return Err(self.incoherent(
                    core,
                    line,
                    format!("stores while cache {cache} may read"),
                ));
            }
        }
        Ok(())
    }
}
