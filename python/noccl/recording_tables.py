# SPDX-License-Identifier: Apache-2.0
"""Recordings as Arrow tables and back: all of them that needs pyarrow.

The table has a row per link and window, port and window, action, transaction and slice of a rank;
what is no row stands in its metadata, so that a Parquet file is the whole recording.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from noccl.errors import FileError
from noccl.window_numbers import encoded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from noccl.recordings import Recording

_COLUMNS = {
    "what": pa.string(),
    "name": pa.string(),
    "start_cycle": pa.int64(),
    "end_cycle": pa.int64(),
    "plane": pa.string(),
    "x": pa.int32(),
    "y": pa.int32(),
    "port": pa.string(),
    "to_x": pa.int32(),
    "to_y": pa.int32(),
    "amount": pa.int64(),
    "action": pa.int64(),
    "first_beat_cycle": pa.int64(),
    "last_beat_cycle": pa.int64(),
    "row": pa.int32(),
    "tiles": pa.list_(pa.int32()),
    "rank": pa.int32(),
    "call": pa.string(),
    "call_site": pa.string(),
    "awaits": pa.string(),
}
_KIND = "recording"
_TIMES = ("first_beat_cycle", "last_beat_cycle")


def table_of(recording: Recording) -> pa.Table:
    """The table, with what is no row in its metadata."""
    fields = recording.fields
    about = {"noccl.kind": _KIND, "noccl.version": str(fields["format"])}
    about |= {name: str(fields[name]) for name in ("network", "clock_ghz", "cycles")}
    about["noccl.recording"] = json.dumps(_head(fields))
    schema = pa.schema(list(_COLUMNS.items()), metadata=about)
    parts = [
        _windows("flits", recording.flits, recording.links, recording.window_cycles),
        _windows("blocked", recording.blocked, recording.ports, recording.window_cycles),
        _actions(fields),
        _transactions(fields),
        _slices(fields),
    ]
    tables = [_part(columns, schema) for columns in parts]
    return pa.concat_tables(tables).combine_chunks()


def _head(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The recording without what has rows."""
    names = ("format", "workload", "network", "mesh", "tiles", "clock_ghz", "cycles")
    ranks = fields["ranks"]
    return {name: fields[name] for name in names} | {
        "window_cycles": fields["flits"]["window_cycles"],
        "num_windows": fields["flits"]["num_windows"],
        "transactions_left_out": fields["transactions"]["left_out"],
        "ranks": [{name: rank[name] for name in rank if name != "slices"} for rank in ranks],
    }


