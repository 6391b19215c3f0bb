// SPDX-License-Identifier: Apache-2.0
//! What a collective means, without any schedule: the second opinion beside the reference interpreter.
//!
//! A multicast copies, so its outputs equal the root's input. Integer operators, min and max do not
//! depend on the order, so their result is one fold. A floating-point sum does: it must lie within
//! the error bound of the exact sum that holds for every order of additions.

use super::inputs::{FloatFormat, element_bits, float_format};
use super::row::SumError;
use noccl_workload::number::fold_into;
use noccl_workload::{ChunkRef, Collective, CollectiveKind, ElementType, Operator};

/// What was found in one output buffer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutputCheck {
    /// Is every output what it must be?
    pub is_right: bool,
    /// Distance to the exact sum; only for sums of floating-point numbers.
    pub sum_error: Option<SumError>,
}

/// The expected outputs of a collective.
pub(crate) struct Meaning {
    /// One for all outputs, or one for each.
    expected: Vec<Expected>,
}

/// What one output must be.
enum Expected {
    /// These bytes.
    Bytes(Vec<u8>),
    /// Close to these sums.
    Sums {
        format: FloatFormat,
        exact: Vec<f64>,
        tolerance: Vec<f64>,
        additions: u32,
    },
}

impl Meaning {
    /// What the inputs (one per member; for a multicast the root's) ask for.
    pub(crate) fn new(collective: &Collective, inputs: &[Vec<u8>]) -> Self {
        let bytes = collective.bytes as usize;
        let whole: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let expected = match collective.kind {
            CollectiveKind::Reduce | CollectiveKind::AllReduce => vec![reduced(collective, &whole)],
            CollectiveKind::ReduceScatter => (0..inputs.len())
                .map(|rank| {
                    let blocks: Vec<&[u8]> =
                        inputs.iter().map(|i| &i[rank * bytes..][..bytes]).collect();
                    reduced(collective, &blocks)
                })
                .collect(),
            CollectiveKind::Multicast => vec![Expected::Bytes(inputs[0].clone())],
            // It has neither inputs nor outputs.
            CollectiveKind::Barrier => vec![Expected::Bytes(Vec::new())],
            CollectiveKind::Scatter => {
                let blocks = whole[0].chunks_exact(bytes.max(1));
                blocks.map(|b| Expected::Bytes(b.to_vec())).collect()
            }
            CollectiveKind::Gather => vec![Expected::Bytes(inputs.concat())],
            CollectiveKind::Scan => (0..inputs.len())
                .map(|rank| reduced(collective, &whole[..=rank]))
                .collect(),
            CollectiveKind::Custom => own(collective, &whole),
            CollectiveKind::AllGather => vec![Expected::Bytes(inputs.concat())],
            CollectiveKind::AllToAll => exchanged(collective, &whole),
        };
        Self { expected }
    }

    /// Verifies the output with this number.
    pub(crate) fn verify(&self, output: usize, bytes: &[u8]) -> OutputCheck {
        let expected = self.expected.get(output).or(self.expected.first());
        expected.map_or(
            OutputCheck {
                is_right: false,
                sum_error: None,
            },
            |e| e.verify(bytes),
        )
    }
}

/// What a custom collective asks for, chunk by chunk.
fn own(collective: &Collective, inputs: &[&[u8]]) -> Vec<Expected> {
    let bytes = collective.bytes as usize;
    let Some(definition) = &collective.definition else {
        return Vec::new();
    };
    let part = |c: &ChunkRef| &inputs[c.rank as usize][c.chunk as usize * bytes..][..bytes];
    let wants = definition.outputs.iter().flatten();
    let operands = wants.map(|want| want.operands(inputs.len()));
    let expected = operands.filter(|all| !all.is_empty()).map(|all| {
        let parts: Vec<&[u8]> = all.iter().map(part).collect();
        match parts.as_slice() {
            [copy] => Expected::Bytes(copy.to_vec()),
            parts => reduced(collective, parts),
        }
    });
    expected.collect()
}

/// What an all-to-all asks for: by rank all blocks, or each block by itself where lengths differ and those of no bytes are left out.
fn exchanged(collective: &Collective, inputs: &[&[u8]]) -> Vec<Expected> {
    let bytes = collective.bytes as usize;
    let block = |from: usize, to: usize| {
        &inputs[from][to * bytes..][..collective.block_bytes(from, to) as usize]
    };
    let of_rank = |to: usize| (0..inputs.len()).map(move |from| block(from, to));
    let ranks = 0..inputs.len();
    if collective.lengths.is_some() {
        let blocks = ranks.flat_map(of_rank).filter(|block| !block.is_empty());
        return blocks.map(|b| Expected::Bytes(b.to_vec())).collect();
    }
    let whole = |to: usize| Expected::Bytes(of_rank(to).collect::<Vec<_>>().concat());
    ranks.map(whole).collect()
}

/// The fold of equally long inputs: exact, or with the error bound of a floating-point sum.
fn reduced(collective: &Collective, inputs: &[&[u8]]) -> Expected {
    let is_sum = matches!(collective.operator, Operator::Sum);
    if let Some(format) = float_format(collective.element).filter(|_| is_sum) {
        return sums(format, collective.element, inputs);
    }
    let mut result = inputs[0].to_vec();
    for input in inputs.iter().skip(1) {
        fold_into(&mut result, input, collective.operator, collective.element);
    }
    Expected::Bytes(result)
}

