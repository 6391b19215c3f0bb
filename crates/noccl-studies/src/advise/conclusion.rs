// SPDX-License-Identifier: Apache-2.0
//! The conclusion: which mechanism is fastest, at what area, and at which computation, count, size or clock another one would be. All numbers
//! follow from the rows, those of other sizes from further runs.

use super::calls::{CALL_BYTES, WorkloadCall};
use super::evaluate::{Evaluated, Evaluator};
use super::report::{AdviceConclusion, AdviceEvidence, AdviceRow};
use super::{CYCLES_PER_US, Called, Mechanism};
use crate::{Error, format_bytes};

/// Times that differ by less are equal: a mechanism that is first of several is the cheaper one.
const EQUAL: f64 = 0.001;
/// Gains of the whole workload below this are not worth any hardware, and the gain that is asked for otherwise.
const LEAST_GAIN: f64 = 1.02;
const GOOD_GAIN: f64 = 1.10;
/// A count so many times as high is another workload.
const MOST_TIMES: f64 = 100.0;
/// Payloads by which the size is varied.
const SIZE_FACTOR: u64 = 8;
/// Least payload of those: a beat.
const LEAST_BYTES: u64 = 64;

/// What the conclusion is about.
struct Compared<'a> {
    rows: &'a [AdviceRow],
    calls: &'a [WorkloadCall],
    /// By row and call: microseconds of all its calls.
    times_us: Vec<Vec<f64>>,
    compute_us: f64,
}

/// The conclusion on rows, of which the first is software alone.
pub(super) fn conclusion(
    evaluator: &mut Evaluator<'_>,
    rows: &[AdviceRow],
    calls: &[WorkloadCall],
    evaluated: &[(Mechanism, Vec<Evaluated>)],
    (compute_us, has_runs): (f64, bool),
) -> Result<AdviceConclusion, Error> {
    let of_row = |(row, (_, of_calls)): (&AdviceRow, &(Mechanism, Vec<Evaluated>))| {
        let us = |cycles: u64| cycles as f64 / (row.clock_ghz * CYCLES_PER_US);
        let each = calls.iter().zip(of_calls);
        each.map(|(call, one)| us(call.count * one.cycles()))
            .collect()
    };
    let compared = Compared {
        rows,
        calls,
        times_us: rows.iter().zip(evaluated).map(of_row).collect(),
        compute_us,
    };
    let fastest = compared.fastest(|row| Some(row.time_us));
    let hardware = compared.best_hardware(fastest);
    let mut changes = Vec::new();
    if let Some(hardware) = hardware {
        changes.extend(compared.by_computation(hardware));
        changes.extend(by_size(evaluator, &compared, hardware, has_runs)?);
    }
    changes.extend(compared.by_count(fastest));
    changes.extend(compared.by_clock(fastest));
    if changes.is_empty() && compared.is_never_beaten() {
        changes.push("count: no mechanism is faster in any of the collectives".to_owned());
    }
    Ok(AdviceConclusion {
        fastest: rows[fastest].mechanism,
        is_worth_it: rows[fastest].speedup >= LEAST_GAIN,
        sentence: compared.sentence(fastest, hardware),
        changes,
    })
}

