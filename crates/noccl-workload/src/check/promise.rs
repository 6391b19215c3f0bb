// SPDX-License-Identifier: Apache-2.0
//! Is what the schedule promises possible on this network, whatever its actions?

use super::CheckError;
use super::form::{check_fits, check_multiple, check_operator, find, group_error};
use crate::{
    ChunkRef, Collective, CollectiveKind, Definition, Holders, InputChunks, Lengths, Want,
};
use noccl_net::{Network, TileId};
use std::collections::HashSet;

/// Checks the collective alone: group, root, element, sizes.
///
/// # Errors
/// [`CheckError`] naming the field and what would be accepted.
pub fn check_collective(network: &Network, collective: &Collective) -> Result<(), CheckError> {
    let field = |name: &str| format!("collective.{name}");
    let members = network
        .members(&collective.group)
        .map_err(|e| group_error(field("group"), &e))?;
    let root = find(network, field("root"), collective.root)?;
    check_lengths(collective, members.len())?;
    check_definition(collective, members.len())?;
    if collective.kind == CollectiveKind::Barrier {
        return Ok(());
    }
    if collective.reduces() {
        let element = collective.element;
        check_operator(field("operator"), collective.operator, element)?;
        check_multiple(field("bytes"), collective.bytes, element)?;
        check_multiple(field("input_offset"), collective.input_offset, element)?;
        check_multiple(field("output_offset"), collective.output_offset, element)?;
    }
    let members: Vec<TileId> = members
        .iter()
        .map(|c| network.tile_at(network.mesh_coord(*c)))
        .collect();
    let root = [root];
    let tiles = |who: Holders| -> &[TileId] {
        match who {
            Holders::Nobody => &[],
            Holders::Root => &root,
            Holders::Members => &members,
        }
    };
    let ranks = members.len() as u64;
    for (rank, tile) in tiles(collective.kind.input_holders()).iter().enumerate() {
        let bytes = collective.input_bytes_of(rank, ranks);
        let end = u128::from(collective.input_offset) + u128::from(bytes);
        check_fits(network, || field("input_offset"), *tile, end)?;
    }
    for (rank, tile) in tiles(collective.kind.output_holders()).iter().enumerate() {
        let bytes = collective.output_bytes_of(rank, ranks);
        let end = u128::from(collective.output_offset) + u128::from(bytes);
        check_fits(network, || field("output_offset"), *tile, end)?;
    }
    Ok(())
}

/// Does every rank state a length for every rank, and do sender and receiver state the same one?
///
/// # Errors
/// [`CheckError::Field`] that names the rank and what would be accepted.
pub fn check_lengths(collective: &Collective, num_ranks: usize) -> Result<(), CheckError> {
    let Some(lengths) = &collective.lengths else {
        return Ok(());
    };
    let fail = |name: &str, found: String, accepted: String| {
        Err(CheckError::Field {
            field: format!("collective.lengths{name}"),
            found,
            accepted,
        })
    };
    if collective.kind != CollectiveKind::AllToAll {
        let accepted = "nothing: only blocks of an all_to_all differ in length".to_owned();
        return fail("", format!("lengths of {}", collective.kind), accepted);
    }
    let Lengths { sends, receives } = lengths;
    for (name, table) in [("sends", sends), ("receives", receives)] {
        if name == "receives" && table.is_empty() {
            continue;
        }
        if table.len() != num_ranks {
            let which = match table.len() > num_ranks {
                true => format!("with lengths of rank {num_ranks}, which there is not"),
                false => format!("without lengths of rank {}", table.len()),
            };
            let accepted = format!("one list for each of the {num_ranks} ranks");
            let found = format!("{} lists {which}", table.len());
            return fail(&format!(".{name}"), found, accepted);
        }
        for (rank, row) in table.iter().enumerate() {
            if row.len() != num_ranks {
                let accepted = format!("one length for each of the {num_ranks} ranks");
                let found = format!("{} lengths of rank {rank}", row.len());
                return fail(&format!(".{name}[{rank}]"), found, accepted);
            }
            if let Some((other, bytes)) =
                row.iter().enumerate().find(|(_, b)| **b > collective.bytes)
            {
                let accepted = format!("at most collective.bytes = {}", collective.bytes);
                return fail(
                    &format!(".{name}[{rank}][{other}]"),
                    bytes.to_string(),
                    accepted,
                );
            }
        }
    }
    for (from, row) in sends.iter().enumerate() {
        for (to, sent) in row.iter().enumerate() {
            let expected = receives.get(to).and_then(|row| row.get(from));
            if let Some(expected) = expected.filter(|e| *e != sent) {
                return fail(
                    "",
                    format!(
                        "rank {from} sends {sent} bytes to rank {to}, which expects {expected}{}",
                        if sent > expected {
                            ": it would be cut short"
                        } else {
                            ""
                        }
                    ),
                    "the same length at both ranks".to_owned(),
                );
            }
        }
    }
    Ok(())
}

