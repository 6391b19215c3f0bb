// SPDX-License-Identifier: Apache-2.0
//! A run of a schedule on core tiles.

use super::diagnose::diagnose;
use super::refused;
use crate::endpoint::message_core::{Cores, Planes};
use noccl_net::{LinkId, Network, Port};
use noccl_run::{
    Activity, Counters, Diagnosis, LinkLoad, Progress, Request, Run, RunConfig, RunError,
    RunResult, Status,
};
use noccl_spec::{CoreTiles, PlaneName};
use noccl_workload::Place;

/// A run between two cycles.
pub(crate) struct CoreRun<'a> {
    pub(super) network: &'a Network,
    config: RunConfig,
    planes: Planes,
    pub(super) cores: Cores<'a>,
    /// The cycle that has been simulated last, and the one that comes next.
    pub(super) cycle: u64,
    pub(super) next: u64,
    last_progress: u64,
    can_move: bool,
}

impl<'a> CoreRun<'a> {
    /// A run before its first cycle.
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub(crate) fn new(request: &Request<'a>) -> Result<Self, RunError> {
        let network = request.network;
        let tiles = network.cores().ok_or_else(|| refused("the network"))?;
        let mut cores = Cores::new(network, tiles, request.schedule, request.config)?;
        cores.fill(request.inputs)?;
        Ok(Self::of(network, tiles, cores, request.config))
    }

    /// A run of these cores before its first cycle.
    pub(super) fn of(
        network: &'a Network,
        tiles: &CoreTiles,
        cores: Cores<'a>,
        config: &RunConfig,
    ) -> Self {
        Self {
            network,
            config: config.clone(),
            planes: Planes::new(network, tiles),
            cores,
            cycle: 0,
            next: 0,
            last_progress: 0,
            can_move: true,
        }
    }

    /// The cores' part of the next cycle. Returns whether one of them has done something.
    pub(super) fn act(&mut self) -> bool {
        self.cycle = self.next;
        self.next = self.cycle + 1;
        self.cores.act(self.cycle, &mut self.planes)
    }

    /// Cores whose programs have had their say go on in the same cycle.
    pub(super) fn act_again(&mut self) -> bool {
        self.cores.act_again(self.cycle, &mut self.planes)
    }

    /// The routers' part of the cycle, and a jump over those in which nothing happens.
    pub(super) fn finish_cycle(&mut self, has_acted: bool) {
        let now = self.cycle;
        let has_moved = self.planes.step(now, &mut self.cores);
        self.can_move = has_acted || has_moved || self.planes.can_move();
        if self.can_move || self.cores.next_event().is_some() {
            self.last_progress = now;
        }
        if self.planes.is_idle()
            && !self.cores.is_active()
            && let Some(event) = self.cores.next_event()
        {
            self.next = self.config.skip_to(self.next, event);
            self.last_progress = self.next;
        }
    }

    /// Routes of the static network that cores have written so far.
    pub(crate) const fn route_writes(&self) -> u64 {
        self.cores.route_writes
    }

    fn links(&self) -> Vec<LinkLoad> {
        let udn = self.planes.udn.link_loads();
        let udn = udn.map(|load| (PlaneName::Udn, load));
        let fixed = self.planes.fixed.link_loads();
        let fixed = fixed.map(|load| (PlaneName::Static, load));
        udn.chain(fixed)
            .filter(|(_, (_, port, _))| *port != Port::Local)
            .map(|(plane, (tile, port, flits))| LinkLoad {
                link: LinkId { plane, tile, port },
                flits,
            })
            .collect()
    }
}

impl Status for CoreRun<'_> {
    fn config(&self) -> &RunConfig {
        &self.config
    }

    fn activity(&self) -> Activity {
        Activity {
            cycle: self.cycle,
            quiet_cycles: self.cycle.saturating_sub(self.last_progress),
            has_event: self.cores.next_event().is_some(),
            can_move: self.can_move || self.config.stalls.is_some(),
        }
    }

    fn flit_hops(&self) -> u64 {
        self.planes.flit_hops()
    }

    fn num_tiles(&self) -> usize {
        self.network.num_tiles()
    }

    fn counters(&self) -> Counters {
        let mut counters = self.cores.counters;
        counters.flit_hops = self.flit_hops();
        counters
    }
}

impl Run for CoreRun<'_> {
    type Result = RunResult;

    fn status(&self) -> &dyn Status {
        self
    }

    fn step(&mut self) {
        let has_acted = self.act();
        if !self.cores.is_over() {
            self.finish_cycle(has_acted);
        }
    }

    fn is_over(&self) -> bool {
        self.cores.is_over()
    }

    fn progress(&self) -> Progress {
        Progress {
            cycle: self.next,
            actions_done: self.cores.num_over(),
            actions_total: self.cores.num_actions(),
        }
    }

    fn diagnose(&self) -> Diagnosis {
        diagnose(
            self.network,
            &self.planes,
            &self.cores,
            self.cycle,
            self.last_progress,
        )
    }

    fn result(&self, outputs: &[(Place, u64)]) -> RunResult {
        let actions = self.cores.times();
        let last = actions.iter().map(|time| time.finish_cycle).max();
        RunResult {
            cycles: last.unwrap_or(0),
            responses: vec![0; actions.len()],
            actions,
            counters: self.counters(),
            links: self.links(),
            memory: self.cores.read(outputs),
            checksum: self.cores.checksum,
            wrong_transactions: self.cores.wrong_units,
            blocked_link_cycles: Some(self.planes.blocked_cycles(self.next)),
        }
    }
}
