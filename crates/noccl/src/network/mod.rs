// SPDX-License-Identifier: Apache-2.0
//! Networks: presets and specs, tiles, groups, links and trees.

mod describe;
mod tree;

pub use describe::{
    DescribedTile, LinkRow, MessageCosts, NetworkDescription, RegionRow, TileRow, describe,
};
pub use tree::{TreeDescription, TreeKind, TreeRequest, TreeTile, parse_tree, tree};

pub use noccl_net::{Coord, MultiAddress, NetError, Network, Port, TileId, TileRef, TileSet};
pub use noccl_spec::{Plane, Spec, SpecError, TileKindName, nearest, preset_text, to_toml};
pub use noccl_studies::{
    group_name, load, members, parse_faulty_link, parse_group, parse_override, parse_pair,
    parse_root, parse_set, parse_tile, path_hops, preset_names, root_name,
    zero_load_latency_cycles,
};
