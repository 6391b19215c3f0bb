// SPDX-License-Identifier: Apache-2.0
//! All-reduce by one transaction of the network (`docs/design/0003`): a root reduces and multicasts beat by beat.

use crate::{CollError, centre};
use noccl_net::{Coord, MultiAddress, TileRef};
use noccl_workload::{Action, ActionKind, Collective, InNetworkReduction, Place};

/// The only action of an all-reduce, whose results lie where the outputs are, or the first one of a reduction, whose result every member gets at `result`.
pub(crate) fn all_reduce(
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
