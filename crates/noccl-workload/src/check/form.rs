// SPDX-License-Identifier: Apache-2.0
//! Is every action possible on this network, looked at alone?

use super::{CheckError, shares_results};
use crate::participants::{as_multi_address, check_multi_address};
use crate::{
    ActionKind, Arrival, Barrier, BarrierMechanism, Destination, ElementType, Extent,
    InNetworkReduction, Kernel, LocalReduce, Operator, Place, SCHEDULE_FORMAT, Schedule,
    TileSetError, Transfer,
};
use noccl_net::{MultiAddress, NetError, Network, TileId, TileRef, tree};
use noccl_spec::RouterFlow;

/// Checks the version, the collective and every action.
pub(super) fn check_form(network: &Network, schedule: &Schedule) -> Result<(), CheckError> {
    if schedule.format != SCHEDULE_FORMAT {
        return Err(CheckError::Field {
            field: "format".to_owned(),
            found: schedule.format.to_string(),
            accepted: format!("this version reads format {SCHEDULE_FORMAT}"),
        });
    }
    if let Some(collective) = &schedule.collective {
        super::promise::check_collective(network, collective)?;
    }
    for (i, action) in schedule.actions.iter().enumerate() {
        let at = At {
            network,
            action: i,
            kind: action.kind.name(),
        };
        at.carried(&action.kind)?;
        match &action.kind {
            ActionKind::Transfer(t) => at.transfer(t)?,
            ActionKind::Delivery(t) => at.delivery(t)?,
            ActionKind::Arrival(a) => at.arrival(a)?,
            ActionKind::Kernel(kernel) => at.kernel(kernel)?,
            ActionKind::Chain(chain) => at.chain(chain)?,
            ActionKind::ListMulticast(list) => at.list_multicast(list)?,
            ActionKind::InNetworkReduction(r) => at.reduction(r)?,
            ActionKind::InNetworkAllReduce(r) => at.all_reduce(r)?,
            ActionKind::LocalReduce(r) => at.local_reduce(r)?,
            ActionKind::Compute(c) => at.compute(c)?,
            ActionKind::Barrier(b) => at.barrier(b)?,
        }
    }
    Ok(())
}

/// One action of the schedule, for checks that name its fields.
pub(super) struct At<'a> {
    pub(super) network: &'a Network,
    pub(super) action: usize,
    pub(super) kind: &'static str,
}

