// SPDX-License-Identifier: Apache-2.0
//! Multicast by repeated unicasts (S3's iDMA): one engine writes to one member after the other.
//!
//! The baseline of every other form: it needs neither network nor other members, and its engine's port carries the
//! payload as often as there are members.

use crate::CollError;
use crate::builder::Builder;
use crate::compose::Task;
use crate::entry::{Entry, OnClusters, Parameters};
use crate::exchange::blocks::at;
use crate::layout::Layout;
use crate::messages::forms;
use crate::steps::transfer;
use noccl_net::TileRef;
use noccl_workload::{Action, ActionKind, CollectiveKind, Destination, Place};

pub(crate) const ENTRY: Entry = Entry {
    other_names: &["linear", "flat"],
    parameters: Parameters {
        lag: Some(0),
        ..Parameters::NONE
    },
    on_clusters: Some(OnClusters::new(
        |kind| kind == CollectiveKind::Multicast,
        |task| Ok(task.by_unicasts()?.into()),
    )),
    on_cores: Some(forms::UNICAST),
    ..Entry::named("unicast")
};

impl Task<'_> {
    /// A copy per member, queued back to back in the root's engine. A memory tile has none: the entry fetches the payload and
    /// does it.
    pub(crate) fn by_unicasts(&self) -> Result<Vec<Action>, CollError> {
        let (group, collective) = (self.group, self.collective);
        Layout::new(self.network, group, collective, self.choice)?;
        let (bytes, output) = (collective.bytes, collective.output_offset);
        let engine = match collective.root {
            TileRef::Cluster(root) => root,
            TileRef::Memory(_) => group.entry,
        };
        let mut builder = Builder::default();
        let mut source = Place {
            tile: collective.root,
            offset: collective.input_offset,
        };
        let own = at(engine, output);
        let copy = |source: Place, to: Place| {
            ActionKind::Transfer(transfer(engine, source, Destination::One(to), bytes))
        };
        if source.tile != own.tile {
            builder.add(copy(source, own), &[engine]);
            builder.end_step();
            source = own;
        }
        for member in group.members.iter().filter(|m| **m != engine) {
            builder.add(copy(source, at(*member, output)), &[engine]);
        }
        if source != own && group.set.contains(&engine) {
            builder.add(copy(source, own), &[engine]);
        }
        builder.end_step();
        Ok(builder.finish())
    }
}
