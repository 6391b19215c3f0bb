// SPDX-License-Identifier: Apache-2.0
//! A collective whose buffers are longer than the memory that collectives have: it is called in pieces, each of which fits.
//!
//! Piece by piece each block of what a rank gives is cut, and each block of what it gets is put together. A rank begins a piece when its
//! part of the one before is over, without waiting for the others: so pieces overlap. The losing option was to leave the network for
//! messages of the program there, which took up to fourteen times as long.

use crate::collective::CollectiveCall;
use crate::error::ProgramError;
use crate::ids::RankId;
use crate::rank::{Call, CallKind, Place};
use crate::response::Response;
use crate::session::Session;
use crate::terms::Terms;

/// Pieces are multiples of this, so that elements of all types and beats stay whole.
const UNIT_BYTES: u64 = 64;

/// What a rank has still to do of a collective in pieces.
#[derive(Debug)]
pub(crate) struct Pieces {
    call: CollectiveCall,
    place: Place,
    /// When the rank called.
    since_cycle: u64,
    /// Bytes of a block, of which `done_bytes` have been called.
    block_bytes: u64,
    done_bytes: u64,
    piece_bytes: u64,
    /// What the rank has got so far, by block.
    got: Vec<Vec<u8>>,
}

impl Pieces {
    /// What a rank gives of its next piece.
    fn next_call(&mut self, given_blocks: u64) -> CollectiveCall {
        let start = self.done_bytes as usize;
        let end = (self.done_bytes + self.piece_bytes).min(self.block_bytes) as usize;
        self.done_bytes = end as u64;
        let block_bytes = self.block_bytes as usize;
        let blocks = (0..given_blocks as usize).map(|block| block * block_bytes);
        let payload = blocks.flat_map(|first| &self.call.payload[first + start..first + end]);
        CollectiveCall {
            payload: payload.copied().collect(),
            ..self.call.clone()
        }
    }

    /// Takes in what the rank has got of a piece.
    fn take(&mut self, output: &[u8], got_blocks: u64) {
        if output.is_empty() {
            return;
        }
        self.got.resize(got_blocks as usize, Vec::new());
        let length = output.len() / self.got.len().max(1);
        for (block, part) in self.got.iter_mut().zip(output.chunks(length.max(1))) {
            block.extend_from_slice(part);
        }
    }
}

impl Session<'_> {
    /// Bytes of a block in each piece, where the whole does not fit but a piece does.
    pub(crate) fn piece_bytes_of(&mut self, terms: Terms) -> Option<u64> {
        let bytes = terms.bytes.filter(|bytes| *bytes > UNIT_BYTES)?;
        if let Some(known) = self.collective_piece_bytes.get(&terms) {
            return *known;
        }
        let size = u64::from(self.comms[terms.comm.0 as usize].size());
        if size == 1 || self.fits(terms) {
            self.collective_piece_bytes.insert(terms, None);
            return None;
        }
        let (given, got) = (
            terms.kind.input_blocks(size)?,
            terms.kind.output_blocks(size)?,
        );
        let most = (self.shared.capacity() / (given + got)).max(UNIT_BYTES);
        let mut count = bytes.div_ceil(most).max(2);
        let mut found = None;
        // Equal pieces: a short last one would take as long as others to begin.
        while count <= bytes.div_ceil(UNIT_BYTES) && found.is_none() {
            let piece = bytes.div_ceil(count).next_multiple_of(UNIT_BYTES);
            let part = Terms {
                bytes: Some(piece),
                is_piece: true,
                ..terms
            };
            found = self.fits(part).then_some(piece);
            count *= 2;
        }
        self.collective_piece_bytes.insert(terms, found);
        found
    }

    /// Do the network's algorithms do it, with buffers that fit?
    pub(crate) fn fits(&mut self, terms: Terms) -> bool {
        let template = self.template(terms, 0);
        template.is_ok_and(|template| template.end <= self.shared.capacity())
    }

    /// Calls the first piece of a collective for a rank.
    ///
    /// # Errors
    /// As [`Session::collective`].
    pub(crate) fn call_in_pieces(
        &mut self,
        rank: RankId,
        (call, terms): (CollectiveCall, Terms),
        piece_bytes: u64,
        place: Place,
    ) -> Result<(), ProgramError> {
        let pieces = Pieces {
            call,
            place,
            since_cycle: self.ranks[rank.idx()].cycle,
            block_bytes: terms.bytes.unwrap_or(0),
            done_bytes: 0,
            piece_bytes,
            got: Vec::new(),
        };
        self.call_next(rank, pieces)
    }

    fn call_next(&mut self, rank: RankId, mut pieces: Pieces) -> Result<(), ProgramError> {
        let size = u64::from(self.comms[pieces.call.comm.0 as usize].size());
        let blocks = pieces.call.kind.input_blocks(size);
        let call = pieces.next_call(blocks.unwrap_or(0));
        let place = pieces.place.clone();
        self.collective_pieces.insert(rank, pieces);
        let terms = Terms {
            is_piece: true,
            ..self.terms(rank, &place, &call)?
        };
        self.call_at_once(rank, (call, terms), place)
    }

    /// A rank's piece is over: its response if it was the last one, else the next one is called. Calls that are not in pieces pass.
    ///
    /// # Errors
    /// As [`Session::collective`].
    pub(crate) fn collective_piece_over(
        &mut self,
        rank: RankId,
        call: &mut Call,
        response: Response,
    ) -> Result<Option<Response>, ProgramError> {
        let is_collective = matches!(call.kind, CallKind::Collective(_));
        let Some(mut pieces) = self
            .collective_pieces
            .remove(&rank)
            .filter(|_| is_collective)
        else {
            return Ok(Some(response));
        };
        if let Response::Output(output) = &response {
            let size = u64::from(self.comms[pieces.call.comm.0 as usize].size());
            let blocks = pieces.call.kind.output_blocks(size);
            pieces.take(output, blocks.unwrap_or(0));
        }
        if pieces.done_bytes < pieces.block_bytes {
            self.call_next(rank, pieces)?;
            return Ok(None);
        }
        call.since_cycle = pieces.since_cycle;
        Ok(Some(Response::Output(pieces.got.concat())))
    }
}
