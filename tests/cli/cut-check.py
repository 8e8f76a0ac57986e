# Which events a cut has, counted again from docs/cut.md: cut-check.py TRACE CUT FROM TO. FROM and TO are in ns.
# "cut-check.py random SEED OUT" writes a trace that nobody planned instead.
import gzip
import json
import random
import re
import sys
from decimal import Decimal


def read(path):
    """The members of a trace, and (text, event) of its events."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        text = file.read()
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
    return ident(event.get("pid")), ident(event.get("tid"))


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


def wanted(events, start, end):
    def touches(a, b):
        return start <= a < end if a == b else a < end and b > start

    def extent(event):
        return ns(event["ts"]), ns(event["ts"]) + max(0, ns(event.get("dur", 0)))

    all_events = [event for _, event in events]
    arrows = {arrow(e) for e in all_events if arrow(e) is not None and touches(*extent(e))}
    anchors = {(track(e), ns(e["ts"])) for e in all_events if arrow(e) in arrows and arrow(e) is not None}
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
            keep[i] = touches(*extent(e)) or (e["ph"] == "X" and (track(e), ns(e["ts"])) in anchors)
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
                keep[i] = touches(ns(e["ts"]), ns(e["ts"]))
        slices += [(b, b, 1 << 62) for b in open_ones]
        for b, i, stop in slices:
            e = all_events[b]
            if touches(ns(e["ts"]), stop) or (e["ph"] == "B" and (track(e), ns(e["ts"])) in anchors):
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
    trace, cut, start, end = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    members, events = read(trace)
    cut_members, cut_events = read(cut)
    have, want = [text for text, _ in cut_events], wanted(events, start, end)
    if have != want:
        lost, extra = [t for t in want if t not in have], [t for t in have if t not in want]
        sys.exit(f"{cut}: {len(have)} events, want {len(want)}; lost {lost[:2]}, extra {extra[:2]}")
    del members["traceEvents"], cut_members["traceEvents"]
    if members != cut_members:
        sys.exit(f"{cut}: other members")


main()
