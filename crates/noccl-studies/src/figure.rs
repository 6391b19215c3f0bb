// SPDX-License-Identifier: Apache-2.0
//! What belongs into a figure: names and numbers. Drawn from them by Matplotlib, in `python/noccl/figures.py`.

use crate::{Error, write_file};
use noccl_files::FileError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The numbers of a plot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// File name without extension, after the paper's figure.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// Name of the x axis.
    pub x: String,
    /// Name of the y axis.
    pub y: String,
    /// What is drawn.
    pub content: Content,
}

/// What a figure draws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Panels with the same lines and one legend.
    Panels(Vec<Panel>),
    /// Groups of bars, for what has names instead of numbers on the x axis.
    Bars(Bars),
}

/// One of several small plots, or the only one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    /// What tells it from the others; empty if it is the only one.
    pub title: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// A line of a panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

/// Groups of bars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bars {
    /// Names of the groups.
    pub groups: Vec<String>,
    /// Bars of one kind, one per group.
    pub series: Vec<Series>,
}

/// Bars of one kind, one per group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Heights; 0 has no bar.
    pub values: Vec<f64>,
}

/// Lines over one pair of axes.
#[must_use]
pub fn line_chart(name: &str, title: &str, x: &str, y: &str, lines: &[Line]) -> Figure {
    let only = Panel {
        title: String::new(),
        lines: lines.to_vec(),
    };
    panels(name, title, x, y, &[only])
}

/// Panels with the same lines, each with its own axes.
#[must_use]
pub fn panels(name: &str, title: &str, x: &str, y: &str, panels: &[Panel]) -> Figure {
    figure(name, title, (x, y), Content::Panels(panels.to_vec()))
}

/// Groups of bars.
#[must_use]
pub fn bars(
    name: &str,
    title: &str,
    axes: (&str, &str),
    groups: &[&str],
    series: &[Series],
) -> Figure {
    let bars = Bars {
        groups: groups.iter().map(ToString::to_string).collect(),
        series: series.to_vec(),
    };
    figure(name, title, axes, Content::Bars(bars))
}

fn figure(name: &str, title: &str, (x, y): (&str, &str), content: Content) -> Figure {
    Figure {
        name: name.to_owned(),
        title: title.to_owned(),
        x: x.to_owned(),
        y: y.to_owned(),
        content,
    }
}

/// Writes the numbers of plots into a folder, each as `NAME.json`.
///
/// # Errors
/// [`Error::File`] if one cannot be written.
pub fn write_figures(directory: &Path, figures: &[Figure]) -> Result<(), Error> {
    for figure in figures {
        let path = directory.join(format!("{}.json", figure.name));
        let text = serde_json::to_string(figure).map_err(|e| FileError::Content {
            path: path.display().to_string(),
            expected: "figure",
            reason: e.to_string(),
        })?;
        write_file(&path, &(text + "\n"))?;
    }
    Ok(())
}
