# Recounts what a generated trace says, from its text, and compares it with the generator's truth:
# tracegen-truth.py TRACE TRUTH. Written against the trace format, not against the generator.
import json
import sys
from decimal import Decimal

SCALE = 1000  # us to ns


def spans(events):
    return [(int(e["ts"] * SCALE), int((e["ts"] + e["dur"]) * SCALE)) for e in events]


def union(intervals):
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(end, merged[-1][1])
        else:
            merged.append([start, end])
    return [tuple(pair) for pair in merged]


def length(intervals):
    return sum(end - start for start, end in union(intervals))


def outside(intervals, others):
    return length(intervals + others) - length(others)


def classes_of(events):
    slices = [e for e in events if e["ph"] == "X"]
    if any(e.get("cat") == "cuda_runtime" for e in slices):
        kernels = [e for e in slices if e.get("cat") == "kernel"]
        comm = [e for e in kernels if e["name"].startswith("nccl")]
        compute = [e for e in kernels if not e["name"].startswith("nccl")]
        return [], compute, [e for e in slices if e.get("cat") == "gpu_memcpy"], comm
    device = [e for e in slices if e["pid"] == 0]

    def lanes(low, high):
        return [e for e in device if low <= e["tid"] < high]

    return lanes(6000, 7000), lanes(7000, 8000), lanes(3000, 5000), lanes(14000, 15000)


def check_pairs(events):
    open_slices = {}
    for e in events:
        key = (e["pid"], e.get("tid"))
        if e["ph"] == "B":
            open_slices.setdefault(key, []).append(e["name"])
        elif e["ph"] == "E":
            assert open_slices[key].pop() == e["name"], e
    assert not any(open_slices.values()), "open slices at the end"


def check_launches(events):
    runtime = {e["args"]["correlation"]: e for e in events if e.get("cat") == "cuda_runtime"}
    for e in events:
        if e.get("cat") in ("kernel", "gpu_memcpy") and runtime:
            assert runtime[e["args"]["correlation"]]["ts"] < e["ts"], e
    ends = {}
    for e in events:
        if e["ph"] in "sf":
            ends.setdefault(e["id"], []).append(e["ph"])
    assert all(sorted(both) == ["f", "s"] for both in ends.values()), "half an arrow"


def recount(events):
    mme, tpc, dma, nic = [spans(part) for part in classes_of(events)]
    device = mme + tpc + dma + nic
    steps = spans([e for e in events if e["name"].startswith("ProfilerStep#")])
    first = min(start for start, _ in device)
    last = max(end for _, end in device)
    named = [e["name"] for e in events if e["ph"] == "X"]
    return {
        "device_busy_ns": length(device),
        "device_span_ns": last - first,
        "device_idle_ns": last - first - length(device),
        "compute_busy_ns": length(mme + tpc),
        "mme_busy_ns": length(mme),
        "tpc_busy_ns": length(tpc),
        "dma_busy_ns": length(dma),
        "communication_busy_ns": length(nic),
        "mme_tpc_overlap_ns": length(mme) + length(tpc) - length(mme + tpc),
        "tpc_exclusive_ns": outside(tpc, mme),
        "dma_exclusive_ns": outside(dma, mme + tpc),
        "exposed_communication_ns": outside(nic, mme + tpc),
        "device_slice_count": len(device),
        "step_count": len(steps),
        "host_steps_ns": length(steps),
        "item_count": named.count("aten::item"),
        "compile_count": sum(name.startswith("compileGraph") for name in named),
        "steps": [{"ts_ns": start, "dur_ns": end - start} for start, end in steps],
    }


def main():
    with open(sys.argv[1]) as file:
        events = json.load(file, parse_float=Decimal, parse_int=Decimal)["traceEvents"]
    with open(sys.argv[2]) as file:
        truth = json.load(file)
    check_pairs(events)
    check_launches(events)
    wrong = [(name, truth[name], value) for name, value in recount(events).items()
             if truth[name] != value]
    for name, said, counted in wrong:
        print(f"{name}: truth says {said}, the trace says {counted}")
    sys.exit(1 if wrong else 0)


main()
