// SPDX-License-Identifier: Apache-2.0
//! Claim 11: additions per cycle of one reducing router.

use crate::statistics::Outcomes;
use noccl_coll::{Algorithm, Choice};
use noccl_studies::parts::{Runner, network, typed};
use noccl_studies::{Error, runtime_cycles};
use noccl_workload::{CollectiveKind, ElementType};

/// Two clusters: only the root's router adds.
const GROUP: &str = "0,0,2,1";

/// Difference of two sizes, so that fixed cycles cancel.
pub(crate) fn additions(runner: Runner<'_>, outcomes: &mut Outcomes) -> Result<(), Error> {
    let network = network("collective_noc_4x4", &[])?;
    for (id, element) in [
        ("11-fp64", ElementType::Fp64),
        ("11-fp8", ElementType::Fp8E4m3),
    ] {
        let measure = |kib: u64| {
            let of = typed(&network, CollectiveKind::Reduce, GROUP, kib << 10, element)?;
            let choice = Choice::new(Algorithm::InNetwork, 1);
            let schedule = noccl_coll::schedule(&network, &of, choice)?;
            let result = runner.run(&network, &schedule)?;
            let cycles = runtime_cycles(Some(&schedule), &result.actions);
            Ok::<(u64, u64), Error>((result.counters.dca_ops, cycles))
        };
        let ((few, early), (many, late)) = (measure(16)?, measure(32)?);
        let (ops, cycles) = (many - few, late - early);
        let detail = format!("{ops} additions in {cycles} cycles");
        outcomes.put(id, ops as f64 / cycles.max(1) as f64, &detail);
    }
    Ok(())
}
