// SPDX-License-Identifier: Apache-2.0
//! A collective whose buffers are longer than the memory for collectives: it is called in chunks, each of which fits.
//!
//! Each block of the input is cut, and each block of the output is put together. A rank begins a chunk when its part of the one
//! before is over, without waiting for the others: so chunks overlap. The losing option was to leave the network for
//! messages of the program there, which took up to fourteen times as long.

use crate::collective::CollectiveCall;
use crate::error::ProgramError;
use crate::ids::{CommId, RankId};
use crate::rank::{Call, CallKind, CallSite};
use crate::response::Response;
use crate::session::Session;
use crate::terms::Terms;

/// Chunks are multiples of this, so that elements of all types and beats stay whole.
const UNIT_BYTES: u64 = 64;

/// A rank's call that is carried out in chunks.
#[derive(Debug)]
pub(crate) struct ChunkedCall {
    call: CollectiveCall,
    call_site: CallSite,
    /// When the rank called.
    since_cycle: u64,
    /// Bytes of a block, of which `called_bytes` have been called.
    block_bytes: u64,
    called_bytes: u64,
    chunk_bytes: u64,
    /// The output so far, by block.
    output: Vec<Vec<u8>>,
}

impl ChunkedCall {
    pub(crate) fn new(
        (call, terms): (CollectiveCall, Terms),
        chunk_bytes: u64,
        (call_site, since_cycle): (CallSite, u64),
    ) -> Self {
        Self {
            call,
            call_site,
            since_cycle,
            block_bytes: terms.agreed_bytes(),
            called_bytes: 0,
            chunk_bytes,
            output: Vec::new(),
        }
    }

    /// Chunks that have not been called.
    pub(crate) const fn num_left(&self) -> u64 {
        (self.block_bytes - self.called_bytes).div_ceil(self.chunk_bytes)
    }

    /// The call of the next chunk, on a communicator of this size.
    pub(crate) fn next_call(&mut self, size: u64) -> CollectiveCall {
        // 0: custom collectives, which have no number of blocks, are not called in chunks.
        let num_blocks = self.call.kind.input_blocks(size).unwrap_or(0) as usize;
        let start = self.called_bytes as usize;
        let end = (self.called_bytes + self.chunk_bytes).min(self.block_bytes) as usize;
        self.called_bytes = end as u64;
        let block_bytes = self.block_bytes as usize;
        let blocks = (0..num_blocks).map(|block| block * block_bytes);
        let payload = blocks.flat_map(|first| &self.call.payload[first + start..first + end]);
        CollectiveCall {
            payload: payload.copied().collect(),
            ..self.call.clone()
        }
    }

    /// Appends the output of a chunk, on a communicator of this size.
    pub(crate) fn append(&mut self, output: &[u8], size: u64) {
        if output.is_empty() {
            return;
        }
        // 0: as for the input.
        let num_blocks = self.call.kind.output_blocks(size).unwrap_or(0) as usize;
        self.output.resize(num_blocks, Vec::new());
        let length = output.len() / self.output.len().max(1);
        for (block, part) in self.output.iter_mut().zip(output.chunks(length.max(1))) {
            block.extend_from_slice(part);
        }
    }

    /// The output of the whole call.
    pub(crate) fn into_output(self) -> Vec<u8> {
        self.output.concat()
    }
}

impl Session<'_> {
    /// Bytes of a block in each chunk, where the whole does not fit but a chunk does.
    pub(crate) fn chunk_bytes_of(&mut self, terms: Terms) -> Option<u64> {
        let bytes = terms.bytes.filter(|bytes| *bytes > UNIT_BYTES)?;
        if let Some(known) = self.collective_chunk_bytes.get(&terms) {
            return *known;
        }
        let size = self.size_of(terms.comm);
        if size == 1 || self.fits(terms) {
            self.collective_chunk_bytes.insert(terms, None);
            return None;
        }
        let (given, got) = (
            terms.kind.input_blocks(size)?,
            terms.kind.output_blocks(size)?,
        );
        let most = (self.shared.capacity() / (given + got)).max(UNIT_BYTES);
        let mut count = bytes.div_ceil(most).max(2);
        let mut found = None;
        // Equal chunks: a short last one would take as long as others to begin.
        while count <= bytes.div_ceil(UNIT_BYTES) && found.is_none() {
            let chunk = bytes.div_ceil(count).next_multiple_of(UNIT_BYTES);
            let part = Terms {
                bytes: Some(chunk),
                is_chunk: true,
                ..terms
            };
            found = self.fits(part).then_some(chunk);
            count *= 2;
        }
        self.collective_chunk_bytes.insert(terms, found);
        found
    }

    /// Ranks of a communicator.
    pub(crate) fn size_of(&self, comm: CommId) -> u64 {
        u64::from(self.comms[comm.0 as usize].size())
    }

    /// Do the network's algorithms do it, with buffers that fit?
    pub(crate) fn fits(&mut self, terms: Terms) -> bool {
        let template = self.template(terms, 0);
        template.is_ok_and(|template| template.end <= self.shared.capacity())
    }

    /// Calls the first chunk of a collective for a rank.
    ///
    /// # Errors
    /// As [`Session::collective`].
    pub(crate) fn call_in_chunks(
        &mut self,
        rank: RankId,
        called: (CollectiveCall, Terms),
        chunk_bytes: u64,
        call_site: CallSite,
    ) -> Result<(), ProgramError> {
        let since_cycle = self.ranks[rank.idx()].cycle;
        self.call_next(
            rank,
            ChunkedCall::new(called, chunk_bytes, (call_site, since_cycle)),
        )
    }

    fn call_next(&mut self, rank: RankId, mut chunked: ChunkedCall) -> Result<(), ProgramError> {
        let size = self.size_of(chunked.call.comm);
        let call = chunked.next_call(size);
        let call_site = chunked.call_site.clone();
        self.chunked_calls.insert(rank, chunked);
        let terms = Terms {
            is_chunk: true,
            ..self.terms(rank, &call_site, &call)?
        };
        self.call_at_once(rank, (call, terms), call_site)
    }

    /// A rank's chunk is over: its response if it was the last one, else the next one is called. Calls that are not in chunks pass.
    ///
    /// # Errors
    /// As [`Session::collective`].
    pub(crate) fn collective_chunk_over(
        &mut self,
        rank: RankId,
        call: &mut Call,
        response: Response,
    ) -> Result<Option<Response>, ProgramError> {
        let is_collective = matches!(call.kind, CallKind::Collective(_));
        let Some(mut chunked) = self.chunked_calls.remove(&rank).filter(|_| is_collective) else {
            return Ok(Some(response));
        };
        if let Response::Output(output) = &response {
            let size = self.size_of(chunked.call.comm);
            chunked.append(output, size);
        }
        if chunked.num_left() > 0 {
            self.call_next(rank, chunked)?;
            return Ok(None);
        }
        call.since_cycle = chunked.since_cycle;
        Ok(Some(Response::Output(chunked.into_output())))
    }
}
