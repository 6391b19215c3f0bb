// SPDX-License-Identifier: Apache-2.0
//! A program of ranks as a Python object: ranks state calls, and the hub lets time pass between them.

use crate::calls::Network;
use crate::error::to_python;
use crate::program_values::HeldSession;
use crate::program_values::{
    TimelineColumns, any_or, call, probed, raised, response_list, timeline_columns,
};
use noccl::program::Timeline;
use noccl::program::{
    CommId, ProgramRequest, RECORD_ALL, RankId, Receive, RequestId, Send, parse_program_algorithm,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::Arc;

/// A program of ranks on a network (`python/noccl/programs`).
///
/// It belongs to the thread that has opened it: a call from another one is refused, and ends the program.
#[pyclass(module = "noccl._native")]
pub(crate) struct ProgramSession {
    held: HeldSession,
}

#[pymethods]
impl ProgramSession {
    #[new]
    #[pyo3(signature = (network, ranks, *, collectives, max_cycles, noise_seed))]
    fn new(
        py: Python<'_>,
        network: &Network,
        ranks: u32,
        collectives: &str,
        max_cycles: Option<u64>,
        noise_seed: Option<u64>,
    ) -> PyResult<Self> {
        let collectives =
            parse_program_algorithm(collectives).map_err(|error| to_python(py, &error))?;
        let request = ProgramRequest {
            ranks,
            collectives,
            max_cycles,
            noise_seed,
        };
        let loaded = Arc::clone(&network.loaded);
        let held = HeldSession::new(py, loaded, &request)?;
        Ok(Self { held })
    }

    /// Number of the communicator of all ranks.
    #[getter]
    fn world(&self, py: Python<'_>) -> PyResult<u32> {
        self.held.read(py, |session| session.world().0)
    }

    /// Number of the communicator of a rank alone.
    fn alone(&mut self, py: Python<'_>, rank: u32) -> PyResult<u32> {
        self.held
            .with(py, rank, |session| Ok(session.alone(RankId(rank)).0))
    }

    /// Number of a communicator that its members alone make, each by a call.
    fn group(&mut self, py: Python<'_>, rank: u32, ranks: Vec<u32>, place: &str) -> PyResult<u32> {
        self.held.with(py, rank, |session| {
            let ranks = ranks.into_iter().map(RankId).collect();
            Ok(session.group(RankId(rank), ranks, place)?.0)
        })
    }

    /// Cycles per nanosecond of the network.
    #[getter]
    fn clock_ghz(&self, py: Python<'_>) -> PyResult<f64> {
        self.held
            .read(py, |session| session.network().spec().clock_ghz)
    }

    /// Sends; the number of the request.
    #[allow(clippy::too_many_arguments, reason = "a call of MPI has as many")]
    fn isend(
        &mut self,
        py: Python<'_>,
        rank: u32,
        comm: u32,
        destination: i64,
        tag: i64,
        data: Vec<u8>,
        synchronous: bool,
        place: String,
    ) -> PyResult<u32> {
        let send = Send {
            comm: CommId(comm),
            target: u32::try_from(destination).unwrap_or(u32::MAX),
            tag,
            data,
            is_synchronous: synchronous,
        };
        let request = self
            .held
            .with(py, rank, |session| session.isend(RankId(rank), send, place))?;
        Ok(request.0)
    }

    /// Is ready for a message; the number of the request. -1: any source, tag, length.
    #[allow(clippy::too_many_arguments, reason = "a call of MPI has as many")]
    fn irecv(
        &mut self,
        py: Python<'_>,
        rank: u32,
        comm: u32,
        source: i64,
        tag: i64,
        max_bytes: i64,
        place: String,
    ) -> PyResult<u32> {
        let receive = Receive {
            comm: CommId(comm),
            source: any_or(source),
            tag: any_or(tag),
            max_bytes: any_or(max_bytes),
        };
        let request = self.held.with(py, rank, |session| {
            session.irecv(RankId(rank), receive, place)
        })?;
        Ok(request.0)
    }

    /// Source, tag and bytes of the message that a probe would find now.
    fn iprobe(
        &mut self,
        py: Python<'_>,
        rank: u32,
        comm: u32,
        source: i64,
        tag: i64,
        place: String,
    ) -> PyResult<Option<(u32, i64, u64)>> {
        let found = self.held.with(py, rank, |session| {
            let (source, tag) = (any_or(source), any_or(tag));
            session.iprobe(RankId(rank), CommId(comm), source, tag, &place)
        })?;
        Ok(found.and_then(probed))
    }

    /// Withdraws a receive; false if it has met a message.
    fn cancel(&mut self, py: Python<'_>, rank: u32, request: u32) -> PyResult<bool> {
        self.held.with(py, rank, |session| {
            Ok(session.cancel(RankId(rank), RequestId(request)))
        })
    }

    /// Cycle in which a rank stands.
    fn now(&self, py: Python<'_>, rank: u32) -> PyResult<u64> {
        self.held.read(py, |session| session.now(RankId(rank)))
    }

    /// Is the request over? No time passes.
    fn is_over(&self, py: Python<'_>, request: u32) -> PyResult<bool> {
        self.held
            .read(py, |session| session.is_over(RequestId(request)))
    }

    /// Waits for requests, all or one.
    fn wait(
        &mut self,
        py: Python<'_>,
        rank: u32,
        requests: Vec<u32>,
        all: bool,
        place: String,
    ) -> PyResult<()> {
        let requests = requests.into_iter().map(RequestId).collect();
        self.held.with(py, rank, |session| {
            session.wait(RankId(rank), requests, all, place)
        })
    }

    /// Lets time pass.
    fn poll(
        &mut self,
        py: Python<'_>,
        rank: u32,
        cycles: Option<u64>,
        place: String,
    ) -> PyResult<()> {
        self.held.with(py, rank, |session| {
            session.poll(RankId(rank), cycles, place)
        })
    }

    /// Waits for a message to arrive.
    fn probe(
        &mut self,
        py: Python<'_>,
        rank: u32,
        comm: u32,
        source: i64,
        tag: i64,
        place: String,
    ) -> PyResult<()> {
        self.held.with(py, rank, |session| {
            let (source, tag) = (any_or(source), any_or(tag));
            session.probe(RankId(rank), CommId(comm), source, tag, place)
        })
    }

    /// Computes.
    fn compute(&mut self, py: Python<'_>, rank: u32, cycles: u64, place: String) -> PyResult<()> {
        self.held.with(py, rank, |session| {
            session.compute(RankId(rank), cycles, place)
        })
    }

    /// Calls a collective.
    #[allow(clippy::too_many_arguments, reason = "a call of MPI has as many")]
    fn collective(
        &mut self,
        py: Python<'_>,
        rank: u32,
        comm: u32,
        kind: &str,
        payload: Vec<u8>,
        root: u32,
        operator: &str,
        element: &str,
        place: String,
    ) -> PyResult<()> {
        let call = call(py, comm, kind, payload, root, operator, element)?;
        self.held.with(py, rank, |session| {
            session.collective(RankId(rank), call, place)
        })
    }

    /// Calls a collective that goes on beside what the rank does; the number of the request.
    #[allow(clippy::too_many_arguments, reason = "a call of MPI has as many")]
    fn icollective(
        &mut self,
        py: Python<'_>,
        rank: u32,
        comm: u32,
        kind: &str,
        payload: Vec<u8>,
        root: u32,
        operator: &str,
        element: &str,
        place: String,
    ) -> PyResult<u32> {
        let call = call(py, comm, kind, payload, root, operator, element)?;
        let request = self.held.with(py, rank, |session| {
            session.icollective(RankId(rank), call, place)
        })?;
        Ok(request.0)
    }

    /// Can the network's algorithms carry it out beside what its ranks do?
    #[allow(clippy::too_many_arguments, reason = "a call of MPI has as many")]
    fn supports_nonblocking(
        &mut self,
        py: Python<'_>,
        rank: u32,
        comm: u32,
        kind: &str,
        bytes: usize,
        root: u32,
        operator: &str,
        element: &str,
    ) -> PyResult<bool> {
        let Ok(call) = call(py, comm, kind, vec![0; bytes], root, operator, element) else {
            return Ok(false);
        };
        self.held
            .with(py, rank, |session| Ok(session.supports_nonblocking(&call)))
    }

    /// Begins what the hub carries out beside a rank's calls; the number of the request.
    fn begin_task(
        &mut self,
        py: Python<'_>,
        rank: u32,
        name: String,
        place: String,
    ) -> PyResult<u32> {
        self.held.with(py, rank, |session| {
            Ok(session.begin_task(RankId(rank), name, place).0)
        })
    }

    /// It is over.
    fn end_task(&mut self, py: Python<'_>, task: u32) -> PyResult<()> {
        self.held.with(py, None, |session| {
            session.end_task(RequestId(task));
            Ok(())
        })
    }

    /// Waits for requests beside the rank's own call; `advance` names the response by the token.
    fn wait_in_task(
        &mut self,
        py: Python<'_>,
        rank: u32,
        requests: Vec<u32>,
        token: u32,
        place: String,
    ) -> PyResult<()> {
        let requests = requests.into_iter().map(RequestId).collect();
        self.held.with(py, rank, |session| {
            session.wait_in_task(RankId(rank), requests, token, &place)
        })
    }

    /// Can the network's algorithms carry out a collective in which each rank gives so many bytes?
    #[allow(clippy::too_many_arguments, reason = "a call of MPI has as many")]
    fn supports(
        &mut self,
        py: Python<'_>,
        rank: u32,
        comm: u32,
        kind: &str,
        bytes: usize,
        root: u32,
        operator: &str,
        element: &str,
    ) -> PyResult<bool> {
        let Ok(call) = call(py, comm, kind, vec![0; bytes], root, operator, element) else {
            return Ok(false);
        };
        self.held
            .with(py, rank, |session| Ok(session.supports(&call)))
    }

    /// Splits a communicator; -1: the rank will be in none.
    fn split(
        &mut self,
        py: Python<'_>,
        rank: u32,
        comm: u32,
        color: i64,
        key: i64,
        place: String,
    ) -> PyResult<()> {
        self.held.with(py, rank, |session| {
            session.split(RankId(rank), CommId(comm), any_or(color), key, place)
        })
    }

    /// The package composes a collective of messages.
    fn note_composed(
        &mut self,
        py: Python<'_>,
        rank: u32,
        comm: u32,
        collective: &str,
        bytes: Option<u64>,
        reason: &str,
    ) -> PyResult<()> {
        self.held.with(py, rank, |session| {
            session.note_composed(RankId(rank), CommId(comm), collective, bytes, reason);
            Ok(())
        })
    }

    /// The rank's program has ended.
    fn finish(&mut self, py: Python<'_>, rank: u32) -> PyResult<()> {
        self.held.with(py, rank, |session| {
            session.finish(RankId(rank));
            Ok(())
        })
    }

    /// The rank's program has failed.
    fn fail(&mut self, py: Python<'_>, rank: u32, message: String) -> PyResult<()> {
        self.held.with(py, rank, |session| {
            session.fail(RankId(rank), message);
            Ok(())
        })
    }

    /// Simulates until calls are over: ranks and their responses.
    fn advance<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut signal = Ok(());
        let responses = self.held.with(py, None, |session| {
            session.advance_while(&mut || {
                signal = py.check_signals();
                signal.is_ok()
            })
        });
        signal?;
        let responses = responses?;
        response_list(py, responses)
    }

    /// From now on it is kept when each rank computes, sends and receives.
    fn record_times(&mut self, py: Python<'_>) -> PyResult<()> {
        self.held.with(py, None, |session| {
            session.record_times();
            Ok(())
        })
    }

    /// From now on everything is kept for `recording`.
    fn record_run(&mut self, py: Python<'_>) -> PyResult<()> {
        self.held.with(py, None, |session| {
            session.record_run(RECORD_ALL);
            Ok(())
        })
    }

    /// What ranks and the network did over time, as the JSON text of a recording; empty if it is not kept.
    fn recording(&mut self, py: Python<'_>, workload: String) -> PyResult<String> {
        let made = self.held.with(py, None, |session| {
            Timeline::recording_of_session(session.network(), session, workload)
        })?;
        match made {
            Some(recording) => {
                crate::calls::json(&recording).map_err(|error| to_python(py, &error))
            }
            // 0: no text of a run that is not recorded.
            None => Ok(String::new()),
        }
    }

    /// From now on calls are kept for `messages`.
    fn record_messages(&mut self, py: Python<'_>) -> PyResult<()> {
        self.held.with(py, None, |session| {
            session.record();
            Ok(())
        })
    }

    /// What the ranks have called, as the text of a message trace; empty if it is not kept.
    fn messages(&self, py: Python<'_>, source: &str) -> PyResult<String> {
        let trace = self.held.read(py, |session| session.recorded(source))?;
        // 0: no text of calls that are not kept.
        Ok(trace.map_or_else(String::new, |trace| trace.to_string()))
    }

    /// What each rank did over time, as the text of a file of trace events.
    fn trace_events(&self, py: Python<'_>) -> PyResult<String> {
        let made = self.held.read(py, |session| {
            Timeline::of_session(session.network(), session)
        })?;
        let timeline = made.map_err(|error| raised(py, &error))?;
        let text = timeline.trace_events();
        text.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The calls that are over, by column.
    fn timeline<'py>(&self, py: Python<'py>) -> PyResult<TimelineColumns<'py>> {
        self.held
            .read(py, |session| timeline_columns(py, session.timeline()))
    }

    /// What the program has done so far but its calls, as JSON text.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let report = self.held.read(py, |session| session.report())?;
        crate::calls::json(&report).map_err(|error| to_python(py, &error))
    }
}
