// SPDX-License-Identifier: Apache-2.0
//! What a library of the hardware of a network is made from, so that it follows the simulator.
//!
//! A library is the hardware between two boundaries that a run can be compared at, Verilated to C++ and compiled: the code of
//! one tile, which the library's host joins to a mesh. This part says which files and which arguments that takes; who calls the
//! tools and keeps the outcome is somebody else.

use crate::endpoints::{NARROW_IDS, Places, READ_IDS};
use crate::lockstep::element_number;
use crate::verilated::{LIBRARY_FILE, MAX_TILES};
use noccl_rtl::{
    ExportFile, Package, RtlConfig, RtlError, SmartRtlConfig, SourceFile, closure, in_order,
};
use noccl_workload::{
    Difference, ElementType, Fault, Need, PortKind, PortTransaction, Schedule, Trace,
};

/// Arguments of Verilator that every library shares.
const ARGUMENTS: &str = "cosim/verilator.f";
/// Those of the code of one tile.
const TILE_ARGUMENTS: &str = "cosim/tiles.f";
const WAIVERS: &str = "lint/waivers.vlt";
const SPEED: &str = "cosim/speed.vlt";
const SMART_TOP: &str = "noccl_smart_cosim";
/// Bits of a transaction's or packet's name: as many as the simulator's numbers need, so that none is used twice at a time.
const TAG_BITS: u32 = 16;
/// Write channels of a network interface whose manager is not the DMA engine: traces may have that many writes in flight.
const TRACE_CHANNELS: u32 = 16;

/// Where hardware and simulator meet: what is hardware lies between these ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// Local ports of the routers: planes, merge tables, wide reductions, compute slices.
    Router,
    /// AXI ports of the network interfaces: the same, and those.
    Axi,
    /// Registers and L1 ports of the DMA engines: the same, and those.
    Dma,
}

impl Boundary {
    /// All of them.
    pub const ALL: [Boundary; 3] = [Boundary::Router, Boundary::Axi, Boundary::Dma];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Boundary::Router => "router",
            Boundary::Axi => "axi",
            Boundary::Dma => "dma",
        }
    }

    const fn top(self) -> &'static str {
        match self {
            Boundary::Router => "noccl_tile_cosim",
            Boundary::Axi | Boundary::Dma => "noccl_ni_tile_cosim",
        }
    }
}

/// What wide reductions of a workload need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arithmetic {
    /// Elements that they reduce, as their numbers in the hardware, one bit each.
    elements: u32,
    /// Are there any? Each may wait for buffer space while a network interface sends from others.
    has_reductions: bool,
}

impl Default for Arithmetic {
    /// The smallest slice, which serves most workloads: FP64, the default, and INT64, that of traces.
    fn default() -> Self {
        let mut least = Self {
            elements: 0,
            has_reductions: false,
        };
        least.add(ElementType::Fp64);
        least.add(ElementType::Int64);
        least
    }
}

impl Arithmetic {
    /// What a schedule needs.
    ///
    /// # Errors
    /// [`RtlError::Refused`] with the action that has no hardware.
    pub fn of_schedule(schedule: &Schedule) -> Result<Self, RtlError> {
        let mut needed = Self::default();
        for (index, action) in schedule.actions.iter().enumerate() {
            match action.kind.needs() {
                Need::SharedResults => {
                    let accepted = "an in_network_reduction and a multicast of its result";
                    return Err(refused(index, action.kind.name(), accepted));
                }
                Need::ListMulticast => {
                    let accepted = "multicasts to a multi-address; routers that multicast by a list of destinations \
                                    (router.flow = \"esp\") are the simulator's only";
                    return Err(refused(index, action.kind.name(), accepted));
                }
                Need::Words => {
                    let accepted =
                        "a transfer or delivery; cores that send words are the simulator's only";
                    return Err(refused(index, action.kind.name(), accepted));
                }
                Need::Nothing | Need::Core | Need::Chains => {}
            }
            if let Some(fold) = action.kind.network_fold() {
                needed.add(fold.reduction.element);
                needed.has_reductions = true;
            }
        }
        Ok(needed)
    }

    /// What a trace needs.
    #[must_use]
    pub fn of_trace(trace: &Trace) -> Self {
        let mut needed = Self::default();
        let is_reduction = |t: &PortTransaction| matches!(t.kind, PortKind::WideReduction { .. });
        needed.has_reductions = trace.transactions.iter().any(is_reduction);
        for fault in &trace.faults {
            if let Fault::Disagree {
                difference: Difference::Element(element),
                ..
            } = fault
            {
                needed.add(*element);
            }
        }
        needed
    }

    fn add(&mut self, element: ElementType) {
        self.elements |= 1 << element_number(element);
    }
}

/// An action that no hardware does, at whatever boundary.
fn refused(index: usize, found: &str, accepted: &str) -> RtlError {
    RtlError::Refused {
        field: format!("actions[{index}]"),
        found: found.to_owned(),
        accepted: format!("accepted: {accepted}"),
    }
}

/// What a library is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildInputs {
    /// Files to be written into an empty folder.
    pub files: Vec<ExportFile>,
    /// Arguments of Verilator in that folder, but for where it writes and with how many processes.
    pub arguments: Vec<String>,
}

