// SPDX-License-Identifier: Apache-2.0
//! An elaborated network as plain data, for `noccl elaborate` and for drawing.

use crate::network::root_name;
use noccl_net::deadlock::operand_store_bytes;
use noccl_net::{Coord, Network, Port, TileKind};
use noccl_spec::{CoreTiles, TileKindName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands at a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DescribedTile {
    /// Cores, DMA engine, FPUs and L1 memory behind a network interface.
    Cluster,
    /// A memory tile.
    Memory,
    /// A core that writes words into its router.
    Core,
}

/// One tile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TileRow {
    /// As users name it: `0,0` (cluster or core) or `mem:0`.
    pub name: String,
    /// Mesh coordinate: x (east), y (north).
    pub mesh: [u16; 2],
    /// What stands there.
    pub kind: DescribedTile,
    /// First address of its memory, hexadecimal; empty where there are no addresses.
    pub base_address: String,
    /// Bytes of its memory.
    pub memory_bytes: u64,
}

/// One region of the address map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegionRow {
    /// What stands there.
    pub kind: TileKindName,
    /// First address, hexadecimal.
    pub base_address: String,
    /// Mesh coordinate of the south-west tile.
    pub corner: [u32; 2],
    /// Columns and rows.
    pub size: [u32; 2],
    /// Bytes from one tile to the next.
    pub stride_bytes: u64,
}

/// A directed router-to-router link; every plane has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkRow {
    /// Mesh coordinate of the router that drives it.
    pub from: [u16; 2],
    /// Mesh coordinate of the router at its other end.
    pub to: [u16; 2],
}

/// An elaborated network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkDescription {
    /// Name of the network.
    pub network: String,
    /// Columns and rows of the mesh.
    pub mesh: [u16; 2],
    /// Columns and rows of clusters, or of cores.
    pub clusters: [u16; 2],
    /// Mesh coordinate of the south-west cluster.
    pub cluster_origin: [u16; 2],
    /// Names of the planes.
    pub planes: Vec<String>,
    /// Address map; empty where there are no addresses.
    pub regions: Vec<RegionRow>,
    /// All tiles, x outer, y inner.
    pub tiles: Vec<TileRow>,
    /// Bytes of memory in every cluster's tile, in addition to its L1, in which operands of wide reductions wait.
    pub operand_store_bytes: u64,
    /// What a message costs on core tiles; absent on networks of clusters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_costs: Option<MessageCosts>,
    /// All links.
    pub links: Vec<LinkRow>,
    /// Settings of the spec without effect.
    pub warnings: Vec<String>,
}

/// What a message costs the cores at its ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageCosts {
    /// Bytes of data of a unit.
    pub unit_bytes: u32,
    /// Words of a whole unit, header and tag with them.
    pub unit_words: u32,
    /// Cycles of the source for a message of one whole unit.
    pub send_cycles: u64,
    /// Cycles of the destination for one.
    pub receive_cycles: u64,
}

/// Describes an elaborated network.
///
/// ```
/// let loaded = noccl::network::load("collective_noc_4x4", &[])?;
/// let description = noccl::network::describe(&loaded.network, &loaded.warnings);
/// assert_eq!(description.tiles.len(), 20);
/// # Ok::<(), noccl::Error>(())
/// ```
#[must_use]
pub fn describe(network: &Network, warnings: &[String]) -> NetworkDescription {
    let origin = network.cluster_origin();
    NetworkDescription {
        network: network.spec().label(),
        mesh: [network.width(), network.height()],
        clusters: [network.cluster_width(), network.cluster_height()],
        cluster_origin: [origin.x, origin.y],
        planes: network
            .planes()
            .iter()
            .map(|p| p.plane.name().to_owned())
            .collect(),
        regions: regions(network),
        tiles: tiles(network),
        operand_store_bytes: operand_store_bytes(network),
        message_costs: network.cores().map(message_costs),
        links: links(network),
        warnings: warnings.to_vec(),
    }
}

fn regions(network: &Network) -> Vec<RegionRow> {
    let regions = network.spec().mesh.regions.iter();
    regions
        .map(|region| RegionRow {
            kind: region.kind,
            base_address: format!("{:#x}", region.base_address),
            stride_bytes: region.stride_bytes,
            corner: [region.x, region.y],
            size: [region.width, region.height],
        })
        .collect()
}

fn tiles(network: &Network) -> Vec<TileRow> {
    let mesh =
        (0..network.width()).flat_map(|x| (0..network.height()).map(move |y| Coord::new(x, y)));
    mesh.map(|at| {
        let tile = network.tile_at(at);
        TileRow {
            name: root_name(network.tile_ref(tile)),
            mesh: [at.x, at.y],
            kind: match (network.cores(), network.kind(tile)) {
                (Some(_), _) => DescribedTile::Core,
                (None, TileKind::Cluster) => DescribedTile::Cluster,
                (None, TileKind::Memory) => DescribedTile::Memory,
            },
            base_address: match network.cores() {
                Some(_) => String::new(),
                None => format!("{:#x}", network.address(tile, 0)),
            },
            memory_bytes: network.memory_bytes(tile),
        }
    })
    .collect()
}

fn message_costs(cores: &CoreTiles) -> MessageCosts {
    let core = &cores.core;
    let unit_words = core.unit_words(core.unit_bytes);
    let cycles = |message: u32, word: u64| {
        u64::from(message) + u64::from(core.unit_cycles) + u64::from(unit_words) * word
    };
    MessageCosts {
        unit_bytes: core.unit_bytes,
        unit_words,
        send_cycles: cycles(core.send_cycles, core.written_word_cycles()),
        receive_cycles: cycles(core.receive_cycles, core.read_word_cycles()),
    }
}

fn links(network: &Network) -> Vec<LinkRow> {
    if !network.routers().has_links {
        return Vec::new();
    }
    let mesh =
        (0..network.width()).flat_map(|x| (0..network.height()).map(move |y| Coord::new(x, y)));
    mesh.flat_map(|from| {
        Port::ALL.into_iter().filter_map(move |port| {
            let to = network.neighbour(from, port)?;
            Some(LinkRow {
                from: [from.x, from.y],
                to: [to.x, to.y],
            })
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use crate::hardware::rtl_config;
    use crate::network::{describe, load};

    #[test]
    fn the_operand_store_has_the_banks_of_the_hardware_and_takes_nothing_of_the_l1() {
        for preset in [
            "collective_noc_4x4",
            "collective_noc_8x8",
            "collective_noc_64x64",
        ] {
            let network = load(preset, &[]).unwrap().network;
            let description = describe(&network, &[]);
            let hardware = rtl_config(&network).unwrap().operand_store_bytes();
            assert_eq!(description.operand_store_bytes, hardware, "{preset}");
            let l1_bytes = network.spec().axi().unwrap().cluster.l1_bytes;
            let cluster = description
                .tiles
                .iter()
                .find(|tile| tile.name == "0,0")
                .unwrap();
            assert_eq!(cluster.memory_bytes, l1_bytes);
            // On a large mesh it could not even lie there.
            assert_eq!(hardware > l1_bytes, preset == "collective_noc_64x64");
        }
        let published = load("collective_noc_4x4_published", &[]).unwrap().network;
        assert_eq!(describe(&published, &[]).operand_store_bytes, 0);
    }
}
