// SPDX-License-Identifier: Apache-2.0
//! Is this installation sound? Versions, presets, threads, tools.

use crate::network::{load, preset_names};
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
    /// How it is.
    pub state: DoctorState,
}

/// How a part of the installation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DoctorState {
    /// As it should be.
    Ok,
    /// Not there, and needed by some commands only.
    Missing,
    /// Not as it should be.
    Wrong,
}

/// Looks at the installation.
///
/// ```
/// use noccl::{DoctorState, doctor};
///
/// assert!(doctor().iter().all(|row| row.state != DoctorState::Wrong));
/// ```
#[must_use]
pub fn doctor() -> Vec<DoctorRow> {
    let row = |name: &str, found: String| DoctorRow {
        name: name.to_owned(),
        found,
        state: DoctorState::Ok,
    };
    let verilator = verilator_found();
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
        DoctorRow {
            state: verilator
                .as_ref()
                .map_or(DoctorState::Missing, |_| DoctorState::Ok),
            name: "Verilator".to_owned(),
            found: verilator.unwrap_or_else(|reason| reason),
        },
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
        state: loaded
            .as_ref()
            .map_or(DoctorState::Wrong, |_| DoctorState::Ok),
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
