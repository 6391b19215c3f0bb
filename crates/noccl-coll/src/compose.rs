// SPDX-License-Identifier: Apache-2.0
//! From a collective and a choice to a schedule's actions.

use crate::barrier::sync::SyncPlan;
use crate::builder::Builder;
use crate::entry::Made;
use crate::exchange::blocks;
use crate::exchange::blocks::{Blocks, at};
use crate::group::Group;
use crate::in_network::{self, segments};
use crate::layout::{Chunks, Layout};
use crate::order::{First, phases};
use crate::steps::double_tree::DoubleTree;
use crate::steps::multicast::Multicast;
use crate::steps::reduce::StepReduction;
use crate::steps::ring::Ring;
use crate::steps::{Steps, transfer};
use crate::whole::Whole;
use crate::{BarrierAlgorithm, BarrierShape, Choice, CollError, barrier};
use noccl_net::{Network, TileRef};
use noccl_workload::{Action, ActionKind, BarrierMechanism, Collective, Destination, Place};

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
        Chunks::new(self.collective.bytes, self.beat_bytes(), self.choice.chunks)
    }

    /// Chain, tree, row and column.
    pub(crate) fn in_steps(&self) -> Result<Vec<Action>, CollError> {
        let (group, collective) = (self.group, self.collective);
        let mut layout = Layout::new(self.network, group, collective, self.choice)?;
        let mut steps = Steps::new(self.sync(), self.choice.is_chained());
        let input = Place {
            tile: collective.root,
            offset: collective.input_offset,
        };
        let at_entry = at(group.entry, collective.output_offset);
        match self.whole()? {
            Whole::Multicast => self.multicast_steps(input, &mut steps)?,
            Whole::Reduce => self.reduce_steps(&mut layout, &mut steps)?,
            Whole::AllReduce => {
                self.reduction(at_entry.offset, &mut layout)?
                    .emit(&mut steps, None);
                self.multicast_steps(at_entry, &mut steps)?;
            }
        }
        layout.check(self.network, group, self.choice)?;
        Ok(steps.finish())
    }

    /// Is there one member alone?
    pub(crate) fn is_alone(&self) -> bool {
        self.group.members.len() == 1
    }

    /// Two trees, half of the payload each.
    pub(crate) fn by_double_tree(&self) -> Result<Made, CollError> {
        let (group, collective) = (self.group, self.collective);
        let mut layout = Layout::new(self.network, group, collective, self.choice)?;
        let mut steps = Steps::new(self.sync(), false);
        let choice = self.choice;
        let beat_bytes = self.beat_bytes();
        let mut trees = DoubleTree::new(
            collective,
            group,
            beat_bytes,
            choice.chunks,
            choice.forwarding,
        );
        let output = collective.output_offset;
        match self.whole()? {
            Whole::Multicast => {
                let source = Place {
                    tile: collective.root,
                    offset: collective.input_offset,
                };
                trees.multicast(source, output, &mut steps);
            }
            Whole::Reduce if group.is_root_member() => {
                trees.reduce(output, None, &mut layout, &mut steps);
            }
            Whole::Reduce => {
                let staged = layout.alloc(collective.bytes);
                let outside = Place {
                    tile: group.root,
                    offset: output,
                };
                trees.reduce(staged, Some(outside), &mut layout, &mut steps);
            }
            Whole::AllReduce => {
                trees.reduce(output, None, &mut layout, &mut steps);
                trees.multicast(at(group.entry, output), output, &mut steps);
            }
        }
        layout.check(self.network, group, choice)?;
        Ok(Made {
            actions: steps.finish(),
            num_chunks: Some(trees.num_chunks()),
        })
    }

    /// A ring over all members.
    pub(crate) fn by_ring(&self) -> Result<Vec<Action>, CollError> {
        let (group, collective) = (self.group, self.collective);
        let mut layout = Layout::new(self.network, group, collective, self.choice)?;
        let mut steps = Steps::new(self.sync(), false);
        Ring::new(collective, group, self.beat_bytes()).emit(&mut layout, &mut steps);
        layout.check(self.network, group, self.choice)?;
        Ok(steps.finish())
    }

    /// A collective of blocks with one member copies.
    pub(crate) fn alone(&self) -> Result<Vec<Action>, CollError> {
        let (group, collective) = (self.group, self.collective);
        Layout::new(self.network, group, collective, self.choice)?;
        Ok(blocks::alone(Blocks {
            network: self.network,
            group,
            collective,
        }))
    }

    /// Collectives of blocks without steps.
    pub(crate) fn in_blocks(
        &self,
        emit: impl FnOnce(Blocks<'_>, &mut Layout, &SyncPlan) -> Result<Vec<Action>, CollError>,
    ) -> Result<Vec<Action>, CollError> {
        let (group, collective) = (self.group, self.collective);
        let mut layout = Layout::new(self.network, group, collective, self.choice)?;
        let blocks = Blocks {
            network: self.network,
            group,
            collective,
        };
        let actions = emit(blocks, &mut layout, &self.sync())?;
        layout.check(self.network, group, self.choice)?;
        Ok(actions)
    }

    /// The barrier between steps.
    fn sync(&self) -> SyncPlan {
        let group = self.group;
        SyncPlan::new(
            &group.members,
            &group.pieces,
            self.mechanism(self.choice.barrier),
            group.entry,
        )
    }

    /// Routers that join at FIFO heads cannot merge two barriers at once, and a group of several multi-addresses
    /// would be synchronised by barriers that overtake each other: there a counter does it.
    pub(crate) fn mechanism(&self, wanted: BarrierMechanism) -> BarrierMechanism {
        if self.group.pieces.len() > 1 && !self.network.routers().joins_several {
            BarrierMechanism::Software
        } else {
            wanted
        }
    }

    fn beat_bytes(&self) -> u64 {
        self.network.beat_bytes()
    }

    /// A root outside the group gets a copy of what the entry has reduced in its scratch.
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

    fn reduction(&self, result: u64, layout: &mut Layout) -> Result<StepReduction<'_>, CollError> {
        let phases = phases(self.group, self.choice, First::Column)?;
        Ok(StepReduction::new(
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
        match self.whole()? {
            Whole::Multicast => {
                let source = Place {
                    tile: collective.root,
                    offset: collective.input_offset,
                };
                let from_to = (source, collective.output_offset);
                in_network::multicast(self.network, group, from_to, bytes, &mut builder);
            }
            Whole::Reduce => self.reduce_by_network(&mut layout, &mut builder),
            Whole::AllReduce if self.choice.chunks > 1 => {
                let [whole] = group.pieces.as_slice() else {
                    return Err(self.unsupported(
                        "the group is no multi-address; accepted: an aligned power-of-two block, or one chunk",
                    ));
                };
                return Ok(segments::all_reduce(collective, *whole, self.chunks()));
            }
            Whole::AllReduce => {
                let staged = layout.alloc(bytes);
                let into = (group.entry, staged);
                in_network::Reduction::new(self.network, group, collective, into, &mut layout)
                    .emit(&mut builder);
                let source = at(group.entry, staged);
                let from_to = (source, collective.output_offset);
                in_network::multicast(self.network, group, from_to, bytes, &mut builder);
            }
        }
        layout.check(self.network, group, self.choice)?;
        Ok(builder.finish())
    }

    /// The collective as trees and the network know it.
    fn whole(&self) -> Result<Whole, CollError> {
        Whole::of(self.collective.kind).ok_or_else(|| self.unsupported(Whole::ACCEPTED))
    }

    pub(crate) fn unsupported(&self, reason: &str) -> CollError {
        CollError::Unsupported {
            algorithm: self.choice.to_string(),
            collective: self.collective.kind.to_string(),
            reason: reason.to_owned(),
        }
    }

    /// A memory tile cannot fold or be a reduction's target: the entry gathers and copies.
    fn reduce_by_network(&self, layout: &mut Layout, builder: &mut Builder) {
        let (group, collective) = (self.group, self.collective);
        let output = collective.output_offset;
        if let TileRef::Cluster(root) = collective.root {
            let into = (root, output);
            in_network::Reduction::new(self.network, group, collective, into, layout).emit(builder);
            return;
        }
        let staged = layout.alloc(collective.bytes);
        let into = (group.entry, staged);
        in_network::Reduction::new(self.network, group, collective, into, layout).emit(builder);
        let destination = Destination::One(Place {
            tile: collective.root,
            offset: output,
        });
        let source = at(group.entry, staged);
        let kind = transfer(group.entry, source, destination, collective.bytes);
        builder.add(ActionKind::Transfer(kind), &[group.entry]);
        builder.end_step();
    }

    /// A barrier by itself, in another shape than the paper's.
    pub(crate) fn shaped_barrier(&self, shape: BarrierShape) -> Result<Vec<Action>, CollError> {
        let plan = BarrierAlgorithm {
            structure: shape.structure,
            place: shape.place,
            mechanism: if self.choice.algorithm.is_in_network() {
                BarrierMechanism::InNetwork
            } else {
                BarrierMechanism::Software
            },
        };
        barrier::actions(self.group.members.clone(), plan)
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
        let plan = SyncPlan::new(members, pieces, self.mechanism(mechanism), counter);
        if mechanism == BarrierMechanism::InNetwork && plan.is_counter() {
            return Err(CollError::Unsupported {
                algorithm: self.choice.algorithm.to_string(),
                collective: "barrier".to_owned(),
                reason:
                    "the network has no barrier for it: no two members make a multi-address, or the routers \
                         are published ones and it takes several; accepted: counter, or a group that is one \
                         multi-address"
                        .to_owned(),
            });
        }
        let mut builder = Builder::default();
        plan.emit(&mut builder);
        Ok(builder.finish())
    }
}
