// SPDX-License-Identifier: Apache-2.0
//! Python binding: convert in, call the facade, convert out.
//!
//! No rule of the domain lives here. Structured arguments and results cross the border as JSON text
//! of the types that the facade publishes a schema for, so there is one definition of every format;
//! payload bytes cross as buffers. The typed functions that users call are in `python/noccl`.

mod calls;
mod error;
mod program;
mod program_values;
mod request;
mod searches;
mod supervise;

use pyo3::prelude::*;

/// The extension module behind the package `noccl`; `python/noccl/_native.pyi` has the types.
#[pymodule]
mod _native {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_export]
    use super::calls::Network;
    #[pymodule_export]
    use super::calls::{
        check, compare, explain, gemm, live_page, load, members, multiply, parse_size, presets,
        run, run_values, schedule, stress, traffic, view,
    };
    #[pymodule_export]
    use super::calls::{parse_recording, record, recording_file};
    #[pymodule_export]
    use super::calls::{read_text, write_file};

    #[pymodule_export]
    use super::program::ProgramSession;

    #[pymodule_export]
    use super::searches::{order, order_draws, path_hops};

    #[pymodule_export]
    use super::searches::synth;

    #[pymodule_export]
    use super::searches::{attention, barrier_study};

    #[pymodule_export]
    use super::calls::{compare_by_model, point_word, tile_name};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
