// SPDX-License-Identifier: Apache-2.0
//! Routers with bypass and the interfaces that carry actions out over them, as an engine.

use super::diagnose::diagnose;
use super::messages::Messages;
use super::plane::SmartPlane;
use super::{SmartNetwork, refused_action};
use crate::execution::{Engine, Execution, Standstill, Submit};
use crate::record::OnCycle;
use crate::router::stalls::Stalls;
use noccl_net::{LinkId, Network, Port, TileId};
use noccl_run::{
    Counters, Diagnosis, Ended, LinkLoad, Mode, Order, Request, RunConfig, RunError, RunResult,
};
use noccl_spec::PlaneName;
use noccl_workload::{Action, ActionId, Place};

/// Routers, interfaces and memories.
pub(crate) struct Smart<'a> {
    on: SmartNetwork<'a>,
    stalls: Stalls,
    plane: SmartPlane,
    pub(super) messages: Messages<'a>,
    /// Gets the record of every cycle.
    on_cycle: Option<OnCycle<'a>>,
}

/// The run of a schedule before its first cycle.
///
/// # Errors
/// [`RunError::Refused`].
pub(crate) fn schedule_run<'a>(request: &Request<'a>) -> Result<Execution<Smart<'a>>, RunError> {
    let on = SmartNetwork::new(request.network)?;
    let is_value = request.config.mode == Mode::Value;
    let mut messages = Messages::new(on, request.schedule, is_value)?;
    messages.fill(request.inputs)?;
    let engine = Smart::of(on, messages, request.config)?;
    Ok(Execution::new(engine, request.config))
}

/// As [`schedule_run`], with a record of every cycle.
///
/// # Errors
/// As [`schedule_run`]; refused for what no record tells.
pub(crate) fn recorded_run<'a>(
    request: &Request<'a>,
    on_cycle: OnCycle<'a>,
) -> Result<Execution<Smart<'a>>, RunError> {
    let mut run = schedule_run(request)?;
    run.engine.on.refuse_record()?;
    run.engine.plane.begin_record();
    run.engine.on_cycle = Some(on_cycle);
    Ok(run)
}

/// A run of programs before its first cycle.
///
/// # Errors
/// [`RunError::Refused`].
pub(crate) fn open_run<'a>(
    network: &'a Network,
    config: &RunConfig,
) -> Result<Execution<Smart<'a>>, RunError> {
    let on = SmartNetwork::new(network)?;
    let messages = Messages::open(on, config.mode == Mode::Value);
    Ok(Execution::new(Smart::of(on, messages, config)?, config))
}

impl<'a> Smart<'a> {
    /// An engine with these messages.
    ///
    /// # Errors
    /// [`RunError::Refused`] if no data fit into a packet.
    fn of(
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
            stalls: Stalls::new(config),
            plane: SmartPlane::new(on.network, smart, value_bytes),
            messages,
            on_cycle: None,
        })
    }
}

impl Engine for Smart<'_> {
    type Result = RunResult;

    const RESPONDS_TO_DELIVERIES: bool = true;

    fn network(&self) -> &Network {
        self.on.network
    }

    fn begin(&mut self, cycle: u64) -> bool {
        self.messages.begin_cycle(cycle, &mut self.plane);
        false
    }

    fn finish(&mut self, cycle: u64) -> bool {
        let stalls = self.stalls;
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

    fn may_move(&self) -> bool {
        self.plane.has_due()
    }

    fn next_event(&self) -> Option<u64> {
        self.messages.next_event()
    }

    fn is_idle(&self) -> bool {
        self.plane.is_idle()
    }

    fn skip_to(&mut self, cycle: u64) {
        self.plane.skip_to(cycle);
    }

    fn is_over(&self) -> bool {
        self.messages.is_over()
    }

    fn num_over(&self) -> (usize, usize) {
        let instances = &self.messages.instances;
        (
            instances.num_actions_over(),
            instances.num_actions() as usize,
        )
    }

    fn flit_hops(&self) -> u64 {
        self.plane.flit_hops()
    }

    fn counters(&self) -> Counters {
        let mut counters = self.messages.counters;
        counters.flit_hops = self.plane.flit_hops();
        let flit_bytes = u64::from(self.on.smart.flit_bits / 8);
        counters.payload_byte_hops = self.plane.payload_hops() * flit_bytes;
        counters
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

    fn diagnose(&self, at: Standstill) -> Diagnosis {
        let waits = self.messages.waits();
        let (cycle, last) = (at.cycle, at.last_progress);
        diagnose(&self.plane, self.on.network, cycle, last, waits)
    }

    fn result(&self, cycle: u64, _next: u64, outputs: &[(Place, u64)]) -> RunResult {
        let actions = self.messages.times();
        RunResult {
            cycles: cycle,
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

/// Interfaces carry everything out; cores take no part, and so are never busy.
impl Submit for Smart<'_> {
    fn accepts(&self, action: &Action) -> Result<(), RunError> {
        self.messages.accepts(action)
    }

    fn submit(
        &mut self,
        action: Action,
        is_held: &dyn Fn(TileId) -> bool,
        _: Order,
    ) -> Result<ActionId, RunError> {
        self.messages.take_in(&action)?;
        let number = self.messages.actions.push(action.clone());
        self.messages.link(number, &action, is_held);
        Ok(ActionId(number))
    }

    fn release(&mut self, action: ActionId, tile: TileId, _: Order) {
        let messages = &mut self.messages;
        if let Some(id) = messages.instances.at(action.0, tile)
            && messages.instances.release(id)
        {
            messages.ready.push_back((action.0, tile));
        }
    }

    fn resume(&mut self, _cycle: u64) -> Option<bool> {
        let has_more = !self.messages.ready.is_empty();
        has_more.then(|| {
            self.messages.begin_ready(&mut self.plane);
            false
        })
    }

    fn take_ended(&mut self, to: &mut Vec<Ended>) {
        if let Some(ended) = &mut self.messages.ended {
            to.append(ended);
        }
    }

    fn write(&mut self, place: Place, bytes: &[u8]) {
        let network = self.on.network;
        self.messages.memories.write_place(network, place, bytes);
    }

    fn read(&self, place: Place, bytes: u64) -> Vec<u8> {
        let memories = &self.messages.memories;
        memories.read_place(self.on.network, place, bytes)
    }
}
