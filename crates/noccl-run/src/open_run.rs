// SPDX-License-Identifier: Apache-2.0
//! A run whose actions are stated while it goes on: programs on ranks take the place of a schedule.
//!
//! Whoever drives it states actions, and simulates until shares of them have ended. The run then stands within a cycle: what is stated
//! before the next call begins in that cycle, exactly as if it had been known before. So a program that states the actions of a
//! schedule, each when the tile's earlier ones have ended, takes the cycles of the schedule.

use crate::{RunError, Status, TimeSlices};
use noccl_net::TileId;
use noccl_workload::{Action, ActionId, Place};

/// A participant's part of an action has ended, or what it is held for has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// The action.
    pub action: ActionId,
    /// The participant.
    pub tile: TileId,
    /// Cycle in which it ends; a word that is being read may end later than the cycle of the call.
    pub cycle: u64,
    /// Else the first words of a held message have come to its receiver, on core tiles.
    pub is_over: bool,
    /// Is it the last participant of the action? The run has forgotten the action then.
    pub is_last: bool,
}

/// Where the shares of a stated action stand among those of their agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Behind all that was stated or released before.
    InOrder,
    /// Beside: they begin when the agent has nothing else that it could do, or waits in a barrier, the first one that waits for nothing. So a
    /// message goes on whose sender waits for something else, and a collective beside what its ranks do.
    Beside,
}

/// Cycles in which a tile's core wrote and read what crosses the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Busy {
    /// Instructions and words of what it sends, a full port included.
    pub send_cycles: u64,
    /// Instructions and words of what it receives.
    pub receive_cycles: u64,
}

/// A run that takes actions while it goes on.
pub trait OpenRun {
    /// How it runs, what it is doing and what it has counted.
    fn status(&self) -> &dyn Status;

    /// Cycle in which the run stands.
    fn cycle(&self) -> u64;

    /// Does the network do such an action?
    ///
    /// # Errors
    /// [`RunError::Refused`] with what would be accepted.
    fn accepts(&self, action: &Action) -> Result<(), RunError>;

    /// States an action; shares of the tiles that are held wait for their release. `after` names earlier numbers.
    ///
    /// # Errors
    /// [`RunError::Refused`] if the network does not do it; the run is as before.
    fn state(
        &mut self,
        action: Action,
        is_held: &dyn Fn(TileId) -> bool,
        order: Order,
    ) -> Result<ActionId, RunError>;

    /// A held share waits no longer, and stands among those of its agent like a stated one; nothing if the tile takes no part.
    fn release(&mut self, action: ActionId, tile: TileId, order: Order);

    /// Simulates until shares have ended or messages have come, which are appended to `ended`. Nothing is appended if all that was stated is over.
    ///
    /// # Errors
    /// [`RunError::Stall`] with a diagnosis.
    fn advance(&mut self, ended: &mut Vec<Ended>) -> Result<(), RunError>;

    /// Writes into a tile's memory, which takes no time.
    fn write(&mut self, place: Place, bytes: &[u8]);

    /// Reads from a tile's memory, which takes no time.
    fn read(&self, place: Place, bytes: u64) -> Vec<u8>;

    /// What a tile's core has been busy with.
    fn busy(&self, tile: TileId) -> Busy;

    /// From now on it is kept when cores are busy with what.
    fn record_times(&mut self);

    /// When a tile's core sent and received; nothing if it is not kept.
    fn times(&self, tile: TileId) -> TimeSlices;
}
