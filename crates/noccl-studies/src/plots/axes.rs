// SPDX-License-Identifier: Apache-2.0
//! Axes of a plot: from values to places, and their ticks.

use super::figure::Line;
use crate::plots::svg::{Anchor, Svg, decades};

/// Where in a drawing the lines are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// Axes of a frame: x with the data's ticks, logarithmic unless these are evenly spaced; y from 0, or logarithmic where the
/// values span more than a decade.
pub(crate) struct Axes {
    frame: Frame,
    ticks_x: Vec<f64>,
    is_even: bool,
    ticks_y: Vec<f64>,
    is_log: bool,
}

impl Axes {
    pub(super) fn new(lines: &[Line], frame: Frame) -> Self {
        let points = || lines.iter().flat_map(|l| &l.points);
        let mut ticks_x: Vec<f64> = points().map(|p| p.0).collect();
        ticks_x.sort_by(f64::total_cmp);
        ticks_x.dedup();
        let low = points().map(|p| p.1).fold(f64::INFINITY, f64::min);
        let high = points().map(|p| p.1).fold(0.0, f64::max);
        let is_log = low > 0.0 && high / low > 10.0;
        let steps: Vec<f64> = ticks_x.windows(2).map(|w| w[1] - w[0]).collect();
        let is_even = steps.len() > 1 && steps.iter().all(|s| (s - steps[0]).abs() < 1e-9);
        Self {
            frame,
            ticks_x,
            is_even,
            ticks_y: if is_log {
                decades(low, high)
            } else {
                rounded(high)
            },
            is_log,
        }
    }

    pub(super) fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let ends = |ticks: &[f64]| {
            let first = ticks.first().copied().unwrap_or(0.0);
            (first, ticks.last().copied().unwrap_or(first + 1.0))
        };
        let Frame {
            left: left_edge,
            right: right_edge,
            top: high_edge,
            bottom: low_edge,
        } = self.frame;
        let part = |value: f64, (low, high): (f64, f64)| (value - low) / (high - low).max(1e-9);
        // Shifted, so that an overhead of 0 has a place.
        let scaled = |v: f64| if self.is_even { v } else { (v + 1.0).log2() };
        let (left, right) = ends(&self.ticks_x);
        let across = part(scaled(x), (scaled(left), scaled(right)));
        let (bottom, top) = ends(&self.ticks_y);
        let up = if self.is_log {
            part(y.log2(), (bottom.log2(), top.log2()))
        } else {
            part(y, (bottom, top))
        };
        (
            left_edge + across * (right_edge - left_edge),
            low_edge - up * (low_edge - high_edge),
        )
    }

    pub(super) fn draw(&self, svg: &mut Svg, (x_name, y_name): (&str, &str)) {
        let Frame {
            left,
            right,
            top,
            bottom,
        } = self.frame;
        let x0 = self.ticks_x.first().copied().unwrap_or(0.0);
        for tick in &self.ticks_y {
            let y = self.at((x0, *tick)).1;
            svg.line((left, y), (right, y), "grid");
            svg.text((left - 8.0, y + 4.0), Anchor::End, "tick", &number(*tick));
        }
        let mut free_from = f64::NEG_INFINITY;
        for tick in &self.ticks_x {
            let x = self.at((*tick, self.ticks_y[0])).0;
            svg.line((x, bottom), (x, bottom + 5.0), "axis");
            if x >= free_from {
                svg.text((x, bottom + 19.0), Anchor::Middle, "tick", &number(*tick));
                free_from = x + 30.0;
            }
        }
        svg.line((left, bottom), (right, bottom), "axis");
        let middle = (f64::midpoint(left, right), bottom + 40.0);
        svg.text(middle, Anchor::Middle, "axis-name", x_name);
        let side = (left - 52.0, f64::midpoint(top, bottom));
        svg.text_upwards(side, "axis-name", y_name);
    }
}

pub(super) fn number(value: f64) -> String {
    if value.fract().abs() < 1e-9 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}

/// 0 and up to six multiples of 1, 2 or 5 times a power of ten, past `high`.
fn rounded(high: f64) -> Vec<f64> {
    let high = high.max(1e-6);
    let power = 10f64.powf((high / 6.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    let step = steps
        .into_iter()
        .find(|s| high / s <= 6.0)
        .unwrap_or(10.0 * power);
    (0..=(high / step).ceil() as u32)
        .map(|i| f64::from(i) * step)
        .collect()
}
