// SPDX-License-Identifier: Apache-2.0
//! Parallel programs of our own, each checked against a direct computation.
//!
//! They have the structure of the programs that are common in studies of coherence, and none of their code. Work is divided statically,
//! so that what a thread references does not depend on time.

mod barnes_hut;
mod fft;
mod lu;
mod ocean;
mod radix;
mod random;
mod water;

use crate::memory::{Memory, Recording};
use crate::recording::{Log, RecordingError};

/// A program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kernel {
    /// Fourier transform in six steps: transposes between transforms of rows.
    Fft,
    /// LU factorisation by blocks.
    Lu,
    /// Radix sort.
    Radix,
    /// Red-black relaxation on a grid, as in ocean models.
    Ocean,
    /// Molecular dynamics of all pairs, forces summed under locks.
    Water,
    /// Gravitation over an octree.
    BarnesHut,
}

/// How much work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Size {
    /// For tests and first impressions.
    Small,
    /// For comparisons.
    Standard,
}

/// A result that is not that of the direct computation.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("kernel {kernel}: {quantity} is off by {error:e}; accepted: at most {accepted:e}")]
pub struct WrongResult {
    /// Its name.
    pub kernel: &'static str,
    /// What is compared.
    pub quantity: &'static str,
    /// Largest difference.
    pub error: f64,
    /// Largest that is accepted.
    pub accepted: f64,
}

/// Why a kernel cannot be recorded.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum KernelError {
    /// Its result is wrong.
    #[error(transparent)]
    Wrong(#[from] WrongResult),
    /// What it has recorded is refused.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

impl Kernel {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Fft,
        Self::Lu,
        Self::Radix,
        Self::Ocean,
        Self::Water,
        Self::BarnesHut,
    ];

    /// As users write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fft => "fft",
            Self::Lu => "lu",
            Self::Radix => "radix",
            Self::Ocean => "ocean",
            Self::Water => "water",
            Self::BarnesHut => "barnes-hut",
        }
    }

    /// The kernel of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kernel| kernel.name() == name)
    }

    /// Runs it with so many threads, and checks its result.
    ///
    /// # Errors
    /// [`WrongResult`].
    pub fn run<M: Memory>(
        self,
        memory: &mut M,
        threads: usize,
        size: Size,
    ) -> Result<(), WrongResult> {
        match self {
            Self::Fft => fft::run(memory, threads, size),
            Self::Lu => lu::run(memory, threads, size),
            Self::Radix => radix::run(memory, threads, size),
            Self::Ocean => ocean::run(memory, threads, size),
            Self::Water => water::run(memory, threads, size),
            Self::BarnesHut => barnes_hut::run(memory, threads, size),
        }
    }

    /// What its threads reference.
    ///
    /// # Errors
    /// [`KernelError`].
    pub fn record(self, threads: usize, size: Size) -> Result<Log, KernelError> {
        let mut memory = Recording::new(threads);
        self.run(&mut memory, threads, size)?;
        Ok(Log::new(memory.into_threads())?)
    }
}

impl Size {
    const fn of(self, small: usize, standard: usize) -> usize {
        match self {
            Self::Small => small,
            Self::Standard => standard,
        }
    }
}

/// Fails if two results differ by more than is accepted.
fn compare(
    kernel: Kernel,
    quantity: &'static str,
    accepted: f64,
    pairs: impl Iterator<Item = (f64, f64)>,
) -> Result<(), WrongResult> {
    let difference = |(ours, direct): (f64, f64)| (ours - direct).abs();
    // A result that is no number is as far off as can be.
    let error = pairs.map(difference).fold(0.0, |most: f64, error| {
        if error.is_nan() {
            f64::INFINITY
        } else {
            most.max(error)
        }
    });
    if error <= accepted {
        return Ok(());
    }
    Err(WrongResult {
        kernel: kernel.name(),
        quantity,
        error,
        accepted,
    })
}
