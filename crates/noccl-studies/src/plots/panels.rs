// SPDX-License-Identifier: Apache-2.0
//! Small plots beside each other, with the same lines and one legend.

use super::axes::{Axes, Frame};
use super::figure::{Figure, Line, STYLE, draw_lines, legend};
use crate::plots::svg::{Anchor, Svg};

const COLUMNS: usize = 4;
const PANEL: (f64, f64) = (258.0, 215.0);
/// Title and legend above the panels.
const TOP: f64 = 56.0;
/// Of a panel: ticks and names of its axes, its own title.
const MARGIN: Frame = Frame {
    left: 70.0,
    right: 12.0,
    top: 22.0,
    bottom: 48.0,
};

/// One of the small plots.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) lines: Vec<Line>,
}

/// Panels in rows of four, each with its own axes.
pub(crate) fn panels(name: &str, title: &str, x: &str, y: &str, panels: &[Panel]) -> Figure {
    let rows = panels.len().div_ceil(COLUMNS) as f64;
    let width = COLUMNS.min(panels.len().max(1)) as f64 * PANEL.0;
    let height = TOP + rows * PANEL.1;
    let mut svg = Svg::new(width, height, title);
    svg.rect((0.0, 0.0), (width, height), "page");
    svg.text((10.0, 20.0), Anchor::Start, "title", title);
    let lines = panels.first().map_or(&[][..], |panel| &panel.lines);
    legend(&mut svg, lines.iter().map(|line| line.name.as_str()));
    for (index, panel) in panels.iter().enumerate() {
        let corner = (
            (index % COLUMNS) as f64 * PANEL.0,
            TOP + (index / COLUMNS) as f64 * PANEL.1,
        );
        let frame = frame(corner);
        let axes = Axes::new(&panel.lines, frame);
        let middle = f64::midpoint(frame.left, frame.right);
        svg.text(
            (middle, frame.top - 8.0),
            Anchor::Middle,
            "title",
            &panel.title,
        );
        axes.draw(&mut svg, (x, y));
        draw_lines(&mut svg, &axes, &panel.lines);
    }
    Figure {
        name: name.to_owned(),
        title: title.to_owned(),
        svg: svg.standalone(STYLE),
    }
}

fn frame((x, y): (f64, f64)) -> Frame {
    Frame {
        left: x + MARGIN.left,
        right: x + PANEL.0 - MARGIN.right,
        top: y + MARGIN.top,
        bottom: y + PANEL.1 - MARGIN.bottom,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_panel_has_its_title_and_the_legend_stands_once() {
        let panel = |title: &str, high: f64| Panel {
            title: title.to_owned(),
            lines: vec![Line {
                name: "one line".to_owned(),
                points: vec![(2.0, 1.0), (4.0, high)],
            }],
        };
        let five = ["a", "b", "c", "d", "e"].map(|title| panel(title, 3.0));
        let svg = panels("f", "t", "x", "y", &five).svg;
        for panel in &five {
            assert!(svg.contains(&format!(">{}</text>", panel.title)), "{svg}");
        }
        assert_eq!(svg.matches(">one line</text>").count(), 1);
        // Two rows.
        assert!(svg.contains("viewBox=\"0 0 1032 486\""), "{svg}");
    }
}
