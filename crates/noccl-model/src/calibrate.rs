// SPDX-License-Identifier: Apache-2.0
//! From measured runs to constants, law by law, and the file that holds them.
//!
//! A law's constants are fitted by least squares to its runs alone, with the constants of the laws
//! before it as given. What the fit leaves over is reported run by run.

use crate::ModelError;
use crate::constants::{Constant, Constants, Law};
use crate::runs::CalibrationRun;
use noccl_spec::Spec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the calibration format this library reads and writes.
pub const CALIBRATION_FORMAT: u32 = 1;

/// Constants that ship with the library, by the spec family they were fitted to.
const SHIPPED: &str = include_str!("../constants/collective_noc.toml");

/// Constants with the runs behind them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Format version; this library reads version 1.
    pub format: u32,
    /// Command that made it.
    pub command: String,
    /// Network on which the runs were made.
    pub network: String,
    /// What the constants hold for: all timing fields of the spec, by dotted path.
    pub conditions: BTreeMap<String, String>,
    /// The constants.
    pub constants: Constants,
    /// Runs that were fitted.
    pub runs: Vec<FittedRun>,
    /// How well the model does on other runs.
    pub held_out: HeldOut,
}

/// A run of the fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FittedRun {
    /// Law that it serves.
    pub law: Law,
    /// What ran.
    pub name: String,
    /// Cycles of the simulator.
    pub measured_cycles: u64,
    /// Cycles of the fitted law.
    pub fitted_cycles: f64,
}

/// Errors over runs that no constant was fitted to, relative to the simulator's cycles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeldOut {
    /// Number of runs.
    pub runs: u64,
    /// Median of the absolute relative error.
    pub median_error: f64,
    /// Largest absolute relative error.
    pub max_error: f64,
    /// The run with that error.
    pub worst: String,
}

/// Fits the constants to measured cycles, one number per run in their order.
///
/// # Errors
/// [`ModelError::Undetermined`] if a law's runs do not tell its constants apart.
pub fn fit(
    runs: &[CalibrationRun],
    measured_cycles: &[u64],
) -> Result<(Constants, Vec<FittedRun>), ModelError> {
    let mut constants = Constants::default();
    let measured: Vec<(&CalibrationRun, u64)> =
        runs.iter().zip(measured_cycles.iter().copied()).collect();
    for law in Law::ALL {
        let unknown = law.constants();
        let rows: Vec<(Vec<f64>, f64)> = measured
            .iter()
            .filter(|(run, _)| run.law == law)
            .map(|(run, cycles)| {
                let factor = |wanted: &Constant| {
                    let terms = run.terms.iter().filter(|(constant, _)| constant == wanted);
                    terms.map(|(_, factor)| factor).sum()
                };
                // Unknown constants are still zero here.
                let known = sum(&constants, run);
                (unknown.iter().map(factor).collect(), *cycles as f64 - known)
            })
            .collect();
        let values = solve(&rows, unknown.len()).map_err(|index| ModelError::Undetermined {
            constant: unknown[index].name(),
            law,
        })?;
        for (constant, value) in unknown.iter().zip(values) {
            *constants.slot(*constant) = rounded(value);
        }
    }
    let fitted = measured.iter().map(|(run, cycles)| FittedRun {
        law: run.law,
        name: run.name.clone(),
        measured_cycles: *cycles,
        fitted_cycles: rounded(sum(&constants, run)),
    });
    Ok((constants, fitted.collect()))
}

fn sum(constants: &Constants, run: &CalibrationRun) -> f64 {
    let terms = run.terms.iter();
    terms
        .map(|(constant, factor)| constants.value(*constant) * factor)
        .sum()
}

/// To a ten-thousandth of a cycle, so that files do not show the rounding of the arithmetic.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4 + 0.0
}

/// Median and maximum of (name, model, simulator).
///
/// # Errors
/// [`ModelError::NothingHeldOut`] without runs: an error of 0 would say that the model is exact.
pub fn held_out(runs: &[(String, f64, u64)]) -> Result<HeldOut, ModelError> {
    let error = |(_, model, measured): &(String, f64, u64)| {
        (model - *measured as f64).abs() / (*measured).max(1) as f64
    };
    let mut errors: Vec<f64> = runs.iter().map(error).collect();
    errors.sort_by(f64::total_cmp);
    let worst = runs.iter().max_by(|a, b| error(a).total_cmp(&error(b)));
    let worst = worst.ok_or(ModelError::NothingHeldOut)?;
    Ok(HeldOut {
        runs: runs.len() as u64,
        median_error: rounded(errors[errors.len() / 2]),
        max_error: rounded(error(worst)),
        worst: worst.0.clone(),
    })
}

