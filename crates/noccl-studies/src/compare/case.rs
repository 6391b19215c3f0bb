// SPDX-License-Identifier: Apache-2.0
//! A collective made concrete: where its buffers lie, random inputs, expected outputs.

use super::inputs::random_input;
use super::meaning::{Meaning, OutputCheck};
use super::row::CompareRequest;
use crate::Error;
use noccl_net::{Network, TileId, TileKind, TileRef, TypedNetwork, elaborate};
use noccl_run::{MAX_VALUE_BYTES, MemoryImage};
use noccl_spec::{TileKindName, parse_spec, to_toml};
use noccl_workload::{
    Asked, Collective, CollectiveKind, Holders, Place, Schedule, check_definition, check_lengths,
    interpret,
};

/// A collective with seeded inputs.
pub struct Case {
    /// What is claimed.
    pub collective: Collective,
    /// Clusters that take part.
    pub num_participants: u32,
    /// Bytes before the run.
    pub inputs: Vec<MemoryImage>,
    /// What is read after it: place and bytes.
    pub outputs: Vec<(Place, u64)>,
    meaning: Meaning,
}

impl Case {
    /// Inputs and expectations of a collective.
    pub fn new(network: &Network, collective: &Collective, seed: u64) -> Result<Self, Error> {
        tile(network, collective.root)?;
        let member_refs: Vec<TileRef> = network
            .members(&collective.group)?
            .into_iter()
            .map(TileRef::Cluster)
            .collect();
        let num_participants = member_refs.len() as u32;
        let holders = |who: Holders| match who {
            Holders::Nobody => Vec::new(),
            Holders::Root => vec![collective.root],
            Holders::Members => member_refs.clone(),
        };
        let givers = holders(collective.kind.input_holders());
        let takers = holders(collective.kind.output_holders());
        let ranks = u64::from(num_participants);
        check_host(collective, (givers.len(), takers.len()), ranks)?;
        let inputs: Vec<Vec<u8>> = (0..givers.len())
            .map(|p| {
                random_input(
                    seed,
                    p,
                    collective.input_bytes_of(p, ranks),
                    collective.element,
                )
            })
            .collect();
        let meaning = Meaning::new(collective, &inputs);
        let given = givers.into_iter().zip(inputs);
        Ok(Self {
            collective: collective.clone(),
            num_participants,
            inputs: given
                .filter(|(_, bytes)| !bytes.is_empty() || collective.definition.is_none())
                .map(|(tile, bytes)| MemoryImage {
                    tile,
                    offset: collective.input_offset,
                    bytes,
                })
                .collect(),
            outputs: outputs(network, collective, &takers, ranks),
            meaning,
        })
    }

    /// Outputs that the reference interpreter computes, in their order; it checks the schedule first.
    pub fn reference(
        &self,
        network: &Network,
        schedule: &Schedule,
    ) -> Result<Vec<Option<Vec<u8>>>, Error> {
        let inputs: Vec<(Place, &[u8])> = self
            .inputs
            .iter()
            .map(|i| (place(i.tile, i.offset), i.bytes.as_slice()))
            .collect();
        let memories = interpret(network, schedule, &inputs)?;
        let outputs = self.outputs.iter();
        Ok(outputs
            .map(|(at, bytes)| memories.read(*at, *bytes))
            .collect())
    }

    /// Checks memory after a run, one image per output: bit-exact to the reference, and what the
    /// collective means.
    pub fn verify(&self, reference: &[Option<Vec<u8>>], memory: &[MemoryImage]) -> OutputCheck {
        let mut checked = OutputCheck {
            is_right: memory.len() == self.outputs.len(),
            sum_error: None,
        };
        for (output, (image, expected)) in memory.iter().zip(reference).enumerate() {
            let one = self.meaning.verify(output, &image.bytes);
            checked.is_right &= one.is_right && expected.as_ref() == Some(&image.bytes);
            checked.sum_error = match (checked.sum_error, one.sum_error) {
                (Some(a), Some(b)) if a.largest_of_bound >= b.largest_of_bound => Some(a),
                (a, None) => a,
                (_, b) => b,
            };
        }
        checked
    }
}

