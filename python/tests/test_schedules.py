# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import noccl
from noccl.schedules import FORMAT

ROW = noccl.MultiAddress(noccl.Cluster(0, 0), mask_x=3, mask_y=0)


def every_action() -> noccl.Schedule:
    """One action of each kind: load, multicast, reduce in the network and by cores, meet."""
    here = noccl.Cluster(0, 0)
    builder = noccl.ScheduleBuilder("every_action", {"chunks": "1"})
    load = builder.transfer(
        here, noccl.Place(noccl.Memory(0), 0), noccl.Place(here, 0), 256, rows=2, source_stride=512,
        destination_stride=256,
    )  # fmt: skip
    spread = builder.multicast(here, noccl.Place(here, 0), ROW, 4096, 512, after=[load])
    # Only the initiator has seen the multicast end: the others learn it by a barrier.
    arrived = builder.barrier(noccl.Row(0), here, after=[spread])
    reduced = builder.in_network_reduction(
        ROW, 4096, noccl.Place(here, 8192), 512, element="int64", after=[arrived]
    )
    local = builder.local_reduce(here, [8192, 0], 8192, 512, element="int64", after=[reduced])
    busy = builder.compute(here, cycles=40, after=[local])
    builder.barrier(noccl.Row(0), here, after=[busy])
    return builder.build()


def test_a_built_schedule_reads_back_from_its_file(tmp_path: Path) -> None:
    schedule = every_action()
    schedule.save(tmp_path / "schedule.json")
    assert noccl.Schedule.open(tmp_path / "schedule.json") == schedule
    assert schedule.algorithm == "every_action"
    assert schedule.parameters == {"chunks": "1"}
    assert schedule.num_actions == 7


def test_a_file_is_complete_or_as_before(tmp_path: Path) -> None:
    schedule = every_action()
    target, link = tmp_path / "schedule.json", tmp_path / "link.json"
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    schedule.save(link)
    assert link.is_symlink()
    assert noccl.Schedule.open(target) == schedule
    schedule.save(f"{tmp_path}/fresh.json")
    (tmp_path / "folder").mkdir()
    for path in ["folder", "folder/", "schedule.json/file", "none/../x", "nul\0", "\ud800"]:
        with pytest.raises(noccl.FileError):
            schedule.save(f"{tmp_path}/{path}")
    with pytest.raises(noccl.FileError, match="int"):
        schedule.save(5)  # type: ignore[arg-type]
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"schedule.json", "link.json", "fresh.json", "folder"}


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk."""
    code = """
import resource, signal, sys, noccl
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    noccl.Schedule("x" * 10_000).save(sys.argv[1])
except noccl.FileError as error:
    print(error)
