// SPDX-License-Identifier: Apache-2.0
//! Real numbers through the network: inputs cut into submatrices, C put together, and what it must be.

use super::{Collectives, GemmRequest};
use crate::{Error, Watch, load};
use noccl_coll::gemm::{Matrix, Spread, Summa, SummaPlan, summa};
use noccl_net::{AxiNetwork, Coord, Network, TileRef};
use noccl_run::{MemoryImage, Mode};
use noccl_workload::Place;
use noccl_workload::number::{multiply_into, random_elements};

/// A product computed by the simulated clusters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GemmValues {
    /// Rows and columns of C.
    pub shape: (usize, usize),
    /// C row by row, little endian, in the element in which sums are kept.
    pub c: Vec<u8>,
    /// Cycles of the whole run.
    pub cycles: u64,
}

/// Both inputs, row by row, little endian.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub(super) a: &'a [u8],
    pub(super) b: &'a [u8],
}

/// Multiplies the caller's matrices by SUMMA on one mesh, cycle by cycle, and returns C.
///
/// A has rows × (inner × any number of iterations) submatrices' worth of elements; the number of
/// iterations follows from the lengths. Software takes a tree. The request's mode, iterations and seed have
/// no effect.
///
/// # Errors
/// [`Error::Argument`] for lengths that are no whole submatrices; else as [`super::gemm`].
pub fn gemm_values(
    request: &GemmRequest,
    a: &[u8],
    b: &[u8],
    watch: Watch<'_>,
) -> Result<GemmValues, Error> {
    request.check()?;
    let [(width, height)] = request.meshes[..] else {
        return Err(Error::argument(
            "--mesh",
            request.meshes.len(),
            "accepted: one mesh",
        ));
    };
    let preset = format!("collective_noc_{width}x{height}");
    let loaded = load(&preset, &request.overrides)?.network;
    let network = Error::axi(&loaded, "matrix products")?;
    let spread = match request.collectives[..] {
        [Collectives::InNetwork] => Spread::InNetwork,
        [Collectives::Software] => Spread::Tree,
        [Collectives::Deliveries] => Spread::Deliveries { chunks: 1 },
        _ => {
            let found = request.collectives.len();
            let accepted = "accepted: software, deliveries or in_network";
            return Err(Error::argument("--collectives", found, accepted));
        }
    };
    let problem = problem(network, request, spread, a.len(), b.len())?;
    let plan = summa(network, &problem)?;
    let inputs = images(&plan, &problem, Inputs { a, b });
    let config = noccl_run::RunConfig::new(Mode::Value);
    let outputs = outputs(&network, &plan);
    let result = crate::run_values(&network, &plan.schedule, &inputs, &outputs, &config, watch)?;
    let shape = problem.shape;
    let (rows, columns) = (
        u64::from(height * shape.rows) as usize,
        u64::from(width * shape.columns) as usize,
    );
    Ok(GemmValues {
        shape: (rows, columns),
        c: assemble(&problem, &result.memory, (rows, columns))?,
        cycles: result.cycles,
    })
}

/// As many iterations as the inputs hold.
fn problem(
    network: AxiNetwork<'_>,
    request: &GemmRequest,
    spread: Spread,
    a_bytes: usize,
    b_bytes: usize,
) -> Result<Summa, Error> {
    let shape = request.shape();
    let per_iteration = [
        (
            "A",
            a_bytes as u64,
            shape.a_bytes() * u64::from(network.cluster_height()),
        ),
        (
            "B",
            b_bytes as u64,
            shape.b_bytes() * u64::from(network.cluster_width()),
        ),
    ];
    let counts = per_iteration.map(|(name, bytes, step)| {
        if bytes == 0 || step == 0 || !bytes.is_multiple_of(step) {
            return Err(Error::argument(
                name,
                format!("{bytes} bytes"),
                format!("a positive multiple of {step} bytes: one submatrix per line of clusters"),
            ));
        }
        Ok(bytes / step)
    });
    let [a, b] = counts;
    let (a, b) = (a?, b?);
    if a != b {
        return Err(Error::argument(
            "B",
            format!("{b} iterations"),
            format!("as many as A has, {a}"),
        ));
    }
    Ok(Summa {
        shape,
        iterations: a as u32,
        prefetch: request.prefetch,
        spread,
        sync: request.sync_with(spread),
        compute_cycles: shape.compute_cycles(network, request.utilisation())?,
    })
}

