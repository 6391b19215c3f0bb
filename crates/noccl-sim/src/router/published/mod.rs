// SPDX-License-Identifier: Apache-2.0
//! The published router (flow `published`): wormholes, holding forks, joins at FIFO heads.
//!
//! Differences from the default, all from the authors' RTL (`docs/papers/S1.md`, "Published router"):
//! writes are packets of AW and W flits, and an output stays with one input until the packet's last flit;
//! a fork takes its outputs one by one and keeps them; contributions of a reduction wait at the heads of
//! the input FIFOs until all of them stand there; the merged flit goes first even over an output that a
//! packet holds. It can therefore deadlock, and it can split a packet: both are behaviour to reproduce.

mod head_joins;
pub(crate) mod packets;
pub(crate) mod reduction;

use crate::router::behaviour::Behaviour;
use noccl_net::capabilities::{Reduces, RouterCapabilities};
use noccl_net::tree::{Cube, join_set};
use noccl_net::{Coord, Network};
use noccl_run::RunError;

/// The authors' interfaces and routers.
pub(crate) const fn behaviour(can: &RouterCapabilities) -> Behaviour {
    Behaviour {
        is_wormhole: can.address_flits > 0,
        has_own_copies: !can.returns_own_copy,
        has_write_channels: false,
        has_source_queues: false,
        limits_wide_reads: false,
        has_registered_limits: false,
        orders_narrow_data: false,
        has_credits: false,
        names_barriers: false,
        compares_contributions: false,
        direct: None,
    }
}

/// Refuses reductions that the published unit cannot do: it combines two operands, and a router of this
/// tree would have to fold three (an assertion fires in the released RTL).
pub(crate) fn refuse_operands(
    network: &Network,
    what: String,
    group: Cube,
    root: Coord,
) -> Result<(), RunError> {
    const MAX_OPERANDS: u32 = 2;
    if network.routers().reduces != Reduces::TwoInputs {
        return Ok(());
    }
    let (min, max) = group.bounds();
    let columns = min.x.min(root.x)..=max.x.max(root.x);
    for at in
        columns.flat_map(|x| (min.y.min(root.y)..=max.y.max(root.y)).map(move |y| Coord::new(x, y)))
    {
        let operands = join_set(at, group, root).count_ones();
        if operands > MAX_OPERANDS {
            return Err(RunError::Refused {
                backend: "sim",
                what,
                reason: format!(
                    "router {at} would have to combine {operands} operands and published combines two; \
                     reduce rows first, then the column, or use flow = \"non_blocking\""
                ),
            });
        }
    }
    Ok(())
}