"""
    path = tmp_path / "schedule.json"
    path.write_text("old", encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    )
    assert "cannot be written" in ran.stdout
    assert path.read_text(encoding="utf-8") == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["schedule.json"]


def test_files_are_written_in_one_place() -> None:
    package = Path(noccl.__file__).parent
    calls = re.compile(
        r"\.write_(text|bytes|parquet)\(|\bopen\([^)]*[\"'][wax]|os\.replace|savefig\((?!text|picture)|write_table\([^)]*path"
    )
    # A drawing goes to a text in memory first.
    for path in package.glob("*.py"):
        code = re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not calls.search(code), path.name


def test_a_built_schedule_computes_what_its_actions_say(
    mesh4x4_collective: noccl.Network,
) -> None:
    data = np.arange(96, dtype=np.int64)
    here = noccl.Cluster(0, 0)
    report, (result,) = noccl.run_values(
        mesh4x4_collective,
        every_action(),
        [(noccl.Place(noccl.Memory(0), 0), data)],
        [(noccl.Place(here, 8192), 512)],
    )
    # Two lines of 256 bytes, 512 apart; four members give the same; the cores add it once more.
    lines = np.concatenate([data[:32], data[64:96]])
    np.testing.assert_array_equal(result.view(np.int64), 5 * lines)
    assert report.action_cycles.shape == (7, 2)
    starts, finishes = report.action_cycles.T
    assert np.all(starts <= finishes)
    # Each action waits for the one before it, at least where both take place.
    assert np.all(np.diff(finishes) > 0)


def test_an_all_reduce_in_one_transaction_gives_every_member_the_sum(
    mesh4x4_collective: noccl.Network,
) -> None:
    builder = noccl.ScheduleBuilder("one_transaction")
    builder.in_network_all_reduce(
        ROW, 0, noccl.Place(noccl.Cluster(2, 0), 4096), 512, element="int64"
    )
    data = np.arange(64, dtype=np.int64)
    members = [noccl.Cluster(x, 0) for x in range(4)]
    _, results = noccl.run_values(
        mesh4x4_collective,
        builder.build(),
        [(noccl.Place(member, 0), data) for member in members],
        [(noccl.Place(member, 4096), 512) for member in members],
    )
    for result in results:
        np.testing.assert_array_equal(result.view(np.int64), 4 * data)


def test_a_member_that_reads_before_its_data_arrives_is_refused(
    mesh4x4_collective: noccl.Network,
) -> None:
    here = noccl.Cluster(0, 0)
    builder = noccl.ScheduleBuilder("race")
    spread = builder.multicast(here, noccl.Place(here, 0), ROW, 4096, 512)
    builder.in_network_reduction(ROW, 4096, noccl.Place(here, 8192), 512, after=[spread])
    with pytest.raises(noccl.ScheduleError):
        noccl.run(mesh4x4_collective, builder.build())


def test_value_and_timing_mode_have_the_same_cycles(mesh4x4_collective: noccl.Network) -> None:
    schedule = noccl.make_schedule(mesh4x4_collective, "all_reduce", num_bytes=2048)
    value, timing = (
        noccl.run(mesh4x4_collective, schedule, mode=mode) for mode in ("value", "timing")
    )
    np.testing.assert_array_equal(value.action_cycles, timing.action_cycles)
    assert value.verified is noccl.Verified.YES
    assert timing.verified is noccl.Verified.NOT_CHECKED


def test_a_false_claim_is_refused(mesh4x4_collective: noccl.Network) -> None:
    here = noccl.Cluster(0, 0)
    builder = noccl.ScheduleBuilder("forgets_three_members")
    builder.transfer(here, noccl.Place(noccl.Memory(0), 0), noccl.Place(here, 0), 64)
    claim = noccl.Collective("multicast", noccl.Row(0), noccl.Memory(0), 64, 0, 0, element="int8")
    with pytest.raises(noccl.ScheduleError):
        noccl.run(mesh4x4_collective, builder.build(claim))


def test_a_claim_reads_back_as_the_engine_wrote_it(mesh4x4_collective: noccl.Network) -> None:
    group = noccl.Rectangle(0, 0, 2, 2)
    made = noccl.make_schedule(
        mesh4x4_collective, "reduce", num_bytes=512, group=group, root="1,1", element="int32"
    )
    written = json.loads(made.text)["collective"]
    claim = noccl.Collective(
        "reduce",
        group,
        noccl.Cluster(1, 1),
        512,
        written["input_offset"],
        written["output_offset"],
        element="int32",
    )
    assert claim.to_json() == written
    moved = dataclasses.replace(claim, input_offset=64, output_offset=128)
    assert moved.to_json() == written | {"input_offset": 64, "output_offset": 128}


def test_another_format_version_is_refused(mesh4x4_collective: noccl.Network) -> None:
    later = json.loads(every_action().text) | {"format": FORMAT + 1}
    with pytest.raises(noccl.NocclError, match="format"):
        noccl.run(mesh4x4_collective, noccl.Schedule(json.dumps(later)))


def test_a_base_with_masked_bits_is_refused_by_field(mesh4x4_collective: noccl.Network) -> None:
    masked = noccl.MultiAddress(noccl.Cluster(1, 0), mask_x=1, mask_y=0)
    here = noccl.Cluster(0, 0)
    builder = noccl.ScheduleBuilder("masked")
    builder.multicast(here, noccl.Place(here, 0), masked, 4096, 64)
    with pytest.raises(noccl.NocclError, match=r"multicast\.set = base \(1,0\) with mask \(1,0\)"):
        noccl.run(mesh4x4_collective, builder.build())
