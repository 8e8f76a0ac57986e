"""Unpacks the timelines of a page as its script does, and compares them with the store that it was made from:
usage: check-timeline.py PAGE STORE."""
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


page, store = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    blocks = re.findall(r'<script type="application/octet-stream">([^<]*)<', file.read())
db = sqlite3.connect(f"file:{store}?immutable=1", uri=True)
assert len(blocks) == db.execute("SELECT count(*) FROM trace WHERE end_ns IS NOT NULL").fetchone()[0]
traces = db.execute("SELECT id FROM trace WHERE end_ns IS NOT NULL ORDER BY id").fetchall()
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
    same("critical path", ("path",), "SELECT ts - ?2, dur, iif(piece = 'device', 'device ' || device, piece) FROM critical_stretch"
         " WHERE trace_id = ?1", lambda i: (i[2], i[3], i[4]))
    same("idle time", ("idle",), "SELECT dur, cause FROM gap WHERE trace_id = ?1 AND gap_ts IS NOT NULL AND ?2 IS NOT NULL",
         lambda i: (i[3], i[4]))
    for device, most in db.execute("SELECT device, max(depth) FROM queue_depth WHERE trace_id = ? GROUP BY device", (trace,)):
        assert counters[f"queued work, device {device}"] == max(most, 0), f"queue of device {device}"
    for place in table["places"]:
        assert 0 <= place["track"] < len(table["tracks"]) and 0 <= place["dur"] <= table["span"], place
