// SPDX-License-Identifier: Apache-2.0
//! Planes, NIs and memories together: everything below the agents.
//!
//! The state of each part is a component of its own, which knows none of the others: the [`Clock`], the routers
//! ([`Mesh`]), the [`Interfaces`], the [`MemorySystem`], the Torrent endpoints ([`Torrents`]), what is counted and checked
//! ([`Checks`]), the recorder. A component's method takes what it needs, and returns or appends what others have to do. A network
//! interface joins most of them, so what it does is a part of `impl Machine` in `ni/axi`; [`cycle`] calls these parts in the order of a
//! cycle, and nothing calls it but a driver.
//!
//! In the first half of a cycle events, flits and completions move from the network to the endpoints and their driver
//! ([`Event`], [`Done`], [`DriverEvent`]). In the second half requests move from drivers and endpoints into the network. A driver (trace,
//! traffic or agents) sees completions in [`Machine::done`] and issues transactions through the `issue_*` methods; it never touches a
//! flit.

mod checks;
mod clock;
mod cycle;
pub(crate) mod event;

pub(crate) use checks::Checks;
pub(crate) use clock::Clock;

use crate::endpoint::memory::MemorySystem;
use crate::endpoint::torrent::Torrents;
use crate::explain::Observer;
use crate::ni::axi::error_table::Errors;
use crate::ni::axi::state::Interfaces;
use crate::record::Recorder;
use crate::router::behaviour::Behaviour;
use crate::router::behaviour_for;
use crate::router::collective::context::Context;
use crate::router::collective::plane::PlaneState;
use crate::router::mesh::Mesh;
use crate::transport::payload::WideBeat;
use event::{Done, DriverEvent, Event};
use noccl_net::{AxiNetwork, Network, TileId, TileKind};
use noccl_run::{Activity, Counters, Mode, RunConfig, RunError, Status};
use noccl_spec::Plane;

/// The machine below the agents.
pub(crate) struct Machine<'n> {
    pub network: AxiNetwork<'n>,
    pub config: RunConfig,
    /// What the routers ask of their interfaces.
    pub behaviour: Behaviour,
    pub beat: WideBeat,
    pub clock: Clock,
    pub mesh: Mesh,
    pub interfaces: Interfaces<'n>,
    pub memory: MemorySystem,
    pub errors: Errors,
    /// Torrent endpoints of the clusters, if they have some.
    pub torrents: Option<Box<Torrents>>,
    pub checks: Checks,
    pub recorder: Option<Box<Recorder<'n>>>,
    /// Who explains the run, if somebody does.
    pub observer: Option<Observer>,
    /// What the driver has not been told yet.
    pub done: Vec<Done>,
    /// Sources of open-loop traffic, each with an event for its next packet. They create packets whatever the network does, so
    /// these events say nothing about whether it still moves.
    pub sources: usize,
}

impl<'n> Machine<'n> {
    /// A machine before its first cycle, or the refusal of `what` by routers that have none.
    pub(crate) fn of(
        network: &'n Network,
        config: &RunConfig,
        what: &str,
    ) -> Result<Self, RunError> {
        config.check()?;
        let (network, behaviour) = behaviour_for(network, what)?;
        Ok(Self::new(network, config.clone(), behaviour))
    }

    pub(crate) fn new(network: AxiNetwork<'n>, config: RunConfig, behaviour: Behaviour) -> Self {
        let beat = WideBeat::of(network.axi());
        Self {
            network,
            behaviour,
            beat,
            clock: Clock::new(),
            mesh: Mesh::new(network, &behaviour, config.threads),
            interfaces: Interfaces::new(network, behaviour, beat),
            memory: MemorySystem::new(beat),
            errors: Errors::default(),
            torrents: Torrents::new(network),
            checks: Checks::default(),
            recorder: None,
            observer: None,
            done: Vec::new(),
            sources: 0,
            config,
        }
    }

    pub(crate) fn is_value(&self) -> bool {
        self.config.mode == Mode::Value
    }

    /// Nothing can move before the next event.
    pub(crate) fn is_idle(&self) -> bool {
        self.mesh.is_idle() && self.interfaces.is_idle()
    }

    /// Cycles a tile's memory takes to respond.
    pub(crate) fn memory_latency(&self, tile: u32) -> u64 {
        let axi = self.network.axi();
        u64::from(match self.network.kind(noccl_net::TileId(tile)) {
            TileKind::Cluster => axi.cluster.l1_latency_cycles,
            TileKind::Memory => axi.memory.latency_cycles,
        })
    }

    /// Cycles of an atomic in a tile's memory.
    pub(crate) fn atomic_cycles(&self, tile: usize) -> u64 {
        let axi = self.network.axi();
        u64::from(match self.network.kind(TileId(tile as u32)) {
            TileKind::Cluster => axi.cluster.atomic_cycles,
            TileKind::Memory => axi.memory.atomic_cycles,
        })
    }

    /// Links crossed so far, over all planes.
    pub(crate) fn flit_hops(&self) -> u64 {
        self.mesh.flit_hops()
    }

    /// One plane and what it reads of the rest.
    pub(crate) fn split(&mut self, plane: Plane) -> (&mut PlaneState, Context<'_>) {
        let context = Context {
            cycle: self.clock.now(),
            trees: &self.interfaces.txns.trees,
            pool: &mut self.memory.pool,
            is_value: self.config.mode == Mode::Value,
            fpu_busy_until: &mut self.mesh.fpu_busy_until,
        };
        (&mut self.mesh.planes[plane.idx()], context)
    }

    /// Schedules a driver event.
    pub(crate) fn call_driver(&mut self, cycle: u64, event: impl Into<DriverEvent>) {
        self.clock.schedule(cycle, Event::Driver(event.into()));
    }
}

impl Status for Machine<'_> {
    fn config(&self) -> &RunConfig {
        &self.config
    }

    fn activity(&self) -> Activity {
        let (clock, is_idle) = (&self.clock, self.is_idle());
        // An empty network waits for its sources.
        let ignored = if is_idle { 0 } else { self.sources };
        Activity {
            cycle: clock.now(),
            quiet_cycles: clock.now() - clock.last_progress(),
            has_event: clock.num_events() > ignored,
            can_move: !is_idle,
        }
    }

    fn flit_hops(&self) -> u64 {
        self.mesh.flit_hops()
    }

    fn num_tiles(&self) -> usize {
        self.network.num_tiles()
    }

    fn counters(&self) -> Counters {
        let wide = &self.mesh.planes[Plane::Wide.idx()];
        Counters {
            flit_hops: self.mesh.flit_hops(),
            dca_ops: wide.added_elements(),
            payload_byte_hops: self.beat.bytes_of(wide.flit_hops),
            ..self.checks.counters
        }
    }
}
