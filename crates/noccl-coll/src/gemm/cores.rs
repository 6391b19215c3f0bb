// SPDX-License-Identifier: Apache-2.0
//! How long a cluster's cores take for an operation of an attention layer.
//!
//! Products run at the given share of the peak, as in S1 eq. (8). All else is counted in FPU operations, one
//! per element and lane and cycle, plus the instructions around a kernel. An exponential takes as many
//! operations as the caller says; a division by a row's number is a product with its reciprocal.

use super::SubmatrixShape;
use super::attention::Attention;
use super::shape::MAX_KERNEL_CYCLES;
use crate::CollError;
use noccl_net::Network;
use noccl_workload::{ElementType, Operation, sum_element};

/// Cycles of one operation on one cluster.
pub(super) fn cycles(
    network: &Network,
    operation: &Operation,
    attention: &Attention,
) -> Result<u64, CollError> {
    let cluster = &network.axi().cluster;
    let lanes =
        |element: ElementType| u128::from(cluster.num_cores) * u128::from(8 / element.bytes());
    let elements = |rows: u32, columns: u32| u128::from(rows) * u128::from(columns);
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
            let operations = 1 + u128::from(attention.exponential_operations);
            (elements(r.rows, r.columns) * operations).div_ceil(lanes(sums))
        }
        Operation::DivideRows(r) => {
            (elements(r.rows, r.columns) + u128::from(r.rows)).div_ceil(lanes(sums))
        }
    };
    if work > u128::from(MAX_KERNEL_CYCLES) {
        return Err(CollError::Impossible(format!(
            "a kernel of {work} cycles ({} operations per exponential); accepted: at most {MAX_KERNEL_CYCLES}",
            attention.exponential_operations
        )));
    }
    Ok(u64::from(cluster.instructions.compute_start) + work as u64)
}