/// Random matrices of the right lengths.
pub(super) fn random_inputs(plan: &SummaPlan, problem: &Summa, seed: u64) -> [Vec<u8>; 2] {
    Matrix::BOTH.map(|matrix| {
        let lines = u64::from(plan.layout.lines(matrix));
        let bytes = lines * u64::from(problem.iterations) * plan.layout.bytes(matrix);
        let stream = match matrix {
            Matrix::A => 0,
            Matrix::B => 1,
        };
        random_elements(
            seed.wrapping_mul(2) + stream,
            bytes as usize,
            problem.shape.element,
        )
    })
}

/// Both inputs, cut into submatrices, where the plan wants them.
pub(super) fn images(plan: &SummaPlan, problem: &Summa, inputs: Inputs<'_>) -> Vec<MemoryImage> {
    let mut images = Vec::new();
    for matrix in Matrix::BOTH {
        for line in 0..plan.layout.lines(matrix) {
            for iteration in 0..problem.iterations {
                let place = plan.layout.source(matrix, line, iteration);
                images.push(MemoryImage {
                    tile: place.tile,
                    offset: place.offset,
                    bytes: submatrix(plan, problem, inputs, (matrix, line, iteration)),
                });
            }
        }
    }
    images
}

/// One submatrix, row by row.
fn submatrix(
    plan: &SummaPlan,
    problem: &Summa,
    inputs: Inputs<'_>,
    (matrix, line, iteration): (Matrix, u16, u32),
) -> Vec<u8> {
    let shape = problem.shape;
    let width = shape.element.bytes() as usize;
    let (line, iteration) = (usize::from(line), iteration as usize);
    let (rows, columns) = match matrix {
        Matrix::A => (shape.rows as usize, shape.inner as usize),
        Matrix::B => (shape.inner as usize, shape.columns as usize),
    };
    let (all, row, column, length) = match matrix {
        Matrix::A => (inputs.a, line, iteration, problem.iterations as usize),
        Matrix::B => (
            inputs.b,
            iteration,
            line,
            usize::from(plan.layout.lines(Matrix::B)),
        ),
    };
    let line_bytes = length * columns * width;
    (0..rows)
        .flat_map(|r| {
            let start = (row * rows + r) * line_bytes + column * columns * width;
            all[start..start + columns * width].to_vec()
        })
        .collect()
}

/// Every cluster's submatrix of C.
pub(super) fn outputs(network: &Network, plan: &SummaPlan) -> Vec<(Place, u64)> {
    clusters(network)
        .map(|at| {
            let place = Place {
                tile: TileRef::Cluster(at),
                offset: plan.layout.c_offset(),
            };
            (place, plan.layout.c_bytes())
        })
        .collect()
}

/// All clusters, x outer, y inner.
pub(super) fn clusters(network: &Network) -> impl Iterator<Item = Coord> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    (0..width).flat_map(move |x| (0..height).map(move |y| Coord::new(x, y)))
}

/// C from the clusters' submatrices.
///
/// # Errors
/// [`Error::Coll`] for elements of which no products are added.
fn assemble(
    problem: &Summa,
    memory: &[MemoryImage],
    (rows, columns): (usize, usize),
) -> Result<Vec<u8>, Error> {
    let shape = problem.shape;
    let elements = shape.rows as usize * shape.columns as usize;
    let width = shape.c_bytes()? as usize / elements.max(1);
    let mut c = vec![0; rows * columns * width];
    let line_bytes = shape.columns as usize * width;
    for image in memory {
        let TileRef::Cluster(at) = image.tile else {
            continue;
        };
        for (r, line) in image.bytes.chunks(line_bytes.max(1)).enumerate() {
            let row = usize::from(at.y) * shape.rows as usize + r;
            let start = row * columns * width + usize::from(at.x) * line_bytes;
            c[start..start + line.len()].copy_from_slice(line);
        }
    }
    Ok(c)
}

/// What every cluster must hold: its products, added in the order of the iterations.
pub(super) fn product(
    network: &Network,
    plan: &SummaPlan,
    problem: &Summa,
    inputs: Inputs<'_>,
) -> Vec<MemoryImage> {
    let shape = problem.shape;
    let sides = [shape.rows, shape.columns, shape.inner].map(|n| n as usize);
    clusters(network)
        .map(|at| {
            let mut c = vec![0; plan.layout.c_bytes() as usize];
            for t in 0..problem.iterations {
                let a = submatrix(plan, problem, inputs, (Matrix::A, at.y, t));
                let b = submatrix(plan, problem, inputs, (Matrix::B, at.x, t));
                multiply_into(&mut c, &a, &b, sides, shape.element);
            }
            MemoryImage {
                tile: TileRef::Cluster(at),
                offset: plan.layout.c_offset(),
                bytes: c,
            }
        })
        .collect()
}
