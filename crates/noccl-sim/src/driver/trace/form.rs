// SPDX-License-Identifier: Apache-2.0
//! Form of a trace: who takes part in a transaction, how many bursts it has, what is refused.

use crate::driver::trace::faults::is_addressable;
use crate::machine::Machine;
use crate::router::published::refuse_operands;
use crate::transport::burst::Bursts;
use crate::transport::transaction::Owner;
use noccl_net::TileRef;
use noccl_run::{MAX_VALUE_BYTES, RunError};
use noccl_workload::{MAX_CYCLES, MAX_TRANSACTION_BEATS, PortKind, Trace, check_sets};

/// Beats that a participant sends per burst, or one for the request of a read.
pub(crate) fn burst_beats(kind: &PortKind, machine: &Machine<'_>) -> Vec<u16> {
    let axi = machine.network.axi();
    match kind {
        PortKind::WideWrite { beats, .. }
        | PortKind::WideMulticast { beats, .. }
        | PortKind::WideRead { beats, .. }
        | PortKind::WideReduction { beats, .. } => Bursts::of_beats(*beats, axi)
            .map(|b| machine.beat.beats(b.bytes.into()) as u16)
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
    let bursts = |beats: u32| Bursts::of_beats(beats, machine.network.axi()).count() as u32;
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
    check_sets(kind).map_err(|(name, error)| RunError::Refused {
        backend: "sim",
        what: format!("transactions[{index}].kind.{}.{name}", kind.name()),
        reason: format!("is {}; accepted: {}", error.found, error.accepted),
    })?;
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
            // The group first: what lies outside the mesh has no tree.
            let found = members(group)?;
            if let Some(root) = machine.network.find(*root) {
                let what = format!("transactions[{index}]");
                let (group, root) = (machine.network.cube(*group), machine.coord(root.0));
                refuse_operands(&machine.network, what, group, root)?;
            }
            Ok(found)
        }
        PortKind::Barrier { group, root } => {
            reachable(root)?;
            members(group)
        }
    }
}

/// Refuses a wide transaction without beats, or with more of them than its part of a memory holds.
pub(crate) fn check_beats(kind: &PortKind, index: usize) -> Result<(), RunError> {
    let beats = match kind {
        PortKind::WideWrite { beats, .. }
        | PortKind::WideMulticast { beats, .. }
        | PortKind::WideRead { beats, .. }
        | PortKind::WideReduction { beats, .. } => *beats,
        PortKind::NarrowWrite { .. }
        | PortKind::NarrowMulticast { .. }
        | PortKind::NarrowRead { .. }
        | PortKind::Atomic { .. }
        | PortKind::Barrier { .. } => return Ok(()),
    };
    if (1..=MAX_TRANSACTION_BEATS).contains(&beats) {
        return Ok(());
    }
    Err(RunError::Refused {
        backend: "sim",
        what: format!("transactions[{index}].kind.{}.beats", kind.name()),
        reason: format!(
            "is {beats}; accepted: 1 to {MAX_TRANSACTION_BEATS}, the beats of the part of a memory that a \
             transaction of a trace has to itself"
        ),
    })
}

/// Refuses a start so late that cycles behind it could leave their type.
pub(crate) fn check_starts(starts: &[Option<u64>], index: usize) -> Result<(), RunError> {
    let late = starts.iter().zip(0_usize..).find_map(|(start, member)| {
        let cycle = start.filter(|cycle| *cycle > MAX_CYCLES)?;
        Some((member, cycle))
    });
    late.map_or(Ok(()), |(member, cycle)| {
        Err(RunError::Refused {
            backend: "sim",
            what: format!("transactions[{index}].start_cycles[{member}]"),
            reason: format!("is {cycle}; accepted: at most 2^48 = {MAX_CYCLES}"),
        })
    })
}

/// Refuses a trace that writes more bytes than a host keeps, where bytes move.
pub(crate) fn check_written(trace: &Trace, machine: &Machine<'_>) -> Result<(), RunError> {
    let mut written_bytes = 0_u64;
    for (index, transaction) in trace.transactions.iter().enumerate() {
        let (beats, targets) = match &transaction.kind {
            PortKind::WideMulticast { to, beats, .. } => (*beats, to.len()),
            PortKind::WideWrite { beats, .. } | PortKind::WideReduction { beats, .. } => {
                (*beats, 1)
            }
            PortKind::WideRead { .. }
            | PortKind::NarrowWrite { .. }
            | PortKind::NarrowMulticast { .. }
            | PortKind::NarrowRead { .. }
            | PortKind::Atomic { .. }
            | PortKind::Barrier { .. } => continue,
        };
        let bytes = machine.beat.bytes_of(u64::from(beats) * u64::from(targets));
        written_bytes = written_bytes.saturating_add(bytes);
        if machine.is_value() && written_bytes > MAX_VALUE_BYTES {
            let reason = format!(
                "with those before it writes {written_bytes} bytes; accepted in value mode: {MAX_VALUE_BYTES}, \
                 in timing mode any number"
            );
            return Err(refused(index, reason));
        }
    }
    Ok(())
}

pub(crate) fn refused(index: usize, reason: String) -> RunError {
    RunError::Refused {
        backend: "sim",
        what: format!("transactions[{index}]"),
        reason,
    }
}

/// Owner of an entry's first burst, and of everything that has no bursts.
pub(crate) const fn first_burst(index: u32) -> Owner {
    Owner::Trace {
        entry: index,
        burst: 0,
    }
}

/// First byte of the part of every memory that an entry has to itself.
pub(crate) fn part_offset(index: u32, machine: &Machine<'_>) -> u64 {
    machine
        .beat
        .bytes_of(u64::from(index) * u64::from(MAX_TRANSACTION_BEATS))
}

/// Seed of the bytes that `tile` contributes to entry `index`.
pub(crate) fn contribution_seed(index: u32, tile: u32) -> u64 {
    crate::kernel::random::mix(u64::from(index) << 32 | u64::from(tile))
}