impl Calibration {
    /// The constants that ship with the library.
    ///
    /// # Errors
    /// [`ModelError::Calibration`] if the shipped file is damaged.
    pub fn shipped() -> Result<Self, ModelError> {
        Self::read("constants/collective_noc.toml", SHIPPED)
    }

    /// Reads a calibration; `file` names it in errors.
    ///
    /// # Errors
    /// [`ModelError::Calibration`] with the place and what the reader saw.
    pub fn read(file: &str, text: &str) -> Result<Self, ModelError> {
        let wrong = |reason: String| ModelError::Calibration {
            file: file.to_owned(),
            reason,
        };
        let read: Self =
            toml::from_str(text).map_err(|e| wrong(noccl_spec::toml_message(text, &e)))?;
        if read.format == CALIBRATION_FORMAT {
            return Ok(read);
        }
        Err(wrong(format!(
            "format {}; accepted: {CALIBRATION_FORMAT}",
            read.format
        )))
    }

    /// The text that [`Calibration::read`] reads.
    ///
    /// # Errors
    /// [`ModelError::Calibration`] if a value has no form in TOML.
    pub fn to_toml(&self) -> Result<String, ModelError> {
        toml::to_string(self).map_err(|e| ModelError::Calibration {
            file: "calibration".to_owned(),
            reason: e.to_string(),
        })
    }

    /// The constants, if they hold for this spec.
    ///
    /// # Errors
    /// [`ModelError::OtherSpec`] with the first field that differs.
    pub fn constants_for(&self, spec: &Spec) -> Result<Constants, ModelError> {
        let here = conditions(spec);
        let value = |map: &BTreeMap<String, String>, key: &String| {
            map.get(key).cloned().unwrap_or_else(|| "absent".to_owned())
        };
        if spec.axi().is_none() {
            let flow = "router.flow".to_owned();
            return Err(ModelError::OtherSpec {
                found: spec.flow_name().to_owned(),
                fitted: value(&self.conditions, &flow),
                field: flow,
            });
        }
        let keys = self.conditions.keys().chain(here.keys());
        let has_law = |key: &String| key.starts_with(LINK_CYCLES) || key.starts_with(BYPASS);
        let keys = keys.filter(|key| !has_law(key) && *key != WIDE_BEAT_BYTES);
        for key in keys {
            let (fitted, found) = (value(&self.conditions, key), value(&here, key));
            let alike = is_depth(key)
                && [&fitted, &found]
                    .into_iter()
                    .all(|slots| has_full_rate(slots));
            if fitted != found && !alike {
                return Err(ModelError::OtherSpec {
                    field: key.clone(),
                    found,
                    fitted,
                });
            }
        }
        let stages = link_stages(&here) - link_stages(&self.conditions);
        Ok(Constants {
            hop_cycles: self.constants.hop_cycles + stages,
            ..self.constants
        })
    }
}

/// Lengths of links move the term of a hop by a law, so constants hold for all of them.
const LINK_CYCLES: &str = "router.link_cycles.";

/// Paths in flight stand in place of hops; a further cycle of setup is a register stage.
const BYPASS: &str = "router.bypass.";

/// Constants are per beat, whatever it holds; what the FPUs take for one is in the laws.
const WIDE_BEAT_BYTES: &str = "ni.wide_beat_bytes";

/// Register stages of links that a round trip passes per hop or path: two links, on planes that depend on the transaction, so their mean; those
/// of a bypass's setup are on all planes alike.
fn link_stages(conditions: &BTreeMap<String, String>) -> f64 {
    let cycles = |plane: &str| {
        let written = conditions.get(&format!("{LINK_CYCLES}{plane}"));
        written.and_then(|text| text.parse().ok()).unwrap_or(1.0)
    };
    let stages = ["req", "rsp", "wide"].map(|plane| cycles(plane) - 1.0);
    let setup = conditions.get(&format!("{BYPASS}setup_cycles"));
    let setup = setup.and_then(|text| text.parse().ok()).unwrap_or(1.0);
    stages.iter().sum::<f64>() * 2.0 / 3.0 + 2.0 * (setup - 1.0)
}

fn is_depth(key: &str) -> bool {
    key == "router.input_fifo_flits" || key == "router.output_fifo_flits"
}

/// FIFOs of two slots or more pass a flit per cycle; how many flits wait in them the model does not see.
fn has_full_rate(slots: &str) -> bool {
    slots.parse().is_ok_and(|slots: u32| slots >= 2)
}