impl BuildInputs {
    /// The library of a network for workloads that need no more than this arithmetic. `sources` stand at `folder`: those of
    /// [`noccl_rtl::hardware_sources`], or a folder `rtl`.
    ///
    /// # Errors
    /// [`RtlError::Refused`] if the mesh has too many tiles, [`RtlError::Sources`] if a source is missing.
    pub fn new(
        config: &RtlConfig,
        boundary: Boundary,
        arithmetic: Arithmetic,
        folder: &str,
        sources: &[SourceFile],
    ) -> Result<Self, RtlError> {
        let tiles = config.mesh_width * config.mesh_height;
        if tiles > MAX_TILES {
            return Err(RtlError::Refused {
                field: "mesh".to_owned(),
                found: format!("{} x {}", config.mesh_width, config.mesh_height),
                accepted: format!("accepted: at most {MAX_TILES} tiles in lock-step"),
            });
        }
        let mut numbers = numbers(config, boundary);
        match boundary {
            Boundary::Dma => numbers.wide_channels = engine_channels(config),
            Boundary::Axi if arithmetic.has_reductions => {
                numbers.wide_channels = numbers.wide_channels.max(TRACE_CHANNELS);
            }
            Boundary::Router | Boundary::Axi => {}
        }
        let mut arguments = ["-f", TILE_ARGUMENTS, "--assert"]
            .map(str::to_owned)
            .to_vec();
        arguments.push(format!("-GElements={}", arithmetic.elements));
        if boundary == Boundary::Dma {
            arguments.push("-GHasDma=1".to_owned());
        }
        Self::of_top(boundary.top(), &numbers, arguments, (folder, sources))
    }

    /// The library of a network of routers with bypass, at their Local ports.
    ///
    /// # Errors
    /// [`RtlError::Sources`] if a source is missing.
    pub fn of_smart(
        config: &SmartRtlConfig,
        folder: &str,
        sources: &[SourceFile],
    ) -> Result<Self, RtlError> {
        let numbers = SmartRtlConfig {
            tag_bits: TAG_BITS,
            ..config.clone()
        };
        let arguments = vec!["--assert".to_owned()];
        Self::of_top(SMART_TOP, &numbers, arguments, (folder, sources))
    }

    /// The library of a module of `cosim` with these numbers and further arguments.
    ///
    /// # Errors
    /// [`RtlError::Sources`] if a source is missing.
    pub fn of_top(
        top: &str,
        numbers: &impl Package,
        further_arguments: Vec<String>,
        (folder, sources): (&str, &[SourceFile]),
    ) -> Result<Self, RtlError> {
        let package = numbers.package();
        let all: Vec<SourceFile> = sources.iter().cloned().chain([package]).collect();
        let missing = |missing: &str| RtlError::Sources {
            folder: folder.to_owned(),
            missing: missing.to_owned(),
        };
        let modules = closure(&all, top).ok_or_else(|| missing(&format!("cosim/{top}.sv")))?;
        let code = format!("cosim/{top}.cpp");
        let mut arguments: Vec<String> = ["-f", ARGUMENTS, "--top-module", top, "-o", LIBRARY_FILE]
            .map(str::to_owned)
            .to_vec();
        arguments.extend(further_arguments);
        arguments.extend(["-Iinclude", SPEED, WAIVERS].map(str::to_owned));
        arguments.extend(in_order(&modules)?.iter().map(|m| m.path.clone()));
        arguments.push(code.clone());
        let mut files: Vec<ExportFile> = modules.iter().map(file).collect();
        for path in [ARGUMENTS, TILE_ARGUMENTS, SPEED, WAIVERS, &code] {
            let found = all.iter().find(|s| s.path == path);
            files.push(file(found.ok_or_else(|| missing(path))?));
        }
        let is_header = |s: &&SourceFile| s.path.ends_with(".svh") || s.path.ends_with(".h");
        files.extend(all.iter().filter(is_header).map(file));
        Ok(Self { files, arguments })
    }
}

fn file(source: &SourceFile) -> ExportFile {
    ExportFile {
        path: source.path.clone(),
        text: source.text.clone(),
    }
}

/// The network's numbers, as far as a comparison at this boundary does not need others.
#[must_use]
pub fn numbers(config: &RtlConfig, boundary: Boundary) -> RtlConfig {
    let mut config = RtlConfig {
        tag_bits: TAG_BITS,
        ..config.clone()
    };
    match boundary {
        Boundary::Router => {}
        Boundary::Axi | Boundary::Dma => {
            with_large_memories(&mut config);
            // An id of a channel for each burst that may be open.
            let last = config.max_wide_outstanding.max(2) - 1;
            config.wide_id_bits = u32::BITS - last.leading_zeros();
            // The model's names; the interface counts how many of them are open.
            config.read_id_bits = READ_IDS.ilog2();
            config.narrow_id_bits = NARROW_IDS.ilog2();
        }
    }
    config
}

/// Write channels of DMA engines as the simulator's: for its transfers, and for reductions, which it works on beside them.
#[must_use]
pub const fn engine_channels(config: &RtlConfig) -> u32 {
    // A power of two: they are told apart by bits of a tag.
    (config.wide_channels + config.max_open_reductions).next_power_of_two()
}

/// Memories so large that every transaction of a trace has its own part of them, as in the simulator.
fn with_large_memories(config: &mut RtlConfig) {
    const OFFSET_BITS: u32 = Places::MEMORY_BYTES.trailing_zeros();
    config.offset_bits = OFFSET_BITS;
    config.line_bits = OFFSET_BITS - (config.wide_bits / 8).trailing_zeros();
    for (region, base) in config.regions.iter_mut().zip(1_u64..) {
        // Bits of x and y are at most those of 64 tiles.
        region.base = base << (OFFSET_BITS + MAX_TILES.trailing_zeros());
        region.offset_bits = OFFSET_BITS;
        region.memory_bytes = 1 << OFFSET_BITS;
    }
}
