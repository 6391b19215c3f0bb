// SPDX-License-Identifier: Apache-2.0
//! Routing vectors: what every router of a network must answer, for all positions, ports and sets.
//!
//! They tie the hardware's routing to `noccl-net`, the only crate that computes a route.

use noccl_net::tree::{fork_set, join_set, leaves_through};
use noccl_net::{Coord, MultiAddress, Network, Port};
use std::fmt::Write;

/// All vectors, one per line, numbers in hexadecimal. Lines begin with what they are:
///
/// | line | answers |
/// |---|---|
/// | `u X Y DX DY PORT` | unicast at router (X, Y) to (DX, DY): index of the output port |
/// | `f X Y P BX BY MX MY SET` | multicast at (X, Y) from input port P: set of output ports |
/// | `j X Y RX RY BX BY MX MY SET LEAVES` | join at (X, Y) towards root (RX, RY): set of input ports with contributions, and contributors behind the router |
///
/// Ports count N, E, S, W, Local from 0; a set has bit p for port p. X, Y, roots and destinations are mesh
/// coordinates, bases and masks coordinates of the cluster region. Only sets whose members all exist
/// occur; roots are all clusters.
#[must_use]
pub fn vectors_text(network: &Network) -> String {
    let mut text = String::new();
    let routers: Vec<Coord> = coords(network.width(), network.height()).collect();
    for here in &routers {
        for to in &routers {
            let port = network.next_hop(*here, *to) as u8;
            line(&mut text, 'u', &[here.x, here.y, to.x, to.y, port.into()]);
        }
    }
    let sets: Vec<MultiAddress> = sets(network).collect();
    for here in &routers {
        for set in &sets {
            let (base, mask) = (set.base, set.mask);
            let numbers = [base.x, base.y, mask.x, mask.y];
            for port in Port::ALL {
                let ports = fork_set(*here, port, network.cube(*set));
                let at = [here.x, here.y, port as u16];
                line(
                    &mut text,
                    'f',
                    &[&at[..], &numbers, &[ports.into()]].concat(),
                );
            }
            for root in network.clusters().map(|tile| network.coord(tile)) {
                let group = network.cube(*set);
                let ports = join_set(*here, group, root);
                let leaves = leaves_through(*here, group, root) as u16;
                let at = [here.x, here.y, root.x, root.y];
                line(
                    &mut text,
                    'j',
                    &[&at[..], &numbers, &[ports.into(), leaves]].concat(),
                );
            }
        }
    }
    text
}

fn coords(width: u16, height: u16) -> impl Iterator<Item = Coord> {
    (0..width).flat_map(move |x| (0..height).map(move |y| Coord::new(x, y)))
}

/// Every set of clusters that one multi-address can name.
fn sets(network: &Network) -> impl Iterator<Item = MultiAddress> + '_ {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let (columns, rows) = network.padded_clusters();
    coords(columns as u16, rows as u16).flat_map(move |mask| {
        coords(width, height)
            .map(move |base| (base, MultiAddress::new(base, mask)))
            // One base per set: the one without masked bits.
            .filter(|(base, set)| *base == set.base)
            .map(|(_, set)| set)
            .filter(move |set| {
                let last = MultiAddress::max(*set);
                last.x < width && last.y < height
            })
    })
}

fn line(text: &mut String, kind: char, numbers: &[u16]) {
    text.push(kind);
    for number in numbers {
        // Writing to a string cannot fail.
        let _ = write!(text, " {number:x}");
    }
    text.push('\n');
}
