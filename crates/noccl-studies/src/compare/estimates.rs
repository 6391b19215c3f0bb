// SPDX-License-Identifier: Apache-2.0
//! What `auto` expects of a choice before anything runs.

use super::row::Backend;
use super::search::Family;
use super::{
    CompareRequest, CompareRow, Comparison, LinkFlits, Outcome, collect_rows, extent, pending,
    row_of,
};
use crate::{Error, Verified};
use noccl_coll::{Algorithm, Choice, GroupTraffic};
use noccl_model::{
    Calibration, Constants, Prediction, Shape, all_reduce_once_cycles, estimate_cycles,
    predict_with,
};
use noccl_net::{AxiNetwork, Network, TileRef};
use noccl_run::LinkLoad;
use noccl_workload::{ActionKind, Collective, Destination, Schedule};
use rayon::prelude::*;

/// Preset that the calibrated constants hold for.
const FITTED_PRESET: &str = "collective_noc_4x4";
/// Shares of actions of a schedule that is still made to be looked at.
const MOST_SHARES: u64 = 400_000;

/// A choice with what is expected of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Estimated {
    pub(crate) choice: Choice,
    pub(crate) cycles: f64,
    /// Beats over links, about: what a run of it costs.
    pub(crate) flit_hops: f64,
    /// Actions and members of barriers, which cost a run too; 0 without a schedule.
    pub(crate) events: f64,
    /// The same of schedules that do the same, as forms do with short payloads; 0 without a schedule.
    pub(crate) fingerprint: u64,
    /// May it be far off? What many messages of the network do at once, and networks that the estimate of shared links does not know.
    pub(crate) is_rough: bool,
}

/// Estimates of one collective.
pub(crate) struct Estimator<'a> {
    network: AxiNetwork<'a>,
    collective: &'a Collective,
    constants: Constants,
    shape: Option<Shape>,
    members: u64,
}

impl<'a> Estimator<'a> {
    pub(crate) fn new(network: AxiNetwork<'a>, collective: &'a Collective) -> Result<Self, Error> {
        let members = network.members(&collective.group)?.len() as u64;
        let has_shapes = network.routers().joins_several && network.routers().is_deadlock_free;
        Ok(Self {
            network,
            collective,
            constants: ranking_constants(&network)?,
            shape: has_shapes
                .then(|| Shape::new(network, collective))
                .and_then(Result::ok),
            members,
        })
    }

    /// Members of the group.
    pub(crate) const fn members(&self) -> u64 {
        self.members
    }

    /// What is expected of a choice; none if it cannot do this, or has too many messages to be looked at.
    pub(crate) fn of(&self, choice: Choice) -> Result<Option<Estimated>, Error> {
        let rough = |cycles: f64, flit_hops: f64, fingerprint: u64| Estimated {
            choice,
            cycles,
            flit_hops,
            events: 0.0,
            fingerprint,
            is_rough: true,
        };
        if !self.may_overlap(choice) {
            return Ok(None);
        }
        if !self.is_small(choice) {
            let cycles = self.by_shape(choice.algorithm);
            return Ok(cycles.map(|cycles| rough(cycles, f64::INFINITY, 0)));
        }
        let Ok(schedule) = noccl_coll::schedule(&self.network, self.collective, choice) else {
            return Ok(None);
        };
        let (hops, print) = (flit_hops(&self.network, &schedule), schedule.fingerprint());
        if !choice.algorithm.is_in_network()
            && let Ok(estimate) = estimate_cycles(&self.network, &schedule)
        {
            return Ok(Some(Estimated {
                is_rough: false,
                events: events(&schedule, self.members),
                ..rough(estimate.cycles, hops, print)
            }));
        }
        let by_laws = || {
            let prediction = predict_with(&self.network, &schedule, &self.constants);
            prediction.ok().map(|prediction| prediction.cycles)
        };
        let cycles = self.in_network(choice, &schedule).or_else(by_laws);
        Ok(cycles.map(|cycles| rough(cycles, hops, print)))
    }

