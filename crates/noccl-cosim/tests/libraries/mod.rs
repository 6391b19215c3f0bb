// SPDX-License-Identifier: Apache-2.0
//! Libraries of the hardware that tests compare, by name: built when one is asked for first, kept by what they are made from.
//!
//! `NETWORK[-UNITS][-tiles][-FAULT]`: a network of [`NETWORKS`]; the mesh alone, or with the units of [`Units`]; Verilated as a
//! whole, or the code of one tile, which the host joins; with a fault of [`MUTANTS`]. `torrent` are Torrent endpoints.
#![allow(clippy::unwrap_used, dead_code, unused_imports)] // every program uses its own part

mod mutants;
mod replacement;
pub mod smart_mutants;

pub use mutants::MUTANTS;
use mutants::Mutant;

use noccl_cosim::library::{engine_channels, find_or_build, numbers};
use noccl_cosim::{Boundary, BuildInputs, read_sources};
use noccl_net::Network;
use noccl_rtl::{PARTS, Part, RtlConfig, SourceFile};
use noccl_run::Watch;
use noccl_studies::load;
use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Name, preset, and what differs from it.
type NamedNetwork = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const MERGE_REGISTERS: &[(&str, &str)] = &[("router.merge_cycles", "3")];

/// Networks of libraries; of names that begin alike the longer one first.
const NETWORKS: [NamedNetwork; 14] = [
    (
        "2x2-registered-merge",
        "collective_noc_2x2",
        MERGE_REGISTERS,
    ),
    (
        "4x4-registered-merge",
        "collective_noc_4x4",
        MERGE_REGISTERS,
    ),
    (
        "2x2-depths-1-1",
        "collective_noc_2x2",
        &[
            ("router.input_fifo_flits", "1"),
            ("router.output_fifo_flits", "1"),
        ],
    ),
    (
        "2x2-depths-3-1",
        "collective_noc_2x2",
        &[
            ("router.input_fifo_flits", "3"),
            ("router.output_fifo_flits", "1"),
        ],
    ),
    (
        "2x2-depths-16-16",
        "collective_noc_2x2",
        &[
            ("router.input_fifo_flits", "16"),
            ("router.output_fifo_flits", "16"),
        ],
    ),
    (
        "2x2-open-1-2",
        "collective_noc_2x2",
        &[
            ("ni.max_narrow_outstanding", "1"),
            ("ni.max_wide_outstanding", "2"),
            ("ni.max_open_reductions", "1"),
        ],
    ),
    (
        "2x2-open-3-5",
        "collective_noc_2x2",
        &[
            ("ni.max_narrow_outstanding", "3"),
            ("ni.max_wide_outstanding", "5"),
            ("ni.max_open_reductions", "3"),
        ],
    ),
    (
        "2x2-open-8-8",
        "collective_noc_2x2",
        &[
            ("ni.max_narrow_outstanding", "8"),
            ("ni.max_wide_outstanding", "8"),
            ("ni.max_open_reductions", "7"),
        ],
    ),
    (
        "2x2-links-2-3-4",
        "collective_noc_2x2",
        &[
            ("router.link_cycles.req", "2"),
            ("router.link_cycles.rsp", "3"),
            ("router.link_cycles.wide", "4"),
        ],
    ),
    (
        "2x2-links-8-8-8",
        "collective_noc_2x2",
        &[
            ("router.link_cycles.req", "8"),
            ("router.link_cycles.rsp", "8"),
            ("router.link_cycles.wide", "8"),
        ],
    ),
    (
        "4x4-two-operand",
        "collective_noc_4x4",
        &[("router.wide_reduction.kind", "\"two_operand\"")],
    ),
    ("2x2", "collective_noc_2x2", &[]),
    ("4x4", "collective_noc_4x4", &[]),
    ("torrent", "collective_noc_4x4", &[]),
];

/// FP64 and INT64: all elements make a library far larger.
const ELEMENTS: &str = "-GElements=513";
const TILE_ARGUMENTS: [&str; 2] = ["-f", "cosim/tiles.f"];

/// What is hardware besides routers and merge tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Units {
    Mesh,
    /// Operand stores and compute slices.
    Reducing,
    /// Those and network interfaces.
    Endpoints,
    /// Those and DMA engines.
    Engines,
    Torrent,
}

impl Units {
    const ENDS: [(&str, Units); 3] = [
        ("-reducing", Units::Reducing),
        ("-endpoints", Units::Endpoints),
        ("-engines", Units::Engines),
    ];

    fn boundary(self) -> Boundary {
        match self {
            Units::Mesh | Units::Reducing | Units::Torrent => Boundary::Router,
            Units::Endpoints => Boundary::Axi,
            Units::Engines => Boundary::Dma,
        }
    }

    fn top(self, is_tiled: bool) -> &'static str {
        match (self, is_tiled) {
            (Units::Mesh | Units::Reducing, false) => "noccl_mesh_cosim",
            (Units::Endpoints | Units::Engines, false) => "noccl_endpoints_cosim",
            (Units::Reducing, true) => "noccl_tile_cosim",
            (Units::Endpoints | Units::Engines, true) => "noccl_ni_tile_cosim",
            (Units::Torrent, false) => "noccl_torrent_cosim",
            (Units::Mesh | Units::Torrent, true) => panic!("there are no tiles of {self:?}"),
        }
    }
}

