// SPDX-License-Identifier: Apache-2.0
//! The search: the library's schedules and constructed ones, then changes to the best, as long as there is time.

use crate::SynthError;
use crate::emit::{emit, side_by_side};
use crate::encoding::{Encoding, constructed, mutate};
use crate::file_order::{by_starts, can_change};
use crate::library::library_choices;
use crate::outcome::{Candidate, Evaluator, Found, Rating, Settings};
use crate::packing::by_packing;
use crate::plan::Costs;
use crate::plan::by_matching;
use crate::problem::Problem;
use noccl_coll::Choice;
use noccl_run::Rng;
use noccl_workload::{Action, SCHEDULE_FORMAT, Schedule};
use std::collections::{BTreeMap, HashSet, VecDeque};

/// Schedules that are rated together, and how many where each takes long.
const BATCH: usize = 8;
const LARGE_BATCH: usize = 2;
/// Clusters of the smallest group of which a schedule takes long.
const LARGE: usize = 257;
/// Schedules that changes start from.
const ELITE: usize = 6;
/// Changes in a row that may fail to make anything new.
const MAX_FRUITLESS: u32 = 60;

/// A schedule to be rated.
struct Entry {
    encoding: Encoding,
    name: String,
    schedule: Schedule,
    /// Of which collective alone, if it is not all of them.
    part: Option<usize>,
}

struct Search<'a, 'p> {
    problem: &'a Problem<'p>,
    settings: Settings,
    costs: Costs,
    rng: Rng,
    library: VecDeque<(usize, Choice)>,
    constructed: VecDeque<Encoding>,
    /// Per collective the best of the library, alone.
    parts: Vec<Option<Candidate>>,
    found: Found,
    seen: HashSet<u64>,
    /// The refusal of the plan that needs least memory.
    refusal: Option<SynthError>,
    offers_library: bool,
    has_merged: bool,
}

/// Searches until the evaluator's time is over, the tries are used up, or nothing new is found.
///
/// # Errors
/// [`SynthError`] if there is no schedule at all.
pub fn search(
    problem: &Problem<'_>,
    settings: Settings,
    evaluator: &mut dyn Evaluator,
) -> Result<Found, SynthError> {
    let mut search = Search::new(problem, settings);
    loop {
        let batch = search.next_batch(evaluator);
        if batch.is_empty() {
            break;
        }
        let (entries, schedules): (Vec<_>, Vec<_>) = batch
            .into_iter()
            .map(|e| ((e.encoding, e.name, e.part), e.schedule))
            .unzip();
        let ratings = evaluator.rate(&schedules);
        for (((encoding, name, part), schedule), rating) in
            entries.into_iter().zip(schedules).zip(ratings)
        {
            search.found.num_tried += 1;
            if let Some(rating) = rating {
                let is_library = matches!(encoding, Encoding::Library(_));
                let candidate = Candidate {
                    name,
                    schedule,
                    rating,
                    is_library,
                    encoding,
                };
                search.take(candidate, part);
            }
        }
        let is_used_up = |tries| search.found.num_tried >= tries;
        if evaluator.is_over() || settings.tries.is_some_and(is_used_up) {
            break;
        }
    }
    if let Some(entry) = search.merged() {
        let rating = evaluator.rate(std::slice::from_ref(&entry.schedule)).pop();
        if let Some(rating) = rating.flatten() {
            search.take_merged(entry, rating);
        }
    }
    search.finish()
}

impl<'a, 'p> Search<'a, 'p> {
    fn new(problem: &'a Problem<'p>, settings: Settings) -> Self {
        let choices = library_choices(problem, settings.is_software);
        let library = choices.into_iter().enumerate();
        let costs = Costs::new(problem.network);
        Self {
            problem,
            settings,
            rng: Rng::new(settings.seed, "synth"),
            library: library
                .flat_map(|(part, choices)| choices.into_iter().map(move |c| (part, c)))
                .collect(),
            constructed: constructed(problem, &costs, settings.seed).into(),
            costs,
            parts: vec![None; problem.parts.len()],
            found: Found::default(),
            seen: HashSet::new(),
            refusal: None,
            // Large meshes begin with what is made for them.
            offers_library: problem.nodes.len() < LARGE,
            has_merged: false,
        }
    }

