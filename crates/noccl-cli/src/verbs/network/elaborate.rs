// SPDX-License-Identifier: Apache-2.0
//! `noccl elaborate`

use crate::args::{self, OverrideArgs};
use crate::table::{Align, grouped, table};
use crate::{Outcome, output};
use clap::Args;
use noccl::{Error, NetworkDescription};

/// Elaborate a spec to a network: coordinates, tile kinds, address map, links
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl elaborate collective_noc_4x4
  noccl elaborate my_noc.toml -P ni.max_burst_beats=32 --json
  noccl elaborate collective_noc_4x4 --toml > my_noc.toml

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
    /// Print the network as JSON
    #[arg(long)]
    json: bool,
}

impl Elaborate {
    pub fn run(&self) -> Result<Outcome, Error> {
        let loaded = args::load_with_warnings(&self.spec, &self.overrides)?;
        if self.toml {
            output::data(&noccl::to_toml(loaded.network.spec()))?;
            return Ok(Outcome::Fine);
        }
        let description = noccl::describe(&loaded.network, &loaded.warnings);
        if self.json {
            output::json(&description)?;
        } else {
            output::result(&summary(&description))?;
        }
        Ok(Outcome::Fine)
    }
}

fn summary(d: &NetworkDescription) -> String {
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
        "{}: mesh {}x{}, {} tiles, {} links on each of the planes {}\n\n{}\n\
         corner x,y: mesh coordinate of the south-west tile\n\
         operand store of a cluster's tile, beside its L1: {} bytes\n",
        d.network,
        d.mesh[0],
        d.mesh[1],
        d.tiles.len(),
        d.links.len(),
        d.planes.join(", "),
        table(&header, &rows),
        grouped(d.operand_store_bytes)
    )
}

fn output_word(kind: &noccl::TileKindName) -> String {
    match kind {
        noccl::TileKindName::Cluster => "cluster".to_owned(),
        noccl::TileKindName::Memory => "memory".to_owned(),
    }
}
