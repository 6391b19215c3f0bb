// SPDX-License-Identifier: Apache-2.0
//! Collectives: compared with those of the other ranks, and carried out if the network's algorithms do them.

use crate::arguments::Membership;
use crate::error::ExecuteError;
use crate::function::{Element, Fold, Function, reduction};
use crate::number::COLLECTIVE_BEGINS;
use crate::rank::State;
use crate::run::Driver;
use crate::terms::Terms;
use noccl_program::{CollectiveCall, RankId};
use noccl_riscv::Call;
use noccl_workload::{ElementType, Operator};

/// What a rank gets for a collective that the network's algorithms do not do.
const COMPOSE: u64 = 1;

/// Why it gets that.
const LENGTHS: &str = "blocks of ranks differ in length";
const ALWAYS: &str = "always composed";
const NO_ALGORITHM: &str = "no algorithm of the network takes this operator, type, length or group";

impl Driver<'_, '_> {
    pub(crate) fn collective(&mut self, id: RankId, call: &Call) -> Result<bool, ExecuteError> {
        let comm = self.membership(id, call, call.arguments[4])?;
        let terms = self.terms(id, call, comm)?;
        self.compare(id, call, comm, terms)?;
        let made = self.engine_call(id, call, comm, terms)?;
        let supports = |made: &CollectiveCall| match terms.is_nonblocking {
            true => self.session.supports_nonblocking(made),
            false => self.session.supports(made),
        };
        let Some(made) = made.filter(supports) else {
            let (bytes, reason) = match terms.function.kind() {
                None if !terms.function.has_bytes()
                    || terms.function == Function::ReduceScatter =>
                {
                    (None, LENGTHS)
                }
                None => (Some(terms.bytes), ALWAYS),
                Some(kind) if kind.gives_blocks() => {
                    let blocks = u64::from(comm.1.1).max(1);
                    (Some(terms.bytes / blocks), NO_ALGORITHM)
                }
                Some(_) => (Some(terms.bytes), NO_ALGORITHM),
            };
            let name = terms.name();
            self.session.note_composed(id, comm.0, &name, bytes, reason);
            self.give(
                id,
                if terms.is_nonblocking {
                    u64::MAX
                } else {
                    COMPOSE
                },
            );
            return Ok(true);
        };
        let buffer = call.arguments[3];
        self.check_buffer(id, call, buffer, output_bytes(&made, comm))?;
        let place = self.place(call);
        if terms.is_nonblocking {
            let request = self.session.icollective(id, made, place)?;
            self.give_request(id, request, Some(buffer));
            return Ok(true);
        }
        self.session.collective(id, made, place)?;
        self.ranks[id.0 as usize].state = State::Collective { buffer };
        Ok(false)
    }

    pub(crate) fn split(&mut self, id: RankId, call: &Call) -> Result<bool, ExecuteError> {
        let [comm, colour, key, ..] = call.arguments;
        let comm = self.membership(id, call, comm)?;
        let terms = Terms {
            function: Function::Split,
            fold: Fold::Other,
            element: Element::Other,
            bytes: 0,
            root: 0,
            is_nonblocking: false,
        };
        self.compare(id, call, comm, terms)?;
        let colour = match colour.cast_signed() {
            -1 => None,
            _ => Some(u32::try_from(colour).map_err(|_| {
                let what = format!("colour {}", colour.cast_signed());
                self.refused(id, call, what, "0 and more, or MPI_UNDEFINED")
            })?),
        };
        let place = self.place(call);
        self.session
            .split(id, comm.0, colour, key.cast_signed(), place)?;
        self.ranks[id.0 as usize].state = State::Splitting;
        Ok(false)
    }

    fn compare(
        &mut self,
        id: RankId,
        call: &Call,
        comm: Membership,
        terms: Terms,
    ) -> Result<(), ExecuteError> {
        let place = self.place(call);
        let comm = (comm.0, comm.1.1);
        Ok(self.agreements.compare(comm, id, &place, terms)?)
    }

    fn terms(&self, id: RankId, call: &Call, comm: Membership) -> Result<Terms, ExecuteError> {
        let [what, _, bytes, _, _, root, _] = call.arguments;
        let part = |shift: u32| (what >> shift & 0xff) as usize;
        let found = Function::ALL.get(part(0)).copied();
        let known = found
            .zip(Fold::ALL.get(part(8)).copied())
            .zip(Element::ALL.get(part(16)).copied());
        let Some(((function, fold), element)) = known else {
            let what = format!("collective {what:#x}");
            return Err(self.refused(id, call, what, "the numbers of programs/calls/numbers.h"));
        };
        if bytes.cast_signed() < 0 {
            let what = format!("MPI_{} of {} bytes", function.name(), bytes.cast_signed());
            return Err(self.refused(id, call, what, "a count of 0 and more"));
        }
        let size = comm.1.1;
        if function.has_root() && root >= size.into() {
            let what = format!("MPI_{} with root {}", function.name(), root.cast_signed());
            return Err(self.refused(id, call, what, format!("0 to {}", size - 1)));
        }
        Ok(Terms {
            function,
            fold,
            element,
            bytes,
            root,
            is_nonblocking: what & COLLECTIVE_BEGINS != 0,
        })
    }

    /// The call as the algorithm library knows it, if it does.
    fn engine_call(
        &self,
        id: RankId,
        call: &Call,
        comm: Membership,
        terms: Terms,
    ) -> Result<Option<CollectiveCall>, ExecuteError> {
        let Some(kind) = terms.function.kind() else {
            return Ok(None);
        };
        let reduced = if terms.function.reduces() {
            reduction(terms.fold, terms.element)
        } else {
            Some((Operator::Sum, ElementType::Int8))
        };
        let Some((operator, element)) = reduced else {
            return Ok(None);
        };
        let root = if terms.function.has_root() {
            terms.root as u32
        } else {
            0
        };
        let is_root = comm.1.0 == root;
        // Those that get what the root has give bytes of their buffers, so that there are not more of them than memory.
        let buffer = match kind.input_holders().include(is_root) {
            true => call.arguments[1],
            false => call.arguments[3],
        };
        let payload = match kind.has_payload() {
            true => self.bytes(id, call, buffer, terms.bytes)?,
            false => Vec::new(),
        };
        Ok(Some(CollectiveCall {
            comm: comm.0,
            kind,
            payload,
            root,
            operator,
            element,
        }))
    }
}

/// Bytes that a rank gets.
fn output_bytes(call: &CollectiveCall, comm: Membership) -> u64 {
    let (position, size) = comm.1;
    let given = call.payload.len() as u64;
    if !call.kind.output_holders().include(position == call.root) {
        return 0;
    }
    let size = u64::from(size);
    let block = match call.kind.gives_blocks() {
        true => given / size,
        false => given,
    };
    match call.kind.takes_blocks() {
        true => block * size,
        false => block,
    }
}
