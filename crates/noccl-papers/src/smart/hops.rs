// SPDX-License-Identifier: Apache-2.0
//! S2's claims 26, 30 and 31: hops of a cycle, and who goes first.

use super::curve::{Effort, LOCAL_PORT_CYCLES};
use super::designs::{Design, SHARED, SHARED_BYPASS, Setting};
use crate::outcome::Outcomes;
use noccl_studies::Error;
use noccl_workload::Pattern;

/// S2's clock and tile, and its wire: 1 GHz, 1 mm, 16 hops of bare wire.
const CYCLE_PS: f64 = 1_000.0;
const WIRE_PS: f64 = 62.5;
/// What a multiplexer and an OR of two inputs take, from S2's 11 and 9 hops.
const MULTIPLEXER_PS: f64 = 28.0;
const OR_PS: f64 = 20.0;
/// Broadcasts per cycle so few that two hardly ever meet.
const ALONE: f64 = 0.000_4;

pub(super) fn claims(effort: Effort<'_>, out: &mut Outcomes) -> Result<(), Error> {
    for (id, per_hop) in [
        ("26-wire", WIRE_PS),
        ("26-multiplexer", WIRE_PS + MULTIPLEXER_PS),
        ("26-or", WIRE_PS + MULTIPLEXER_PS + OR_PS),
    ] {
        let detail = format!("{CYCLE_PS} ps over {per_hop} ps per hop");
        out.put(id, (CYCLE_PS / per_hop).floor(), &detail);
    }
    priority(effort, out)?;
    let (four, eight) = (alone(effort, 4)?, alone(effort, 8)?);
    let setting = Setting::PUBLISHED.words();
    let detail = format!(
        "{four:.2} cycles with HPCmax 4, {eight:.2} with 8, over two dimensions; {setting}"
    );
    // Two cycles for each of the paths of two dimensions.
    out.put("31-hops", four / 2.0 / 2.0, &detail);
    Ok(())
}

/// From the first request to the last router, of broadcasts from corners that are alone.
fn alone(effort: Effort<'_>, hpc_max: u32) -> Result<f64, Error> {
    let setting = Setting {
        hpc_max,
        ..Setting::PUBLISHED
    };
    let longer = Effort {
        measure_cycles: 200_000,
        ..effort
    };
    let network = SHARED.network(setting)?;
    let sample = longer.sample(&network, Pattern::CornerBroadcast, ALONE)?;
    Ok(sample.latency.mean - LOCAL_PORT_CYCLES)
}

/// Claim 30.
fn priority(effort: Effort<'_>, out: &mut Outcomes) -> Result<(), Error> {
    for (id, pattern) in [
        ("30-uniform", Pattern::Uniform),
        ("30-broadcast", Pattern::Broadcast),
    ] {
        let accepted = |design: Design| effort.full(design, Setting::PUBLISHED, pattern);
        let (local, bypass) = (accepted(SHARED)?, accepted(SHARED_BYPASS)?);
        let detail = format!(
            "local {}, bypass {}",
            local.accepted_text(),
            bypass.accepted_text()
        );
        let detail = format!("{detail}; {}", Setting::PUBLISHED.words());
        out.put_estimate(id, local.accepted.over(bypass.accepted), &detail);
    }
    Ok(())
}
