# Recounts operators, modules, Python frames, phases and the device work that each launched from the
# events of a trace, and compares that with the views of its store: operators-recount.py TOOL TRACE STORE.
# Written against the trace format. What names mean it asks the store (table label).
import collections
import gzip
import json
import statistics
import subprocess
import sys
from decimal import ROUND_HALF_UP, Decimal

tool, trace, store = sys.argv[1:4]
with open(trace, "rb") as file:
    data = file.read()
if data[:2] == b"\x1f\x8b":
    data = gzip.decompress(data)
events = json.loads(data, parse_float=Decimal)
events = events["traceEvents"] if isinstance(events, dict) else events


def ask(sql):
    answer = subprocess.run([tool, "query", store, sql, "--format", "json"], capture_output=True)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def ns(us):
    return int((Decimal(us) * 1000).to_integral_value(ROUND_HALF_UP))


labels = {(row["category"], row["name"]): row for row in ask("SELECT * FROM label")}
DEVICE = ("kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset", "mtia_ccp_events")
NOTES = ("gpu_user_annotation", "cuda_sync", "Trace")


class Slice:
    def __init__(self, event, order):
        args = event.get("args") or {}
        self.label = (event.get("cat"), event.get("name"))
        self.order = order
        self.ts = ns(event["ts"])
        self.end = self.ts + ns(event["dur"])
        self.track = (str(event["pid"]), str(event["tid"]))
        self.correlation = args.get("correlation")
        self.sequence = args.get("Sequence number", -1)
        self.forward_thread = args.get("Fwd thread id", 0)
        dims = args.get("Input Dims", args.get("Input dims"))
        types = args.get("Input type", args.get("Input Type"))
        self.shape = None
        self.is_op = self.label[0] in ("cpu_op", "Operator", "operator")
        if dims is not None and self.is_op:
            self.shape = (json.dumps(dims), json.dumps(types))
        self.parent = self.forward = None
        self.children = []
        self.work = []
        self.work_ns = self.backward_ns = self.backward_work_ns = 0
        self.exclusive_ns = self.backward_exclusive_ns = 0

    def kind(self):
        category, name = self.label
        if self.is_op:
            return "operator"
        if category == "python_function":
            return "module" if name.startswith("nn.Module: ") else "python"
        return "range" if category == "user_annotation" else "call"

    def above(self):
        above = self.parent
        while above:
            yield above
            above = above.parent


def covered(children):
    total, until = 0, None
    for child in children:
        start = child.ts if until is None else max(child.ts, until)
        if child.end > start:
            total += child.end - start
            until = child.end
    return total


slices, work = [], []
for order, event in enumerate(events):
    if event.get("ph") != "X" or event.get("dur") is None or event.get("cat") in NOTES:
        continue
    (work if event.get("cat") in DEVICE else slices).append(Slice(event, order))
# Of slices with one start and end a step is outside of the rest, then come frames and ranges, then operators, and the
# call of a runtime is inside.
def layer(slice):
    category, name = slice.label
    if slice.ts == slice.end:
        return 0
    if name.startswith("ProfilerStep#"):
        return 0
    return 3 if category in ("cuda_runtime", "cuda_driver") else 2 if slice.is_op else 1


slices.sort(key=lambda s: (s.ts, -s.end, layer(s), s.order))

# The innermost slice of the thread that began before it and holds it whole.
tracks = collections.defaultdict(list)
for slice in slices:
    tracks[slice.track].append(slice)
for track in tracks.values():
    stack = []
    for slice in track:
        stack = [s for s in stack if s.end >= slice.ts]
        for other in reversed(stack):
            at_once = other.ts == other.end == slice.ts == slice.end
            if at_once or (other.end > slice.ts and other.end >= slice.end):
                slice.parent = other
                break
        stack.append(slice)
# Steps are no part of the tree, nor is the span of the recording (category Trace, left out above).
steps = [s for s in slices if (s.label[1] or "").startswith("ProfilerStep#")]
for slice in slices:
    while slice.parent and slice.parent in steps:
        slice.parent = slice.parent.parent
slices = [s for s in slices if s not in steps]
for slice in slices:
    if slice.parent:
        slice.parent.children.append(slice)

