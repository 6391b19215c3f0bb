// SPDX-License-Identifier: Apache-2.0
//! Where a contribution to a wide reduction meets others, and how many beats of it may be on the path there.

use crate::router::collective::context::Context;
use crate::transport::axi_response::SLVERR;
use crate::transport::flit::{Flit, unpack};
use crate::transport::transaction::Tree;
use noccl_net::deadlock::Windows;
use noccl_net::pairs::{FoldOrder, meets_here};
use noccl_net::tree::join_set;
use noccl_net::{Coord, coord_behind, xy_port};

/// Inputs of a transaction at this router, if this contribution meets others here.
#[cold]
pub(super) fn inputs_that_meet(here: Coord, flit: Flit, context: &Context<'_>) -> Option<u8> {
    let tree = context.trees.tree(flit.txn);
    meets_others(here, flit, tree).then(|| join_set(here, tree.set, tree.root))
}

/// Does a contribution meet others of its transaction at this router?
pub(crate) fn meets_others(here: Coord, flit: Flit, tree: &Tree) -> bool {
    match tree.fold_order {
        FoldOrder::ByRouter => join_set(here, tree.set, tree.root).count_ones() > 1,
        FoldOrder::InPairs => meets_here(unpack(flit.dst), here, tree.set, tree.root),
    }
}

/// Sums are whole lines, so an operand that enables a part of its line is marked where it would be combined.
#[cold]
pub(super) fn marked_if_partial(flit: Flit, context: &Context<'_>) -> Flit {
    let variant = context.trees.variant(flit.txn, flit.variant());
    let is_partial =
        variant.is_some_and(|v| usize::from(v.enabled_bytes) != context.pool.beat().bytes());
    if is_partial {
        flit.with_resp(SLVERR)
    } else {
        flit
    }
}

/// Window of a contribution that leaves `here`: none if it meets no other contributions on its path to the root.
pub(crate) fn window_ahead(
    here: Coord,
    tree: &Tree,
    counts_here: bool,
    windows: Windows,
) -> Option<u32> {
    let mut at = here;
    let mut counts = counts_here;
    loop {
        if counts && join_set(at, tree.set, tree.root).count_ones() > 1 {
            return Some(windows.over(here.hops_to(at)));
        }
        counts = true;
        at = coord_behind(at, xy_port(at, tree.root))?;
    }
}