    /// Several multicasts or reductions at once can wait for each other on routers that join what stands at the heads of FIFOs.
    fn may_overlap(&self, choice: Choice) -> bool {
        let routers = self.network.routers();
        let overlaps = self.collective.kind.has_blocks() && choice.algorithm.is_in_network();
        routers.is_deadlock_free || !overlaps
    }

    /// Cycles of what the network does, where something better is known than of its schedule's actions one by one.
    fn in_network(&self, choice: Choice, schedule: &Schedule) -> Option<f64> {
        if !choice.algorithm.is_in_network() {
            return None;
        }
        if self.collective.kind.has_blocks() {
            return self.by_shape(choice.algorithm);
        }
        let reductions = schedule
            .actions
            .iter()
            .filter_map(|a| a.kind.network_fold());
        let mut shared = reductions.filter(|fold| fold.is_shared);
        let cycles = shared.find_map(|fold| all_reduce_once_cycles(self.network, fold.reduction));
        cycles.map(|cycles| cycles as f64)
    }

    /// Cycles from the shape of the group alone: what many multicasts or reductions at once take, and exchanges of many messages.
    fn by_shape(&self, algorithm: Algorithm) -> Option<f64> {
        let shape = self.shape.as_ref()?;
        let cycles = match algorithm.group_traffic(self.collective.kind)? {
            GroupTraffic::Multicasts => shape.all_gather_in_network_cycles(),
            GroupTraffic::MulticastsByLines => shape.all_gather_lines_cycles(),
            GroupTraffic::Reductions => shape.reduce_scatter_in_network_cycles(),
            GroupTraffic::ReductionsByLines => shape.reduce_scatter_lines_cycles(),
            GroupTraffic::Writes => shape.pairwise_cycles(),
            GroupTraffic::WritesByLines => shape.row_column_cycles(),
            GroupTraffic::WritesInSlots => shape.slotted_cycles(),
        };
        Some(cycles)
    }

    /// Has a choice few enough shares for its schedule to be made?
    fn is_small(&self, choice: Choice) -> bool {
        let steps = choice.num_steps(self.collective.kind, self.members);
        steps.saturating_mul(self.members) <= MOST_SHARES
    }
}

/// Actions, and members of barriers, each of which is taken to be one of the whole group.
fn events(schedule: &Schedule, members: u64) -> f64 {
    let barriers = schedule.actions.iter();
    let barriers = barriers.filter(|action| action.kind.barrier().is_some());
    (schedule.actions.len() as u64 + barriers.count() as u64 * members) as f64
}

/// Beats over links between routers and at both ends; of multicasts and reductions about one link per member.
fn flit_hops(network: &Network, schedule: &Schedule) -> f64 {
    let beat_bytes = network.beat_bytes().max(1);
    let hops = |from: TileRef, to: TileRef| {
        let (Some(from), Some(to)) = (network.find(from), network.find(to)) else {
            // What cannot be carried is never the cheapest.
            return f64::INFINITY;
        };
        f64::from(network.coord(from).hops_to(network.coord(to)) + 2)
    };
    let of = |kind: &ActionKind| {
        if let Some(fold) = kind.network_fold() {
            let beats = fold.reduction.bytes.div_ceil(beat_bytes) as f64;
            return beats * f64::from(fold.reduction.group.len()) * 2.0;
        }
        let Some(transfer) = kind.transfer() else {
            return 0.0;
        };
        let beats = transfer.bytes.div_ceil(beat_bytes) as f64 * f64::from(transfer.rows);
        beats
            * match transfer.destination {
                Destination::One(place) => hops(transfer.source.tile, place.tile),
                Destination::Multicast { set, .. } => 2.0 * f64::from(set.len()),
            }
    };
    schedule.actions.iter().map(|action| of(&action.kind)).sum()
}

// The same comparison by the analytic model: no run, no bytes; schedules are proved by the checker.