impl Compared<'_> {
    /// The row of the least time, the first of those that are equal; rows without a time, and those of which a bound alone is known, do not
    /// count.
    fn fastest(&self, time: impl Fn(&AdviceRow) -> Option<f64>) -> usize {
        let mut best = (0, f64::INFINITY);
        for (index, row) in self.rows.iter().enumerate() {
            if let Some(time) = time(row)
                && row.evidence != AdviceEvidence::Bound
                && time < best.1 * (1.0 - EQUAL)
            {
                best = (index, time);
            }
        }
        best.0
    }

    /// Is software as fast as everything in every call?
    fn is_never_beaten(&self) -> bool {
        let software = &self.times_us[0];
        let mut others = self.times_us.iter();
        others.all(|times| {
            let mut both = software.iter().zip(times);
            both.all(|(own, other)| *own <= other * (1.0 + EQUAL))
        })
    }

    /// The hardware to compare software with: the fastest mechanism, or else the one with the fastest collectives, if those gain anything.
    fn best_hardware(&self, fastest: usize) -> Option<&AdviceRow> {
        if fastest > 0 {
            return Some(&self.rows[fastest]);
        }
        let index = self.fastest(|row| Some(row.collectives_us));
        (index > 0).then(|| &self.rows[index])
    }

    fn sentence(&self, fastest: usize, hardware: Option<&AdviceRow>) -> String {
        let row = &self.rows[fastest];
        let name = row.mechanism.name();
        let time = us(row.time_us);
        let computed = 100.0 * self.compute_us / row.time_us;
        if row.mechanism == Mechanism::Software {
            let mut text = format!("{name} wins with {time} us: no mechanism gains 0.1 %");
            if let Some(hardware) = hardware {
                text += &format!(
                    "; {} does the collectives {:.2} times as fast, but computation takes {} of the time",
                    hardware.mechanism.name(),
                    hardware.collectives_speedup,
                    percent(computed)
                );
            }
            return text;
        }
        let area = self.area_words(row);
        if row.speedup < LEAST_GAIN {
            let gain = 100.0 * (row.speedup - 1.0);
            return format!(
                "software alone is enough: the best mechanism, {name}, gains {gain:.1} % of the whole, {area}; \
                 computation takes {} of the time",
                percent(computed)
            );
        }
        let mut text = format!(
            "{name} wins: {time} us are {:.2} times as fast as software alone, its collectives {:.2} times, {area}",
            row.speedup, row.collectives_speedup
        );
        if row.area.is_none() {
            let other = self.fastest(|row| row.area.as_ref().map(|_| row.time_us));
            text += &match &self.rows[other] {
                other if other.mechanism == Mechanism::Software => {
                    "; no mechanism that was synthesised gains anything".to_owned()
                }
                other => format!(
                    "; of those that were synthesised {} is the fastest: {:.2} times as fast as software, {}",
                    other.mechanism.name(),
                    other.speedup,
                    self.area_words(other)
                ),
            };
        }
        text
    }

    /// Area of a row, and what it is more than that of software.
    fn area_words(&self, row: &AdviceRow) -> String {
        let software = self.rows[0].area.as_ref();
        match (&row.area, software) {
            (Some(area), Some(software)) => format!(
                "at {:.1} kGE per tile, {:.1} more",
                area.kge,
                area.kge - software.kge
            ),
            (Some(area), None) => format!("at {:.1} kGE per tile", area.kge),
            (None, _) => "at an area that was not synthesised".to_owned(),
        }
    }

    /// At which computation the gain would be as good as it should be, or no longer worth anything.
    fn by_computation(&self, row: &AdviceRow) -> Option<String> {
        if self.compute_us == 0.0 {
            return None;
        }
        let software = &self.rows[0];
        // (compute + software) / (compute + row) = gain.
        let at = |gain: f64| (software.collectives_us - gain * row.collectives_us) / (gain - 1.0);
        let (gain, word) = match row.speedup < GOOD_GAIN {
            true => (GOOD_GAIN, "gains"),
            false => (LEAST_GAIN, "gains only"),
        };
        let (needed, name) = (at(gain), row.mechanism.name());
        if needed <= 0.0 {
            let most = 100.0 * (row.collectives_speedup - 1.0);
            return Some(format!(
                "computation: without any between the collectives {name} would gain {most:.1} %"
            ));
        }
        Some(format!(
            "computation: {name} {word} {:.0} % if it takes {} us (here {} us)",
            100.0 * (gain - 1.0),
            us(needed),
            us(self.compute_us)
        ))
    }

    /// How much more often a collective has to be called for another mechanism to be the fastest.
    fn by_count(&self, fastest: usize) -> Option<String> {
        let own = &self.times_us[fastest];
        let sum = |times: &[f64]| times.iter().sum::<f64>();
        let mut least: Option<(f64, usize, usize)> = None;
        for (other, times) in self.times_us.iter().enumerate() {
            let behind = sum(times) - sum(own);
            for call in 0..self.calls.len() {
                let gained = own[call] - times[call];
                let factor = 1.0 + behind / gained;
                let is_less = least.is_none_or(|(known, ..)| factor < known);
                let is_possible = behind > 0.0 && gained > 0.0 && factor <= MOST_TIMES;
                if is_possible && is_less && self.is_fastest_with(other, call, factor) {
                    least = Some((factor, other, call));
                }
            }
        }
        let (factor, other, call) = least?;
        Some(format!(
            "count: {} is the fastest from {factor:.1} times as many calls of {} ({})",
            self.rows[other].mechanism.name(),
            self.calls[call].name(),
            self.calls[call].step
        ))
    }

    /// Is a row, of which not a bound alone is known, as fast as every other one with so many times the calls?
    fn is_fastest_with(&self, row: usize, call: usize, factor: f64) -> bool {
        let time = |times: &Vec<f64>| times.iter().sum::<f64>() + (factor - 1.0) * times[call];
        let own = time(&self.times_us[row]);
        let mut all = self.times_us.iter();
        self.rows[row].evidence != AdviceEvidence::Bound
            && all.all(|times| own <= time(times) * (1.0 + EQUAL))
    }

    /// Who would be fastest at the clock that the critical paths allow.
    fn by_clock(&self, fastest: usize) -> Option<String> {
        let row = &self.rows[fastest];
        let (at_path, path) = (row.time_at_path_us?, row.path.as_ref()?);
        if path.mhz >= row.clock_ghz * 1e3 {
            return None;
        }
        let best = &self.rows[self.fastest(|row| row.time_at_path_us)];
        let own = format!(
            "clock: the critical path of {} ({}) allows {:.0} MHz, not {:.0}: {} us",
            row.mechanism.name(),
            path.row,
            path.mhz,
            row.clock_ghz * 1e3,
            us(at_path)
        );
        Some(match best.mechanism == row.mechanism {
            true => format!("{own}, still the fastest"),
            false => format!(
                "{own}; at such clocks {} is the fastest with {} us",
                best.mechanism.name(),
                best.time_at_path_us.map_or_else(String::new, us)
            ),
        })
    }
}

