# Which events a cut has, counted again from docs/cut.md: cut-check.py TRACE CUT FROM TO [LINKS], in ns, where
# LINKS has a line for each work whose call is known (pid, tid, start and end of the call, and of the work), or
# cut-check.py TRACE CUT device N, which knows the work of a device and its launches by Kineto's args.
# "cut-check.py random SEED OUT" writes a trace that nobody planned instead.
import csv
import gzip
import json
import os
import random
import re
import sys
from decimal import Decimal


def read(path):
    """The members of a trace, and (text, event) of its events."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        text = file.read().lstrip()
    decoder = json.JSONDecoder(parse_float=Decimal)
    members, _ = decoder.raw_decode(text)
    at = re.search(r'"traceEvents"\s*:\s*\[', text).end()
    events = []
    while True:
        at = re.compile(r"[\s,]*").match(text, at).end()
        if text[at] == "]":
            return members, events
        event, end = decoder.raw_decode(text, at)
        events.append((text[at:end], event))
        at = end


def ident(value):
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]+", value):
        return int(value)
    return 0 if value is None else value


def ns(value):
    return int(Decimal(value) * 1000)


def track(event):
    return ident(event.get("pid")), ident(event.get("tid", event.get("pid")))


def pair_group(event):
    if event["ph"] in "BE":
        return track(event)
    if "id" in event:
        scope, number, pid = "id", event["id"], None
    else:
        scope = "local" if "local" in event["id2"] else "global"
        number = event["id2"][scope]
        pid = ident(event.get("pid")) if scope == "local" else None
    return "async", event.get("cat"), scope, ident(number), pid


def arrow(event):
    if event["ph"] in "stf":
        return event.get("cat"), event.get("name"), ident(event["id"])
    if event["ph"] == "X" and "bind_id" in event and (event.get("flow_in") or event.get("flow_out")):
        return ident(event["bind_id"])
    return None


def extent(event):
    return ns(event["ts"]), ns(event["ts"]) + max(0, ns(event.get("dur", 0)))


class Time:
    """What touches a stretch of time, and calls and work of which the other does."""

    def __init__(self, start, end, links=None):
        self.start, self.end = start, end
        self.linked = set()
        for row in csv.reader(open(links, encoding="utf-8")) if links else []:
            ends = [(ident(pid), ident(tid), int(a), int(b)) for pid, tid, a, b in (row[:4], row[4:])]
            if len({self.touches(a, b) for _, _, a, b in ends}) == 2:
                self.linked |= {((pid, tid), a) for pid, tid, a, _ in ends}

    def touches(self, a, b):
        return self.start <= a < self.end if a == b else a < self.end and b > self.start

    def has(self, event):
        return self.touches(*extent(event))

    has_point = has

    def has_pair(self, begin, stop):
        return self.touches(ns(begin["ts"]), stop)


class Device:
    """What is on lanes of a device, and the host but for what launches for other devices only."""

    linked = frozenset()

    def __init__(self, events, number):
        self.number = number
        work = [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
        notes = [e for e in events if e.get("cat") in ("cuda_sync", "gpu_user_annotation")]
        self.lanes = {track(e) for e in work + notes if e["args"]["device"] == number}
        others = {track(e)[0] for e in work if e["args"]["device"] != number}
        self.processes = {lane[0] for lane in self.lanes} - others
        self.all_lanes = {track(e) for e in work + notes}
        ids = {e["args"]["correlation"] for e in work if e["args"]["device"] == number}
        other_ids = {e["args"]["correlation"] for e in work} - ids
        calls = [e for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver")]
        launches = [(track(e), e["args"]["correlation"], ns(e["ts"]), e["name"]) for e in calls if "correlation" in e.get("args", {})]
        self.for_others = {(lane, ts, name) for lane, number, ts, name in launches if number in other_ids}
        self.strangers = ({lane[0] for lane, number, _, _ in launches if number in other_ids}
                          - {lane[0] for lane, number, _, _ in launches if number in ids})

    def has_point(self, event):
        args = event.get("args") or {}
        return (track(event) in self.lanes or (event["ph"] == "C" and track(event)[0] in self.processes)
                or (args.get("Device Type", 0) != 0 and args.get("Device Id") == self.number))

    def has_pair(self, begin, stop):
        lane = track(begin)
        return self.has_point(begin) or (lane not in self.all_lanes and lane[0] not in self.strangers
                                         and (lane, ns(begin["ts"]), begin["name"]) not in self.for_others)

    def has(self, event):
        return self.has_pair(event, None) if event["ph"] == "X" else self.has_point(event)


def wanted(events, part):
    all_events = [event for _, event in events]
    arrows = {arrow(e) for e in all_events if arrow(e) is not None and part.has_point(e)}
    anchors = {(track(e), ns(e["ts"])) for e in all_events if arrow(e) in arrows and arrow(e) is not None}
    anchors |= part.linked
    keep = [False] * len(events)
    groups = {}
    for i, e in enumerate(all_events):
        if e["ph"] == "M":
            keep[i] = True
        elif e["ph"] in "BEbeSF":
            groups.setdefault(pair_group(e), []).append(i)
        elif e["ph"] in "stf":
            keep[i] = arrow(e) in arrows
        else:
            keep[i] = part.has(e) or (e["ph"] == "X" and (track(e), ns(e["ts"])) in anchors)
    for members in groups.values():
        open_ones = []
        slices = []
        for i in sorted(members, key=lambda i: (ns(all_events[i]["ts"]), i)):
            e = all_events[i]
            if e["ph"] in "BbS":
                open_ones.append(i)
                continue
            fits = [b for b in open_ones if all(not e.get(key) or e[key] == all_events[b].get(key)
                                                for key in ("name", "cat"))]
            if fits:
                open_ones.remove(fits[-1])
                slices.append((fits[-1], i, ns(e["ts"])))
            else:
                keep[i] = part.has_point(e)
        slices += [(b, b, 1 << 62) for b in open_ones]
        for b, i, stop in slices:
            e = all_events[b]
            if part.has_pair(e, stop) or (e["ph"] == "B" and (track(e), ns(e["ts"])) in anchors):
                keep[b] = keep[i] = True
    return [text for (text, _), is_kept in zip(events, keep) if is_kept]


def write_random(seed, out):
    roll = random.Random(seed)
    base = roll.choice([0, 1689804264000000])

    def time():
        return f"{base + roll.randrange(100)}{roll.choice(['', '.5', '.125', '.0'])}"

    events = ['{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}}']
    for _ in range(roll.randrange(5, 300)):
        ph = roll.choice("XXXXXBBBEEEbenstfiCPM")
        cat, name = roll.choice(["a", "b"]), roll.choice(["f", "g", "a \\u00e9 \\\"x\\\"", "h{}[],"])
        parts = [f'"ph": "{ph}"', f'"pid": {roll.choice(["1", "2", chr(34) + "1" + chr(34)])}',
                 f'"tid":{roll.randrange(3)}', f'"ts":{time()}', f'"cat":"{cat}"']
        if roll.random() < 0.9 or ph not in "BE":
            parts.append(f'"name": "{name}"')
        if ph == "X":
            parts.append(f'"dur":{roll.choice([0, 1, 5, 40])}{roll.choice(["", ".25"])}')
            if roll.random() < 0.2:
                parts.append(f'"bind_id": {roll.randrange(6)}, "flow_{roll.choice(["in", "out"])}": true')
        if ph in "stf" or (ph in "ben" and roll.random() < 0.6):
            parts.append(f'"id":{roll.choice(["7", chr(34) + "7" + chr(34), "8", chr(34) + "0x9" + chr(34)])}')
        elif ph in "ben":
            parts.append(f'"id2":{{"{roll.choice(["local", "global"])}":{roll.randrange(2)}}}')
        if ph in "XBC":
            parts.append('"args": {"n" :  1.50, "list":[1, {}]}')
        roll.shuffle(parts)
        events.append("{" + roll.choice(["", " "]) + ", ".join(parts) + roll.choice(["", "\n"]) + "}")
    with open(out, "w", encoding="utf-8") as file:
        file.write('{"schemaVersion": 1, "deviceProperties": [{"id": 0}],\n"traceEvents": [\n')
        file.write(roll.choice([",\n", " , ", ","]).join(events))
        file.write('],\n"traceName": "x", "distributedInfo": {"rank": 0}}')


def main():
    if sys.argv[1] == "random":
        write_random(int(sys.argv[2]), sys.argv[3])
        return
    trace, cut = sys.argv[1], sys.argv[2]
    members, events = read(trace)
    if sys.argv[3] == "device":
        part = Device([event for _, event in events], int(sys.argv[4]))
    else:
        part = Time(int(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:])
    cut_members, cut_events = read(cut)
    have, want = [text for text, _ in cut_events], wanted(events, part)
    if have != want:
        lost, extra = [t for t in want if t not in have], [t for t in have if t not in want]
        sys.exit(f"{cut}: {len(have)} events, want {len(want)}; lost {lost[:2]}, extra {extra[:2]}")
    del members["traceEvents"], cut_members["traceEvents"]
    members.pop("tracecoach_cut", None)
    mark = cut_members.pop("tracecoach_cut")
    if mark["of"] != os.path.basename(trace) or not mark["part"]:
        sys.exit(f"{cut}: wrong mark {mark}")
    if members != cut_members:
        sys.exit(f"{cut}: other members")


main()