/// Everything in a spec that moves a cycle: all but names, sizes and energies.
#[must_use]
pub fn conditions(spec: &Spec) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let Ok(toml::Value::Table(table)) = toml::Value::try_from(spec) else {
        return out;
    };
    for part in ["router", "ni", "cluster", "memory"] {
        if let Some(value) = table.get(part) {
            flatten(part, value, &mut out);
        }
    }
    out.remove("cluster.l1_bytes");
    out.remove("memory.bytes");
    out
}

fn flatten(path: &str, value: &toml::Value, out: &mut BTreeMap<String, String>) {
    if let toml::Value::Table(table) = value {
        for (key, inner) in table {
            flatten(&format!("{path}.{key}"), inner, out);
        }
        return;
    }
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    out.insert(path.to_owned(), text);
}

// Least squares for a handful of unknowns.

/// Smallest pivot, relative to the largest entry, that still tells unknowns apart.
const SMALLEST_PIVOT: f64 = 1e-9;

/// The x that minimises the sum of (row · x − value)², by the normal equations; the index of the first
/// unknown that the rows do not determine otherwise.
///
/// Exact where a solution without residual exists, up to rounding.
pub(crate) fn solve(rows: &[(Vec<f64>, f64)], unknowns: usize) -> Result<Vec<f64>, usize> {
    // Columns are scaled to length one, so that beats and constants weigh alike.
    let length = |i: usize| {
        rows.iter()
            .map(|(row, _)| row[i] * row[i])
            .sum::<f64>()
            .sqrt()
    };
    let scales: Vec<f64> = (0..unknowns).map(length).collect();
    if let Some(missing) = scales.iter().position(|s| *s == 0.0) {
        return Err(missing);
    }
    let mut matrix = vec![vec![0.0; unknowns + 1]; unknowns];
    for (row, value) in rows {
        for i in 0..unknowns {
            let weight = row[i] / scales[i];
            for j in 0..unknowns {
                matrix[i][j] += weight * row[j] / scales[j];
            }
            matrix[i][unknowns] += weight * value;
        }
    }
    eliminate(&mut matrix)?;
    Ok((0..unknowns)
        .map(|i| matrix[i][unknowns] / matrix[i][i] / scales[i])
        .collect())
}

/// Gauss and Jordan with pivots from the rows below.
fn eliminate(matrix: &mut [Vec<f64>]) -> Result<(), usize> {
    let unknowns = matrix.len();
    for column in 0..unknowns {
        let pivot = (column..unknowns)
            .max_by(|a, b| {
                matrix[*a][column]
                    .abs()
                    .total_cmp(&matrix[*b][column].abs())
            })
            .unwrap_or(column);
        if matrix[pivot][column].abs() < SMALLEST_PIVOT {
            return Err(column);
        }
        matrix.swap(column, pivot);
        let source = matrix[column].clone();
        for (i, row) in matrix.iter_mut().enumerate() {
            if i == column {
                continue;
            }
            let factor = row[column] / source[column];
            for (cell, above) in row.iter_mut().zip(&source).skip(column) {
                *cell -= factor * above;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_that_no_run_checks_has_no_error() {
        assert_eq!(held_out(&[]), Err(ModelError::NothingHeldOut));
        let runs = [("a".to_owned(), 90.0, 100), ("b".to_owned(), 102.0, 100)];
        let found = held_out(&runs).unwrap();
        assert_eq!((found.runs, found.worst.as_str()), (2, "a"));
        assert_eq!((found.median_error, found.max_error), (0.1, 0.1));
    }

    #[test]
    fn points_on_a_line_give_the_line_back() {
        let rows: Vec<(Vec<f64>, f64)> = [1.0, 2.0, 64.0, 512.0]
            .iter()
            .map(|n| (vec![1.0, *n], 10.0 + 1.16 * n))
            .collect();
        let line = solve(&rows, 2).unwrap();
        assert!((line[0] - 10.0).abs() < 1e-9 && (line[1] - 1.16).abs() < 1e-9);
    }

    #[test]
    fn scattered_points_give_the_line_of_least_squares() {
        // Mean of x 1, of y 2; covariance 1, variance 2/3.
        let rows = [(0.0, 1.0), (1.0, 1.0), (2.0, 4.0)].map(|(x, y)| (vec![1.0, x], y));
        let line = solve(&rows, 2).unwrap();
        assert!((line[0] - 0.5).abs() < 1e-9 && (line[1] - 1.5).abs() < 1e-9);
    }

    #[test]
    fn unknowns_that_no_row_tells_apart_are_named() {
        assert_eq!(solve(&[(vec![1.0, 0.0], 3.0)], 2), Err(1));
        let same = [(vec![1.0, 1.0], 3.0), (vec![2.0, 2.0], 6.0)];
        assert_eq!(solve(&same, 2), Err(1));
    }
}
