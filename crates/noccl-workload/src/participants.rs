// SPDX-License-Identifier: Apache-2.0
//! Which sets are one transaction.

use crate::TileSetError;
use noccl_net::{Coord, MultiAddress, Network};

/// Is the base of a set 0 where its mask is 1? Whoever reads a multi-address asks: members, routes and responses are
/// counted from the base, so a masked bit in it would give other members than the mask says.
///
/// # Errors
/// [`TileSetError`] saying what would be accepted.
pub fn check_base(set: MultiAddress) -> Result<(), TileSetError> {
    let base = MultiAddress::new(set.base, set.mask).base;
    if set.base == base {
        return Ok(());
    }
    Err(TileSetError {
        found: format!("base {} with mask {}", set.base, set.mask),
        accepted: format!("a base that is 0 where the mask is 1, here {base}"),
    })
}

/// Can the network address the set in one transaction here: every member mapped, no fixed bit under the mask?
///
/// # Errors
/// [`TileSetError`] saying what would be accepted.
pub fn check_multi_address(network: &Network, set: MultiAddress) -> Result<(), TileSetError> {
    check_base(set)?;
    // The largest member exists exactly if all do.
    let max = set.max();
    if max.x >= network.cluster_width() || max.y >= network.cluster_height() {
        return Err(outside(network, format!("a set that reaches {max}")));
    }
    Ok(())
}

/// The multi-address with exactly these members (sorted, without duplicates), if there is one.
#[must_use]
pub fn as_multi_address(members: &[Coord]) -> Option<MultiAddress> {
    let first = *members.first()?;
    let mask = members.iter().fold(Coord::new(0, 0), |mask, c| {
        Coord::new(mask.x | (c.x ^ first.x), mask.y | (c.y ^ first.y))
    });
    let set = MultiAddress::new(first, mask);
    let free_bits = mask.x.count_ones() + mask.y.count_ones();
    (1u64.checked_shl(free_bits) == Some(members.len() as u64)).then_some(set)
}

fn outside(network: &Network, found: String) -> TileSetError {
    TileSetError {
        found,
        accepted: format!(
            "members among the {} x {} clusters, (0,0) is south-west",
            network.cluster_width(),
            network.cluster_height()
        ),
    }
}
