// SPDX-License-Identifier: Apache-2.0
//! Claim 10: energy of the two matrix multiplications by the paper's method, software over network.

use crate::claims::Table1;
use crate::statistics::Outcomes;
use noccl_spec::EnergyTable;
use noccl_studies::parts::{
    ClusterStep, Counts, Runner, Workloads, line_chart, network, workloads,
};
use noccl_studies::{Error, Figure, Line};

/// Sides of the paper's meshes.
const SIDES: [u32; 7] = [4, 8, 16, 32, 64, 128, 256];
/// Side of Table 1.
const TABLE_SIDE: u32 = 16;

/// The paper's step.
const PAPERS: ClusterStep = ClusterStep {
    bytes: 16 * 16 * 8,
    multiplications: 16 * 16 * 16,
};

/// Claim 10, figures 10a and 10b.
pub(crate) fn energy(
    runner: Runner<'_>,
    outcomes: &mut Outcomes,
    figures: &mut Vec<Figure>,
) -> Result<(), Error> {
    let default = network("collective_noc_4x4", &[])?;
    let table = &Error::axi(&default, "energies")?.axi().energy;
    let table_1 = Table1::published()?;
    let (mut summa, mut fcl, mut by_rule) = (Vec::new(), Vec::new(), Vec::new());
    let mut without_loads = Vec::new();
    for side in SIDES {
        let of = workloads(runner, side, PAPERS)?;
        let saving = |software: &Counts, in_network: &Counts| {
            software.energy_pj(table) / in_network.energy_pj(table)
        };
        let x = f64::from(side);
        summa.push((x, saving(&of.summa_software, &of.summa_in_network)));
        fcl.push((x, saving(&of.fcl_software, &of.fcl_in_network)));
        by_rule.push((x, saving(&of.fcl_software, &of.fcl_by_rule)));
        let loads = of.loads.energy_pj(table);
        let rest = |counts: &Counts| counts.energy_pj(table) - loads;
        without_loads.push((x, rest(&of.fcl_software) / rest(&of.fcl_by_rule)));
        if side == TABLE_SIDE {
            compare_table(&of, &table_1, outcomes);
        }
    }
    let highest = |points: &[(f64, f64)]| points.iter().map(|p| p.1).fold(0.0, f64::max);
    outcomes.put("10-summa", highest(&summa), &list(&summa));
    outcomes.put(
        "10-fcl",
        highest(&fcl),
        &format!(
            "{}; by S1's rule for reduced lines {}, without the loads of B {}; Table 1's own counts {:.3}",
            list(&fcl),
            list(&by_rule),
            list(&without_loads),
            table_saving(&table_1, table)
        ),
    );
    let line = |name: &str, points| Line {
        name: name.to_owned(),
        points,
    };
    figures.push(line_chart(
        "fig_10a",
        "S1 Fig. 10a: energy of SUMMA, software over in_network",
        "side of the mesh",
        "saving",
        &[line("simulated events", summa)],
    ));
    figures.push(line_chart(
        "fig_10b",
        "S1 Fig. 10b: energy of FusedConcatLinear, software over in_network",
        "side of the mesh",
        "saving",
        &[line("simulated events", fcl), line("by S1's rule", by_rule)],
    ));
    Ok(())
}

fn list(points: &[(f64, f64)]) -> String {
    let words: Vec<String> = points
        .iter()
        .map(|(side, saving)| format!("{saving:.3} at {side}x{side}"))
        .collect();
    words.join(", ")
}

// The paper's Table 1 beside our counts.

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
