// SPDX-License-Identifier: Apache-2.0
//! `noccl elaborate`

use crate::args::{self, OverrideArgs};
use crate::table::{Align, grouped, table};
use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use noccl::network::{MessageCosts, Network, NetworkDescription, Port, TreeDescription, TreeKind};

/// Show a network: tiles, coordinates, address map, links
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl elaborate collective_noc_4x4
  noccl elaborate my_noc.toml -P ni.max_burst_beats=32 --json
  noccl elaborate collective_noc_4x4 --toml > my_noc.toml
  noccl elaborate smart_8x8 --tree reduction:3,4 --group 0,0,8,4
  noccl elaborate tilepro64_8x8 -P core.send_cycles=10

A file holds a whole network, or the name of a preset and what differs from it:
  base = \"collective_noc_8x8\"
  name = \"mine\"
  [memory]
  latency_cycles = 20")]
pub struct Elaborate {
    /// Preset name or TOML file
    #[arg(value_name = "SPEC")]
    spec: String,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// Print the spec itself, overrides applied, as TOML
    #[arg(long, conflicts_with = "json")]
    toml: bool,
    /// Print one tree in place of the network: multicast:X,Y (source) or reduction:X,Y (root), also mem:N
    ///
    /// Ports and their number for every tile of the tree: outputs of a multicast, inputs of a reduction, the own interface (local)
    /// of members included.
    #[arg(long, value_name = "KIND:TILE", conflicts_with = "toml")]
    tree: Option<String>,
    /// Destinations or contributors of the tree: all, row, row:Y, column:X, X,Y,W,H, tile:X,Y, set:X,Y;X,Y or
    /// cube:X,Y,MASK_X,MASK_Y
    #[arg(long, value_name = "SET", default_value = "all", requires = "tree")]
    group: String,
    /// Print the network, or the tree, as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for Elaborate {
    fn run(&self) -> Result<Outcome, Error> {
        let loaded = args::load_with_warnings(&self.spec, &self.overrides)?;
        if self.toml {
            output::data(&noccl::network::to_toml(loaded.network.spec()))?;
            return Ok(Outcome::Fine);
        }
        if let Some(tree) = &self.tree {
            self.print_tree(&loaded.network, tree)?;
            return Ok(Outcome::Fine);
        }
        let description = noccl::network::describe(&loaded.network, &loaded.warnings);
        if self.json {
            output::json(&description)?;
        } else {
            output::result(&summary(&description))?;
        }
        Ok(Outcome::Fine)
    }
}

impl Elaborate {
    fn print_tree(&self, network: &Network, tree: &str) -> Result<(), Error> {
        let request = noccl::network::parse_tree(network, tree)?;
        let group = noccl::network::parse_group(network, &self.group)?;
        let tree = noccl::network::tree(network, request, &group)?;
        if self.json {
            output::json(&tree)
        } else {
            output::result(&tree_table(&tree))
        }
    }
}

fn tree_table(tree: &TreeDescription) -> String {
    use Align::{Left, Right};
    let (ports, from, to) = match tree.kind {
        TreeKind::Multicast => ("outputs", "from", "to"),
        TreeKind::Reduction => ("inputs", "to", "of"),
    };
    let header = [("tile", Left), (ports, Left), ("number", Right)];
    let names = |ports: &[Port]| {
        let words: Vec<String> = ports.iter().map(noccl::collective::word).collect();
        words.join(" ")
    };
    let row = |tile: &noccl::network::TreeTile| {
        let number = grouped(tile.num_ports.into());
        vec![tile.name.clone(), names(&tile.ports), number]
    };
    let rows: Vec<Vec<String>> = tree.tiles.iter().map(row).collect();
    let corner = if tree.tree_root == tree.root {
        String::new()
    } else {
        format!("; it goes to {} first", tree.tree_root)
    };
    format!(
        "{}: {} {from} {} {to} {} ({} members){corner}\n\n{}\n{} tiles, {} links, at most {} ports at a tile\n",
        tree.network,
        noccl::collective::word(&tree.kind),
        tree.root,
        tree.group,
        tree.num_members,
        table(&header, &rows),
        tree.tiles.len(),
        tree.num_links,
        tree.max_ports
    )
}

fn summary(d: &NetworkDescription) -> String {
    match &d.message_costs {
        Some(costs) => core_summary(d, costs),
        None => axi_summary(d),
    }
}

fn core_summary(d: &NetworkDescription, costs: &MessageCosts) -> String {
    format!(
        "{}\na core at every tile; a unit of {} bytes has {} words\n\
         a message of one unit: {} cycles of the source, {} of the destination\n",
        first_line(d),
        costs.unit_bytes,
        costs.unit_words,
        grouped(costs.send_cycles),
        grouped(costs.receive_cycles)
    )
}

fn first_line(d: &NetworkDescription) -> String {
    let planes = d.planes.join(", ");
    let (tiles, links) = (d.tiles.len(), d.links.len());
    crate::width::prose(&format!(
        "{}: mesh {}x{}, {tiles} tiles, {links} links on each of the planes {planes}",
        d.network, d.mesh[0], d.mesh[1],
    ))
}

fn axi_summary(d: &NetworkDescription) -> String {
    use Align::{Left, Right};
    let header = [
        ("region", Left),
        ("corner x,y", Left),
        ("size", Left),
        ("base address", Left),
        ("stride [bytes]", Right),
    ];
    let rows: Vec<Vec<String>> = d
        .regions
        .iter()
        .map(|region| {
            vec![
                output_word(&region.kind),
                format!("{},{}", region.corner[0], region.corner[1]),
                format!("{}x{}", region.size[0], region.size[1]),
                region.base_address.clone(),
                grouped(region.stride_bytes),
            ]
        })
        .collect();
    format!(
        "{}\n{}\n\
         corner x,y: mesh coordinate of the south-west tile\n\
         operand store of a cluster's tile, in addition to its L1: {} bytes\n",
        first_line(d),
        table(&header, &rows),
        grouped(d.operand_store_bytes)
    )
}

fn output_word(kind: &noccl::network::TileKindName) -> String {
    match kind {
        noccl::network::TileKindName::Cluster => "cluster".to_owned(),
        noccl::network::TileKindName::Memory => "memory".to_owned(),
    }
}