/// As [`crate::compare()`], by the model with the constants of a calibration.
///
/// Energy counts the same events as a run; link loads are those of the wide plane.
///
/// # Errors
/// [`Error::Model`] if the constants do not hold for this network; otherwise as [`crate::compare()`].
///
/// ```
/// use noccl_model::Calibration;
/// use noccl_studies::CompareRequest;
/// use noccl_workload::CollectiveKind;
/// let network = noccl_studies::load("collective_noc_8x8", &[])?.network;
/// let group = noccl_studies::parse_group(&network, "row")?;
/// let request = CompareRequest::new(CollectiveKind::Multicast, group, vec![4096]);
/// let rows = noccl_studies::compare_by_model(&network, &request, &Calibration::shipped()?)?.rows;
/// assert!(rows.iter().all(|row| row.cycles >= row.lower_bound_cycles));
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn compare_by_model(
    network: &Network,
    request: &CompareRequest,
    calibration: &Calibration,
) -> Result<Comparison, Error> {
    if request.is_lock_step || request.noise.is_some() {
        let option = if request.is_lock_step {
            "--lock-step"
        } else {
            "--noise"
        };
        let accepted = "accepted: the backend sim; the model has neither";
        return Err(Error::argument(option, "with the model", accepted));
    }
    // Of core tiles every cost stands in the spec.
    let constants = &match network.cores() {
        Some(_) => Constants::default(),
        None => calibration.constants_for(network.spec())?,
    };
    let outcomes = pending(network, request, false)?
        .par_iter()
        .map(|(collective, family)| {
            let row = row(network, collective, family, request, constants);
            (family.name(), row)
        })
        .collect();
    collect_rows(network, request, outcomes)
}

fn row(
    network: &Network,
    collective: &Collective,
    family: &Family,
    request: &CompareRequest,
    constants: &Constants,
) -> Result<CompareRow, Error> {
    let (choice, schedule, prediction) = best(network, collective, family, constants)?;
    noccl_workload::check(network, &schedule)?;
    let loads: Vec<LinkLoad> = prediction
        .link_flits
        .iter()
        .map(|(link, beats)| LinkLoad {
            link: *link,
            flits: *beats,
        })
        .collect();
    let links: Vec<LinkFlits> = if request.has_links {
        crate::runs::link_flits(network, &loads)
    } else {
        Vec::new()
    };
    let outcome = Outcome {
        backend: Backend::Model,
        cycles: prediction.cycles.round() as u64,
        counters: prediction.counters,
        busiest_link: crate::runs::busiest(network, &loads),
        verified: Verified::NotChecked,
        sum_error: None,
        links,
        noise: None,
        blocked_link_cycles: None,
    };
    let num_participants = network.members(&collective.group)?.len() as u32;
    row_of(
        network,
        collective,
        num_participants,
        choice,
        &schedule,
        outcome,
    )
}

/// Fitted constants. On networks whose numbers are others they still rank what the network does.
fn ranking_constants(network: &Network) -> Result<Constants, Error> {
    let calibration = Calibration::shipped()?;
    Ok(match calibration.constants_for(network.spec()) {
        Ok(constants) => constants,
        Err(_) => calibration.constants_for(&crate::load_spec(FITTED_PRESET, &[])?)?,
    })
}

/// The row of a choice that is not run: cycles of its estimate, energy and link loads of the model. Its schedule is proved.
pub(super) fn estimated_row(
    network: &Network,
    collective: &Collective,
    family: &Family,
    estimated: &Estimated,
    request: &CompareRequest,
) -> Result<CompareRow, Error> {
    let constants = &ranking_constants(network)?;
    let one = family.clone().with(vec![estimated.choice]);
    let mut row = row(network, collective, &one, request, constants)?;
    row.set_cycles(estimated.cycles.round() as u64);
    row.estimate = Some(extent::range_of(estimated.cycles));
    Ok(row)
}

/// The fastest choice of a family; the earliest of them if several are as fast.
fn best(
    network: &Network,
    collective: &Collective,
    family: &Family,
    constants: &Constants,
) -> Result<(Choice, Schedule, Prediction), Error> {
    let predicted = |choice: Choice| {
        let schedule = family.schedule(network, collective, choice)?;
        let prediction = predict_with(network, &schedule, constants)?;
        Ok::<_, Error>((choice, schedule, prediction))
    };
    let mut best = predicted(family.candidates[0])?;
    for choice in &family.candidates[1..] {
        let next = predicted(*choice)?;
        if next.2.cycles < best.2.cycles {
            best = next;
        }
    }
    Ok(best)
}
