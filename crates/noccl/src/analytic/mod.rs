// SPDX-License-Identifier: Apache-2.0
//! Where the analytic model meets the simulator: constants from named runs, and how well the model does on others.
//!
//! Neither knows of the other: the model says which runs it wants, this module has them simulated.

mod calibrate;
mod grid;

pub use calibrate::{calibrate, calibration_text, read_calibration};
pub use grid::{ModelRow, model_rows};
