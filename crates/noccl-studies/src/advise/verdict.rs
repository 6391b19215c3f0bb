// SPDX-License-Identifier: Apache-2.0
//! The verdict: which mechanism is fastest, at what area, and at which computation, count, size or clock another one would be. All numbers
//! follow from the rows, those of other sizes from runs.

use super::calls::{CALL_BYTES, Call};
use super::evaluate::{Evaluated, Evaluator};
use super::report::{AdviceRow, AdviceVerdict};
use super::{CYCLES_PER_US, Mechanism};
use crate::{Error, format_bytes};

/// Times that differ by less are equal: estimates and models of energy and area are not better.
const EQUAL: f64 = 0.001;
/// Gains of the whole workload below this are not worth any hardware, and the gain that is asked for otherwise.
const LEAST_GAIN: f64 = 1.02;
const GOOD_GAIN: f64 = 1.10;
/// A count so many times as high is another workload.
const MOST_TIMES: f64 = 100.0;
/// Payloads by which the size is varied.
const SIZE_FACTOR: u64 = 8;
/// Least payload of those.
const LEAST_BYTES: u64 = 64;

/// What the verdict is about.
struct Compared<'a> {
    rows: &'a [AdviceRow],
    calls: &'a [Call],
    /// By row and call: microseconds of all its calls.
    times_us: Vec<Vec<f64>>,
    compute_us: f64,
}

/// The verdict on rows, of which the first is software alone.
pub(super) fn verdict(
    evaluator: &mut Evaluator<'_>,
    rows: &[AdviceRow],
    calls: &[Call],
    evaluated: &[(Mechanism, Vec<Evaluated>)],
    compute_us: f64,
) -> Result<AdviceVerdict, Error> {
    let of_row = |(row, (_, of_calls)): (&AdviceRow, &(Mechanism, Vec<Evaluated>))| {
        let each = calls.iter().zip(of_calls);
        each.map(|(call, one)| (call.count * one.cycles()) as f64 / (row.clock_ghz * CYCLES_PER_US))
            .collect()
    };
    let compared = Compared {
        rows,
        calls,
        times_us: rows.iter().zip(evaluated).map(of_row).collect(),
        compute_us,
    };
    let fastest = compared.fastest(|row| Some(row.time_us));
    let row = &rows[fastest];
    let mut changes = Vec::new();
    changes.extend(compared.by_computation(fastest));
    changes.extend(compared.by_count(fastest));
    changes.extend(by_size(evaluator, &compared, fastest)?);
    changes.extend(compared.by_clock(fastest));
    Ok(AdviceVerdict {
        fastest: row.mechanism,
        is_worth_it: row.speedup >= LEAST_GAIN,
        sentence: compared.sentence(fastest),
        changes,
    })
}

