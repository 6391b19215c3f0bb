// SPDX-License-Identifier: Apache-2.0
//! Replay of a message trace: each rank states its records in a session, one after the other, when the one before is over.
//!
//! Payloads are zeros. A receive names the sender and the tag of the message that it got when it was recorded, so the course of the program
//! stays as it was recorded. A collective is the session's where the network does it, else it is composed of messages.

use super::collective_calls::TraceTerms;
use super::messages::{Member, Player};
use super::record::MessageTrace;
use crate::agreement::Agreements;
use crate::error::ProgramError;
use crate::ids::{CommId, RankId};
use crate::rank::CallSite;
use crate::response::Response;
use crate::session::Session;
use noccl_run::RunError;
use noccl_workload::{CollectiveKind, ElementType, Operator};
use std::collections::HashMap;

/// What a rank has received; the rest is in the session's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replayed {
    /// Messages that it has received; steps of the session's collectives are not counted.
    pub received_messages: u64,
    /// Their bytes.
    pub received_bytes: u64,
}

/// What decides whether the session does a collective.
pub(super) type Wish = (
    CommId,
    CollectiveKind,
    u64,
    u32,
    Option<(Operator, ElementType)>,
);

/// A replay that has begun.
pub(super) struct Replay<'a, 'n> {
    pub(super) session: &'a mut Session<'n>,
    pub(super) trace: &'a MessageTrace,
    pub(super) file: &'a str,
    pub(super) cycles_per_unit: f64,
    pub(super) players: Vec<Player>,
    pub(super) agreements: Agreements<TraceTerms>,
    pub(super) supported: HashMap<Wish, bool>,
    pub(super) open_bytes: u64,
    pub(super) done: u64,
}

/// Does a rank state more before time passes?
#[derive(PartialEq, Eq)]
pub(super) enum Then {
    GoesOn,
    Waits,
}

/// Replays a trace in a session of as many ranks, in which nothing has been called. `file` names the trace in places of calls;
/// `cycles_per_unit` is what a unit of its computations takes. `may_go_on` is told how many records are begun, and ends the replay by false.
///
/// # Errors
/// Those of the session, with lines of the trace as places; [`ProgramError::Argument`] for a session of another size.
pub fn replay(
    session: &mut Session<'_>,
    trace: &MessageTrace,
    file: &str,
    cycles_per_unit: f64,
    may_go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Vec<Replayed>, ProgramError> {
    let ranks = trace.ranks.len() as u32;
    if session.ranks.len() != trace.ranks.len() || cycles_per_unit.is_nan() || cycles_per_unit < 0.0
    {
        return Err(ProgramError::Argument {
            rank: RankId(0),
            call_site: file.to_owned(),
            what: format!("{} ranks, {cycles_per_unit} cycles", session.ranks.len()),
            accepted: format!("{ranks} ranks as in the trace, and a time that is not negative"),
        });
    }
    let world = session.world();
    let player = |rank| Player::new(rank, ranks, world, session.alone(RankId(rank)));
    let players = (0..ranks).map(player).collect();
    let mut replay = Replay {
        session,
        trace,
        file,
        cycles_per_unit,
        players,
        agreements: Agreements::default(),
        supported: HashMap::new(),
        open_bytes: 0,
        done: 0,
    };
    for rank in 0..ranks {
        replay.go_on(RankId(rank))?;
    }
    loop {
        if !may_go_on(replay.done) {
            let cycle = replay.session.run.cycle();
            return Err(RunError::Interrupted { cycle }.into());
        }
        let responses = replay.session.advance()?;
        if responses.is_empty() {
            break;
        }
        for (rank, response) in responses {
            replay.take(rank, response)?;
            replay.go_on(rank)?;
        }
    }
    let replayed = replay.players.iter().map(|player| Replayed {
        received_messages: player.received_messages,
        received_bytes: player.received_bytes,
    });
    Ok(replayed.collect())
}

impl Replay<'_, '_> {
    /// States what a rank calls until it waits, or has ended.
    fn go_on(&mut self, rank: RankId) -> Result<(), ProgramError> {
        loop {
            let then = if self.players[rank.idx()].steps.is_empty() {
                let records = &self.trace.ranks[rank.idx()];
                let player = &mut self.players[rank.idx()];
                let Some(record) = records.get(player.next) else {
                    self.session.finish(rank);
                    return Ok(());
                };
                player.next += 1;
                self.done += 1;
                self.event(rank, &record.event)?
            } else {
                self.step(rank)?
            };
            if then == Then::Waits {
                return Ok(());
            }
        }
    }

    /// The line of the record that a rank is at.
    pub(super) fn call_site(&self, rank: RankId) -> CallSite {
        let before = self.players[rank.idx()].next.saturating_sub(1);
        match self.trace.ranks[rank.idx()].get(before) {
            Some(record) => format!("{}:{}", self.file, record.line),
            None => self.file.to_owned(),
        }
    }

    pub(super) fn argument(&self, rank: RankId, what: String, accepted: String) -> ProgramError {
        ProgramError::Argument {
            rank,
            call_site: self.call_site(rank),
            what,
            accepted,
        }
    }

    /// A rank's call is over.
    fn take(&mut self, rank: RankId, response: Response) -> Result<(), ProgramError> {
        match response {
            Response::Done
            | Response::Output(_)
            | Response::Probed { .. }
            | Response::Task { .. } => Ok(()),
            Response::Requests(over) => {
                let waiting = std::mem::take(&mut self.players[rank.idx()].waiting);
                for open in &waiting {
                    self.open_bytes -= open.kept_bytes;
                }
                for received in over {
                    let Some(data) = received.data else {
                        continue;
                    };
                    let bytes = data.len() as u64;
                    let player = &mut self.players[rank.idx()];
                    player.received_messages += 1;
                    player.received_bytes += bytes;
                    let expected = waiting.get(received.index).and_then(|o| o.expected_bytes);
                    if let Some(expected) = expected.filter(|expected| *expected != bytes) {
                        let what = format!(
                            "the message from rank {} has {bytes} bytes",
                            received.source
                        );
                        return Err(self.argument(rank, what, format!("{expected}, as recorded")));
                    }
                }
                Ok(())
            }
            Response::Communicator(found) => self.take_communicator(rank, found),
        }
    }

    fn take_communicator(
        &mut self,
        rank: RankId,
        found: Option<(CommId, u32, u32)>,
    ) -> Result<(), ProgramError> {
        let player = &mut self.players[rank.idx()];
        let expected = player.splitting.take().and_then(|split| split.made);
        let (Some((number, group_rank)), Some((comm, own, size))) = (expected, found) else {
            return Ok(());
        };
        if (own, size) != (group_rank.rank, group_rank.size) {
            let what = format!("a communicator of {} ranks", group_rank.size);
            let accepted = format!("{size}, as the other members state");
            return Err(self.argument(rank, what, accepted));
        }
        player.comms.insert(number, Member { comm, group_rank });
        Ok(())
    }
}
