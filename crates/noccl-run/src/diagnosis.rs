// SPDX-License-Identifier: Apache-2.0
//! Why a run could not finish: who waits for whom, on which link, since when.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One participant of a wait: `waiter` cannot go on before `awaited` does something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitEdge {
    /// Who waits (transaction and place).
    pub waiter: String,
    /// For whom.
    pub awaited: String,
    /// Where: link, table or queue.
    pub place: String,
    /// Since which cycle.
    pub since_cycle: u64,
}

/// Diagnosis of a run that cannot finish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosis {
    /// Cycle at which the run was given up.
    pub cycle: u64,
    /// Last cycle in which anything moved.
    pub last_progress_cycle: u64,
    /// One sentence: deadlock in the network, a member that never contributes, a limit reached.
    pub summary: String,
    /// A cycle of waits if there is one, else the chain to the one that waits for nobody.
    pub waits: Vec<WaitEdge>,
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} (given up in cycle {}, last movement in cycle {})",
            self.summary, self.cycle, self.last_progress_cycle
        )?;
        for w in &self.waits {
            writeln!(
                f,
                "  {} waits for {} at {} since cycle {}",
                w.waiter, w.awaited, w.place, w.since_cycle
            )?;
        }
        Ok(())
    }
}
