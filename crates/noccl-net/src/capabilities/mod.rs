// SPDX-License-Identifier: Apache-2.0
//! What each kind of router and endpoint can do, stated once; whoever wants to know asks this and not which kind it is.
//!
//! One file per kind. A new kind of router is a file here and an arm of [`RouterCapabilities::of`].

mod collective;
mod esp;
mod ideal;
mod message_cycles;
mod published;
mod smart;
mod torrent;
mod udn;

pub use message_cycles::MessageCycles;
pub(crate) use smart::Bypass;

use crate::Network;
use crate::deadlock::Mechanism;
use noccl_spec::{AxiTiles, RouterFlow, Spec, Tiles};

/// What a network's routers and endpoints can do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capabilities {
    /// Routers, and the interfaces that go with them.
    pub routers: &'static RouterCapabilities,
    /// Endpoints of clusters that hand streams on, if there are some.
    pub chains: Option<ChainCapabilities>,
}

/// What routers of one kind, and the interfaces that go with them, can do.
#[derive(Debug, Clone, PartialEq)]
pub struct RouterCapabilities {
    /// What they carry.
    pub carries: Carries,
    /// Which destinations one multicast can have.
    pub multicasts: Multicasts,
    /// Do flits go over links from tile to tile? Else every interface reaches every other one directly, however far it is.
    pub has_links: bool,
    /// Which operands of a reduction they can take.
    pub reduces: Reduces,
    /// Do they work on several reductions and barriers at a time, each set aside in a store or table? Then windows, stores,
    /// tables and counters limit how many may be open together. Else they join what stands at the heads of their FIFOs: two
    /// barriers that reach two routers in different orders wait for each other.
    pub joins_several: bool,
    /// Do they combine the operands of a reduction in an order that no load changes? Else a sum of floats, which depends on the
    /// order, would differ from run to run.
    pub adds_in_fixed_order: bool,
    /// Do interfaces multicast what routers have reduced, as an all-reduce in one transaction needs?
    pub shares_results: bool,
    /// Do cores of clusters compute on addressed memories: sums of operands, kernels?
    pub computes_in_memories: bool,
    /// Does nobody ever wait in a circle, whatever is in flight together? Else it is searched for.
    pub is_deadlock_free: bool,
    /// Flits that go before the beats of a burst on the wide plane.
    pub address_flits: u32,
    /// Does the copy of a multicast for its own tile come back through the router?
    pub returns_own_copy: bool,
    /// Can flits of other packets come between those of a packet?
    pub lets_others_between: bool,
    /// May an interface wait for the response of one destination before it asks another one?
    pub asks_one_destination: bool,
    /// Does a tile work on one action after the other, in the order of the schedule?
    pub is_sequential: bool,
    /// Why there is no hardware of them here, if there is none; then nothing can follow a run, and no package is made.
    pub no_hardware: Option<&'static str>,
    /// What decides about waiting.
    pub mechanism: Mechanism,
}

/// What routers carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carries {
    /// Reads, writes, atomics, multicasts to a multi-address, reductions and barriers; schedules, traces and traffic.
    Transactions,
    /// Writes, reads, multicasts, reductions and barriers of schedules, as messages between interfaces; no AXI transactions, so no
    /// traces.
    Messages,
    /// Multicasts by a list of destinations, of schedules, and nothing else.
    ListMulticasts,
    /// Words that cores write and read: messages of schedules, and streams of a static network. No addresses and no transactions, so that
    /// nothing reaches a memory without the core of its tile.
    Words,
}

/// Which destinations a multicast can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multicasts {
    /// Those of a multi-address.
    MultiAddress,
    /// A list that its header has space for.
    List,
    /// Any.
    AnySet,
    /// None: a source sends to each destination.
    Nothing,
}

/// Over which trees the multicasts of a network run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MulticastTrees {
    /// Where they begin, and which paths they take.
    pub kind: TreeKind,
    /// Does a tree span the mesh, whatever the members? Else it has the branches that lead to them alone.
    pub spans_mesh: bool,
}

/// Where a tree begins, and which paths it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeKind {
    /// At the source: the union of the routes to the members.
    Shared,
    /// At the corner of the mesh that is nearest to the source, whose packets go there first.
    Private,
    /// Either: the source chooses for each packet, and on an empty mesh the shared one.
    ByLoad,
}

/// Which operands a router can reduce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduces {
    /// None.
    Nothing,
    /// Those of two inputs.
    TwoInputs,
    /// Those of all inputs.
    AllInputs,
}

/// What endpoints that hand streams on can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainCapabilities {
    /// Most followers of a chain.
    pub max_followers: u32,
    /// Chains that an endpoint begins and has not ended.
    pub open_tasks: u32,
    /// Least beats that an endpoint sends on.
    pub min_beats: u64,
    /// Do chains take their destinations in one order, and has every destination space for bursts? Then chains never wait in a circle.
    pub is_deadlock_free: bool,
}

