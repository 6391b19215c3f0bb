// SPDX-License-Identifier: Apache-2.0
//! A collective whose buffers are longer than the memory for collectives: it is called in chunks, each of which fits.
//!
//! Each block of the input is cut, and each block of the output is put together. A rank begins a chunk when its part of the one
//! before is over, without waiting for the others: so chunks overlap. The losing option was to leave the network for
//! messages of the program there, which took up to fourteen times as long.

use crate::collective::CollectiveCall;
use crate::error::ProgramError;
use crate::ids::{CommId, RankId, RequestId};
use crate::rank::{Call, CallKind, CallSite};
use crate::response::Response;
use crate::session::Session;
use crate::terms::Terms;
use std::collections::{BTreeMap, VecDeque};

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

// Non-blocking collectives in chunks, and what they defer.
//
// All chunks take their numbers on the communicator when the rank calls, so that ranks agree on the order whenever chunks begin. A chunk
// begins at a rank when the rank's part of the one before is over. Until the last one has begun, later calls of the rank on the
// communicator are deferred: where contributions merge in the network, all tiles have to send them in the same order. Nothing waits
// in a circle, since all ranks call the collectives of a communicator in the same order.

/// A call of a rank whose part may not begin yet.
#[derive(Debug)]
struct Deferred {
    number: u32,
    payload: Vec<u8>,
    /// The chunk before it, which has to be over.
    after: Option<u32>,
}

/// A chunk at a rank: communicator, rank there, number of the collective.
type ChunkAt = (CommId, u32, u32);

/// Non-blocking collectives in chunks.
#[derive(Debug, Default)]
pub(crate) struct ChunkedRequests {
    /// With the number of chunks that are not over.
    open: BTreeMap<RequestId, (ChunkedCall, u64)>,
    /// By communicator and rank there, in the order of the calls.
    deferred: BTreeMap<(CommId, u32), VecDeque<Deferred>>,
    /// Chunks that are over, for which others may wait.
    over: Vec<ChunkAt>,
}

impl Session<'_> {
    /// A rank calls a collective that is carried out in chunks while the rank does something else.
    pub(crate) fn icollective_in_chunks(
        &mut self,
        rank: RankId,
        (call, terms): (CollectiveCall, Terms),
        chunk_bytes: u64,
        call_site: CallSite,
    ) -> Result<RequestId, ProgramError> {
        let size = self.size_of(terms.comm);
        let request = self.begin_task(rank, terms.name(), call_site.clone());
        let since = (call_site.clone(), self.ranks[rank.idx()].cycle);
        let mut chunked = ChunkedCall::new((call, terms), chunk_bytes, since);
        let num_chunks = chunked.num_left();
        let calls: Vec<CollectiveCall> = (0..num_chunks).map(|_| chunked.next_call(size)).collect();
        let open = &mut self.chunked_requests.open;
        open.insert(request, (chunked, num_chunks));
        let mut after = None;
        for call in calls {
            let terms = Terms {
                is_nonblocking: true,
                is_chunk: true,
                ..self.terms(rank, &call_site, &call)?
            };
            let (number, position) = self.join(rank, &call_site, terms)?;
            self.collectives[number].requests[position as usize] = Some(request);
            self.call_instance(number, position, call.payload, after)?;
            after = Some(number);
        }
        Ok(request)
    }

    /// Defers a call behind a chunk, or behind calls that are deferred; the payload if it may begin.
    pub(crate) fn deferred(
        &mut self,
        number: u32,
        position: u32,
        payload: Vec<u8>,
        after: Option<u32>,
    ) -> Option<Vec<u8>> {
        let at = (self.collectives[number].terms.comm, position);
        let deferred = &mut self.chunked_requests.deferred;
        if after.is_none() && !deferred.contains_key(&at) {
            return Some(payload);
        }
        deferred.entry(at).or_default().push_back(Deferred {
            number,
            payload,
            after,
        });
        None
    }

    /// Calls that waited for chunks which are over begin.
    pub(crate) fn enter_deferred(&mut self) -> Result<(), ProgramError> {
        while let Some((comm, position, over)) = self.chunked_requests.over.pop() {
            let mut after = Some(over);
            while let Some(next) = self.next_deferred((comm, position), after.take()) {
                self.enter(next.number, position, next.payload)?;
            }
        }
        Ok(())
    }

    /// The first deferred call of a rank, if it waits for nothing but this chunk.
    fn next_deferred(&mut self, at: (CommId, u32), over: Option<u32>) -> Option<Deferred> {
        let deferred = &mut self.chunked_requests.deferred;
        let queue = deferred.get_mut(&at)?;
        let next = queue.pop_front_if(|next| next.after.is_none() || next.after == over);
        if queue.is_empty() {
            deferred.remove(&at);
        }
        next
    }

    /// The output of a request, of which a collective is over: of one in chunks when the last chunk is.
    pub(crate) fn output_of_request(
        &mut self,
        request: RequestId,
        chunk: ChunkAt,
        output: Vec<u8>,
    ) -> Option<Vec<u8>> {
        let size = self.size_of(chunk.0);
        let all = &mut self.chunked_requests;
        let Some((chunked, num_open)) = all.open.get_mut(&request) else {
            return Some(output);
        };
        chunked.append(&output, size);
        *num_open -= 1;
        if *num_open > 0 {
            all.over.push(chunk);
            return None;
        }
        let (chunked, _) = all.open.remove(&request)?;
        Some(chunked.into_output())
    }
}
