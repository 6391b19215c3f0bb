// SPDX-License-Identifier: Apache-2.0
//! What calls take with a mechanism. Each network, collective and size is looked at once, whichever mechanisms and steps ask for it.

use super::calls::{WorkloadCall, request};
use super::mechanism::Mechanism;
use super::report::AdviceEvidence;
use super::workload::Called;
use crate::compare::{Expectation, choice_among, collective_of, expected, is_refusal, simulated};
use crate::{CompareRequest, CompareRow, Error, Step, Watch, load_spec};
use noccl_coll::{Algorithm, Choice, offered};
use noccl_model::bounds;
use noccl_net::counts::max_or_zero;
use noccl_net::{Network, elaborate};
use noccl_run::Tally;
use noccl_spec::EnergyTable;
use noccl_workload::{Collective, CollectiveKind, check};

/// Exchanges of at most so many members are simulated whatever they gain, and short runs may choose their algorithm: seconds on 16×16.
const FEW_MEMBERS: usize = 256;

/// Among more members algorithms with barriers between their steps are not looked at.
const MOST_WITH_STEPS: usize = 16;

/// How much is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdviceSimulation {
    /// Everything.
    All,
    /// What costs little, and exchanges of many members where the mechanism can still win.
    Winners,
    /// Nothing: all cycles are estimated.
    None,
}

/// A collective by the fastest algorithm of a mechanism.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    pub(super) row: CompareRow,
    pub(super) request: CompareRequest,
    pub(super) choice: Choice,
    /// How cycles are expected; none where they were simulated.
    pub(super) expectation: Option<Expectation>,
}

/// A call with a mechanism: one collective, or two that together do it; nothing where the bound alone says that it cannot win.
#[derive(Debug, Clone)]
pub(super) struct Evaluated {
    pub(super) chosen: Vec<Chosen>,
    pub(super) bound_cycles: u64,
}

impl Evaluated {
    pub(super) fn cycles(&self) -> u64 {
        match self.chosen[..] {
            [] => self.bound_cycles,
            _ => self.chosen.iter().map(|one| one.row.cycles).sum(),
        }
    }

    pub(super) fn evidence(&self) -> AdviceEvidence {
        let mut chosen = self.chosen.iter();
        if self.chosen.is_empty() {
            AdviceEvidence::Bound
        } else if chosen.any(|one| one.expectation.is_some()) {
            AdviceEvidence::Estimated
        } else {
            AdviceEvidence::Simulated
        }
    }
}

/// What a mechanism chooses, or why it has nothing.
type Known = Result<Chosen, String>;

/// A question with what is known of it.
struct Asked {
    network: String,
    request: CompareRequest,
    allowed: Vec<Choice>,
    is_simulated: bool,
    known: Known,
}

/// Networks of one mesh, and what is known of them.
pub(super) struct Evaluator<'w> {
    mesh: (u32, u32),
    energy: EnergyTable,
    networks: Vec<(String, Network)>,
    asked: Vec<Asked>,
    tally: Tally<'w>,
    watch: Watch<'w>,
}

impl<'w> Evaluator<'w> {
    pub(super) fn new(mesh: (u32, u32), num_units: u64, watch: Watch<'w>) -> Result<Self, Error> {
        let spec = load_spec(&Mechanism::WideReduction.preset(mesh), &[])?;
        let table = spec.axi().map(|axi| axi.energy.clone());
        let energy = table.ok_or_else(|| {
            let accepted = "accepted: a network of clusters, which has a table of energies";
            Error::argument("energy", &spec.name, accepted)
        })?;
        Ok(Self {
            mesh,
            energy,
            networks: Vec::new(),
            asked: Vec::new(),
            tally: Tally::new(watch, num_units),
            watch,
        })
    }

    /// The network of a mechanism. All networks of clusters have S1's energies.
    pub(super) fn network(&mut self, mechanism: Mechanism) -> Result<&Network, Error> {
        let preset = mechanism.preset(self.mesh);
        let known = self.networks.iter().position(|(name, _)| *name == preset);
        let index = match known {
            Some(index) => index,
            None => {
                let mut spec = load_spec(&preset, &[])?;
                if let Some(axi) = spec.axi_mut() {
                    axi.energy = self.energy.clone();
                }
                self.networks.push((preset, elaborate(&spec)?));
                self.networks.len() - 1
            }
        };
        Ok(&self.networks[index].1)
    }

