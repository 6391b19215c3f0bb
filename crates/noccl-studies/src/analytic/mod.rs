// SPDX-License-Identifier: Apache-2.0
//! Where the analytic model meets the simulator: constants from named runs, and how well the model does on others.
//!
//! Neither knows of the other: the model says which runs it wants, this module has them simulated.

mod calibrate;
mod grid;
mod parting;
mod verdicts;

pub use calibrate::{calibrate, calibration_text, read_calibration};
pub use grid::{ModelRow, model_rows};
pub use parting::{PARTING_DEVIATION, PartingRow, parting};
pub(crate) use verdicts::fitted_reduce_constants;
pub use verdicts::{
    MAX_MODEL_ERROR, MEDIAN_MODEL_ERROR, ModelVerdict, PublishedRow, Verdicts, model_verdict,
    published_verdict, verdicts,
};
