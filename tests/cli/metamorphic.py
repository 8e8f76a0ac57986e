# One trace, one answer: metamorphic.py TOOL [--every N] TRACE... writes each trace in many ways that mean the same and
# compares the reports (JSON and the details as text) with that of the trace as it is. Prints what differs; 1 if anything
# does. With --every N each trace is written in one of N ways, from which one on depends on its name, so that many traces
# are written in all.
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import zlib
from decimal import Decimal
from itertools import zip_longest

FILE = "trace.json"  # of every rewriting, compressed or not: the name is a part of the report


class Number(str):
    """A number as it is written."""


class Pairs(list):
    """The members of an object, in their order, a key as often as it is there."""

    def get(self, key):
        return next((value for name, value in reversed(self) if name == key), None)

    def replaced(self, change):
        """With change(key, value) in place of each value."""
        return Pairs((key, change(key, value)) for key, value in self)


class Style:
    """How JSON is written."""

    def __init__(self, comma=", ", colon=": ", line=None, indent="\t", string=json.dumps):
        self.comma, self.colon, self.line, self.indent, self.string = comma, colon, line, indent, string

    def text(self, value, depth=0):
        if isinstance(value, Number):
            return str(value)
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, Pairs):
            return self.nested("{}", [self.string(k) + self.colon + self.text(v, depth + 1) for k, v in value], depth)
        if isinstance(value, list):
            return self.nested("[]", [self.text(v, depth + 1) for v in value], depth)
        return json.dumps(value)

    def nested(self, brackets, parts, depth):
        if not parts or self.line is None:
            return brackets[0] + self.comma.join(parts) + brackets[1]
        inner = self.line + self.indent * (depth + 1)
        return brackets[0] + inner + (self.comma.rstrip() + inner).join(parts) + self.line + self.indent * depth + brackets[1]


PLAIN = Style()


def parse(text):
    return json.loads(text, object_pairs_hook=Pairs, parse_int=Number, parse_float=Number)


def units(letter):
    """A letter as the numbers of its UTF-16."""
    return [int.from_bytes(letter.encode("utf-16-be", "surrogatepass")[i:i + 2], "big") for i in range(0, 2 * (1 + (ord(letter) > 0xffff)), 2)]


def escaped(text, chance=1.0):
    """A string with letters as numbers of four hex digits."""
    roll = random.Random(len(text))
    return '"%s"' % "".join(
        "".join(("\\u%04x" if roll.random() < 0.5 else "\\u%04X") % unit for unit in units(letter))
        if roll.random() < chance else json.dumps(letter, ensure_ascii=False)[1:-1] for letter in text)


def solidus(text):
    return json.dumps(text).replace("/", "\\/")


