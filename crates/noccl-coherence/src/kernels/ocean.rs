// SPDX-License-Identifier: Apache-2.0
//! Red-black relaxation of a Laplace equation, a square of the grid per thread; after each sweep the threads of a group sum up their
//! changes under a lock, and one thread those of the groups.

use super::random::Random;
use super::{Kernel, Size, WrongResult, compare};
use crate::memory::{Array, Memory, board, parallel, share};
use crate::recording::RecordedEvent;

/// Over-relaxation.
const WEIGHT: f64 = 1.2;
/// Threads that sum up their changes under one lock.
const GROUP: usize = 8;

struct Grid {
    /// Points of a row, the borders among them.
    width: usize,
    points: Array<f64>,
    /// Sum of the changes of a sweep by groups of threads, a line for each.
    changes: Array<f64>,
    sums: Array<f64>,
}

pub(super) fn run<M: Memory>(
    memory: &mut M,
    threads: usize,
    size: Size,
) -> Result<(), WrongResult> {
    let inner = size.of(64, 128);
    let sweeps = size.of(2, 4);
    let width = inner + 2;
    let mut grid = Grid {
        width,
        points: Array::new(memory, width * width),
        changes: Array::new(memory, (1 + threads.div_ceil(GROUP)) * 8),
        sums: Array::new(memory, sweeps),
    };
    let mut random = Random(4);
    grid.points.all_mut().fill_with(|| random.fraction());
    let mut direct = grid.points.all().to_vec();
    let mut changes = Vec::new();
    for sweep in 0..sweeps {
        relax(memory, threads, &mut grid, sweep);
        changes.push(relax_directly(&mut direct, width));
    }
    let pairs = grid.points.all().iter().copied().zip(direct);
    compare(Kernel::Ocean, "a point", 0.0, pairs)?;
    let ours = grid.sums.all().iter().copied();
    compare(
        Kernel::Ocean,
        "the changes of a sweep",
        1e-9,
        ours.zip(changes),
    )
}

fn relax<M: Memory>(memory: &mut M, threads: usize, grid: &mut Grid, sweep: usize) {
    let inner = grid.width - 2;
    let (height, across) = board(threads);
    let mut own = vec![0.0; threads];
    for colour in 0..2 {
        parallel(memory, threads, |memory, thread| {
            for row in share(inner, height, thread / across) {
                for column in share(inner, across, thread % across) {
                    if (row + column) % 2 == colour {
                        let at = (row + 1) * grid.width + column + 1;
                        own[thread] += relax_point(memory, grid, at);
                    }
                }
            }
        });
    }
    parallel(memory, threads, |memory, thread| {
        let group = thread / GROUP;
        memory.record(RecordedEvent::Lock(group as u32));
        grid.changes.add(memory, 8 * group, own[thread]);
        memory.record(RecordedEvent::Unlock(group as u32));
    });
    parallel(memory, threads, |memory, thread| {
        if thread > 0 {
            return;
        }
        for group in 0..threads.div_ceil(GROUP) {
            let change = grid.changes.at(memory, 8 * group);
            grid.changes.set(memory, 8 * group, 0.0);
            grid.sums.add(memory, sweep, change);
        }
    });
}

fn relax_point<M: Memory>(memory: &mut M, grid: &mut Grid, at: usize) -> f64 {
    let points = &grid.points;
    let around = points.at(memory, at - 1)
        + points.at(memory, at + 1)
        + points.at(memory, at - grid.width)
        + points.at(memory, at + grid.width);
    let old = points.at(memory, at);
    let change = WEIGHT * (around / 4.0 - old);
    grid.points.set(memory, at, old + change);
    change.abs()
}

/// The same, one point after the other.
fn relax_directly(points: &mut [f64], width: usize) -> f64 {
    let mut sum = 0.0;
    for colour in 0..2 {
        for row in 1..width - 1 {
            for column in (1..width - 1).filter(|column| (row + column) % 2 == colour) {
                let at = row * width + column;
                let around =
                    points[at - 1] + points[at + 1] + points[at - width] + points[at + width];
                let change = WEIGHT * (around / 4.0 - points[at]);
                points[at] += change;
                sum += change.abs();
            }
        }
    }
    sum
}
