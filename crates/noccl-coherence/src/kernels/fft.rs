// SPDX-License-Identifier: Apache-2.0
//! Fourier transform of n = m² points in six steps: transpose, transform rows, multiply by roots, transpose, transform rows, transpose.
//!
//! With x[m a + b], a and b from 0 to m − 1, and X[c + m d]: rows of the first transposed matrix are transformed over a, then over b.

use super::random::Random;
use super::{Kernel, Size, WrongResult, compare};
use crate::memory::{Array, Memory, parallel, share};
use std::f64::consts::TAU;

/// A matrix of complex numbers: real and imaginary part beside each other.
type ComplexMatrix = Array<f64>;

struct Plan {
    radix: usize,
    threads: usize,
    /// e^(−2πi j / n).
    roots: ComplexMatrix,
}

pub(super) fn run<M: Memory>(
    memory: &mut M,
    threads: usize,
    size: Size,
) -> Result<(), WrongResult> {
    let radix = size.of(32, 64);
    let points = radix * radix;
    let mut plan = Plan {
        radix,
        threads,
        roots: Array::new(memory, 2 * points),
    };
    for (at, root) in plan.roots.all_mut().chunks_mut(2).enumerate() {
        let angle = -TAU * at as f64 / points as f64;
        root.copy_from_slice(&[angle.cos(), angle.sin()]);
    }
    let mut data = Array::new(memory, 2 * points);
    let mut other = Array::new(memory, 2 * points);
    let mut random = Random(1);
    data.all_mut().fill_with(|| random.fraction() - 0.5);
    let input = data.all().to_vec();
    plan.transpose(memory, &data, &mut other);
    plan.transform_rows(memory, &mut other, true);
    plan.transpose(memory, &other, &mut data);
    plan.transform_rows(memory, &mut data, false);
    plan.transpose(memory, &data, &mut other);
    let direct = direct(&input, plan.roots.all());
    let pairs = other.all().iter().copied().zip(direct);
    compare(Kernel::Fft, "a coefficient", 1e-9, pairs)
}

impl Plan {
    fn transpose<M: Memory>(&self, memory: &mut M, from: &ComplexMatrix, to: &mut ComplexMatrix) {
        let radix = self.radix;
        parallel(memory, self.threads, |memory, thread| {
            for row in share(radix, self.threads, thread) {
                for column in 0..radix {
                    let value = complex(memory, from, column * radix + row);
                    set_complex(memory, to, row * radix + column, value);
                }
            }
        });
    }

    /// Transforms all rows; then multiplies element (row, column) by root row × column, or not.
    fn transform_rows<M: Memory>(
        &self,
        memory: &mut M,
        data: &mut ComplexMatrix,
        multiplies: bool,
    ) {
        parallel(memory, self.threads, |memory, thread| {
            for row in share(self.radix, self.threads, thread) {
                self.transform_row(memory, data, row);
                for column in 0..if multiplies { self.radix } else { 0 } {
                    let at = row * self.radix + column;
                    let root = complex(memory, &self.roots, row * column);
                    let value = complex(memory, data, at);
                    set_complex(memory, data, at, product(value, root));
                }
            }
        });
    }

    /// Transform by butterflies, in place.
    fn transform_row<M: Memory>(&self, memory: &mut M, data: &mut ComplexMatrix, row: usize) {
        let radix = self.radix;
        let first = row * radix;
        let bits = radix.trailing_zeros();
        for at in 0..radix {
            let to = at.reverse_bits() >> (usize::BITS - bits);
            if at < to {
                let (low, high) = (
                    complex(memory, data, first + at),
                    complex(memory, data, first + to),
                );
                set_complex(memory, data, first + at, high);
                set_complex(memory, data, first + to, low);
            }
        }
        let mut half = 1;
        while half < radix {
            for start in (first..first + radix).step_by(2 * half) {
                for at in 0..half {
                    // Of radix × radix roots.
                    let root = complex(memory, &self.roots, at * radix / (2 * half) * radix);
                    let low = complex(memory, data, start + at);
                    let high = product(complex(memory, data, start + at + half), root);
                    set_complex(memory, data, start + at, (low.0 + high.0, low.1 + high.1));
                    set_complex(
                        memory,
                        data,
                        start + at + half,
                        (low.0 - high.0, low.1 - high.1),
                    );
                }
            }
            half *= 2;
        }
    }
}

fn complex(memory: &mut impl Memory, data: &ComplexMatrix, at: usize) -> (f64, f64) {
    (data.at(memory, 2 * at), data.at(memory, 2 * at + 1))
}

fn set_complex(memory: &mut impl Memory, data: &mut ComplexMatrix, at: usize, value: (f64, f64)) {
    data.set(memory, 2 * at, value.0);
    data.set(memory, 2 * at + 1, value.1);
}

fn product(left: (f64, f64), right: (f64, f64)) -> (f64, f64) {
    (
        left.0 * right.0 - left.1 * right.1,
        left.0 * right.1 + left.1 * right.0,
    )
}

/// The transform by its definition.
fn direct(input: &[f64], roots: &[f64]) -> Vec<f64> {
    let points = input.len() / 2;
    let mut result = vec![0.0; input.len()];
    for (at, into) in result.chunks_mut(2).enumerate() {
        for (from, value) in input.chunks(2).enumerate() {
            let root = 2 * (at * from % points);
            let term = product((value[0], value[1]), (roots[root], roots[root + 1]));
            into[0] += term.0;
            into[1] += term.1;
        }
    }
    result
}
