// SPDX-License-Identifier: Apache-2.0
//! All-reduce by one transaction of the network (`docs/design/0003`): a root reduces and multicasts beat by beat.

use crate::Choice;
use crate::compose::Task;
use crate::entry::{Entry, OnClusters, Parameters};
use crate::exchange::blocks::at;
use crate::layout::Layout;
use crate::steps::transfer;
use crate::{CollError, centre};
use noccl_net::{Coord, MultiAddress, TileRef};
use noccl_workload::{
    Action, ActionId, ActionKind, Collective, CollectiveKind, Destination, InNetworkReduction,
    Place,
};

pub(crate) const ENTRY: Entry = Entry {
    is_in_network: true,
    parameters: Parameters {
        has_centre: true,
        ..Parameters::NONE
    },
    on_clusters: Some(OnClusters {
        candidates: |offer| [offer.plain(), vec![Choice::central()]].concat(),
        ..OnClusters::new(
            |kind| matches!(kind, CollectiveKind::Reduce | CollectiveKind::AllReduce),
            |task| Ok(task.by_one_transaction()?.into()),
        )
    }),
    ..Entry::named("in_network_once")
};

impl Task<'_> {
    /// The network's all-reduce, or a reduction of which every member gets the result: it overwrites the bytes at the output's offset in every member's
    /// memory. Where they are inputs, and for a root that is no member, the result comes to scratch, and the entry copies it from there.
    pub(crate) fn by_one_transaction(&self) -> Result<Vec<Action>, CollError> {
        let (group, collective) = (self.group, self.collective);
        let mut layout = Layout::new(self.network, group, collective, self.choice)?;
        let is_in_place = collective.input_offset == collective.output_offset;
        let is_copied =
            collective.kind == CollectiveKind::Reduce && (is_in_place || !group.is_root_member());
        let result = match is_copied {
            true => layout.alloc(collective.bytes),
            false => collective.output_offset,
        };
        layout.check(self.network, group, self.choice)?;
        if !self.network.routers().shares_results {
            return Err(
                self.unsupported("its interfaces do not pass results on; accepted: in_network")
            );
        }
        let is_central = self.choice.is_central;
        let mut actions = vec![all_reduce(collective, &group.pieces, is_central, result)?];
        if is_copied {
            let to = Destination::One(Place {
                tile: collective.root,
                offset: collective.output_offset,
            });
            let from = at(group.entry, result);
            actions.push(Action {
                kind: ActionKind::Transfer(transfer(group.entry, from, to, collective.bytes)),
                after: vec![ActionId(0)],
            });
        }
        Ok(actions)
    }
}

/// The only action of an all-reduce, whose results lie where the outputs are, or the first one of a reduction, whose result every member gets at `result`.
fn all_reduce(
    collective: &Collective,
    pieces: &[MultiAddress],
    is_central: bool,
    result: u64,
) -> Result<Action, CollError> {
    let unsupported = |reason: &str| CollError::Unsupported {
        algorithm: "in_network_once".to_owned(),
        collective: collective.kind.to_string(),
        reason: reason.to_owned(),
    };
    let [group] = *pieces else {
        return Err(unsupported(
            "the group is no multi-address; accepted: an aligned power-of-two block",
        ));
    };
    if group.len() < 2 {
        return Err(unsupported("accepted: a group of at least two clusters"));
    }
    let reduction = InNetworkReduction {
        group,
        source_offset: collective.input_offset,
        root: Place {
            tile: TileRef::Cluster(root_of(group, is_central)),
            offset: result,
        },
        bytes: collective.bytes,
        operator: collective.operator,
        element: collective.element,
    };
    Ok(Action {
        kind: ActionKind::InNetworkAllReduce(reduction),
        after: Vec::new(),
    })
}

/// A corner: two streams meet there and the root's own operand, so a beat per cycle. Or the centre: the paths are half as
/// long, but in two dimensions more streams meet.
fn root_of(group: MultiAddress, is_central: bool) -> Coord {
    if is_central {
        let members: Vec<Coord> = group.members().collect();
        centre(&members)
    } else {
        group.base
    }
}
