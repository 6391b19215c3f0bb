// SPDX-License-Identifier: Apache-2.0
//! Where the analytic model meets the simulator: constants from named runs, and how well the model does on others.
//!
//! Neither knows of the other: the model says which runs it wants, this module has them simulated.

mod grid;
mod model_error;
mod validation;

pub use grid::{ModelRow, model_rows};
pub use grid::{calibrate, calibration_text, read_calibration};
pub use model_error::{DeviationRow, MARKED_DEVIATION, deviations};
pub(crate) use validation::fitted_reduce_constants;
pub use validation::{
    MAX_MODEL_ERROR, MEDIAN_MODEL_ERROR, ModelAccuracy, PublishedRow, Validation, model_accuracy,
    published_rows, validation,
};
