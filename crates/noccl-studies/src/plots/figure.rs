// SPDX-License-Identifier: Apache-2.0
//! Plots of measured lines as self-contained SVG.

use super::axes::{Axes, Frame, number};
use crate::plots::svg::{Anchor, Svg};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 230.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 50.0;
const LABEL_GAP: f64 = 16.0;

const FRAME: Frame = Frame {
    left: LEFT,
    right: WIDTH - RIGHT,
    top: TOP,
    bottom: HEIGHT - BOTTOM,
};

pub(crate) const STYLE: &str = "text{font:13px sans-serif;fill:#222}.axis{stroke:#444}.grid{stroke:#ddd}\
polyline{fill:none;stroke-width:1.8}rect.page{fill:#fff}\
.s0{stroke:#2563a8}.m0,.t0{fill:#2563a8}.s1{stroke:#c2571a}.m1,.t1{fill:#c2571a}\
.s2{stroke:#2f7d4f}.m2,.t2{fill:#2f7d4f}.s3{stroke:#8a3f8f}.m3,.t3{fill:#8a3f8f}\
.s4{stroke:#8a6d1a}.m4,.t4{fill:#8a6d1a}.s5{stroke:#555}.m5,.t5{fill:#555}";

/// One line of a plot.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// A plot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// File name without extension, after the paper's figure.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The drawing, a whole file.
    pub svg: String,
}

/// Lines over an x axis whose ticks are the data's, logarithmic unless these are evenly spaced; y starts at 0, or is
/// logarithmic where the values span more than a decade.
pub(crate) fn line_chart(name: &str, title: &str, x: &str, y: &str, lines: &[Line]) -> Figure {
    let axes = Axes::new(lines, FRAME);
    let mut svg = Svg::new(WIDTH, HEIGHT, title);
    svg.rect((0.0, 0.0), (WIDTH, HEIGHT), "page");
    svg.text((LEFT, 20.0), Anchor::Start, "title", title);
    axes.draw(&mut svg, (x, y));
    draw_lines(&mut svg, &axes, lines);
    draw_names(&mut svg, &axes, lines);
    Figure {
        name: name.to_owned(),
        title: title.to_owned(),
        svg: svg.standalone(STYLE),
    }
}

/// Lines with a marker and a tooltip at every point.
pub(crate) fn draw_lines(svg: &mut Svg, axes: &Axes, lines: &[Line]) {
    for (index, line) in lines.iter().enumerate() {
        let places: Vec<(f64, f64)> = line.points.iter().map(|p| axes.at(*p)).collect();
        svg.polyline(&places, &format!("s{}", index % 6));
        for (place, point) in places.iter().zip(&line.points) {
            let tip = format!("{}, {}: {}", line.name, number(point.0), number(point.1));
            svg.marker(*place, index, &format!("m{}", index % 6), &tip);
        }
    }
}

/// The names at the right end of their lines, pushed apart.
fn draw_names(svg: &mut Svg, axes: &Axes, lines: &[Line]) {
    let mut names: Vec<(f64, usize)> = lines
        .iter()
        .enumerate()
        .filter_map(|(index, line)| {
            let right = line.points.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
            Some((axes.at(*right).1, index))
        })
        .collect();
    names.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free_from = f64::NEG_INFINITY;
    for (y, index) in names {
        let here = y.max(free_from);
        free_from = here + LABEL_GAP;
        let class = format!("t{}", index % 6);
        let at = (WIDTH - RIGHT + 10.0, here + 4.0);
        svg.text(at, Anchor::Start, &class, &lines[index].name);
    }
}

/// Marker and name of every line in a row below the title.
pub(crate) fn legend<'a>(svg: &mut Svg, names: impl Iterator<Item = &'a str>) {
    /// Width of a letter, generously.
    const LETTER: f64 = 7.5;
    let mut x = 16.0;
    for (index, name) in names.enumerate() {
        svg.marker((x, 38.0), index, &format!("m{}", index % 6), name);
        let class = format!("t{}", index % 6);
        svg.text((x + 9.0, 42.0), Anchor::Start, &class, name);
        x += 30.0 + name.len() as f64 * LETTER;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_lies_inside_the_axes() {
        for high in [0.9, 1.13, 97.0, 3000.0] {
            let line = Line {
                name: "l".to_owned(),
                points: vec![(0.0, high / 30.0), (4.0, high), (256.0, high / 2.0)],
            };
            let axes = Axes::new(std::slice::from_ref(&line), FRAME);
            for point in line.points {
                let (x, y) = axes.at(point);
                assert!((LEFT..=WIDTH - RIGHT).contains(&x), "{point:?} at {x}");
                assert!(
                    (TOP - 1.0..=HEIGHT - BOTTOM).contains(&y),
                    "{point:?} at {y}"
                );
            }
        }
    }

    #[test]
    fn evenly_spaced_ticks_stay_evenly_spaced_and_powers_do_too() {
        for xs in [[1.0, 2.0, 3.0, 4.0], [7.0, 15.0, 31.0, 63.0]] {
            let points = xs.map(|x| (x, 1.0)).to_vec();
            let name = "l".to_owned();
            let axes = Axes::new(&[Line { name, points }], FRAME);
            let at = xs.map(|x| axes.at((x, 1.0)).0);
            let steps: Vec<f64> = at.windows(2).map(|w| w[1] - w[0]).collect();
            assert!(steps.iter().all(|s| (s - steps[0]).abs() < 1e-6), "{at:?}");
        }
    }

    #[test]
    fn a_drawing_stands_alone() {
        let line = Line {
            name: "a < b".to_owned(),
            points: vec![(1.0, 1.0), (2.0, 3.0)],
        };
        let svg = line_chart("f", "t", "x", "y", &[line]).svg;
        assert!(svg.starts_with("<svg xmlns="), "{svg}");
        assert!(svg.contains("<style>") && svg.contains("a &lt; b"), "{svg}");
    }
}
