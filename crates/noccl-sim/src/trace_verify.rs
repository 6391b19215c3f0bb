// SPDX-License-Identifier: Apache-2.0
//! What a trace entry must have left in memory, computed without the network.

use crate::burst::Bursts;
use crate::inject::pattern;
use crate::machine::Machine;
use crate::trace_run::contribution_seed;
use noccl_workload::PortKind;

/// Compares the memory of every target with the bytes that the entry should have written.
pub(crate) fn is_right(kind: &PortKind, index: u32, machine: &Machine<'_>) -> bool {
    let find = |r| machine.network.find(r).map_or(0, |t| t.0);
    match kind {
        PortKind::WideWrite { from, to, beats } => holds(
            machine,
            find(*to),
            index,
            &written(machine, find(*from), index, *beats),
        ),
        PortKind::WideMulticast { from, to, beats } => {
            let expected = written(machine, find(*from), index, *beats);
            machine
                .network
                .multi_tiles(*to)
                .flatten()
                .all(|t| holds(machine, t.0, index, &expected))
        }
        PortKind::WideReduction { group, root, beats } => {
            let mut sum = vec![0; *beats as usize * 64];
            for tile in machine.network.multi_tiles(*group).flatten() {
                add(&mut sum, &written(machine, tile.0, index, *beats));
            }
            holds(machine, find(*root), index, &sum)
        }
        PortKind::WideRead { .. }
        | PortKind::NarrowWrite { .. }
        | PortKind::NarrowMulticast { .. }
        | PortKind::NarrowRead { .. }
        | PortKind::Atomic { .. }
        | PortKind::Barrier { .. } => true,
    }
}

/// Bytes that `tile` sends for entry `index`.
fn written(machine: &Machine<'_>, tile: u32, index: u32, beats: u32) -> Vec<u8> {
    let mut all = vec![0; beats as usize * 64];
    for burst in Bursts::of_beats(beats, machine.network.spec()) {
        let seed = contribution_seed(index, tile) ^ burst.offset.wrapping_mul(0x9e37);
        let from = burst.offset as usize;
        pattern(seed, 0, &mut all[from..from + burst.bytes as usize]);
    }
    all
}

/// Sum of 64-bit integers, independent of the engine's arithmetic.
fn add(sum: &mut [u8], more: &[u8]) {
    for (a, b) in sum.chunks_exact_mut(8).zip(more.chunks_exact(8)) {
        let word = |c: &[u8]| {
            c.iter()
                .rev()
                .fold(0u64, |w, byte| w << 8 | u64::from(*byte))
        };
        a.copy_from_slice(&word(a).wrapping_add(word(b)).to_le_bytes());
    }
}

fn holds(machine: &Machine<'_>, tile: u32, index: u32, expected: &[u8]) -> bool {
    let mut found = vec![0; expected.len()];
    machine
        .memories
        .read(tile, u64::from(index) << 20, &mut found);
    found == expected
}
