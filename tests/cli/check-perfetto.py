"""Reads a trace in Perfetto's format, without any code of Perfetto or of protocol buffers, as a viewer does: events sorted by
time, those of equal times in the order of the file. Compares it with the original JSON and with the store.
usage: check-perfetto.py ORIGINAL PERFETTO STORE LEAST_US"""
import collections
import decimal
import gzip
import json
import sqlite3
import struct
import sys

original, perfetto, store, least_us = sys.argv[1:5]
least_ns = int(least_us) * 1000


def read(path):
    data = open(path, "rb").read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def fields(data):
    """(number, value) of a message: an int, 8 bytes or a text in bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        assert key & 7 in (0, 1, 2), key
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        length = 8 if key & 7 == 1 else varint()
        assert at + length <= len(data)
        at += length
        yield key >> 3, data[at - length:at]


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class Packets:
    def __init__(self, data):
        self.names, self.keys, self.values, self.tracks, self.events = {}, {}, {}, {}, []
        for number, packet in fields(data):
            assert number == 1
            packet = dict(fields(packet))
            assert packet[10] == 1 and packet[13] == (2 if self.tracks else 3)
            for kind, entry in fields(packet.get(12, b"")):
                entry = dict(fields(entry))
                table = {2: self.names, 3: self.keys, 29: self.values}[kind]
                assert entry[1] > 0 and table.setdefault(entry[1], entry[2].decode()) == entry[2].decode()
            if 60 in packet:
                track = dict(fields(packet[60]))
                assert track[1] > 0 and track[1] not in self.tracks and track.get(5, track[1]) in [*self.tracks, track[1]]
                self.tracks[track[1]] = (track[2].decode(), track.get(5), 8 in track)
            if 11 in packet:
                self.events.append((packet[8], self.event(packet[11])))
        self.events.sort(key=lambda event: event[0])

    def event(self, data):
        event = {"type": 0, "name": None, "flows": [], "args": {}}
        for number, value in fields(data):
            if number == 9:
                event["type"] = value
            elif number == 11:
                assert value in self.tracks
                event["track"] = value
            elif number == 10:
                event["name"] = self.names[value]
            elif number == 23:
                event["name"] = value.decode()
            elif number == 44:
                event["value"] = struct.unpack("<d", value)[0]
            elif number == 47:
                event["flows"].append(struct.unpack("<Q", value)[0])
            elif number == 4:
                key, value = self.arg(value)
                event["args"][key] = value
            else:
                raise AssertionError(number)
        return event

    def arg(self, data):
        (key_field, key), (kind, value) = fields(data)
        key = self.keys[key] if key_field == 1 else value.decode()
        return key, {2: bool, 4: signed, 5: lambda v: struct.unpack("<d", v)[0], 6: bytes.decode, 17: self.values.get}[kind](value)


packets = Packets(read(perfetto))
slices, instants, counters, ends = [], [], collections.defaultdict(list), collections.defaultdict(list)
open_slices = collections.defaultdict(list)
for ts, event in packets.events:
    track = event["track"]
    name, group, is_counter = packets.tracks[track]
    assert is_counter == (event["type"] == 4)
    for flow in event["flows"]:
        ends[flow].append((ts, event["name"], group))
    if event["type"] == 1:
        open_slices[track].append((ts, event))
    elif event["type"] == 2:
        begin, opened = open_slices[track].pop()
        slices.append((track, begin, ts - begin, opened))
    elif event["type"] == 3:
        instants.append((ts, event["name"]))
    else:
        counters[name].append((ts, event["value"]))
for track, left in open_slices.items():
    slices += [(track, begin, -1, event) for begin, event in left]

db = sqlite3.connect(store)
query = lambda sql, *values: db.execute(sql, values).fetchall()
earliest = min(0, query("SELECT coalesce(min(ts), 0) FROM (SELECT ts FROM slice_row UNION ALL SELECT ts FROM instant_row)")[0][0])
own = [track for track, (name, group, _) in packets.tracks.items() if group and packets.tracks[group][0] == "tracecoach"]
theirs = [slice for slice in slices if slice[0] not in own]

# All slices and instants of the store, on the tracks that have them there.
shown = collections.Counter((packets.tracks[t][0].split(" (")[0], ts + earliest, dur, e["name"]) for t, ts, dur, e in theirs)
want = collections.Counter((name.split(" (")[0], ts, dur, label) for name, ts, dur, label in query(
    "SELECT coalesce(t.lane, t.name, p.name, ''), s.ts, s.dur, coalesce(l.name, '') FROM slice_row s JOIN track t ON t.id = s.track_id"
    " JOIN label l ON l.id = s.label_id LEFT JOIN process p ON p.id = t.process_id"))
assert shown == want, ((shown - want).most_common(3), (want - shown).most_common(3))
assert sorted((ts + earliest, name) for ts, name in instants) == sorted(query(
    "SELECT i.ts, coalesce(l.name, '') FROM instant_row i JOIN label l ON l.id = i.label_id"))


# What the file itself says of complete slices, with their args.
def no_nulls(args):
    return {key: value for key, value in (args if isinstance(args, dict) else {}).items() if value is not None}


def ns(text):
    return int((decimal.Decimal(text) * 1000).to_integral_value(decimal.ROUND_HALF_UP))


class Exact(str):
    pass


def text_of(value):
    """JSON as it is in the file, without blanks."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{text_of(key)}:{text_of(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text_of, value)) + "]"
    return str(value) if isinstance(value, Exact) else json.dumps(value, ensure_ascii=False)


