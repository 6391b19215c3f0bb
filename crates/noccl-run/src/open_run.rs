// SPDX-License-Identifier: Apache-2.0
//! A run that accepts actions during the simulation: programs of ranks take the place of a schedule.
//!
//! The driver submits actions and advances the run until tiles' parts of actions (instances) have ended. Simulated time then remains within a
//! cycle: an action that is submitted before the next call begins in that cycle, exactly as if it had been known before. So a program
//! that submits the actions of a schedule, each when the tile's earlier ones have ended, takes the cycles of the schedule. A run forgets
//! an action when all of its participants have seen its end, so a program of any length runs in constant memory.

use crate::{RecordRequest, Recording, RunError, Status, TimeSlices};
use noccl_net::TileId;
use noccl_workload::{Action, ActionId, Place};

/// A participant's part of an action has ended, or the data that it is held for have arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// The action.
    pub action: ActionId,
    /// The participant.
    pub tile: TileId,
    /// Cycle of the end; may be later than the cycle of the call while a word is being read.
    pub cycle: u64,
    /// False: the first words of a held message have arrived at its receiver, on core tiles.
    pub is_over: bool,
    /// Is it the last participant of the action? The run has forgotten the action then.
    pub is_last: bool,
}

/// The order of a submitted action's instances among those of their agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// After everything that was submitted or released before.
    InOrder,
    /// When the agent has nothing else that it could do, or waits in a barrier: the first instance that waits for nothing. So a message
    /// progresses whose sender waits for something else, and a collective concurrently with its ranks' other calls.
    Concurrent,
}

/// Cycles that a tile's core spent on traffic of the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Busy {
    /// Instructions and words of what it sends, waiting at a full port included.
    pub send_cycles: u64,
    /// Instructions and words of what it receives.
    pub receive_cycles: u64,
}

/// A run that accepts actions during the simulation.
pub trait OpenRun {
    /// Configuration, activity and counters.
    fn status(&self) -> &dyn Status;

    /// Current cycle.
    fn cycle(&self) -> u64;

    /// Does the network carry out such an action?
    ///
    /// # Errors
    /// [`RunError::Refused`] with what would be accepted.
    fn accepts(&self, action: &Action) -> Result<(), RunError>;

    /// Submits an action; instances of held tiles wait for their release. `after` names earlier numbers.
    ///
    /// # Errors
    /// [`RunError::Refused`] if the network does not carry it out; the run is unchanged.
    fn submit(
        &mut self,
        action: Action,
        is_held: &dyn Fn(TileId) -> bool,
        order: Order,
    ) -> Result<ActionId, RunError>;

    /// Releases a held instance, which is ordered among those of its agent like a submitted one; no effect if the tile takes no part.
    fn release(&mut self, action: ActionId, tile: TileId, order: Order);

    /// Simulates until instances have ended or messages have arrived, which are appended to `ended`. Nothing is appended if everything that was
    /// submitted is over.
    ///
    /// # Errors
    /// [`RunError::Stall`] with a diagnosis.
    fn advance(&mut self, ended: &mut Vec<Ended>) -> Result<(), RunError>;

    /// Writes into a tile's memory, which takes no time.
    fn write(&mut self, place: Place, bytes: &[u8]);

    /// Reads from a tile's memory, which takes no time.
    fn read(&self, place: Place, bytes: u64) -> Vec<u8>;

    /// What a tile's core has spent its cycles on.
    fn busy(&self, tile: TileId) -> Busy;

    /// From now on keeps when cores are busy with what.
    fn record_times(&mut self);

    /// When a tile's core sent and received; empty if it is not kept.
    fn times(&self, tile: TileId) -> TimeSlices;

    /// From now on records links, and where the engine knows them blocked ports and transactions.
    fn record(&mut self, asked: RecordRequest);

    /// What has been recorded since then, once; the run records no more.
    fn take_recording(&mut self) -> Option<Recording>;
}
