// SPDX-License-Identifier: Apache-2.0
//! Files that are read and written, and the JSON Schemas of their formats.

mod schema;

pub use schema::{SCHEMA_NAMES, schema};

pub use crate::report::read_rows;
pub use noccl_files::{FileError, Scratch, message, visible, visible_line};
pub use noccl_studies::{
    MAX_FILE_BYTES, MAX_TOML_BYTES, MAX_TRACE_BYTES, check_output, format_bytes, parse_json,
    read_json, read_text, write_bytes, write_file,
};
