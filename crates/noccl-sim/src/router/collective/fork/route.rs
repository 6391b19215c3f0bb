// SPDX-License-Identifier: Apache-2.0
//! The output of a flit that goes to one place: X first, then Y.

use crate::router::collective::control::block::LOCAL;
use crate::transport::flit::{Flit, FlitKind, pack};
use crate::transport::transaction::Trees;
use noccl_net::Coord;

/// Output port towards a packed coordinate.
#[inline]
pub(crate) const fn next_port(here: Coord, dst: u32) -> usize {
    xy_port(pack(here), dst)
}

/// X first, then Y, then Local; the compiler makes it branch-free.
#[inline]
pub(crate) const fn xy_port(here: u32, dst: u32) -> usize {
    // Two differences at once: the guard bits keep a borrow of y out of x and hold the signs.
    let apart = (dst + 0x8000_8000).wrapping_sub(here) ^ 0x8000_8000;
    let (x, y) = ((apart >> 16) as i16, apart as i16);
    let (distance, port) = if x != 0 { (x, 1) } else { (y, 0) };
    if apart == 0 {
        LOCAL
    } else {
        port + 2 * (distance < 0) as usize
    }
}

/// Where a flit is routed to: contributions of wide reductions go to the root of their tree.
pub(crate) fn route_of(flit: Flit, trees: &Trees) -> u32 {
    match flit.kind {
        FlitKind::Reduce | FlitKind::ReduceHead => pack(trees.tree(flit.txn).root),
        FlitKind::Write
        | FlitKind::WriteHead
        | FlitKind::ReadRequest
        | FlitKind::ReadData
        | FlitKind::Response
        | FlitKind::CollectB
        | FlitKind::ReduceResponse
        | FlitKind::Barrier
        | FlitKind::Atomic
        | FlitKind::NarrowWrite
        | FlitKind::BarrierHead
        | FlitKind::Credit
        | FlitKind::Result => flit.dst,
    }
}

#[cfg(test)]
mod tests {
    use super::next_port;
    use crate::transport::flit::pack;
    use noccl_net::Coord;

    #[test]
    fn packed_form_is_the_next_hop_of_the_network() {
        let sides = [0, 1, 2, 127, 128, 1022, 1023, 32_766, 32_767];
        let all = || {
            sides
                .into_iter()
                .flat_map(|x| sides.map(|y| Coord::new(x, y)))
        };
        for (here, to) in all().flat_map(|here| all().map(move |to| (here, to))) {
            let expected = noccl_net::xy_port(here, to).idx();
            assert_eq!(next_port(here, pack(to)), expected, "{here} {to}");
        }
    }
}
