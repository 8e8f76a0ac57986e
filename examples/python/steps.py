#!/usr/bin/env python3
"""Where the time of each step went, as a table and as a picture. Needs pandas and matplotlib.

usage: steps.py STORE PICTURE.png

The cells below can be pasted into a notebook; STORE is made by "tracecoach import TRACE -o STORE".
"""
import sqlite3
import sys

if len(sys.argv) != 3:
    sys.exit(__doc__.strip())
try:
    import matplotlib
    import pandas
except ImportError as error:
    sys.exit(f"steps.py: no module {error.name}: pip install pandas matplotlib")
matplotlib.use("Agg")

# %% Read: a store is one SQLite file, and all times are in nanoseconds
db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro&immutable=1", uri=True)
metrics = pandas.read_sql(
    "SELECT step, name, value FROM metric WHERE step IS NOT NULL AND device IS NULL"
    " AND (name = 'device_busy_ns' OR name GLOB 'host_*_exposed_ns')", db)

# %% Tabulate: a row a step, in ms; the device works, or the host does what the column says meanwhile
table = metrics.pivot(index="step", columns="name", values="value") / 1e6
table.columns = [name[:-3].replace("_exposed", "") for name in table.columns]
table = table.loc[:, table.sum() > 0]
print(table.assign(step=table.sum(axis=1)).round(3).to_string())

# %% Draw
axes = table.plot.bar(stacked=True)
axes.set_xlabel("step")
axes.set_ylabel("ms")
axes.figure.savefig(sys.argv[2], dpi=100, bbox_inches="tight")
