// SPDX-License-Identifier: Apache-2.0
//! Is every action possible on this network, looked at alone?

use super::CheckError;
use crate::participants::check_multi_address;
use crate::{ActionKind, ElementType, Need, Operator, SCHEDULE_FORMAT, Schedule, TileSetError};
use noccl_net::capabilities::Carries;
use noccl_net::{MultiAddress, NetError, Network, TileId, TileRef};

/// Checks the version, the collective and every action, each alone: whether the network can run the schedule at all.
///
/// # Errors
/// [`CheckError`] of the first field that the network refuses.
pub fn check_form(network: &Network, schedule: &Schedule) -> Result<(), CheckError> {
    if schedule.format != SCHEDULE_FORMAT {
        return Err(CheckError::Field {
            field: "format".to_owned(),
            found: schedule.format.to_string(),
            accepted: format!("this version reads format {SCHEDULE_FORMAT}"),
        });
    }
    if let Some(collective) = &schedule.collective {
        super::promise::check_collective(network, collective)?;
    }
    if let Some(first) = schedule.first.filter(|_| !carries_words(network)) {
        return Err(CheckError::Field {
            field: "first".to_owned(),
            found: format!("{first:?}").to_lowercase(),
            accepted: "nothing: only cores that send words choose between sending and receiving"
                .to_owned(),
        });
    }
    check_packets(network, schedule)?;
    for (i, action) in schedule.actions.iter().enumerate() {
        let at = At {
            network,
            action: i,
            kind: action.kind.name(),
        };
        at.carried(&action.kind)?;
        action.kind.check(&at)?;
    }
    Ok(())
}

/// A message is a packet of a head and data.
fn check_packets(network: &Network, schedule: &Schedule) -> Result<(), CheckError> {
    let (flits, field) = network.longest_packet_beats();
    let are_messages = network.routers().carries == Carries::Messages;
    if schedule.actions.is_empty() || !are_messages || flits >= 2 {
        return Ok(());
    }
    Err(CheckError::Field {
        field: field.to_owned(),
        found: flits.to_string(),
        accepted: "at least 2 to run a schedule: the first flit of a packet is its head".to_owned(),
    })
}

/// Do its tiles send words to each other, as cores do?
pub(super) const fn carries_words(network: &Network) -> bool {
    network.routers().carries_words()
}

/// One action of the schedule, for checks that name its fields.
pub(crate) struct At<'a> {
    pub(crate) network: &'a Network,
    pub(crate) action: usize,
    pub(crate) kind: &'static str,
}

