// SPDX-License-Identifier: Apache-2.0
//! What a flit in flight asks for at a router: may it go on, with what, and what stays behind.

use super::OnLine;
use crate::router::collective::context::Context;
use crate::router::collective::fifo::store::{FlitEntry, RoutedBy};
use crate::router::collective::fork::requests::fork_ports;
use crate::router::collective::fork::route::{route_of, xy_port};
use crate::router::collective::plane::PlaneState;
use crate::router::collective::reduction::merging::meets_others;
use crate::transport::flit::{Flit, FlitKind, unpack};

impl PlaneState {
    /// What goes on straight if this flit may, and the other outputs that it asks for, as a bit set.
    ///
    /// - A flit to one place goes on if its route does; that ends at corners and at the destination.
    /// - A multicast goes on if one of its branches does; the others are served as if it had arrived in a FIFO.
    /// - A contribution goes on if it would be decided at once and goes on then: the last one of a barrier or a merged response, or an
    ///   operand of a wide reduction that meets no others here. Sums take the arithmetic's cycles, so operands that meet others end here.
    pub(super) fn passes(
        &mut self,
        at: OnLine,
        flit: FlitEntry,
        context: &Context<'_>,
    ) -> Option<(FlitEntry, u8)> {
        let here = self.coords[at.router];
        if flit.routed_by() == RoutedBy::Destination {
            return (xy_port(here, flit.destination()) == at.out).then_some((flit, 0));
        }
        let straight = 1 << at.out;
        if flit.routed_by() == RoutedBy::Set {
            let set = fork_ports(at.input, here, flit.txn(), context.trees);
            return (set & straight != 0).then_some((flit, set & !straight));
        }
        let whole = Flit::from_packed(self.flits.get(flit));
        if xy_port(here, route_of(whole, context.trees)) != at.out {
            return None;
        }
        if whole.kind == FlitKind::Reduce {
            let tree = context.trees.tree(whole.txn);
            return (!meets_others(unpack(here), whole, tree)).then_some((flit, 0));
        }
        let merged = self
            .joins
            .merge_in_flight(at.router, unpack(here), at.input, whole, context);
        merged.map(|merged| {
            self.flits.release(flit);
            (self.flits.put(merged.packed(), 1), 0)
        })
    }
}
