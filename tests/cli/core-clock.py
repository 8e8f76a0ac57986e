#!/usr/bin/env python3
"""Traces whose devices work at a known clock, and what the table core_clock and the heuristic core-clock say of each.

usage: core-clock.py TRACECOACH DIR"""

import json
import subprocess
import sys

STEP_US = 1000
WORK_US = 800


def trace(samples, name="SM Clock", member="MHz", pids=(0,), counter_pid=0, device="NVIDIA A100-SXM4-40GB", rests=None):
    """A step for each sample, in which all devices work for WORK_US; the clock rests behind the work."""
    events = [{"ph": "M", "name": "process_labels", "pid": 100, "tid": 0, "args": {"labels": "CPU"}}]
    for pid in pids:
        events.append({"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "args": {"labels": f"GPU {pid}"}})
    for n, value in enumerate(samples):
        at, corr = 1000 + n * STEP_US, 0
        events.append(
            {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{n}", "pid": 100, "tid": 100, "ts": at, "dur": 990, "args": {}}
        )
        for value_at, held in ((at + 1, value), (at + 900, rests or value)):
            events.append({"ph": "C", "name": name, "pid": counter_pid, "tid": 0, "ts": value_at, "args": {member: held}})
        for pid in pids:
            for k in range(4):
                corr = 1000 * n + 10 * pid + k
                args = {"device": pid, "stream": 7, "correlation": corr}
                events.append(
                    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 100, "tid": 100, "ts": at + 5 + 2 * k, "dur": 1, "args": {"correlation": corr}}
                )
                # two streams at once: busy time counts once
                events.append(
                    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": pid, "tid": 7, "ts": at + 50 + k * 200, "dur": 200, "args": args}
                )
                events.append(
                    {"ph": "X", "cat": "kernel", "name": "add", "pid": pid, "tid": 8, "ts": at + 100 + k * 200, "dur": 100, "args": {**args, "stream": 8}}
                )
    return {"schemaVersion": 1, "deviceProperties": [{"id": pid, "name": device} for pid in pids], "traceEvents": events}


FALLS = [1410] * 4 + [1300, 1250, 1200, 1150] + [1095] * 4


def cases():
    """Name, trace, and the words that the finding must have; None: no finding, a text: why there is none."""
    yield "falls", trace(FALLS), ["1,410 to 1,095 MHz", "(22 %)"]
    yield "in kHz", trace([1000 * mhz for mhz in FALLS], member="kHz"), ["1,410 to 1,095 MHz"]
    yield "in Hz", trace([1e6 * mhz for mhz in FALLS], "GPC Clock Frequency", "value"), ["1,410 to 1,095 MHz"]
    yield "rises", trace(FALLS[::-1]), None
    yield "as the work goes", trace([1410, 1150] * 6), None
    yield "rests", trace([1410] * 12, rests=210), None
    yield "first step", trace([1410] + [1200] * 11), None
    yield "low", trace([990, 1000] * 6), ["995 MHz is 29 % below the 1,410 MHz"]
    yield "low, no data sheet", trace([990, 1000] * 6, device="Unknown"), None
    yield "memory's clock", trace(FALLS, "Memory Clock"), "not_applicable"
    yield "one of two devices", trace(FALLS, pids=(0, 1), counter_pid=1), ["device 1", "1,410 to 1,095 MHz"]
    yield "none of two devices", trace(FALLS, pids=(0, 1), counter_pid=300), "not_applicable"


def ask(tool, store, query):
    run = subprocess.run([tool, "query", store, query, "--format", "json"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def fault(tool, path, made, expected):
    with open(path + ".json", "w") as out:
        json.dump(made, out)
    subprocess.run([tool, "import", "-q", path + ".json", "-o", path + ".db"], check=True)
    outcome = ask(tool, path + ".db", "SELECT outcome FROM account WHERE heuristic = 'core-clock'")
    rows = ask(tool, path + ".db", "SELECT e.subject || ' ' || e.data AS words FROM finding f JOIN evidence e ON e.finding_id = f.id WHERE f.heuristic = 'core-clock'")
    busy = ask(tool, path + ".db", "SELECT DISTINCT busy_ns FROM core_clock WHERE busy_ns > 0")
    text = json.dumps([outcome, rows])
    if isinstance(expected, list):
        if not all(words in text for words in expected):
            return text
        if str(WORK_US * 1000) not in json.dumps(busy) or "[{" not in json.dumps(busy) or json.dumps(busy).count("busy_ns") > 1:
            return json.dumps(busy)
        return None
    return None if (expected or '"quiet"') in text else text


def main(tool, directory):
    faults = 0
    for name, made, expected in cases():
        found = fault(tool, f"{directory}/{name}", made, expected)
        if found:
            print(f"{name}: {found}, not {expected}")
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