/// The gain of hardware in the longest collective, with payloads eight times as short and as long.
fn by_size(
    evaluator: &mut Evaluator<'_>,
    compared: &Compared<'_>,
    hardware: &AdviceRow,
    has_runs: bool,
) -> Result<Option<String>, Error> {
    let times = &compared.times_us[0];
    let is_varied = |index: &usize| {
        let call = &compared.calls[*index];
        call.bytes > 0 && !call.is_exchange() && call.called != Called::Halo
    };
    let longest = (0..times.len())
        .filter(is_varied)
        .max_by(|a, b| times[*a].total_cmp(&times[*b]));
    let Some(call) = longest.map(|index| &compared.calls[index]) else {
        return Ok(None);
    };
    let around = [call.bytes / SIZE_FACTOR, call.bytes * SIZE_FACTOR];
    let around = around.map(|bytes| bytes.next_multiple_of(LEAST_BYTES));
    let is_possible = |bytes: &u64| (LEAST_BYTES..=CALL_BYTES).contains(bytes);
    let mut sizes: Vec<u64> = around.into_iter().filter(is_possible).collect();
    sizes.push(call.bytes);
    sizes.sort_unstable();
    sizes.dedup();
    let mut words = Vec::new();
    for bytes in sizes {
        let varied = call.with_bytes(bytes);
        let mut times = Vec::new();
        for mechanism in [Mechanism::Software, hardware.mechanism] {
            if let Ok(one) = evaluator.call(mechanism, &varied, has_runs)? {
                let clock_ghz = evaluator.network(mechanism)?.spec().clock_ghz;
                times.push(one.cycles() as f64 / clock_ghz);
            }
        }
        if let [software, other] = times[..] {
            words.push(format!(
                "{:.2} with {}",
                software / other,
                format_bytes(bytes)
            ));
        }
    }
    if words.len() < 2 {
        return Ok(None);
    }
    Ok(Some(format!(
        "size: the speed-up of {} by {} is {}",
        call.kind_name(),
        hardware.mechanism.name(),
        words.join(", ")
    )))
}

/// A share in per cent, of which a rest is not rounded away.
fn percent(share: f64) -> String {
    match share {
        share if (99.9..100.0).contains(&share) => "over 99.9 %".to_owned(),
        share => format!("{share:.1} %"),
    }
}