impl At<'_> {
    pub(super) fn field(&self, name: &str) -> String {
        format!("actions[{}].kind.{}.{name}", self.action, self.kind)
    }

    pub(super) fn fail<T>(
        &self,
        name: &str,
        found: impl ToString,
        accepted: &str,
    ) -> Result<T, CheckError> {
        Err(CheckError::Field {
            field: self.field(name),
            found: found.to_string(),
            accepted: accepted.to_owned(),
        })
    }

    pub(super) fn cluster(&self, name: &str, tile: TileRef) -> Result<TileId, CheckError> {
        match tile {
            TileRef::Cluster(_) => find(self.network, self.field(name), tile),
            TileRef::Memory(_) => self.fail(name, tile, "a cluster: memory tiles run nothing"),
        }
    }

    pub(super) fn fits(&self, name: &str, tile: TileId, end: u128) -> Result<(), CheckError> {
        check_fits(self.network, || self.field(name), tile, end)
    }

    pub(super) fn transfer(&self, t: &Transfer) -> Result<(), CheckError> {
        self.cluster("initiator", t.initiator)?;
        let source = find(self.network, self.field("source.tile"), t.source.tile)?;
        if t.rows == 0 {
            return self.fail("rows", 0, "at least 1");
        }
        let rows_apart = u128::from(t.rows - 1);
        let end = |offset: u64, stride: u64| {
            u128::from(offset) + rows_apart * u128::from(stride) + u128::from(t.bytes)
        };
        self.fits(
            "source.offset",
            source,
            end(t.source.offset, t.source_stride),
        )?;
        if t.rows > 1 && t.destination_stride < t.bytes {
            return self.fail(
                "destination_stride",
                t.destination_stride,
                "at least `bytes`: lines may not overlap where they land",
            );
        }
        let (name, offset, returns) = match t.destination {
            Destination::One(Place { tile, offset }) => {
                let tile = find(self.network, self.field("destination.one.tile"), tile)?;
                let name = "destination.one.offset";
                self.fits(name, tile, end(offset, t.destination_stride))?;
                (name, offset, tile == source)
            }
            Destination::Multicast { set, offset } => {
                self.multi_address("destination.multicast.set", set)?;
                let first = self.network.tile_at(self.network.mesh_coord(set.base));
                let name = "destination.multicast.offset";
                self.fits(name, first, end(offset, t.destination_stride))?;
                let returns = matches!(t.source.tile, TileRef::Cluster(c) if set.contains(c));
                (name, offset, returns)
            }
        };
        if returns && overwrites_itself(t, offset) {
            return self.fail(
                name,
                offset,
                "a range that does not overlap the source, or the source itself",
            );
        }
        Ok(())
    }

    fn multi_address(&self, name: &str, set: MultiAddress) -> Result<(), CheckError> {
        check_multi_address(self.network, set).map_err(|e| set_error(self.field(name), e))
    }

    fn reduction(&self, r: &InNetworkReduction) -> Result<(), CheckError> {
        self.multi_address("group", r.group)?;
        // Contributors and root are clusters, so every router between them is one too, with FPUs.
        let root = self.cluster("root.tile", r.root.tile)?;
        check_operator(self.field("operator"), r.operator, r.element)?;
        check_multiple(self.field("bytes"), r.bytes, r.element)?;
        check_multiple(self.field("source_offset"), r.source_offset, r.element)?;
        check_multiple(self.field("root.offset"), r.root.offset, r.element)?;
        let end = |offset: u64| u128::from(offset) + u128::from(r.bytes);
        let first = self.network.tile_at(self.network.mesh_coord(r.group.base));
        self.fits("source_offset", first, end(r.source_offset))?;
        self.fits("root.offset", root, end(r.root.offset))?;
        let contributes = matches!(r.root.tile, TileRef::Cluster(c) if r.group.contains(c));
        let distance = r.root.offset.abs_diff(r.source_offset);
        if contributes && distance != 0 && distance < r.bytes {
            return self.fail(
                "root.offset",
                r.root.offset,
                "equal to `source_offset` or at least `bytes` away from it, since the root contributes",
            );
        }
        self.two_operands(r, root)
    }

    fn all_reduce(&self, r: &InNetworkReduction) -> Result<(), CheckError> {
        self.multi_address("group", r.group)?;
        let is_member = matches!(r.root.tile, TileRef::Cluster(c) if r.group.contains(c));
        if !is_member || r.group.len() < 2 {
            return self.fail(
                "root.tile",
                r.root.tile,
                "a member of a group of at least two: it folds and multicasts",
            );
        }
        if shares_results(self.network) {
            return self.reduction(r);
        }
        self.fail(
            "group",
            r.group,
            "a reduction and a multicast with router.flow = \"peer_compatible\": its interfaces do not pass results on",
        )
    }

    /// The published router folds two operands per packet: it cannot join three inputs.
    fn two_operands(&self, r: &InNetworkReduction, root: TileId) -> Result<(), CheckError> {
        match self.network.spec().router.flow {
            RouterFlow::NonBlocking => return Ok(()),
            RouterFlow::PeerCompatible | RouterFlow::Esp => {}
        }
        let (cube, root) = (self.network.cube(r.group), self.network.coord(root));
        // Three inputs meet only in the root's column or in a contributor's row.
        let rows = cube.members().map(|m| noccl_net::Coord::new(root.x, m.y));
        let mut routers = cube.members().chain(rows).chain([root]);
        let many = routers.find(|here| tree::join_set(*here, cube, root).count_ones() > 2);
        match many {
            None => Ok(()),
            Some(here) => self.fail(
                "group",
                format!("a set with three inputs at the router {here} (mesh)"),
                "with router.flow = \"peer_compatible\" a line that ends at the root: its routers fold two inputs",
            ),
        }
    }

    fn local_reduce(&self, r: &LocalReduce) -> Result<(), CheckError> {
        let tile = self.cluster("tile", r.tile)?;
        check_operator(self.field("operator"), r.operator, r.element)?;
        check_multiple(self.field("bytes"), r.bytes, r.element)?;
        check_multiple(self.field("output"), r.output, r.element)?;
        if r.inputs.is_empty() {
            return self.fail("inputs", "[]", "at least one operand");
        }
        self.fold_cycles(r)?;
        let end = |offset: u64| u128::from(offset) + u128::from(r.bytes);
        for (i, input) in r.inputs.iter().enumerate() {
            let name = || format!("inputs[{i}]");
            if !input.is_multiple_of(r.element.bytes()) {
                check_multiple(self.field(&name()), *input, r.element)?;
            }
            check_fits(self.network, || self.field(&name()), tile, end(*input))?;
            if *input != r.output && input.abs_diff(r.output) < r.bytes {
                return self.fail(
                    &name(),
                    input,
                    "equal to `output` or at least `bytes` away from it",
                );
            }
        }
        self.fits("output", tile, end(r.output))
    }

    fn arrival(&self, a: &Arrival) -> Result<(), CheckError> {
        self.multi_address("group", a.group)?;
        self.cluster("root", a.root)?;
        match a.root {
            TileRef::Cluster(root) if a.group.contains(root) => Ok(()),
            TileRef::Cluster(_) | TileRef::Memory(_) => {
                self.fail("root", a.root, "a member of the group")
            }
        }
    }

    fn kernel(&self, kernel: &Kernel) -> Result<(), CheckError> {
        let members = self
            .network
            .members(&kernel.group)
            .map_err(|e| group_error(self.field("group"), &e))?;
        self.kernel_cycles(kernel)?;
        let at = |name: &str| format!("operation.{}.{name}", kernel.operation.name());
        if let Some((name, found, accepted)) = kernel.operation.problem() {
            return self.fail(&at(name), found, accepted);
        }
        // All clusters have equal memories.
        let Some(first) = members.first() else {
            return Ok(());
        };
        let tile = self.network.tile_at(self.network.mesh_coord(*first));
        let end = |e: &Extent| u128::from(e.offset) + u128::from(e.bytes);
        for extent in kernel
            .operation
            .reads()
            .iter()
            .chain([&kernel.operation.write()])
        {
            self.fits("operation", tile, end(extent))?;
        }
        Ok(())
    }

    fn barrier(&self, b: &Barrier) -> Result<(), CheckError> {
        let members = self
            .network
            .members(&b.group)
            .map_err(|e| group_error(self.field("group"), &e))?;
        self.cluster("counter", b.counter)?;
        match b.mechanism {
            BarrierMechanism::Software => Ok(()),
            BarrierMechanism::InNetwork if as_multi_address(&members).is_some() => Ok(()),
            BarrierMechanism::InNetwork => self.fail(
                "group",
                format!("{} clusters that are no multi-address", members.len()),
                "for `in_network` a set that one (dst, mask) pair names: aligned power-of-two blocks",
            ),
        }
    }
}

