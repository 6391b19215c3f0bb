// SPDX-License-Identifier: Apache-2.0
//! The loop: each rank that can go on executes up to its next call, then the session lets time pass.

use crate::error::{ExecuteError, Fault};
use crate::number::Number;
use crate::rank::{Rank, State};
use crate::results::{CalledRank, CalledResult};
use crate::tasks::Tasks;
use crate::terms::Terms;
use crate::windows::Windows;
use noccl_net::{Coord, Network};
use noccl_program::{Agreements, CommId, RankId, Response, Session, places};
use noccl_riscv::{Call, Program, Stopped};
use noccl_run::{Diagnosis, OnProgress, Progress, RunError, WaitEdge};
use std::collections::BTreeMap;

/// What runs, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct CalledRequest<'a> {
    /// The network of the session.
    pub network: &'a Network,
    /// The program, the same on every core.
    pub program: &'a Program,
    /// Ranks of the session.
    pub ranks: u32,
    /// Bytes of each core's memory.
    pub memory_bytes: u64,
    /// Give up after this many cycles.
    pub max_cycles: u64,
}

/// A core that comes to no call is asked whether somebody interrupts it every so many cycles.
const CHUNK_CYCLES: u64 = 1 << 22;

/// The same for ranks that call, every so many responses.
const CHUNK_RESPONSES: u64 = 1 << 12;

/// A program between two calls.
pub(crate) struct Driver<'a, 'n> {
    pub(crate) session: &'a mut Session<'n>,
    pub(crate) request: CalledRequest<'a>,
    on_progress: OnProgress<'a>,
    pub(crate) coords: Vec<Coord>,
    pub(crate) ranks: Vec<Rank>,
    pub(crate) agreements: Agreements<Terms>,
    /// Rank and size of each communicator that a rank knows.
    pub(crate) members: BTreeMap<(RankId, CommId), (u32, u32)>,
    pub(crate) tasks: Tasks,
    pub(crate) windows: Windows,
    pub(crate) warnings: Vec<String>,
    num_responses: u64,
    num_over: usize,
}

/// Runs a program on all ranks of a session, which have called nothing yet, to its end.
///
/// # Errors
/// [`ExecuteError`] with rank and place.
pub fn run<'a, 'n>(
    session: &'a mut Session<'n>,
    request: &CalledRequest<'a>,
    on_progress: OnProgress<'a>,
) -> Result<CalledResult, ExecuteError> {
    run_or(session, request, |_| {}, on_progress)
}

/// As [`run`]; where the program does not come to its end, `failed` sees what each rank has printed.
///
/// # Errors
/// As [`run`].
pub fn run_or<'a, 'n>(
    session: &'a mut Session<'n>,
    request: &CalledRequest<'a>,
    failed: impl FnOnce(Vec<&[u8]>),
    on_progress: OnProgress<'a>,
) -> Result<CalledResult, ExecuteError> {
    let coords = places(request.network, request.ranks)?;
    let rank = |number| Rank::new(request.program, request.memory_bytes, number);
    let ranks: Vec<Rank> = (0..request.ranks).map(rank).collect::<Result<_, _>>()?;
    let world = session.world();
    let known = |rank| ((RankId(rank), world), (rank, request.ranks));
    let mut driver = Driver {
        session,
        request: *request,
        on_progress,
        coords,
        ranks,
        agreements: Agreements::default(),
        members: (0..request.ranks).map(known).collect(),
        tasks: Tasks::default(),
        windows: Windows::default(),
        warnings: Vec::new(),
        num_responses: 0,
        num_over: 0,
    };
    if let Err(error) = driver.go_to_end() {
        failed(driver.ranks.iter().map(|rank| &*rank.console).collect());
        return Err(error);
    }
    Ok(driver.result())
}

impl Driver<'_, '_> {
    fn go_to_end(&mut self) -> Result<(), ExecuteError> {
        for rank in 0..self.request.ranks {
            self.go_on(RankId(rank))?;
        }
        loop {
            let responses = self.session.advance()?;
            if responses.is_empty() {
                return Ok(());
            }
            for (rank, response) in responses {
                self.respond(rank, response)?;
            }
        }
    }

    /// Executes a rank until it waits, or ends.
    fn go_on(&mut self, id: RankId) -> Result<(), ExecuteError> {
        loop {
            let core = &mut self.ranks[id.0 as usize].core;
            let until = core.cycle.saturating_add(CHUNK_CYCLES);
            let until = until.min(self.request.max_cycles);
            match core.run(self.request.program, until) {
                Stopped::Port(access) => {
                    if let Some(code) = self.access(id, access)? {
                        return self.end(id, code);
                    }
                }
                Stopped::Call(call) => {
                    let is_local = Number::of(call.number).is_some_and(Number::is_local);
                    let computes = !is_local && self.computes_up_to(id, &call)?;
                    if computes || !self.call(id, &call)? {
                        return Ok(());
                    }
                }
                Stopped::CycleLimit => self.look_at_time(id)?,
                Stopped::Trap(trap) => return Err(self.fault(id, trap.pc, trap.cause.to_string())),
                Stopped::Exit { code } => return self.end(id, code),
            }
        }
    }

