// SPDX-License-Identifier: Apache-2.0
//! Lock-step: no message of a round begins before all those of earlier rounds have come.
//!
//! No core could do that: it is the ideal machine in which the rounds of a schedule that claims them share no link, ever.

use super::message::Message;

/// Rounds of a schedule that are kept apart.
#[derive(Debug)]
pub(super) struct Rounds {
    /// Messages of each round that have not come; empty where rounds are not kept apart.
    open: Vec<u32>,
    current: u32,
    has_ended: bool,
}

impl Rounds {
    pub(super) fn new(is_lock_step: bool, messages: &[Option<Message>]) -> Self {
        let mut rounds = Self {
            open: Vec::new(),
            current: 0,
            has_ended: false,
        };
        if !is_lock_step {
            return rounds;
        }
        for round in messages.iter().flatten().filter_map(|m| m.round) {
            let round = round as usize;
            if rounds.open.len() <= round {
                rounds.open.resize(round + 1, 0);
            }
            rounds.open[round] += 1;
        }
        rounds.has_ended = true;
        rounds
    }

    /// May a message of a round begin?
    pub(super) fn is_open(&self, round: Option<u32>) -> bool {
        round.is_none_or(|round| self.open.is_empty() || round <= self.current)
    }

    /// A message has come.
    pub(super) fn has_come(&mut self, round: Option<u32>) {
        if let Some(round) = round
            && let Some(open) = self.open.get_mut(round as usize)
        {
            *open -= 1;
            self.has_ended |= *open == 0;
        }
    }

    /// Goes on to the first round with messages that have not come, for the next cycle; true if that is another one.
    pub(super) fn advance(&mut self) -> bool {
        if !std::mem::take(&mut self.has_ended) {
            return false;
        }
        let before = self.current;
        while self.open.get(self.current as usize) == Some(&0) {
            self.current += 1;
        }
        self.current != before
    }
}
