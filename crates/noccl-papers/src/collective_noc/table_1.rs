// SPDX-License-Identifier: Apache-2.0
//! The paper's Table 1 beside our counts.

use crate::claims::Table1;
use crate::outcome::Outcomes;
use noccl_spec::EnergyTable;
use noccl_studies::parts::Workloads;

/// The paper's counts of FusedConcatLinear at the paper's prices.
pub(super) fn table_saving(paper: &Table1, table: &EnergyTable) -> f64 {
    let energy = |[load, store, hop, write, multiply, cores, network]: [f64; 7]| {
        load * table.dma_load_pj_per_byte
            + store * table.dma_store_pj_per_byte
            + hop * table.hop_pj_per_byte
            + write * table.spm_write_pj_per_byte
            + multiply * table.gemm_pj_per_op
            + cores * table.software_reduce_pj_per_op
            + network * table.dca_reduce_pj_per_op
    };
    energy(paper.fcl_software) / energy(paper.fcl_in_network)
}

/// Puts the share of the table's counts that ours are near to.
pub(super) fn compare_table(of: &Workloads, paper: &Table1, outcomes: &mut Outcomes) {
    const COLUMNS: [&str; 7] = [
        "load",
        "store",
        "hop",
        "write",
        "multiply",
        "add by cores",
        "add in the network",
    ];
    let rows = [
        ("SUMMA software", of.summa_software, paper.summa_software),
        (
            "SUMMA in the network",
            of.summa_in_network,
            paper.summa_in_network,
        ),
        ("FCL software", of.fcl_software, paper.fcl_software),
        (
            "FCL in the network",
            of.fcl_in_network,
            paper.fcl_in_network,
        ),
    ];
    let (mut near, mut total, mut apart) = (0, 0, Vec::new());
    for (name, ours, paper) in rows {
        for ((ours, paper), column) in ours.row().into_iter().zip(paper).zip(COLUMNS) {
            total += 1;
            // The paper's counts are rounded to whole thousands.
            if (ours - paper).abs() <= (0.05 * paper).max(0.5) {
                near += 1;
            } else {
                apart.push(format!("{name}, {column}: {ours:.0} instead of {paper:.0}"));
            }
        }
    }
    let detail = format!("{near} of {total}; apart: {}", apart.join("; "));
    outcomes.put("10-counts", f64::from(near) / f64::from(total), &detail);
}
