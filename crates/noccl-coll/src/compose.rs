// SPDX-License-Identifier: Apache-2.0
//! From a collective and a choice to a schedule's actions.

use crate::builder::Builder;
use crate::group::Group;
use crate::in_network;
use crate::layout::{Chunks, Layout};
use crate::multicast::Multicast;
use crate::order::{First, phases};
use crate::reduce::Reduction;
use crate::steps::{Steps, transfer};
use crate::sync::SyncPlan;
use crate::{Choice, CollError};
use noccl_net::{Coord, Network, TileRef};
use noccl_workload::{
    Action, ActionKind, BarrierMechanism, Collective, CollectiveKind, Destination, Place,
};

/// One collective by one choice, resolved and not yet written down.
#[derive(Debug)]
pub(crate) struct Task<'a> {
    pub(crate) network: &'a Network,
    pub(crate) collective: &'a Collective,
    pub(crate) group: &'a Group,
    pub(crate) choice: Choice,
}

impl Task<'_> {
    /// Chunks that the payload is really cut into.
    pub(crate) fn chunks(&self) -> Chunks {
        Chunks::new(
            self.collective.bytes,
            u64::from(self.network.spec().ni.wide_beat_bytes),
            self.choice.chunks,
        )
    }

    /// Chain, tree, row and column.
    pub(crate) fn in_steps(&self) -> Result<Vec<Action>, CollError> {
        let (group, collective) = (self.group, self.collective);
        let mut layout = Layout::new(self.network, group, collective, self.choice)?;
        let sync = SyncPlan::new(
            &group.members,
            &group.pieces,
            self.choice.barrier,
            group.entry,
        );
        let mut steps = Steps::new(sync, self.choice.is_chained());
        let input = Place {
            tile: collective.root,
            offset: collective.input_offset,
        };
        let at_entry = self.at(group.entry, collective.output_offset);
        match collective.kind {
            CollectiveKind::Multicast => self.multicast_steps(input, &mut steps)?,
            CollectiveKind::Reduce => self.reduce_steps(&mut layout, &mut steps)?,
            CollectiveKind::AllReduce => {
                self.reduction(at_entry.offset, &mut layout)?
                    .emit(&mut steps, None);
                self.multicast_steps(at_entry, &mut steps)?;
            }
            CollectiveKind::Barrier => {}
        }
        layout.check(self.network, group, self.choice)?;
        Ok(steps.finish())
    }

    /// A root outside the group gets a copy of what the entry has folded in its scratch.
    fn reduce_steps(&self, layout: &mut Layout, steps: &mut Steps) -> Result<(), CollError> {
        let output = self.collective.output_offset;
        if self.group.is_root_member() {
            self.reduction(output, layout)?.emit(steps, None);
            return Ok(());
        }
        let staged = layout.alloc(self.collective.bytes);
        let outside = Place {
            tile: self.group.root,
            offset: output,
        };
        self.reduction(staged, layout)?.emit(steps, Some(outside));
        Ok(())
    }

    fn reduction(&self, result: u64, layout: &mut Layout) -> Result<Reduction<'_>, CollError> {
        let phases = phases(self.group, self.choice, First::Column)?;
        Ok(Reduction::new(
            self.collective,
            self.group,
            phases,
            self.chunks(),
            self.choice.forwarding,
            result,
            layout,
        ))
    }

    fn multicast_steps(&self, source: Place, steps: &mut Steps) -> Result<(), CollError> {
        let phases = phases(self.group, self.choice, First::Row)?;
        let multicast = Multicast {
            source,
            output: self.collective.output_offset,
            chunks: self.chunks(),
            forwarding: self.choice.forwarding,
        };
        multicast.emit(self.group, &phases, steps);
        Ok(())
    }

    /// The network's multicast, reduction, or both.
    pub(crate) fn by_network(&self) -> Result<Vec<Action>, CollError> {
        let (group, collective) = (self.group, self.collective);
        let bytes = collective.bytes;
        let mut layout = Layout::new(self.network, group, collective, self.choice)?;
        let mut builder = Builder::default();
        match collective.kind {
            CollectiveKind::Multicast => {
                let source = Place {
                    tile: collective.root,
                    offset: collective.input_offset,
                };
                in_network::multicast(group, source, collective.output_offset, bytes, &mut builder);
            }
            CollectiveKind::Reduce => self.reduce_by_network(&mut layout, &mut builder),
            CollectiveKind::AllReduce => {
                let staged = layout.alloc(bytes);
                in_network::Reduction::new(group, collective, group.entry, staged, &mut layout)
                    .emit(&mut builder);
                let source = self.at(group.entry, staged);
                in_network::multicast(group, source, collective.output_offset, bytes, &mut builder);
            }
            CollectiveKind::Barrier => {}
        }
        layout.check(self.network, group, self.choice)?;
        Ok(builder.finish())
    }

    /// A memory tile cannot fold or be a reduction's target: the entry gathers and copies.
    fn reduce_by_network(&self, layout: &mut Layout, builder: &mut Builder) {
        let (group, collective) = (self.group, self.collective);
        let output = collective.output_offset;
        if let TileRef::Cluster(root) = collective.root {
            in_network::Reduction::new(group, collective, root, output, layout).emit(builder);
            return;
        }
        let staged = layout.alloc(collective.bytes);
        in_network::Reduction::new(group, collective, group.entry, staged, layout).emit(builder);
        let destination = Destination::One(Place {
            tile: collective.root,
            offset: output,
        });
        let source = self.at(group.entry, staged);
        let kind = transfer(group.entry, source, destination, collective.bytes);
        builder.add(ActionKind::Transfer(kind), &[group.entry]);
        builder.end_step();
    }

    /// A barrier by itself.
    pub(crate) fn barrier(&self, mechanism: BarrierMechanism) -> Result<Vec<Action>, CollError> {
        let TileRef::Cluster(counter) = self.collective.root else {
            return Err(CollError::Unsupported {
                algorithm: self.choice.algorithm.to_string(),
                collective: "barrier".to_owned(),
                reason: format!(
                    "the counter lies in a cluster's memory, not in {}; accepted: a cluster as root",
                    self.collective.root
                ),
            });
        };
        let (members, pieces) = (&self.group.members, &self.group.pieces);
        let plan = SyncPlan::new(members, pieces, mechanism, counter);
        if mechanism == BarrierMechanism::InNetwork && plan.is_counter() {
            return Err(CollError::Unsupported {
                algorithm: self.choice.algorithm.to_string(),
                collective: "barrier".to_owned(),
                reason:
                    "no two members of the group make a multi-address; accepted: counter, or a \
                         group with neighbours whose coordinates differ in one bit"
                        .to_owned(),
            });
        }
        let mut builder = Builder::default();
        plan.emit(&mut builder);
        Ok(builder.finish())
    }

    fn at(&self, cluster: Coord, offset: u64) -> Place {
        Place {
            tile: TileRef::Cluster(cluster),
            offset,
        }
    }
}
