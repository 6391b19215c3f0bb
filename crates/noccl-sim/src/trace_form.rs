// SPDX-License-Identifier: Apache-2.0
//! Form of a trace: who takes part in a transaction, how many bursts it has, what is refused.

use crate::burst::Bursts;
use crate::faults::is_addressable;
use crate::machine::Machine;
use crate::peer::refuse_three_operands;
use noccl_net::TileRef;
use noccl_run::RunError;
use noccl_workload::PortKind;

/// Beats that a participant sends per burst, or one for the request of a read.
pub(crate) fn burst_beats(kind: &PortKind, machine: &Machine<'_>) -> Vec<u16> {
    let spec = machine.network.spec();
    match kind {
        PortKind::WideWrite { beats, .. }
        | PortKind::WideMulticast { beats, .. }
        | PortKind::WideRead { beats, .. }
        | PortKind::WideReduction { beats, .. } => Bursts::of_beats(*beats, spec)
            .map(|b| (b.bytes / 64) as u16)
            .collect(),
        PortKind::NarrowWrite { .. }
        | PortKind::NarrowMulticast { .. }
        | PortKind::NarrowRead { .. }
        | PortKind::Atomic { .. }
        | PortKind::Barrier { .. } => vec![1],
    }
}

/// Responses that end an entry.
pub(crate) fn open_responses(kind: &PortKind, machine: &Machine<'_>) -> u32 {
    let bursts = |beats: u32| Bursts::of_beats(beats, machine.network.spec()).count() as u32;
    match kind {
        PortKind::WideWrite { beats, .. }
        | PortKind::WideMulticast { beats, .. }
        | PortKind::WideRead { beats, .. } => bursts(*beats),
        PortKind::WideReduction { group, beats, .. } => bursts(*beats) * group.len(),
        PortKind::Barrier { group, .. } => group.len(),
        PortKind::NarrowWrite { .. }
        | PortKind::NarrowMulticast { .. }
        | PortKind::NarrowRead { .. }
        | PortKind::Atomic { .. } => 1,
    }
}

/// Tiles that assert valid, after checking that every tile named can be addressed. A member in the
/// padding of the cluster region does not exist: nobody can start it.
pub(crate) fn participants(
    kind: &PortKind,
    machine: &Machine<'_>,
    index: usize,
) -> Result<Vec<Option<u32>>, RunError> {
    let absent = |r: &TileRef| refused(index, format!("{r} is not on the mesh"));
    let one = |r: &TileRef| {
        let tile = machine.network.find(*r).ok_or_else(|| absent(r))?;
        Ok(vec![Some(tile.0)])
    };
    let reachable = |r: &TileRef| {
        let is_there = is_addressable(*r, machine);
        if is_there { Ok(()) } else { Err(absent(r)) }
    };
    let members = |set: &noccl_net::MultiAddress| {
        reachable(&TileRef::Cluster(noccl_net::MultiAddress::max(*set)))?;
        let tiles = machine.network.multi_tiles(*set);
        Ok(tiles.map(|t| t.map(|t| t.0)).collect())
    };
    match kind {
        PortKind::WideWrite { from, to, .. }
        | PortKind::NarrowWrite { from, to }
        | PortKind::Atomic { from, to } => {
            reachable(to)?;
            one(from)
        }
        PortKind::WideRead { from, source, .. } | PortKind::NarrowRead { from, source } => {
            reachable(source)?;
            one(from)
        }
        PortKind::WideMulticast { from, to, .. } | PortKind::NarrowMulticast { from, to } => {
            let _: Vec<Option<u32>> = members(to)?;
            one(from)
        }
        PortKind::WideReduction { group, root, .. } => {
            reachable(root)?;
            if let Some(root) = machine.network.find(*root) {
                let what = format!("transactions[{index}]");
                let (group, root) = (machine.network.cube(*group), machine.coord(root.0));
                refuse_three_operands(machine.network, what, group, root)?;
            }
            members(group)
        }
        PortKind::Barrier { group, root } => {
            reachable(root)?;
            members(group)
        }
    }
}

/// Beats of a wide transaction must be at least one.
pub(crate) fn has_beats(kind: &PortKind) -> bool {
    match kind {
        PortKind::WideWrite { beats, .. }
        | PortKind::WideMulticast { beats, .. }
        | PortKind::WideRead { beats, .. }
        | PortKind::WideReduction { beats, .. } => *beats > 0,
        PortKind::NarrowWrite { .. }
        | PortKind::NarrowMulticast { .. }
        | PortKind::NarrowRead { .. }
        | PortKind::Atomic { .. }
        | PortKind::Barrier { .. } => true,
    }
}

pub(crate) fn refused(index: usize, reason: String) -> RunError {
    RunError::Refused {
        backend: "sim",
        what: format!("transactions[{index}]"),
        reason,
    }
}
