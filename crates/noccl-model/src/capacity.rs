// SPDX-License-Identifier: Apache-2.0
//! Capacity of a network under open-loop traffic: an upper bound on the load that it can accept for long.
//!
//! A link moves one flit per cycle (in two cycles between FIFOs of one slot). If the pattern puts `load` flits on the busiest link for each beat that a cluster
//! offers, no more than 1 / load beats per cluster and cycle can pass. Without links the ports into the interfaces take their place. Buffers, arbitration and responses only lower that.
//! Source: Dally and Towles, *Principles and Practices of Interconnection Networks*, 3.3.1 and 23.1.

use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, Network, Port, busiest_uniform_load};
use noccl_workload::Pattern;
use std::collections::HashMap;

/// Beats per cluster and cycle that the busiest link of the wide plane lets pass, at most 1: a network interface sends one
/// flit per cycle. `beats` per burst; some routers send an address flit before each.
#[must_use]
pub fn capacity_beats_per_cycle(network: &Network, pattern: Pattern, beats: u32) -> f64 {
    let flits = f64::from(beats) + f64::from(network.routers().address_flits);
    let load = busiest_load(network, pattern).max(1.0);
    f64::from(beats) / flits / load / f64::from(network.flit_cycles())
}

/// Flits on the busiest link per flit that each cluster sends; without links, into the busiest interface.
fn busiest_load(network: &Network, pattern: Pattern) -> f64 {
    let (columns, rows) = (network.cluster_width(), network.cluster_height());
    let to = |from: Coord| pattern.destination(from, columns, rows);
    let has_links = network.routers().has_links;
    match pattern {
        Pattern::Uniform if !has_links => 1.0,
        Pattern::Uniform => busiest_uniform_load(columns, rows),
        Pattern::Broadcast
        | Pattern::CornerBroadcast
        | Pattern::RandomMulticast
        | Pattern::ManyToOne => crate::capacity_collective::busiest_load(network, pattern),
        // Every cluster takes in what the others of its row send; its own copy may come back too.
        Pattern::RowMulticast if network.routers().returns_own_copy => f64::from(columns),
        Pattern::RowMulticast => f64::from(columns) - 1.0,
        Pattern::Transpose
        | Pattern::BitComplement
        | Pattern::Neighbour
        | Pattern::Tornado
        | Pattern::Hotspot => {
            let mut loads: HashMap<(Coord, Port), u32> = HashMap::new();
            let all = (0..columns).flat_map(|x| (0..rows).map(move |y| Coord::new(x, y)));
            for (from, to) in all.filter_map(|from| Some((from, to(from)?))) {
                let path = network.path(network.mesh_coord(from), network.mesh_coord(to));
                let is_passed = |(_, port): &(Coord, Port)| has_links || *port == Port::Local;
                for link in path.filter(is_passed) {
                    *loads.entry(link).or_default() += 1;
                }
            }
            f64::from(max_or_zero(loads.into_values()))
        }
    }
}
