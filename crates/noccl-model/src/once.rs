// SPDX-License-Identifier: Apache-2.0
//! All-reduces in one transaction, in closed form.

use crate::bound::pipeline_cycles;
use crate::constants::{cycles_per_beat, passes};
use noccl_net::tree::{Cube, join_set};
use noccl_net::{Coord, Network};
use noccl_spec::Plane;
use noccl_workload::InNetworkReduction;

/// Between the ports: into the router and out of it in both directions, and the root's L1 between them.
const PORTS_CYCLES: u64 = 6;

/// Cycles of an all-reduce on an idle network, as a run times it: the slowest path to the root with its additions, the longest path
/// out, the root's pace. Exact for one burst (`docs/timing.md`); windows add some to long ones on large meshes.
///
/// `None` if the root does not exist here.
#[must_use]
pub fn all_reduce_once_cycles(network: &Network, reduction: &InNetworkReduction) -> Option<u64> {
    let root = network.coord(network.find(reduction.root.tile)?);
    let group = network.cube(reduction.group);
    let axi = network.axi();
    let cluster = &axi.cluster;
    let addition = u64::from(pipeline_cycles(axi, reduction.element));
    let cut = u64::from(axi.router.wide_reduction.cut_cycles);
    let kind = axi.router.wide_reduction.kind;
    let hop = u64::from(network.plane(Plane::Wide).hop_cycles);
    let (mut path_in, mut hops) = (0, 0);
    let mut pace = f64::from(network.flit_cycles());
    // The farthest contributions come from corners of the group, and pass the routers that add most.
    for corner in corners(group) {
        let mut cycles = hop * u64::from(corner.hops_to(root));
        for (at, _) in network.path(corner, root) {
            let operands = join_set(at, group, root).count_ones();
            if operands > 1 {
                cycles +=
                    u64::from(operands - 1) * addition + cut * u64::from(passes(kind, operands));
                pace = pace.max(cycles_per_beat(kind, operands, addition as f64));
            }
        }
        path_in = path_in.max(cycles);
        hops = hops.max(corner.hops_to(root));
    }
    let beats = axi.ni.beats(reduction.bytes);
    let lanes = u64::from(cluster.cycles_per_wide_addition(&axi.ni));
    let agents = cluster.request_path_cycles
        + cluster.response_path_cycles
        + cluster.dma.start_cycles
        + cluster.dma.complete_cycles;
    let serial = ((beats.saturating_sub(1) * lanes) as f64 * pace).round() as u64;
    Some(u64::from(agents) + PORTS_CYCLES + path_in + hop * u64::from(hops) + serial)
}

fn corners(group: Cube) -> impl Iterator<Item = Coord> {
    let (min, max) = group.bounds();
    let columns = [min.x, max.x].into_iter();
    columns.flat_map(move |x| [min.y, max.y].into_iter().map(move |y| Coord::new(x, y)))
}
