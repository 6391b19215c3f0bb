// SPDX-License-Identifier: Apache-2.0
//! What a cluster does inside its own L1: copies by the DMA engine, reductions by the cores.

use crate::endpoint::dma::Movement;
use crate::machine::Machine;
use noccl_workload::{Kernel, LocalReduce};

/// L1 to L1: one beat per cycle through the engine. Returns the cycles.
pub(crate) fn copy_locally(tile: u32, movement: &Movement, machine: &mut Machine<'_>) -> u64 {
    let total = movement.bytes * u64::from(movement.rows);
    machine.checks.counters.dma_load_bytes += total;
    machine.checks.counters.dma_store_bytes += total;
    machine.checks.counters.spm_write_bytes += total;
    if machine.is_value() {
        for row in 0..u64::from(movement.rows) {
            let mut line = vec![0; movement.bytes as usize];
            machine.memory.memories.read(
                tile,
                movement.source_offset + row * movement.source_stride,
                &mut line,
            );
            machine.store(
                tile,
                movement.destination_offset + row * movement.destination_stride,
                &line,
            );
        }
    }
    machine.beat.beats(movement.bytes) * u64::from(movement.rows)
}

/// The cores have combined their operands, from the left.
pub(crate) fn reduce_locally(tile: u32, reduce: &LocalReduce, machine: &mut Machine<'_>) {
    let elements = reduce.bytes / reduce.element.bytes();
    machine.checks.counters.software_reduce_ops += elements * (reduce.inputs.len() as u64 - 1);
    machine.checks.counters.spm_write_bytes += reduce.bytes;
    if !machine.is_value() {
        return;
    }
    let sum = machine.memory.memories.combined(tile, reduce);
    machine.store(tile, reduce.output, &sum);
}

/// The cores have run a kernel.
pub(crate) fn compute_locally(tile: u32, kernel: &Kernel, machine: &mut Machine<'_>) {
    let write = kernel.operation.write();
    machine.checks.counters.gemm_ops += kernel.operation.multiply_adds();
    if !machine.is_value() {
        return;
    }
    let read = |extent: &noccl_workload::Extent| {
        let mut bytes = vec![0; extent.bytes as usize];
        machine
            .memory
            .memories
            .read(tile, extent.offset, &mut bytes);
        bytes
    };
    let inputs: Vec<_> = kernel.operation.reads().iter().map(read).collect();
    let result = kernel.operation.apply(&inputs);
    machine.store(tile, write.offset, &result);
}
