// SPDX-License-Identifier: Apache-2.0
//! Actions that programs submit while cores act (`noccl_run::OpenRun`).
//!
//! A core whose share has ended asks before it chooses what comes next, so a submitted action begins in the cycle in which it would begin if it
//! had been known: the program's response takes no time.

use super::accept::refuse;
use super::{Cores, Planes};
use noccl_net::TileId;
use noccl_run::{Busy, Ended, Order, RunError, TimeSlices};
use noccl_workload::{Action, ActionId};

impl Cores<'_> {
    /// Do cores do such an action?
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub(crate) fn accepts(&self, action: &Action) -> Result<(), RunError> {
        refuse(self.network, action, self.messages.next_number())
    }

    /// Submits an action; the shares of held tiles stand in no list until they are released.
    ///
    /// # Errors
    /// [`RunError::Refused`]; then nothing has changed.
    pub(crate) fn submit(
        &mut self,
        action: Action,
        is_held: &dyn Fn(TileId) -> bool,
        order: Order,
    ) -> Result<ActionId, RunError> {
        self.take_in(&action, is_held, order)?;
        let number = self.actions.push(action);
        for share in self.program.instances.of(number) {
            self.wake_now(self.program.instances.all[share].tile.0);
        }
        Ok(ActionId(number))
    }

    /// A held share may begin as soon as it waits for nothing else.
    pub(crate) fn release(&mut self, action: ActionId, tile: TileId, order: Order) {
        let Some(share) = self.program.instances.at(action.0, tile) else {
            return;
        };
        let is_ready = self.program.instances.release(share);
        let message = self.messages.get(action.0);
        match message.filter(|message| message.receiving == share) {
            Some(message) if is_ready && !message.listed.is_empty() => {
                self.cores[tile.idx()].copies.push_back(action.0);
            }
            Some(_) => {}
            None => self.cores[tile.idx()].stand(share, order),
        }
        self.wake_now(tile.0);
    }

    /// A sleeping core acts in this cycle still.
    fn wake_now(&mut self, tile: u32) {
        if self.wake(tile as usize) {
            self.asking.push(tile);
        }
    }

    /// Does any core act once more in this cycle?
    pub(crate) fn asks(&self) -> bool {
        !self.asking.is_empty()
    }

    /// The cores go on whose programs have had their say.
    pub(crate) fn act_again(&mut self, now: u64, planes: &mut Planes) -> bool {
        let mut has_acted = false;
        let mut asking = std::mem::take(&mut self.asking);
        asking.sort_unstable();
        asking.dedup();
        for tile in asking {
            has_acted |= self.act_at(tile as usize, now, planes);
        }
        has_acted
    }

    /// Shares that have ended since the last call.
    pub(crate) fn take_ended(&mut self, to: &mut Vec<Ended>) {
        self.program.take_ended(to);
    }

    pub(crate) fn busy(&self, tile: TileId) -> Busy {
        self.cores[tile.idx()].busy
    }

    /// From now on each core keeps when it sends and receives.
    pub(crate) fn record_times(&mut self) {
        for core in &mut self.cores {
            core.times = Some(Box::default());
        }
    }

    pub(crate) fn times_of(&self, tile: TileId) -> TimeSlices {
        let times = self.cores[tile.idx()].times.as_deref();
        // 0: times of nothing where they are not recorded.
        times.cloned().unwrap_or_default()
    }
}
