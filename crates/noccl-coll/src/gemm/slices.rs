// SPDX-License-Identifier: Apache-2.0
//! Which attention layers a mesh can take, and what every cluster gets of one.

use super::attention::Attention;
use super::program::Mesh;
use crate::CollError;
use noccl_workload::ElementType;

/// Most tokens, columns of a head, and heads.
const MAX_SIDE: u32 = 1 << 20;

/// Rows of Q and rows of K and V of one cluster.
pub(super) fn slices(mesh: Mesh, attention: &Attention) -> Result<(u32, u32), CollError> {
    let (width, height) = (u32::from(mesh.width), u32::from(mesh.height));
    let Attention {
        tokens,
        heads,
        head_columns,
        ..
    } = *attention;
    let sides = [tokens, head_columns, heads];
    if sides.iter().any(|n| !(1..=MAX_SIDE).contains(n)) {
        return Err(CollError::Impossible(format!(
            "{heads} heads of {tokens} tokens and {head_columns} columns; accepted: 1 to {MAX_SIDE} of each"
        )));
    }
    match attention.element {
        ElementType::Fp64 | ElementType::Fp32 | ElementType::Fp16 | ElementType::Bf16 => {}
        ElementType::Fp8E4m3
        | ElementType::Fp8E5m2
        | ElementType::Int8
        | ElementType::Int16
        | ElementType::Int32
        | ElementType::Int64 => {
            return Err(CollError::Impossible(format!(
                "a softmax of {}; accepted: fp64, fp32, fp16 or bf16",
                attention.element
            )));
        }
    }
    if !tokens.is_multiple_of(width) || !tokens.is_multiple_of(height) {
        return Err(CollError::Impossible(format!(
            "{tokens} tokens on {width}x{height} clusters; accepted: a multiple of both sides"
        )));
    }
    Ok((tokens / height, tokens / width))
}
