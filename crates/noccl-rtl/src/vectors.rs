// SPDX-License-Identifier: Apache-2.0
//! Routing vectors: the outputs that every router of a network must choose, for all positions, inputs and sets.
//!
//! They tie the hardware's routing to `noccl-net`, the only crate that computes a route.

use noccl_net::tree::fork_set;
use noccl_net::{Coord, MultiAddress, Network, Port};

/// All vectors, one per line, as `$readmemh` reads them: numbers of four hexadecimal digits, joined by `_`.
///
/// ```text
/// 0_X_Y_DX_DY_0_0_0_0_N_E_S_W_L    a flit at router (X, Y) to the tile (DX, DY)
/// 1_X_Y_0_0_BX_BY_MX_MY_N_E_S_W_L  a flit at router (X, Y) to all members of a set
/// ```
///
/// The last five are the outputs at the inputs North, East, South, West and Local: a set of output ports,
/// bit 0 North to bit 4 Local. Positions and destinations are mesh coordinates, base and mask of a set
/// coordinates of the cluster region. Only sets whose members all exist occur.
#[must_use]
pub fn vectors_text(network: &Network) -> String {
    let mut text = String::new();
    let routers: Vec<Coord> = coords(network.width(), network.height()).collect();
    let sets: Vec<MultiAddress> = sets(network).collect();
    for here in &routers {
        for to in &routers {
            let out = u16::from(network.next_hop(*here, *to).bit());
            line(
                &mut text,
                &[0, here.x, here.y, to.x, to.y, 0, 0, 0, 0],
                [out; 5],
            );
        }
        for set in &sets {
            let (base, mask) = (set.base, set.mask);
            let question = [1, here.x, here.y, 0, 0, base.x, base.y, mask.x, mask.y];
            let outputs = |port| u16::from(fork_set(*here, port, network.cube(*set)));
            line(&mut text, &question, Port::ALL.map(outputs));
        }
    }
    text
}

fn coords(width: u16, height: u16) -> impl Iterator<Item = Coord> {
    (0..width).flat_map(move |x| (0..height).map(move |y| Coord::new(x, y)))
}

/// Every set of clusters that one multi-address can name, each once.
fn sets(network: &Network) -> impl Iterator<Item = MultiAddress> + '_ {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let (columns, rows) = network.padded_clusters();
    let is_on_mesh = move |set: &MultiAddress| {
        let last = MultiAddress::max(*set);
        last.x < width && last.y < height
    };
    coords(columns as u16, rows as u16).flat_map(move |mask| {
        coords(width, height)
            .map(move |base| (base, MultiAddress::new(base, mask)))
            // The base without masked bits stands for all of them.
            .filter(|(base, set)| *base == set.base)
            .map(|(_, set)| set)
            .filter(is_on_mesh)
    })
}

fn line(text: &mut String, question: &[u16], outputs: [u16; 5]) {
    let numbers = question.iter().chain(&outputs);
    let digits: Vec<String> = numbers.map(|n| format!("{n:04x}")).collect();
    *text += &digits.join("_");
    text.push('\n');
}
