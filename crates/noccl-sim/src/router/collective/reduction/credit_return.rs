// SPDX-License-Identifier: Apache-2.0
//! Credits that a merge point returns to senders elsewhere: who gets them next.
//!
//! Slots are granted in round-robin order: one returns its credits until none are pending, then the next one that has
//! any. With the lowest slot first a high one would wait for as long as low ones have pending credits under a slow
//! response plane. A slot with new credits comes next only if no other has any: the hardware chooses a cycle ahead
//! (`grant_q` in `noccl_reduction_credits`).

use super::flow::Flow;
use super::unit::Unit;

impl Unit {
    /// The flow whose credits are returned.
    pub(crate) fn credited(&self) -> Option<&Flow> {
        let is_credited =
            |flow: &&Flow| flow.slot == self.credit_slot && flow.first_pending().is_some();
        self.flows.iter().find(is_credited)
    }

    /// Credits for the senders of a transaction's operands are pending from now on. Returns how many.
    pub(crate) fn add_pending(&mut self, txn: u32, inputs: u8) -> u32 {
        let was_idle = self.credited().is_none();
        let Some(flow) = self.find(txn).and_then(|at| self.flows.get_mut(at)) else {
            return 0;
        };
        flow.add_pending(inputs);
        if was_idle {
            self.credit_slot = flow.slot;
        }
        inputs.count_ones()
    }

    /// The first pending input of that flow gets its credits.
    pub(crate) fn return_credit(&mut self) {
        let last = self.credit_slot;
        let Some(flow) = self.at_slot(last).and_then(|at| self.flows.get_mut(at)) else {
            return;
        };
        flow.return_credit();
        if flow.first_pending().is_some() {
            return;
        }
        let pending = self.flows.iter().filter(|f| f.first_pending().is_some());
        let next = pending.map(|f| f.slot).min_by_key(|s| (*s <= last, *s));
        self.credit_slot = next.unwrap_or(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: u8 = 4;
    /// North, East, South, West.
    const INPUTS: u8 = 0b1111;

    /// A unit with a flow per slot, of the transaction of that number.
    fn full_unit() -> Unit {
        let mut unit = Unit::default();
        for slot in 0..SLOTS {
            let mut flow = Flow::default();
            (flow.txn, flow.slot) = (u32::from(slot), slot);
            unit.flows.push_back(flow);
        }
        unit
    }

    fn credited(unit: &Unit) -> u8 {
        unit.credited().expect("credits are pending").slot
    }

    #[test]
    fn a_slot_with_pending_credits_waits_for_one_grant_of_every_other() {
        for waiting in 0..SLOTS {
            let mut unit = full_unit();
            let others: Vec<_> = (0..SLOTS).filter(|s| *s != waiting).collect();
            others.iter().for_each(|s| {
                unit.add_pending(u32::from(*s), INPUTS);
            });
            unit.add_pending(u32::from(waiting), 1);
            let mut grants = 0;
            while credited(&unit) != waiting {
                assert!(grants < others.len() * 4, "slot {waiting} waits");
                unit.return_credit();
                grants += 1;
                // Slots without pending credits get new ones at once.
                for slot in &others {
                    let flow = unit.flows.get_mut(usize::from(*slot));
                    if flow.is_some_and(|f| f.first_pending().is_none()) {
                        unit.add_pending(u32::from(*slot), INPUTS);
                    }
                }
            }
        }
    }

    #[test]
    fn a_slot_stays_until_all_its_credits_are_returned() {
        let mut unit = full_unit();
        unit.add_pending(2, 0b101);
        unit.add_pending(0, INPUTS);
        unit.add_pending(3, 1);
        let returned = std::iter::from_fn(|| {
            let slot = unit.credited()?.slot;
            unit.return_credit();
            Some(slot)
        });
        assert_eq!(returned.collect::<Vec<_>>(), [2, 2, 3, 0, 0, 0, 0]);
    }
}