# Each moment goes to one of the operations that run: to the engine of the highest priority, and on it
# to the one that started first. Operations that only wait come last.
ENGINES = ["mme", "tpc", "dma", "compute", "communication", "copy"]
known = ask("SELECT engine, device FROM device_op WHERE dur >= 0 ORDER BY id")
assert len(known) == len(work)
for op, row in zip(work, known):
    op.exclusive_ns, op.device = 0, row["device"]
    waits = labels[op.label]["mark"] == "device_wait"
    op.priority = ENGINES.index(row["engine"]) if row["engine"] in ENGINES else None
    if waits and op.priority is not None:
        op.priority = len(ENGINES)
for device in {op.device for op in work}:
    busy = [op for op in work if op.device == device and op.priority is not None]
    times = sorted({op.ts for op in busy} | {op.end for op in busy})
    for start, end in zip(times, times[1:]):
        running = [op for op in busy if op.ts <= start and op.end >= end]
        if running:
            owner = min(running, key=lambda op: (op.priority, op.ts, -op.end, op.order))
            owner.exclusive_ns += end - start

# Work goes to the call of its correlation id.
calls = {}
for slice in slices:
    if slice.correlation is not None:
        calls.setdefault(str(slice.correlation), slice)
lost = []
for op in work:
    call = calls.get(str(op.correlation))
    (call.work if call else lost).append(op)
    if call:
        for slice in [call] + list(call.above()):
            slice.work_ns += op.end - op.ts
            slice.exclusive_ns += op.exclusive_ns

# The backward pass belongs to the last operator that had its number before it.
latest, threads = {}, {}
for slice in slices:
    if slice.parent and slice.parent.forward:
        slice.forward = slice.parent.forward
    elif slice.is_op and slice.sequence >= 0 and slice.forward_thread > 0:
        on = [t for t in {key[0] for key in latest} if (t, slice.sequence) in latest]
        known = threads.get(slice.forward_thread, on[0] if len(on) == 1 else None)
        if known:
            threads[slice.forward_thread] = known
            slice.forward = latest.get((known, slice.sequence))
    if slice.is_op and slice.sequence >= 0 and slice.forward_thread <= 0:
        latest[slice.track, slice.sequence] = slice
for slice in slices:
    if slice.forward and not (slice.parent and slice.parent.forward):
        for other in [slice.forward] + list(slice.forward.above()):
            other.backward_ns += slice.end - slice.ts
            other.backward_work_ns += slice.work_ns
            other.backward_exclusive_ns += slice.exclusive_ns
# The work of the backward pass may itself be differentiated: nobody does that here.
for slice in slices:
    slice.phase = None
    label = labels[slice.label]
    around = slice.parent.phase if slice.parent else None
    named = label["phase"] if slice.kind() in ("operator", "range", "call") else None
    again = around == "recompute" or slice.parent and labels[slice.parent.label]["mark"] == "recompute"
    if again and slice.forward == slice.parent.forward and label["phase"] != "backward":
        slice.phase = "recompute"
    elif slice.forward:
        slice.phase = "backward"
    elif label["role"] == "dataloader":
        slice.phase = "loader"
    else:
        slice.phase = named or around or ("forward" if slice.is_op else None)


def nearest(slice, kind):
    for other in [slice] + list(slice.above()):
        if other.kind() == kind:
            return other
    return None


def total(members, key, fields):
    rows = collections.defaultdict(lambda: [0] * len(fields))
    for slice in members:
        name = key(slice)
        outer = not any(key(other) == name for other in slice.above() if other.kind() == slice.kind())
        own = [op for call in slices_with_work[id(slice)] for op in call.work]
        values = {
            "count": 1,
            "host_ns": (slice.end - slice.ts) * outer,
            "host_self_ns": slice.end - slice.ts - covered(slice.children),
            "device_count": len(own),
            "device_self_ns": sum(op.end - op.ts for op in own),
            "device_ns": slice.work_ns * outer,
            "backward_ns": slice.backward_ns * outer,
            "backward_device_ns": slice.backward_work_ns * outer,
            "self_exclusive_ns": sum(op.exclusive_ns for op in own),
            "exclusive_ns": slice.exclusive_ns * outer,
            "backward_exclusive_ns": slice.backward_exclusive_ns * outer,
        }
        rows[name] = [a + values[field] for a, field in zip(rows[name], fields)]
    return dict(rows)


slices_with_work = collections.defaultdict(list)
for slice in slices:
    if slice.work:
        for kind in ("operator", "module", "range", "python", "call"):
            other = nearest(slice, kind)
            if other:
                slices_with_work[id(other)].append(slice)

