// SPDX-License-Identifier: Apache-2.0
//! Studies of many runs: traffic, baselines, models, stress, kernels.

pub use noccl_coherence::machine::MachineError;
pub use noccl_coherence::{Kernel, Log, RecordingError, Size as KernelSize};
pub use noccl_coll::gemm::{Spread, SubmatrixShape, Sync as GemmSync};
pub use noccl_model::{Calibration, Constant, Constants, Law};
pub use noccl_run::{StallConfig, TrafficResult};
pub use noccl_studies::{
    Advice, AdviceArea, AdviceConclusion, AdviceEvidence, AdviceLeftOut, AdvicePart, AdvicePath,
    AdviceRequest, AdviceRow, AdviceSimulation, AdviceStep, AdviceWorkload, DeadlockFreedom,
    Mechanism, WORKLOAD_FORMAT, WORKLOAD_NAMES, advice_files, advise, parse_workload,
    program_preset, read_workload, read_workload_on, workload_text, workload_toml,
};
pub use noccl_studies::{
    AttentionRequest, AttentionRow, BarrierRow, BarrierSlope, BarrierStudy, BaselineAlgorithm,
    BaselineRow, Baselines, BaselinesRequest, CoherenceProgram, CoherenceProtocol,
    CoherenceRequest, CoherenceRow, DeviationRow, Figure, GemmRequest, GemmRow, MARKED_DEVIATION,
    MAX_DRAWN_DESTINATIONS, MAX_MODEL_ERROR, MAX_STRESS_SEEDS, MAX_STRESS_TRANSACTIONS,
    MEDIAN_MODEL_ERROR, MIN_STRESS_TRANSACTIONS, ModelAccuracy, ModelRow, OrderDraw,
    OrderDrawRequest, OrderReport, OrderRequest, OrderRow, PublishedRow, StressFailure, StressKind,
    StressReport, StressRequest, TrafficPoint, TrafficReport, TrafficRequest, Validation,
    attention, barrier_study, baseline_figures, baselines, bench, calibrate, calibration_text,
    check_barrier_page, coherence, deviations, gemm, model_accuracy, model_rows, model_spread,
    order, order_draws, parse_designs, parse_kernels, parse_orders, parse_pattern, parse_protocols,
    parse_stress_kinds, published_rows, read_calibration, read_recording, stress, traffic,
    validation, write_figures,
};
pub use noccl_workload::{Pattern, Traffic};
