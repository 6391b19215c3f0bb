// SPDX-License-Identifier: Apache-2.0
//! Algorithms by messages from member to member, without barriers.
//!
//! A delivery wakes its destination, which then goes on by itself. So there are no steps: what a member does depends on the
//! bytes that it needs and on nothing else, and additions run beside transfers.

mod barrier;
mod candidates;
mod combine;
mod combining;
mod cuts;
pub(crate) mod dataflow;
mod deal;
mod dimensions;
mod exchange;
pub(crate) mod family;
mod file_order;
mod line;
mod lines;
mod memory;
mod pairing;
mod pairs;
mod piece;
mod reuse;
mod ring;
mod rotated;
mod scan;
mod slots;
mod straight;
mod sums;
mod tree_flow;
mod trees;
mod whole;

use crate::compose::Task;
use crate::entry::{Entry, OnClusters, Parameters};
use crate::layout::Layout;
use crate::{CollError, PointForm};
use dataflow::Dataflow;
use family::Family;
use file_order::Priority;
use noccl_workload::{Action, CollectiveKind, Holders};
use slots::Slots;

/// Pieces that have slots of their own at a time: all if memory suffices, else as many of these as fit.
const PIECES_AT_A_TIME: [Option<u32>; 4] = [None, Some(4), Some(2), Some(1)];

/// Beats of a payload or block from which on an exchange keeps the order in which members take each other.
const MIN_BEATS_IN_ROTATION: u64 = 4;
/// Members from which on it does.
const MIN_MEMBERS_IN_ROTATION: usize = 9;

pub(crate) const ENTRY: Entry = Entry {
    parameters: Parameters {
        has_chunks: true,
        has_form: true,
        ..Parameters::NONE
    },
    on_clusters: Some(OnClusters {
        is_cut: |kind| Family::of(kind).is_cut(),
        candidates: candidates::candidates,
        ..OnClusters::new(|_| true, |task| Ok(task.by_messages()?.into()))
    }),
    ..Entry::named("point_to_point")
};

impl Task<'_> {
    /// The actions of `point_to_point`.
    pub(crate) fn by_messages(&self) -> Result<Vec<Action>, CollError> {
        let mut pieces = PIECES_AT_A_TIME.into_iter();
        loop {
            let made = self.with_slots(pieces.next().flatten());
            let may_fit = self.choice.chunks > 1 && pieces.len() > 0;
            if !(may_fit && matches!(made, Err(CollError::DoesNotFit { .. }))) {
                return made;
            }
        }
    }

    fn with_slots(&self, pieces: Option<u32>) -> Result<Vec<Action>, CollError> {
        let mut layout = Layout::new(self.network, self.group, self.collective, self.choice)?;
        let mut flow = Dataflow::new(self.network, self.collective);
        let form = self.choice.point;
        match Family::of(self.collective.kind) {
            Family::Flags => self.by_flags(&mut flow, &mut layout)?,
            Family::Exchange => self.exchange(&mut flow, &mut layout)?,
            Family::Dealt => self.deal(&mut flow, &mut layout)?,
            Family::Scan => self.scan(&mut flow, &mut Slots::new(&mut layout, pieces))?,
            Family::Defined => self.custom(&mut flow, &mut layout)?,
            Family::Parts => match form {
                PointForm::Trees(_) | PointForm::Rotated(_) => {
                    self.by_trees(form, &mut flow, &mut layout)?;
                }
                PointForm::Combine(most) if is_rooted(self.collective.kind) => {
                    self.by_parts(most, &mut flow, &mut Slots::new(&mut layout, pieces));
                }
                PointForm::Ring
                | PointForm::Lines(..)
                | PointForm::Radix(_)
                | PointForm::Combine(_) => {
                    self.by_lines(form, &mut flow, &mut Slots::new(&mut layout, pieces))?;
                }
            },
        }
        layout.check(self.network, self.group, self.choice)?;
        if self.is_in_rotation() {
            return Ok(flow.finish_as_added());
        }
        Ok(flow.finish(self.priority()))
    }

    /// Where everybody sends several beats to everybody, each to another one first: an order by estimates would have all send to the same ones
    /// (a scan of 256 bytes over 4x4 223 cycles instead of 199). What is shorter gains by estimates (8 bytes 97 instead of 121), and so do
    /// few members (4x2 93 instead of 97).
    fn is_in_rotation(&self) -> bool {
        let kind = self.collective.kind;
        let adds = kind.reduces() && kind.output_holders() == Holders::Members;
        let is_combined = matches!(self.choice.point, PointForm::Combine(_));
        let (members, bytes) = (self.group.members.len(), self.collective.bytes);
        let is_long = bytes >= MIN_BEATS_IN_ROTATION * self.network.beat_bytes();
        adds && is_combined && is_long && members >= MIN_MEMBERS_IN_ROTATION
    }

    /// Trees and radix forms, whose pieces are many and short, gain by pieces in order; rings lose (8x8, 1 to 32 KiB: -10 % and +8 %). So do
    /// scatters, which have none (8x8, 64 and 512 bytes: +16 % and +5 %).
    const fn priority(&self) -> Priority {
        match (self.collective.kind, self.choice.point) {
            (CollectiveKind::Scatter, _) | (_, PointForm::Ring | PointForm::Lines(..)) => {
                Priority::Path
            }
            (
                _,
                PointForm::Radix(_)
                | PointForm::Combine(_)
                | PointForm::Trees(_)
                | PointForm::Rotated(_),
            ) => Priority::PathAndQueue,
        }
    }
}

/// Does its payload start or end at one tile?
const fn is_rooted(kind: CollectiveKind) -> bool {
    matches!(kind, CollectiveKind::Multicast | CollectiveKind::Reduce)
}
