"""Unpacks the timelines of a page as its script does, and compares them with the store that it was made from:
usage: check-timeline.py PAGE STORE [TRACE]: of that trace alone. The nodes of operator trees must be those of the store, each with the one around it."""
import base64
import gzip
import json
import re
import sqlite3
import sys


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def next(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.next()
        return -(value + 1) // 2 if value & 1 else value // 2

    def take(self, count, signed=False):
        return [self.signed() if signed else self.next() for _ in range(count)]


def unpack(text):
    reader = Reader(gzip.decompress(base64.b64decode(text)))
    length = reader.next()
    table = json.loads(reader.data[reader.at:reader.at + length])
    reader.at += length
    count = table["items"]
    gaps, lengths = reader.take(count, True), reader.take(count)
    labels, more = reader.take(count), reader.take(count)
    items, at = [], 0
    for track in table["tracks"]:
        for row in track["rows"]:
            end = 0
            for i in range(at, at + row):
                start = end + gaps[i]
                end = start + lengths[i]
                items.append((track["kind"], track["name"], start, lengths[i], table["labels"][labels[i]], more[i]))
            at += row
    launch = 0
    for kind, _, start, *_ in items:
        known = reader.next() if kind == "lane" else 0
        if known == 2:
            launch += reader.signed()
            assert items[launch][2] <= start, "work begins before its launch"
        elif known == 1:
            reader.signed()  # how long before the call began: it is no item
        if known:
            reader.next()  # work that was launched before and had not started
    counters = {}
    for counter in table["counters"]:
        times, values = reader.take(counter["count"], True), reader.take(counter["count"], True)
        assert all(step >= 0 for step in times[1:]), "times of a counter go back"
        most = value = 0
        for step in values:
            value += step
            most = max(most, value)
        counters[counter["name"]] = most / 1000
    assert reader.at == len(reader.data) and at == count
    return table, items, counters


page, store, *only = sys.argv[1:]
with open(page, encoding="utf-8") as file:
        text = file.read()
blocks = re.findall(r'<script type="application/octet-stream">([^<]*)<', text)
trees = re.findall(r'<script type="application/octet-stream" class="tree">([^<]*)<', text)
db = sqlite3.connect(f"file:{store}?immutable=1", uri=True)
traces = [(int(trace),) for trace in only] or db.execute("SELECT id FROM trace WHERE end_ns IS NOT NULL ORDER BY id").fetchall()
assert len(blocks) == len(traces)
for (trace,), text in zip(traces, blocks):
    table, items, counters = unpack(text)
    start = db.execute("SELECT start_ns FROM trace WHERE id = ?", (trace,)).fetchone()[0]
    assert table["least"] == 0, "a small trace is shown whole"

    def same(what, kinds, sql, pick):
        shown = sorted(pick(item) for item in items if item[0] in kinds)
        want = sorted(tuple(row) for row in db.execute(sql, (trace, start)))
        assert shown == want, f"{what}: {len(shown)} shown, {len(want)} in the store"

    same("slices", ("lane", "host"), "SELECT ts - ?2, max(dur, 0) FROM slice WHERE trace_id = ?1", lambda i: (i[2], i[3]))
    same("steps", ("steps",), "SELECT ts - ?2, dur, 'step ' || number FROM step WHERE trace_id = ?1", lambda i: (i[2], i[3], i[4]))
    same("critical path", ("path",), "SELECT c.ts - ?2, c.dur, CASE piece WHEN 'device' THEN"
         " 'device ' || c.device || ': ' || coalesce(t.lane, t.name) WHEN 'host' THEN coalesce(t.name, p.name, 'host') ELSE piece END"
         " FROM critical_stretch c LEFT JOIN track t ON t.id = c.track_id LEFT JOIN process p ON p.id = t.process_id"
         " WHERE c.trace_id = ?1", lambda i: (i[2], i[3], i[4]))
    gaps = db.execute("SELECT DISTINCT device, gap_ts - ?2, gap_dur FROM gap WHERE trace_id = ?1 AND gap_ts IS NOT NULL"
                      " AND cause <> 'no_work'", (trace, start)).fetchall()
    within = [(item[3], item[4]) for item in items if item[0] == "idle" and any(ts <= item[2] < ts + dur for _, ts, dur in gaps)]
    want = [tuple(row) for row in db.execute("SELECT dur, cause FROM gap WHERE trace_id = ? AND gap_ts IS NOT NULL", (trace,))]
    assert sorted(within) == sorted(want), f"idle time: {len(within)} shown, {len(want)} in the store"
    # Beside the gaps: from the first step to the first work, and from the last work to the end of the steps.
    edges = [item for item in items if item[0] == "idle" and not any(ts <= item[2] < ts + dur for _, ts, dur in gaps)]
    devices = len({device for device, _, _ in gaps}) or 1
    first, last, begin, end = db.execute("SELECT min(device_ts) - ?2, max(device_ts + device_dur) - ?2, min(ts) - ?2, max(ts + dur) - ?2"
                                         " FROM step WHERE trace_id = ?1", (trace, start)).fetchone()
    long = 0 if first is None else devices * (max(0, first - begin) + max(0, end - last))
    assert sum(item[3] for item in edges) == long, f"edges: {sum(item[3] for item in edges)} shown, not {long}"

    def cost(ts, dur):  # idle time of devices under a slice of the host, and until they work again
        return sum(max(0, (gap + length if gap <= ts + dur else ts + dur) - max(gap, ts)) for _, gap, length in gaps if gap <= ts + dur)

    for place in (place for place in table["places"] if "track" in place):
        if table["tracks"][place["track"]]["kind"] == "host":
            host = [item for item in items if item[0] == "host"]
            names = [item[4] for item in host if item[2:4] == (place["ts"], place["dur"])]
            alike = [item[2:4] for item in host if item[4] == names[0]]
            assert max(cost(ts, dur) for ts, dur in alike) == cost(place["ts"], place["dur"]), place
    parts = {}
    for ts, dur, name, device, wait, late in db.execute(
            "SELECT o.ts - ?2, max(o.dur, 0), coalesce(c.kind, o.collective), o.device, coalesce(c.wait_ns, 0),"
            " (SELECT min(j.rank) FROM collective l JOIN job_rank j ON j.trace_id = l.trace_id WHERE l.match_id = c.match_id AND l.early_ns = 0)"
            " FROM device_op o"
            " LEFT JOIN collective c ON c.slice_id = o.id WHERE o.trace_id = ?1 AND o.collective IS NOT NULL ORDER BY o.ts", (trace, start)):
        if wait > 0:
            parts.setdefault((device, f"{name} waits for rank {late}"), []).append((ts, wait))
        parts.setdefault((device, name), []).append((ts + wait, dur - wait))
    want = []
    for (device, name), all_parts in parts.items():
        end = None
        for ts, dur in sorted(all_parts):
            if end is not None and ts < end:
                end = max(end, ts + dur)
                want[-1] = (want[-1][0], end - want[-1][0], name)
            else:
                end = ts + dur
                want.append((ts, dur, name))
    late = {items[item][2]: rank for item, rank in zip(table["late"][::2], table["late"][1::2])}
    assert late == {ts: int(name.split(" waits for rank ")[1]) for ts, _, name in want if " waits for rank " in name}, "late ranks"
    shown = sorted((item[2], item[3], item[4]) for item in items if item[0] == "collective")
    assert shown == sorted(want), f"collectives: {len(shown)} shown, {len(want)} in the store"
    for device, most in db.execute("SELECT device, max(depth) FROM queue_depth WHERE trace_id = ? GROUP BY device", (trace,)):
        assert counters[f"queued work, device {device}"] == max(most, 0), f"queue of device {device}"
    for place in (place for place in table["places"] if "track" in place):
        assert 0 <= place["track"] < len(table["tracks"]) and 0 <= place["dur"] <= table["span"], place

for (trace,), text in zip(traces, trees if len(trees) == len(traces) else []):
    nodes = json.loads(gzip.decompress(base64.b64decode(text)))
    rows = {row[0]: row for row in db.execute("SELECT id, coalesce(parent_id, -1), phase, count, host_ns, host_self_ns, exclusive_ns,"
        " self_exclusive_ns FROM op_tree WHERE trace_id = ?", (trace,))}
    assert nodes and all(tuple(node[:2] + node[3:]) == rows[node[0]] for node in nodes), "nodes of another tree"
    ids = {node[0] for node in nodes}
    assert all(node[1] == -1 or node[1] in ids for node in nodes), "a node without the one around it"
    for column, name in ((4, "host"), (6, "device")):
        whole = sum(row[column] for row in rows.values() if row[1] == -1)
        assert not [i for i, row in rows.items() if row[column] > whole / 100 and i not in ids], f"a heavy node ({name}) is not there"
assert len(trees) == len(traces) or not db.execute("SELECT 1 FROM op_tree").fetchone(), "no tree"
