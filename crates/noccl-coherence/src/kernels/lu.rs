// SPDX-License-Identifier: Apache-2.0
//! LU factorisation without pivoting of a matrix with a strong diagonal, by blocks that lie in memory one after the other.
//!
//! Blocks belong to threads as squares of a chequered board. A step: factorise the diagonal block, divide the blocks beside and below it
//! by it, subtract their products from the rest.

use super::random::Random;
use super::{Kernel, Size, WrongResult, compare};
use crate::memory::{Array, Memory, board, parallel};

/// Rows of a block.
const BLOCK: usize = 8;

struct Matrix {
    blocks: usize,
    /// Rows and columns of the board of threads.
    board: (usize, usize),
    data: Array<f64>,
}

pub(super) fn run<M: Memory>(
    memory: &mut M,
    threads: usize,
    size: Size,
) -> Result<(), WrongResult> {
    let rows = size.of(64, 96);
    let mut matrix = Matrix {
        blocks: rows / BLOCK,
        board: board(threads),
        data: Array::new(memory, rows * rows),
    };
    let mut random = Random(2);
    for row in 0..rows {
        for column in 0..rows {
            let diagonal = if row == column { rows as f64 } else { 0.0 };
            let at = matrix.at(row, column);
            matrix.data.all_mut()[at] = random.fraction() + diagonal;
        }
    }
    let input = matrix.data.all().to_vec();
    for step in 0..matrix.blocks {
        factorise(memory, threads, &mut matrix, step);
    }
    check(&matrix, &input, rows)
}

impl Matrix {
    fn at(&self, row: usize, column: usize) -> usize {
        let block = row / BLOCK * self.blocks + column / BLOCK;
        block * BLOCK * BLOCK + row % BLOCK * BLOCK + column % BLOCK
    }

    fn is_of(&self, thread: usize, row: usize, column: usize) -> bool {
        row % self.board.0 * self.board.1 + column % self.board.1 == thread
    }

    fn get(&self, memory: &mut impl Memory, row: usize, column: usize) -> f64 {
        self.data.at(memory, self.at(row, column))
    }

    /// Element less the products of what stands left of it and above it in some rows.
    fn reduce(
        &mut self,
        memory: &mut impl Memory,
        (row, column): (usize, usize),
        through: std::ops::Range<usize>,
        divides_by: Option<usize>,
    ) {
        let mut value = self.get(memory, row, column);
        for inner in through {
            value -= self.get(memory, row, inner) * self.get(memory, inner, column);
        }
        if let Some(diagonal) = divides_by {
            value /= self.get(memory, diagonal, diagonal);
        }
        let at = self.at(row, column);
        self.data.set(memory, at, value);
    }
}

fn factorise<M: Memory>(memory: &mut M, threads: usize, matrix: &mut Matrix, step: usize) {
    let first = step * BLOCK;
    let inside = first..first + BLOCK;
    parallel(memory, threads, |memory, thread| {
        if !matrix.is_of(thread, step, step) {
            return;
        }
        for row in inside.clone() {
            for column in inside.clone() {
                let divides = (column < row).then_some(column);
                matrix.reduce(memory, (row, column), first..row.min(column), divides);
            }
        }
    });
    parallel(memory, threads, |memory, thread| {
        for block in step + 1..matrix.blocks {
            let outside = block * BLOCK..(block + 1) * BLOCK;
            if matrix.is_of(thread, step, block) {
                for column in outside.clone() {
                    for row in inside.clone() {
                        matrix.reduce(memory, (row, column), first..row, None);
                    }
                }
            }
            if matrix.is_of(thread, block, step) {
                for row in outside {
                    for column in inside.clone() {
                        matrix.reduce(memory, (row, column), first..column, Some(column));
                    }
                }
            }
        }
    });
    parallel(memory, threads, |memory, thread| {
        for (block_row, block_column) in pairs(step + 1..matrix.blocks) {
            if matrix.is_of(thread, block_row, block_column) {
                for (row, column) in pairs(0..BLOCK) {
                    let at = (block_row * BLOCK + row, block_column * BLOCK + column);
                    matrix.reduce(memory, at, inside.clone(), None);
                }
            }
        }
    });
}

fn pairs(of: std::ops::Range<usize>) -> impl Iterator<Item = (usize, usize)> {
    of.clone()
        .flat_map(move |row| of.clone().map(move |column| (row, column)))
}

/// The product of both factors is the matrix.
fn check(matrix: &Matrix, input: &[f64], rows: usize) -> Result<(), WrongResult> {
    let factors = matrix.data.all();
    let product = |(row, column): (usize, usize)| {
        let through = row.min(column + 1);
        let sum: f64 = (0..through)
            .map(|inner| factors[matrix.at(row, inner)] * factors[matrix.at(inner, column)])
            .sum();
        // The lower factor has ones on its diagonal.
        let own = if row <= column {
            factors[matrix.at(row, column)]
        } else {
            0.0
        };
        (sum + own, input[matrix.at(row, column)])
    };
    compare(
        Kernel::Lu,
        "an element of L × U",
        1e-9,
        pairs(0..rows).map(product),
    )
}
