// SPDX-License-Identifier: Apache-2.0
//! How long a cluster's cores take for an operation of an attention layer.
//!
//! Products run at the given share of the peak, as in S1 eq. (8). All else is counted in FPU operations, one
//! per element and lane and cycle, plus the instructions around a kernel. An exponential takes as many
//! operations as the caller says; a division by a row's number is a product with its reciprocal.

use super::SubmatrixShape;
use super::attention::Attention;
use crate::CollError;
use noccl_net::Network;
use noccl_workload::{ElementType, Operation, sum_element};

/// Cycles of one operation on one cluster.
pub(super) fn cycles(
    network: &Network,
    operation: &Operation,
    attention: &Attention,
) -> Result<u64, CollError> {
    let cluster = &network.spec().cluster;
    let lanes = |element: ElementType| u64::from(cluster.num_cores) * (8 / element.bytes());
    let elements = |rows: u32, columns: u32| u64::from(rows) * u64::from(columns);
    let sums = sum_element(attention.element).unwrap_or(attention.element);
    let work = match operation {
        Operation::Multiply(m) => {
            let shape = SubmatrixShape {
                rows: m.rows,
                columns: m.columns,
                inner: m.inner,
                element: m.element,
            };
            return shape.compute_cycles(network, attention.utilisation);
        }
        Operation::FoldRows(f) => elements(f.rows, f.columns).div_ceil(lanes(f.element)),
        Operation::Exponential(r) => {
            let operations = 1 + u64::from(attention.exponential_operations);
            (elements(r.rows, r.columns) * operations).div_ceil(lanes(sums))
        }
        Operation::DivideRows(r) => {
            (elements(r.rows, r.columns) + u64::from(r.rows)).div_ceil(lanes(sums))
        }
    };
    Ok(u64::from(cluster.instructions.compute_start) + work)
}
