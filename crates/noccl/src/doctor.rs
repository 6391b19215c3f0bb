// SPDX-License-Identifier: Apache-2.0
//! Is this installation sound? Versions, presets, threads, tools.

use crate::{load, preset_names};
use noccl_cosim::verilator_found;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoctorRow {
    /// What was looked at.
    pub name: String,
    /// What was found.
    pub found: String,
    /// Is it as it should be? Things that nothing depends on are always fine.
    pub is_fine: bool,
}

/// Looks at the installation.
///
/// ```
/// assert!(noccl::doctor().iter().all(|row| row.is_fine));
/// ```
#[must_use]
pub fn doctor() -> Vec<DoctorRow> {
    let row = |name: &str, found: String| DoctorRow {
        name: name.to_owned(),
        found,
        is_fine: true,
    };
    let mut rows = vec![
        row("version", env!("CARGO_PKG_VERSION").to_owned()),
        row(
            "formats",
            format!(
                "spec {}, schedule {}",
                noccl_spec::SPEC_FORMAT,
                noccl_workload::SCHEDULE_FORMAT
            ),
        ),
        row(
            "threads",
            std::thread::available_parallelism().map_or_else(
                |e| format!("unknown: {e}"),
                |n| format!("{n} usable, {} used", rayon::current_num_threads()),
            ),
        ),
        row("build", build().to_owned()),
        row("Verilator", verilator_found()),
    ];
    rows.extend(preset_names().iter().map(|name| preset(name)));
    rows
}

const fn build() -> &'static str {
    if cfg!(debug_assertions) {
        "development (slow: use a release build for measurements)"
    } else {
        "release"
    }
}

fn preset(name: &str) -> DoctorRow {
    let loaded = load(name, &[]);
    DoctorRow {
        name: format!("preset {name}"),
        is_fine: loaded.is_ok(),
        found: match loaded {
            Ok(loaded) => format!(
                "{} clusters, {} memory tiles",
                loaded.network.clusters().count(),
                loaded.network.memories().count()
            ),
            Err(error) => error.to_string(),
        },
    }
}
