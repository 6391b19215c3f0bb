// SPDX-License-Identifier: Apache-2.0
//! Plots as SVG: marks, axes, lines, bars.

mod axes;
pub(crate) mod bars;
pub(crate) mod figure;
mod markup;
pub(crate) mod panels;
pub(crate) mod svg;

pub use markup::{Attribute, Markup};
pub use svg::{Anchor, Svg, decades};
