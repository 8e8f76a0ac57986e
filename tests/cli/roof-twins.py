#!/usr/bin/env python3
"""Runs with one slow kernel, beside the same runs with a tuned one: what below-roof says of both.

    roof-twins.py TRACECOACH        checks reasons, gains within 20 %, and silence of the twins
    roof-twins.py --write CASE SLOW writes one trace to standard output (SLOW: 1 or 0)

A device of 100 steps of work: layers of tuned kernels and one operator that is slow. Its time is its roof on an H100 SXM
divided by the share that it reaches; in the twin it reaches 80 %. Roofs are computed here by hand, not
by the formulas of the program.
"""
import json
import subprocess
import sys
import tempfile

from tensors import row_major

BF16, F32 = "c10::BFloat16", "float"
PEAK = {BF16: 989.4e12, F32: 66.9e12}  # H100 SXM5, NVIDIA's white paper
BANDWIDTH = 3.35e12
START_US = 4


def product(m, k, n, dtype=BF16):
    size = 2 if dtype == BF16 else 4
    return 2 * m * k * n, size * (m * k + k * n + m * n)


def op(name, dims, flops_bytes, reason, share=0.1, dtype=BF16, kernel="nvjet_tst_128x256_64x4_1x2_h_bz_TNT", concrete=None, lie=None, **launch):
    flops, moved = flops_bytes
    roof_us = 1e6 * max(flops / PEAK[dtype], moved / BANDWIDTH)
    return {"name": name, "dims": dims, "dtype": dtype, "kernel": kernel, "roof_us": roof_us, "share": share, "reason": reason,
            "concrete": concrete, "strides": lie, "launch": launch}


