// SPDX-License-Identifier: Apache-2.0
//! A barrier by flags: every member tells others at doubling distances that it has come this far (dissemination).

use super::dataflow::{Dataflow, FLAG_BYTES};
use crate::compose::Task;
use crate::layout::Layout;
use crate::order::by_rows;
use crate::{CollError, PointForm};

impl Task<'_> {
    /// In round r a member tells the one 2^r places on, when the flags of all rounds before have come: then it speaks for
    /// 2^r members. A flag of its own that is never written is what it sends.
    pub(super) fn by_flags(
        &self,
        flow: &mut Dataflow<'_>,
        layout: &mut Layout,
    ) -> Result<(), CollError> {
        if self.choice.point != PointForm::default() || self.choice.chunks > 1 {
            return Err(self.unsupported("a barrier has one form; accepted: point_to_point"));
        }
        let members = by_rows(&self.group.members);
        let num = members.len();
        let rounds = num.next_power_of_two().ilog2();
        let source = layout.alloc(FLAG_BYTES * u64::from(rounds + 1));
        let slots = source + FLAG_BYTES;
        for round in 0..rounds {
            let slot = slots + FLAG_BYTES * u64::from(round);
            for (position, member) in members.iter().enumerate() {
                let to = members[(position + (1 << round)) % num];
                flow.tell(*member, source, (slots, slot), to, slot);
            }
        }
        Ok(())
    }
}
