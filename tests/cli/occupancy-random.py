# Occupancy and counters of a random trace, counted from its events: occupancy-random.py TOOL SEED.
import collections
import json
import random
import subprocess
import sys

tool, seed = sys.argv[1], int(sys.argv[2])
roll = random.Random(seed)
NAMES = {"ampere_bf16_s16816gemm_bf16_128x64_tn": 1, "ampere_sgemm_128x64_tn": 0,
         "void at::native::vectorized_elementwise_kernel<4>": 0, "mystery": None,
         "fmha_cutlassF_f32_aligned_64x64_rf_sm80": None, "fmha_cutlassF_f16_aligned_64x64_rf_sm80": 1}
events, kernels, counters = [], collections.defaultdict(list), []
at = 0
for number in range(200):
    name, dur = roll.choice(list(NAMES)), roll.randrange(0, 90)
    device, stream = roll.randrange(2), roll.choice([7, 20])
    args = {"device": device, "stream": stream, "correlation": number + 1, "grid": [roll.choice([1, 8]), 1, 1]}
    blocks = warps = occupancy = None
    if roll.random() < 0.8:
        blocks = roll.choice([0.125, 0.25, 0.5, 1.0, 3.75])
        warps, occupancy = blocks * 4, roll.choice([0, 12, 50, 100])
        args.update({"blocks per SM": blocks, "warps per SM": warps, "est. achieved occupancy %": occupancy})
    events.append({"ph": "X", "cat": "kernel", "name": name, "pid": device, "tid": stream, "ts": at, "dur": dur, "args": args})
    if occupancy == 0 and warps >= 1:
        occupancy = None  # profilers write 0 where they do not know it
    kernels[str(device), name].append((dur * 1000, blocks, warps, occupancy))
    at += 100
for number in range(20):
    values = {"smsp__cycles_active.sum": roll.randrange(1000), "dram__bytes.sum": roll.random() * 1e9}
    events.append({"ph": "X", "cat": "cuda_profiler_range", "name": "kernel%d" % (number % 3), "pid": 0, "tid": 99,
                   "ts": number * 50, "dur": 40, "args": values})
    counters += [["kernel%d" % (number % 3), number * 50000, key, value] for key, value in values.items()]
with open("occupancy%d.json" % seed, "w") as file:
    json.dump({"traceEvents": events}, file)
subprocess.run([tool, "import", "-q", "occupancy%d.json" % seed, "-o", "occupancy%d.db" % seed], check=True)


def query(sql):
    return json.loads(subprocess.run([tool, "query", "occupancy%d.db" % seed, sql, "--format", "json"], check=True,
                                     capture_output=True, text=True).stdout)


def weighted(rows, value):
    known = [(dur, value(row)) for dur, *row in rows if row[0] is not None and value(row) is not None]
    total = sum(dur for dur, _ in known)
    return sum(dur * v for dur, v in known) / total if total else None


def near(a, b):
    return a is None if b is None else abs(a - b) <= 1e-9 * max(1, abs(b))


failed = []
got = {(r["device"], r["name"]): r for r in query("SELECT * FROM kernel_occupancy")}
want = {key: rows for key, rows in kernels.items() if any(row[0] and row[1] is not None for row in rows)}
if set(got) != set(want):
    failed.append((set(got) ^ set(want)))
for key in set(got) & set(want):
    row, rows = got[key], want[key]
    good = (row["count"] == len(rows) and row["dur_ns"] == sum(r[0] for r in rows)
            and row["known_ns"] == sum(r[0] for r in rows if r[1] is not None)
            and row["uses_tensor_cores"] == NAMES[key[1]]
            and near(row["occupancy_pct"], weighted(rows, lambda r: r[2]))
            and near(row["sm_efficiency_pct"], weighted(rows, lambda r: 100 * min(r[0], 1)))
            and near(row["blocks_per_sm"], weighted(rows, lambda r: r[0]))
            and near(row["warps_per_sm"], weighted(rows, lambda r: r[1])))
    if not good:
        failed.append((key, row))
for row in query("SELECT * FROM device_occupancy"):
    mine = {name: rows for (device, name), rows in want.items() if device == row["device"]}
    total = sum(r[0] for rows in mine.values() for r in rows)
    share = {kind: 100 * sum(r[0] for name, rows in mine.items() if NAMES[name] is kind for r in rows) / total for kind in (1, None)}
    every = [r for rows in mine.values() for r in rows]
    if not (near(row["tensor_core_pct"], share[1]) and near(row["tensor_core_unknown_pct"], share[None])
            and near(row["sm_efficiency_pct"], weighted(every, lambda r: 100 * min(r[0], 1)))):
        failed.append(row)
rows = [[r["range"], r["ts"], r["counter"], r["value"]] for r in query("SELECT * FROM range_counter")]
if sorted(rows) != sorted(counters):
    failed.append(("counters", len(rows), len(counters)))
if failed:
    print("seed %d: %s" % (seed, failed[:3]))
sys.exit(1 if failed else 0)
