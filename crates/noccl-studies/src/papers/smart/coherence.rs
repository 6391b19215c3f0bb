// SPDX-License-Identifier: Apache-2.0
//! S2's claims 19 to 25, of its full system: by kernels of our own on a machine of cores and caches, so that only directions and ranks are
//! comparable (`docs/coherence.md`).

use crate::Error;
use crate::coherence::{
    CoherenceProgram, CoherenceProtocol, CoherenceRequest, CoherenceRow, coherence,
};
use crate::papers::outcome::Outcomes;
use noccl_coherence::{Kernel, Size};
use noccl_run::Watch;

/// Threads, a core each, as in S2.
const THREADS: u32 = 64;

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
    let ht = Runs::of(
        CoherenceProtocol::Ht,
        kernels,
        "baseline,unicast,collective,greedy,complete,connected",
    )?;
    ht.against_baseline(out);
    ht.against_collective(out);
    ht.costs(out);
    let token = Runs::of(
        CoherenceProtocol::Token,
        kernels,
        "collective,complete,private,connected",
    )?;
    token.of_tokens(out);
    Ok(())
}

impl Runs {
    fn of(protocol: CoherenceProtocol, kernels: &[Kernel], designs: &str) -> Result<Self, Error> {
        let program = |kernel: &Kernel| CoherenceProgram::kernel(*kernel, THREADS, Size::Small);
        let request = CoherenceRequest {
            protocols: vec![protocol],
            programs: kernels.iter().map(program).collect::<Result<_, Error>>()?,
            designs: designs.split(',').map(str::to_owned).collect(),
            overrides: Vec::new(),
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
    fn mean(&self, design: &str, of: impl Fn(&CoherenceRow) -> f64) -> (f64, String) {
        self.mean_of(|program| of(self.row(program, design)))
    }

    fn mean_of(&self, of: impl Fn(&str) -> f64) -> (f64, String) {
        let numbers: Vec<(&str, f64)> = self.programs().map(|name| (name, of(name))).collect();
        let mean = numbers.iter().map(|(_, number)| number).sum::<f64>() / numbers.len() as f64;
        let words = numbers
            .iter()
            .map(|(name, number)| format!("{name} {number:.3}"));
        (mean, words.collect::<Vec<_>>().join(", "))
    }

    /// By which part a design takes fewer cycles than another.
    fn saved(&self, design: &str, over: &str) -> (f64, String) {
        self.mean_of(|program| {
            let cycles = |design| self.row(program, design).cycles as f64;
            1.0 - cycles(design) / cycles(over)
        })
    }

    /// Is each design faster than the one before, in the mean of cycles over those of the first?
    fn put_rank(&self, id: &str, designs: &[&str], out: &mut Outcomes) {
        let means: Vec<(f64, &str)> = designs
            .iter()
            .map(|design| (1.0 - self.saved(design, designs[0]).0, *design))
            .collect();
        let holds = means.windows(2).all(|pair| pair[0].0 > pair[1].0);
        let words: Vec<String> = means
            .iter()
            .map(|(mean, design)| format!("{design} {mean:.3}"))
            .collect();
        out.put(id, f64::from(u8::from(holds)), &words.join(", "));
    }

    fn put(&self, id: &str, (number, detail): (f64, String), out: &mut Outcomes) {
        out.put(id, number, &detail);
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
    fn against_collective(&self, out: &mut Outcomes) {
        self.put(
            "20-ht-broadcast",
            self.mean("complete", |row| row.broadcast_share),
            out,
        );
        let acknowledgements = self.mean("complete", |row| row.acknowledgement_share);
        self.put("20-ht-acknowledgement", acknowledgements, out);
        let greedy = self.saved("greedy", "collective");
        let complete = self.saved("complete", "collective");
        let further = (
            complete.0 - greedy.0,
            format!("greedy: {}; complete: {}", greedy.1, complete.1),
        );
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
        self.put(
            "25-entries",
            self.mean("complete", |row| row.mean_table_entries),
            out,
        );
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
