#!/usr/bin/env python3
"""Traces whose devices work at a known clock, and what the table core_clock and the heuristic core-clock say of each.

usage: core-clock.py TRACECOACH DIR"""

import json
import resource
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


def beside(made, samples, pid, name="SM Clock"):
    """A trace with one more counter, whose process comes first."""
    made["traceEvents"].insert(0, {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": "GPU"}})
    for n, value in enumerate(samples):
        made["traceEvents"].append(
            {"ph": "C", "name": name, "pid": pid, "tid": 0, "ts": 1001 + n * STEP_US, "args": {"MHz": value}}
        )
    return made


def held_long(made):
    """A trace in which one sample holds for most of the first part, as others are missing."""
    clocks = [event for event in made["traceEvents"] if event["ph"] == "C"]
    made["traceEvents"] = [event for event in made["traceEvents"] if event not in clocks[3:6]]
    return made


def from_warm_up():
    """A trace whose recording of steps begins late, with a sample before them that holds on into them."""
    made = trace([1410] + [1100] * 49)

    def is_kept(event):
        step = (event.get("ts", 0) - 1000) // STEP_US
        return not (event["name"].startswith("ProfilerStep") and step < 4 or event["ph"] == "C" and 0 < step < 6)

    made["traceEvents"] = [event for event in made["traceEvents"] if is_kept(event)]
    return made


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
    yield "low", trace([690, 700] * 6), ["695 MHz is 51 % below the 1,410 MHz"]
    yield "low by the power limit", trace([990, 1000] * 6), None
    yield "low, no data sheet", trace([690, 700] * 6, device="Unknown"), None
    yield "memory's clock", trace(FALLS, "Memory Clock"), "not_applicable"
    yield "one of two devices", trace(FALLS, pids=(0, 1), counter_pid=1), ["device 1", "1,410 to 1,095 MHz"]
    yield "no device's process", trace(FALLS, counter_pid=300), ["device 0", "1,410 to 1,095 MHz"]
    yield "another device's beside its own", beside(trace([1410] * 12, pids=(3,), counter_pid=3), FALLS, 0), None
    yield "its own beside another device's", beside(trace(FALLS, pids=(3,), counter_pid=3), [1410] * 12, 0), ["1,410 to 1,095 MHz"]
    yield "another device's alone", trace(FALLS, pids=(3,), counter_pid=0), "not_applicable"
    yield "two outside", beside(trace(FALLS, counter_pid=300), [1410] * 12, 301), "not_applicable"
    yield "two names", beside(trace(FALLS, "GPU 1 SM Clock", counter_pid=300), FALLS, 300), "not_applicable"
    yield "highest clock beside it", beside(trace(FALLS), [1410] * 12, 0, "DCGM_FI_DEV_MAX_SM_CLOCK"), ["1,410 to 1,095 MHz"]
    yield "limit alone", trace(FALLS, "clocks", "sclk limit"), "not_applicable"
    yield "few samples", trace([1410] * 4 + [1095] * 5), None
    yield "few in a part", held_long(trace(FALLS)), None
    yield "from warm-up on", from_warm_up(), None
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


def many(count):
    """Alternating work and rest on one device, and as many samples of its clock."""
    events = [{"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}}]
    for n in range(count):
        args = {"device": 0, "stream": 7, "correlation": n}
        events.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10 * n, "dur": 8, "args": args})
        events.append({"ph": "C", "name": "SM Clock", "pid": 0, "tid": 0, "ts": 10 * n + 1, "args": {"MHz": 1400 + n % 7}})
    return {"schemaVersion": 1, "traceEvents": events}


def is_fast(tool, path):
    """Whether the work of an import grows with samples and work, not with their product: a second of the processor, not a minute."""
    with open(path + ".json", "w") as out:
        json.dump(many(30000), out)
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    return subprocess.run([tool, "import", "-q", path + ".json", "-o", path + ".db"], preexec_fn=limit).returncode == 0


def main(tool, directory):
    faults = 0
    if not is_fast(tool, f"{directory}/many"):
        print("many samples: the import fails, or takes too long")
        faults += 1
    for name, made, expected in cases():
        found = fault(tool, f"{directory}/{name}", made, expected)
        if found:
            print(f"{name}: {found}, not {expected}")
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