def simple(args):
    def one(value):
        if isinstance(value, Exact):
            return float(value)
        large = isinstance(value, int) and not -1 << 63 <= value < 1 << 63
        return text_of(value) if large or isinstance(value, (dict, list)) else value
    return {key: one(value) for key, value in args.items()}


data = json.loads(read(original).decode("utf-8", "replace"), parse_float=Exact)
events = data if isinstance(data, list) else data["traceEvents"]
complete = collections.Counter(
    (ns(str(e["ts"])), ns(str(e["dur"])), e.get("name") or "", json.dumps(simple(no_nulls(e.get("args"))), sort_keys=True))
    for e in events if e.get("ph") == "X" and "dur" in e and "ts" in e)
shown = collections.Counter((ts + earliest, dur, e["name"], json.dumps(e["args"], sort_keys=True)) for _, ts, dur, e in theirs)
assert not complete - shown, (complete - shown).most_common(3)


# What was found: steps, findings, critical path, idle time by cause.
def mine(start):
    return sorted((ts + earliest, dur, e["name"]) for t, ts, dur, e in slices if t in own and packets.tracks[t][0].startswith(start))


assert mine("steps") == sorted(query("SELECT ts, dur, 'step ' || number FROM step"))
assert [(ts, dur) for ts, dur, _ in mine("critical path")] == query("SELECT ts, dur FROM critical_stretch ORDER BY ts")
assert {name for _, _, name in mine("findings")} <= {name for name, in query("SELECT title FROM finding")}
sums = collections.Counter()
for track, ts, dur, event in slices:
    if track in own and packets.tracks[track][0].split(" (")[0].endswith("idle, by cause"):
        sums[packets.tracks[track][0].split(" (")[0], event["name"]] += dur
assert sums == {(f"device {device} idle, by cause", cause): dur for device, cause, dur in
                query("SELECT device, cause, sum(dur) FROM gap WHERE gap_dur >= ? GROUP BY 1, 2", least_ns)}, sums

# Arrows: those of the trace between its slices, those of gaps with the calls that ended them.
arrows = collections.Counter(tuple(sorted((ts + earliest, name) for ts, name, _ in pair)) for flow, pair in ends.items() if flow < 1 << 52)
want = collections.Counter(tuple(sorted([(a, b), (c, d)])) for a, b, c, d in query(
    "SELECT o.ts, coalesce(ol.name, ''), i.ts, coalesce(il.name, '') FROM flow_row f JOIN slice_row o ON o.id = f.slice_out JOIN label ol"
    " ON ol.id = o.label_id JOIN slice_row i ON i.id = f.slice_in JOIN label il ON il.id = i.label_id"))
assert arrows == want, (len(arrows), len(want))
gaps = [pair for flow, pair in ends.items() if flow > 1 << 52]
assert all(len(pair) == 2 for pair in gaps)
assert len(gaps) == query("SELECT count(*) FROM (SELECT DISTINCT device, gap_ts FROM gap WHERE gap_dur >= ?"
                          " AND next_launch_slice_id IS NOT NULL)", least_ns)[0][0]

# Counters.
for device, depth in query("SELECT device, max(depth) FROM queue_depth GROUP BY 1"):
    assert max(value for _, value in counters[f"queued work, device {device}"]) == depth
values = sorted(value for name, points in counters.items() if not name.startswith(("queued", "memory", "CPU memory")) for _, value in points)
assert values == sorted(value for value, in query("SELECT value FROM counter")), len(values)
print(len(theirs), "slices", len(instants), "instants", len(arrows), "arrows", len(gaps), "gaps", len(packets.tracks), "tracks")
