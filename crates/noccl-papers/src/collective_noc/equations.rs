// SPDX-License-Identifier: Apache-2.0
//! Claim 7: what the equations of `noccl-model` give, against the paper and against the simulator.

use crate::statistics::Outcomes;
use noccl_model::Calibration;
use noccl_studies::parts::network;
use noccl_studies::{
    DeviationRow, Error, MEDIAN_MODEL_ERROR, Watch, deviations, model_accuracy, published_rows,
};
use std::collections::BTreeSet;

/// Largest mesh on which the published equations are compared with the simulation.
const MAX_DEVIATION_SIDE: u16 = 8;

/// Least and largest error of the published equations on each mesh.
fn published_errors(rows: &[DeviationRow]) -> String {
    let sides: BTreeSet<u16> = rows.iter().map(|r| r.side).collect();
    let of = |side: u16| {
        let errors = rows.iter().filter(|r| r.side == side);
        let errors = errors.map(|r| r.published_error * 100.0);
        let (least, most) = errors.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), e| {
            (l.min(e), m.max(e))
        });
        format!("{least:+.0} to {most:+.0} % at {side}x{side}")
    };
    let words: Vec<String> = sides.into_iter().map(of).collect();
    words.join(", ")
}

/// The published equations against the paper's numbers, and our model against the simulator.
pub(crate) fn equations(watch: Watch<'_>, outcomes: &mut Outcomes) -> Result<(), Error> {
    let rows = published_rows();
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
    let accuracy = model_accuracy(&network("collective_noc_4x4", &[])?, &calibration, watch)?;
    outcomes.put_shown(
        "7-simulated",
        accuracy.max_error,
        &format!(
            "{} points, {:.2} % in the median; the published equations part from the simulation by {}",
            accuracy.rows.len(),
            accuracy.median_error * 100.0,
            published_errors(&deviations(&calibration, MAX_DEVIATION_SIDE, watch)?)
        ),
        accuracy.median_error <= MEDIAN_MODEL_ERROR,
    );
    Ok(())
}
