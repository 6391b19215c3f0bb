// SPDX-License-Identifier: Apache-2.0
//! What others see of the endpoint at its ports, where hardware is compared with it.

use super::{Lean, WordOffer};
use crate::endpoint::torrent::contract::Settings;

impl Lean {
    /// Does it wait for a task?
    pub const fn takes_task(&self) -> bool {
        self.lead.is_none()
    }

    pub fn takes_beat(&self, settings: &Settings) -> bool {
        self.buffer.takes_beat(settings)
    }

    pub fn word_offer(&self) -> Option<WordOffer> {
        self.port.offers()
    }

    /// The chain that is over in this cycle.
    pub fn done(&self) -> Option<u32> {
        let lead = self.lead.as_ref()?;
        self.is_done().then_some(lead.task.instance)
    }
}