    fn batch_size(&self) -> usize {
        let usual = if self.problem.nodes.len() < LARGE {
            BATCH
        } else {
            LARGE_BATCH
        };
        let left = self
            .settings
            .tries
            .map(|t| t.saturating_sub(self.found.num_tried));
        left.map_or(usual, |left| usual.min(left as usize))
    }

    /// Schedules that have not been rated yet.
    fn next_batch(&mut self, evaluator: &dyn Evaluator) -> Vec<Entry> {
        let mut batch = Vec::new();
        let mut fruitless = 0;
        while batch.len() < self.batch_size() && fruitless < MAX_FRUITLESS && !evaluator.is_over() {
            match self.next_entry() {
                Some(entry) if self.seen.insert(entry.schedule.fingerprint()) => batch.push(entry),
                Some(_) | None => fruitless += 1,
            }
        }
        self.offers_library = !self.offers_library;
        batch
    }

    fn next_entry(&mut self) -> Option<Entry> {
        let is_library =
            !self.library.is_empty() && (self.offers_library || self.constructed.is_empty());
        if is_library {
            let (part, choice) = self.library.pop_front()?;
            return self.of_library(part, choice);
        }
        if let Some(encoding) = self.constructed.pop_front() {
            return self.made(encoding);
        }
        if let Some(entry) = self.merged() {
            return Some(entry);
        }
        self.changed()
    }

    fn of_library(&self, part: usize, choice: Choice) -> Option<Entry> {
        let collective = &self.problem.parts[part].collective;
        let schedule = noccl_coll::schedule(&self.problem.network, collective, choice).ok()?;
        let faults = &self.problem.faults;
        if faults.met_by(&self.problem.network, &schedule).is_some() {
            return None;
        }
        Some(Entry {
            encoding: Encoding::Library(choice),
            name: choice.to_string(),
            schedule,
            part: (self.problem.parts.len() > 1).then_some(part),
        })
    }

    /// The library's best schedules of all collectives in one file, once.
    fn merged(&mut self) -> Option<Entry> {
        if self.has_merged || self.problem.parts.len() < 2 {
            return None;
        }
        let best: Option<Vec<&Candidate>> = self.parts.iter().map(Option::as_ref).collect();
        let best = best?;
        let lists = best.iter().map(|c| c.schedule.actions.clone()).collect();
        let names: Vec<&str> = best.iter().map(|c| c.name.as_str()).collect();
        let name = names.join(" | ");
        let encoding = best.first()?.encoding;
        let entry = Entry {
            encoding,
            schedule: self.schedule(&name, side_by_side(lists), BTreeMap::new()),
            name,
            part: None,
        };
        self.has_merged = true;
        Some(entry)
    }

    /// A schedule by a method of this crate.
    fn made(&mut self, encoding: Encoding) -> Option<Entry> {
        let plan = match encoding {
            Encoding::Matched(how) => by_matching(self.problem, &self.costs, &how),
            Encoding::Packed(how) => by_packing(self.problem, &self.costs, &how),
            Encoding::Library(_) => None,
        }?;
        let lists = match emit(self.problem, &plan) {
            Ok(lists) => lists,
            Err(error) => {
                self.refuse(error);
                return None;
            }
        };
        let mut entry = self.entry(encoding, side_by_side(lists));
        if plan.cycles > 0 {
            let parameters = &mut entry.schedule.parameters;
            parameters.insert("planned_cycles".to_owned(), plan.cycles.to_string());
        }
        Some(entry)
    }

    fn entry(&self, encoding: Encoding, actions: Vec<Action>) -> Entry {
        let (name, parameters) = encoding.description();
        Entry {
            encoding,
            schedule: self.schedule("synthesized", actions, parameters),
            name,
            part: None,
        }
    }

