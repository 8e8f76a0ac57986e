# FLOPs, bytes, rates and utilisation of a random trace, counted without the store's help: roofline-random.py
# TOOL SEED. The trace has matrix products, convolutions and additions in steps and outside of them, in several
# places and precisions, with and without shapes, on an H100; products of 32 bits run on tensor cores or not.
import collections
import json
import random
import subprocess
import sys

tool, seed = sys.argv[1], int(sys.argv[2])
roll = random.Random(seed)
PEAKS = {"float": {"fp32": 66.9e12, "tf32": 494.7e12}, "c10::BFloat16": {"bf16": 989.4e12}, "double": {"fp64": 66.9e12}}
SIZE = {"float": 4, "c10::BFloat16": 2, "double": 8}
KERNEL = {"fp32": "ampere_sgemm_128x64_tn", "tf32": "ampere_sgemm_128x64_tf32_tn", "bf16": "ampere_bf16_s16816gemm_bf16_128x64_tn",
          "fp64": "ampere_dgemm_64x64_tn"}
events = []
calls = collections.defaultdict(lambda: [0, 0, 0])  # (name, dims, precision, flops, bytes) -> calls, device ns, in steps
in_steps = []  # (step, key) of each call
at = 1000


def event(category, name, ts, dur, pid, tid, args):
    events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})


def product():
    m, k, n = (roll.choice([1, 8, 33]) for _ in range(3))
    if roll.random() < 0.5:
        return "aten::mm", [[m, k], [k, n]], [], 2 * m * k * n, m * k + k * n + m * n
    return "aten::addmm", [[n], [m, k], [k, n], [], []], [], 2 * m * k * n + m * n, n + m * k + k * n + m * n


def convolution():
    n, c, k, size, kernel, stride = roll.choice([1, 4]), 3, 8, 16, roll.choice([1, 3]), roll.choice([1, 2])
    out = (size + 2 - kernel) // stride + 1
    concrete = ["", "", "", "[%d, %d]" % (stride, stride), "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"]
    flops = 2 * n * k * out * out * c * kernel * kernel
    if roll.random() < 0.3:
        concrete, flops = [], None
    elements = n * c * size * size + k * c * kernel * kernel + n * k * out * out
    # Of one place and shape the first call decides, so a stride has a place of its own.
    return "aten::convolution", [[n, c, size, size], [k, c, kernel, kernel]] + 7 * [[]], concrete, flops, elements


def operator(in_step):
    global at
    name, dims, concrete, flops, elements = roll.choice([product, product, convolution])()
    place = "aten::place%d" % (hash_of(concrete) % 1000)
    kind = roll.choice(list(PEAKS))
    precision = roll.choice(list(PEAKS[kind]))
    types = [kind if size else "Scalar" for size in dims]
    args = {"External id": len(events), "Input Dims": dims, "Input type": types}
    if concrete:
        args["Concrete Inputs"] = concrete
    if roll.random() < 0.1:
        args = {}
    event("cpu_op", place, at, 9, 1, 1, {})
    event("cpu_op", name, at + 1, 7, 1, 1, args)
    dur = roll.randrange(1, 40)
    event("cuda_runtime", "cudaLaunchKernel", at + 2, 2, 1, 1, {"correlation": len(events)})
    event("kernel", KERNEL[precision], at + 5, dur, 0, 7, {"correlation": len(events) - 1, "device": 0, "stream": 7})
    if until:  # work belongs to the latest step that had begun
        until[max(until)] = max(until[max(until)], at + 5 + dur)
    if args:
        known = flops is not None
        key = (name, json.dumps(dims).replace(" ", ""), precision, flops, elements * SIZE[kind] if known else None)
        calls[key, kind][0] += 1
        calls[key, kind][1] += dur * 1000
        calls[key, kind][2] += in_step is not None
        if in_step is not None:
            in_steps.append((in_step, key))
    at += 60


def hash_of(value):
    return sum((i + 1) * ord(c) for i, c in enumerate(json.dumps(value)))


until, starts = {}, []
for number in range(3):
    operator(None)
    start = at
    at += 1
    until[number] = 0
    for _ in range(roll.randrange(2, 12)):
        operator(number)
    event("user_annotation", "ProfilerStep#%d" % number, start, at - start, 1, 1, {})
    until[number] = max(until[number], at)
    starts.append(start)
    at += 5

