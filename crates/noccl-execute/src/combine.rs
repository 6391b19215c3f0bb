// SPDX-License-Identifier: Apache-2.0
//! What accumulates make of the bytes of a window: MPI's operators, on the types that cores compute with. Operators have the numbers of
//! `programs/nocmsg/mpi.h`.

use crate::function::Element;

/// An operator of an accumulate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Sum,
    Prod,
    Min,
    Max,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
    And,
    Or,
    Xor,
    MinLoc,
    MaxLoc,
    Replace,
    Nothing,
}

impl Operator {
    const fn of(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::Sum,
            1 => Self::Prod,
            2 => Self::Min,
            3 => Self::Max,
            4 => Self::LogicalAnd,
            5 => Self::LogicalOr,
            6 => Self::LogicalXor,
            7 => Self::And,
            8 => Self::Or,
            9 => Self::Xor,
            10 => Self::MinLoc,
            11 => Self::MaxLoc,
            12 => Self::Replace,
            13 => Self::Nothing,
            _ => return None,
        })
    }
}

/// `before op data`, element by element; `None` if the type does not have the operator, or the lengths differ.
pub(crate) fn combine(number: u8, element: Element, before: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let operator = Operator::of(number)?;
    match operator {
        Operator::Replace => return Some(data.to_vec()),
        Operator::Nothing => return Some(before.to_vec()),
        Operator::Sum
        | Operator::Prod
        | Operator::Min
        | Operator::Max
        | Operator::LogicalAnd
        | Operator::LogicalOr
        | Operator::LogicalXor
        | Operator::And
        | Operator::Or
        | Operator::Xor
        | Operator::MinLoc
        | Operator::MaxLoc => {}
    }
    if before.len() != data.len() {
        return None;
    }
    macro_rules! each {
        ($type:ty, $combined:expr) => {{
            let (before, rest) = before.as_chunks::<{ size_of::<$type>() }>();
            let (data, _) = data.as_chunks::<{ size_of::<$type>() }>();
            let pairs = before.iter().zip(data);
            let combined = pairs.map(|(before, data)| {
                $combined(
                    operator,
                    <$type>::from_le_bytes(*before),
                    <$type>::from_le_bytes(*data),
                )
                .map(<$type>::to_le_bytes)
            });
            let combined: Option<Vec<_>> = combined.collect();
            rest.is_empty().then_some(combined?.concat())
        }};
    }
    macro_rules! integers {
        ($type:ty) => {
            each!($type, |operator, x: $type, y: $type| Some(match operator {
                Operator::MinLoc | Operator::MaxLoc => return None,
                Operator::Sum => x.wrapping_add(y),
                Operator::Prod => x.wrapping_mul(y),
                Operator::Min => x.min(y),
                Operator::Max => x.max(y),
                Operator::LogicalAnd => (x != 0 && y != 0).into(),
                Operator::LogicalOr => (x != 0 || y != 0).into(),
                Operator::LogicalXor => ((x != 0) != (y != 0)).into(),
                Operator::And => x & y,
                Operator::Or => x | y,
                Operator::Xor => x ^ y,
                Operator::Replace => y,
                Operator::Nothing => x,
            }))
        };
    }
    macro_rules! floats {
        ($type:ty, $nan:expr) => {
            each!($type, |operator, x: $type, y: $type| {
                let found = match operator {
                    Operator::Sum => x + y,
                    Operator::Prod => x * y,
                    // As the comparison of operators.h.
                    Operator::Min => return Some(if y < x { y } else { x }),
                    Operator::Max => return Some(if y > x { y } else { x }),
                    Operator::LogicalAnd
                    | Operator::LogicalOr
                    | Operator::LogicalXor
                    | Operator::And
                    | Operator::Or
                    | Operator::Xor
                    | Operator::MinLoc
                    | Operator::MaxLoc
                    | Operator::Replace
                    | Operator::Nothing => return None,
                };
                // The core's instructions give this one.
                Some(if found.is_nan() {
                    <$type>::from_bits($nan)
                } else {
                    found
                })
            })
        };
    }
    // Two numbers of each element.
    macro_rules! complexes {
        ($type:ty) => {{
            let numbers = |bytes: &[u8]| -> Vec<$type> {
                let (numbers, _) = bytes.as_chunks::<{ size_of::<$type>() }>();
                numbers.iter().map(|x| <$type>::from_le_bytes(*x)).collect()
            };
            let (before, data) = (numbers(before), numbers(data));
            let mut combined = Vec::with_capacity(before.len());
            for (x, y) in before.chunks_exact(2).zip(data.chunks_exact(2)) {
                combined.extend(if operator == Operator::Sum {
                    [x[0] + y[0], x[1] + y[1]]
                } else if operator == Operator::Prod {
                    [x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]]
                } else {
                    return None;
                });
            }
            Some(
                combined
                    .into_iter()
                    .flat_map(<$type>::to_le_bytes)
                    .collect(),
            )
        }};
    }
    // A value and its index, with the gaps of C; of equal values that with the lower index.
    macro_rules! indexed {
        ($type:ty, $bytes:literal, $place:literal) => {{
            let part = |element: &[u8; $bytes]| {
                let (value, _) = element.split_first_chunk()?;
                let (_, rest) = element.split_at($place);
                let (index, _) = rest.split_first_chunk()?;
                Some((<$type>::from_le_bytes(*value), i32::from_le_bytes(*index)))
            };
            let (before, rest) = before.as_chunks::<$bytes>();
            let (data, _) = data.as_chunks::<$bytes>();
            let mut combined = Vec::with_capacity(before.len());
            for (x, y) in before.iter().zip(data) {
                let ((value, index), (other, other_index)) = (part(x)?, part(y)?);
                let is_better = if operator == Operator::MinLoc {
                    other < value
                } else if operator == Operator::MaxLoc {
                    other > value
                } else {
                    return None;
                };
                let is_earlier = other == value && other_index < index;
                combined.push(if is_better || is_earlier { *y } else { *x });
            }
            rest.is_empty().then_some(combined.concat())
        }};
    }
    match element {
        Element::Bool => {
            let combined = combine(number, Element::Uint8, before, data)?;
            Some(
                combined
                    .into_iter()
                    .map(|byte| (byte != 0).into())
                    .collect(),
            )
        }
        Element::Complex32 => complexes!(f32),
        Element::Complex64 => complexes!(f64),
        Element::IndexedFp32 => indexed!(f32, 8, 4),
        Element::IndexedFp64 => indexed!(f64, 16, 8),
        Element::IndexedInt16 => indexed!(i16, 8, 4),
        Element::IndexedInt32 => indexed!(i32, 8, 4),
        Element::IndexedInt64 => indexed!(i64, 16, 8),
        Element::Int8 => integers!(i8),
        Element::Int16 => integers!(i16),
        Element::Int32 => integers!(i32),
        Element::Int64 => integers!(i64),
        Element::Uint8 => integers!(u8),
        Element::Uint16 => integers!(u16),
        Element::Uint32 => integers!(u32),
        Element::Uint64 => integers!(u64),
        Element::Fp32 => floats!(f32, 0x7fc0_0000),
        Element::Fp64 => floats!(f64, 0x7ff8_0000_0000_0000),
        Element::Other => None,
    }
}