class Trace:
    """A trace, and a copy of it with other events or members."""

    def __init__(self, members, events):
        self.members, self.events = members, events

    def with_events(self, events):
        return Trace(self.members, events)

    def each(self, change):
        return self.with_events([change(event) for event in self.events])

    def text(self, style=PLAIN):
        return style.text(Pairs((k, self.events if k == "traceEvents" else v) for k, v in self.members))


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    value = parse((gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode())
    if not isinstance(value, Pairs):
        value = Pairs([("traceEvents", value)])
    return Trace(value, value.get("traceEvents"))


def is_clock(event):
    return isinstance(event.get("ts"), Number) and event.get("ph") != "M"


def times(write):
    """Each time and duration as write() has it."""
    return lambda trace: trace.each(lambda event: event.replaced(
        lambda k, v: write(v) if k in ("ts", "dur") and isinstance(v, Number) else v))


def exponent(number):
    return Number(format(Decimal(number).scaleb(3), "f") + "e-3")


def zeros(number):
    return Number(number + "000") if "." in number and "e" not in number.lower() else number


def shifted(by_ns):
    """Another clock. Far from the other times, zero is what writers give for a time that they do not know; it stays."""
    by = Decimal(by_ns) / 1000

    def shift(trace):
        known = sorted(filter(None, (Decimal(event.get("ts")) for event in trace.events if is_clock(event))))
        none = 0 if known and known[0] > 10 ** 6 else None
        return trace.each(lambda event: event.replaced(
            lambda k, v: Number(format(Decimal(v) + by, "f")) if k == "ts" and is_clock(event) and Decimal(v) != none else v))
    return shift


def args(change):
    """Args as change(members) has them."""
    return lambda trace: trace.each(lambda event: event.replaced(
        lambda k, v: change(v) if k == "args" and isinstance(v, Pairs) else v))


def numbered(keys, more):
    """Integers of args under some keys. Gaps between them show what is missing, so they stay."""
    def other(key, value):
        return Number(int(value) + more) if key in keys and isinstance(value, Number) and int(value) > 0 else value
    return args(lambda members: members.replaced(other))


def arrows(more):
    """Ids of arrows."""
    return lambda trace: trace.each(lambda event: event.replaced(
        lambda k, v: Number(int(v) + more) if k == "id" and event.get("ph") in ("s", "t", "f") and isinstance(v, Number) else v))


def idents(change):
    """Numbers of processes, threads and pairs as change() writes them."""
    return lambda trace: trace.each(lambda event: event.replaced(
        lambda k, v: change(v) if k in ("pid", "tid", "id") and isinstance(v, Number) else v))


def numbers(change):
    """Numbers of args as change() writes them."""
    return args(lambda members: members.replaced(lambda key, value: change(value) if isinstance(value, Number) else value))


def fraction(number):
    return number if set(number) & set(".eE") else Number(number + ".0")


def tenths(number):
    return number if set(number) & set(".eE") or int(number) == 0 else Number(number + "0e-1")


def mixed(items):
    """The same in another order."""
    kind, items = type(items), list(items)
    random.Random(len(items)).shuffle(items)
    return Pairs(items) if kind is Pairs else items


def shuffled(trace):
    """Slices in any order. What tells of the same times which is inside which is their order, so they keep it, and so do
    begins and ends."""
    places = [i for i, event in enumerate(trace.events) if event.get("ph") == "X"]
    together = {}
    for i in places:
        event = trace.events[i]
        together.setdefault((event.get("pid"), event.get("tid"), event.get("ts")), []).append(event)
    events = list(trace.events)
    for place, event in zip(places, (event for group in mixed(together.values()) for event in group)):
        events[place] = event
    return trace.with_events(events)


def by_kind(trace, last):
    return trace.with_events(sorted(trace.events, key=lambda event: (event.get("ph") == "M") == last))


def in_time(trace):
    return trace.with_events(sorted(trace.events, key=lambda event: Decimal(event.get("ts")) if is_clock(event) else 0))


def members_first(trace, last):
    return Trace(Pairs(sorted(trace.members, key=lambda member: (member[0] == "traceEvents") == last)), trace.events)


def with_unknown(trace):
    """Members that mean nothing, in the trace, its events and the args of slices."""
    more = ("of nobody", [Number(1), Pairs([("a", None), ("b", [])]), True, "\u00e4"])
    events = args(lambda members: Pairs(members + [more]))(trace).events
    events = [Pairs((new if event.get("ph") == "X" else event) + [more]) for event, new in zip(trace.events, events)]
    return Trace(Pairs([more] + trace.members), events)


def members_of_gzip(data):
    third = len(data) // 3 + 1
    return b"".join(gzip.compress(data[i:i + third], 1) for i in range(0, len(data), third))


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


def style(**how):
    return lambda trace: trace.text(Style(**how))


def data(change):
    return lambda trace: change(trace.text().encode())


# Name, what the report may show of it, how to write the trace: as another trace, text or bytes. "form": how the events
# lie in the file; "order": rows have other numbers, and what only these order has another order; a number: the clock is
# so many ns later.
REWRITINGS = [
    ("minified", "", style(comma=",", colon=":")),
    ("pretty", "", style(line="\n")),
    ("lines that end in CR LF", "", style(line="\r\n", indent="  ")),
    ("blanks everywhere", "", style(line=" \t\n\r", colon=" \n: ", comma="\t,")),
    ("letters as \\u", "", style(string=escaped)),
    ("some letters as \\u", "", style(string=lambda text: escaped(text, 0.2), comma=",", colon=":")),
    ("UTF-8 as it is", "", style(string=lambda text: json.dumps(text, ensure_ascii=False))),
    ("slashes as \\/", "", style(string=solidus)),
    ("byte order mark", "", data(lambda text: b"\xef\xbb\xbf" + text)),
    ("gzip", "", data(lambda text: gzip.compress(text, 1))),
    ("gzip of several members", "", data(members_of_gzip)),
    ("zstd", "", data(zstd)),
    ("list of events", "form", lambda trace: PLAIN.text(trace.events)),
    ("a line an event", "form", lambda trace: "".join(PLAIN.text(event) + "\n" for event in trace.events)),
    ("events last", "", lambda trace: members_first(trace, True)),
    ("events first", "", lambda trace: members_first(trace, False)),
    ("keys in another order", "", lambda trace: trace.each(mixed)),
    ("args in another order", "", args(lambda members: Pairs(reversed(members)))),
    ("unknown members", "", with_unknown),
    ("times as strings", "", times(str)),
    ("times with exponents", "", times(exponent)),
    ("times with zeros behind them", "", times(zeros)),
    ("pid, tid and id as strings", "", idents(str)),
    ("pid, tid and id with a fraction of 0", "", idents(fraction)),
    ("numbers of args as strings", "", numbers(str)),
    ("numbers of args with a fraction of 0", "", numbers(fraction)),
    ("numbers of args with exponents", "", numbers(tenths)),
    ("metadata last", "order", lambda trace: by_kind(trace, True)),
    ("metadata first", "order", lambda trace: by_kind(trace, False)),
    ("events by time", "order", in_time),
    ("slices in any order", "order", shuffled),
    ("other correlation ids", "", numbered(("correlation",), 1000003)),
    ("other external ids", "", numbered(("External id", "external id", "External Id"), 5000)),
    ("other ids of arrows", "", arrows(11)),
    ("a clock a second later", 10 ** 9, shifted(10 ** 9)),
    ("a clock with odd ns", 123456789123, shifted(123456789123)),
    ("a clock below zero", -2 * 10 ** 18, shifted(-2 * 10 ** 18)),
]
OFFSETS = {"read_bytes", "byte_offset", "first_offset_bytes"}
OFFSET_WORDS = re.compile(r"\bbyte [0-9,]*[0-9]")
CLOCK = {"ts", "gap_ts", "device_ts", "start_ns", "end_ns"}


def run(tool, *words):
    done = subprocess.run([tool, FILE, "-q", "--no-side-files", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def reports(tool, with_details):
    code, text, error = run(tool, "-f", "json")
    details = None
    if with_details:
        details = OFFSET_WORDS.sub("a byte", run(tool, "--details", "--width", "140")[1]).split("\n")
    if details and "bom_skipped" in "".join(details):
        details = [line for line in details if "bom_skipped" not in line]
    elif details:
        details = [line for line in details if "Empty: every event was read." not in line]
    return code, json.loads(text) if text else error, details


def cleaned(key, value, may, earlier_ns=0):
    """What a rewriting leaves: places in the file go, and what it may change; the clock goes back."""
    if isinstance(value, dict):
        return {k: cleaned(k, v, may, earlier_ns) for k, v in value.items() if k not in OFFSETS and
                not (may == "order" and (k == "id" or k.endswith("_id"))) and not (may == "form" and k == "form")}
    if isinstance(value, list):
        value = [cleaned(key, v, may, earlier_ns) for v in value if key != "import" or v["kind"] != "bom_skipped"]
        return sorted(value, key=lambda v: json.dumps(v, sort_keys=True)) if may == "order" else value
    return value - earlier_ns if key in CLOCK and isinstance(value, int) else value


def differences(a, b, at=""):
    if type(a) is not type(b):
        return ["%s: %.60s, not %.60s" % (at, b, a)]
    if isinstance(a, dict):
        return [line for key in sorted(a.keys() | b.keys()) for line in differences(a.get(key), b.get(key), at + "/" + key)]
    if isinstance(a, list):
        if len(a) != len(b):
            return ["%s: %d items, not %d" % (at, len(b), len(a))]
        return [line for i in range(len(a)) for line in differences(a[i], b[i], "%s/%d" % (at, i))]
    return [] if a == b else ["%s: %s, not %s" % (at, b, a)]


def put(written):
    with open(FILE, "wb") as file:
        file.write(written if isinstance(written, bytes) else written.encode())


def compare(base, other, may):
    (code, report, lines), (other_code, other_report, other_lines) = base, other
    if code != other_code:
        return ["exit code %d, not %d: %s" % (other_code, code, other_report)]
    later_ns = may if isinstance(may, int) else 0
    found = differences(cleaned("", report, may), cleaned("", other_report, may, later_ns))
    if other_lines is None:
        return found
    if may == "order":
        lines, other_lines = sorted(lines), sorted(other_lines)
    return found + ["details: %s, not %s" % (b, a) for a, b in zip_longest(lines, other_lines) if a != b]


def check(tool, path, every):
    failed = False
    turn = zlib.crc32("/".join(path.split("/")[-2:]).encode())
    trace = load(path)
    bare = Trace(Pairs([("traceEvents", trace.events)]), trace.events)
    bases = {}
    for index, (name, may, rewrite) in enumerate(REWRITINGS):
        if (index + turn) % every:
            continue
        source = bare if may == "form" else trace
        if source not in bases:
            put(source.text())
            bases[source] = reports(tool, True)
        written = rewrite(source)
        put(written.text() if isinstance(written, Trace) else written)
        # The text has few amounts that JSON lacks: a third of the rewritings of each trace, others for the next.
        with_details = ((index + turn) // every) % 3 == 0
        found = compare(bases[source], reports(tool, with_details), may)
        if found:
            failed = True
            print("%s, %s: %d differences" % (path, name, len(found)), *found[:5], sep="\n\t")
    return failed


if __name__ == "__main__":
    without_zstd = shutil.which("zstd") is None
    REWRITINGS = [row for row in REWRITINGS if not (without_zstd and row[0] == "zstd")]
    every = int(sys.argv[3]) if sys.argv[2] == "--every" else 1
    paths = sys.argv[4 if sys.argv[2] == "--every" else 2:]
    sys.exit(any([check(sys.argv[1], path, every) for path in paths]))