impl At<'_> {
    /// Routers that multicast by lists do nothing else; what they refuse need not be searched for deadlocks first. Cores that send
    /// words take part in nothing that has addresses, and nobody else sends words.
    fn carried(&self, kind: &ActionKind) -> Result<(), CheckError> {
        let needs = kind.needs();
        let is_by_lists = self.network.routers().carries_lists_only();
        let accepted = match (carries_words(self.network), needs) {
            (true, _) if kind.is_of_cores() => return Ok(()),
            (true, _) => {
                "accepted: message, static_multicast, local_reduce or compute: core tiles do nothing else"
                    .to_owned()
            }
            (false, Need::Words) => {
                "accepted: a network of core tiles, as the preset tilepro64_8x8; elsewhere a transfer or delivery"
                    .to_owned()
            }
            (false, _) if is_by_lists && needs != Need::ListMulticast => format!(
                "accepted: list_multicast; routers of flow {} carry nothing else",
                self.flow()
            ),
            (false, _) => return Ok(()),
        };
        Err(CheckError::Field {
            field: format!("actions[{}].kind", self.action),
            found: self.kind.to_owned(),
            accepted,
        })
    }

    /// Name of the routers' kind.
    pub(crate) fn flow(&self) -> &'static str {
        self.network.spec().flow_name()
    }

    /// Do cores compute on memories here? Else `name`, the field that says where, is refused.
    pub(crate) fn computes(&self, name: &str, found: impl ToString) -> Result<(), CheckError> {
        let routers = self.network.routers();
        if routers.computes_in_memories || routers.carries_words() {
            return Ok(());
        }
        let flow = self.flow();
        let accepted = format!(
            "no cluster computes with router.flow = \"{flow}\"; accepted: a reduction in the network, or another flow"
        );
        self.fail(name, found, &accepted)
    }

    pub(crate) fn field(&self, name: &str) -> String {
        format!("actions[{}].kind.{}.{name}", self.action, self.kind)
    }

    pub(crate) fn fail<T>(
        &self,
        name: &str,
        found: impl ToString,
        accepted: &str,
    ) -> Result<T, CheckError> {
        Err(CheckError::Field {
            field: self.field(name),
            found: found.to_string(),
            accepted: accepted.to_owned(),
        })
    }

    pub(crate) fn cluster(&self, name: &str, tile: TileRef) -> Result<TileId, CheckError> {
        match tile {
            TileRef::Cluster(_) => find(self.network, self.field(name), tile),
            TileRef::Memory(_) => self.fail(name, tile, "a cluster: memory tiles run nothing"),
        }
    }

    pub(crate) fn fits(&self, name: &str, tile: TileId, end: u128) -> Result<(), CheckError> {
        check_fits(self.network, || self.field(name), tile, end)
    }

    pub(crate) fn multi_address(&self, name: &str, set: MultiAddress) -> Result<(), CheckError> {
        check_multi_address(self.network, set).map_err(|e| set_error(self.field(name), e))
    }
}

pub(crate) fn find(network: &Network, field: String, tile: TileRef) -> Result<TileId, CheckError> {
    network.find(tile).ok_or_else(|| CheckError::Field {
        field,
        found: tile.to_string(),
        accepted: format!(
            "accepted: a tile of the network: clusters (0,0) to ({},{}), {}",
            network.cluster_width().saturating_sub(1),
            network.cluster_height().saturating_sub(1),
            match network.memories().count() {
                0 => "no memory tiles".to_owned(),
                n => format!("memory tiles mem:0 to mem:{}", n - 1),
            }
        ),
    })
}

pub(crate) fn check_fits(
    network: &Network,
    field: impl Fn() -> String,
    tile: TileId,
    end: u128,
) -> Result<(), CheckError> {
    let available_bytes = network.memory_bytes(tile);
    if end <= u128::from(available_bytes) {
        return Ok(());
    }
    Err(CheckError::DoesNotFit {
        field: field(),
        tile: network.tile_ref(tile).to_string(),
        needed_bytes: end,
        available_bytes,
        limit: network.memory_field(tile),
    })
}

pub(crate) fn check_operator(
    field: String,
    operator: Operator,
    element: ElementType,
) -> Result<(), CheckError> {
    if operator.accepts(element) {
        return Ok(());
    }
    Err(CheckError::Field {
        field,
        found: operator.to_string(),
        accepted: format!("sum, min or max for {element}; bitwise operators take integers"),
    })
}

pub(crate) fn check_multiple(
    field: String,
    value: u64,
    element: ElementType,
) -> Result<(), CheckError> {
    if value.is_multiple_of(element.bytes()) {
        return Ok(());
    }
    Err(CheckError::Field {
        field,
        found: value.to_string(),
        accepted: format!("a multiple of {} bytes, one {element}", element.bytes()),
    })
}

fn set_error(field: String, error: TileSetError) -> CheckError {
    CheckError::Field {
        field,
        found: error.found,
        accepted: error.accepted,
    }
}

pub(crate) fn group_error(field: String, error: &NetError) -> CheckError {
    let (found, accepted) = if let NetError::Set { set, reason, .. } = error {
        (set.clone(), reason.clone())
    } else {
        ("a set".to_owned(), error.to_string())
    };
    CheckError::Field {
        field,
        found,
        accepted,
    }
}
