# SPDX-License-Identifier: Apache-2.0
"""Studies of many points: products of specs, collectives, sizes, groups, algorithms and backends.

`study` reads what is asked, `execute` computes points, `pools` are where, `store` is the folder of
results, `run` brings them together, `status` and `pareto` show what is there. The command
`noccl sweep` is `python -m noccl.sweeps`.
"""