ends = [starts[0]] + [max(until[i] for i in range(n + 1)) for n in range(3)]
steps = [(ends[n + 1] - ends[n]) * 1000 for n in range(3)]
trace = "random%d.json" % seed
with open(trace, "w") as file:
    json.dump({"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85018279936,
                                     "computeMajor": 9, "computeMinor": 0}], "traceEvents": events}, file)
subprocess.run([tool, "import", "-q", trace, "-o", "random%d.db" % seed], check=True)


def query(sql):
    text = subprocess.run([tool, "query", "random%d.db" % seed, sql, "--format", "json"], check=True,
                          capture_output=True, text=True).stdout
    return json.loads(text)


# Several kernels of one place and shape may compute in both ways: tensor cores then decide for all of them, so only
# FLOPs, bytes, calls and time are compared one by one, without the precision.
want = collections.defaultdict(lambda: [0, 0])
for (key, kind), value in calls.items():
    one = (key[0], key[1], key[3], key[4])
    want[one][0] += value[0]
    want[one][1] += value[1]
got = {(r["name"], r["input_dims"], r["flops"], r["bytes"]): [r["n"], r["ns"]] for r in query(
    "SELECT name, input_dims, flops, bytes, sum(count) AS n, sum(device_ns) AS ns FROM roofline GROUP BY 1, 2, 3, 4")}
failed = [(k, want.get(k), got.get(k)) for k in set(want) | set(got) if want.get(k) != got.get(k)]

for row in query("SELECT * FROM roofline"):
    peak = [p[row["precision"]] for p in PEAKS.values() if row["precision"] in p][0]
    if row["flops"] is None:
        good = row["flops_per_s"] is None and row["flops_pct"] is None and row["bound"] is None
    else:
        rate, moved = (row[x] * row["count"] / row["device_ns"] * 1e9 for x in ("flops", "bytes"))
        bound = "memory" if row["flops"] / peak < row["bytes"] / 3350e9 else "compute"
        good = (abs(row["flops_per_s"] / rate - 1) < 1e-9 and abs(row["flops_pct"] / (100 * rate / peak) - 1) < 1e-9
                and abs(row["bytes_pct"] / (100 * moved / 3350e9) - 1) < 1e-9 and row["bound"] == bound)
    if not good:
        failed.append(row)

used = query("SELECT * FROM utilisation")[0]
flops = sum(value[2] * key[3] for (key, kind), value in calls.items() if key[3] is not None)
if used["step_count"] != 3 or used["step_ns"] != sum(steps) or used["flops"] != flops:
    failed.append(("utilisation", used, flops, sum(steps)))
rates = query("SELECT sum(flops * step_count / peak_flops_per_s) * 1e11 / %d AS pct FROM op_rate" % sum(steps))[0]["pct"]
for row in query("SELECT * FROM step_utilisation"):
    number = row["number"]
    flops = sum(key[3] for step, key in in_steps if step == number and key[3] is not None)
    if row["flops"] != flops or row["ns"] != steps[number]:
        failed.append(("step", row, flops, steps[number]))
    if (row["flops_pct"] is None) != (used["flops_pct"] is None):
        failed.append(("step", row, used))
    if row["flops_pct"] is not None and abs(row["flops_pct"] - 100 * row["ideal_ns"] / row["ns"]) > 1e-9:
        failed.append(("step", row))
ideal = query("SELECT sum(ideal_ns) AS ns FROM step_utilisation")[0]["ns"]
if (ideal is None) != (used["ideal_ns"] is None) or ideal is not None and abs(ideal - used["ideal_ns"]) > 1e-6 * ideal:
    failed.append(("steps together", ideal, used))
known = used["known_pct"] * 10 >= used["matrix_pct"] * 9
if (used["flops_pct"] is None) == known or (known and abs(used["flops_pct"] / rates - 1) > 1e-9):
    failed.append(("utilisation", used, rates))
if failed:
    print("seed %d: %s" % (seed, failed[:4]))
sys.exit(1 if failed else 0)