    /// A unit of work is done.
    pub(super) fn finish_unit(&self) -> Result<(), Error> {
        Ok(self.tally.finish_unit()?)
    }

    /// Is this exchange so large that it is simulated only where that can change the conclusion?
    pub(super) fn is_costly(&mut self, call: &WorkloadCall) -> Result<bool, Error> {
        if !call.is_exchange() {
            return Ok(false);
        }
        let network = self.network(Mechanism::Software)?;
        let group = crate::parse_group(network, &call.group)?;
        Ok(network.members(&group)?.len() > FEW_MEMBERS)
    }

    /// A call with a mechanism; or why that cannot do it.
    pub(super) fn call(
        &mut self,
        mechanism: Mechanism,
        call: &WorkloadCall,
        is_simulated: bool,
    ) -> Result<Result<Evaluated, String>, Error> {
        let own = self.by_own(mechanism, call, is_simulated)?;
        let Some(less) = mechanism.includes() else {
            return Ok(own);
        };
        let less = self.call(less, call, is_simulated)?;
        Ok(match (own, less) {
            (Ok(own), Ok(less)) if less.cycles() < own.cycles() => Ok(Evaluated {
                bound_cycles: own.bound_cycles,
                ..less
            }),
            (Err(_), Ok(less)) => Ok(less),
            (own, _) => own,
        })
    }

    /// The same by what is looked for with all its hardware: one algorithm, or two of collectives that together do it.
    fn by_own(
        &mut self,
        mechanism: Mechanism,
        call: &WorkloadCall,
        is_simulated: bool,
    ) -> Result<Result<Evaluated, String>, Error> {
        let direct = self.ask(mechanism, call, None, is_simulated)?;
        let parts = match call.called {
            Called::Collective(kind) => mechanism.composed(kind),
            Called::Halo => None,
        };
        let mut composed = Vec::new();
        for kind in parts.into_iter().flatten() {
            if let Ok(one) = self.ask(mechanism, call, Some(kind), is_simulated)? {
                composed.push(one);
            }
        }
        let is_complete = parts.is_some_and(|parts| parts.len() == composed.len());
        let sum: u64 = composed.iter().map(|one| one.row.cycles).sum();
        let mut chosen = match direct {
            Ok(direct) if !is_complete || direct.row.cycles <= sum => vec![direct],
            Ok(_) => composed,
            Err(_) if is_complete => composed,
            Err(reason) => return Ok(Err(reason)),
        };
        let bound_cycles = self.bound(mechanism, call, &chosen)?;
        if let [only] = &mut chosen[..] {
            // No estimate is below a bound that is proved.
            let least = only.expectation.map_or(only.row.cycles, |_| bound_cycles);
            only.row.cycles = only.row.cycles.max(least);
        }
        Ok(Ok(Evaluated {
            chosen,
            bound_cycles,
        }))
    }

    /// No algorithm is faster; of messages of core tiles, which other bounds do not know, their links and cores.
    fn bound(
        &mut self,
        mechanism: Mechanism,
        call: &WorkloadCall,
        chosen: &[Chosen],
    ) -> Result<u64, Error> {
        let proved = self.proved_bound(mechanism, call)?;
        let of_messages = chosen.iter().flat_map(|one| {
            let bounds = [one.row.link_bound_cycles, one.row.core_bound_cycles];
            bounds.into_iter().flatten()
        });
        Ok(match proved {
            0 => max_or_zero(of_messages),
            proved => proved,
        })
    }

    /// Cycles below which the mechanism has no algorithm for a call; 0 where no bound is known, of neighbours among core tiles.
    pub(super) fn proved_bound(
        &mut self,
        mechanism: Mechanism,
        call: &WorkloadCall,
    ) -> Result<u64, Error> {
        let network = self.network(mechanism)?;
        let request = request(network, call, None, mechanism.element(call.element))?;
        if request.lengths.is_some() {
            return Ok(0);
        }
        let collective = collective_of(network, &request, call.bytes)?;
        let known = bounds(network, &collective)?;
        Ok(match mechanism.is_software() {
            true => known.software_bound_cycles,
            false => known.lower_bound_cycles,
        })
    }