/// Microseconds with four significant places at least.
fn us(time: f64) -> String {
    match time {
        time if time >= 1000.0 => format!("{time:.0}"),
        time if time >= 10.0 => format!("{time:.1}"),
        time => format!("{time:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::DeadlockFreedom;
    use super::super::{AdviceArea, AdvicePath};
    use super::*;
    use noccl_workload::{CollectiveKind, ElementType, Operator};

    /// A row that takes so long for collectives, beside 10 us of computation.
    fn row(mechanism: Mechanism, collectives_us: f64, (kge, mhz): (f64, f64)) -> AdviceRow {
        let at_path = 10.0 + collectives_us * 1e3 / mhz.min(1e3);
        AdviceRow {
            mechanism,
            network: String::new(),
            clock_ghz: 1.0,
            parts: Vec::new(),
            cycles: (collectives_us * CYCLES_PER_US) as u64,
            evidence: AdviceEvidence::Simulated,
            bound_cycles: 1,
            cycles_over_bound: 1.0,
            collectives_us,
            time_us: 10.0 + collectives_us,
            time_at_path_us: Some(at_path),
            collectives_speedup: 1.0,
            speedup: 1.0,
            energy_uj: None,
            area: Some(AdviceArea {
                kge,
                rows: Vec::new(),
                date: String::new(),
            }),
            path: Some(AdvicePath {
                fo4: 1.0,
                mhz,
                row: "p".to_owned(),
                date: String::new(),
            }),
            deadlock_freedom: DeadlockFreedom::AnyTraffic,
            remark: String::new(),
        }
    }

    fn call(kind: CollectiveKind) -> WorkloadCall {
        WorkloadCall {
            step: "s".to_owned(),
            called: Called::Collective(kind),
            bytes: 64,
            count: 1,
            element: ElementType::Fp64,
            operator: Operator::Sum,
            group: "all".to_owned(),
        }
    }

    fn compared<'a>(
        rows: &'a mut [AdviceRow],
        calls: &'a [WorkloadCall],
        times_us: Vec<Vec<f64>>,
    ) -> Compared<'a> {
        super::super::fill_speedups(rows);
        Compared {
            rows,
            calls,
            times_us,
            compute_us: 10.0,
        }
    }

    #[test]
    fn the_first_of_rows_that_are_equally_fast_wins_and_bounds_do_not_count() {
        let mut rows = [
            row(Mechanism::Software, 5.0, (100.0, 1e3)),
            row(Mechanism::WideReduction, 4.0, (200.0, 1e3)),
            row(Mechanism::Bypass, 3.99, (300.0, 1e3)),
            row(Mechanism::Cores, 1.0, (1.0, 1e3)),
        ];
        rows[3].evidence = AdviceEvidence::Bound;
        let seen = compared(&mut rows, &[], Vec::new());
        assert_eq!(seen.fastest(|row| Some(row.time_us)), 1);
        let text = seen.sentence(1, None);
        assert!(text.contains("at 200.0 kGE per tile, 100.0 more"), "{text}");
    }

    #[test]
    fn at_the_computation_that_is_named_the_gain_is_the_one_that_is_named() {
        let mut rows = [
            row(Mechanism::Software, 1.0, (100.0, 1e3)),
            row(Mechanism::WideReduction, 0.6, (200.0, 1e3)),
        ];
        let seen = compared(&mut rows, &[], Vec::new());
        // (3.4 + 1) / (3.4 + 0.6) = 1.1.
        let text = seen.by_computation(&seen.rows[1]).unwrap();
        assert!(
            text.contains("gains 10 % if it takes 3.400 us (here 10.0 us)"),
            "{text}"
        );
    }

    #[test]
    fn with_as_many_calls_as_are_named_the_other_mechanism_is_as_fast() {
        let mut rows = [
            row(Mechanism::Software, 6.0, (100.0, 1e3)),
            row(Mechanism::WideReduction, 5.0, (200.0, 1e3)),
        ];
        let calls = [CollectiveKind::AllReduce, CollectiveKind::AllToAll].map(call);
        let times = vec![vec![4.0, 2.0], vec![2.0, 3.0]];
        let seen = compared(&mut rows, &calls, times);
        // 4 + 2 * 2 = 2 + 2 * 3.
        let text = seen.by_count(1).unwrap();
        assert!(
            text.contains("software alone is the fastest from 2.0 times"),
            "{text}"
        );
        assert!(text.contains("all_to_all"), "{text}");
    }

    #[test]
    fn a_path_that_is_too_slow_for_the_clock_changes_the_winner() {
        let mut rows = [
            row(Mechanism::Software, 6.0, (100.0, 2e3)),
            row(Mechanism::Smart, 5.0, (200.0, 500.0)),
        ];
        let seen = compared(&mut rows, &[], Vec::new());
        let text = seen.by_clock(1).unwrap();
        assert!(text.contains("allows 500 MHz, not 1000: 20.0 us"), "{text}");
        assert!(
            text.contains("software alone is the fastest with 16.0 us"),
            "{text}"
        );
        assert_eq!(seen.by_clock(0), None);
    }
}