impl Expected {
    /// Verifies one output buffer.
    fn verify(&self, output: &[u8]) -> OutputCheck {
        match self {
            Expected::Bytes(expected) => OutputCheck {
                is_right: output == expected.as_slice(),
                sum_error: None,
            },
            Expected::Sums {
                format,
                exact,
                tolerance,
                additions,
            } => {
                let size = (1 + format.exponent_bits + format.mantissa_bits) as usize / 8;
                let fraction = output
                    .chunks_exact(size)
                    .zip(exact.iter().zip(tolerance))
                    .map(|(chunk, (exact, tolerance))| {
                        (format.decode(element_bits(chunk)) - exact).abs() / tolerance
                    })
                    .fold(0.0, f64::max);
                OutputCheck {
                    is_right: fraction <= 1.0 && output.len() == exact.len() * size,
                    sum_error: Some(SumError {
                        largest_of_bound: fraction,
                        additions: *additions,
                    }),
                }
            }
        }
    }
}

/// Exact sums (in twice the precision of f64) with the bound ((1 + u)^(n-1) - 1) * sum of |x|, which
/// holds for any order of n - 1 additions, plus one smallest number per addition against underflow.
fn sums(format: FloatFormat, element: ElementType, inputs: &[&[u8]]) -> Expected {
    let size = element.bytes() as usize;
    let count = inputs[0].len() / size;
    let additions = inputs.len().saturating_sub(1) as u32;
    let growth = f64::from(additions) * format.unit_roundoff().ln_1p();
    let (mut exact, mut tolerance) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for index in 0..count {
        let (mut high, mut low, mut magnitude) = (0.0_f64, 0.0_f64, 0.0_f64);
        for input in inputs {
            let value = format.decode(element_bits(&input[index * size..][..size]));
            let (sum, error) = two_sum(high, value);
            (high, low) = (sum, low + error);
            magnitude += value.abs();
        }
        exact.push(high + low);
        tolerance.push(growth.exp_m1() * magnitude + f64::from(additions + 1) * format.smallest());
    }
    Expected::Sums {
        format,
        exact,
        tolerance,
        additions,
    }
}

/// Knuth's error-free addition: `a + b = sum + error` exactly.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

#[cfg(test)]
mod tests {
    use super::super::inputs::random_input;
    use super::*;
    use noccl_net::{Coord, TileRef, TileSet};

    fn collective(kind: CollectiveKind, element: ElementType) -> Collective {
        Collective {
            kind,
            group: TileSet::Row(0),
            root: TileRef::Cluster(Coord::new(0, 0)),
            bytes: 256,
            input_offset: 0,
            output_offset: 256,
            operator: Operator::Sum,
            element,
            lengths: None,
            definition: None,
        }
    }

    fn sum_of(element: ElementType, inputs: &[Vec<u8>]) -> Vec<u8> {
        let mut result = inputs[0].clone();
        for input in &inputs[1..] {
            fold_into(&mut result, input, Operator::Sum, element);
        }
        result
    }

    #[test]
    fn any_fold_is_within_the_bound_and_one_lost_operand_is_not() {
        for element in [ElementType::Fp64, ElementType::Fp32, ElementType::Fp16] {
            let inputs: Vec<Vec<u8>> = (0..16).map(|p| random_input(7, p, 256, element)).collect();
            let meaning = Meaning::new(&collective(CollectiveKind::Reduce, element), &inputs);
            let mut reversed = inputs.clone();
            reversed.reverse();
            for order in [&inputs, &reversed] {
                let checked = meaning.verify(0, &sum_of(element, order));
                assert!(checked.is_right, "{element:?} {checked:?}");
            }
            assert!(!meaning.verify(0, &sum_of(element, &inputs[1..])).is_right);
        }
    }

    #[test]
    fn each_output_of_blocks_has_its_own_meaning() {
        let element = ElementType::Int64;
        let inputs: Vec<Vec<u8>> = (0..4).map(|p| random_input(7, p, 1024, element)).collect();
        let block = |source: usize, rank: usize| inputs[source][rank * 256..][..256].to_vec();
        let of = |kind| Meaning::new(&collective(kind, element), &inputs);
        for rank in 0..4 {
            let blocks: Vec<Vec<u8>> = (0..4).map(|source| block(source, rank)).collect();
            for other in 0..4 {
                let is_own = rank == other;
                let moved = of(CollectiveKind::AllToAll).verify(other, &blocks.concat());
                assert_eq!(moved.is_right, is_own);
                let sum = sum_of(element, &blocks);
                let scattered = of(CollectiveKind::ReduceScatter).verify(other, &sum);
                assert_eq!(scattered.is_right, is_own);
            }
        }
        let short: Vec<Vec<u8>> = inputs.iter().map(|i| i[..256].to_vec()).collect();
        let gathered = Meaning::new(&collective(CollectiveKind::AllGather, element), &short);
        assert!(gathered.verify(3, &short.concat()).is_right);
        assert!(!gathered.verify(0, &short[0]).is_right);
    }

    #[test]
    fn integer_sums_and_copies_are_compared_bit_by_bit() {
        let element = ElementType::Int64;
        let inputs: Vec<Vec<u8>> = (0..4).map(|p| random_input(7, p, 256, element)).collect();
        let sum = sum_of(element, &inputs);
        let reduce = Meaning::new(&collective(CollectiveKind::AllReduce, element), &inputs);
        assert!(reduce.verify(0, &sum).is_right);
        let copy = Meaning::new(
            &collective(CollectiveKind::Multicast, element),
            &inputs[..1],
        );
        assert!(copy.verify(0, &inputs[0]).is_right);
        let mut flipped = sum;
        flipped[255] ^= 1;
        assert!(!reduce.verify(0, &flipped).is_right);
    }
}
