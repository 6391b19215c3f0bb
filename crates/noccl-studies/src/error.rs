// SPDX-License-Identifier: Apache-2.0
//! One error for everything a user can call.

use noccl_coherence::machine::MachineError;
use noccl_coherence::{KernelError, RecordingError, WrongResult};
use noccl_coll::CollError;
use noccl_compile::CompileError;
use noccl_cosim::{CosimError, HardwareError};
use noccl_execute::ExecuteError;
use noccl_files::FileError;
use noccl_model::ModelError;
use noccl_net::NetError;
use noccl_net::{AxiNetwork, Network};
use noccl_program::ProgramError;
use noccl_riscv::RiscvError;
use noccl_rtl::RtlError;
use noccl_run::{Diagnosis, RunError, Step};
use noccl_sim::checkpoint::CheckpointError;
use noccl_sim::{ExecutedError, RankFault};
use noccl_spec::SpecError;
use noccl_workload::{CheckError, LayoutError, WorkloadError};
use thiserror::Error;

/// Why a call gave no result. Every message says what was wrong, where, and what would be accepted.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Error {
    /// The spec file, preset name or override is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The spec describes no possible network, or a set is not on it.
    #[error(transparent)]
    Net(#[from] NetError),
    /// No such schedule.
    #[error(transparent)]
    Coll(#[from] CollError),
    /// The schedule is wrong.
    #[error(transparent)]
    Check(Box<CheckError>),
    /// A workload file is wrong.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// A matrix has no such layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The collective has no bound because it is not on the network.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The network has no hardware, or its sources are not there.
    #[error(transparent)]
    Rtl(#[from] RtlError),
    /// No hardware follows the run, or it takes another course.
    #[error(transparent)]
    Hardware(#[from] HardwareError),
    /// The run did not finish.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A machine of cores and caches does not fit, or its run is not coherent.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// A recording of references is damaged, or has a race.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A kernel has another result than the direct computation.
    #[error(transparent)]
    WrongKernel(#[from] WrongResult),
    /// A program in C that was not made.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A program file that no core can load.
    #[error(transparent)]
    Program(#[from] RiscvError),
    /// A rank of a compiled program that cannot go on.
    #[error(transparent)]
    Fault(#[from] RankFault),
    /// A call of a compiled program that cannot be carried out, calls of ranks that do not fit together, or a damaged message trace.
    #[error(transparent)]
    Call(Box<ProgramError>),
    /// An argument is outside what is accepted.
    #[error("{argument} '{found}': {accepted}")]
    Argument {
        /// Name of the argument as users write it, e.g. `--bytes`.
        argument: String,
        /// What was given.
        found: String,
        /// What is wrong with it and what would be accepted.
        accepted: String,
    },
    /// Buffers do not fit into a memory.
    #[error(
        "--bytes {bytes}: {tile} needs {needed_bytes} bytes but has {available_bytes} ({field}); give fewer bytes{}", or_options(.larger)
    )]
    DoesNotFit {
        /// Payload asked for.
        bytes: u64,
        /// Where it does not fit.
        tile: String,
        /// Bytes needed there.
        needed_bytes: u64,
        /// Bytes there.
        available_bytes: u64,
        /// Spec field with those.
        field: &'static str,
        /// Options with which it fits, if some do.
        larger: Vec<String>,
    },
    /// Each algorithm of the library is refused.
    #[error("{collective}: no algorithm of the library runs on {network}; accepted: another collective or network\n{}", .reasons.join("\n"))]
    NothingRuns {
        /// Collective.
        collective: &'static str,
        /// Network.
        network: String,
        /// Algorithm by algorithm, why.
        reasons: Vec<String>,
    },
    /// A file cannot be read or written, or holds something else.
    #[error(transparent)]
    File(#[from] FileError),
    /// A checkpoint cannot be written or gone on from.
    #[error("{path}: {error}")]
    Checkpoint {
        /// Path.
        path: String,
        /// What is wrong with it.
        error: CheckpointError,
    },
    /// Stopped from outside between units of work, whose results are lost.
    #[error("interrupted after {done} of {total} {units} and {cycles} simulated cycles")]
    Unfinished {
        /// Finished units.
        done: u64,
        /// Units in all.
        total: u64,
        /// What they are.
        units: &'static str,
        /// Cycles simulated, over all of them.
        cycles: u64,
    },
    /// Stopped from outside, with everything in a checkpoint.
    #[error("interrupted in cycle {cycle}; {path} holds the state to go on from")]
    Suspended {
        /// Path of the checkpoint.
        path: String,
        /// Cycle reached.
        cycle: u64,
    },
}

impl From<CheckError> for Error {
    fn from(error: CheckError) -> Self {
        Error::Check(Box::new(error))
    }
}

impl From<KernelError> for Error {
    fn from(error: KernelError) -> Self {
        match error {
            KernelError::Recording(error) => error.into(),
            KernelError::Wrong(error) => error.into(),
        }
    }
}

impl From<CosimError> for Error {
    fn from(error: CosimError) -> Self {
        match error {
            CosimError::Hardware(error) => error.into(),
            CosimError::Rtl(error) => error.into(),
            CosimError::File(error) => error.into(),
            CosimError::Run(error) => error.into(),
            CosimError::Boundary { boundary, accepted } => {
                Error::argument("--boundary", boundary, accepted)
            }
        }
    }
}

/// What kind of failure it is; the CLI's exit codes and Python's exceptions follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// The input is wrong; nothing ran.
    BadInput,
    /// The run stalled or a check failed.
    Failed,
    /// The work was done, but its output could not be written.
    NotWritten,
    /// Stopped from outside.
    Interrupted,
    /// Stopped from outside, with everything in a checkpoint.
    Suspended,
}

impl From<ExecutedError> for Error {
    fn from(error: ExecutedError) -> Self {
        match error {
            ExecutedError::Program(error) => Error::Program(error),
            ExecutedError::Fault(fault) => Error::Fault(fault),
            ExecutedError::Run(error) => Error::Run(error),
        }
    }
}

impl From<ExecuteError> for Error {
    fn from(error: ExecuteError) -> Self {
        match error {
            ExecuteError::Program(error) => Error::Program(error),
            ExecuteError::Call(error) => Error::Call(error),
            ExecuteError::Fault(fault) => Error::Fault(RankFault {
                rank: fault.rank.0,
                place: fault.place,
                cycle: fault.cycle,
                reason: fault.reason,
            }),
            ExecuteError::Run(error) => Error::Run(error),
        }
    }
}

impl From<ProgramError> for Error {
    fn from(error: ProgramError) -> Self {
        ExecuteError::from(error).into()
    }
}

fn or_options(options: &[String]) -> String {
    if options.is_empty() {
        String::new()
    } else {
        format!(", or {}", options.join(" "))
    }
}

/// Has a program of ranks failed, or was it wrong before it ran?
const fn call_class(error: &ProgramError) -> ErrorClass {
    match error {
        ProgramError::Run(RunError::Interrupted { .. }) => ErrorClass::Interrupted,
        ProgramError::Run(RunError::Refused { .. })
        | ProgramError::Ranks { .. }
        | ProgramError::Trace { .. } => ErrorClass::BadInput,
        ProgramError::Run(RunError::Stall(_))
        | ProgramError::Argument { .. }
        | ProgramError::Differs { .. }
        | ProgramError::Truncated { .. }
        | ProgramError::Stuck { .. }
        | ProgramError::Failed { .. }
        | ProgramError::Changed { .. }
        | ProgramError::Collective { .. } => ErrorClass::Failed,
    }
}

impl Error {
    /// An argument error.
    #[must_use]
    pub fn argument(argument: &str, found: impl ToString, accepted: impl Into<String>) -> Self {
        Error::Argument {
            argument: argument.to_owned(),
            found: found.to_string(),
            accepted: accepted.into(),
        }
    }

    /// The network of AXI clusters that `what` needs.
    ///
    /// # Errors
    /// [`Error::Argument`] of the network, where its tiles are cores.
    pub fn axi<'n>(network: &'n Network, what: &str) -> Result<AxiNetwork<'n>, Self> {
        network.as_axi().ok_or_else(|| {
            let found = format!("router.flow = \"{}\"", network.spec().flow_name());
            let accepted = format!(
                "accepted: a network of AXI clusters, as collective_noc_4x4; core tiles have no {what}"
            );
            Self::argument("--spec", found, accepted)
        })
    }

    /// An interruption of work in many units says how many are finished; other errors stay.
    pub(crate) fn after_units(self, units: &'static str, at: Step) -> Self {
        if !matches!(self, Error::Run(RunError::Interrupted { .. })) {
            return self;
        }
        Error::Unfinished {
            done: at.done,
            total: at.total,
            units,
            cycles: at.simulated_cycles,
        }
    }

    /// Kind of failure.
    #[must_use]
    pub const fn class(&self) -> ErrorClass {
        match self {
            Error::Run(RunError::Stall(_))
            | Error::Check(_)
            | Error::Machine(MachineError::Incoherent { .. } | MachineError::Stalled { .. })
            | Error::WrongKernel(_)
            | Error::Fault(_)
            | Error::Hardware(HardwareError::Differs(_)) => ErrorClass::Failed,
            Error::Call(error) => call_class(error),
            Error::Run(RunError::Interrupted { .. })
            | Error::Compile(CompileError::Interrupted)
            | Error::Machine(MachineError::Interrupted { .. })
            | Error::Unfinished { .. } => ErrorClass::Interrupted,
            Error::Suspended { .. } => ErrorClass::Suspended,
            Error::File(FileError::NotWritten { .. })
            | Error::Compile(CompileError::File(FileError::NotWritten { .. })) => {
                ErrorClass::NotWritten
            }
            Error::Run(RunError::Refused { .. })
            | Error::Machine(_)
            | Error::Compile(_)
            | Error::Program(_)
            | Error::Recording(_)
            | Error::Spec(_)
            | Error::Net(_)
            | Error::Coll(_)
            | Error::Model(_)
            | Error::Rtl(_)
            | Error::Hardware(_)
            | Error::Workload(_)
            | Error::Layout(_)
            | Error::Argument { .. }
            | Error::DoesNotFit { .. }
            | Error::NothingRuns { .. }
            | Error::File(FileError::File { .. } | FileError::Content { .. })
            | Error::Checkpoint { .. } => ErrorClass::BadInput,
        }
    }

    /// Diagnosis of a run that could not finish.
    #[must_use]
    pub fn diagnosis(&self) -> Option<&Diagnosis> {
        match self {
            Error::Run(RunError::Stall(diagnosis)) => Some(diagnosis),
            Error::Run(RunError::Interrupted { .. } | RunError::Refused { .. })
            | Error::Machine(_)
            | Error::Recording(_)
            | Error::WrongKernel(_)
            | Error::Spec(_)
            | Error::Net(_)
            | Error::Coll(_)
            | Error::Model(_)
            | Error::Rtl(_)
            | Error::Hardware(_)
            | Error::Compile(_)
            | Error::Program(_)
            | Error::Fault(_)
            | Error::Call(_)
            | Error::Workload(_)
            | Error::Layout(_)
            | Error::Check(_)
            | Error::Argument { .. }
            | Error::DoesNotFit { .. }
            | Error::NothingRuns { .. }
            | Error::File(_)
            | Error::Checkpoint { .. }
            | Error::Unfinished { .. }
            | Error::Suspended { .. } => None,
        }
    }
}