    fn ask(
        &mut self,
        mechanism: Mechanism,
        call: &WorkloadCall,
        kind: Option<CollectiveKind>,
        is_simulated: bool,
    ) -> Result<Known, Error> {
        let is_costly = self.is_costly(call)?;
        let network = self.network(mechanism)?;
        let request = request(network, call, kind, mechanism.element(call.element))?;
        let name = network.spec().label();
        let collective = match collective_of(network, &request, call.bytes) {
            Ok(collective) => collective,
            Err(error @ Error::DoesNotFit { .. }) => return Ok(Err(error.to_string())),
            Err(error) => return Err(error),
        };
        let num_members = network.members(&request.group)?.len();
        let mut allowed: Vec<Choice> = offered(network, &collective)
            .into_iter()
            .filter_map(|choice| mechanism.allowed(request.collective, choice))
            .collect();
        if num_members > MOST_WITH_STEPS {
            without_steps(request.collective, &mut allowed);
        }
        let is_same = |asked: &&Asked| {
            asked.network == name && asked.request == request && asked.allowed == allowed
        };
        // A run is better than an estimate.
        let same = self.asked.iter().filter(is_same);
        if let Some(asked) = same.max_by_key(|asked| asked.is_simulated)
            && (asked.is_simulated || !is_simulated)
        {
            return Ok(asked.known.clone());
        }
        let known = match self.choose(
            mechanism,
            &request,
            call.bytes,
            &allowed,
            (is_simulated, is_costly),
        ) {
            Ok(one) => Ok(one),
            Err(error) => {
                let network = self.network(mechanism)?;
                if !matches!(error, Error::Coll(_)) && !is_refusal(network, &error) {
                    return Err(error);
                }
                let refused = refused_by_network(network, &collective, &allowed);
                Err(refused.unwrap_or_else(|| error.to_string()))
            }
        };
        self.asked.push(Asked {
            network: name,
            request,
            allowed,
            is_simulated,
            known: known.clone(),
        });
        Ok(known)
    }

    fn choose(
        &mut self,
        mechanism: Mechanism,
        request: &CompareRequest,
        bytes: u64,
        allowed: &[Choice],
        (is_simulated, is_costly): (bool, bool),
    ) -> Result<Chosen, Error> {
        let (before, watch) = (self.tally.step(), self.watch);
        let within = |step: Step| {
            watch.report(Step {
                done: before.done,
                total: before.total,
                ..step
            })
        };
        let network = self.network(mechanism)?;
        let collective = collective_of(network, request, bytes)?;
        let has_runs = is_simulated && !is_costly;
        let choice = choice_among(network, &collective, allowed.to_vec(), has_runs)?;
        let (row, expectation) = if is_simulated {
            (
                simulated(network, request, choice, Watch::new(&within))?,
                None,
            )
        } else {
            let (row, by) = expected(network, request, bytes, choice)?;
            (row, Some(by))
        };
        Ok(Chosen {
            row,
            request: request.clone(),
            choice,
            expectation,
        })
    }
}

/// Why the network does not do a collective itself, if that is why nothing does it.
fn refused_by_network(
    network: &Network,
    collective: &Collective,
    allowed: &[Choice],
) -> Option<String> {
    let own = allowed
        .iter()
        .filter(|choice| choice.algorithm.is_in_network());
    own.filter_map(|choice| noccl_coll::schedule(network, collective, *choice).ok())
        .find_map(|schedule| check(network, &schedule).err())
        .map(|error| error.to_string())
}

/// As `auto`, which never found an algorithm with barriers between its steps the fastest of many members; mechanisms that differ in their
/// barriers then ask the same.
fn without_steps(kind: CollectiveKind, allowed: &mut Vec<Choice>) {
    let is_looked_at = matches!(kind, CollectiveKind::AllToAll | CollectiveKind::Barrier);
    let has_points = |choice: &Choice| choice.algorithm == Algorithm::PointToPoint;
    if !is_looked_at && allowed.iter().any(has_points) {
        allowed.retain(|choice| !choice.has_steps());
    }
}