/// What is read: whole outputs; of a custom collective and of blocks of different lengths what somebody asks for, since a schedule
/// may keep anything in the rest.
fn outputs(
    network: &Network,
    collective: &Collective,
    takers: &[TileRef],
    ranks: u64,
) -> Vec<(Place, u64)> {
    if collective.definition.is_none() && collective.lengths.is_none() {
        let bytes = collective.output_bytes(ranks);
        let whole = |tile: &TileRef| (place(*tile, collective.output_offset), bytes);
        return takers.iter().map(whole).collect();
    }
    let Some(asked) = Asked::new(network, collective) else {
        return Vec::new();
    };
    let of_taker = |(holder, tile): (usize, &TileRef)| -> Vec<(Place, u64)> {
        let wanted = asked.outputs(holder).into_iter();
        wanted
            .map(|part| (place(*tile, part.offset), part.bytes))
            .collect()
    };
    takers.iter().enumerate().flat_map(of_taker).collect()
}

fn place(tile: TileRef, offset: u64) -> Place {
    Place { tile, offset }
}

/// The collective that a request means at one size; input first, output behind it.
pub(crate) fn collective_of(
    network: &Network,
    request: &CompareRequest,
    bytes: u64,
) -> Result<Collective, Error> {
    let root = match request.root {
        Some(root) if !request.collective.has_root() => {
            let accepted = "accepted: no root; all_gather, reduce_scatter and all_to_all have none, nor have scan and custom collectives";
            return Err(Error::argument("--root", crate::root_name(root), accepted));
        }
        Some(root) => root,
        None => crate::default_root(network, request.collective, &request.group)?,
    };
    check_bytes(request, bytes)?;
    // Who asks for a barrier may give a payload for other collectives beside it.
    let bytes = match request.collective.has_payload() {
        true => bytes,
        false => 0,
    };
    let root_kind = network.kind(tile(network, root)?);
    // A memory tile holds the input or output of the root alone, so members can use offset 0 too; of a reduction the entry holds the output too.
    let is_apart = root_kind == TileKind::Memory && is_copied_at_root(request.collective);
    let mut collective = Collective {
        kind: request.collective,
        group: request.group.clone(),
        root,
        bytes,
        input_offset: 0,
        output_offset: 0,
        operator: request.operator,
        element: request.element,
        lengths: request.lengths.clone(),
        definition: request.definition.clone(),
    };
    if request.lengths.is_some() && network.cores().is_none() {
        let accepted = "accepted: --bytes, or core tiles, e.g. tilepro64_4x4";
        return Err(Error::argument("--lengths", &network.spec().name, accepted));
    }
    let ranks = network.members(&request.group)?.len() as u64;
    check_lengths(&collective, ranks as usize)?;
    if collective.kind == CollectiveKind::Custom && collective.definition.is_none() {
        let accepted =
            "accepted: with --definition FILE, of the form that `noccl schema definition` prints";
        return Err(Error::argument("collective", "custom", accepted));
    }
    check_definition(&collective, ranks as usize)?;
    if !is_apart {
        let before = collective.input_bytes(ranks).max(bytes);
        // Cores align nothing.
        let beat_bytes = match network.by_tiles() {
            TypedNetwork::Cores(_) => 1,
            TypedNetwork::Axi(network) => network.axi().ni.wide_beat(),
        };
        collective.output_offset = aligned(before, beat_bytes);
    }
    check_fit(network, &collective)?;
    Ok(collective)
}

/// Does the payload lie at the root in whole on one side, and go from there or come to it as it is?
fn is_copied_at_root(kind: CollectiveKind) -> bool {
    let holders = [kind.input_holders(), kind.output_holders()];
    holders.contains(&Holders::Root) && !kind.reduces()
}

/// Start of a buffer behind `bytes` others: bursts are cut at 4 KiB, so larger buffers start there, and smaller ones with a beat.
fn aligned(bytes: u64, beat_bytes: u64) -> u64 {
    let unit = bytes.checked_next_power_of_two().unwrap_or(4096);
    bytes
        .checked_next_multiple_of(unit.clamp(beat_bytes.clamp(64, 4096), 4096))
        .unwrap_or(bytes)
}

fn check_bytes(request: &CompareRequest, bytes: u64) -> Result<(), Error> {
    if !request.collective.has_payload() {
        return Ok(());
    }
    // A movement takes any bytes; only a reduction needs whole elements.
    let element_bytes = request.element.bytes();
    let accepted = if request.reduces() {
        let below = (bytes / element_bytes).max(1) * element_bytes;
        let above = below.saturating_add(element_bytes);
        let element = crate::word(&request.element);
        format!(
            "accepted: a multiple of the element, {element_bytes} bytes of {element}, e.g. {below} or {above}"
        )
    } else {
        "accepted: at least one byte".to_owned()
    };
    let is_whole = !request.reduces() || bytes.is_multiple_of(element_bytes);
    if bytes == 0 || !is_whole {
        return Err(Error::argument("--bytes", bytes, accepted));
    }
    Ok(())
}