    /// The call of a rank is over: its core goes on.
    fn respond(&mut self, id: RankId, response: Response) -> Result<(), ExecuteError> {
        self.num_responses += 1;
        if self.num_responses.is_multiple_of(CHUNK_RESPONSES) {
            self.tell(self.session.now(id))?;
        }
        if let Response::Task { token, over } = response {
            return self.task_over(id, token, over);
        }
        let rank = &mut self.ranks[id.0 as usize];
        match std::mem::replace(&mut rank.state, State::Executing) {
            State::Ending(code) => {
                self.finish(id, code);
                return Ok(());
            }
            State::Computing => {
                if let Stopped::Call(call) = rank.core.run(self.request.program, u64::MAX)
                    && !self.call(id, &call)?
                {
                    return Ok(());
                }
            }
            State::Over => return Ok(()),
            State::Executing => {}
            waiting @ (State::Waiting { .. }
            | State::Looking(_)
            | State::Probing { .. }
            | State::LookingForMessage
            | State::Collective { .. }
            | State::Splitting) => {
                if !self.called(id, waiting, response)? {
                    return Ok(());
                }
            }
        }
        self.go_on(id)
    }

    fn computes_up_to(&mut self, id: RankId, call: &Call) -> Result<bool, ExecuteError> {
        let place = self.place(call);
        self.computes(id, call.cycle, place, State::Computing)
    }

    /// States the cycles that a rank has executed since its last call; false if there are none.
    fn computes(
        &mut self,
        id: RankId,
        until_cycle: u64,
        place: String,
        then: State,
    ) -> Result<bool, ExecuteError> {
        let cycles = until_cycle.saturating_sub(self.session.now(id));
        if cycles == 0 {
            return Ok(false);
        }
        self.session.compute(id, cycles, place)?;
        self.ranks[id.0 as usize].state = then;
        Ok(true)
    }

    fn end(&mut self, id: RankId, code: u64) -> Result<(), ExecuteError> {
        let core = &self.ranks[id.0 as usize].core;
        let (cycle, place) = (core.cycle, self.place_of(core.pc));
        if !self.computes(id, cycle, place, State::Ending(code))? {
            self.finish(id, code);
        }
        Ok(())
    }

    fn finish(&mut self, id: RankId, code: u64) {
        let rank = &mut self.ranks[id.0 as usize];
        rank.state = State::Over;
        rank.exit_code = code;
        self.session.finish(id);
        self.num_over += 1;
    }

    /// Responds to the call at which a rank's core stands.
    pub(crate) fn give(&mut self, id: RankId, value: u64) {
        let now = self.session.now(id);
        let rank = &mut self.ranks[id.0 as usize];
        rank.state = State::Executing;
        rank.core.finish_call(self.request.program, value, now);
    }

    /// Where a program calls: in the function that has called that of the library.
    pub(crate) fn place(&self, call: &Call) -> String {
        // The return address lies behind the instruction that calls.
        let site = call.arguments[6].wrapping_sub(4);
        let image = self.request.program.image();
        let is_known = image.symbol_at(site).is_some();
        image.place_of(if is_known { site } else { call.pc })
    }

    /// The same of an address to which the library returns.
    pub(crate) fn place_of_call(&self, site: u64) -> String {
        self.place_of(site.wrapping_sub(4))
    }

    pub(crate) fn place_of(&self, pc: u64) -> String {
        self.request.program.image().place_of(pc)
    }

    pub(crate) fn fault(&self, rank: RankId, pc: u64, reason: String) -> ExecuteError {
        ExecuteError::Fault(Box::new(Fault {
            rank,
            place: self.place_of(pc),
            cycle: self.ranks[rank.0 as usize].core.cycle,
            reason,
        }))
    }

    /// A core has executed for long: is it to go on?
    fn look_at_time(&mut self, id: RankId) -> Result<(), ExecuteError> {
        let core = &self.ranks[id.0 as usize].core;
        let (cycle, pc) = (core.cycle, core.pc);
        if cycle >= self.request.max_cycles {
            let wait = WaitEdge {
                waiter: id.to_string(),
                awaited: "nothing: it executes without a call".to_owned(),
                place: self.place_of(pc),
                since_cycle: self.session.now(id),
            };
            return Err(ExecuteError::Run(RunError::Stall(Box::new(Diagnosis {
                cycle,
                last_progress_cycle: cycle,
                summary: format!("limit of {} cycles", self.request.max_cycles),
                waits: vec![wait],
            }))));
        }
        self.tell(cycle)
    }

    fn tell(&mut self, cycle: u64) -> Result<(), ExecuteError> {
        let progress = Progress {
            cycle,
            actions_done: self.num_over,
            actions_total: self.ranks.len(),
        };
        if (self.on_progress)(progress) {
            Ok(())
        } else {
            Err(ExecuteError::Run(RunError::Interrupted { cycle }))
        }
    }

    fn result(self) -> CalledResult {
        let report = self.session.report();
        let ranks = self.ranks.into_iter().zip(report.ranks);
        let ranks = ranks.map(|(rank, report)| CalledRank {
            exit_code: rank.exit_code,
            instructions: rank.core.retired_instructions,
            console: rank.console,
            report,
        });
        CalledResult {
            cycles: report.cycles,
            ranks: ranks.collect(),
            flit_hops: report.flit_hops,
            warnings: self.warnings,
        }
    }
}
