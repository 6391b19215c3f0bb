// SPDX-License-Identifier: Apache-2.0
//! Calls that a rank waits for: requests, messages to arrive, computation.

use crate::error::ProgramError;
use crate::ids::{CommId, RankId, RequestId};
use crate::rank::{Call, CallKind, CallSite};
use crate::response::Response;
use crate::session::{Role, Session};
use noccl_net::{TileRef, TypedNetwork};
use noccl_run::Order;
use noccl_workload::{Action, ActionKind, Compute};

impl Session<'_> {
    /// Is a request over, or closed? No time passes.
    #[must_use]
    pub fn is_over(&self, request: RequestId) -> bool {
        self.requests.get(request).is_none_or(|found| found.is_over)
    }

    /// What a probe would find now: who has sent, tag and bytes. No time passes.
    ///
    /// # Errors
    /// [`ProgramError::Argument`].
    pub fn iprobe(
        &self,
        rank: RankId,
        comm: CommId,
        source: Option<u32>,
        tag: Option<i64>,
        call_site: &CallSite,
    ) -> Result<Option<Response>, ProgramError> {
        let wanted = self.wanted(rank, comm, source, tag, call_site)?;
        let found = self.ranks[rank.idx()].inbox.probe(wanted);
        Ok(found.and_then(|message| self.probed(message)))
    }

    /// A rank waits for a message to arrive.
    ///
    /// # Errors
    /// [`ProgramError::Argument`].
    pub fn probe(
        &mut self,
        rank: RankId,
        comm: CommId,
        source: Option<u32>,
        tag: Option<i64>,
        call_site: CallSite,
    ) -> Result<(), ProgramError> {
        let wanted = self.wanted(rank, comm, source, tag, &call_site)?;
        self.begin_call(rank, CallKind::Probe(wanted), call_site);
        Ok(())
    }

    /// A rank waits for its requests, all of them or one.
    ///
    /// # Errors
    /// [`ProgramError::Argument`] for a request that is over or of another rank.
    pub fn wait(
        &mut self,
        rank: RankId,
        requests: Vec<RequestId>,
        all: bool,
        call_site: CallSite,
    ) -> Result<(), ProgramError> {
        self.check_requests(rank, &requests, &call_site)?;
        self.begin_call(rank, CallKind::Wait { requests, all }, call_site);
        Ok(())
    }

    pub(crate) fn check_requests(
        &self,
        rank: RankId,
        requests: &[RequestId],
        call_site: &CallSite,
    ) -> Result<(), ProgramError> {
        for request in requests {
            let found = self.requests.get(*request);
            if found.is_none_or(|found| found.rank != rank) {
                return Err(ProgramError::Argument {
                    rank,
                    call_site: call_site.clone(),
                    what: format!("request {}", request.0),
                    accepted: "requests of this rank that have not been waited for".to_owned(),
                });
            }
        }
        Ok(())
    }

    /// A rank computes.
    ///
    /// # Errors
    /// [`ProgramError::Run`].
    pub fn compute(
        &mut self,
        rank: RankId,
        cycles: u64,
        call_site: CallSite,
    ) -> Result<(), ProgramError> {
        self.ranks[rank.idx()].compute_cycles += cycles;
        self.be_busy(rank, cycles, true, call_site)
    }

    /// A rank lets time pass; `None`: as long as a look at a queue or a flag takes.
    ///
    /// # Errors
    /// [`ProgramError::Run`].
    pub fn poll(
        &mut self,
        rank: RankId,
        cycles: Option<u64>,
        call_site: CallSite,
    ) -> Result<(), ProgramError> {
        let usual = match self.network.by_tiles() {
            TypedNetwork::Cores(tiles) => tiles.core.word_cycles,
            TypedNetwork::Axi(network) => network.axi().cluster.instructions.poll,
        };
        let cycles = cycles.unwrap_or(u64::from(usual)).max(1);
        self.be_busy(rank, cycles, false, call_site)
    }

    fn be_busy(
        &mut self,
        rank: RankId,
        cycles: u64,
        is_computation: bool,
        call_site: CallSite,
    ) -> Result<(), ProgramError> {
        let tile = TileRef::Cluster(self.coord(rank));
        let kind = ActionKind::Compute(Compute { tile, cycles });
        let after = Vec::new();
        // A look at a queue comes behind what has come to be received.
        let order = if is_computation {
            Order::InOrder
        } else {
            Order::Concurrent
        };
        self.run.submit(Action { kind, after }, &|_| false, order)?;
        self.roles.push(Role::Busy(rank));
        self.note_compute(rank, cycles);
        let is_over = false;
        let kind = CallKind::Busy {
            is_computation,
            is_over,
            cycles,
        };
        self.begin_call(rank, kind, call_site);
        Ok(())
    }

    pub(crate) fn begin_call(&mut self, rank: RankId, kind: CallKind, call_site: CallSite) {
        let since_cycle = self.ranks[rank.idx()].cycle;
        let awaits = match self.keeps_awaits {
            true => self.awaits(&kind),
            false => String::new(),
        };
        self.ranks[rank.idx()].call = Some(Call {
            kind,
            call_site,
            since_cycle,
            awaits,
        });
        self.to_respond.insert(rank);
    }
}
