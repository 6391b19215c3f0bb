// SPDX-License-Identifier: Apache-2.0
//! The table of multicasts as plots.

use super::{BaselineAlgorithm, BaselineRow};
use crate::figure::{Figure, Line, line_chart};
use crate::format_bytes;

const TREES: [BaselineAlgorithm; 2] = [BaselineAlgorithm::Tree, BaselineAlgorithm::DoubleTree];

/// A plot per payload: efficiency over the number of destinations; of the software trees the faster one.
#[must_use]
pub fn baseline_figures(rows: &[BaselineRow]) -> Vec<Figure> {
    let mut sizes: Vec<u64> = rows.iter().map(|r| r.row.bytes).collect();
    sizes.dedup();
    let lines = |bytes: u64| -> Vec<Line> {
        let of = |name: &str, algorithms: &[BaselineAlgorithm]| Line {
            name: name.to_owned(),
            points: best_points(rows, bytes, algorithms),
        };
        let mut lines = vec![of("tree, double_tree", &TREES)];
        let mut others: Vec<BaselineAlgorithm> = rows.iter().map(|r| r.algorithm).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|one| !TREES.contains(one));
        lines.extend(others.iter().map(|one| of(one.name(), &[*one])));
        lines
    };
    let figure = |bytes: u64| {
        let size = format_bytes(bytes);
        line_chart(
            &format!("baselines_{}", size.replace(' ', "")),
            &format!("One payload of {size} to many destinations"),
            "destinations",
            "efficiency",
            &lines(bytes),
        )
    };
    sizes.into_iter().map(figure).collect()
}

fn best_points(
    rows: &[BaselineRow],
    bytes: u64,
    algorithms: &[BaselineAlgorithm],
) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let found = rows
        .iter()
        .filter(|r| r.row.bytes == bytes && algorithms.contains(&r.algorithm));
    for row in found {
        let x = f64::from(row.num_destinations);
        match points.iter_mut().find(|p| p.0 == x) {
            Some(point) => point.1 = point.1.max(row.efficiency),
            None => points.push((x, row.efficiency)),
        }
    }
    points
}
