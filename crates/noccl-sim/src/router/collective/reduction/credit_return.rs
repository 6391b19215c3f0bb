// SPDX-License-Identifier: Apache-2.0
//! Room that a merge point owes to senders elsewhere: who gets it next.
//!
//! Slots take turns: one is paid until it owes nothing, then the next one in turn that owes. The lowest slot first would
//! leave a high one unpaid for as long as low ones keep owing under a slow response plane. One that begins to owe comes
//! next only if nobody else owes: the hardware chooses a cycle ahead (`turn_q` in `noccl_reduction_credits`).

use super::flow::Flow;
use super::unit::Unit;

impl Unit {
    /// The flow whose senders are paid.
    pub(crate) fn payee(&self) -> Option<&Flow> {
        let is_payee = |flow: &&Flow| flow.slot == self.turn && flow.first_owed().is_some();
        self.flows.iter().find(is_payee)
    }

    /// Senders of a transaction's operands are owed room from now on. Returns how many.
    pub(crate) fn owe(&mut self, txn: u32, inputs: u8) -> u32 {
        let owes_nothing = self.payee().is_none();
        let Some(flow) = self.find(txn).and_then(|at| self.flows.get_mut(at)) else {
            return 0;
        };
        flow.owe(inputs);
        if owes_nothing {
            self.turn = flow.slot;
        }
        inputs.count_ones()
    }

    /// The payee's first input gets its room.
    pub(crate) fn pay(&mut self) {
        let turn = self.turn;
        let Some(flow) = self.at_slot(turn).and_then(|at| self.flows.get_mut(at)) else {
            return;
        };
        flow.pay();
        if flow.first_owed().is_some() {
            return;
        }
        let owing = self.flows.iter().filter(|f| f.first_owed().is_some());
        let next = owing.map(|f| f.slot).min_by_key(|s| (*s <= turn, *s));
        self.turn = next.unwrap_or(turn);
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

    fn payee(unit: &Unit) -> u8 {
        unit.payee().expect("somebody owes").slot
    }

    #[test]
    fn a_slot_that_owes_waits_for_one_turn_of_every_other() {
        for waiting in 0..SLOTS {
            let mut unit = full_unit();
            let others: Vec<_> = (0..SLOTS).filter(|s| *s != waiting).collect();
            others.iter().for_each(|s| {
                unit.owe(u32::from(*s), INPUTS);
            });
            unit.owe(u32::from(waiting), 1);
            let mut grants = 0;
            while payee(&unit) != waiting {
                assert!(grants < others.len() * 4, "slot {waiting} waits");
                unit.pay();
                grants += 1;
                // Whoever owes nothing owes again at once.
                for slot in &others {
                    let flow = unit.flows.get_mut(usize::from(*slot));
                    if flow.is_some_and(|f| f.first_owed().is_none()) {
                        unit.owe(u32::from(*slot), INPUTS);
                    }
                }
            }
        }
    }

    #[test]
    fn the_one_who_is_paid_stays_until_nothing_is_owed() {
        let mut unit = full_unit();
        unit.owe(2, 0b101);
        unit.owe(0, INPUTS);
        unit.owe(3, 1);
        let paid = std::iter::from_fn(|| {
            let slot = unit.payee()?.slot;
            unit.pay();
            Some(slot)
        });
        assert_eq!(paid.collect::<Vec<_>>(), [2, 2, 3, 0, 0, 0, 0]);
    }
}
