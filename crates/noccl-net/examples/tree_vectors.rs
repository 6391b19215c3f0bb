// SPDX-License-Identifier: Apache-2.0
//! Join sets, leaves, contributors and windows of every set, root and router of a network, as the simulator
//! has them: `cargo run -p noccl-net --example tree_vectors -- collective_noc_4x4`.
//!
//! One line of hexadecimal bytes per vector, read by `rtl/tb/noccl_tree`: router, root, base, mask (x and y each);
//! join set, leaves (two bytes), contributors (x and y of North, East, South, West), their windows, whether
//! other contributions are ahead, the window to them. What is outside the join set is zero.
#![allow(clippy::print_stdout)]

use noccl_net::deadlock::Windows;
use noccl_net::tree::{contributor, join_set, leaves_through};
use noccl_net::{AxiNetwork, Coord, MultiAddress, Network, Port, coord_behind, elaborate, xy_port};
use noccl_spec::{parse_spec, preset_text};
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).ok_or("which preset?")?;
    let network = elaborate(&parse_spec(&name, &preset_text(&name)?, &[])?)?;
    let axi = network
        .as_axi()
        .ok_or("core tiles have no trees; accepted: clusters")?;
    let mut out = BufWriter::new(io::stdout().lock());
    for set in sets(&network) {
        for root in routers(&network) {
            for here in routers(&network) {
                let mut line = String::new();
                for byte in question(here, root, set)
                    .into_iter()
                    .chain(response(axi, here, root, set))
                {
                    write!(line, "{byte:02x}")?;
                }
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(())
}

fn routers(network: &Network) -> impl Iterator<Item = Coord> {
    let (width, height) = (network.width(), network.height());
    (0..width).flat_map(move |x| (0..height).map(move |y| Coord::new(x, y)))
}

/// Every set of the cluster region.
fn sets(network: &Network) -> Vec<MultiAddress> {
    let along = |size: u16| -> Vec<(u16, u16)> {
        let pairs = (0..size).flat_map(|mask| (0..size).map(move |base| (base, mask)));
        pairs.filter(|(base, mask)| base & mask == 0).collect()
    };
    let rows = along(network.cluster_height());
    let columns = along(network.cluster_width());
    let cross = columns
        .iter()
        .flat_map(|x| rows.iter().map(move |y| (x, y)));
    cross
        .map(|(x, y)| MultiAddress::new(Coord::new(x.0, y.0), Coord::new(x.1, y.1)))
        .collect()
}

fn question(here: Coord, root: Coord, set: MultiAddress) -> Vec<u8> {
    [here, root, set.base, set.mask]
        .into_iter()
        .flat_map(coord_bytes)
        .collect()
}

fn coord_bytes(at: Coord) -> [u8; 2] {
    [at.x as u8, at.y as u8]
}

fn response(network: AxiNetwork<'_>, here: Coord, root: Coord, set: MultiAddress) -> Vec<u8> {
    let cube = network.cube(set);
    let window = |to: Coord| Windows::of(network).over(here.hops_to(to)) as u8;
    let inputs = join_set(here, cube, root);
    let mesh = [Port::North, Port::East, Port::South, Port::West];
    let froms = mesh.map(|p| (inputs & p.bit() != 0).then(|| contributor(here, p, cube, root)));
    let ahead = next_merge(here, |at| join_set(at, cube, root).count_ones() > 1, root);
    let ahead = ahead.filter(|_| inputs != 0);
    let mut bytes = vec![inputs];
    bytes.extend((leaves_through(here, cube, root) as u16).to_be_bytes());
    bytes.extend(froms.iter().flat_map(|at| at.map_or([0; 2], coord_bytes)));
    bytes.extend(froms.iter().map(|at| at.map_or(0, window)));
    bytes.extend([u8::from(ahead.is_some()), ahead.map_or(0, window)]);
    bytes
}

/// The next router on the path to the root that merges.
fn next_merge(here: Coord, merges: impl Fn(Coord) -> bool, root: Coord) -> Option<Coord> {
    let mut at = here;
    loop {
        at = coord_behind(at, xy_port(at, root))?;
        if merges(at) {
            return Some(at);
        }
    }
}