def _part(columns: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    rows = len(columns["start_cycle"])
    arrays = []
    for field in schema:
        of = columns.get(field.name)
        if of is None:
            of = pa.nulls(rows, field.type)
        elif isinstance(of, str):
            of = pa.repeat(pa.scalar(of), rows)
        elif not isinstance(of, pa.Array):
            of = pa.array(of, type=field.type)
        arrays.append(of)
    return pa.Table.from_arrays(arrays, schema=schema)


def _taken(values: Sequence[Any], at: npt.NDArray[np.int64], column: str) -> pa.Array:
    return pa.array(values, type=_COLUMNS[column]).take(pa.array(at))


def _windows(
    what: str, entries: npt.NDArray[np.int64], of: list[dict[str, Any]], window_cycles: int
) -> dict[str, Any]:
    window, index, amount = entries.T
    ends = [one.get("to") or (None, None) for one in of]
    named = {
        "name": [one.get("cause") for one in of],
        "plane": [one["plane"] for one in of],
        "x": [(one.get("from") or one["at"])[0] for one in of],
        "y": [(one.get("from") or one["at"])[1] for one in of],
        "port": [one.get("port") for one in of],
        "to_x": [end[0] for end in ends],
        "to_y": [end[1] for end in ends],
    }
    taken = {column: _taken(values, index, column) for column, values in named.items()}
    start = window * window_cycles
    own = {"what": what, "start_cycle": start, "end_cycle": start + window_cycles}
    return own | taken | {"amount": amount, "row": index}


def _actions(fields: Mapping[str, Any]) -> dict[str, Any]:
    actions, height = fields["actions"], fields["mesh"][1]
    first = [action["tiles"][0] if action["tiles"] else None for action in actions]
    return {
        "what": "action",
        "name": [action["kind"] for action in actions],
        "start_cycle": [action["start_cycle"] for action in actions],
        "end_cycle": [action["finish_cycle"] for action in actions],
        "x": [None if tile is None else tile // height for tile in first],
        "y": [None if tile is None else tile % height for tile in first],
        "action": np.arange(len(actions)),
        "row": np.arange(len(actions)),
        "tiles": [action["tiles"] for action in actions],
    }


def _transactions(fields: Mapping[str, Any]) -> dict[str, Any]:
    of, height = fields["transactions"], fields["mesh"][1]
    return {
        "what": "transaction",
        "name": _taken(of["kinds"], np.array(of["kind"], dtype=np.int64), "name"),
        "start_cycle": of["start_cycle"],
        "end_cycle": of["response_cycle"],
        "x": [tile // height for tile in of["from"]],
        "y": [tile % height for tile in of["from"]],
        "to_x": [None if tile is None else tile // height for tile in of["to"]],
        "to_y": [None if tile is None else tile % height for tile in of["to"]],
        "amount": of["bytes"],
        "action": of["action"],
        "row": np.arange(len(of["kind"])),
        **{name: of[name] for name in _TIMES},
    }


def _slices(fields: Mapping[str, Any]) -> dict[str, Any]:
    slices = [(rank, *one) for rank, of in enumerate(fields["ranks"]) for one in of["slices"]]
    ranks, names, starts, ends, calls = zip(*slices, strict=True) if slices else ([],) * 5
    places, known = (
        fields["ranks"],
        [*fields["calls"], dict.fromkeys(("call", "call_site", "awaits"))],
    )
    at = np.array([-1 if call is None else call for call in calls], dtype=np.int64)
    # Behind the calls: that of a slice outside of all.
    at %= len(known)
    texts = ("call", "call_site", "awaits")
    return {
        "what": "rank",
        "name": names,
        "start_cycle": starts,
        "end_cycle": ends,
        "x": [places[rank]["at"][0] for rank in ranks],
        "y": [places[rank]["at"][1] for rank in ranks],
        "row": np.arange(len(ranks)),
        "rank": ranks,
        **{text: _taken([one[text] for one in known], at, text) for text in texts},
    }


def read_fields(path: str) -> dict[str, Any]:
    """The recording in a Parquet file, as `formats/recording.schema.json` has it.

    Raises:
        FileError: The file cannot be read, or holds something else.
    """
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise FileError(f"{path}: cannot read: {error}") from error
    about = table.schema.metadata or {}
    kind, version = (about.get(name, b"").decode() for name in (b"noccl.kind", b"noccl.version"))
    if kind != _KIND:
        raise FileError(f"{path}: not a recording of a run, but {kind or 'another table'}")
    if b"noccl.recording" not in about:
        raise FileError(f"{path}: recording.format: {version}; accepted: one with all numbers, 2")
    try:
        head = json.loads(about[b"noccl.recording"])
        return _fields(head, table)
    except (KeyError, ValueError, TypeError, IndexError, pa.ArrowInvalid) as error:
        raise FileError(f"{path}: not a recording of a run: {error!r}") from error


def _fields(head: dict[str, Any], table: pa.Table) -> dict[str, Any]:
    rows = {what: table.filter(pc.equal(table["what"], what)) for what in _WHATS}
    height = head["mesh"][1]
    windows = head.pop("num_windows")
    flits, links = _of_windows(rows["flits"], head["window_cycles"], windows, _link)
    blocked, ports = _of_windows(rows["blocked"], head["window_cycles"], windows, _port)
    calls, slices = _of_slices(rows["rank"], len(head["ranks"]))
    for rank, of in zip(head["ranks"], slices, strict=True):
        rank["slices"] = of
    transactions = _of_transactions(rows["transaction"], height)
    transactions["left_out"] = head.pop("transactions_left_out")
    return head | {
        "flits": {
            "window_cycles": head.pop("window_cycles"),
            "num_windows": windows,
            "links": links,
            "windows": flits,
        },
        "blocked": {"ports": ports, "windows": blocked},
        "actions": [
            {"kind": one["name"], "tiles": one["tiles"]}
            | {"start_cycle": one["start_cycle"], "finish_cycle": one["end_cycle"]}
            for one in rows["action"].to_pylist()
        ],
        "transactions": transactions,
        "calls": calls,
    }


_WHATS = ("flits", "blocked", "action", "transaction", "rank")


def _link(one: Mapping[str, Any], amount: int) -> dict[str, Any]:
    ends = {"from": [one["x"], one["y"]], "to": [one["to_x"], one["to_y"]]}
    return {"plane": one["plane"], **ends, "flits": amount}


def _port(one: Mapping[str, Any], amount: int) -> dict[str, Any]:
    at = {"plane": one["plane"], "at": [one["x"], one["y"]], "port": one["port"]}
    return {**at, "cause": one["name"], "cycles": amount}


def _of_windows(
    table: pa.Table,
    window_cycles: int,
    num_windows: int,
    made: Any,  # noqa: ANN401 - one of the two functions above
) -> tuple[str, list[dict[str, Any]]]:
    """Base64 of the windows, and what their rows name."""
    row, amount = (table[name].to_numpy().astype(np.int64) for name in ("row", "amount"))
    window = table["start_cycle"].to_numpy() // window_cycles
    order = np.lexsort((row, window))
    window, index, numbers = window[order], row[order], amount[order]
    _, first = np.unique(row, return_index=True)
    sums = np.bincount(row, weights=amount).astype(np.int64) if len(row) else row
    named = table.take(pa.array(first)).to_pylist()
    rows = [made(one, int(total)) for one, total in zip(named, sums, strict=True)]
    return encoded(window, index, numbers, num_windows), rows


def _of_transactions(table: pa.Table, height: int) -> dict[str, Any]:
    names = table["name"].to_pylist()
    kinds = list(dict.fromkeys(names))
    number = {kind: index for index, kind in enumerate(kinds)}

    def tiles(x: str, y: str) -> list[int | None]:
        both = zip(table[x].to_pylist(), table[y].to_pylist(), strict=True)
        return [None if a is None else a * height + b for a, b in both]

    return {
        "kinds": kinds,
        "kind": [number[name] for name in names],
        "action": table["action"].to_pylist(),
        "from": tiles("x", "y"),
        "to": tiles("to_x", "to_y"),
        "bytes": table["amount"].to_pylist(),
        "start_cycle": table["start_cycle"].to_pylist(),
        "response_cycle": table["end_cycle"].to_pylist(),
        **{name: table[name].to_pylist() for name in _TIMES},
    }


def _of_slices(table: pa.Table, num_ranks: int) -> tuple[list[Any], list[list[Any]]]:
    known: dict[tuple[str, str, str], int] = {}
    slices: list[list[Any]] = [[] for _ in range(num_ranks)]
    for one in table.to_pylist():
        key = (one["call"], one["call_site"], one["awaits"])
        call = None if one["call"] is None else known.setdefault(key, len(known))
        slices[one["rank"]].append([one["name"], one["start_cycle"], one["end_cycle"], call])
    names = ("call", "call_site", "awaits")
    return [dict(zip(names, key, strict=True)) for key in known], slices
