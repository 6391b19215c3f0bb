// SPDX-License-Identifier: Apache-2.0
//! SVG elements as text. Colours come from classes, so that the page's theme decides them.

use std::fmt::Write;

/// A drawing of a given size with a description for screen readers.
pub(crate) struct Svg {
    body: String,
    width: f64,
    height: f64,
    label: String,
}

/// Where a text is anchored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub(crate) fn new(width: f64, height: f64, label: &str) -> Self {
        Self {
            body: String::new(),
            width,
            height,
            label: label.to_owned(),
        }
    }

    fn put(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.put(&format!(
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" class="{class}"/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    pub(crate) fn polyline(&mut self, points: &[(f64, f64)], class: &str) {
        let mut text = String::new();
        for (x, y) in points {
            // Writing to a string cannot fail.
            let _ = write!(text, "{x:.1},{y:.1} ");
        }
        self.put(&format!(
            r#"<polyline points="{}" class="{class}"/>"#,
            text.trim_end()
        ));
    }

    /// An arrow from one point to another: shaft and head as one filled shape, with a tooltip.
    pub(crate) fn arrow(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        thickness: f64,
        class: &str,
        tip: &str,
    ) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1e-6);
        let (ux, uy) = (dx / length, dy / length);
        let (half, head, wing) = (thickness / 2.0, thickness + 3.0, thickness / 2.0 + 2.5);
        let at = |along: f64, across: f64| {
            format!(
                "{:.1},{:.1}",
                from.0 + ux * along - uy * across,
                from.1 + uy * along + ux * across
            )
        };
        let neck = length - head;
        let points = [
            at(0.0, half),
            at(neck, half),
            at(neck, wing),
            at(length, 0.0),
            at(neck, -wing),
            at(neck, -half),
            at(0.0, -half),
        ];
        self.put(&format!(
            r#"<polygon points="{}" class="{class}"><title>{}</title></polygon>"#,
            points.join(" "),
            escape(tip)
        ));
    }

    pub(crate) fn rect(&mut self, corner: (f64, f64), size: (f64, f64), class: &str) {
        self.put(&format!(
            r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="3" class="{class}"/>"#,
            corner.0, corner.1, size.0, size.1
        ));
    }

    pub(crate) fn text(&mut self, at: (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.put(&format!(
            r#"<text x="{:.1}" y="{:.1}" text-anchor="{anchor}" class="{class}">{}</text>"#,
            at.0,
            at.1,
            escape(text)
        ));
    }

    /// A text turned to read upwards.
    pub(crate) fn text_upwards(&mut self, at: (f64, f64), class: &str, text: &str) {
        self.put(&format!(
            r#"<text transform="translate({:.1} {:.1}) rotate(-90)" text-anchor="middle" class="{class}">{}</text>"#,
            at.0,
            at.1,
            escape(text)
        ));
    }

    /// A point with a tooltip; the shape follows the index, so that lines differ without colour too.
    pub(crate) fn marker(&mut self, (x, y): (f64, f64), shape: usize, class: &str, tip: &str) {
        let tip = format!("<title>{}</title>", escape(tip));
        let polygon = |points: &[(f64, f64)]| {
            let list: Vec<String> = points
                .iter()
                .map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy))
                .collect();
            format!(
                r#"<polygon points="{}" class="{class}">{tip}</polygon>"#,
                list.join(" ")
            )
        };
        let element = match shape % 4 {
            0 => {
                format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.5" class="{class}">{tip}</circle>"#)
            }
            1 => polygon(&[(-3.3, -3.3), (3.3, -3.3), (3.3, 3.3), (-3.3, 3.3)]),
            2 => polygon(&[(0.0, -4.3), (4.2, 3.4), (-4.2, 3.4)]),
            _ => polygon(&[(0.0, -4.8), (4.8, 0.0), (0.0, 4.8), (-4.8, 0.0)]),
        };
        self.put(&element);
    }

    pub(crate) fn finish(self) -> String {
        format!(
            "<svg viewBox=\"0 0 {0:.0} {1:.0}\" width=\"{0:.0}\" height=\"{1:.0}\" role=\"img\" \
             aria-label=\"{2}\">\n{3}</svg>\n",
            self.width,
            self.height,
            escape(&self.label),
            self.body
        )
    }
}

/// Ticks of a logarithmic axis: 1, 2 and 5 times powers of ten from just below `low` to just above `high`.
pub(crate) fn decades(low: f64, high: f64) -> Vec<f64> {
    let all: Vec<f64> = (-3..18)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|digit: f64| digit * 10f64.powi(power)))
        .collect();
    let first = all.iter().rposition(|t| *t <= low).unwrap_or(0);
    let last = all.iter().position(|t| *t >= high).unwrap_or(all.len() - 1);
    all[first..=last].to_vec()
}

/// Text that is safe inside elements and attributes.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
