// SPDX-License-Identifier: Apache-2.0
//! JSON Schemas of everything that is read or written, generated from the Rust types.

use crate::Error;
use crate::collective::{
    CompareRow, Explanation, MatrixRow, RunRecording, RunReport, SynthReport, View,
};
use crate::network::NetworkDescription;
use crate::network::TreeDescription;
use crate::program::{NpbRow, ProgramReport};
use crate::study::bench::BenchRow;
use crate::study::{
    Advice, AdviceWorkload, AttentionRow, BarrierStudy, BaselineRow, CoherenceRow, Figure, GemmRow,
    OrderDraw, OrderReport, StressReport, TrafficReport, Validation,
};
use noccl_model::Calibration;
use noccl_rtl::RtlNumbers;
use noccl_workload::CheckReport;
use schemars::{Schema, schema_for};

/// Names that [`schema`] accepts.
pub const SCHEMA_NAMES: [&str; 33] = [
    "spec",
    "network",
    "tree",
    "schedule",
    "definition",
    "trace",
    "traffic",
    "order",
    "order_draws",
    "check",
    "run",
    "recording",
    "program",
    "compare",
    "view",
    "explain",
    "matrix",
    "advise",
    "workload",
    "baselines",
    "sweep",
    "stress",
    "synth",
    "bench",
    "barrier",
    "coherence",
    "npb",
    "gemm",
    "attention",
    "calibration",
    "validation",
    "figure",
    "rtl",
];

/// JSON Schema of a format.
///
/// # Errors
/// [`Error::Argument`] with the names that exist.
///
/// ```
/// assert!(noccl::files::schema("spec").is_ok());
/// assert!(noccl::files::schema("specs").is_err());
/// ```
pub fn schema(name: &str) -> Result<Schema, Error> {
    Ok(match name {
        "spec" => noccl_spec::schema(),
        "network" => schema_for!(NetworkDescription),
        "tree" => schema_for!(TreeDescription),
        "schedule" => noccl_workload::schedule_schema(),
        "definition" => schema_for!(noccl_workload::Definition),
        "trace" => noccl_workload::trace_schema(),
        "traffic" => noccl_workload::traffic_schema(),
        "order" => schema_for!(OrderReport),
        "order_draws" => schema_for!(Vec<OrderDraw>),
        "check" => schema_for!(CheckReport),
        "run" => schema_for!(RunReport),
        "recording" => schema_for!(RunRecording),
        "program" => schema_for!(ProgramReport),
        "compare" => schema_for!(Vec<CompareRow>),
        "view" => schema_for!(Vec<View>),
        "explain" => schema_for!(Explanation),
        "matrix" => schema_for!(Vec<MatrixRow>),
        "advise" => schema_for!(Advice),
        "workload" => schema_for!(AdviceWorkload),
        "baselines" => schema_for!(Vec<BaselineRow>),
        "sweep" => schema_for!(TrafficReport),
        "stress" => schema_for!(StressReport),
        "synth" => schema_for!(SynthReport),
        "bench" => schema_for!(Vec<BenchRow>),
        "gemm" => schema_for!(Vec<GemmRow>),
        "attention" => schema_for!(AttentionRow),
        "barrier" => schema_for!(BarrierStudy),
        "coherence" => schema_for!(Vec<CoherenceRow>),
        "npb" => schema_for!(Vec<NpbRow>),
        "calibration" => schema_for!(Calibration),
        "validation" => schema_for!(Validation),
        "figure" => schema_for!(Figure),
        "rtl" => schema_for!(RtlNumbers),
        _ => {
            let hint = noccl_spec::nearest(name, SCHEMA_NAMES.into_iter());
            let known = format!("accepted: {}{hint}", SCHEMA_NAMES.join(", "));
            return Err(Error::argument("format", name, known));
        }
    })
}
