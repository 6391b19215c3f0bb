# SPDX-License-Identifier: Apache-2.0
"""Sweeps: products, what is refused, rows."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

import noccl
from noccl.sweeps import __main__ as command
from noccl.sweeps import execute, store
from noccl.sweeps.study import read_study
from tests.sweep_studies import BOTH, SPEC, STUDY, study


def test_a_product_has_every_combination_once() -> None:
    asked = read_study(study(seed=3))
    assert len(asked.points) == 2 * 2 * 2 * 3 * 2
    assert len(read_study({"product": [BOTH, BOTH]}).points) == 48
    overrides = {"router": {"input_fifo_flits": [2, 4]}, "memory.latency_cycles": [10, 20, 30]}
    variants = read_study(study(overrides=overrides))
    assert (len(variants.points), len(variants.specs)) == (6 * 48, 6)
    names = {point.spec for point in variants.points.values()}
    settings = "-P router.input_fifo_flits=4 -P memory.latency_cycles=30"
    assert f"{SPEC} {settings}" in names


def test_rows_name_what_was_set_beside_their_spec(tmp_path: Path) -> None:
    overrides = {"memory.latency_cycles": [10, 30]}
    one = {"collectives": ["reduce"], "bytes": [64], "algorithms": ["tree:2"]}
    one["backends"] = ["sim"]
    rows = noccl.sweep(study(overrides=overrides, **one), tmp_path / "results", processes=1)
    networks = {row["network"] for row in rows.rows()}
    assert {name.rpartition(" -P ")[2] for name in networks} == {
        "memory.latency_cycles=10",
        "memory.latency_cycles=30",
    }
    assert {row["overrides"] for row in rows.rows()} == {
        "memory.latency_cycles=10",
        "memory.latency_cycles=30",
    }


def test_a_barrier_has_no_size_and_movements_no_operator() -> None:
    fields = {"collectives": ["barrier", "reduce"], "operators": ["sum", "max"]}
    points = read_study(study(**fields)).points.values()
    assert {(p.bytes, p.operator) for p in points if p.collective == "barrier"} == {(0, None)}
    assert {p.operator for p in points if p.collective == "reduce"} == {"sum", "max"}


def test_a_key_is_of_everything_that_a_row_depends_on() -> None:
    asked = {point.key for point in read_study(study()).points.values()}
    for other in (
        {"overrides": {"memory.latency_cycles": 77}},
        {"seed": 2},
        {"bytes": [512]},
        {"roots": ["1,1"]},
        {"algorithms": ["tree:3"]},
        {"backends": ["model"], "operators": ["min"], "collectives": ["reduce"]},
    ):
        assert not asked & {point.key for point in read_study(study(**other)).points.values()}


@pytest.mark.parametrize(
    ("fields", "parts"),
    [
        ({"colectives": ["reduce"]}, ["product[0].colectives: unknown", "`collectives`"]),
        ({"collectives": ["redcue"]}, ["product[0].collectives[0]", "redcue", "`reduce`"]),
        ({"algorithms": ["tree:2", "in_netwrok"]}, ["algorithms[1]", "`in_network`"]),
        ({"algorithms": ["all"]}, ["algorithms[0]", "one algorithm"]),
        ({"backends": ["modle"]}, ["backends[0]", "'modle'", "sim, model", "`model`"]),
        ({"specs": ["collective_nox_4x4"]}, ["specs[0]", "collective_noc_4x4"]),
        ({"specs": ["nowhere/my.toml"]}, ["specs[0]", "nowhere/my.toml"]),
        ({"overrides": {"router": {"input_fifo_flit": 2}}}, ["specs[0]", "input_fifo_flits"]),
        ({"overrides": {"router": {"input_fifo_flits": []}}}, ["input_fifo_flits: empty"]),
        ({"overrides": 3}, ["overrides", "int"]),
        ({"bytes": ["1 kilobyte"]}, ["bytes[0]", "1 kilobyte", "4KiB"]),
        ({"bytes": []}, ["product[0].bytes: empty"]),
        ({"bytes": "1KiB"}, ["product[0].bytes", "a list"]),
        ({"groups": ["row:4", "rwo"]}, ["groups[0]"]),
        ({"groups": ["rwo"]}, ["groups[0]", "rwo"]),
        ({"roots": ["mem0"]}, ["roots[0]", "mem0"]),
        ({"operators": ["mean"]}, ["operators[0]", "sum, min, max"]),
        ({"elements": ["fp65"]}, ["elements[0]", "`fp64`"]),
        ({"seed": -1}, ["product[0].seed", "-1"]),
        ({"seed": 1.5}, ["product[0].seed"]),
        ({"bytes": list(range(8, 10**6, 8))}, ["points; accepted: at most 1000000"]),
    ],
)
def test_a_study_with_a_mistake_is_refused_before_anything_runs(
    tmp_path: Path, fields: dict[str, Any], parts: list[str]
) -> None:
    folder = tmp_path / "results"
    with pytest.raises(noccl.NocclError) as refusal:
        noccl.sweep(study(**fields), folder)
    for part in parts:
        assert part in str(refusal.value)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["product: missing"]),
        ("product = []", ["product", "[[product]]"]),
        ("[[prodct]]\nspecs = []", ["prodct: unknown", "`product`"]),
        ("[[product]]\nspecs = [", ["a study in TOML"]),
        ("[[product]]\n", ["product[0].collectives: missing"]),
    ],
)
def test_a_file_that_is_no_study_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, parts: list[str]
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(text)
    assert command.main(["run", str(path), f"--output={tmp_path / 'results'}"]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"error: {path}: ")
    assert all(part in message for part in parts)
    assert os.listdir(tmp_path) == ["study.toml"]


def test_both_backends_give_the_rows_of_compare(tmp_path: Path) -> None:
    rows = noccl.sweep(study(), tmp_path / "results", processes=1).rows()
    assert {row["outcome"] for row in rows} == {"done"}
    network = noccl.load(SPEC)
    for row in rows:
        if row["backend"] == "model":
            assert row["verified"] == "not_checked"
            continue
        same = noccl.compare(
            network,
            row["collective"],
            sizes_bytes=[row["bytes"]],
            group=row["group"],
            algorithms=[row["algorithm"]],
        ).rows()[0]
        for column in ("cycles", "energy_pj", "verified", "busiest_link", "synchronisation"):
            assert row[column] == same[column] is not None
        for column in ("lower_bound_cycles", "software_bound_cycles"):
            assert row[column] == same[column] > 0


def test_a_network_from_its_stored_text_is_the_same() -> None:
    for preset in (SPEC, "tilepro64_4x4", "smart_8x8"):
        text = noccl.load(preset).to_toml()
        assert execute._network(text).to_toml() == text


def test_impossible_points_are_rows_with_their_reason(tmp_path: Path) -> None:
    asked = study(groups=["all", "row:5"], bytes=[12, 1024], specs=[SPEC, "collective_noc_8x8"])
    rows = noccl.sweep(asked, tmp_path / "results", processes=1).rows()
    refused = [row for row in rows if row["outcome"] == "refused"]
    assert all(row["reason"] and row["cycles"] is None for row in refused)
    outside = [row for row in rows if row["spec"] == SPEC and row["group"] == "row:5"]
    parts = [row for row in rows if row["collective"] == "reduce" and row["bytes"] == 12]
    assert outside
    assert parts
    assert all((row in refused) == (row in [*outside, *parts]) for row in rows)


def test_a_larger_study_reuses_rows_and_a_smaller_one_shows_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    small, large = study(bytes=[1024]), study(bytes=[1024, 4096])
    noccl.sweep(small, folder, processes=1)
    files = store.row_files(folder)
    first = {name: (folder / name).read_bytes() for name in files}
    computed = []
    noccl.sweep(large, folder, processes=1, on_progress=lambda p: computed.append(p.done))
    assert computed[0] == 24
    assert len(noccl.read_sweep(folder)) == 48
    assert {name: (folder / name).read_bytes() for name in files} == first
    assert (
        noccl.sweep(small, folder, processes=1).rows()
        == noccl.sweep(small, tmp_path / "other", processes=1).rows()
    )


def test_wrong_bytes_are_a_failed_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point, *_ = read_study(study(backends=["sim"])).points.values()
    measure = execute._measure
    monkeypatch.setattr(execute, "_measure", lambda *a: measure(*a) | {"verified": "no"})
    row = execute.row_of(point, noccl.load(SPEC).to_toml())
    assert (row["outcome"], row["reason"]) == ("failed", "wrong bytes arrived")
    folder = tmp_path / "results"
    with store.Store(folder) as opened:
        opened.begin(read_study(study(backends=["sim"])))
        opened.append([row])
    assert noccl.sweep_status(folder).all.failed == 1
    assert command.main(["status", str(folder)]) == 1


def test_another_build_of_the_engine_is_refused() -> None:
    request = {"engine": "0" * 32, "seconds": 1, "specs": {}, "points": []}
    assert "another build of noccl" in json.loads(execute.respond(json.dumps(request)))["error"]


def test_studies_with_changed_characters_are_read_or_refused(tmp_path: Path) -> None:
    draw = random.Random(11)
    path = tmp_path / "study.toml"
    refused = 0
    for _ in range(300):
        text = list(STUDY)
        for _ in range(draw.randint(1, 4)):
            place = draw.randrange(len(text))
            text[place] = draw.choice(["", text[place] * 2, draw.choice('"[]{}=,.0-9x\n\x00é')])
        path.write_text("".join(text), encoding="utf-8")
        try:
            read_study(path)
        except noccl.NocclError:
            refused += 1
    assert 0 < refused < 300
