// SPDX-License-Identifier: Apache-2.0
//! What flow `esp` asks of a spec.

use crate::validate::{Checked, flow_name};
use crate::{OutOfRange, RouterFlow, Spec};

/// Flow `esp` has its two tables, no other flow has one of them, and clusters are of one kind.
pub(crate) fn esp(spec: &Spec) -> Checked {
    let (router, cluster) = (&spec.router.esp, &spec.cluster.esp);
    let is_esp = spec.router.flow == RouterFlow::Esp;
    let tables = [
        ("router.esp", router.is_some(), is_esp),
        ("cluster.esp", cluster.is_some(), is_esp),
        (
            "cluster.torrent",
            spec.cluster.torrent.is_some(),
            spec.cluster.torrent.is_some() && !is_esp,
        ),
    ];
    for (field, is_there, is_wanted) in tables {
        if is_there != is_wanted {
            let flow = flow_name(spec.router.flow);
            return Err(OutOfRange {
                field: field.to_owned(),
                found: if is_there { "a table" } else { "nothing" }.to_owned(),
                accepted: format!(
                    "{} with router.flow = \"{flow}\"",
                    if is_wanted {
                        "must be there"
                    } else {
                        "must be absent"
                    }
                ),
            });
        }
    }
    Ok(())
}
