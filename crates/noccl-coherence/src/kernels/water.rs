// SPDX-License-Identifier: Apache-2.0
//! Molecular dynamics of all pairs: each thread computes the pairs of its molecules with the half of all that follows them, sums forces of
//! its own, and adds them to those of the molecules under a lock for each.

use super::random::Random;
use super::{Kernel, Size, WrongResult, compare};
use crate::memory::{Array, Memory, parallel, share};
use crate::recording::RecordedEvent;

const STEP: f64 = 1e-3;
/// Keeps forces finite where molecules meet.
const SOFTENING: f64 = 0.05;

struct Molecules {
    number: usize,
    positions: Array<f64>,
    velocities: Array<f64>,
    forces: Array<f64>,
    /// By thread: forces that are not added yet.
    partial: Vec<Array<f64>>,
}

pub(super) fn run<M: Memory>(
    memory: &mut M,
    threads: usize,
    size: Size,
) -> Result<(), WrongResult> {
    let number = size.of(64, 128);
    let mut molecules = Molecules {
        number,
        positions: Array::new(memory, 3 * number),
        velocities: Array::new(memory, 3 * number),
        forces: Array::new(memory, 3 * number),
        partial: (0..threads)
            .map(|_| Array::new(memory, 3 * number))
            .collect(),
    };
    let mut random = Random(5);
    molecules
        .positions
        .all_mut()
        .fill_with(|| random.fraction());
    for _ in 0..size.of(1, 2) {
        add_forces(memory, threads, &mut molecules);
        let direct = direct(molecules.positions.all());
        let pairs = molecules.forces.all().iter().copied().zip(direct);
        compare(Kernel::Water, "a force", 1e-9, pairs)?;
        move_all(memory, threads, &mut molecules);
    }
    Ok(())
}

fn add_forces<M: Memory>(memory: &mut M, threads: usize, molecules: &mut Molecules) {
    let number = molecules.number;
    parallel(memory, threads, |memory, thread| {
        let own = share(number, threads, thread);
        let partial = &mut molecules.partial[thread];
        let mut touched = vec![false; number];
        for first in own.clone() {
            for other in partners(first, number) {
                let force = {
                    let at = position(memory, &molecules.positions, first);
                    force(at, position(memory, &molecules.positions, other))
                };
                for (axis, force) in force.into_iter().enumerate() {
                    partial.add(memory, 3 * first + axis, force);
                    partial.add(memory, 3 * other + axis, -force);
                }
                (touched[first], touched[other]) = (true, true);
            }
        }
        for offset in 0..number {
            let molecule = (own.start + offset) % number;
            if !touched[molecule] {
                continue;
            }
            memory.record(RecordedEvent::Lock(molecule as u32));
            for at in 3 * molecule..3 * molecule + 3 {
                let force = partial.at(memory, at);
                molecules.forces.add(memory, at, force);
                partial.set(memory, at, 0.0);
            }
            memory.record(RecordedEvent::Unlock(molecule as u32));
        }
    });
}

/// Those that a molecule's thread computes its pairs with: every pair once.
fn partners(first: usize, number: usize) -> impl Iterator<Item = usize> {
    let half = number / 2;
    // With an even number the pair of two opposite molecules belongs to the first of them.
    let count = if number.is_multiple_of(2) && first >= half {
        half - 1
    } else {
        half
    };
    (1..=count).map(move |distance| (first + distance) % number)
}

fn move_all<M: Memory>(memory: &mut M, threads: usize, molecules: &mut Molecules) {
    parallel(memory, threads, |memory, thread| {
        for molecule in share(molecules.number, threads, thread) {
            for at in 3 * molecule..3 * molecule + 3 {
                let force = molecules.forces.at(memory, at);
                molecules.forces.set(memory, at, 0.0);
                molecules.velocities.add(memory, at, STEP * force);
                let velocity = molecules.velocities.at(memory, at);
                molecules.positions.add(memory, at, STEP * velocity);
            }
        }
    });
}

fn position(memory: &mut impl Memory, positions: &Array<f64>, of: usize) -> [f64; 3] {
    std::array::from_fn(|axis| positions.at(memory, 3 * of + axis))
}

/// Of the second on the first.
fn force(first: [f64; 3], second: [f64; 3]) -> [f64; 3] {
    let between: [f64; 3] = std::array::from_fn(|axis| second[axis] - first[axis]);
    let square = between.iter().map(|part| part * part).sum::<f64>() + SOFTENING;
    let strength = 1.0 / square - 0.5 / (square * square);
    between.map(|part| strength * part)
}

fn direct(positions: &[f64]) -> Vec<f64> {
    let at = |of: usize| std::array::from_fn(|axis| positions[3 * of + axis]);
    let number = positions.len() / 3;
    let mut forces = vec![0.0; positions.len()];
    for first in 0..number {
        for second in (0..number).filter(|second| *second != first) {
            for (axis, part) in force(at(first), at(second)).into_iter().enumerate() {
                forces[3 * first + axis] += part;
            }
        }
    }
    forces
}
