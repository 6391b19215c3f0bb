// SPDX-License-Identifier: Apache-2.0
//! Algorithms by messages from member to member, without barriers.
//!
//! A delivery wakes its destination, which then goes on by itself. So there are no steps: what a member does depends on the
//! bytes that it needs and on nothing else, and additions run beside transfers.

mod barrier;
mod cuts;
mod dataflow;
mod dimensions;
mod exchange;
mod file_order;
mod line;
mod lines;
mod pairing;
mod pairs;
mod piece;
mod ring;
mod sums;
mod tree_flow;
mod trees;
mod whole;

use crate::compose::Task;
use crate::layout::Layout;
use crate::{CollError, PointForm};
use dataflow::Dataflow;
use noccl_workload::{Action, CollectiveKind};

impl Task<'_> {
    /// The actions of `point_to_point`.
    pub(crate) fn by_messages(&self) -> Result<Vec<Action>, CollError> {
        let mut layout = Layout::new(self.network, self.group, self.collective, self.choice)?;
        let mut flow = Dataflow::new(self.network, self.collective);
        let form = self.choice.point;
        if self.collective.kind == CollectiveKind::Barrier {
            self.by_flags(&mut flow, &mut layout)?;
        } else if self.collective.kind == CollectiveKind::AllToAll {
            self.exchange(&mut flow, &mut layout)?;
        } else if let PointForm::Trees(count) = form {
            self.by_trees(usize::from(count), &mut flow, &mut layout)?;
        } else {
            self.by_lines(form, &mut flow, &mut layout)?;
        }
        layout.check(self.network, self.group, self.choice)?;
        Ok(flow.finish())
    }
}
