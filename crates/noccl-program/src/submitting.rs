// SPDX-License-Identifier: Apache-2.0
//! Submitting the schedule of a collective: the parts of ranks that have not called yet are held.

use crate::collective::Submitted;
use crate::error::ProgramError;
use crate::ids::RankId;
use crate::session::{Role, Session};
use crate::template::Template;
use crate::terms::Terms;
use noccl_coll::CollError;
use noccl_net::counts::len_of;
use noccl_workload::{Action, ActionId};
use std::rc::Rc;

impl Session<'_> {
    /// Submits the schedules of collectives whose lengths are known, as far as there is memory for them, in the order of their calls. Those
    /// that wait for others of their communicator leave the queue meanwhile: they must not delay other communicators.
    pub(crate) fn submit_collectives(&mut self) -> Result<(), ProgramError> {
        while let Some(number) = self.deferred_collectives.pop() {
            self.waiting_collectives.push_front(number);
        }
        while let Some(number) = self.waiting_collectives.front().copied() {
            if self.waits_for_its_communicator(number)? {
                self.deferred_collectives.push(number);
            } else if !self.submit_collective(number)? {
                return Ok(());
            }
            self.waiting_collectives.pop_front();
        }
        Ok(())
    }

    /// False if there is no memory for it now.
    fn submit_collective(&mut self, number: u32) -> Result<bool, ProgramError> {
        let comm = self.collectives[number].terms.comm;
        let size = self.comms[comm.0 as usize].size();
        if size == 1 {
            self.end_alone(number);
            return Ok(true);
        }
        self.avoid_overflow(number)?;
        let terms = self.collectives[number].terms;
        let at_zero = self.template(terms, 0)?;
        let needed = at_zero.end;
        let Some(memory) = self.shared.take(needed) else {
            if self.shared.capacity() < needed {
                return Err(ProgramError::Collective {
                    call: terms.name(),
                    source: CollError::Impossible(format!(
                        "it needs {needed} bytes of every rank's memory; accepted: up to {}",
                        self.shared.capacity()
                    )),
                });
            }
            return Ok(false);
        };
        let template = self.template(terms, memory)?;
        let base = ActionId(self.roles.next_number());
        let held = self.not_entered(number);
        for action in &template.actions {
            let shifted = action
                .after
                .iter()
                .map(|before| ActionId(before.0 + base.0));
            let action = Action {
                kind: action.kind.clone(),
                after: shifted.collect(),
            };
            self.run.submit(
                action,
                &|tile| held.get(tile.idx()) == Some(&true),
                terms.order(),
            )?;
            self.roles.push(Role::Step(number));
        }
        let comm = &self.comms[terms.comm.0 as usize];
        let shares = |rank: &RankId| {
            let of_tile = template.of_tile.get(&self.ranks[rank.idx()].tile);
            len_of(of_tile) as u32
        };
        let open = comm.ranks.iter().map(shares).collect();
        let instance = &mut self.collectives[number];
        instance.open = open;
        instance.submitted = Some(Submitted {
            template,
            base,
            memory,
        });
        self.note_reductions(number);
        self.note_use(number);
        for position in 0..size {
            if self.collectives[number].has_entered[position as usize] {
                self.fill(number, position);
            }
        }
        Ok(true)
    }

    pub(crate) fn template(
        &mut self,
        terms: Terms,
        first_byte: u64,
    ) -> Result<Rc<Template>, ProgramError> {
        if let Some(known) = self.templates.get(&(terms, first_byte)) {
            return Ok(Rc::clone(known));
        }
        let made = Rc::new(self.make_template(terms, first_byte)?);
        for action in &made.actions {
            self.run.accepts(action)?;
        }
        self.templates.insert((terms, first_byte), Rc::clone(&made));
        Ok(made)
    }

    /// By tile: is its rank one of the communicator whose part may not begin yet?
    fn not_entered(&self, number: u32) -> Vec<bool> {
        let instance = &self.collectives[number];
        let comm = &self.comms[instance.terms.comm.0 as usize];
        let mut held = vec![false; self.network.num_tiles()];
        for (rank, has_entered) in comm.ranks.iter().zip(&instance.has_entered) {
            held[self.ranks[rank.idx()].tile.idx()] = !has_entered;
        }
        held
    }

    /// A collective of one rank: what it gives is what it gets.
    fn end_alone(&mut self, number: u32) {
        let rank = self.comms[self.collectives[number].terms.comm.0 as usize].ranks[0];
        self.part_over(number, 0, rank);
    }
}
