// SPDX-License-Identifier: Apache-2.0
//! What the model of the endpoints does not do, told before a run: the only place that says so.

use super::Places;
use super::managers::{NARROW_IDS, READ_IDS};
use noccl_rtl::{RtlConfig, RtlError};
use noccl_workload::{Difference, Fault, Schedule, Trace};

fn refused(field: String, found: &str, accepted: &str) -> RtlError {
    RtlError::Refused {
        field,
        found: found.to_owned(),
        accepted: format!("accepted with network interfaces: {accepted}; else --boundary router"),
    }
}

/// Managers that have more names for transactions than the model.
///
/// # Errors
/// [`RtlError::Refused`] with the field.
pub fn refuse_network(config: &RtlConfig) -> Result<(), RtlError> {
    for (field, found, most) in [
        ("wide", config.max_wide_outstanding, READ_IDS),
        ("narrow", config.max_narrow_outstanding, NARROW_IDS),
    ] {
        if found as usize > most {
            let (field, found) = (format!("ni.max_{field}_outstanding"), found.to_string());
            return Err(refused(field, &found, &format!("at most {most}")));
        }
    }
    Ok(())
}

/// Actions of endpoints that are no managers with a DMA engine.
///
/// # Errors
/// [`RtlError::Refused`] with the first of them.
pub fn refuse_schedule(schedule: &Schedule) -> Result<(), RtlError> {
    let mut actions = schedule.actions.iter();
    let Some(index) = actions.position(|action| action.kind.chain().is_some()) else {
        return Ok(());
    };
    let accepted = "what cores and DMA engines do. A chain is the work of Torrent endpoints: they stand behind these ports, where \
                    there is no model of them (their own hardware: make cosim-torrent)";
    Err(refused(format!("actions[{index}]"), "chain", accepted))
}

/// Places of a trace's data in memories of a gibibyte.
///
/// # Errors
/// [`RtlError::Refused`] for more data, and for faults that managers or memories of the model cannot have.
pub fn places_of(trace: &Trace) -> Result<Places, RtlError> {
    for (index, fault) in trace.faults.iter().enumerate() {
        let found = match fault {
            Fault::Memory { .. } => continue,
            Fault::Unmapped { .. } => "unmapped",
            Fault::Mask { .. } => "mask",
            Fault::Disagree {
                difference: Difference::Beats(_),
                ..
            } => "disagree in beats",
            Fault::Disagree { .. } | Fault::Name { .. } => continue,
        };
        let accepted = "memory, disagree (but for beats) and name. The run has the outcome of others only, not what managers ask for";
        return Err(refused(format!("faults[{index}]"), found, accepted));
    }
    let beats = || (trace.transactions.iter()).map(|t| Places::beats(&t.kind));
    Places::of_trace(trace).ok_or_else(|| {
        let found = format!("{} wide beats", beats().map(u64::from).sum::<u64>());
        let field = "transactions".to_owned();
        refused(field, &found, "1 GiB of wide data, by whole pages")
    })
}