ALL = ["count", "host_ns", "host_self_ns", "device_count", "device_self_ns", "device_ns",
       "self_exclusive_ns", "exclusive_ns", "backward_ns", "backward_device_ns",
       "backward_exclusive_ns"]
failed = 0


def compare(what, got, want):
    global failed
    for key in sorted(set(got) | set(want), key=str):
        if got.get(key) != want.get(key):
            failed += 1
            if failed <= 10:
                print(what, key, "store", got.get(key), "trace", want.get(key))


def of_view(view, key, fields=ALL):
    return {key(row): [row[field] for field in fields] for row in ask("SELECT * FROM " + view)}


operators = [s for s in slices if s.kind() == "operator"]
compare("operator", of_view("operator_total", lambda r: r["name"]),
        total(operators, lambda s: s.label[1], ALL))
flat = lambda text: None if text is None else json.dumps(json.loads(text))
compare("shape",
        of_view("operator_shape", lambda r: (r["name"], flat(r["input_dims"]), flat(r["input_types"]))),
        total(operators, lambda s: (s.label[1],) + (s.shape or (None, None)), ALL))
# The work of each call, of calls with the same arguments; percentiles by nearest rank.
alike = collections.defaultdict(list)
for slice in operators:
    own = [op.end - op.ts for call in slices_with_work[id(slice)] for op in call.work]
    if own:
        alike[(slice.label[1],) + (slice.shape or (None, None))].append(sum(own))
spread = {}
for key, times in alike.items():
    times.sort()
    at = lambda pct: times[-(-len(times) * pct // 100) - 1]
    deviation = round(statistics.stdev(times), 3) if len(times) > 1 else None
    spread[key] = [len(times), sum(times), times[0], at(50), at(95), times[-1], deviation]
rows = ask("SELECT *, round(std_ns, 3) AS deviation FROM operator_spread")
compare("spread", {(r["name"], flat(r["input_dims"]), flat(r["input_types"])): [r[c] for c in (
    "count", "sum_ns", "min_ns", "median_ns", "p95_ns", "max_ns", "deviation")] for r in rows}, spread)
compare("module", of_view("module_total", lambda r: (r["kind"], r["name"])),
        total([s for s in slices if s.kind() in ("module", "range")],
              lambda s: (s.kind(), s.label[1]), ALL))
compare("python", of_view("python_total", lambda r: r["name"], ALL[:8]),
        total([s for s in slices if s.kind() == "python"], lambda s: s.label[1], ALL[:8]))

kernels = collections.defaultdict(list)
phases = collections.defaultdict(lambda: [0, 0, 0, 0, 0])
for call in slices:
    phase = phases[call.phase or "other"]
    phase[0] += call.is_op
    phase[1] += call.end - call.ts - covered(call.children)
    for op in call.work:
        operator = nearest(call, "operator")
        module = nearest(call, "module")
        if not module and call.forward:
            module = nearest(call.forward, "module")
        kernels[operator and operator.label[1], module and module.label[1], op.label[1]].append(op)
        phase[2] += 1
        phase[3] += op.end - op.ts
        phase[4] += op.exclusive_ns
for op in lost:
    kernels[None, None, op.label[1]].append(op)
    phases["other"][2] += 1
    phases["other"][3] += op.end - op.ts
    phases["other"][4] += op.exclusive_ns
times = {key: ([op.end - op.ts for op in ops], sum(op.exclusive_ns for op in ops))
         for key, ops in kernels.items()}
compare("kernel",
        {(r["operator"], r["module"], r["name"]): [r["n"], r["s"], r["x"], r["lo"], r["hi"]] for r in ask(
            "SELECT operator, module, name, sum(count) AS n, sum(dur_ns) AS s, sum(exclusive_ns) AS x,"
            " min(min_ns) AS lo, max(max_ns) AS hi FROM op_kernel GROUP BY operator, module, name")},
        {key: [len(t), sum(t), x, min(t), max(t)] for key, (t, x) in times.items()})
compare("phase", of_view("phase_total", lambda r: r["phase"],
                         ["count", "host_ns", "device_count", "device_ns", "exclusive_ns"]),
        {key: value for key, value in phases.items()})
print(len(operators), "operators,", len(work), "device operations,",
      sum(s.forward is not None for s in slices), "slices of the backward pass:", failed, "differ")
sys.exit(failed > 0)
