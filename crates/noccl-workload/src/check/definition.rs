// SPDX-License-Identifier: Apache-2.0
//! Does the statement of a custom collective make sense for its group?

use super::CheckError;
use crate::{ChunkRef, Collective, CollectiveKind, Definition, InputChunks, Want};
use std::collections::HashSet;

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
