// SPDX-License-Identifier: Apache-2.0
//! What ranks give and what they must get, computed from the program alone.

use super::plan::{CollectiveStep, Plan};
use noccl_workload::number::mix;
use noccl_workload::{ElementType, Holders, Operator};

/// Bytes that depend on what they are for, and on their place.
fn drawn(what: [u64; 3], bytes: u64) -> Vec<u8> {
    let key = what.iter().fold(0, |key, part| mix(key ^ part));
    let word = |index: u64| mix(key.wrapping_add(index)).to_le_bytes();
    let words = (0..bytes.div_ceil(8)).flat_map(word);
    words.take(bytes as usize).collect()
}

/// Payload of a message.
pub(super) fn payload(plan: &Plan, message: usize) -> Vec<u8> {
    drawn([1, message as u64, 0], plan.messages[message].bytes)
}

/// What a rank passes on around its group where the network has no algorithm for a collective.
pub(super) fn ring_payload(step: usize, position: u32) -> Vec<u8> {
    drawn([2, step as u64, position.into()], 1 + step as u64 % 70)
}

/// A rank's payload of a collective, all its blocks.
pub(super) fn given(plan: &Plan, step: usize, position: u32) -> Vec<u8> {
    let of = &plan.collectives[step];
    let size = plan.groups[of.group].members.len() as u32;
    if !of.kind.input_holders().include(position == of.root) {
        // What it holds, but for its length, is nobody's.
        let holds = of.kind.output_holders().include(false) && of.is_length_known;
        return vec![0xa5; if holds { of.bytes as usize } else { 0 }];
    }
    let block = |to| match of.kind.reduces() {
        true => encoded(of.element, &numbers(of, step, position, to)),
        false => raw(of, step, position, to),
    };
    // 0: inputs of a custom collective are in its definition, and have no blocks.
    let blocks = of.kind.input_blocks(size.into()).unwrap_or(0) as u32;
    (0..blocks).flat_map(block).collect()
}

/// What it gets.
pub(super) fn expected(plan: &Plan, step: usize, position: u32) -> Vec<u8> {
    let of = &plan.collectives[step];
    let size = plan.groups[of.group].members.len() as u32;
    if !of.kind.output_holders().include(position == of.root) {
        return Vec::new();
    }
    let block = if of.kind.gives_blocks() { position } else { 0 };
    if of.kind.reduces() {
        return reduced(of, step, size, block);
    }
    let is_from_root = of.kind.input_holders() == Holders::Root;
    let givers = if is_from_root {
        of.root..of.root + 1
    } else {
        0..size
    };
    givers.flat_map(|from| raw(of, step, from, block)).collect()
}

fn raw(of: &CollectiveStep, step: usize, from: u32, block: u32) -> Vec<u8> {
    let place = u64::from(from) << 32 | u64::from(block);
    drawn([3, step as u64, place], of.bytes)
}

/// Elements as integers: any that the type has, or small ones if it is a floating-point type.
fn numbers(of: &CollectiveStep, step: usize, from: u32, block: u32) -> Vec<i64> {
    let count = of.bytes / of.element.bytes();
    let place = u64::from(from) << 32 | u64::from(block);
    let words = drawn([4, step as u64, place], 8 * count);
    let numbers = words.chunks_exact(8).map(|word| {
        let word = word.iter().fold(0, |all, byte| all << 8 | i64::from(*byte));
        if of.element.is_float() {
            word % 1000
        } else {
            let unused_bits = 64 - 8 * of.element.bytes();
            word << unused_bits >> unused_bits
        }
    });
    numbers.collect()
}

fn reduced(of: &CollectiveStep, step: usize, size: u32, block: u32) -> Vec<u8> {
    let mut all = numbers(of, step, 0, block);
    for from in 1..size {
        let operands = all.iter_mut().zip(numbers(of, step, from, block));
        for (into, operand) in operands {
            *into = match of.operator {
                Operator::Sum => into.wrapping_add(operand),
                Operator::Min => operand.min(*into),
                Operator::Max => operand.max(*into),
                Operator::And => operand & *into,
                Operator::Or => operand | *into,
            };
        }
    }
    encoded(of.element, &all)
}

fn encoded(element: ElementType, numbers: &[i64]) -> Vec<u8> {
    let encode = |number: &i64| match element {
        ElementType::Fp64 => (*number as f64).to_le_bytes().to_vec(),
        ElementType::Fp32 => (*number as f32).to_le_bytes().to_vec(),
        ElementType::Fp16
        | ElementType::Bf16
        | ElementType::Fp8E4m3
        | ElementType::Fp8E5m2
        | ElementType::Int8
        | ElementType::Int16
        | ElementType::Int32
        | ElementType::Int64 => number.to_le_bytes()[..element.bytes() as usize].to_vec(),
    };
    numbers.iter().flat_map(encode).collect()
}
