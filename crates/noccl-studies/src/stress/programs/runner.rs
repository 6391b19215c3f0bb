// SPDX-License-Identifier: Apache-2.0
//! Runs a program in a session, and keeps what every rank has got, and when.

use super::values;
use super::values::{Call, Plan, Request, WaitForm};
use super::values::{Got, Seen, Took};
use noccl_program::{
    CollectiveCall, CommId, ProgramError, RankId, Receive, Received, RequestId, Response, Send,
    Session,
};
use noccl_run::{OnProgress, Progress, RunError};
use std::collections::BTreeMap;

/// Whoever follows is told every so many responses.
const CHUNK_RESPONSES: u64 = 64;
/// Tags of what is passed around in place of a collective: receives of any tag do not take them.
const FIRST_RING_TAG: i64 = 1 << 31;

/// What a rank waits for.
enum Waiting {
    Time,
    Requests {
        requests: Vec<Request>,
        form: WaitForm,
    },
    Probe {
        stream: usize,
        place: usize,
    },
    Collective(usize),
    Ring(usize),
    Split(usize),
}

struct ProgramRunner<'a, 'n> {
    session: &'a mut Session<'n>,
    plan: &'a Plan,
    next: Vec<usize>,
    waiting: Vec<Waiting>,
    /// By rank and group.
    comms: BTreeMap<(u32, usize), CommId>,
    /// By rank: numbers of its requests.
    open: BTreeMap<(u32, Request), RequestId>,
    /// By collective: does the network do it?
    is_done: BTreeMap<usize, bool>,
    seen: Seen,
}

/// Runs a program to its end.
///
/// # Errors
/// Those of the session.
pub(super) fn run(
    session: &mut Session<'_>,
    plan: &Plan,
    on_progress: OnProgress<'_>,
) -> Result<Seen, ProgramError> {
    let ranks = plan.calls.len() as u32;
    let world = session.world();
    let mut runner = ProgramRunner {
        session,
        plan,
        next: vec![0; ranks as usize],
        waiting: (0..ranks).map(|_| Waiting::Time).collect(),
        comms: (0..ranks).map(|rank| ((rank, 0), world)).collect(),
        open: BTreeMap::new(),
        is_done: BTreeMap::new(),
        seen: Seen::new(plan),
    };
    (0..ranks).try_for_each(|rank| runner.go_on(rank))?;
    let mut num_responses = 0_u64;
    loop {
        let responses = runner.session.advance()?;
        if responses.is_empty() {
            break;
        }
        for (rank, response) in responses {
            num_responses += 1;
            if num_responses.is_multiple_of(CHUNK_RESPONSES) {
                runner.tell(rank.0, on_progress)?;
            }
            if runner.take(rank.0, response)? {
                runner.go_on(rank.0)?;
            }
        }
    }
    runner.seen.cycles = runner.session.report().cycles;
    Ok(runner.seen)
}

impl ProgramRunner<'_, '_> {
    fn tell(&self, rank: u32, on_progress: OnProgress<'_>) -> Result<(), ProgramError> {
        let cycle = self.session.now(RankId(rank));
        let is_over = |(calls, next): (&Vec<Call>, &usize)| *next >= calls.len();
        let progress = Progress {
            cycle,
            actions_done: { self.plan.calls.iter().zip(&self.next) }
                .filter(|both| is_over(*both))
                .count(),
            actions_total: self.next.len(),
        };
        if on_progress(progress) {
            return Ok(());
        }
        Err(RunError::Interrupted { cycle }.into())
    }

    /// States calls of a rank until it waits, or has ended.
    fn go_on(&mut self, rank: u32) -> Result<(), ProgramError> {
        let calls = &self.plan.calls[rank as usize];
        loop {
            let next = &mut self.next[rank as usize];
            let Some(call) = calls.get(*next) else {
                self.session.finish(RankId(rank));
                return Ok(());
            };
            *next += 1;
            match call {
                Call::Begin(request) => self.begin(rank, *request)?,
                Call::Compute { cycles } => {
                    self.waiting[rank as usize] = Waiting::Time;
                    let place = self.place(rank);
                    return self.session.compute(RankId(rank), *cycles, place);
                }
                Call::Probe { stream, place } => return self.probe(rank, *stream, *place),
                Call::Wait { requests, form } => {
                    return self.wait(rank, requests.clone(), *form);
                }
                Call::Collective { step } => return self.collective(rank, *step),
                Call::Split { step } => return self.split(rank, *step),
            }
        }
    }

