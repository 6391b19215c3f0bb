// SPDX-License-Identifier: Apache-2.0
//! What a cluster does inside its own L1: copies by the DMA engine, folds by the cores.

use crate::dma::Job;
use crate::fabric::Fabric;
use noccl_workload::LocalReduce;

/// L1 to L1: one beat per cycle through the engine. Returns the cycles.
pub(crate) fn copy_locally(tile: u32, job: &Job, fabric: &mut Fabric<'_>) -> u64 {
    let total = job.bytes * u64::from(job.rows);
    fabric.counters.dma_load_bytes += total;
    fabric.counters.dma_store_bytes += total;
    fabric.counters.spm_write_bytes += total;
    if fabric.is_value() {
        for row in 0..u64::from(job.rows) {
            let mut line = vec![0; job.bytes as usize];
            fabric
                .memories
                .read(tile, job.source_offset + row * job.source_stride, &mut line);
            fabric.memories.write(
                tile,
                job.destination_offset + row * job.destination_stride,
                &line,
            );
        }
    }
    job.bytes.div_ceil(64) * u64::from(job.rows)
}

/// The cores have folded their operands, from the left.
pub(crate) fn reduce_locally(tile: u32, reduce: &LocalReduce, fabric: &mut Fabric<'_>) {
    let elements = reduce.bytes / reduce.element.bytes();
    fabric.counters.software_reduce_ops += elements * (reduce.inputs.len() as u64 - 1);
    fabric.counters.spm_write_bytes += reduce.bytes;
    if !fabric.is_value() {
        return;
    }
    let mut sum = vec![0; reduce.bytes as usize];
    let mut operand = vec![0; reduce.bytes as usize];
    for (i, input) in reduce.inputs.iter().enumerate() {
        if i == 0 {
            fabric.memories.read(tile, *input, &mut sum);
        } else {
            fabric.memories.read(tile, *input, &mut operand);
            noccl_workload::number::fold_into(&mut sum, &operand, reduce.operator, reduce.element);
        }
    }
    fabric.memories.write(tile, reduce.output, &sum);
}
