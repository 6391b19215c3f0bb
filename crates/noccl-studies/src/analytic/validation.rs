// SPDX-License-Identifier: Apache-2.0
//! Two comparisons that must not be mixed: the published equations with the published constants against the paper's
//! numbers, and the simulator against our own model.

use super::grid::{ModelRow, model_rows};
use super::model_error::{DeviationRow, check_side, deviations};
use crate::{Error, Watch};
use noccl_model::published::{Extent, MulticastConstants, ReduceConstants};
use noccl_model::{Calibration, best_chunks, even_chunks};
use noccl_net::Network;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Largest error of our model at any point of the paper's grid.
pub const MAX_MODEL_ERROR: f64 = 0.05;
/// Largest median error.
pub const MEDIAN_MODEL_ERROR: f64 = 0.03;
const BEATS: [u32; 6] = [16, 32, 64, 128, 256, 512];
const ROW: Extent = Extent::row(4);
const MULTICAST: MulticastConstants = MulticastConstants::PUBLISHED;
/// Least, largest and mean speedup of a reduction over a row of 4 in the paper.
const REDUCTION_SPEEDUPS: [f64; 3] = [2.0, 3.0, 2.5];

/// A number of the paper beside what its equations give.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedRow {
    /// What it is.
    pub quantity: String,
    /// Where the paper says it.
    pub place: String,
    /// The paper's number.
    pub paper: f64,
    /// What the equations give.
    pub equations: f64,
    /// Largest accepted distance: relative, except where the quantity is a slope.
    pub tolerance: f64,
    /// Is the distance within it?
    pub holds: bool,
    /// What was chosen, where constants are not published; such a row is no verification.
    pub fitted: Option<String>,
}

/// The simulator against our model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelAccuracy {
    /// Median of the absolute relative error.
    pub median_error: f64,
    /// Largest absolute relative error.
    pub max_error: f64,
    /// Is the largest at most 5 % and the median at most 3 %?
    pub holds: bool,
    /// All points.
    pub rows: Vec<ModelRow>,
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    /// Published equations and constants against the paper.
    pub published: Vec<PublishedRow>,
    /// Simulator against our model.
    pub model: ModelAccuracy,
    /// Published equations against the simulator, over mesh sizes.
    #[serde(alias = "parting")]
    pub deviations: Vec<DeviationRow>,
}

/// Both comparisons on one network, and where published equations deviate from the simulation on square meshes up to `max_side`.
///
/// # Errors
/// [`Error::Argument`] of a side without a preset; [`Error::Model`] if the constants do not hold for this network.
pub fn validation(
    network: &Network,
    calibration: &Calibration,
    max_side: u16,
    watch: Watch<'_>,
) -> Result<Validation, Error> {
    check_side(max_side)?;
    Ok(Validation {
        published: published_rows(),
        model: model_accuracy(network, calibration, watch)?,
        deviations: deviations(calibration, max_side, watch)?,
    })
}

/// The simulator against the closed forms of our model on the paper's grid.
///
/// # Errors
/// [`Error::Model`] if the constants do not hold for this network.
///
/// ```
/// let network = noccl_studies::load("collective_noc_4x4", &[])?.network;
/// let calibration = noccl_model::Calibration::shipped()?;
/// let accuracy = noccl_studies::model_accuracy(&network, &calibration, noccl_studies::Watch::quiet())?;
/// assert!(accuracy.holds, "{}", accuracy.max_error);
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn model_accuracy(
    network: &Network,
    calibration: &Calibration,
    watch: Watch<'_>,
) -> Result<ModelAccuracy, Error> {
    let rows = model_rows(network, calibration, watch)?;
    let mut errors: Vec<f64> = rows.iter().map(|row| row.error.abs()).collect();
    errors.sort_by(f64::total_cmp);
    // Without a row nothing holds.
    let median_error = errors.get(errors.len() / 2).copied().unwrap_or(f64::NAN);
    let max_error = errors.last().copied().unwrap_or(f64::NAN);
    Ok(ModelAccuracy {
        median_error,
        max_error,
        holds: max_error <= MAX_MODEL_ERROR && median_error <= MEDIAN_MODEL_ERROR,
        rows,
    })
}

/// The published equations with the published constants against the paper's numbers.
///
/// ```
/// let rows = noccl_studies::published_rows();
/// assert!(rows.iter().all(|row| row.holds));
/// ```
#[must_use]
pub fn published_rows() -> Vec<PublishedRow> {
    let ratios: Vec<f64> = BEATS
        .iter()
        .map(|n| software_multicast(*n) / MULTICAST.in_network_cycles(ROW, f64::from(*n)))
        .collect();
    let square = Extent {
        columns: 4,
        rows: 4,
    };
    let growth =
        MULTICAST.in_network_cycles(square, 512.0) / MULTICAST.in_network_cycles(ROW, 512.0);
    let place = "4.2.2";
    let mut out = vec![
        relative(
            "multicast over a row of 4: least speedup",
            place,
            2.3,
            least(&ratios),
            0.1,
        ),
        relative(
            "multicast over a row of 4: largest speedup",
            place,
            3.2,
            largest(&ratios),
            0.1,
        ),
        relative(
            "multicast over a row of 4: mean speedup",
            "abstract",
            2.9,
            mean(&ratios),
            0.1,
        ),
        relative(
            "multicast of 32 KiB: 4 rows over 1 row",
            "Fig. 5c",
            1.0,
            growth,
            0.05,
        ),
    ];
    out.extend(reduction_rows());
    out.extend([
        slope("software barrier: cycles per cluster", 3.3, 3.0),
        slope("in-network barrier: cycles per cluster", 1.3, 1.0),
    ]);
    out
}