ELEMENTWISE = "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl>(int)"
CONVOLUTION = "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64"
CONCRETE = ["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "%d"]


def convolve(n, c, k, h, groups, dilation=1):
    concrete = [text % groups if text == "%d" else text for text in CONCRETE]
    concrete[4] = concrete[5] = f"[{dilation}, {dilation}]"
    flops = 2 * n * k * h * h * 9 * c // groups
    return (flops, 2 * (n * c * h * h + n * k * h * h + k * c // groups * 9)), concrete


def channels_last(n, c, h, w):
    return [c * h * w, 1, w * c, c]


depthwise, depthwise_args = convolve(64, 512, 512, 56, 512)
dilated, dilated_args = convolve(64, 256, 256, 56, 1, 4)
CASES = {
    "odd": op("aten::mm", [[8191, 4095], [4095, 8191]], product(8191, 4095, 8191), "not multiples of 8"),
    "narrow": op("aten::mm", [[16, 16384], [16384, 16384]], product(16, 16384, 16384), "a narrow product: 16 rows"),
    "split": op("aten::mm", [[512, 65536], [65536, 512]], product(512, 65536, 512), "split-K"),
    "small": op("aten::bmm", [[4096, 32, 512], [4096, 512, 32]], tuple(4096 * x for x in product(32, 512, 32)), "4096 small products"),
    "depthwise": op("aten::convolution", [[64, 512, 56, 56], [512, 1, 3, 3], [], [], [], [], [], [], []], depthwise, "depthwise",
                    kernel=CONVOLUTION, concrete=depthwise_args),
    "dilated": op("aten::convolution", [[64, 256, 56, 56], [256, 256, 3, 3], [], [], [], [], [], [], []], dilated, "dilated",
                  kernel=CONVOLUTION, concrete=dilated_args,
                  lie=[channels_last(64, 256, 56, 56), channels_last(256, 256, 3, 3)]),
    "gaps": op("aten::mul", [[16384, 4096], [16384, 4096]], (16384 * 4096, 3 * 2 * 16384 * 4096), "gaps between them",
               kernel=ELEMENTWISE, lie=[[8192, 1], [4096, 1]]),
    "transposed": op("aten::copy_", [[8192, 8192], [8192, 8192], []], (0, 4 * 8192 * 8192), "different orders", kernel=ELEMENTWISE,
                     lie=[[8192, 1], [1, 8192]]),
    "rows": op("aten::sum", [[16, 4194304], [], [], []], (16 * 4194304, 2 * (16 * 4194304 + 16)), "too few rows: 16 rows",
               kernel="void at::native::reduce_kernel<512, 1>(int)", concrete=["", "[1]", "False", ""]),
    "blocks": op("aten::gelu", [[8192, 8192], []], (8192 * 8192, 4 * 8192 * 8192), "too few blocks", kernel=ELEMENTWISE,
                 **{"blocks per SM": 0.25, "warps per SM": 2.0}),
    "registers": op("aten::gelu", [[8192, 8192], []], (8192 * 8192, 4 * 8192 * 8192), "255 registers", kernel=ELEMENTWISE,
                    **{"blocks per SM": 60.0, "registers per thread": 255, "est. achieved occupancy %": 12}),
    "plain": op("aten::mm", [[8192, 8192], [8192, 8192]], product(8192, 8192, 8192), "no reason shows"),
}
LAYER = op("aten::mm", [[4096, 8192], [8192, 8192]], product(4096, 8192, 8192), "", 0.8)


def write(case, slow):
    events, now, device = [], 1000.0, 1100.0
    chosen = dict(CASES[case])
    if not slow:
        chosen["share"] = 0.8
    correlation = 0
    for step in range(6):
        begin = now
        for one in [LAYER] * 4 + [chosen] + [LAYER] * 4:
            correlation += 1
            took = START_US + one["roof_us"] / one["share"] if one is not chosen or not slow else one["roof_us"] / one["share"]
            dims = one["dims"]
            types = [one["dtype"] if d else "Scalar" for d in dims]
            lie = (one["strides"] or []) + [row_major(d) for d in dims[len(one["strides"] or []):]]
            args = {"Input Dims": dims, "Input type": types, "Input Strides": lie,
                    "Concrete Inputs": one["concrete"] or ["" for _ in dims]}
            events.append({"ph": "X", "cat": "cpu_op", "name": one["name"], "pid": 1, "tid": 1, "ts": now, "dur": 9, "args": args})
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": now + 2, "dur": 5,
                           "args": {"correlation": correlation}})
            device = max(device, now + 8)
            events.append({"ph": "X", "cat": "kernel", "name": one["kernel"], "pid": 0, "tid": 7, "ts": round(device, 3),
                           "dur": round(took, 3), "args": {"device": 0, "stream": 7, "correlation": correlation, **one["launch"]}})
            device += took + 1
            now += 10
        now = device + 5
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "pid": 1, "tid": 1, "ts": begin + 95,
                       "dur": round(now - begin - 96, 3), "args": {}})
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": begin,
                       "dur": round(now - begin, 3), "args": {}})
        now += 1
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "numSms": 132, "computeMajor": 9,
                                                      "computeMinor": 0, "totalGlobalMem": 85000000000}], "traceEvents": events}


def wall(trace):
    return max(e["ts"] + e["dur"] for e in trace["traceEvents"]) - 1000


def findings(tracecoach, trace):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as out:
        json.dump(trace, out)
        out.flush()
        text = subprocess.run([tracecoach, "analyze", "--one-thread", "--format", "json", "--only", "below-roof", out.name],
                              stdout=subprocess.PIPE, check=True).stdout
    return json.loads(text)["advice"]


def check(tracecoach):
    failed = 0
    for case, one in CASES.items():
        slow, tuned = write(case, True), write(case, False)
        found, quiet = findings(tracecoach, slow), findings(tracecoach, tuned)
        won = (wall(slow) - wall(tuned)) * 1000
        gain = found[0]["gain_ns"] if found else 0
        text = json.dumps(found)
        good = bool(found) and not quiet and one["reason"] in text and abs(gain - won) <= 0.2 * won
        failed += not good
        print(f"{'ok' if good else 'FAILED'}: {case}: gain {gain / 1e6:.2f} ms of {won / 1e6:.2f} ms, {len(quiet)} for the twin")
        if not good:
            print(text[:1500])
    return failed > 0


if __name__ == "__main__":
    if sys.argv[1] == "--write":
        json.dump(write(sys.argv[2], sys.argv[3] == "1"), sys.stdout)
    else:
        sys.exit(check(sys.argv[1]))
