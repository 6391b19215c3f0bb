// SPDX-License-Identifier: Apache-2.0
//! The faults of a trace: checked, and turned into what the machine does about them.

use crate::errors::{DECERR, OKAY, SLVERR};
use crate::machine::Machine;
use noccl_net::{MultiAddress, TileRef};
use noccl_run::RunError;
use noccl_workload::{Difference, ElementType, Fault, Operator, PortKind, Trace};

/// A member's contribution that differs from its siblings.
#[derive(Debug, Clone, Copy)]
struct Differing {
    entry: u32,
    tile: u32,
    difference: Difference,
}

/// Faults by trace entry.
#[derive(Debug, Default)]
pub(crate) struct TraceFaults {
    /// Entries that the NI answers with DECERR.
    refused: Vec<bool>,
    differing: Vec<Differing>,
}

impl TraceFaults {
    /// Checks the faults; broken memories go to the machine.
    pub(crate) fn new(trace: &Trace, machine: &mut Machine<'_>) -> Result<Self, RunError> {
        let mut faults = Self {
            refused: vec![false; trace.transactions.len()],
            differing: Vec::new(),
        };
        for (i, t) in trace.transactions.iter().enumerate() {
            faults.refused[i] = is_unmapped(&t.kind, machine);
        }
        for (i, fault) in trace.faults.iter().enumerate() {
            let refuse = |reason: String| RunError::Refused {
                backend: "sim",
                what: format!("faults[{i}]"),
                reason,
            };
            faults.take(fault, trace, machine).map_err(refuse)?;
        }
        Ok(faults)
    }

    fn take(
        &mut self,
        fault: &Fault,
        trace: &Trace,
        machine: &mut Machine<'_>,
    ) -> Result<(), String> {
        let kind = |transaction: &u32| {
            let found = trace.transactions.get(*transaction as usize);
            found.map(|t| &t.kind).ok_or_else(|| {
                let len = trace.transactions.len();
                format!("there is no transaction {transaction}, the trace has {len}")
            })
        };
        match fault {
            Fault::Memory {
                tile,
                offset,
                bytes,
            } => {
                let id = machine.network.find(*tile);
                let id = id.ok_or_else(|| format!("{tile} is not on the mesh"))?.0;
                let range = *offset..offset.saturating_add(*bytes);
                machine.errors.memory.push((id, range));
            }
            Fault::Unmapped { transaction } => {
                kind(transaction)?;
                self.refused[*transaction as usize] = true;
            }
            Fault::Mask { transaction, mask } => {
                if !has_one_destination(kind(transaction)?) {
                    return Err("only reads and atomics have a mask that is an error".to_owned());
                }
                if (mask.x, mask.y) == (0, 0) {
                    return Err("the mask must have a bit set".to_owned());
                }
                self.refused[*transaction as usize] = true;
            }
            Fault::Disagree {
                transaction,
                member,
                difference,
            } => {
                let tile = differing_tile(kind(transaction)?, *member, *difference, machine)?;
                self.differing.push(Differing {
                    entry: *transaction,
                    tile,
                    difference: *difference,
                });
            }
        }
        Ok(())
    }

    /// Does the NI answer this entry by itself?
    pub(crate) fn is_refused(&self, entry: u32) -> bool {
        self.refused[entry as usize]
    }

    /// Notes how the contribution of `tile` to one burst differs; the burst starts at `first_beat`.
    /// Returns whether the member contributes to it at all.
    pub(crate) fn differ(
        &self,
        entry: u32,
        tile: u32,
        txn: u32,
        first_beat: u32,
        machine: &mut Machine<'_>,
    ) -> bool {
        let beats = machine.txns.get(txn).beats;
        for d in &self.differing {
            if (d.entry, d.tile) != (entry, tile) {
                continue;
            }
            match d.difference {
                Difference::Beats(given) => {
                    let left = given.saturating_sub(first_beat).min(u32::from(beats)) as u16;
                    if left < beats {
                        machine.errors.short.push((txn, tile, left));
                        return left > 0;
                    }
                }
                Difference::Operator(_) | Difference::Element(_) | Difference::EnabledBytes(_) => {
                    machine.errors.disagreeing.push((txn, tile));
                }
            }
        }
        true
    }

