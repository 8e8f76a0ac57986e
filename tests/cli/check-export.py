"""A trace that tracecoach exported beside the original and its store: the bytes of the original are all
there, and the events before them say what the store says. usage: check-export.py ORIGINAL EXPORT STORE LEAST_US"""
import collections
import decimal
import gzip
import json
import sqlite3
import sys

original, exported, store, least_us = sys.argv[1:5]
least_ns = int(least_us) * 1000


def read(path):
    data = open(path, "rb").read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def events_of(data):
    text = data.decode("utf-8", "replace")
    load = lambda text: json.loads(text, parse_float=decimal.Decimal)
    try:
        whole = load(text)
    except ValueError:  # a line an event
        return [load(line) for line in text.splitlines() if line.strip()]
    return whole if isinstance(whole, list) else whole["traceEvents"]


def ns(us):
    value = decimal.Decimal(us) * 1000
    assert value == int(value), us
    return int(value)


# The bytes of the original are in one piece before our events and one behind them.
old, new = read(original), read(exported)
before = next((i for i in range(len(old)) if old[i] != new[i]), len(old))
behind = len(new) - (len(old) - before)
marker = new.find(b'\n  {"ph": "M", "cat": "tracecoach"')
assert 0 <= marker <= before, marker
assert new[:marker] == old[:marker] and new.endswith(old[marker:]), "bytes of the original are changed"
events, theirs = events_of(new), events_of(old)
count = len(events) - len(theirs)
ours = events[:count]
assert count > 0 and events[count:] == theirs
assert all(event["cat"] == "tracecoach" for event in ours)

# A process of its own, above all others.
pids = {event["pid"] for event in ours if event["ph"] in "MXC"}
assert len(pids) == 1
pid = pids.pop()
tids = {event["tid"] for event in ours if event["ph"] == "X"}
used = {str(event.get(key)) for event in theirs for key in ("pid", "tid")}
assert not used & {str(number) for number in tids | {pid}}
names = {event["tid"]: event["args"]["name"] for event in ours if event["name"] == "thread_name"}
assert {"name": "tracecoach"} in [event["args"] for event in ours if event["name"] == "process_name"]
assert {"sort_index": -1000000} in [event["args"] for event in ours if event["name"] == "process_sort_index"]

# Slices by line; none overlaps another.
lines = collections.defaultdict(list)
for event in ours:
    if event["ph"] == "X":
        lines[event["tid"]].append((ns(event["ts"]), ns(event["dur"]), event))
for tid, line in lines.items():
    assert line == sorted(line, key=lambda slice: slice[0]), names[tid]
    for (ts, dur, _), (following, _, _) in zip(line, line[1:]):
        assert ts + dur <= following, (names[tid], ts, dur, following)


def track(start):
    found = [slice for tid, line in lines.items() if names[tid].startswith(start) for slice in line]
    return sorted(found, key=lambda slice: slice[:2])


db = sqlite3.connect(store)
query = lambda sql, *values: db.execute(sql, values).fetchall()
steps = [(ts, dur, event["name"]) for ts, dur, event in track("steps")]
assert sorted(steps) == sorted(query("SELECT ts, dur, 'step ' || number FROM step")), steps
path = [(ts, dur) for ts, dur, _ in track("critical path")]
assert path == query("SELECT ts, dur FROM critical_stretch ORDER BY ts")
findings = query("SELECT heuristic, title FROM finding")
shown = [(event["args"]["id"], event["name"]) for _, _, event in track("findings")]
assert set(shown) <= set(findings) and len(set(shown)) == len(shown), shown

# Idle time adds up by device and cause, and lies within gaps of the store.
sums = collections.Counter()
for tid, line in lines.items():
    if names[tid].endswith("idle, by cause"):
        for ts, dur, event in line:
            sums[names[tid], event["name"]] += dur
            assert event["args"]["gap_ns"] >= least_ns
want = query("SELECT device, cause, sum(dur) FROM gap WHERE gap_dur >= ? GROUP BY 1, 2", least_ns)
assert sums == {(f"device {device} idle, by cause", cause): dur for device, cause, dur in want}, (sums, want)
gaps = set(query("SELECT device, gap_ts, gap_dur FROM gap WHERE gap_dur >= ?", least_ns))
idle = collections.defaultdict(int)
for tid, line in lines.items():
    device = names[tid].removeprefix("device ").removesuffix(" idle, by cause")
    for gap in gaps:
        if device == gap[0]:
            idle[gap] += sum(dur for ts, dur, _ in line if gap[1] <= ts and ts + dur <= gap[1] + gap[2])
assert all(idle[gap] == gap[2] for gap in gaps), "gaps are not filled"

# An arrow joins a gap with a slice of the launching call, and does not go back in time.
ends = {phase: {e["id"]: e for e in ours if e["ph"] == phase} for phase in "sf"}
assert ends["s"].keys() == ends["f"].keys()
calls = set(query("SELECT p.pid, t.tid, s.ts, s.dur FROM gap g JOIN slice_row s ON s.id = g.next_launch_slice_id"
    " JOIN track k ON k.id = s.track_id JOIN thread t ON t.id = k.thread_id JOIN process p ON p.id = t.process_id"))
for number, out in ends["s"].items():
    into = ends["f"][number]
    assert ns(out["ts"]) <= ns(into["ts"])
    gap, call = (out, into) if out["pid"] == pid else (into, out)
    assert any(ts == ns(gap["ts"]) for ts, _, _ in lines[gap["tid"]])
    at = ns(call["ts"])
    assert any((call["pid"], call["tid"]) == c[:2] and c[2] <= at <= c[2] + max(c[3], 0) for c in calls), call
want = query("SELECT count(*) FROM (SELECT DISTINCT device, gap_ts FROM gap WHERE gap_dur >= ? AND next_launch_slice_id"
    " IS NOT NULL)", least_ns)[0][0]
assert len(ends["s"]) == want, (len(ends["s"]), want)

# Counters reach the maximum of the store.
peaks = collections.defaultdict(float)
for event in ours:
    if event["ph"] == "C":
        peaks[event["name"]] = max(peaks[event["name"]], float(event["args"]["value"]))
for device, depth in query("SELECT device, max(depth) FROM queue_depth GROUP BY 1"):
    assert peaks[f"queued work, device {device}"] == depth, (device, depth, peaks)
for device, size in query("SELECT device_id, max(total_allocated_bytes) FROM memory_sample WHERE device_type <> 0"
        " AND total_allocated_bytes IS NOT NULL GROUP BY 1"):
    assert peaks[f"memory in use, device {device}"] == size, (device, size, peaks)
print(len(steps), "steps", len(shown), "findings", len(gaps), "gaps", len(ends["s"]), "arrows", len(peaks), "counters")
