// SPDX-License-Identifier: Apache-2.0
//! Lock-step: no message of a round begins before all those of earlier rounds have come, nor before an earlier one to the same core.
//!
//! No core could know that: it is the ideal machine in which the rounds of a schedule that claims them block no link, ever. The second
//! rule is needed as a port takes one word per cycle: of two messages to one core, one would stand still on links of its own.

/// Rounds of a schedule that are kept apart.
#[derive(Debug)]
pub(super) struct Rounds {
    /// Messages of each round that have not come; empty where rounds are not kept apart.
    open: Vec<u32>,
    /// Messages with a round on their path to each core.
    coming: Vec<u32>,
    current: u32,
    has_changed: bool,
}

impl Rounds {
    /// `of_messages`: the round of each message that has one.
    pub(super) fn new(
        is_lock_step: bool,
        of_messages: impl Iterator<Item = u32>,
        tiles: usize,
    ) -> Self {
        let mut rounds = Self {
            open: Vec::new(),
            coming: vec![0; tiles],
            current: 0,
            has_changed: false,
        };
        if !is_lock_step {
            return rounds;
        }
        for round in of_messages {
            let round = round as usize;
            if rounds.open.len() <= round {
                rounds.open.resize(round + 1, 0);
            }
            rounds.open[round] += 1;
        }
        rounds.has_changed = true;
        rounds
    }

    /// May a message begin? If so, it does.
    pub(super) fn begin(&mut self, round: Option<u32>, target: u32) -> bool {
        let Some(round) = round.filter(|_| !self.open.is_empty()) else {
            return true;
        };
        let coming = &mut self.coming[target as usize];
        let may_begin = round <= self.current && *coming == 0;
        *coming += u32::from(may_begin);
        may_begin
    }

    /// A message has come.
    pub(super) fn has_come(&mut self, round: Option<u32>, target: u32) {
        if let Some(round) = round
            && let Some(open) = self.open.get_mut(round as usize)
        {
            *open -= 1;
            self.coming[target as usize] -= 1;
            self.has_changed = true;
        }
    }

    /// Goes on to the first round with messages that have not come, for the next cycle; true if a message may begin that might not
    /// before.
    pub(super) fn advance(&mut self) -> bool {
        if !std::mem::take(&mut self.has_changed) {
            return false;
        }
        while self.open.get(self.current as usize) == Some(&0) {
            self.current += 1;
        }
        true
    }
}
