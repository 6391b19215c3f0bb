// SPDX-License-Identifier: Apache-2.0
//! S2's claims 12 to 18: acknowledgements of all nodes to one (Fig. 7).

use super::broadcasts::{Plot, Quantity};
use super::curve::{Effort, Sample, between};
use super::designs::{
    BASELINE, BASELINE_INTERFACE, BASELINE_ROUTER, COMPLETE, Design, FITTED_VCS, GREEDY_BYPASS,
    GREEDY_BYPASS_ROUTER, GREEDY_LOCAL, Setting, VCS,
};
use crate::Found;
use crate::statistics::Outcomes;
use noccl_studies::Error;
use noccl_workload::Pattern;
use rayon::prelude::*;

const PATTERN: Pattern = Pattern::ManyToOne;

/// What the rows are measured with.
#[derive(Clone, Copy)]
struct Rows<'a> {
    effort: Effort<'a>,
    at: Setting,
    /// Do details have the numbers of all of [`VCS`]?
    has_all_vcs: bool,
}

/// A design at low load and at the limit of latency.
struct Ends {
    low: Sample,
    load: f64,
}

impl Rows<'_> {
    fn ends(self, designs: &[Design]) -> Result<Vec<Ends>, Error> {
        let of = |design: &Design| {
            Ok(Ends {
                low: self.effort.low(*design, self.at, PATTERN)?,
                load: self.effort.at_limit(*design, self.at, PATTERN)?,
            })
        };
        designs.par_iter().map(of).collect()
    }

    fn full(self, design: Design) -> Result<Sample, Error> {
        self.effort.full(design, self.at, PATTERN)
    }

    fn sample(self, design: Design, load: f64) -> Result<Sample, Error> {
        self.effort.sample(&design.network(self.at)?, PATTERN, load)
    }

    /// Numbers by virtual channels.
    fn by_vcs(
        self,
        number: impl Fn(Setting) -> Result<f64, Error> + Sync,
    ) -> Result<String, Error> {
        if self.has_all_vcs {
            Setting::words_by_vcs(number)
        } else {
            Ok(String::new())
        }
    }

    /// Loads at the limit by virtual channels.
    fn limits(self, design: Design) -> Result<String, Error> {
        self.by_vcs(|setting| self.effort.at_limit(design, setting, PATTERN))
    }
}

/// What stands behind a comparison.
fn both(of: &Ends, baseline: &Ends) -> String {
    format!(
        "{} cycles, baseline {}; load at the limit {:.2}, baseline {:.2}",
        of.low.latency_text(),
        baseline.low.latency_text(),
        of.load,
        baseline.load
    )
}

/// Claims 12 (second half) to 18, with the number of channels that is fitted to them, and in the details with that of multicasts.
pub(super) fn claims(effort: Effort<'_>, out: &mut Outcomes) -> Result<(), Error> {
    let measured = |at, has_all_vcs| {
        let mut found = Outcomes::default();
        Rows {
            effort,
            at,
            has_all_vcs,
        }
        .claims(&mut found)
        .map(|()| found)
    };
    let fitted = measured(Setting::PUBLISHED, true)?;
    let equal = measured(Setting::with_vcs(FITTED_VCS), false)?;
    let setting = Setting::PUBLISHED.words_of_reductions();
    out.take_beside(fitted, &setting, &equal, &format!("with {FITTED_VCS}"));
    Ok(())
}

/// A load at the limit of latency.
fn put_load(id: &str, load: f64, detail: &str, out: &mut Outcomes) {
    out.put_within(id, load, Some(between(PATTERN, load)), detail);
}

