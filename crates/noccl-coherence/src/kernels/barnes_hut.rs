// SPDX-License-Identifier: Apache-2.0
//! Gravitation by the method of Barnes and Hut: an octree over all bodies, of which distant cells act as one body.
//!
//! Space is divided into 64 cells, each of which one thread builds the tree of; one thread joins them. Then all compute the forces on
//! their bodies, and move them.

use super::random::Random;
use super::{Kernel, Size, WrongResult};
use crate::memory::{Array, Memory, parallel, share};

/// Cells of an edge of space that are built apart.
const EDGE: usize = 4;
const CELLS: usize = EDGE * EDGE * EDGE;
/// A cell acts as one body from this multiple of its width on.
const OPENING: f64 = 2.5;
const SOFTENING: f64 = 1e-3;
const STEP: f64 = 1e-4;
/// Children of a node: none.
const NONE: u32 = u32::MAX;
/// Mean error of the accelerations that the method is known for at such an opening.
const ACCEPTED_ERROR: f64 = 0.02;

struct Tree {
    /// Nodes of each cell, then those above.
    nodes_of_cell: usize,
    /// Eight by node.
    children: Array<u32>,
    /// Mass and centre by node.
    mass: Array<f64>,
    centre: Array<f64>,
    width: Array<f64>,
}

struct Bodies {
    number: usize,
    positions: Array<f64>,
    velocities: Array<f64>,
    accelerations: Array<f64>,
}

pub(super) fn run<M: Memory>(
    memory: &mut M,
    threads: usize,
    size: Size,
) -> Result<(), WrongResult> {
    let number = size.of(128, 384);
    let nodes = CELLS * 2 * number + 1 + EDGE * EDGE / 2;
    let mut tree = Tree {
        nodes_of_cell: 2 * number,
        children: Array::new(memory, 8 * nodes),
        mass: Array::new(memory, nodes),
        centre: Array::new(memory, 3 * nodes),
        width: Array::new(memory, nodes),
    };
    let mut bodies = Bodies {
        number,
        positions: Array::new(memory, 3 * number),
        velocities: Array::new(memory, 3 * number),
        accelerations: Array::new(memory, 3 * number),
    };
    let mut random = Random(6);
    bodies.positions.all_mut().fill_with(|| random.fraction());
    for _ in 0..size.of(1, 2) {
        build(memory, threads, &mut tree, &bodies);
        accelerate(memory, threads, &tree, &mut bodies);
        check(&bodies)?;
        move_all(memory, threads, &mut bodies);
    }
    Ok(())
}

fn build<M: Memory>(memory: &mut M, threads: usize, tree: &mut Tree, bodies: &Bodies) {
    let mut roots = vec![NONE; CELLS];
    parallel(memory, threads, |memory, thread| {
        let cells = share(CELLS, threads, thread);
        let mut members = vec![Vec::new(); CELLS];
        for body in 0..bodies.number {
            let at = place(memory, &bodies.positions, body);
            let cell = cell_of(at);
            if cells.contains(&cell) {
                members[cell].push(body);
            }
        }
        for cell in cells {
            let mut next = (cell * tree.nodes_of_cell) as u32;
            let middle = coordinates(cell, EDGE).map(|part| (part as f64 + 0.5) / EDGE as f64);
            let half = 0.5 / EDGE as f64;
            roots[cell] = tree.grow(memory, bodies, &mut next, &members[cell], middle, half);
        }
    });
    parallel(memory, threads, |memory, thread| {
        if thread == 0 {
            tree.join_cells(memory, &roots);
        }
    });
}

impl Tree {
    /// The node of some bodies within a cube.
    fn grow<M: Memory>(
        &mut self,
        memory: &mut M,
        bodies: &Bodies,
        next: &mut u32,
        members: &[usize],
        middle: [f64; 3],
        half: f64,
    ) -> u32 {
        match members {
            [] => NONE,
            [body] => {
                let node = take(next);
                let at = place(memory, &bodies.positions, *body);
                self.set(memory, node, [NONE; 8], 1.0, at, 0.0);
                node
            }
            _ => {
                let node = take(next);
                let mut parts: [Vec<usize>; 8] = Default::default();
                for body in members {
                    let at = place(memory, &bodies.positions, *body);
                    let bit = |axis: usize| usize::from(at[axis] >= middle[axis]) << axis;
                    parts[bit(0) | bit(1) | bit(2)].push(*body);
                }
                let mut children = [NONE; 8];
                for (octant, part) in parts.iter().enumerate() {
                    let offset = |axis: usize| {
                        if octant >> axis & 1 == 1 {
                            half / 2.0
                        } else {
                            -half / 2.0
                        }
                    };
                    let middle = std::array::from_fn(|axis| middle[axis] + offset(axis));
                    children[octant] = self.grow(memory, bodies, next, part, middle, half / 2.0);
                }
                self.sum_up(memory, node, children, 2.0 * half);
                node
            }
        }
    }

    /// The levels above the cells.
    fn join_cells<M: Memory>(&mut self, memory: &mut M, roots: &[u32]) {
        let mut next = self.root();
        let root = take(&mut next);
        let mut above = [NONE; 8];
        for (octant, into) in above.iter_mut().enumerate() {
            let corner = coordinates(octant, 2);
            let children = std::array::from_fn(|child| {
                let inner = coordinates(child, 2);
                let at: [usize; 3] = std::array::from_fn(|axis| 2 * corner[axis] + inner[axis]);
                roots[at[0] + EDGE * (at[1] + EDGE * at[2])]
            });
            *into = take(&mut next);
            self.sum_up(memory, *into, children, 0.5);
        }
        self.sum_up(memory, root, above, 1.0);
    }

