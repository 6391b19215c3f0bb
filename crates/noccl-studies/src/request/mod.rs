// SPDX-License-Identifier: Apache-2.0
//! What users write, read into types: specs, names, sets of tiles, sizes; and back as tables show it.

mod load;
mod names;
mod select;
mod size;

pub use load::{Loaded, load, load_spec, preset_names};
pub use names::{
    parse_collective, parse_element, parse_operator, parse_override, parse_pattern, word,
};
pub use select::{
    default_root, group_name, members, parse_group, parse_root, parse_set, parse_tile, root_name,
};
pub use size::{format_bytes, parse_bytes, size_note};