    /// The response code that an entry must see, computed without the network. `targets` are the tiles
    /// that it writes or reads, with address and bytes of every burst.
    pub(crate) fn expected_response(
        &self,
        entry: u32,
        targets: impl Iterator<Item = (u32, u64, u32)>,
        machine: &Machine<'_>,
    ) -> u8 {
        if self.is_refused(entry) {
            return DECERR;
        }
        if self.differing.iter().any(|d| d.entry == entry) {
            return SLVERR;
        }
        let responses =
            targets.map(|(tile, address, bytes)| machine.memory_response(tile, address, bytes));
        responses.max().unwrap_or(OKAY)
    }

    /// Is nothing of this entry written anywhere?
    pub(crate) fn writes_nothing(&self, entry: u32) -> bool {
        self.is_refused(entry) || self.differing.iter().any(|d| d.entry == entry)
    }
}

/// Checks a difference and finds the tile of the member.
fn differing_tile(
    kind: &PortKind,
    member: u32,
    difference: Difference,
    machine: &Machine<'_>,
) -> Result<u32, String> {
    let PortKind::WideReduction { group, beats, .. } = kind else {
        return Err("only contributions to a wide reduction can differ".to_owned());
    };
    if machine.is_peer {
        return Err(
            "peer_compatible compares destination and mask only and folds what comes; \
                    use flow = \"non_blocking\""
                .to_owned(),
        );
    }
    let accepted = match difference {
        Difference::Beats(given) => (1..*beats).contains(&given),
        Difference::Operator(operator) => operator != Operator::Sum,
        Difference::Element(element) => element != ElementType::Int64,
        Difference::EnabledBytes(enabled) => (1..64).contains(&enabled),
    };
    if !accepted {
        return Err(format!(
            "a difference is 1 to {} beats, an operator other than sum, an element type other than \
             int64, or 1 to 63 enabled bytes",
            beats.saturating_sub(1)
        ));
    }
    let tile = machine.network.multi_tiles(*group).nth(member as usize);
    let tile = tile.ok_or_else(|| format!("there is no member {member}"))?;
    tile.map(|t| t.0)
        .ok_or_else(|| format!("member {member} is a tile that does not exist"))
}

const fn has_one_destination(kind: &PortKind) -> bool {
    match kind {
        PortKind::WideRead { .. } | PortKind::NarrowRead { .. } | PortKind::Atomic { .. } => true,
        PortKind::WideWrite { .. }
        | PortKind::WideMulticast { .. }
        | PortKind::WideReduction { .. }
        | PortKind::NarrowWrite { .. }
        | PortKind::NarrowMulticast { .. }
        | PortKind::Barrier { .. } => false,
    }
}

/// Does the entry name a tile that does not exist, in the padding of the cluster region?
fn is_unmapped(kind: &PortKind, machine: &Machine<'_>) -> bool {
    let is_absent = |tile: &TileRef| machine.network.find(*tile).is_none();
    let has_absent = |set: &MultiAddress| machine.network.multi_tiles(*set).any(|t| t.is_none());
    match kind {
        PortKind::WideWrite { to, .. }
        | PortKind::NarrowWrite { to, .. }
        | PortKind::Atomic { to, .. } => is_absent(to),
        PortKind::WideRead { source, .. } | PortKind::NarrowRead { source, .. } => {
            is_absent(source)
        }
        PortKind::WideMulticast { to, .. } | PortKind::NarrowMulticast { to, .. } => has_absent(to),
        PortKind::WideReduction { group, root, .. } | PortKind::Barrier { group, root } => {
            has_absent(group) || is_absent(root)
        }
    }
}

/// Is the tile named inside the padding of the cluster region, or there for real?
pub(crate) fn is_addressable(tile: TileRef, machine: &Machine<'_>) -> bool {
    let (columns, rows) = machine.network.padded_clusters();
    match tile {
        TileRef::Cluster(at) => u32::from(at.x) < columns && u32::from(at.y) < rows,
        TileRef::Memory(_) => machine.network.find(tile).is_some(),
    }
}