    const fn root(&self) -> u32 {
        (CELLS * self.nodes_of_cell) as u32
    }

    fn sum_up<M: Memory>(&mut self, memory: &mut M, node: u32, children: [u32; 8], width: f64) {
        let (mut mass, mut moment) = (0.0, [0.0; 3]);
        for child in children.into_iter().filter(|child| *child != NONE) {
            let part = self.mass.at(memory, child as usize);
            let centre = place(memory, &self.centre, child as usize);
            mass += part;
            moment = std::array::from_fn(|axis| moment[axis] + part * centre[axis]);
        }
        let centre = if mass > 0.0 {
            moment.map(|part| part / mass)
        } else {
            moment
        };
        self.set(memory, node, children, mass, centre, width);
    }

    fn set<M: Memory>(
        &mut self,
        memory: &mut M,
        node: u32,
        children: [u32; 8],
        mass: f64,
        centre: [f64; 3],
        width: f64,
    ) {
        let node = node as usize;
        for (octant, child) in children.into_iter().enumerate() {
            self.children.set(memory, 8 * node + octant, child);
        }
        for (axis, part) in centre.into_iter().enumerate() {
            self.centre.set(memory, 3 * node + axis, part);
        }
        self.mass.set(memory, node, mass);
        self.width.set(memory, node, width);
    }

    /// Acceleration at a place by all below a node.
    fn pull<M: Memory>(&self, memory: &mut M, node: u32, at: [f64; 3]) -> [f64; 3] {
        let index = node as usize;
        let mass = self.mass.at(memory, index);
        if mass == 0.0 {
            return [0.0; 3];
        }
        let centre = place(memory, &self.centre, index);
        let width = self.width.at(memory, index);
        let square: f64 = (0..3).map(|axis| (centre[axis] - at[axis]).powi(2)).sum();
        if square > (OPENING * width).powi(2) || width == 0.0 {
            return pull_of(mass, centre, at);
        }
        let mut sum = [0.0; 3];
        for octant in 0..8 {
            let child = self.children.at(memory, 8 * index + octant);
            if child != NONE {
                let part = self.pull(memory, child, at);
                sum = std::array::from_fn(|axis| sum[axis] + part[axis]);
            }
        }
        sum
    }
}

fn accelerate<M: Memory>(memory: &mut M, threads: usize, tree: &Tree, bodies: &mut Bodies) {
    parallel(memory, threads, |memory, thread| {
        for body in share(bodies.number, threads, thread) {
            let at = place(memory, &bodies.positions, body);
            let sum = tree.pull(memory, tree.root(), at);
            for (axis, part) in sum.into_iter().enumerate() {
                bodies.accelerations.set(memory, 3 * body + axis, part);
            }
        }
    });
}

fn move_all<M: Memory>(memory: &mut M, threads: usize, bodies: &mut Bodies) {
    parallel(memory, threads, |memory, thread| {
        for body in share(bodies.number, threads, thread) {
            for at in 3 * body..3 * body + 3 {
                let acceleration = bodies.accelerations.at(memory, at);
                bodies.velocities.add(memory, at, STEP * acceleration);
                let velocity = bodies.velocities.at(memory, at);
                // Nobody leaves the cube that the tree covers.
                let to = (bodies.positions.at(memory, at) + STEP * velocity).clamp(0.0, 1.0 - 1e-9);
                bodies.positions.set(memory, at, to);
            }
        }
    });
}

/// The mean error of accelerations, relative to their mean.
fn check(bodies: &Bodies) -> Result<(), WrongResult> {
    let positions: Vec<[f64; 3]> = bodies.positions.all().chunks(3).map(of_chunk).collect();
    let (mut errors, mut sum) = (0.0, 0.0);
    for (at, ours) in positions.iter().zip(bodies.accelerations.all().chunks(3)) {
        let mut direct = [0.0; 3];
        for other in &positions {
            let part = pull_of(1.0, *other, *at);
            direct = std::array::from_fn(|axis| direct[axis] + part[axis]);
        }
        errors += length(std::array::from_fn(|axis| ours[axis] - direct[axis]));
        sum += length(direct);
    }
    super::compare(
        Kernel::BarnesHut,
        "the mean acceleration",
        ACCEPTED_ERROR,
        std::iter::once((1.0 + errors / sum, 1.0)),
    )
}

fn pull_of(mass: f64, centre: [f64; 3], at: [f64; 3]) -> [f64; 3] {
    let between: [f64; 3] = std::array::from_fn(|axis| centre[axis] - at[axis]);
    let square = between.iter().map(|part| part * part).sum::<f64>() + SOFTENING;
    between.map(|part| mass * part / (square * square.sqrt()))
}

fn length(vector: [f64; 3]) -> f64 {
    vector.iter().map(|part| part * part).sum::<f64>().sqrt()
}

fn of_chunk(chunk: &[f64]) -> [f64; 3] {
    std::array::from_fn(|axis| chunk[axis])
}

fn place(memory: &mut impl Memory, of: &Array<f64>, index: usize) -> [f64; 3] {
    std::array::from_fn(|axis| of.at(memory, 3 * index + axis))
}

fn cell_of(at: [f64; 3]) -> usize {
    let part = |axis: usize| ((at[axis] * EDGE as f64) as usize).min(EDGE - 1);
    part(0) + EDGE * (part(1) + EDGE * part(2))
}

const fn coordinates(index: usize, edge: usize) -> [usize; 3] {
    [index % edge, index / edge % edge, index / (edge * edge)]
}

fn take(next: &mut u32) -> u32 {
    *next += 1;
    *next - 1
}
