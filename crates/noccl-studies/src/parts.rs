// SPDX-License-Identifier: Apache-2.0
//! What the facade's own verbs and the experiments on papers are made of, below the interface of the studies.

pub use crate::auto_page::between;
pub use crate::compare::case::Case;
pub use crate::compare::meaning::OutputCheck;
pub use crate::compare::runtime_cycles;
pub use crate::figure::{bars, line_chart, panels};
pub use crate::measure::line_events::{ClusterStep, Counts, Workloads, workloads};
pub use crate::measure::runner::software;
pub use crate::measure::runner::{Runner, collective, network, typed};
pub use crate::measure::runner::{interval_95, mean, slope};
pub use crate::runs::Session;
pub use crate::runs::{busiest, link_flits};
