// SPDX-License-Identifier: Apache-2.0
//! Non-blocking collectives in chunks, and what they defer.
//!
//! All chunks take their numbers on the communicator when the rank calls, so that ranks agree on the order whenever chunks begin. A chunk
//! begins at a rank when the rank's part of the one before is over. Until the last one has begun, later calls of the rank on the
//! communicator are deferred: where contributions merge in the network, all tiles have to send them in the same order. Nothing waits
//! in a circle, since all ranks call the collectives of a communicator in the same order.

use crate::chunks::ChunkedCall;
use crate::collective::CollectiveCall;
use crate::error::ProgramError;
use crate::ids::{CommId, RankId, RequestId};
use crate::rank::CallSite;
use crate::session::Session;
use crate::terms::Terms;
use std::collections::{BTreeMap, VecDeque};

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
