// SPDX-License-Identifier: Apache-2.0
//! Facade errors → exceptions of `noccl.errors`.

use noccl::study::MachineError;
use noccl::{Error, RunError};
use pyo3::prelude::*;

/// The exception that stands for an error; its class is in `python/noccl/errors.py`.
pub(crate) fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    let diagnosis = error.diagnosis().map(serde_json::to_string);
    let made = match diagnosis.transpose() {
        Ok(diagnosis) => py.import("noccl.errors").and_then(|module| {
            let arguments = (class_name(error), noccl::files::message(error), diagnosis);
            module.call_method1("from_native", arguments)
        }),
        Err(e) => return pyo3::exceptions::PyRuntimeError::new_err(e.to_string()),
    };
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(broken_package) => broken_package,
    }
}

const fn class_name(error: &Error) -> &'static str {
    match error {
        Error::Spec(_) => "SpecError",
        Error::Net(_) | Error::Model(_) | Error::Rtl(_) => "NetworkError",
        Error::Hardware(_) => "HardwareError",
        Error::Machine(MachineError::Stalled { .. }) => "DeadlockError",
        Error::Machine(MachineError::Incoherent { .. }) | Error::WrongKernel(_) => "RefusedError",
        Error::Machine(MachineError::Interrupted { .. }) => "InterruptedRunError",
        Error::Machine(
            MachineError::Threads { .. }
            | MachineError::Tiles { .. }
            | MachineError::Flits { .. }
            | MachineError::Network(_),
        ) => "ArgumentError",
        Error::Recording(_) => "FileError",
        Error::Coll(_) | Error::NothingRuns { .. } => "AlgorithmError",
        Error::Check(_) => "ScheduleError",
        Error::Workload(_) => "FileError",
        Error::Fault(_) | Error::Call(_) => "ProgramError",
        Error::Run(RunError::Refused { .. }) => "RefusedError",
        Error::Run(RunError::Stall(_)) => "DeadlockError",
        Error::Run(RunError::Interrupted { .. }) => "InterruptedRunError",
        Error::Argument { .. } | Error::Layout(_) => "ArgumentError",
        Error::DoesNotFit { .. } => "CapacityError",
        Error::Unfinished { .. } | Error::Suspended { .. } => "InterruptedRunError",
        Error::File(_) | Error::Checkpoint { .. } | Error::Compile(_) | Error::Program(_) => {
            "FileError"
        }
    }
}
