// SPDX-License-Identifier: Apache-2.0
//! S2's claims 19 to 25, of its full system: by kernels of our own on a machine of cores and caches, so that only directions and ranks are
//! comparable (`docs/coherence.md`).

use crate::statistics::Estimate;
use crate::statistics::Outcomes;
use noccl_coherence::{Kernel, Size};
use noccl_run::Watch;
use noccl_studies::{
    CoherenceProgram, CoherenceProtocol, CoherenceRequest, CoherenceRow, Error, coherence,
};

/// Threads, a core each, as in S2.
const THREADS: u32 = 64;
/// Virtual channels per message class: those of the presets. Traffic has 3, which are fitted to broadcasts of one flit; caches send lines of five.
const VCS: u32 = 4;
/// Beside them, for the claim whose sign depends on them.
const OTHER_VCS: [u32; 2] = [3, 8];

/// Rows of both protocols.
struct Runs {
    rows: Vec<CoherenceRow>,
    protocol: CoherenceProtocol,
}

/// A quick run has two small kernels.
pub(super) fn claims(is_quick: bool, out: &mut Outcomes) -> Result<(), Error> {
    let kernels = if is_quick {
        &[Kernel::Fft, Kernel::Water][..]
    } else {
        &Kernel::ALL[..]
    };
    let mut measured = Outcomes::default();
    let designs = "baseline,unicast,collective,greedy,complete,connected";
    let ht = Runs::of((CoherenceProtocol::Ht, VCS), kernels, designs)?;
    ht.against_baseline(&mut measured);
    let by_vcs = if is_quick {
        String::new()
    } else {
        greedy_by_vcs(kernels)?
    };
    ht.against_collective(&by_vcs, &mut measured);
    ht.costs(&mut measured);
    let designs = "collective,complete,private,connected";
    let token = Runs::of((CoherenceProtocol::Token, VCS), kernels, designs)?;
    token.of_tokens(&mut measured);
    out.take_with(measured, &format!("measured with `vcs` {VCS}"));
    Ok(())
}

/// What greedy reductions save with other numbers of channels.
fn greedy_by_vcs(kernels: &[Kernel]) -> Result<String, Error> {
    let of = |vcs: u32| {
        let of = (CoherenceProtocol::Ht, vcs);
        let runs = Runs::of(of, kernels, "collective,greedy")?;
        let saved = runs.saved("greedy", "collective").0.mean;
        Ok(format!(
            "; {:.1} % in the mean with `vcs` {vcs}",
            100.0 * saved
        ))
    };
    let words: Vec<String> = (OTHER_VCS.into_iter().map(of)).collect::<Result<_, Error>>()?;
    Ok(words.concat())
}

impl Runs {
    fn of(
        (protocol, vcs): (CoherenceProtocol, u32),
        kernels: &[Kernel],
        designs: &str,
    ) -> Result<Self, Error> {
        let program = |kernel: &Kernel| CoherenceProgram::kernel(*kernel, THREADS, Size::Small);
        let request = CoherenceRequest {
            protocols: vec![protocol],
            programs: kernels.iter().map(program).collect::<Result<_, Error>>()?,
            designs: designs.split(',').map(str::to_owned).collect(),
            overrides: vec![("router.smart.vcs".to_owned(), vcs.to_string())],
        };
        let rows = coherence(&request, Watch::quiet())?;
        Ok(Self { rows, protocol })
    }

    fn programs(&self) -> impl Iterator<Item = &str> {
        let mut programs: Vec<&str> = self.rows.iter().map(|row| row.program.as_str()).collect();
        programs.dedup();
        programs.into_iter()
    }

    fn row(&self, program: &str, design: &str) -> &CoherenceRow {
        let is_it = |row: &&CoherenceRow| row.program == program && row.design == design;
        self.rows
            .iter()
            .find(is_it)
            .expect("every program runs on every design")
    }

    /// Mean over programs of something of a design, and the numbers behind it.
    fn mean(&self, design: &str, of: impl Fn(&CoherenceRow) -> f64) -> (Estimate, String) {
        self.mean_of(|program| of(self.row(program, design)))
    }

    fn mean_of(&self, of: impl Fn(&str) -> f64) -> (Estimate, String) {
        let numbers: Vec<(&str, f64)> = self.programs().map(|name| (name, of(name))).collect();
        let values: Vec<f64> = numbers.iter().map(|(_, number)| *number).collect();
        let words = numbers
            .iter()
            .map(|(name, number)| format!("{name} {number:.3}"));
        let words = words.collect::<Vec<_>>().join(", ");
        (Estimate::of(&values), words)
    }

    /// By which part a design takes fewer cycles than another.
    fn saved(&self, design: &str, over: &str) -> (Estimate, String) {
        self.mean_of(|program| 1.0 - self.ratio(program, design, over))
    }

    /// Cycles of a design over those of another one.
    fn ratio(&self, program: &str, design: &str, over: &str) -> f64 {
        let cycles = |design| self.row(program, design).cycles as f64;
        cycles(design) / cycles(over)
    }

