// SPDX-License-Identifier: Apache-2.0
//! Claim 7: what the equations of `noccl-model` give, against the paper and against the simulator.

use super::outcome::Outcomes;
use super::runner::network;
use crate::analytic::{MEDIAN_MODEL_ERROR, model_verdict, published_verdict};
use crate::{Error, Watch};
use noccl_model::Calibration;

/// The published equations against the paper's numbers, and our model against the simulator.
pub(crate) fn equations(watch: Watch<'_>, outcomes: &mut Outcomes) -> Result<(), Error> {
    let rows = published_verdict();
    let counted = || rows.iter().filter(|r| r.fitted.is_none());
    let apart: Vec<String> = counted()
        .filter(|r| !r.holds)
        .map(|r| format!("{}: {:.2} instead of {}", r.quantity, r.equations, r.paper))
        .collect();
    let (total, near) = (counted().count(), counted().filter(|r| r.holds).count());
    let mut detail = format!(
        "{near} of {total} numbers, {} more are fitted",
        rows.len() - total
    );
    if !apart.is_empty() {
        detail += &format!("; apart: {}", apart.join("; "));
    }
    outcomes.put("7-published", near as f64 / total.max(1) as f64, &detail);
    let calibration = Calibration::shipped()?;
    let verdict = model_verdict(&network("collective_noc_4x4", &[])?, &calibration, watch)?;
    outcomes.put_shown(
        "7-simulated",
        verdict.max_error,
        &format!(
            "{} points, {:.2} % in the median",
            verdict.rows.len(),
            verdict.median_error * 100.0
        ),
        verdict.median_error <= MEDIAN_MODEL_ERROR,
    );
    Ok(())
}
