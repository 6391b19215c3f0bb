// SPDX-License-Identifier: Apache-2.0
//! All-reduces in one transaction, in closed form.

use crate::bound::pipeline_cycles;
use crate::constants::{cycles_per_beat, passes};
use noccl_net::counts::max_or_zero;
use noccl_net::pairs::{FoldOrder, senders};
use noccl_net::tree::Cube;
use noccl_net::{AxiNetwork, Coord};
use noccl_spec::Plane;
use noccl_workload::InNetworkReduction;

/// Between the ports: into the router and out of it in both directions, and the root's L1 between them.
const PORTS_CYCLES: u64 = 6;

/// Cycles of an all-reduce on an idle network, as a run times it: the slowest path to the root with its additions, the longest path
/// out, the root's pace. Exact for one burst (`docs/timing.md`); windows add some to long ones on large meshes.
///
/// `None` if the root does not exist here.
#[must_use]
pub fn all_reduce_once_cycles(
    network: AxiNetwork<'_>,
    reduction: &InNetworkReduction,
) -> Option<u64> {
    let root = network.coord(network.find(reduction.root.tile)?);
    let group = network.cube(reduction.group);
    let axi = network.axi();
    let cluster = &axi.cluster;
    let sums = Sums {
        network,
        group,
        root,
        fold_order: reduction.fold_order(&network),
        addition: u64::from(pipeline_cycles(axi, reduction.element)),
    };
    let (path_in, pace) = sums.of(root);
    let pace = pace.max(f64::from(network.flit_cycles()));
    // The farthest members are corners of the group.
    let paths = corners(group).map(|corner| network.paths(root, corner));
    let path_out = sums.path_cycles() * u64::from(max_or_zero(paths));
    let beats = axi.ni.beats(reduction.bytes);
    let lanes = u64::from(cluster.cycles_per_wide_addition(&axi.ni));
    let agents = cluster.request_path_cycles
        + cluster.response_path_cycles
        + cluster.dma.start_cycles
        + cluster.dma.complete_cycles;
    let serial = ((beats.saturating_sub(1) * lanes) as f64 * pace).round() as u64;
    Some(u64::from(agents) + PORTS_CYCLES + path_in + path_out + serial)
}

/// What contributions take until they are the sum of a router.
struct Sums<'a> {
    network: AxiNetwork<'a>,
    group: Cube,
    root: Coord,
    fold_order: FoldOrder,
    addition: u64,
}

impl Sums<'_> {
    /// Cycles until the sum of a router is ready, and cycles per beat of the slowest router before it.
    fn of(&self, here: Coord) -> (u64, f64) {
        let mut pace = 1.0_f64;
        let senders = senders(here, self.group, self.root, self.fold_order);
        let operands: Vec<u64> = { senders.iter() }
            .map(|from| {
                if *from == here {
                    return 0;
                }
                let (ready, slowest) = self.of(*from);
                pace = pace.max(slowest);
                ready + self.path_cycles() * u64::from(self.network.paths(*from, here))
            })
            .collect();
        let last = max_or_zero(operands.iter().copied());
        let count = operands.len() as u32;
        match self.fold_order {
            FoldOrder::InPairs => {
                let sum = operands.into_iter();
                let sum = sum.reduce(|sum, operand| sum.max(operand) + self.adding(2));
                (sum.unwrap_or(last), pace)
            }
            FoldOrder::ByRouter if count < 2 => (last, pace),
            FoldOrder::ByRouter => {
                let kind = self.network.axi().router.wide_reduction.kind;
                let slowest = cycles_per_beat(kind, count, self.addition as f64);
                (last + self.adding(count), pace.max(slowest))
            }
        }
    }

    fn adding(&self, operands: u32) -> u64 {
        let wide = &self.network.axi().router.wide_reduction;
        let cut = u64::from(wide.cut_cycles);
        u64::from(operands - 1) * self.addition + cut * u64::from(passes(wide.kind, operands))
    }

    fn path_cycles(&self) -> u64 {
        u64::from(self.network.plane(Plane::Wide).hop_cycles)
    }
}

fn corners(group: Cube) -> impl Iterator<Item = Coord> {
    let (min, max) = group.bounds();
    let columns = [min.x, max.x].into_iter();
    columns.flat_map(move |x| [min.y, max.y].into_iter().map(move |y| Coord::new(x, y)))
}