impl Capabilities {
    /// Those of a spec.
    #[must_use]
    pub fn of(spec: &Spec) -> Self {
        match &spec.tiles {
            Tiles::Axi(axi) => Self::of_axi(axi),
            Tiles::Cores(cores) => Self {
                routers: udn::capabilities(&cores.core),
                chains: None,
            },
        }
    }

    fn of_axi(axi: &AxiTiles) -> Self {
        let routers = match (Bypass::of(axi), &axi.router.bypass) {
            (Some(bypass), _) => bypass.capabilities(),
            (None, Some(_)) => &collective::WITH_BYPASS,
            (None, None) => RouterCapabilities::of(axi.router.flow),
        };
        // Endpoints send the beats of a chain as AXI writes.
        let endpoint = match routers.carries {
            Carries::Transactions => axi.cluster.torrent.as_ref(),
            Carries::Messages | Carries::ListMulticasts | Carries::Words => None,
        };
        Self {
            routers,
            chains: endpoint.map(torrent::capabilities),
        }
    }

    /// Are chains, if there are any, free of deadlock?
    #[must_use]
    pub fn are_chains_safe(&self) -> bool {
        self.chains.is_none_or(|chains| chains.is_deadlock_free)
    }
}

impl RouterCapabilities {
    /// Those of a kind of router.
    #[must_use]
    pub const fn of(flow: RouterFlow) -> &'static Self {
        match flow {
            RouterFlow::NonBlocking => &collective::ROUTERS,
            RouterFlow::Published => &published::ROUTERS,
            RouterFlow::Esp => &esp::ROUTERS,
            RouterFlow::Ideal => &ideal::ROUTERS,
            RouterFlow::Smart => &smart::ROUTERS,
        }
    }

    /// Do they carry multicasts by a list, and nothing else?
    #[must_use]
    pub const fn carries_lists_only(&self) -> bool {
        match self.carries {
            Carries::ListMulticasts => true,
            Carries::Transactions | Carries::Messages | Carries::Words => false,
        }
    }

    /// Are there AXI transactions: reads and writes of any address, atomics?
    #[must_use]
    pub const fn carries_transactions(&self) -> bool {
        match self.carries {
            Carries::Transactions => true,
            Carries::Messages | Carries::ListMulticasts | Carries::Words => false,
        }
    }

    /// Do cores pass words over them, and nothing else? Then there are no network interfaces, no clusters and no addresses, and
    /// [`Network::cores`] has what there is in their place.
    #[must_use]
    pub const fn carries_words(&self) -> bool {
        match self.carries {
            Carries::Words => true,
            Carries::Transactions | Carries::Messages | Carries::ListMulticasts => false,
        }
    }
}

impl Network {
    /// What its routers and endpoints can do.
    #[must_use]
    pub const fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Most beats of a packet or burst, words of a unit between cores, and the field of the spec that says so. A burst stays within a boundary of addresses.
    #[must_use]
    pub const fn longest_packet_beats(&self) -> (u32, &'static str) {
        if let Some(bypass) = self.bypass() {
            return bypass.longest_packet_flits();
        }
        let ni = match &self.spec.tiles {
            Tiles::Axi(axi) => &axi.ni,
            Tiles::Cores(cores) => {
                let core = &cores.core;
                return (core.unit_words(core.unit_bytes), "core.unit_bytes");
            }
        };
        match ni.burst_boundary_bytes.checked_div(ni.wide_beat_bytes) {
            Some(fitting) if 0 < fitting && fitting < ni.max_burst_beats => {
                (fitting, "ni.burst_boundary_bytes")
            }
            Some(_) | None => (ni.max_burst_beats, "ni.max_burst_beats"),
        }
    }

    /// Beats of a packet where nobody asks for a number: a whole unit between cores, 16 else if so many fit.
    #[must_use]
    pub fn usual_packet_beats(&self) -> u32 {
        let longest = self.longest_packet_beats().0;
        if self.cores().is_some() {
            longest
        } else {
            longest.min(16)
        }
    }

    /// Cycles that an idle packet takes between interfaces and routers, beyond those from its first request to the last router; of routers for
    /// which nobody tells the two apart there is no number.
    #[must_use]
    pub fn interface_cycles(&self) -> Option<u32> {
        self.bypass().map(Bypass::interface_cycles)
    }

    /// Over which trees its multicasts run; `None` where a source sends a packet to each destination.
    #[must_use]
    pub const fn multicast_trees(&self) -> Option<MulticastTrees> {
        match self.bypass() {
            Some(bypass) => bypass.multicast_trees(),
            None => Some(MulticastTrees {
                kind: TreeKind::Shared,
                spans_mesh: false,
            }),
        }
    }

    /// Rules of its routers, if flits pass several of them in a cycle.
    pub(crate) const fn bypass(&self) -> Option<Bypass<'_>> {
        match &self.spec.tiles {
            Tiles::Axi(axi) => Bypass::of(axi),
            Tiles::Cores(_) => None,
        }
    }

    /// What its routers can do.
    #[must_use]
    pub const fn routers(&self) -> &'static RouterCapabilities {
        self.capabilities.routers
    }
}