fn check_fit(network: &Network, collective: &Collective) -> Result<(), Error> {
    let root = tile(network, collective.root)?;
    let (root_kind, bytes) = (network.kind(root), collective.bytes);
    let ranks = network.members(&collective.group)?.len() as u64;
    let output_bytes = collective.output_bytes(ranks);
    let both = collective.output_offset.saturating_add(output_bytes);
    let is_apart = root_kind == TileKind::Memory && is_copied_at_root(collective.kind);
    let root_gives = collective.kind.input_holders() == Holders::Root;
    let needed = |is_root: bool| {
        if !collective.kind.has_payload() {
            0
        } else if is_apart && is_root == root_gives {
            // A memory tile that gives has the input only, and so have members of a gather into one.
            collective.input_bytes(ranks)
        } else {
            both
        }
    };
    let any_member = network
        .members(&collective.group)?
        .into_iter()
        .next()
        .map(TileRef::Cluster);
    let places = [Some(collective.root), any_member];
    for (index, place) in places.into_iter().enumerate() {
        let Some(place) = place else { continue };
        let id = tile(network, place)?;
        let (needed_bytes, available_bytes) = (needed(index == 0), network.memory_bytes(id));
        if needed_bytes > available_bytes {
            return Err(Error::DoesNotFit {
                bytes,
                tile: place.to_string(),
                needed_bytes,
                available_bytes,
                field: network.memory_field(id),
                larger: larger_memory(network, id, needed_bytes),
            });
        }
    }
    Ok(())
}

/// Options that give the tiles of a kind so much memory, and the addresses for it; none if there is no such network.
pub(super) fn larger_memory(network: &Network, tile: TileId, needed_bytes: u64) -> Vec<String> {
    let Some(bytes) = needed_bytes.checked_next_power_of_two() else {
        return Vec::new();
    };
    let kind = match network.kind(tile) {
        TileKind::Cluster => TileKindName::Cluster,
        TileKind::Memory => TileKindName::Memory,
    };
    let spec = network.spec();
    let mut fields = vec![network.memory_field(tile).to_owned()];
    // Tiles that are cores have no addresses.
    if spec.axi().is_some() {
        let regions = spec.mesh.regions.iter().enumerate();
        let short = regions.filter(|(_, r)| r.kind == kind && r.stride_bytes < bytes);
        fields.extend(short.map(|(idx, _)| format!("mesh.regions.{idx}.stride_bytes")));
    }
    let changes: Vec<_> = (fields.into_iter())
        .map(|field| (field, bytes.to_string()))
        .collect();
    let changed = parse_spec(&spec.name, &to_toml(spec), &changes);
    if changed.is_ok_and(|spec| elaborate(&spec).is_ok()) {
        let options = changes
            .iter()
            .map(|(key, value)| format!("-P {key}={value}"));
        options.collect()
    } else {
        Vec::new()
    }
}

/// Can the host hold all inputs and outputs? To be asked before anything is allocated.
fn check_host(
    collective: &Collective,
    (givers, takers): (usize, usize),
    ranks: u64,
) -> Result<(), Error> {
    let inputs = collective.input_bytes(ranks).saturating_mul(givers as u64);
    let outputs = collective.output_bytes(ranks).saturating_mul(takers as u64);
    let needed = inputs.saturating_add(outputs);
    if needed <= MAX_VALUE_BYTES {
        return Ok(());
    }
    let accepted = format!(
        "inputs and outputs of all participants have {needed} bytes; accepted where bytes move: at most \
         {MAX_VALUE_BYTES} together; `run --mode timing` and `compare --backend model` have no limit"
    );
    Err(Error::argument("--bytes", collective.bytes, accepted))
}

fn tile(network: &Network, tile: TileRef) -> Result<TileId, Error> {
    network.find(tile).ok_or_else(|| {
        Error::argument(
            "tile",
            tile,
            format!(
                "no such tile; this network has {}x{} clusters and {} memory tiles",
                network.cluster_width(),
                network.cluster_height(),
                network.memories().count()
            ),
        )
    })
}
