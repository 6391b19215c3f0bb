// SPDX-License-Identifier: Apache-2.0
//! What users write, read into types: files, specs, names, sets of tiles, sizes; and back as tables show it.

mod files;
mod load;
mod names;
mod select;
mod size;

pub use files::{
    MAX_FILE_BYTES, MAX_TOML_BYTES, MAX_TRACE_BYTES, check_output, parse_json, parse_lengths,
    parse_schedule, read_definition, read_json, read_schedule, read_text, read_trace, write_bytes,
    write_file,
};
pub use load::{Loaded, load, load_spec, preset_names};
pub use names::{
    parse_collective, parse_element, parse_operator, parse_override, parse_pattern, word,
};
pub use select::{
    default_root, group_name, members, parse_group, parse_root, parse_set, parse_tile, root_name,
};
pub use size::{format_bytes, parse_bytes, size_note};