/// What a name says.
struct Parts {
    network: NamedNetwork,
    units: Units,
    is_tiled: bool,
    fault: Option<&'static Mutant>,
}

/// Network of a library.
pub fn network_of(name: &str) -> Network {
    Parts::of(name).elaborated()
}

impl Parts {
    fn of(name: &str) -> Self {
        let network = NETWORKS.into_iter().find(|n| name.starts_with(n.0));
        let network = network.unwrap_or_else(|| panic!("no network of a library {name}"));
        let mut rest = &name[network.0.len()..];
        let mut units = if network.0 == "torrent" {
            Units::Torrent
        } else {
            Units::Mesh
        };
        for (end, named) in Units::ENDS {
            if let Some(after) = rest.strip_prefix(end) {
                (units, rest) = (named, after);
            }
        }
        let after = rest.strip_prefix("-tiles");
        Self {
            network,
            units,
            is_tiled: after.is_some(),
            fault: after.unwrap_or(rest).strip_prefix('-').map(Mutant::named),
        }
    }

    fn elaborated(&self) -> Network {
        let (_, preset, changes) = self.network;
        let changes: Vec<_> = (changes.iter())
            .map(|(field, value)| ((*field).to_owned(), (*value).to_owned()))
            .collect();
        load(preset, &changes).unwrap().network
    }

    fn numbers(&self) -> RtlConfig {
        let config = RtlConfig::new(&self.elaborated()).unwrap();
        if self.units == Units::Torrent {
            return config;
        }
        let mut numbers = numbers(&config, self.units.boundary());
        if self.units == Units::Engines && self.is_tiled {
            numbers.wide_channels = engine_channels(&config);
        }
        numbers
    }

    fn arguments(&self, has_assertions: bool) -> Vec<String> {
        let assertions = if has_assertions {
            "--assert"
        } else {
            "--no-assert"
        };
        let mut arguments = Vec::new();
        if self.is_tiled {
            arguments.extend(TILE_ARGUMENTS);
        }
        arguments.push(assertions);
        match self.units {
            Units::Mesh | Units::Torrent => {}
            Units::Reducing | Units::Endpoints | Units::Engines => {
                arguments.push(ELEMENTS);
                // A tile has all units.
                arguments.extend((!self.is_tiled).then_some("-GHasReduction=1"));
            }
        }
        arguments.extend((self.units == Units::Engines).then_some("-GHasDma=1"));
        arguments.into_iter().map(str::to_owned).collect()
    }
}

/// How a library is built.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Leaves assertions out, for speed. Those with a fault have none: the comparison has to notice it.
    pub has_no_assertions: bool,
    /// More arguments of Verilator.
    pub arguments: Vec<String>,
}

/// Those of the program, and the benches', which Torrent's library is made with.
fn sources() -> Vec<SourceFile> {
    let parts: Vec<Part> = PARTS.into_iter().chain([("tb", &["sv"][..])]).collect();
    let mut sources = read_sources(&checkout().join("rtl"), &parts).unwrap();
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

/// What a library is made from, and the name of its folder: of tiles without a fault that of `noccl run --backend rtl`, which
/// has the same ones.
pub fn inputs_of(name: &str, options: &Options) -> (String, BuildInputs) {
    let parts = Parts::of(name);
    let mut sources = sources();
    if let Some(fault) = parts.fault {
        fault.apply(&mut sources);
    }
    let mut arguments = parts.arguments(!options.has_no_assertions && parts.fault.is_none());
    arguments.extend(options.arguments.iter().cloned());
    let top = parts.units.top(parts.is_tiled);
    let numbers = parts.numbers();
    let inputs = BuildInputs::of_top(top, &numbers, arguments, ("rtl", &sources)).unwrap();
    let folder = if parts.is_tiled && parts.fault.is_none() {
        format!("{}-{}", numbers.network, parts.units.boundary().name())
    } else {
        name.to_owned()
    };
    (folder, inputs)
}

/// Where a library is; it is built unless that was done before.
pub fn library_with(name: &str, options: &Options) -> PathBuf {
    let (folder, inputs) = inputs_of(name, options);
    let folder = find_or_build(&folder, &inputs, Watch::quiet());
    folder.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// With `NOCCL_COSIM_ASSERTIONS=0` libraries have no assertions, which takes half the time to build.
fn is_without_assertions() -> bool {
    env::var_os("NOCCL_COSIM_ASSERTIONS").is_some_and(|value| value == "0")
}

/// The same with assertions unless the environment says otherwise, looked up once per process.
pub fn library(name: &str) -> PathBuf {
    static KNOWN: Mutex<Option<HashMap<String, PathBuf>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(folder) = known.get(name) {
        return folder.clone();
    }
    let options = Options {
        has_no_assertions: is_without_assertions(),
        ..Options::default()
    };
    let folder = library_with(name, &options);
    known.insert(name.to_owned(), folder.clone());
    folder
}

/// Root of the checkout.
pub fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
