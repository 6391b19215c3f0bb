// SPDX-License-Identifier: Apache-2.0
//! Barriers by messages of no bytes: gathered and released over a tree (S4 §2), or disseminated.
//!
//! Nobody needs to count: a rank cannot begin the next barrier before it has been released from this one, and messages of a pair come in
//! order.

use super::Work;
use super::exchange::gather_and_release;
use super::program::{MessagePart, Program, Wait};
use super::tree::MessageTree;
use crate::choice::TreeForm;
use crate::entry::{Entry, OnCores};
use crate::position::position_of;
use crate::{CollError, centre};
use noccl_workload::{Action, CollectiveKind};

pub(crate) const DISSEMINATION: Entry = Entry {
    on_cores: Some(OnCores::new(
        |kind| kind == CollectiveKind::Barrier,
        |work| {
            let mut program = Program::new(work);
            work.disseminate(&mut program);
            Ok(program.finish())
        },
    )),
    ..Entry::named("dissemination")
};

impl Work<'_> {
    /// A barrier over a tree.
    pub(super) fn barrier_over_tree(&self) -> Result<Vec<Action>, CollError> {
        let mut program = Program::new(self);
        gather_and_release(&self.chosen_tree()?, &mut program);
        Ok(program.finish())
    }

    /// Tree of a barrier, in the form that is asked for.
    fn chosen_tree(&self) -> Result<MessageTree, CollError> {
        match self.choice.messages.tree {
            TreeForm::Binomial => Ok(MessageTree::binomial(self.members.len(), self.root)),
            TreeForm::Neighbour => self.barrier_tree(),
            TreeForm::Ternary => Ok(MessageTree::ternary(&self.members, self.tree_root())),
        }
    }

    /// Tree along links; also of the barriers between rounds.
    pub(super) fn barrier_tree(&self) -> Result<MessageTree, CollError> {
        MessageTree::by_neighbours(&self.members, self.tree_root()).ok_or_else(|| {
            self.unsupported(
                "some members have no neighbour that is nearer to the root; accepted: a rectangle, or tree:ternary",
            )
        })
    }

    /// The member in the middle, which is nearest to all; or the collective's root.
    fn tree_root(&self) -> usize {
        if self.choice.messages.is_at_root {
            return self.root;
        }
        let middle = self.members.binary_search(&centre(&self.members));
        middle.unwrap_or(self.root)
    }

    /// In each step everybody tells one rank and hears from one: after it, all ranks up to twice as far back are known to have begun.
    pub(super) fn disseminate(&self, program: &mut Program<'_>) {
        for (step, told) in self.tellings().into_iter().enumerate() {
            program.step = step as u32;
            program.round = Some(step as u32);
            // What is heard in this step counts in the next one.
            let wait = program
                .step
                .checked_sub(1)
                .map_or(Wait::Nothing, Wait::UpTo);
            for (rank, to) in told.into_iter().enumerate() {
                program.send((rank, to), MessagePart::NOTHING, wait);
            }
        }
    }

    /// Per step: whom each rank tells. Columns first and then rows where that takes no more steps, as partners are nearer; else by rank.
    fn tellings(&self) -> Vec<Vec<usize>> {
        let num = self.members.len();
        let steps = |size: usize| size.next_power_of_two().ilog2();
        if let Ok((columns, rows)) = self.grid()
            && steps(columns) + steps(rows) == steps(num)
        {
            let (across, along) = (ring(columns), ring(rows));
            let columns = (0..steps(columns)).map(|step| {
                let to = |rank: usize| ahead(&across, rank / rows, 1 << step) * rows + rank % rows;
                (0..num).map(to).collect()
            });
            let rows = (0..steps(rows)).map(|step| {
                let to = |rank: usize| rank - rank % rows + ahead(&along, rank % rows, 1 << step);
                (0..num).map(to).collect()
            });
            return columns.chain(rows).collect();
        }
        let by_rank = |step| {
            (0..num)
                .map(|rank| (rank + (1_usize << step)) % num)
                .collect()
        };
        (0..steps(num)).map(by_rank).collect()
    }
}

/// Places of a line as a ring whose neighbours are at most two apart: every other one there, the others back.
fn ring(length: usize) -> Vec<usize> {
    let there = (0..length).step_by(2);
    let back = (0..length).skip(1).step_by(2);
    there.chain(back.rev()).collect()
}

/// The place so many on in a ring.
fn ahead(ring: &[usize], at: usize, steps: usize) -> usize {
    let position = position_of(ring, &at);
    ring[(position + steps) % ring.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_of_a_line_has_every_place_once_and_neighbours_at_most_two_apart() {
        for length in 1..20 {
            let ring = ring(length);
            let mut sorted = ring.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..length).collect::<Vec<_>>());
            for at in 0..length {
                assert!(ahead(&ring, at, 1).abs_diff(at) <= 2);
                assert_eq!(ahead(&ring, at, length), at);
            }
        }
    }
}
