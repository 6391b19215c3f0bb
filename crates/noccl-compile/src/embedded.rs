// SPDX-License-Identifier: Apache-2.0
//! Programs whose sources are part of this one: the random program of `noccl stress` (`programs/stress`), the collectives of `noccl calibrate`
//! (`programs/calibrate`), and what `noccl bench` executes (`programs/bench`).

use crate::compiler::{CompileRequest, Compiled, Messages, Optimization, compile};
use crate::sources::{Sources, is_code, write_all};
use crate::{CompileError, OnStep, cache};
use noccl_files::Scratch;
use std::path::Path;

macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../programs/", $path)))),*]
    };
}

/// Such a program, over ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Embedded {
    /// Random messages and collectives, from a seed that is written over [`STRESS_SEED`].
    Stress,
    /// Each collective of the message library, begun by all ranks in one cycle.
    Collectives,
    /// Work of each core without messages.
    PrivateWork {
        /// Rounds of it.
        rounds: u32,
    },
    /// All-to-alls of 128 bytes.
    AllToAll {
        /// How many.
        rounds: u32,
    },
}

/// What whoever runs [`Embedded::Stress`] writes over: numbers of 64 bits.
pub const STRESS_SEED: &str = "stress_seed";
/// The same of the number of its steps.
pub const STRESS_STEPS: &str = "stress_steps";

impl Embedded {
    fn sources(self) -> Sources {
        match self {
            Self::Stress => sources!(
                "stress/draw.h",
                "stress/stress.c",
                "stress/messages.c",
                "stress/collectives.c"
            ),
            Self::Collectives => sources!("calibrate/collectives.c"),
            Self::PrivateWork { .. } => sources!("bench/private_work.c"),
            Self::AllToAll { .. } => sources!("bench/all_to_all.c"),
        }
    }

    fn defines(self) -> Vec<String> {
        match self {
            Self::Stress | Self::Collectives => Vec::new(),
            Self::PrivateWork { rounds } | Self::AllToAll { rounds } => {
                vec![format!("ROUNDS={rounds}")]
            }
        }
    }

    /// Compiles it.
    ///
    /// # Errors
    /// As [`crate::compile`].
    pub fn compile(self, output: &Path, on_step: OnStep<'_>) -> Result<Compiled, CompileError> {
        let name = output.to_string_lossy();
        let scratch = Scratch::temporary("noccl-embedded", &cache::digest([&*name]));
        let files = self.sources().iter().copied();
        let sources = write_all(&scratch.path(""), files, is_code)?;
        let request = CompileRequest {
            sources,
            output: output.to_owned(),
            optimization: Optimization::Usual,
            messages: Messages::Ports,
            credits: None,
            include: Vec::new(),
            define: self.defines(),
            keep: None,
        };
        compile(&request, on_step)
    }
}
