// SPDX-License-Identifier: Apache-2.0
//! Hardware: generated parameters, and the co-simulation that follows a run.

mod lockstep;
mod rtl;

pub(crate) use lockstep::{run_schedule, run_trace};

pub use lockstep::{HardwareRequest, parse_boundary};
pub use rtl::{
    check_rtl_folder, rtl_config, rtl_numbers, write_rtl, write_rtl_package, write_rtl_vectors,
};

pub use noccl_cosim::lockstep::LockstepError;
pub use noccl_cosim::{Boundary, HardwareError, HardwareReport};
pub use noccl_rtl::{RtlConfig, RtlError, RtlNumbers, SmartRtlConfig};
