// SPDX-License-Identifier: Apache-2.0
//! S2's claims 1 to 12: broadcasts from the corners and from everywhere, multicasts to random sets (Fig. 6).

use super::curve::{Effort, Sample};
use super::designs::{BASELINE, Design, FITTED_VCS, PRIVATE, SHARED, SLOTS, Setting, in_slots};
use crate::Found;
use crate::statistics::{Estimate, Outcomes};
use noccl_studies::parts::panels;
use noccl_studies::{Error, Figure, Line, Panel};
use noccl_workload::Pattern;
use rayon::prelude::*;

/// Broadcasts per cycle that interfaces let pass: a source does not send to itself.
const IDEAL: f64 = 64.0 / 63.0;
const AT: Setting = Setting::PUBLISHED;

/// A design at low load and at full offer.
struct BroadcastEnds {
    low: Sample,
    full: Sample,
}

fn ends(
    effort: Effort<'_>,
    designs: &[Design],
    setting: Setting,
    pattern: Pattern,
) -> Result<Vec<BroadcastEnds>, Error> {
    let of = |design: &Design| {
        Ok(BroadcastEnds {
            low: effort.low(*design, setting, pattern)?,
            full: effort.full(*design, setting, pattern)?,
        })
    };
    designs.par_iter().map(of).collect()
}

/// By how much a latency lies below the baseline's.
fn lower(of: &BroadcastEnds, baseline: &BroadcastEnds) -> Estimate {
    of.low.latency.part_below(baseline.low.latency)
}

fn gain(of: &BroadcastEnds, baseline: &BroadcastEnds) -> Estimate {
    of.full.accepted.over(baseline.full.accepted)
}

/// What stands behind a comparison.
fn both(of: &BroadcastEnds, baseline: &BroadcastEnds) -> String {
    format!(
        "{} cycles, baseline {}; accepted {}, baseline {}",
        of.low.latency_text(),
        baseline.low.latency_text(),
        of.full.accepted_text(),
        baseline.full.accepted_text()
    )
}

/// Claims 1 to 4.
pub(super) fn corners(effort: Effort<'_>, out: &mut Outcomes) -> Result<(), Error> {
    let pattern = Pattern::CornerBroadcast;
    let mut designs = vec![BASELINE, SHARED, PRIVATE];
    designs.extend(SLOTS.iter().map(|(_, design)| *design));
    let found = ends(effort, &designs, AT, pattern)?;
    let (baseline, shared, private, slots) = (&found[0], &found[1], &found[2], &found[3..]);
    let by_interval: Vec<(u32, &BroadcastEnds)> =
        SLOTS.iter().map(|slot| slot.0).zip(slots).collect();
    let words: Vec<String> = by_interval
        .iter()
        .map(|(interval, ends)| {
            let (low, full) = (ends.low.latency_text(), ends.full.accepted_text());
            format!("BI {interval}: {low} cycles, accepted {full}")
        })
        .collect();
    let words = words.join("; ");
    let latency = |interval: u32| {
        let found = by_interval.iter().find(|(cycles, _)| *cycles == interval);
        found.map_or(Estimate::known(0.0), |(_, ends)| ends.low.latency)
    };
    let detail = format!("baseline {}; {words}", baseline.low.latency_text());
    let base = baseline.low.latency;
    out.put_estimate("1-most", latency(4).part_below(base), &detail);
    out.put_estimate("1-least", latency(10).part_below(base), &detail);
    for interval in [3, 4, 6, 10] {
        let detail = "slots begin at fixed cycles, so that a packet waits half an interval";
        out.put_estimate(&format!("2-bi-{interval}"), latency(interval), detail);
    }
    best_interval(&by_interval, &words, out);
    let detail = format!(
        "private trees: {}; shared: {}",
        both(private, baseline),
        both(shared, baseline)
    );
    out.put_estimate("4-latency", lower(private, baseline), &detail);
    out.put_estimate("4-throughput", gain(private, baseline), &detail);
    Ok(())
}