impl Rows<'_> {
    fn claims(self, out: &mut Outcomes) -> Result<(), Error> {
        let found = self.ends(&[BASELINE, BASELINE_ROUTER, GREEDY_LOCAL, COMPLETE])?;
        let (baseline, by_router, local, complete) = (&found[0], &found[1], &found[2], &found[3]);
        for (ends, design, latency, saturation) in [
            (baseline, BASELINE, "13-port-latency", "13-port-saturation"),
            (
                by_router,
                BASELINE_ROUTER,
                "13-router-latency",
                "13-router-saturation",
            ),
        ] {
            let detail = format!("{} cycles", ends.low.latency_text());
            out.put_estimate(latency, ends.low.latency, &detail);
            put_load(saturation, ends.load, &self.limits(design)?, out);
        }
        let ratio = local.low.latency.over(baseline.low.latency);
        let detail = both(local, baseline);
        out.put_estimate("14-local", ratio, &detail);
        self.bypass(out)?;
        self.complete_rows(complete, out)?;
        let lower = complete.low.latency.part_below(baseline.low.latency);
        let detail = both(complete, baseline);
        out.put_estimate("12-reduction-latency", lower, &detail);
        let (low, high) = between(PATTERN, complete.load);
        let (least, most) = between(PATTERN, baseline.load);
        let (id, ratio) = ("12-reduction-throughput", complete.load / baseline.load);
        out.put_within(id, ratio, Some((low / most, high / least)), &detail);
        self.merged(baseline, by_router, out)
    }

    /// Claims 17 and 18 of the baseline.
    fn merged(self, baseline: &Ends, by_router: &Ends, out: &mut Outcomes) -> Result<(), Error> {
        for (ends, design, received, wait, open) in [
            (baseline, BASELINE, "17-port", "17-wait-port", "18-port"),
            (
                by_router,
                BASELINE_ROUTER,
                "17-router",
                "17-wait-router",
                "18-router",
            ),
        ] {
            let near = self.sample(design, 0.9 * ends.load)?;
            let detail = format!(
                "{:.1} at low load, {:.1} at nine tenths of the load at the limit",
                ends.low.received.mean, near.received.mean
            );
            out.put_estimate(received, ends.low.received, &detail);
            let detail = format!("{:.1} at low load", ends.low.open.mean);
            out.put_estimate(open, near.open, &detail);
            let detail = format!(
                "{:.2} at nine tenths of the load at the limit",
                near.wait.mean
            );
            out.put_estimate(wait, ends.low.wait, &detail);
        }
        let full = self.full(BASELINE)?;
        let routers = self.full(BASELINE_ROUTER)?;
        let interfaces = self.full(BASELINE_INTERFACE)?;
        let detail = format!(
            "{:.1} merged by router, {:.1} also in interfaces; accepted {:.2}, {:.2}, {:.2}; {:.0}, {:.0}, {:.0} reductions are open",
            routers.received.mean,
            interfaces.received.mean,
            full.accepted.mean,
            routers.accepted.mean,
            interfaces.accepted.mean,
            full.open.mean,
            routers.open.mean,
            interfaces.open.mean
        );
        out.put_estimate("17-saturated", full.received, &detail);
        let by_vcs = self.by_vcs(|setting| {
            let full = self.effort.full(BASELINE, setting, PATTERN)?;
            Ok(full.wait.mean)
        })?;
        let detail = format!("{by_vcs}; {:.2} merged by router", routers.wait.mean);
        out.put_estimate("17-wait-saturated", full.wait, &detail);
        Ok(())
    }

    /// Claims 16, 17 and 18 of the reduction table.
    fn complete_rows(self, complete: &Ends, out: &mut Outcomes) -> Result<(), Error> {
        let detail = format!("{} cycles", complete.low.latency_text());
        out.put_estimate("16-low", complete.low.latency, &detail);
        let of = |vcs: &u32| (self.effort).full(COMPLETE, Setting::with_vcs(*vcs), PATTERN);
        let full: Vec<Sample> = VCS.par_iter().map(of).collect::<Result<_, _>>()?;
        let words: Vec<String> = VCS
            .iter()
            .zip(&full)
            .map(|(vcs, s)| {
                format!(
                    "{:.1} cycles, accepted {:.2} with vcs {vcs}",
                    s.latency.mean, s.accepted.mean
                )
            })
            .collect();
        // The claim's number of channels is one of those that are measured.
        for (_, fitted) in VCS
            .iter()
            .zip(&full)
            .filter(|(vcs, _)| **vcs == self.at.reduction_vcs)
        {
            out.put_estimate("16-high", fitted.latency, &words.join("; "));
        }
        let limits = self.limits(COMPLETE)?;
        let detail = format!(
            "load at the limit {limits}; at full offer {}",
            words.join("; ")
        );
        put_load("16-unsaturated", complete.load, &detail, out);
        out.put_estimate(
            "17-complete",
            complete.low.received,
            "as every router counts",
        );
        let half = self.sample(COMPLETE, 0.5)?;
        let near = self.sample(COMPLETE, 0.9 * complete.load)?;
        let detail = format!(
            "at 0.5 per cycle; {:.1} at 0.05, {:.1} at nine tenths of the load at the limit",
            complete.low.open.mean, near.open.mean
        );
        out.put_estimate("18-table", half.open, &detail);
        Ok(())
    }

    /// Claims 15 and 17 of greedy reductions with priority `bypass`, where a latched contribution joins one at its input port or in the router.
    fn bypass(self, out: &mut Outcomes) -> Result<(), Error> {
        for (design, latency, saturation, received) in [
            (
                GREEDY_BYPASS,
                "15-port-latency",
                "15-port-saturation",
                "17-greedy-port",
            ),
            (
                GREEDY_BYPASS_ROUTER,
                "15-router-latency",
                "15-router-saturation",
                "17-greedy-router",
            ),
        ] {
            let low = self.effort.low(design, self.at, PATTERN)?;
            let load = self.effort.at_limit(design, self.at, PATTERN)?;
            let near = self.sample(design, 0.9 * load)?;
            let detail = format!(
                "{} cycles at low load, {} at nine tenths of the load at the limit",
                low.latency_text(),
                near.latency_text()
            );
            out.put_estimate(latency, low.latency, &detail);
            put_load(saturation, load, &self.limits(design)?, out);
            let detail = format!(
                "{:.1} at low load, {:.1} at nine tenths of the load at the limit",
                low.received.mean, near.received.mean
            );
            out.put_estimate(received, low.received, &detail);
        }
        Ok(())
    }
}

/// Fig. 7: latency, contributions that come to a root, reductions in flight.
pub(super) fn figures(
    effort: Effort<'_>,
    settings: &[Setting],
    found: &mut Found,
) -> Result<(), Error> {
    let loads: Vec<f64> = (0..20).map(|n| 0.05 + f64::from(n) / 20.0).collect();
    let plot = Plot {
        name: "fig_7a",
        title: "S2 Fig. 7a: acknowledgements of all nodes to one",
        pattern: PATTERN,
        designs: &[
            BASELINE,
            BASELINE_ROUTER,
            GREEDY_LOCAL,
            GREEDY_BYPASS,
            GREEDY_BYPASS_ROUTER,
            COMPLETE,
        ],
        loads: &loads,
        x: "reductions per cycle of the mesh",
    };
    let received: Quantity<'_> = ("fig_7b", "contributions that the root gets", |s| {
        s.received.mean
    });
    let open: Quantity<'_> = ("fig_7c", "reductions in flight", |s| s.open.mean);
    let more = [received, open];
    found.figures.extend(plot.draw(effort, settings, &more)?);
    Ok(())
}
