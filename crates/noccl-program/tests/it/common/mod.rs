// SPDX-License-Identifier: Apache-2.0
//! Ranks as lists of calls: what each does next when its call is over.

use noccl_coll::{Choice, choices};
use noccl_net::Network;
use noccl_program::{
    CollectiveCall, CommId, MessageTrace, Options, ProgramError, RankId, Receive, RequestId,
    Response, Send, Session,
};
use noccl_run::{Mode, RunConfig};
pub use noccl_testkit::network;
use noccl_workload::{Collective, CollectiveKind, ElementType, Operator};

/// A call of a rank.
#[derive(Debug, Clone)]
pub enum Op {
    /// To a rank, with a tag.
    Send(u32, i64, Vec<u8>),
    /// From a rank or any, with a tag or any.
    Receive(Option<u32>, Option<i64>),
    Isend(u32, i64, Vec<u8>),
    Ireceive(Option<u32>, Option<i64>),
    WaitAll,
    Compute(u64),
    Collective(CollectiveKind, u32, Vec<u8>),
    /// The same beside what the rank does, for `WaitAll`.
    Icollective(CollectiveKind, u32, Vec<u8>),
    /// Of the communicator of all, into a communicator that later collectives are on.
    Split(u32, i64),
}

/// What a rank has got: payloads of receives and collectives, in the order of its calls.
pub type Got = Vec<Vec<u8>>;

/// The first algorithm that the library offers; on routers with bypass the first one in the network, as they have no atomics.
pub fn first_choice(network: &Network, collective: &Collective) -> Result<Choice, String> {
    let all = choices(network, collective);
    let has_bypass = network.spec().name.starts_with("smart");
    let in_network = all
        .iter()
        .find(|c| has_bypass && c.algorithm.is_in_network());
    let first = in_network.or(all.first()).copied();
    first.ok_or_else(|| "no algorithm".to_owned())
}

struct Runner<'a, 'n> {
    session: &'a mut Session<'n>,
    lists: &'a [Vec<Op>],
    next: Vec<usize>,
    open: Vec<Vec<RequestId>>,
    comm: Vec<CommId>,
    got: Vec<Got>,
}

impl Runner<'_, '_> {
    fn take(&mut self, rank: RankId, response: Response) {
        let got = &mut self.got[rank.0 as usize];
        match response {
            Response::Requests(mut over) => {
                over.sort_by_key(|received| received.index);
                got.extend(over.into_iter().filter_map(|received| received.data));
            }
            Response::Output(bytes) => got.push(bytes),
            Response::Communicator(made) => {
                self.comm[rank.0 as usize] = made.map_or(CommId(0), |(comm, _, _)| comm);
            }
            Response::Done | Response::Probed { .. } | Response::Task { .. } => {}
        }
    }

    fn call(
        &self,
        rank: usize,
        kind: CollectiveKind,
        root: u32,
        payload: Vec<u8>,
    ) -> CollectiveCall {
        CollectiveCall {
            comm: self.comm[rank],
            kind,
            payload,
            root,
            operator: Operator::Sum,
            element: ElementType::Int64,
        }
    }

    /// States calls of a rank until it waits for one, or has none left.
    fn go_on(&mut self, rank: RankId) -> Result<(), ProgramError> {
        let world = self.session.world();
        let index = rank.0 as usize;
        loop {
            let Some(op) = self.lists[index].get(self.next[index]).cloned() else {
                self.session.finish(rank);
                return Ok(());
            };
            self.next[index] += 1;
            let place = format!("test:{}", self.next[index]);
            let send = |target, tag, data| Send {
                comm: world,
                target,
                tag,
                data,
                is_synchronous: false,
            };
            let receive = |source, tag| Receive {
                comm: world,
                source,
                tag,
                max_bytes: None,
            };
            match op {
                Op::Isend(target, tag, data) => {
                    let request = self.session.isend(rank, send(target, tag, data), place)?;
                    self.open[index].push(request);
                }
                Op::Ireceive(source, tag) => {
                    let request = self.session.irecv(rank, receive(source, tag), place)?;
                    self.open[index].push(request);
                }
                Op::Send(target, tag, data) => {
                    let request =
                        self.session
                            .isend(rank, send(target, tag, data), place.clone())?;
                    return self.session.wait(rank, vec![request], true, place);
                }
                Op::Receive(source, tag) => {
                    let request = self
                        .session
                        .irecv(rank, receive(source, tag), place.clone())?;
                    return self.session.wait(rank, vec![request], true, place);
                }
                Op::WaitAll => {
                    let open = std::mem::take(&mut self.open[index]);
                    return self.session.wait(rank, open, true, place);
                }
                Op::Compute(cycles) => return self.session.compute(rank, cycles, place),
                Op::Split(colour, key) => {
                    return self.session.split(rank, world, Some(colour), key, place);
                }
                Op::Collective(kind, root, payload) => {
                    let call = self.call(index, kind, root, payload);
                    return self.session.collective(rank, call, place);
                }
                Op::Icollective(kind, root, payload) => {
                    let call = self.call(index, kind, root, payload);
                    let request = self.session.icollective(rank, call, place)?;
                    self.open[index].push(request);
                }
            }
        }
    }
}

/// Runs lists of calls: what each rank gets, and the cycles.
pub fn run(network: &Network, lists: &[Vec<Op>]) -> Result<(Vec<Got>, u64), ProgramError> {
    let (got, cycles, _) = run_recorded(network, lists)?;
    Ok((got, cycles))
}

/// The same with the algorithm in the network, where there is one.
pub fn run_in_network(network: &Network, lists: &[Vec<Op>]) -> Result<Vec<Got>, ProgramError> {
    let (got, ..) = run_by(network, lists, in_network_choice)?;
    Ok(got)
}

fn in_network_choice(network: &Network, collective: &Collective) -> Result<Choice, String> {
    let all = choices(network, collective);
    let in_network = all.iter().find(|choice| choice.algorithm.is_in_network());
    in_network
        .copied()
        .map_or_else(|| first_choice(network, collective), Ok)
}

/// The same, with the calls as a message trace.
pub fn run_recorded(
    network: &Network,
    lists: &[Vec<Op>],
) -> Result<(Vec<Got>, u64, MessageTrace), ProgramError> {
    run_by(network, lists, first_choice)
}

fn run_by(
    network: &Network,
    lists: &[Vec<Op>],
    choose: fn(&Network, &Collective) -> Result<Choice, String>,
) -> Result<(Vec<Got>, u64, MessageTrace), ProgramError> {
    let options = Options {
        config: RunConfig::new(Mode::Value),
        choose: Box::new(choose),
    };
    let mut session = Session::new(network, lists.len() as u32, options)?;
    session.record();
    let ranks = lists.len();
    let mut runner = Runner {
        session: &mut session,
        lists,
        next: vec![0; ranks],
        open: vec![Vec::new(); ranks],
        comm: vec![CommId(0); ranks],
        got: vec![Vec::new(); ranks],
    };
    for rank in 0..ranks as u32 {
        runner.go_on(RankId(rank))?;
    }
    loop {
        let responses = runner.session.advance()?;
        if responses.is_empty() {
            break;
        }
        for (rank, response) in responses {
            runner.take(rank, response);
            runner.go_on(rank)?;
        }
    }
    let got = runner.got;
    let trace = session.recorded("test").expect("it is recorded");
    Ok((got, session.report().cycles, trace))
}