    /// Is each design faster than the one before, in the mean of cycles over those of the first?
    fn put_rank(&self, id: &str, designs: &[&str], out: &mut Outcomes) {
        let of = |program: &str, design: &str| self.ratio(program, design, designs[0]);
        let words = designs.iter().map(|design| {
            let mean = self.mean_of(|program| of(program, design)).0.mean;
            format!("{design} {mean:.3}")
        });
        let words: Vec<String> = words.collect();
        let steps = designs.windows(2).map(|pair| {
            let step = self.mean_of(|program| of(program, pair[0]) - of(program, pair[1]));
            step.0
        });
        let steps: Vec<Estimate> = steps.collect();
        let are_positive = |of: fn(&Estimate) -> f64| {
            let all = steps.iter().all(|step| of(step) > 0.0);
            f64::from(u8::from(all))
        };
        let low = are_positive(|step| step.mean - step.half_width);
        let high = are_positive(|step| step.mean + step.half_width);
        let ours = are_positive(|step| step.mean);
        out.put_within(id, ours, Some((low, high)), &words.join(", "));
    }

    fn put(&self, id: &str, (number, detail): (Estimate, String), out: &mut Outcomes) {
        out.put_estimate(id, number, &detail);
    }

    /// Claim 19.
    fn against_baseline(&self, out: &mut Outcomes) {
        self.put("19-collective", self.saved("collective", "baseline"), out);
        self.put("19-unicast", self.saved("unicast", "baseline"), out);
        self.put_rank(
            "19-rank",
            &["baseline", "unicast", "collective", "connected"],
            out,
        );
        let short = self.mean_of(|program| {
            let cycles = |design| self.row(program, design).cycles as f64;
            1.0 - cycles("connected") / cycles("collective").min(cycles("unicast"))
        });
        self.put("19-short", short, out);
    }

    /// Claims 20 and 22.
    fn against_collective(&self, greedy_by_vcs: &str, out: &mut Outcomes) {
        self.put(
            "20-ht-broadcast",
            self.mean("complete", |row| row.broadcast_share),
            out,
        );
        let acknowledgements = self.mean("complete", |row| row.acknowledgement_share);
        self.put("20-ht-acknowledgement", acknowledgements, out);
        let mut greedy = self.saved("greedy", "collective");
        let complete = self.saved("complete", "collective");
        let further = self.mean_of(|program| {
            let of = |design| self.ratio(program, design, "collective");
            of("greedy") - of("complete")
        });
        let detail = format!("greedy: {}; complete: {}", greedy.1, complete.1);
        let further = (further.0, detail);
        greedy.1 += greedy_by_vcs;
        self.put("22-greedy", greedy, out);
        self.put("22-complete", complete, out);
        self.put("22-further", further, out);
        self.put_rank(
            "22-rank",
            &["collective", "greedy", "complete", "connected"],
            out,
        );
        let short = self.mean_of(|program| {
            let cycles = |design| self.row(program, design).cycles as f64;
            cycles("complete") / cycles("connected") - 1.0
        });
        self.put("22-short", short, out);
    }

    /// Claims 23 to 25.
    fn costs(&self, out: &mut Outcomes) {
        let received = |row: &CoherenceRow| row.received_per_flow.unwrap_or(f64::NAN);
        let counted = |row: &CoherenceRow| row.received_per_counted_flow.unwrap_or(f64::NAN);
        self.put("23-collective", self.mean("collective", received), out);
        self.put("23-greedy", self.mean("greedy", received), out);
        self.put("23-complete", self.mean("complete", counted), out);
        for (id, design) in [("24-complete", "complete"), ("24-greedy", "greedy")] {
            let energy = |design: &str, program: &str| {
                self.row(program, design).energy_pj.unwrap_or(f64::NAN)
            };
            let saved = self
                .mean_of(|program| 1.0 - energy(design, program) / energy("collective", program));
            self.put(id, saved, out);
        }
        let entries = |row: &CoherenceRow| row.mean_table_entries.unwrap_or(f64::NAN);
        self.put("25-entries", self.mean("complete", entries), out);
    }

    /// Claims 20 and 21.
    fn of_tokens(&self, out: &mut Outcomes) {
        debug_assert_eq!(self.protocol, CoherenceProtocol::Token);
        self.put(
            "20-token",
            self.mean("complete", |row| row.broadcast_share),
            out,
        );
        self.put("21-runtime", self.saved("complete", "collective"), out);
        let trees = self.mean_of(|program| {
            self.row(program, "private").cycles as f64 / self.row(program, "complete").cycles as f64
        });
        self.put("21-trees", trees, out);
        let latency = |design: &str, program: &str| {
            self.row(program, design)
                .mean_broadcast_cycles
                .unwrap_or(f64::NAN)
        };
        let redirection =
            self.mean_of(|program| latency("private", program) - latency("complete", program));
        self.put("21-redirection", redirection, out);
        let cycles = |design: &str| {
            self.row("water", design).cycles as f64 / self.row("water", "collective").cycles as f64
        };
        let (shared, private) = (1.0 - cycles("complete"), 1.0 - cycles("private"));
        let detail = format!("shared trees {shared:.3}, private {private:.3}");
        out.put("21-water", private - shared, &detail);
    }
}
