// SPDX-License-Identifier: Apache-2.0
//! Planes, NIs and memories together: everything below the agents.
//!
//! The state of each part is a component of its own, which knows none of the others: the [`Clock`], the routers
//! ([`Mesh`]), the [`Interfaces`], the [`MemorySystem`], the Torrent endpoints, what is counted and checked ([`Checks`]), the
//! recorder. What a unit does between several components stands in that unit's folder, as a part of `impl Machine`;
//! [`cycle`] calls these units in the order of a cycle, and nothing calls it but a driver.
//!
//! A driver (trace, traffic or agents) sees completions in [`Machine::done`] and issues transactions through the
//! `issue_*` methods; it never touches a flit.

mod checks;
mod clock;
mod credits;
mod cycle;
pub(crate) mod event;
mod status;

pub(crate) use checks::Checks;
pub(crate) use clock::Clock;

use crate::endpoint::memory::MemorySystem;
use crate::endpoint::torrent::Torrents;
use crate::ni::axi::error_table::Errors;
use crate::ni::axi::state::Interfaces;
use crate::record::recorder::Recorder;
use crate::router::behaviour::Behaviour;
use crate::router::behaviour_for;
use crate::router::collective::context::Context;
use crate::router::collective::plane::PlaneState;
use crate::router::mesh::Mesh;
use crate::transport::beat::WideBeat;
use crate::transport::transaction::Txns;
use event::{Done, Event};
use noccl_net::{Network, TileId, TileKind};
use noccl_run::{Mode, RunConfig, RunError};
use noccl_spec::Plane;

/// The machine below the agents.
pub(crate) struct Machine<'n> {
    pub network: &'n Network,
    pub config: RunConfig,
    /// What the routers ask of their interfaces.
    pub behaviour: Behaviour,
    pub beat: WideBeat,
    pub clock: Clock,
    pub mesh: Mesh,
    pub interfaces: Interfaces,
    pub memory: MemorySystem,
    pub txns: Txns,
    pub errors: Errors,
    /// Torrent endpoints of the clusters, if they have some.
    pub torrents: Option<Box<Torrents>>,
    pub checks: Checks,
    pub recorder: Option<Box<Recorder<'n>>>,
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
        let behaviour = behaviour_for(network, what)?;
        Ok(Self::new(network, config.clone(), behaviour))
    }

    pub(crate) fn new(network: &'n Network, config: RunConfig, behaviour: Behaviour) -> Self {
        let beat = WideBeat::of(network.axi());
        Self {
            network,
            behaviour,
            beat,
            clock: Clock::new(),
            mesh: Mesh::new(network, &behaviour, config.threads),
            interfaces: Interfaces::new(network.num_tiles()),
            memory: MemorySystem::new(beat),
            txns: Txns::default(),
            errors: Errors::default(),
            torrents: Torrents::new(network),
            checks: Checks::default(),
            recorder: None,
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
            trees: &self.txns.trees,
            pool: &mut self.memory.pool,
            is_value: self.config.mode == Mode::Value,
            fpu_busy_until: &mut self.mesh.fpu_busy_until,
        };
        (&mut self.mesh.planes[plane.idx()], context)
    }

    /// Schedules a driver event.
    pub(crate) fn call_driver(&mut self, cycle: u64, what: u32, detail: u32) {
        self.clock.schedule(cycle, Event::Driver { what, detail });
    }
}