/// Claim 3.
fn best_interval(by_interval: &[(u32, &BroadcastEnds)], words: &str, out: &mut Outcomes) {
    let accepted = |ends: &BroadcastEnds| ends.full.accepted;
    let by_mean = |a: &Estimate, b: &Estimate| a.mean.total_cmp(&b.mean);
    let best = by_interval
        .iter()
        .max_by(|a, b| by_mean(&accepted(a.1), &accepted(b.1)));
    let Some((interval, most)) = best else { return };
    out.put("3-best", f64::from(*interval), words);
    let others = by_interval.iter().filter(|(i, _)| i != interval);
    let ratios = others.map(|(_, ends)| accepted(most).over(accepted(ends)));
    let ratios: Vec<Estimate> = ratios.collect();
    let (least, greatest) = (
        ratios.iter().copied().min_by(by_mean),
        ratios.iter().copied().max_by(by_mean),
    );
    for (id, ratio) in [("3-least", least), ("3-most", greatest)] {
        let ratio = ratio.unwrap_or(Estimate::known(0.0));
        out.put_estimate(id, ratio, words);
    }
}

/// Claims 5 to 10 and the first half of 12.
pub(super) fn everywhere(effort: Effort<'_>, out: &mut Outcomes) -> Result<(), Error> {
    let pattern = Pattern::Broadcast;
    let found = ends(
        effort,
        &[BASELINE, SHARED, PRIVATE, in_slots(6)],
        AT,
        pattern,
    )?;
    let (baseline, shared, private, slots) = (&found[0], &found[1], &found[2], &found[3]);
    let detail = both(slots, baseline);
    out.put_estimate("5-latency", lower(slots, baseline), &detail);
    out.put_estimate("5-throughput", gain(slots, baseline), &detail);
    let detail = both(shared, baseline);
    out.put_estimate("6-latency", shared.low.latency, &detail);
    let gains = gains_by_vcs(effort, SHARED)?;
    out.put_estimate(
        "6-throughput",
        gain(shared, baseline),
        &format!("{detail}; {gains}"),
    );
    let ideal = Estimate::known(IDEAL);
    out.put_estimate("6-ideal", shared.full.accepted.over(ideal), &detail);
    out.put_estimate("12-multicast-latency", lower(shared, baseline), &detail);
    let detail = both(private, baseline);
    let gains = gains_by_vcs(effort, PRIVATE)?;
    let detail = format!("{detail}; {gains}");
    out.put_estimate("7-throughput", gain(private, baseline), &detail);
    out.put_estimate("7-ideal", private.full.accepted.over(ideal), &detail);
    out.put_estimate("12-multicast-throughput", gain(private, baseline), &detail);
    equal_buffers(effort, baseline, out)?;
    let added = private.low.latency.minus(shared.low.latency);
    let detail = format!(
        "private {}, shared {}",
        private.low.latency_text(),
        shared.low.latency_text()
    );
    out.put_estimate("8-redirection", added, &detail);
    let highest = found.iter().map(|ends| ends.full.accepted.mean);
    let highest = highest.fold(0.0, f64::max);
    let detail =
        format!("64 / 63, as a source does not send to itself; highest accepted {highest:.3}");
    out.put_shown("9-ideal", IDEAL, &detail, highest <= IDEAL);
    consistency(effort, baseline, out)
}

fn gains_by_vcs(effort: Effort<'_>, design: Design) -> Result<String, Error> {
    let words = Setting::words_by_vcs(|setting| {
        let ours = effort.full(design, setting, Pattern::Broadcast)?.accepted;
        let base = effort.full(BASELINE, setting, Pattern::Broadcast)?.accepted;
        Ok(ours.over(base).mean)
    })?;
    Ok(format!("ratio {words}"))
}

