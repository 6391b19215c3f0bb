// SPDX-License-Identifier: Apache-2.0
//! The benchmark `uniform_16x16` as WebAssembly: how fast is the simulator in a browser's worker? `make bench-page` times the call.
#![allow(unsafe_code)]

use noccl_studies::{Error, TrafficRequest, Watch, load, parse_pattern, traffic};

/// Beats per cluster and cycle: half of the accepted load, as `noccl bench` finds it.
const OFFERED: f64 = 0.062_140_625;
const MEASURED_CYCLES: u64 = 40_000;

/// Flit-hops of a run; negative if it fails.
#[unsafe(no_mangle)]
pub extern "C" fn noccl_uniform() -> f64 {
    flit_hops().map_or(-1.0, |hops| hops as f64)
}

fn flit_hops() -> Result<u64, Error> {
    let network = load("collective_noc_16x16", &[])?.network;
    let mut request = TrafficRequest::new(parse_pattern("uniform")?);
    request.loads = Some(vec![OFFERED]);
    request.has_saturation = false;
    request.measure_cycles = MEASURED_CYCLES;
    let report = traffic(&network, &request, Watch::quiet())?;
    Ok(report.points.iter().map(|point| point.flit_hops).sum())
}
