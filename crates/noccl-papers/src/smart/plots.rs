// SPDX-License-Identifier: Apache-2.0
//! Figures: the same lines in a panel for each HPCmax and setup.

use super::curve::{Effort, Sample};
use super::designs::{Design, Setting};
use noccl_studies::parts::panels;
use noccl_studies::{Error, Figure, Line, Panel};
use noccl_workload::Pattern;
use rayon::prelude::*;

/// Name of a figure, of its y axis, and what it shows of a sample.
pub(super) type Quantity<'a> = (&'a str, &'a str, fn(&Sample) -> f64);

/// What a figure shows.
pub(super) struct Plot<'a> {
    pub(super) name: &'a str,
    pub(super) title: &'a str,
    pub(super) pattern: Pattern,
    pub(super) designs: &'a [Design],
    pub(super) loads: &'a [f64],
    pub(super) x: &'a str,
}

impl Plot<'_> {
    /// Latency over offered load, and whatever else a sample says, each as a figure.
    ///
    /// # Errors
    /// [`Error::Run`] if a run stalls or is interrupted.
    pub(super) fn draw(
        &self,
        effort: Effort<'_>,
        settings: &[Setting],
        more: &[Quantity<'_>],
    ) -> Result<Vec<Figure>, Error> {
        let cases: Vec<(Setting, Design)> = settings
            .iter()
            .flat_map(|setting| self.designs.iter().map(|design| (*setting, *design)))
            .collect();
        let curve = |(setting, design): &(Setting, Design)| {
            effort.curve(*design, *setting, self.pattern, self.loads)
        };
        let curves: Vec<Vec<Sample>> = cases.par_iter().map(curve).collect::<Result<_, Error>>()?;
        let titles: Vec<String> = settings
            .iter()
            .map(|setting| setting.title())
            .collect::<Result<_, Error>>()?;
        let title = match &titles[..] {
            [only] => format!("{}: {only}", self.title),
            _ => self.title.to_owned(),
        };
        let figure = |name: &str, y: &str, of: fn(&Sample) -> f64| {
            let panel = |(setting, title): (&Setting, &String)| Panel {
                title: title.clone(),
                lines: (cases.iter().zip(&curves))
                    .filter(|((at, _), _)| at == setting)
                    .map(|((_, design), curve)| Line {
                        name: design.name.to_owned(),
                        points: curve.iter().map(|s| (s.offered, of(s))).collect(),
                    })
                    .collect(),
            };
            let all: Vec<Panel> = settings.iter().zip(&titles).map(panel).collect();
            panels(name, &title, self.x, y, &all)
        };
        let mut figures = vec![figure(self.name, "latency [cycles]", |s| s.latency.mean)];
        figures.extend(more.iter().map(|(name, y, of)| figure(name, y, *of)));
        Ok(figures)
    }
}