    /// Which call of the rank it is.
    fn place(&self, rank: u32) -> String {
        format!("call {}", self.next[rank as usize])
    }

    fn comm(&self, rank: u32, group: usize) -> CommId {
        let known = self.comms.get(&(rank, group)).copied();
        known.unwrap_or_else(|| self.session.world())
    }

    fn position(&self, group: usize, rank: u32) -> u32 {
        self.plan.position(group, rank).unwrap_or(u32::MAX)
    }

    fn begin(&mut self, rank: u32, request: Request) -> Result<(), ProgramError> {
        let now = self.session.now(RankId(rank));
        let place = self.place(rank);
        let number = match request {
            Request::Send { message } => {
                self.seen.sent[message].0 = now;
                let of = &self.plan.messages[message];
                let send = Send {
                    comm: self.comm(rank, of.group),
                    target: self.position(of.group, of.to),
                    tag: of.tag,
                    data: values::payload(self.plan, message),
                    is_synchronous: of.is_synchronous,
                };
                self.session.isend(RankId(rank), send, place)?
            }
            Request::Receive {
                stream,
                place: number,
            } => {
                self.seen.received[stream][number].0 = now;
                let of = &self.plan.streams[stream];
                // Only one message can come if there is but one sender.
                let next = &self.plan.messages[of.messages[number]];
                let receive = Receive {
                    comm: self.comm(rank, of.group),
                    source: of.from.map(|from| self.position(of.group, from)),
                    tag: of.tag,
                    max_bytes: of.from.map(|_| next.bytes),
                };
                self.session.irecv(RankId(rank), receive, place)?
            }
        };
        self.open.insert((rank, request), number);
        Ok(())
    }

    fn probe(&mut self, rank: u32, stream: usize, place: usize) -> Result<(), ProgramError> {
        let of = &self.plan.streams[stream];
        let comm = self.comm(rank, of.group);
        let source = of.from.map(|from| self.position(of.group, from));
        self.waiting[rank as usize] = Waiting::Probe { stream, place };
        let at = self.place(rank);
        self.session.probe(RankId(rank), comm, source, of.tag, at)
    }

    fn wait(
        &mut self,
        rank: u32,
        requests: Vec<Request>,
        form: WaitForm,
    ) -> Result<(), ProgramError> {
        let waited = match form {
            WaitForm::All | WaitForm::Any => &requests[..],
            WaitForm::Single => &requests[..1],
        };
        let number = |request: &Request| self.open.get(&(rank, *request)).copied();
        let numbers = waited.iter().filter_map(number).collect();
        self.waiting[rank as usize] = Waiting::Requests { requests, form };
        let place = self.place(rank);
        let waits_for_all = form != WaitForm::Any;
        (self.session).wait(RankId(rank), numbers, waits_for_all, place)
    }

    fn collective(&mut self, rank: u32, step: usize) -> Result<(), ProgramError> {
        let of = self.plan.collectives[step];
        let position = self.position(of.group, rank);
        let root_payload = values::given(self.plan, step, of.root);
        let call = |payload| CollectiveCall {
            comm: self.comm(rank, of.group),
            kind: of.kind,
            payload,
            root: of.root,
            operator: of.operator,
            element: of.element,
        };
        let (whole, own) = (
            call(root_payload),
            call(values::given(self.plan, step, position)),
        );
        let is_done = match self.is_done.get(&step) {
            Some(known) => *known,
            None if of.is_length_known => self.session.supports(&whole),
            None => self.session.supports_at_once(&whole),
        };
        self.is_done.insert(step, is_done);
        self.seen.collectives[step][position as usize] = Some(Took {
            from_cycle: self.session.now(RankId(rank)),
            is_ring: !is_done,
            ..Took::default()
        });
        let place = self.place(rank);
        if is_done {
            self.waiting[rank as usize] = Waiting::Collective(step);
            return self.session.collective(RankId(rank), own, place);
        }
        self.waiting[rank as usize] = Waiting::Ring(step);
        self.ring(rank, step, place)
    }