    fn schedule(
        &self,
        algorithm: &str,
        actions: Vec<Action>,
        parameters: BTreeMap<String, String>,
    ) -> Schedule {
        let claim = match self.problem.parts.as_slice() {
            [only] => Some(only.collective.clone()),
            _ => None,
        };
        Schedule {
            format: SCHEDULE_FORMAT,
            algorithm: algorithm.to_owned(),
            parameters,
            collective: claim,
            first: None,
            claims_rounds: false,
            actions,
        }
    }

    /// One of the best with a change: other parameters, or another order of the same actions.
    fn changed(&mut self) -> Option<Entry> {
        let count = self.found.best.len() as u64;
        if count == 0 {
            return None;
        }
        // The better, the more often.
        let rank = self.rng.below(count).min(self.rng.below(count)) as usize;
        let encoding = self.found.best[rank].encoding;
        let is_reordered = matches!(encoding, Encoding::Library(_)) || self.rng.one_in(2);
        if !is_reordered {
            let encoding = mutate(encoding, &mut self.rng);
            return self.made(encoding);
        }
        let base = &self.found.best[rank];
        let is_possible = can_change(&base.schedule.actions)
            && base.rating.starts.len() == base.schedule.actions.len();
        if !is_possible {
            return None;
        }
        let shift = [0, 10, 40, 160][self.rng.below(4) as usize];
        let share = [1, 4, 20][self.rng.below(3) as usize];
        let starts = &base.rating.starts;
        let actions = by_starts(&base.schedule.actions, starts, shift, share, &mut self.rng);
        let mut entry = self.entry(encoding, actions);
        if !entry.name.ends_with("reordered") {
            entry.name += ", reordered";
        }
        let parameters = &mut entry.schedule.parameters;
        parameters.insert("order".to_owned(), "searched".to_owned());
        Some(entry)
    }

    fn take(&mut self, candidate: Candidate, part: Option<usize>) {
        if let Some(part) = part {
            let objective = self.settings.objective;
            let known = &mut self.parts[part];
            if known
                .as_ref()
                .is_none_or(|known| candidate.rating.key(objective) < known.rating.key(objective))
            {
                *known = Some(candidate);
            }
            return;
        }
        self.keep(candidate);
    }

    fn take_merged(&mut self, entry: Entry, rating: Rating) {
        self.keep(Candidate {
            name: entry.name,
            schedule: entry.schedule,
            rating,
            is_library: true,
            encoding: entry.encoding,
        });
    }

    fn keep(&mut self, candidate: Candidate) {
        let objective = self.settings.objective;
        let key = candidate.rating.key(objective);
        let is_plain = candidate.is_library && candidate.schedule.algorithm != "synthesized";
        let library = &mut self.found.library;
        if is_plain
            && library
                .as_ref()
                .is_none_or(|known| key < known.rating.key(objective))
        {
            *library = Some(candidate.clone());
        }
        let best = &mut self.found.best;
        // One of each origin, or all would soon be orders of one schedule.
        let same = best
            .iter()
            .position(|known| known.encoding == candidate.encoding);
        match same {
            Some(known) if best[known].rating.key(objective) <= key => return,
            Some(known) => {
                best.remove(known);
            }
            None => {}
        }
        let place = best.partition_point(|known| known.rating.key(objective) <= key);
        best.insert(place, candidate);
        best.truncate(ELITE);
    }

    fn refuse(&mut self, error: SynthError) {
        let needed = |error: &SynthError| match error {
            SynthError::DoesNotFit { needed_bytes, .. } => *needed_bytes,
            SynthError::Field { .. } | SynthError::Group(_) => u64::MAX,
        };
        if self
            .refusal
            .as_ref()
            .is_none_or(|known| needed(&error) < needed(known))
        {
            self.refusal = Some(error);
        }
    }

    fn finish(mut self) -> Result<Found, SynthError> {
        if self.found.best.is_empty() {
            return Err(self.refusal.unwrap_or_else(|| {
                SynthError::field(
                    "collective",
                    "no schedule has been found",
                    "a smaller payload or group, or more time",
                )
            }));
        }
        self.found.num_untried = self.library.len() as u64;
        Ok(self.found)
    }
}