/// Claims 7 and 12 with as many buffer bits: one channel per order class, as many in all as the baseline has.
fn equal_buffers(
    effort: Effort<'_>,
    baseline: &BroadcastEnds,
    out: &mut Outcomes,
) -> Result<(), Error> {
    let setting = Setting::with_vcs(FITTED_VCS / 3);
    let private = effort.full(PRIVATE, setting, Pattern::Broadcast)?;
    let detail = format!(
        "{} with vcs 1 in each of three classes, baseline {} with vcs {FITTED_VCS} in one",
        private.accepted_text(),
        baseline.full.accepted_text()
    );
    let ratio = private.accepted.over(baseline.full.accepted);
    out.put_estimate("7-equal-buffers", ratio, &detail);
    out.put_estimate("12-equal-buffers", ratio, &detail);
    Ok(())
}

/// Claim 10, to which `vcs` is fitted.
fn consistency(
    effort: Effort<'_>,
    baseline: &BroadcastEnds,
    out: &mut Outcomes,
) -> Result<(), Error> {
    let words = Setting::words_by_vcs(|setting| {
        let full = effort.full(BASELINE, setting, Pattern::Broadcast)?;
        Ok(full.accepted.mean / IDEAL)
    })?;
    let ours = baseline.full.accepted.over(Estimate::known(IDEAL));
    out.put_estimate("10-consistency", ours, &words);
    Ok(())
}

/// Claim 11.
pub(super) fn random_sets(effort: Effort<'_>, out: &mut Outcomes) -> Result<(), Error> {
    let pattern = Pattern::RandomMulticast;
    let designs = [BASELINE, SHARED, PRIVATE, in_slots(4), in_slots(6)];
    let found = ends(effort, &designs, AT, pattern)?;
    let (baseline, shared, private) = (&found[0], &found[1], &found[2]);
    let ratio = gain(&found[3], &found[4]);
    let detail = format!(
        "accepted {} with BI 4, {} with BI 6",
        found[3].full.accepted_text(),
        found[4].full.accepted_text()
    );
    out.put_estimate("11-interval", ratio, &detail);
    let detail = format!(
        "shared trees: {}; private: {}",
        both(shared, baseline),
        both(private, baseline)
    );
    out.put_estimate("11-latency", lower(shared, baseline), &detail);
    out.put_estimate("11-throughput", gain(shared, baseline), &detail);
    Ok(())
}

/// Fig. 6: latency over load of the three patterns.
pub(super) fn figures(
    effort: Effort<'_>,
    settings: &[Setting],
    found: &mut Found,
) -> Result<(), Error> {
    let loads = |most: f64| -> Vec<f64> {
        (0..=16)
            .map(|n| 0.05 + f64::from(n) * (most - 0.05) / 16.0)
            .collect()
    };
    let mut all = vec![BASELINE, PRIVATE];
    all.extend(SLOTS.iter().map(|(_, design)| *design));
    let everywhere = [BASELINE, SHARED, PRIVATE, in_slots(6)];
    let random = [BASELINE, SHARED, PRIVATE, in_slots(4), in_slots(6)];
    let x = "broadcasts per cycle of the mesh";
    let plots = [
        (
            "fig_6a",
            "S2 Fig. 6a: broadcasts from the four corners",
            Pattern::CornerBroadcast,
            &all[..],
            1.05,
            x,
        ),
        (
            "fig_6b",
            "S2 Fig. 6b: broadcasts from all nodes",
            Pattern::Broadcast,
            &everywhere[..],
            1.05,
            x,
        ),
        (
            "fig_6c",
            "S2 Fig. 6c: multicasts to random sets",
            Pattern::RandomMulticast,
            &random[..],
            1.65,
            "multicasts per cycle of the mesh",
        ),
    ];
    for (name, title, pattern, designs, most, x) in plots {
        let loads = loads(most);
        let plot = Plot {
            name,
            title,
            pattern,
            designs,
            loads: &loads,
            x,
        };
        found.figures.extend(plot.draw(effort, settings, &[])?);
    }
    Ok(())
}

// Figures: the same lines in a panel for each HPCmax and setup.

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
