// SPDX-License-Identifier: Apache-2.0
//! A barrier by flags: every member tells others at doubling distances that it has come this far (dissemination).

use super::dataflow::{Dataflow, FLAG_BYTES};
use super::dimensions::{Dimension, dimensions};
use crate::compose::Task;
use crate::layout::Layout;
use crate::order::by_rows;
use crate::{CollError, LineForm, PointForm};

impl Task<'_> {
    /// In round r a member tells the one 2^r places on, when the flags of all rounds before have come: then it speaks for
    /// 2^r members. A flag of its own that is never written is what it sends.
    pub(super) fn by_flags(
        &self,
        flow: &mut Dataflow<'_>,
        layout: &mut Layout,
    ) -> Result<(), CollError> {
        if self.choice.chunks > 1 {
            return Err(self.no_such_barrier());
        }
        match self.choice.point {
            PointForm::Combine(_) => {
                self.by_many_flags(flow, layout);
                return Ok(());
            }
            PointForm::Lines(LineForm::Ring, LineForm::Ring) => {}
            PointForm::Ring
            | PointForm::Lines(..)
            | PointForm::Radix(_)
            | PointForm::Trees(_)
            | PointForm::Rotated(_) => return Err(self.no_such_barrier()),
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

    /// Everybody of a line tells everybody of it, when the flags of all dimensions before have come.
    fn by_many_flags(&self, flow: &mut Dataflow<'_>, layout: &mut Layout) {
        let all = dimensions(self.group, self.choice.point);
        let num_flags: usize = all.iter().map(Dimension::len).sum();
        let source = layout.alloc(FLAG_BYTES * (num_flags as u64 + 1));
        let slots = source + FLAG_BYTES;
        let mut before = slots;
        for dimension in &all {
            let num = dimension.len();
            for step in 1..num {
                for line in &dimension.lines {
                    for (position, member) in line.iter().enumerate() {
                        let (to, slot) = (
                            line[(position + step) % num],
                            before + FLAG_BYTES * position as u64,
                        );
                        flow.tell(*member, source, (slots, before), to, slot);
                    }
                }
            }
            before += FLAG_BYTES * num as u64;
        }
    }

    fn no_such_barrier(&self) -> CollError {
        self.unsupported(
            "a barrier goes on when flags have come; accepted: point_to_point, point_to_point:combine=COUNT",
        )
    }
}
