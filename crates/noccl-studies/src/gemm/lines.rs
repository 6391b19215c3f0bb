// SPDX-License-Identifier: Apache-2.0
//! Energy of an iteration by S1's method, beside that of the events that a run counts.

use super::{Collectives, GemmKernel, GemmRequest, GemmRow};
use crate::Error;
use crate::measure::line_events::{ClusterStep, workloads};
use crate::measure::runner::Runner;
use noccl_net::Network;
use noccl_run::Tally;

/// Fills in the rows of one mesh.
///
/// # Errors
/// [`Error::Argument`] where S1's method says nothing: meshes that are no squares, submatrices of several sizes.
pub(super) fn add_line_energy(
    network: &Network,
    request: &GemmRequest,
    tally: &Tally<'_>,
    rows: &mut [GemmRow],
) -> Result<(), Error> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let shape = request.submatrix;
    let bytes = shape.a_bytes();
    let is_even = shape.b_bytes() == bytes && shape.c_bytes()? == bytes;
    if width != height || !is_even || request.problem.is_some() {
        return Err(Error::argument(
            "--line-energy",
            format!("{width}x{height}"),
            "accepted: square meshes, submatrices of A, B and C of equal bytes, no --shape of a model",
        ));
    }
    let step = ClusterStep {
        bytes,
        multiplications: shape.multiply_adds(),
    };
    let of = workloads(Runner { tally }, width.into(), step)?;
    for row in rows {
        let counts = match (row.kernel, row.collectives) {
            (GemmKernel::Summa, Collectives::Software) => of.summa_software,
            (GemmKernel::Summa, Collectives::InNetwork) => of.summa_in_network,
            (GemmKernel::FusedConcatLinear, Collectives::Software) => of.fcl_software,
            (GemmKernel::FusedConcatLinear, Collectives::InNetwork) => of.fcl_in_network,
            // S1 prices no deliveries.
            (GemmKernel::Summa | GemmKernel::FusedConcatLinear, Collectives::Deliveries) => {
                continue;
            }
        };
        row.line_energy_pj = Some(counts.energy_pj(&network.axi().energy));
    }
    Ok(())
}
