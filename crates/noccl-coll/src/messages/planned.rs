// SPDX-License-Identifier: Apache-2.0
//! The schedule of a planned exchange.
//!
//! A send waits for what its core receives before it in the plan, and where the plan lets a core stand still, so does a `compute` action:
//! else it would send while its path is busy, and the words that wait would hold up others. All of it is true of cores that begin together,
//! for which a barrier can stand before it.

use super::Work;
use super::plan::{Exchange, MOST_RANKS, Step, plan};
use super::program::{Program, Wait};
use crate::CollError;
use crate::choice::RoundSync;
use crate::entry::{Entry, OnCores, Parameters};
use noccl_net::TileRef;
use noccl_workload::{Action, ActionId, ActionKind, CollectiveKind, Compute};
use std::collections::{BTreeMap, VecDeque};

pub(crate) const ENTRY: Entry = Entry {
    parameters: Parameters {
        has_plan: true,
        ..Parameters::NONE
    },
    on_cores: Some(OnCores::new(
        |kind| kind == CollectiveKind::AllToAll,
        |work| work.planned(),
    )),
    ..Entry::named("planned")
};

impl Work<'_> {
    /// Sends in the order of the plan.
    fn planned(&self) -> Result<Vec<Action>, CollError> {
        let num = self.members.len();
        let Some(tiles) = self.network.cores().filter(|_| num <= MOST_RANKS) else {
            return Err(self.unsupported(&format!(
                "a plan of {num} ranks takes too long; accepted: at most {MOST_RANKS} ranks, or torus, which needs no plan"
            )));
        };
        let bytes = |from: usize, to: usize| self.collective.block_bytes(from, to);
        let exchange = Exchange {
            tiles,
            members: &self.members,
            bytes: &bytes,
        };
        let plan = plan(&exchange);
        let mut program = Program::new(self);
        if self.choice.messages.sync == RoundSync::Barrier {
            self.disseminate(&mut program);
        }
        // Per pair: messages that are not received in the program yet, and how many there are.
        let mut messages: BTreeMap<(usize, usize), (VecDeque<ActionId>, u64)> = BTreeMap::new();
        // Per rank: how much of its plan is in the program, and what it has received that none of its actions waits for.
        let mut done = vec![0; num];
        let all = |rank| program.waited_for(rank, Wait::All);
        let mut received: Vec<Vec<ActionId>> = (0..num).map(all).collect();
        for (from, to) in &plan.sends {
            for step in &plan.steps[*from][done[*from]..] {
                done[*from] += 1;
                let own = &mut received[*from];
                match step {
                    Step::Receive(other) => {
                        let sent = messages.get_mut(&(*other, *from));
                        own.extend(sent.and_then(|(ids, _)| ids.pop_front()));
                    }
                    Step::Wait(cycles) => {
                        let wait = Compute {
                            tile: TileRef::Cluster(self.members[*from]),
                            cycles: *cycles,
                        };
                        program.add(ActionKind::Compute(wait), std::mem::take(own));
                    }
                    Step::Send(_) => {
                        let (ids, num) = messages.entry((*from, *to)).or_default();
                        let block = self.block(*from, *to).piece(*num, plan.piece_bytes);
                        let id = program.send((*from, *to), block, Wait::Nothing);
                        program.wait(id, own.drain(..));
                        ids.push_back(id);
                        *num += 1;
                        break;
                    }
                }
            }
        }
        for rank in 0..num {
            program.keep(rank, self.block(rank, rank));
        }
        Ok(program.finish())
    }
}
