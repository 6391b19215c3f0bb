// SPDX-License-Identifier: Apache-2.0
//! State of a plane of routers in a checkpoint.
//!
//! Every field is named, so that a new one has to be sorted in: stored, or left out for a reason.

use super::control::block::{LANES, PORTS, SLOTS};
use super::fifo::store::FlitEntry;
use super::plane::PlaneState;
use crate::checkpoint::{CheckpointError, Reader, Writer};
use std::io::{Read, Write};

impl PlaneState {
    /// Appends the state to a checkpoint.
    pub(crate) fn save<W: Write>(&self, to: &mut Writer<W>) -> Result<(), CheckpointError> {
        let Self {
            // What follows from the network and the number of threads.
            coords: _,
            shifts: _,
            partitions: _,
            num_routers: _,
            bypass: _,
            // Decided anew in every cycle.
            leaving: _,
            leaving_slot: _,
            receiving: _,
            blocks,
            in_full,
            input,
            output,
            flits,
            deep,
            links,
            entered,
            joins,
            active,
            has_received,
            published,
            direct,
            head_ages,
            flit_hops,
        } = self;
        to.put(&(blocks, in_full, entered, has_received))?;
        to.put(&(joins, active, published, head_ages, flit_hops))?;
        to.put(&(deep, links, direct, flits))?;
        let inputs = self.occupied(true).into_iter().map(|slot| input[slot]);
        let outputs = self.occupied(false).into_iter().map(|slot| output[slot]);
        inputs
            .chain(outputs)
            .try_for_each(|flit| to.put_word(flit.0))
    }

    /// Takes the place of a new plane's state.
    pub(crate) fn restore<R: Read>(&mut self, from: &mut Reader<R>) -> Result<(), CheckpointError> {
        let (blocks, own, links) = (self.blocks.len(), self.deep.take(), self.links.take());
        let has_direct = self.direct.is_some();
        (self.blocks, self.in_full, self.entered, self.has_received) = from.take()?;
        (
            self.joins,
            self.active,
            self.published,
            self.head_ages,
            self.flit_hops,
        ) = from.take()?;
        (self.deep, self.links, self.direct, self.flits) = from.take()?;
        let routers = self.input.len() / (PORTS * 2);
        let is_whole = self.blocks.len() == blocks && self.in_full.len() == blocks;
        let is_whole = is_whole && self.direct.is_some() == has_direct;
        let is_whole = is_whole
            && match (&self.deep, &own) {
                (Some(saved), Some(own)) => saved.is_like(own),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            }
            && match (&self.links, &links) {
                (Some(saved), Some(own)) => saved.is_like(own),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            };
        if !is_whole || self.entered.len() != routers {
            return Err(CheckpointError::damaged(
                "it is of another number of routers",
            ));
        }
        for slot in self.occupied(true) {
            self.input[slot] = self.take_entry(from)?;
        }
        for slot in self.occupied(false) {
            self.output[slot] = self.take_entry(from)?;
        }
        Ok(())
    }

    fn take_entry<R: Read>(&self, from: &mut Reader<R>) -> Result<FlitEntry, CheckpointError> {
        let entry = FlitEntry(from.take_word()?);
        if self.flits.holds(entry) {
            Ok(entry)
        } else {
            Err(CheckpointError::damaged(
                "a FIFO has a flit that is not stored",
            ))
        }
    }

    /// Slots of the inputs' or the outputs' FIFOs that hold a flit. The others' contents are read by nobody.
    fn occupied(&self, is_input: bool) -> Vec<usize> {
        let ports = self.blocks.iter().enumerate().flat_map(|(w, block)| {
            (0..PORTS).map(move |port| {
                let two = self.two(is_input, w, port);
                if is_input {
                    (block.in_any[port], two, block.in_head[port])
                } else {
                    (block.out_any[port], two, block.out_head[port])
                }
            })
        });
        let slots = ports.enumerate().flat_map(|(at, (any, two, head))| {
            let slots = [any & (!head | two), any & (head | two)];
            slots
                .into_iter()
                .enumerate()
                .flat_map(move |(slot, lanes)| {
                    let lanes = (0..u64::BITS as usize).filter(move |lane| lanes >> lane & 1 != 0);
                    lanes.map(move |lane| at * SLOTS + slot * LANES + lane)
                })
        });
        slots.collect()
    }
}