// Does the statement of a custom collective make sense for its group?

/// Is there a definition where one belongs, with lists for every rank, and is every operand a chunk of some input?
///
/// # Errors
/// [`CheckError::Field`] that names the rank and chunk and what would be accepted.
pub fn check_definition(collective: &Collective, num_ranks: usize) -> Result<(), CheckError> {
    let is_custom = collective.kind == CollectiveKind::Custom;
    let Some(definition) = collective.definition.as_deref() else {
        return match is_custom {
            true => fail(
                "",
                "nothing",
                "inputs and outputs in chunks, as a custom collective has them",
            ),
            false => Ok(()),
        };
    };
    if !is_custom {
        let accepted = "nothing: only a custom collective states what it asks for";
        return fail(
            "",
            &format!("a definition of {}", collective.kind),
            accepted,
        );
    }
    if collective.bytes == 0 {
        return Err(CheckError::Field {
            field: "collective.bytes".to_owned(),
            found: "0".to_owned(),
            accepted: "the bytes of a chunk, at least 1".to_owned(),
        });
    }
    check_lists(definition, num_ranks)?;
    let mut known: HashSet<&Want> = HashSet::new();
    for (rank, wants) in definition.outputs.iter().enumerate() {
        for (chunk, want) in wants.iter().enumerate() {
            // The same statement at every rank is looked at once.
            if known.insert(want) {
                check_want(definition, (rank, chunk), want, num_ranks)?;
            }
        }
    }
    Ok(())
}

fn fail(name: &str, found: &str, accepted: &str) -> Result<(), CheckError> {
    Err(CheckError::Field {
        field: format!("collective.definition{name}"),
        found: found.to_owned(),
        accepted: accepted.to_owned(),
    })
}

/// Is there a list for each rank, and does somebody ask for something?
fn check_lists(definition: &Definition, num_ranks: usize) -> Result<(), CheckError> {
    if definition.name.trim().is_empty() {
        return fail(".name", "\"\"", "a name for reports");
    }
    if let InputChunks::ByRank(all) = &definition.inputs
        && all.len() != num_ranks
    {
        let accepted = format!("one number for all, or one for each of the {num_ranks} ranks");
        return fail(".inputs", &format!("{} numbers", all.len()), &accepted);
    }
    if definition.outputs.len() != num_ranks {
        let accepted = format!("one list for each of the {num_ranks} ranks");
        let found = format!("{} lists", definition.outputs.len());
        return fail(".outputs", &found, &accepted);
    }
    let mut all = definition.outputs.iter().flatten();
    if all.all(Want::is_nothing) {
        let accepted = "a chunk of some rank's output that holds something in the end";
        return fail(".outputs", "outputs that ask for nothing", accepted);
    }
    Ok(())
}

/// Does every operand exist, and is none there twice?
fn check_want(
    definition: &Definition,
    (rank, chunk): (usize, usize),
    want: &Want,
    num_ranks: usize,
) -> Result<(), CheckError> {
    let place = format!(".outputs[{rank}][{chunk}]");
    let mut seen: HashSet<ChunkRef> = HashSet::new();
    for operand in want.operands(num_ranks) {
        let ChunkRef { rank: of, chunk } = operand;
        if of as usize >= num_ranks {
            let accepted = format!("a rank below {num_ranks}, the members of the group");
            return fail(&place, &format!("[{of}, {chunk}]"), &accepted);
        }
        let chunks = definition.inputs.of(of as usize);
        if chunk >= chunks {
            let accepted = format!("a chunk of the input of rank {of}, which has {chunks}");
            return fail(&place, &format!("[{of}, {chunk}]"), &accepted);
        }
        if !seen.insert(operand) {
            let accepted = "each operand of a reduction once";
            return fail(&place, &format!("[{of}, {chunk}] twice"), accepted);
        }
    }
    Ok(())
}
