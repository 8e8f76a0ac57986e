#!/usr/bin/env python3
"""Prints the findings of a trace, and the five device operations that take the device longest. Needs Python alone.

usage: findings.py TRACE
"""
import json
import sqlite3
import subprocess
import sys
import tempfile


def main(trace):
    with tempfile.TemporaryDirectory() as directory:
        store = directory + "/run.db"
        # One run: the report as JSON, and the store for questions of our own.
        done = subprocess.run(
            ["tracecoach", trace, "--db", store, "--format", "json", "--quiet"],
            stdout=subprocess.PIPE, check=True)
        for finding in json.loads(done.stdout)["advice"]:
            gain = finding["gain_ns"]
            print(f"{finding['id']:24} {'-' if gain is None else f'{gain / 1e6:.3f} ms'}")
        with sqlite3.connect(f"file:{store}?mode=ro&immutable=1", uri=True) as db:
            rows = db.execute(
                "SELECT name, sum(count), sum(exclusive_ns) AS ns FROM op_total"
                " GROUP BY name ORDER BY ns DESC, name LIMIT 5")
            for name, count, ns in rows:
                print(f"{ns / 1e6:12.3f} ms {count:6} x {name}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(sys.argv[1])
