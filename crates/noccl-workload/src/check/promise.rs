// SPDX-License-Identifier: Apache-2.0
//! Is what the schedule promises possible on this network, whatever its actions?

use super::CheckError;
use super::form::{check_fits, check_multiple, check_operator, find, group_error};
use crate::{Collective, CollectiveKind};
use noccl_net::{Network, TileId};

/// Checks the collective alone: group, root, element, sizes.
///
/// # Errors
/// [`CheckError`] naming the field and what would be accepted.
pub fn check_collective(network: &Network, collective: &Collective) -> Result<(), CheckError> {
    let field = |name: &str| format!("collective.{name}");
    let members = network
        .members(&collective.group)
        .map_err(|e| group_error(field("group"), &e))?;
    let root = find(network, field("root"), collective.root)?;
    if collective.kind == CollectiveKind::Barrier {
        return Ok(());
    }
    if collective.kind.reduces() {
        let element = collective.element;
        check_operator(field("operator"), collective.operator, element)?;
        check_multiple(field("bytes"), collective.bytes, element)?;
        check_multiple(field("input_offset"), collective.input_offset, element)?;
        check_multiple(field("output_offset"), collective.output_offset, element)?;
    }
    let members: Vec<TileId> = members
        .iter()
        .map(|c| network.tile_at(network.mesh_coord(*c)))
        .collect();
    let root = [root];
    let (sources, sinks): (&[TileId], &[TileId]) = match collective.kind {
        CollectiveKind::Multicast => (&root, &members),
        CollectiveKind::Reduce => (&members, &root),
        CollectiveKind::AllReduce
        | CollectiveKind::Barrier
        | CollectiveKind::AllGather
        | CollectiveKind::ReduceScatter
        | CollectiveKind::AllToAll => (&members, &members),
    };
    let ranks = members.len() as u64;
    let (input_bytes, output_bytes) = (
        collective.input_bytes(ranks),
        collective.output_bytes(ranks),
    );
    for (tiles, name, offset, bytes) in [
        (
            sources,
            "input_offset",
            collective.input_offset,
            input_bytes,
        ),
        (
            sinks,
            "output_offset",
            collective.output_offset,
            output_bytes,
        ),
    ] {
        for tile in tiles {
            let end = u128::from(offset) + u128::from(bytes);
            check_fits(network, || field(name), *tile, end)?;
        }
    }
    Ok(())
}