/// The α of additions and of the network that come closest to the paper's three numbers.
fn closest_alphas() -> (u32, u32) {
    let distance = |alphas: &(u32, u32)| {
        let pairs = reduction_speedups(*alphas)
            .into_iter()
            .zip(REDUCTION_SPEEDUPS);
        pairs
            .map(|(found, wanted)| (found / wanted - 1.0).abs())
            .fold(0.0, f64::max)
    };
    let all = (0..=40).flat_map(|compute| (20..=100).map(move |network| (compute, network)));
    all.min_by(|a, b| distance(a).total_cmp(&distance(b)))
        .unwrap_or((0, 20))
}

/// Least, largest and mean over the sizes of a row of 4.
fn reduction_speedups(alphas: (u32, u32)) -> [f64; 3] {
    let ratios = reduction_ratios(&reduce_constants(alphas));
    [least(&ratios), largest(&ratios), mean(&ratios)]
}

/// Constants of reductions: what is published, and the closest α where nothing is.
pub(crate) fn fitted_reduce_constants() -> ReduceConstants {
    reduce_constants(closest_alphas())
}

/// The reductions' numbers with the α that come closest to three of them.
fn reduction_rows() -> [PublishedRow; 4] {
    let paper = REDUCTION_SPEEDUPS;
    let best = closest_alphas();
    let found = reduction_speedups(best);
    let fitted = Some(format!(
        "not published: α of a transfer, taken as the multicast's 17; α of the additions {} and of the network {}, \
         which come closest to the three speedups",
        best.0, best.1
    ));
    let constants = reduce_constants(best);
    let square = Extent {
        columns: 4,
        rows: 4,
    };
    let slowdown =
        constants.in_network_cycles(square, 512.0) / constants.in_network_cycles(ROW, 512.0);
    let row = |quantity, paper, equations| PublishedRow {
        fitted: fitted.clone(),
        ..relative(quantity, "4.2.3", paper, equations, 0.1)
    };
    [
        row(
            "reduction over a row of 4: least speedup",
            paper[0],
            found[0],
        ),
        row(
            "reduction over a row of 4: largest speedup",
            paper[1],
            found[1],
        ),
        row(
            "reduction over a row of 4: mean speedup",
            paper[2],
            found[2],
        ),
        relative(
            "reduction of 32 KiB, two operands: 4 rows over 1 row",
            "Fig. 7b",
            1.9,
            slowdown,
            0.1,
        ),
    ]
}

fn reduce_constants((compute, in_network): (u32, u32)) -> ReduceConstants {
    let transfer = MULTICAST.tree_alpha_cycles;
    ReduceConstants::published(transfer, f64::from(compute), f64::from(in_network))
}

fn reduction_ratios(constants: &ReduceConstants) -> Vec<f64> {
    let best = |n: u32, cycles: &dyn Fn(f64) -> f64| {
        best_chunks(even_chunks(n), |chunks| cycles(f64::from(chunks))).map_or(f64::NAN, |b| b.1)
    };
    BEATS
        .iter()
        .map(|beats| {
            let n = f64::from(*beats);
            let chain = best(*beats, &|chunks| constants.pipelined_cycles(ROW, n, chunks));
            let tree = best(*beats, &|chunks| constants.tree_cycles(ROW, n, chunks));
            chain.min(tree) / constants.in_network_cycles(ROW, n)
        })
        .collect()
}

/// The faster of tree and chain, chunks of equal size as in the authors' model.
fn software_multicast(beats: u32) -> f64 {
    let n = f64::from(beats);
    let chain = best_chunks(even_chunks(beats), |chunks| {
        MULTICAST.pipelined_cycles(ROW, n, f64::from(chunks))
    });
    chain
        .map_or(f64::INFINITY, |b| b.1)
        .min(MULTICAST.tree_cycles(ROW, n))
}

fn relative(
    quantity: &str,
    place: &str,
    paper: f64,
    equations: f64,
    tolerance: f64,
) -> PublishedRow {
    PublishedRow {
        quantity: quantity.to_owned(),
        place: place.to_owned(),
        paper,
        equations,
        tolerance,
        holds: (equations / paper - 1.0).abs() <= tolerance,
        fitted: None,
    }
}

/// A slope beside the whole number of cycles that the paper expects (S1 §4.2.1).
fn slope(quantity: &str, paper: f64, expected: f64) -> PublishedRow {
    let tolerance = 0.4;
    PublishedRow {
        holds: (expected - paper).abs() <= tolerance,
        tolerance,
        ..relative(quantity, "4.2.1", paper, expected, tolerance)
    }
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// Geometric.
fn mean(values: &[f64]) -> f64 {
    let logs: f64 = values.iter().map(|v| v.ln()).sum();
    (logs / values.len() as f64).exp()
}
