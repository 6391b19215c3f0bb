// SPDX-License-Identifier: Apache-2.0
//! A run of a schedule over routers with bypass.

use super::diagnose::diagnose;
use super::messages::Messages;
use super::plane::Plane;
use super::{SmartNetwork, refused_action};
use crate::record::recorder::OnCycle;
use crate::router::stalls::Stalls;
use noccl_net::{LinkId, Port};
use noccl_run::{
    Activity, Counters, Diagnosis, LinkLoad, Mode, Progress, Request, Run, RunConfig, RunError,
    RunResult, Status,
};
use noccl_spec::PlaneName;
use noccl_workload::Place;

/// A run between two cycles.
pub(crate) struct SmartRun<'a> {
    on: SmartNetwork<'a>,
    config: RunConfig,
    stalls: Stalls,
    plane: Plane,
    pub(super) messages: Messages<'a>,
    /// The cycle that has been simulated last, and the one that comes next.
    pub(super) cycle: u64,
    pub(super) next: u64,
    last_progress: u64,
    can_move: bool,
    /// Gets the record of every cycle.
    on_cycle: Option<OnCycle<'a>>,
}

impl<'a> SmartRun<'a> {
    /// A run before its first cycle.
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub(crate) fn new(request: &Request<'a>) -> Result<Self, RunError> {
        let on = SmartNetwork::new(request.network)?;
        let is_value = request.config.mode == Mode::Value;
        let mut messages = Messages::new(on, request.schedule, is_value)?;
        messages.fill(request.inputs)?;
        Self::of(on, messages, request.config)
    }

    /// As [`SmartRun::new`], with a record of every cycle.
    ///
    /// # Errors
    /// As [`SmartRun::new`]; refused for what no record tells.
    pub(crate) fn recorded(request: &Request<'a>, on_cycle: OnCycle<'a>) -> Result<Self, RunError> {
        let mut run = Self::new(request)?;
        run.on.refuse_record()?;
        run.plane.begin_record();
        run.on_cycle = Some(on_cycle);
        Ok(run)
    }

    /// A run of these messages before its first cycle.
    ///
    /// # Errors
    /// [`RunError::Refused`] if no data fit into a packet.
    pub(super) fn of(
        on: SmartNetwork<'a>,
        messages: Messages<'a>,
        config: &RunConfig,
    ) -> Result<Self, RunError> {
        let smart = on.smart;
        if smart.vc_flits < 2 {
            let what = format!("router.smart.vc_flits = {}", smart.vc_flits);
            return Err(refused_action(&what, "a packet has a head and data"));
        }
        let value_bytes = if config.mode == Mode::Value {
            smart.flit_bits as usize / 8
        } else {
            0
        };
        Ok(Self {
            on,
            config: config.clone(),
            stalls: Stalls::new(config),
            plane: Plane::new(on.network, smart, value_bytes),
            messages,
            cycle: 0,
            next: 0,
            last_progress: 0,
            can_move: true,
            on_cycle: None,
        })
    }

    /// What is due in the next cycle.
    pub(super) fn begin(&mut self) {
        self.cycle = self.next;
        self.messages.begin_cycle(self.cycle, &mut self.plane);
        self.next = self.cycle + 1;
    }

    /// The routers' part of the cycle, and what it delivers. Returns whether a flit has moved.
    pub(super) fn move_on(&mut self) -> bool {
        let (cycle, stalls) = (self.cycle, self.stalls);
        let has_moved = self.plane.step(
            |tile| stalls.takes(cycle, tile),
            |tile| stalls.offers(cycle, tile),
        );
        if let (Some(on_cycle), Some(record)) = (&mut self.on_cycle, self.plane.recorded()) {
            on_cycle(record);
        }
        self.messages.delivered(&mut self.plane);
        has_moved
    }

    /// What begins at once because programs have stated it.
    pub(super) fn begin_stated(&mut self) {
        self.messages.begin_ready(&mut self.plane);
    }

    /// The end of the cycle, and a jump over those in which nothing happens.
    pub(super) fn end_cycle(&mut self, has_moved: bool) {
        self.can_move = has_moved || self.plane.has_due();
        if self.can_move {
            self.last_progress = self.cycle;
        }
        if let Some(event) = self.messages.next_event() {
            self.last_progress = self.cycle;
            if self.plane.is_idle() {
                self.next = self.config.skip_to(self.next, event);
                self.plane.skip_to(self.next);
            }
        }
    }

    fn links(&self) -> Vec<LinkLoad> {
        let loads = self.plane.link_loads().into_iter();
        let link = |(tile, out, flits)| LinkLoad {
            link: LinkId {
                plane: PlaneName::Wide,
                tile,
                port: Port::ALL[out],
            },
            flits,
        };
        loads.map(link).collect()
    }
}

impl Status for SmartRun<'_> {
    fn config(&self) -> &RunConfig {
        &self.config
    }

    fn activity(&self) -> Activity {
        Activity {
            cycle: self.cycle,
            quiet_cycles: self.cycle - self.last_progress,
            has_event: self.messages.next_event().is_some(),
            can_move: self.can_move || self.config.stalls.is_some(),
        }
    }

    fn flit_hops(&self) -> u64 {
        self.plane.flit_hops()
    }

    fn num_tiles(&self) -> usize {
        self.on.network.num_tiles()
    }

    fn counters(&self) -> Counters {
        let mut counters = self.messages.counters;
        counters.flit_hops = self.plane.flit_hops();
        let flit_bytes = u64::from(self.on.smart.flit_bits / 8);
        counters.payload_byte_hops = self.plane.payload_hops() * flit_bytes;
        counters
    }
}

impl Run for SmartRun<'_> {
    type Result = RunResult;

    fn status(&self) -> &dyn Status {
        self
    }

    fn step(&mut self) {
        self.begin();
        if !self.messages.is_over() {
            let has_moved = self.move_on();
            self.end_cycle(has_moved);
        }
    }

    fn is_over(&self) -> bool {
        self.messages.is_over()
    }

    fn progress(&self) -> Progress {
        Progress {
            cycle: self.next,
            actions_done: self.messages.num_done,
            actions_total: self.messages.tasks.next_number() as usize,
        }
    }

    fn diagnose(&self) -> Diagnosis {
        let (cycle, last) = (self.cycle, self.last_progress);
        let waits = self.messages.waits();
        diagnose(&self.plane, self.on.network, cycle, last, waits)
    }

    fn result(&self, outputs: &[(Place, u64)]) -> RunResult {
        let actions = self.messages.times();
        RunResult {
            cycles: self.cycle,
            responses: vec![0; actions.len()],
            actions,
            counters: self.counters(),
            links: self.links(),
            memory: self.messages.read(outputs),
            checksum: self.messages.checksum,
            wrong_transactions: 0,
            blocked_link_cycles: None,
        }
    }
}