    /// Bytes to the next rank of the group, and from the one before.
    fn ring(&mut self, rank: u32, step: usize, place: String) -> Result<(), ProgramError> {
        let group = self.plan.collectives[step].group;
        let position = self.position(group, rank);
        let size = self.plan.groups[group].members.len() as u32;
        let comm = self.comm(rank, group);
        let tag = FIRST_RING_TAG + step as i64;
        let send = Send {
            comm,
            target: (position + 1) % size,
            tag,
            data: values::ring_payload(step, position),
            is_synchronous: false,
        };
        let receive = Receive {
            comm,
            source: Some((position + size - 1) % size),
            tag: Some(tag),
            max_bytes: None,
        };
        let sent = (self.session).isend(RankId(rank), send, place.clone())?;
        let received = (self.session).irecv(RankId(rank), receive, place.clone())?;
        let requests = vec![sent, received];
        self.session.wait(RankId(rank), requests, true, place)
    }

    fn split(&mut self, rank: u32, step: usize) -> Result<(), ProgramError> {
        let of = &self.plan.splits[step];
        let position = self.position(of.group, rank);
        let (colour, key) = of.stated[position as usize];
        let now = self.session.now(RankId(rank));
        self.seen.splits[step][position as usize].0.from_cycle = now;
        self.waiting[rank as usize] = Waiting::Split(step);
        let (comm, place) = (self.comm(rank, of.group), self.place(rank));
        self.session.split(RankId(rank), comm, colour, key, place)
    }

    /// The call of a rank is over; false if it waits on.
    fn take(&mut self, rank: u32, response: Response) -> Result<bool, ProgramError> {
        let cycle = self.session.now(RankId(rank));
        let waiting = std::mem::replace(&mut self.waiting[rank as usize], Waiting::Time);
        match (response, waiting) {
            (Response::Requests(over), Waiting::Requests { requests, form }) => {
                let left = self.take_requests(rank, over, requests, cycle);
                if !left.is_empty() {
                    self.wait(rank, left, form)?;
                    return Ok(false);
                }
            }
            (Response::Requests(over), Waiting::Ring(step)) => {
                let data = over.into_iter().find_map(|received| received.data);
                // 0: empty where no rank sent to this one, which then takes over nothing.
                self.took(step, rank, cycle, data.unwrap_or_default());
            }
            (Response::Probed { source, tag, bytes }, Waiting::Probe { stream, place }) => {
                self.seen
                    .probed
                    .insert((stream, place), (source, tag, bytes));
            }
            (Response::Output(output), Waiting::Collective(step)) => {
                self.took(step, rank, cycle, output);
            }
            (Response::Communicator(made), Waiting::Split(step)) => {
                let of = &self.plan.splits[step];
                let position = self.position(of.group, rank) as usize;
                let (took, found) = &mut self.seen.splits[step][position];
                took.until_cycle = cycle;
                *found = made.map(|(_, own, size)| (own, size));
                if let (Some(group), Some((comm, _, _))) = (of.made[position], made) {
                    self.comms.insert((rank, group), comm);
                }
            }
            // What does not fit leaves nothing behind, which is noticed when the program has ended.
            (_, _) => {}
        }
        Ok(true)
    }

    fn took(&mut self, step: usize, rank: u32, cycle: u64, output: Vec<u8>) {
        let position = self.position(self.plan.collectives[step].group, rank);
        if let Some(took) = &mut self.seen.collectives[step][position as usize] {
            took.until_cycle = cycle;
            took.output = output;
        }
    }

    /// Keeps what has come; the requests that are left.
    fn take_requests(
        &mut self,
        rank: u32,
        over: Vec<Received>,
        mut requests: Vec<Request>,
        cycle: u64,
    ) -> Vec<Request> {
        let mut taken = Vec::new();
        for received in over {
            let Some(request) = requests.get(received.index).copied() else {
                continue;
            };
            taken.push(request);
            self.open.remove(&(rank, request));
            match request {
                Request::Send { message } => self.seen.sent[message].1 = Some(cycle),
                Request::Receive { stream, place } => {
                    self.seen.received[stream][place].1 = Some(Got {
                        source: received.source,
                        tag: received.tag,
                        // 0: a message without payload has no bytes.
                        data: received.data.unwrap_or_default(),
                        cycle,
                    });
                }
            }
        }
        requests.retain(|request| !taken.contains(request));
        requests
    }
}