/// Does a line of a transfer within one tile land on bytes of another line's source, or beside its own?
///
/// Lines do not overlap where they land, and all ranges fit into a memory.
fn overwrites_itself(t: &Transfer, destination: u64) -> bool {
    if t.bytes == 0 {
        return false;
    }
    (0..u64::from(t.rows)).any(|row| {
        let source = t.source.offset + row * t.source_stride;
        let own = destination + row * t.destination_stride;
        // Lines that land below the end of this source line and reach beyond its start.
        let place = |line: u64| destination + line * t.destination_stride;
        let starts_below_end = |line: u64| place(line) < source + t.bytes;
        let ends_above_start = |line: u64| place(line) + t.bytes > source;
        let stride = t.destination_stride.max(t.bytes);
        let near = source.saturating_sub(destination) / stride;
        (near.saturating_sub(1)..=near + 1)
            .filter(|line| *line < u64::from(t.rows))
            .any(|line| {
                starts_below_end(line) && ends_above_start(line) && !(line == row && own == source)
            })
    })
}

pub(super) fn find(network: &Network, field: String, tile: TileRef) -> Result<TileId, CheckError> {
    network.find(tile).ok_or_else(|| CheckError::Field {
        field,
        found: tile.to_string(),
        accepted: format!(
            "a tile of the network: clusters (0,0) to ({},{}), {}",
            network.cluster_width().saturating_sub(1),
            network.cluster_height().saturating_sub(1),
            match network.memories().count() {
                0 => "no memory tiles".to_owned(),
                n => format!("memory tiles mem:0 to mem:{}", n - 1),
            }
        ),
    })
}

pub(super) fn check_fits(
    network: &Network,
    field: impl Fn() -> String,
    tile: TileId,
    end: u128,
) -> Result<(), CheckError> {
    let available_bytes = network.memory_bytes(tile);
    if end <= u128::from(available_bytes) {
        return Ok(());
    }
    Err(CheckError::DoesNotFit {
        field: field(),
        tile: network.tile_ref(tile).to_string(),
        needed_bytes: end,
        available_bytes,
        limit: network.memory_field(tile),
    })
}

pub(super) fn check_operator(
    field: String,
    operator: Operator,
    element: ElementType,
) -> Result<(), CheckError> {
    if operator.accepts(element) {
        return Ok(());
    }
    Err(CheckError::Field {
        field,
        found: operator.to_string(),
        accepted: format!("sum, min or max for {element}; bitwise operators take integers"),
    })
}

pub(super) fn check_multiple(
    field: String,
    value: u64,
    element: ElementType,
) -> Result<(), CheckError> {
    if value.is_multiple_of(element.bytes()) {
        return Ok(());
    }
    Err(CheckError::Field {
        field,
        found: value.to_string(),
        accepted: format!("a multiple of {} bytes, one {element}", element.bytes()),
    })
}

fn set_error(field: String, error: TileSetError) -> CheckError {
    CheckError::Field {
        field,
        found: error.found,
        accepted: error.accepted,
    }
}

pub(super) fn group_error(field: String, error: &NetError) -> CheckError {
    let (found, accepted) = if let NetError::Set { set, reason, .. } = error {
        (set.clone(), reason.clone())
    } else {
        ("a set".to_owned(), error.to_string())
    };
    CheckError::Field {
        field,
        found,
        accepted,
    }
}
