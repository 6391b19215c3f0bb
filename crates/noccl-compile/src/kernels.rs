// SPDX-License-Identifier: Apache-2.0
//! Kernels of the NAS Parallel Benchmarks: their sources (`programs/npb`) are part of this program, and are compiled together with
//! the message library, since the library differs: its collectives, its costs, and what it counts.

use crate::compiler::{CompileRequest, Compiled, Messages, Optimization, compile};
use crate::sources::{Sources, write_all};
use crate::{CompileError, OnStep, cache, runtime};
use noccl_files::Scratch;
use std::env;
use std::path::PathBuf;

macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../programs/npb/", $path)))),*]
    };
}

/// What all kernels share.
const SHARED: Sources = sources!("npb.h", "random.c", "report.c");

/// A kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NpbKernel {
    /// Integer sort.
    Is,
    /// Conjugate gradients.
    Cg,
    /// Multigrid.
    Mg,
    /// Fourier transform in three dimensions.
    Ft,
    /// Symmetric successive over-relaxation.
    Lu,
}

impl NpbKernel {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Is, Self::Cg, Self::Mg, Self::Ft, Self::Lu];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Is => "is",
            Self::Cg => "cg",
            Self::Mg => "mg",
            Self::Ft => "ft",
            Self::Lu => "lu",
        }
    }

    const fn sources(self) -> Sources {
        match self {
            Self::Is => sources!("is.c"),
            Self::Cg => sources!("cg.h", "cg.c", "cg_matrix.c"),
            Self::Mg => sources!("mg.h", "mg.c", "mg_grid.c", "mg_operators.c"),
            Self::Ft => sources!("ft.h", "ft.c", "ft_lines.c"),
            Self::Lu => sources!(
                "lu.h",
                "lu.c",
                "lu_exchange.c",
                "lu_norms.c",
                "lu_rhs.c",
                "lu_setup.c",
                "lu_sweeps.c"
            ),
        }
    }
}

/// Size of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NpbClass {
    /// Sample.
    S,
    /// Workstation.
    W,
    /// The smallest of the full sizes.
    A,
    /// Sizes that macros state (`programs/npb/README.md`).
    X,
}

impl NpbClass {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::S, Self::W, Self::A, Self::X];

    /// Its letter.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::S => 'S',
            Self::W => 'W',
            Self::A => 'A',
            Self::X => 'X',
        }
    }
}

/// Who carries the messages of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NpbLibrary {
    /// The library of S4, whose collectives know the mesh.
    Nocmsg,
    /// The same messages; collectives that do not look at the mesh.
    Plain,
    /// As `Plain`, and each message costs what an interrupt-driven library takes.
    Interrupt,
    /// Whoever runs the program, call by call, on any network.
    Calls,
}

impl NpbLibrary {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Nocmsg, Self::Plain, Self::Interrupt, Self::Calls];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nocmsg => "nocmsg",
            Self::Plain => "plain",
            Self::Interrupt => "interrupt",
            Self::Calls => "calls",
        }
    }

    /// Files of `programs/nocmsg` that are compiled with the kernel, and those that they include.
    fn sources(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        runtime::library().filter(move |(path, _)| match self {
            Self::Nocmsg => *path != "nocmsg/plain.c",
            Self::Plain | Self::Interrupt => {
                !["nocmsg/collectives.c", "nocmsg/exchanges.c"].contains(path)
            }
            Self::Calls => false,
        })
    }
}

/// What a message costs an interrupt-driven library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterruptCosts {
    /// Cycles of a message at each end.
    pub message_cycles: u64,
    /// Cycles of a word at each end, besides those of its load and store.
    pub word_cycles: u64,
}

/// A kernel to compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NpbBuild {
    /// The kernel.
    pub kernel: NpbKernel,
    /// Its size.
    pub class: NpbClass,
    /// Who carries its messages.
    pub library: NpbLibrary,
    /// Costs of [`NpbLibrary::Interrupt`].
    pub interrupt: InterruptCosts,
    /// Further macros, as sizes of class X.
    pub define: Vec<String>,
    /// The program file.
    pub output: PathBuf,
}

/// Compiles a kernel with its library.
///
/// # Errors
/// As [`crate::compile`].
pub fn compile_kernel(request: &NpbBuild, on_step: OnStep<'_>) -> Result<Compiled, CompileError> {
    let name = request.output.to_string_lossy();
    let scratch = Scratch::new(env::temp_dir().join(format!(
        "noccl-kernel-{}-{}",
        std::process::id(),
        cache::digest([&*name])
    )));
    let folder = scratch.path("");
    let of_kernel = SHARED.iter().chain(request.kernel.sources());
    let of_library = request.library.sources();
    let files = of_kernel.copied().chain(of_library);
    let sources = write_all(&folder, files, runtime::is_compiled)?;
    let messages = match request.library {
        NpbLibrary::Calls => Messages::Calls,
        NpbLibrary::Nocmsg | NpbLibrary::Plain | NpbLibrary::Interrupt => Messages::Sources,
    };
    let request = CompileRequest {
        sources,
        output: request.output.clone(),
        optimization: Optimization::Usual,
        messages,
        credits: None,
        include: vec![folder],
        define: defines(request),
        keep: None,
    };
    compile(&request, on_step)
}

fn defines(request: &NpbBuild) -> Vec<String> {
    let mut define = vec![
        "NM_COUNT".to_owned(),
        format!("NPB_CLASS='{}'", request.class.letter()),
    ];
    if request.library == NpbLibrary::Interrupt {
        let costs = request.interrupt;
        define.push(format!("NM_INTERRUPT_CYCLES={}", costs.message_cycles));
        define.push(format!("NM_WORD_CYCLES={}", costs.word_cycles));
    }
    define.extend(request.define.iter().cloned());
    define
}
