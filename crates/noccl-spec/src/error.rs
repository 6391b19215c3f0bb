// SPDX-License-Identifier: Apache-2.0
//! What can be wrong with a spec file.

use thiserror::Error;

/// One value outside its range: the field's path, what stands there, what would be accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{field} = {found}: {accepted}")]
pub struct OutOfRange {
    /// Path of the field, e.g. `mesh.width`.
    pub field: String,
    /// Value found.
    pub found: String,
    /// What would be accepted.
    pub accepted: String,
}

/// A spec that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SpecError {
    /// The text is not TOML of this shape.
    #[error("{file}: {message}{hint}")]
    Parse {
        /// File or preset name.
        file: String,
        /// What the reader saw, with line and column.
        message: String,
        /// Nearest accepted key, or empty.
        hint: String,
    },
    /// The format version is not ours.
    #[error("{file}: format = {found}, but this version reads format = {expected}")]
    Format {
        /// File or preset name.
        file: String,
        /// Version in the file, as written.
        found: String,
        /// Version we read.
        expected: u32,
    },
    /// A value is outside its range.
    #[error("{file}: {field} = {found}: {accepted}")]
    Range {
        /// File or preset name.
        file: String,
        /// Path of the field, e.g. `mesh.width`.
        field: String,
        /// Value found.
        found: String,
        /// What would be accepted.
        accepted: String,
    },
    /// An override names no field or has the wrong type.
    #[error("-P {key}={value}: {reason}")]
    Override {
        /// Dotted path.
        key: String,
        /// Value as written.
        value: String,
        /// Why it cannot be applied, and what could.
        reason: String,
    },
    /// No such preset.
    #[error("no preset '{name}'{hint}; accepted: {known}")]
    UnknownPreset {
        /// Name asked for.
        name: String,
        /// Families of names.
        known: &'static str,
        /// Nearest name, or empty.
        hint: String,
    },
}
