# SPDX-License-Identifier: Apache-2.0
"""Names of before are read, each with a DeprecationWarning that says what it is now."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noccl
from noccl.cp_sat import ProvedPath


def test_a_preset_of_before_is_the_one_of_today() -> None:
    now = noccl.load("collective_noc_2x2_published")
    with pytest.warns(DeprecationWarning, match="is now collective_noc_2x2_published"):
        before = noccl.load("collective_noc_2x2_peer")
    assert before.to_json() == now.to_json()
    with pytest.warns(DeprecationWarning, match=r"router\.flow"):
        noccl.load("collective_noc_2x2_published", overrides={"router.flow": "peer_compatible"})


def test_attributes_of_before_are_those_of_today(mesh4x4_collective: noccl.Network) -> None:
    network = mesh4x4_collective
    report = noccl.stress(network, num_seeds=1)
    slope = noccl.BarrierSlope(router="default", algorithm="counter", cycles_per_cluster=1.0)
    checked = noccl.check(network, noccl.make_schedule(network, "reduce", num_bytes=64))
    orders = noccl.chain_orders(
        noccl.load("torrent_4x5"), source="0,0", destinations="set:1,0;2,0", by=["id"]
    )
    path = ProvedPath(order=(1,), length=1, lower_bound=1)
    for value, old, new in [
        (report, "hung", "stalled"),
        (slope, "plan", "algorithm"),
        (checked, "folds", "fold_orders"),
        (orders.rows[0], "stops", "destinations"),
        (path, "stops", "order"),
    ]:
        with pytest.warns(DeprecationWarning, match=rf"\.{old} is now \.{new}") as told:
            before = getattr(value, old)
        assert before == getattr(value, new)
        assert told[0].filename == __file__


@pytest.mark.parametrize("name", ["reproduce", "ClaimRow", "Reproduction"])
def test_what_has_left_the_package_says_where_it_is(name: str) -> None:
    with pytest.raises(AttributeError, match="noccl-papers -- smart --quick"):
        getattr(noccl, name)
    assert name not in noccl.__all__


def test_columns_of_before_are_those_of_today(tmp_path: Path) -> None:
    study = noccl.barrier_study(clusters=[2])
    with pytest.warns(DeprecationWarning, match="plan of tables of kind barriers is now algorithm"):
        assert list(study.table["plan"]) == list(study.table["algorithm"])
    today = study.table.arrow
    fields = [f.with_name("plan") if f.name == "algorithm" else f for f in today.schema]
    schema = pa.schema(fields, metadata=today.schema.metadata)
    before = pa.Table.from_arrays(today.columns, schema=schema)
    pq.write_table(before, tmp_path / "before.parquet")
    with pytest.warns(DeprecationWarning, match="is now algorithm"):
        read = noccl.ResultTable.read_parquet(tmp_path / "before.parquet")
    assert read.rows() == study.table.rows()


def test_names_that_people_type_first_are_read(mesh4x4_collective: noccl.Network) -> None:
    network = mesh4x4_collective
    usual = noccl.compare(network, "multicast", sizes_bytes=[1024], algorithms=["tree:1"])
    with pytest.warns(UserWarning, match="1KB is read as 1 KiB, 1024 bytes") as told:
        other = noccl.compare(network, "broadcast", sizes_bytes=["1KB"], algorithms=["binomial:1"])
    assert other.rows() == usual.rows()
    assert told[0].filename == __file__
    for name in ["allreduce", "all-reduce", "AllReduce"]:
        schedule = noccl.make_schedule(network, name, num_bytes="1KiB")
        assert '"all_reduce"' in schedule.text
    noccl.make_schedule(network, "reduce-scatter", num_bytes=64)
    with pytest.raises(noccl.ArgumentError, match="did you mean `all_reduce`"):
        noccl.make_schedule(network, "all_reduse", num_bytes=64)
    with pytest.raises(noccl.ArgumentError, match="KiB"):
        noccl.make_schedule(network, "reduce", num_bytes="1 potato")