impl Compared<'_> {
    /// The row of the least time, the first of those that are equal; rows without a time do not count. Software is the first row.
    fn fastest(&self, time: impl Fn(&AdviceRow) -> Option<f64>) -> usize {
        let mut best = (0, f64::INFINITY);
        for (index, row) in self.rows.iter().enumerate() {
            if let Some(time) = time(row)
                && time < best.1 * (1.0 - EQUAL)
            {
                best = (index, time);
            }
        }
        best.0
    }

    fn sentence(&self, fastest: usize) -> String {
        let row = &self.rows[fastest];
        let name = row.mechanism.name();
        let time = us(row.time_us);
        if row.mechanism == Mechanism::Software {
            return format!("{name} wins: no mechanism is faster than {time} us");
        }
        let gain = row.speedup;
        let computed = 100.0 * self.compute_us / row.time_us;
        let area = self.area_words(row);
        if gain < LEAST_GAIN {
            let percent = 100.0 * (gain - 1.0);
            return format!(
                "software alone is enough: {name} is the fastest at {time} us, which is {percent:.1} % faster, {area}; \
                 computation takes {computed:.1} % of the time"
            );
        }
        let mut text = format!(
            "{name} wins: {time} us are {gain:.2} times as fast as software alone (its collectives {:.2} times), {area}",
            row.collectives_speedup
        );
        if row.area.is_none() {
            let other = self.fastest(|row| row.area.as_ref().map(|_| row.time_us));
            let other = &self.rows[other];
            text += &format!(
                "; of what was synthesised {} is the fastest: {:.2} times as fast as software, {}",
                other.mechanism.name(),
                other.speedup,
                self.area_words(other)
            );
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
    fn by_computation(&self, fastest: usize) -> Option<String> {
        let (software, row) = (&self.rows[0], &self.rows[fastest]);
        if row.mechanism == Mechanism::Software || self.compute_us == 0.0 {
            return None;
        }
        // (compute + software) / (compute + row) = gain.
        let at = |gain: f64| (software.collectives_us - gain * row.collectives_us) / (gain - 1.0);
        let (gain, word) = match row.speedup < GOOD_GAIN {
            true => (GOOD_GAIN, "gains"),
            false => (LEAST_GAIN, "gains only"),
        };
        let needed = at(gain);
        let name = row.mechanism.name();
        let percent = 100.0 * (gain - 1.0);
        if needed <= 0.0 {
            return Some(format!(
                "computation: none between the collectives would leave {name} a gain of {:.1} %",
                100.0 * (row.collectives_speedup - 1.0)
            ));
        }
        Some(format!(
            "computation: {name} {word} {percent:.0} % if that takes {} us (here {} us)",
            us(needed),
            us(self.compute_us)
        ))
    }

    /// How much more often a collective has to be called that another mechanism does faster.
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
                if gained > 0.0 && factor <= MOST_TIMES && is_less {
                    least = Some((factor, other, call));
                }
            }
        }
        let (factor, other, call) = least?;
        Some(format!(
            "count: {} is faster from {factor:.1} times as many calls of {} ({})",
            self.rows[other].mechanism.name(),
            self.calls[call].name(),
            self.calls[call].step
        ))
    }

    /// Who would be fastest at the clock that the critical paths allow.
    fn by_clock(&self, fastest: usize) -> Option<String> {
        let row = &self.rows[fastest];
        let (at_path, path) = (row.time_at_path_us?, row.path.as_ref()?);
        if path.mhz >= row.clock_ghz * 1e3 {
            return None;
        }
        let other = self.fastest(|row| row.time_at_path_us);
        let best = &self.rows[other];
        let name = row.mechanism.name();
        let own = format!(
            "clock: the critical path of {name} ({}) allows {:.0} MHz, not {:.0}: {} us",
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

/// The gain of the winner's longest collective, and who would win, with payloads eight times as short and as long.
fn by_size(
    evaluator: &mut Evaluator<'_>,
    compared: &Compared<'_>,
    fastest: usize,
) -> Result<Option<String>, Error> {
    // Hardware against software; where software wins, against the best hardware.
    let best_hardware = (1..compared.rows.len()).min_by(|a, b| {
        compared.rows[*a]
            .time_us
            .total_cmp(&compared.rows[*b].time_us)
    });
    let rival = if fastest == 0 {
        best_hardware
    } else {
        Some(fastest)
    };
    let Some(rival) = rival.map(|index| &compared.rows[index]) else {
        return Ok(None);
    };
    let times = &compared.times_us[0];
    let is_varied = |index: &usize| {
        let call = &compared.calls[*index];
        call.bytes > 0 && !call.is_exchange() && call.called != super::Called::Halo
    };
    let longest = (0..times.len())
        .filter(is_varied)
        .max_by(|a, b| times[*a].total_cmp(&times[*b]));
    let Some(call) = longest.map(|index| &compared.calls[index]) else {
        return Ok(None);
    };
    let mut words = Vec::new();
    for bytes in [
        call.bytes / SIZE_FACTOR,
        call.bytes,
        call.bytes * SIZE_FACTOR,
    ] {
        if !(LEAST_BYTES..=CALL_BYTES).contains(&bytes) && bytes != call.bytes {
            continue;
        }
        let varied = call.with_bytes(bytes);
        let mut cycles = Vec::new();
        for mechanism in [Mechanism::Software, rival.mechanism] {
            if let Ok(one) = evaluator.call(mechanism, &varied, true)? {
                cycles.push(one.cycles() as f64);
            }
        }
        if let [software, other] = cycles[..] {
            let clocks = rival.clock_ghz / compared.rows[0].clock_ghz;
            let gain = software / other * clocks;
            words.push(format!("{gain:.2} with {}", format_bytes(bytes)));
        }
    }
    if words.len() < 2 {
        return Ok(None);
    }
    Ok(Some(format!(
        "size: {} does {} in software's time divided by {}",
        rival.mechanism.name(),
        call.name().split(' ').next().unwrap_or("it"),
        words.join(", ")
    )))
}

/// Microseconds with three significant places at least.
fn us(time: f64) -> String {
    match time {
        time if time >= 1000.0 => format!("{time:.0}"),
        time if time >= 10.0 => format!("{time:.1}"),
        time => format!("{time:.3}"),
    }
}
