// SPDX-License-Identifier: Apache-2.0
//! The faults of a trace: checked, and turned into what the machine does about them.

use crate::machine::Machine;
use crate::transport::axi_response::{DECERR, OKAY, SLVERR};
use crate::transport::transaction::{MAX_VARIANTS, Variant};
use noccl_net::{MultiAddress, TileRef};
use noccl_run::RunError;
use noccl_workload::{Difference, ElementType, Fault, Operator, PortKind, Trace};

/// A member's contribution that differs from the others.
#[derive(Debug, Clone, Copy)]
struct Differing {
    entry: u32,
    tile: u32,
    difference: Difference,
}

/// Faults by trace entry.
#[derive(Debug, Default)]
pub(crate) struct TraceFaults {
    /// Entries that the NI ends with DECERR.
    refused: Vec<bool>,
    differing: Vec<Differing>,
    /// Barriers that bear the name of another one, with that one.
    named: Vec<(u32, u32)>,
}

impl TraceFaults {
    /// Checks the faults; broken memories go to the machine.
    pub(crate) fn new(trace: &Trace, machine: &mut Machine<'_>) -> Result<Self, RunError> {
        let mut faults = Self {
            refused: vec![false; trace.transactions.len()],
            differing: Vec::new(),
            named: Vec::new(),
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
        faults.check_differences(trace, machine)?;
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
            Fault::Name { transaction, of } => {
                check_name(kind(transaction)?, kind(of)?, machine)?;
                let is_taken = self.named.iter().any(|(t, _)| t == transaction || t == of);
                if is_taken || transaction == of {
                    return Err("a barrier bears its own name or that of one that does".to_owned());
                }
                self.named.push((*transaction, *of));
            }
        }
        Ok(())
    }

    /// What the members of each reduction say must be something that they can disagree on, and that the arithmetic can fold.
    fn check_differences(&self, trace: &Trace, machine: &Machine<'_>) -> Result<(), RunError> {
        for (i, t) in trace.transactions.iter().enumerate() {
            let PortKind::WideReduction { group, .. } = &t.kind else {
                continue;
            };
            let tiles = machine.network.multi_tiles(*group).flatten();
            let said = tiles.map(|tile| self.variant(i as u32, tile.0, machine));
            let said: Vec<Option<Variant>> = said.collect();
            let refused = |reason: &str| {
                Err(RunError::Refused {
                    backend: "sim",
                    what: format!("the faults of transactions[{i}]"),
                    reason: reason.to_owned(),
                })
            };
            if said.iter().all(|s| *s == said[0]) && said.first().is_some_and(Option::is_some) {
                return refused("no two members differ: all say the same");
            }
            let mut distinct: Vec<Variant> = Vec::new();
            for variant in said.into_iter().flatten() {
                if !variant.operator.accepts(variant.element) {
                    return refused("a member's operator is not defined for its element type");
                }
                if !distinct.contains(&variant) {
                    distinct.push(variant);
                }
            }
            if distinct.len() > MAX_VARIANTS {
                return refused("more than three kinds of contributions beside the transaction's");
            }
        }
        Ok(())
    }

    /// What the contribution of a member says, if that is not what the transaction says.
    fn variant(&self, entry: u32, tile: u32, machine: &Machine<'_>) -> Option<Variant> {
        let whole = machine.beat.bytes() as u16;
        let (mut operator, mut element, mut enabled) = (Operator::Sum, ElementType::Int64, whole);
        let own = self.differing.iter();
        for d in own.filter(|d| (d.entry, d.tile) == (entry, tile)) {
            match d.difference {
                Difference::Beats(_) => {}
                Difference::Operator(given) => operator = given,
                Difference::Element(given) => element = given,
                Difference::EnabledBytes(given) => enabled = given as u16,
            }
        }
        let differs = (operator, element, enabled) != (Operator::Sum, ElementType::Int64, whole);
        differs.then(|| Variant {
            operator,
            element,
            add_cycles: machine.add_cycles(element),
            enabled_bytes: enabled,
        })
    }

    /// A barrier opens: does it bear the name of another one, or another one its name?
    pub(crate) fn name(&self, entry: u32, txn: u32, machine: &mut Machine<'_>) {
        let mut named = self.named.iter();
        if let Some((_, of)) = named.find(|(t, of)| *t == entry || *of == entry) {
            machine.interfaces.txns.trees.give_name(txn, *of);
        }
    }

    /// May this entry end with SLVERR because its name is in use? That depends on when its contributions come.
    pub(crate) fn may_be_in_use(&self, entry: u32) -> bool {
        let mut named = self.named.iter();
        named.any(|(t, of)| *t == entry || *of == entry)
    }

    /// Does the NI respond to this entry by itself?
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
        let beats = machine.interfaces.txns.get(txn).beats;
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
                // Below: a contribution says one thing, whatever it differs in.
                Difference::Operator(_) | Difference::Element(_) | Difference::EnabledBytes(_) => {}
            }
        }
        if let Some(variant) = self.variant(entry, tile, machine) {
            let number = machine.interfaces.txns.trees.number_of(txn, variant);
            machine.errors.disagreeing.push((txn, tile, number));
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
        let responses = targets
            .map(|(tile, address, bytes)| machine.errors.memory_response(tile, address, bytes));
        responses.max().unwrap_or(OKAY)
    }

    /// Is nothing of this entry written anywhere?
    pub(crate) fn writes_nothing(&self, entry: u32) -> bool {
        self.is_refused(entry) || self.differing.iter().any(|d| d.entry == entry)
    }
}

/// Two barriers of one root that may have one name.
fn check_name(first: &PortKind, second: &PortKind, machine: &Machine<'_>) -> Result<(), String> {
    let (
        PortKind::Barrier { group, root },
        PortKind::Barrier {
            group: other,
            root: other_root,
        },
    ) = (first, second)
    else {
        return Err("only barriers have a name that another one can bear".to_owned());
    };
    if !machine.behaviour.names_barriers {
        return Err("published has no names; use flow = \"non_blocking\"".to_owned());
    }
    if root != other_root || group == other {
        return Err("barriers of one name have one root and different groups".to_owned());
    }
    Ok(())
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
    if !machine.behaviour.compares_contributions {
        return Err(
            "published compares destination and mask only and combines what comes; \
                    use flow = \"non_blocking\""
                .to_owned(),
        );
    }
    let beat_bytes = machine.beat.bytes() as u32;
    let accepted = match difference {
        Difference::Beats(given) => (1..*beats).contains(&given),
        Difference::Operator(operator) => operator != Operator::Sum,
        Difference::Element(element) => element != ElementType::Int64,
        Difference::EnabledBytes(enabled) => (1..beat_bytes).contains(&enabled),
    };
    if !accepted {
        return Err(format!(
            "a difference is 1 to {} beats, an operator other than sum, an element type other than \
             int64, or 1 to {} enabled bytes",
            beats.saturating_sub(1),
            beat_bytes - 1
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
