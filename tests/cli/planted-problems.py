#!/usr/bin/env python3
"""The 22 kernel problems of TraceLens' unit tests on an MI300X: operator, sizes and reason, and what tuned kernels leave.

    planted-problems.py TRACECOACH

Sizes, types, launches and times of kernels are those of the traces and tables below evals/unit_tests of
https://github.com/AMD-AGI/TraceLens; two of them are stored no more, and are those of attn_02 and attn_03 here. The
traces are written anew, in the forms that these have: by hand with external ids and no correlation ids, types as
c10::ScalarType and tuples of Python; of roctracer, in whole microseconds and with grids of threads at the calls; of
rocprofiler-sdk, with grids of 0. A twin has a tuned kernel in place of the slow one, with nothing to report.
"""
import json
import subprocess
import sys
import tempfile

from tensors import row_major


def slice_(cat, name, pid, ts, us, args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": pid, "ts": ts, "dur": us, "args": args}


def by_hand(case, us):
    """The operator, then small ones if there are some, each longer on the host than its kernel."""
    events, ts = [], 1000000.0
    runs = [(case["op"], case["dims"], case["types"], case["concrete"], case["kernel"], us, case["grid"], case["block"])]
    runs += [("aten::mul_", [[256, 1024]] * 2, ["Float"] * 2, ["", ""], "void at::native::elementwise_kernel<1>", 30.0, 64, 256)] * case["extra"]
    for external, (op, dims, types, concrete, kernel, took, grid, block) in enumerate(runs, 100):
        strides = [[1] * len(d) if op == "aten::convolution" else row_major(d) for d in dims]
        events += [slice_("cpu_op", op, 470, ts, took + 200, {"Input Dims": dims, "Input type": types, "Input Strides": strides, "Concrete Inputs": concrete}),
                   slice_("cuda_runtime", "cudaLaunchKernel", 470, ts + 10, 5, {"External id": external}),
                   slice_("kernel", kernel, 0, ts + 50, took, {"device": 0, "stream": 7, "grid": grid if isinstance(grid, list) else [grid, 1, 1], "block": [block, 1, 1], "External id": external})]
        for ph in "sf":  # arrows that begin where they end
            events.append({"ph": ph, "id": external, "pid": 0, "tid": 0, "ts": ts + 50, "cat": "ac2g", "name": "ac2g", "bp": "e"})
        ts += took + 300
    return {"traceEvents": events}


def roctracer(case, us):
    """Ten calls; the frame of Python around each has its start and end, and comes later in the file."""
    events, at, gpu = [], 1771536568903147, 1771536568903207
    for i in range(10):
        events.append(slice_("cpu_op", "aten::mm", 1979, at, 10, {"External id": 513 + i, "Concrete Inputs": ["", ""], "Input type": case["types"], "Input Dims": case["dims"]}))
        events.append(slice_("python_function", "<built-in method mm of type object at 0x7f08beb2d760>", 1979, at, 10, {"Python id": 24 + i, "Python parent id": None}))
        for part, (kernel, threads, took) in enumerate([(case["kernel"], case["grid"], us)] + case["then"]):
            external = 25 + 3 * i + part
            call = at + 3 + 2 * part
            events += [slice_("cuda_runtime", "hipExtModuleLaunchKernel", 1979, call, 2, {"External id": external, "block dim": [256, 1, 1], "grid dim": threads}),
                       {"ph": "s", "id": external, "pid": 1979, "tid": 1979, "ts": call, "cat": "ac2g", "name": "ac2g"},
                       slice_("kernel", kernel, 2, max(gpu, call + 4), took, {"External id": external}),
                       {"ph": "f", "id": external, "pid": 2, "tid": 2, "ts": max(gpu, call + 4), "cat": "ac2g", "name": "ac2g", "bp": "e"}]
            gpu = max(gpu, call + 4) + took
        at += 11
    events.append(slice_("cuda_runtime", "hipDeviceSynchronize", 1979, at + 10, gpu - at, {"External id": 55}))
    return {"traceEvents": events}


def rocprofiler(case, us):
    """Ten calls, waited for at the end."""
    events, at, gpu = [], 5888649824171.422, 5888649824371.422
    for i in range(10):
        strides = case.get("strides") or [row_major(d) for d in case["dims"]]
        events += [slice_("cpu_op", case["op"], 51105, at, 60, {"External id": i + 1, "Concrete Inputs": case["concrete"], "Input type": case["types"], "Input Strides": strides, "Input Dims": case["dims"]}),
                   slice_("cuda_runtime", "hipModuleLaunchKernel", 51105, at + 20, 6, {"External id": i + 1, "correlation": i + 1}),
                   slice_("kernel", case["kernel"], 0, gpu, us, {"External id": i + 1, "device": 0, "stream": 1, "correlation": i + 1, "grid": [case["grid"], case["grid"] and 1, case["grid"] and 1], "block": [0, 0, 0]})]
        gpu += us
        at += 70
    events.append(slice_("cuda_runtime", "hipDeviceSynchronize", 51105, at, gpu - at + 5, {"correlation": 99}))
    device = {"id": 0, "name": "AMD Instinct MI300X", "totalGlobalMem": 206141652992, "warpSize": 64, "numSms": 304}
    return {"deviceProperties": [device], "traceEvents": events}


def conv(us, tuned, reason, x, w, kernel, grid, stride=1, pad=(0, 0), dilation=1, transposed=False, groups=1, block=256):
    concrete = ["", "", "", f"({stride},{stride})", "(%d,%d)" % pad, f"({dilation},{dilation})", str(transposed), "(0,0)", str(groups)]
    return {"form": by_hand, "op": "aten::convolution", "dims": [x, w], "types": ["Float"] * 2, "concrete": concrete, "kernel": kernel, "grid": grid,
            "block": block, "extra": 0, "us": us, "tuned": tuned, "reason": reason, "id": "below-roof"}


def moe(us, tokens, experts, hidden, inner, chosen, grid, extra=3, reason=None):
    return {"form": by_hand, "op": "vllm::rocm_aiter_fused_moe", "dims": [[tokens, hidden], [experts, 2 * inner, hidden], [experts, hidden, inner], [tokens, chosen]],
            "types": ["BFloat16"] * 3 + ["Float"], "concrete": [""] * 4, "kernel": "aiter_fused_moe_kernel_bf16", "grid": grid, "block": 256, "extra": extra,
            "us": us, "tuned": None, "reason": reason, "id": "low-occupancy"}


def gemm(us, tuned, reason, a, b, kernel, threads, types="c10::BFloat16", then=()):
    return {"form": roctracer, "op": "aten::mm", "dims": [a, b], "types": [types] * 2, "kernel": "Cijk_Ailk_Bljk_" + kernel + "_SN_1LDSB0_ISA942", "grid": threads,
            "then": list(then), "us": us, "tuned": tuned, "reason": reason, "id": "below-roof"}


FLASH = "aten::_scaled_dot_product_flash_attention"


def attention(us, tuned, reason, dims, kernel, form=by_hand, grid=0):
    types, scalars = (["BFloat16"] * 3, []) if form is by_hand else (["c10::BFloat16"] * 3 + ["Scalar"] * 4, [[]] * 4)
    return {"form": form, "op": FLASH, "dims": [dims] * 3 + scalars, "types": types, "concrete": ["", "", "", "0.0", "False", "False", ""], "kernel": kernel,
            "grid": grid, "block": 128, "extra": 0, "us": us, "tuned": tuned, "reason": reason, "id": "below-roof"}


IGEMM = "igemm_fwd_gtcx_nhwc_fp32_"
# tuned: at some 80 % of the roof, with the time of an empty kernel
CASES = {
    "gemm_01": gemm(1084, 52, "a long inner size: 131072 for a result of 256 x 512, 8 blocks for 304 cores", [256, 131072], [131072, 512], "BBS_BH_MT256x128x64_MI16x16x16x1", [512, 4, 1], then=[("Cijk_B_PostGSU2", [131072, 1, 1], 5)]),
    "gemm_02": gemm(107, 21, "sizes 1025 x 8192 x 1025 are not multiples of 8", [1025, 8192], [8192, 1025], "BBS_BH_MT128x64x64_MI32x32x8x1", [2304, 17, 1]),
    "gemm_03": gemm(367, 136, "sizes 4097 x 4097 x 4097 are not multiples of 8", [4097, 4097], [4097, 4097], "BBS_BH_MT256x112x64_MI16x16x16x1", [4352, 37, 1]),
    # Of 13 us an empty kernel takes a part: tuned, it would take more than half as long.
    "gemm_04": gemm(13, 9, None, [131072, 32], [32, 32], "HHS_BH_MT64x128x32_MI16x16x16x1", [524288, 1, 1], types="c10::Half"),
    "sdpa_01": attention(65846, 16820, "the kernel is that of AOTriton", [1, 32, 32768, 128], "attn_fwd.kd", rocprofiler),
    "sdpa_02": attention(112321, 25230, "a head size of 192 is not a power of 2", [1, 8, 65536, 192], "attn_fwd.kd", rocprofiler),
    "sdpa_03": attention(25, 9, "short sequences: 16 queries and 16 keys in each of 1024 heads", [32, 32, 16, 128], "flash_fwd_kernel_bf16", grid=[32, 32, 1]),
    "sdpa_04": attention(3200, 137, "a head size of 256: blocks of such heads fill registers", [4, 8, 2048, 256], "flash_fwd_kernel_bf16_hdim256", grid=[128, 8, 1]),
    # The strides are those of two transposed matrices, which PyTorch adds in the order of memory: no reason to be slow.
    "elem_01": {"form": rocprofiler, "op": "aten::add", "dims": [[8192, 8192]] * 2 + [[]], "strides": [[1, 8192]] * 2 + [[]], "types": ["float", "float", "Scalar"], "concrete": ["", "", "1"],
                "kernel": "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)", "grid": 16384, "us": 421, "tuned": 190, "reason": "no reason shows", "id": "below-roof"},
    "conv_01": conv(4500, 156, "3 channels fills no tensor core", [1, 3, 2048, 2048], [64, 3, 7, 7], IGEMM + "bx0_ex0_bt128x128x32", 1024, stride=2, pad=(3, 3)),
    "conv_02": conv(1200, 42, "too few blocks: 128 for 64 places and 2048 channels on 304 cores", [4, 2048, 4, 4], [2048, 2048, 3, 3], IGEMM + "bx0_bt64x64x16", 128, pad=(1, 1), block=128),
    "conv_03": conv(800, 93, "too few blocks: 64 for 6272 places and 512 channels on 304 cores", [2, 256, 56, 56], [512, 256, 1, 7], IGEMM + "bx0_bt128x128x8", 64, pad=(0, 3)),
    "conv_04": conv(350, 21, "a depthwise convolution", [8, 1024, 32, 32], [1024, 1, 3, 3], "depthwise_conv2d_fwd_fp32_kernel", 256, pad=(1, 1), groups=1024),
    "conv_05": conv(600, 106, "a convolution with a kernel of 1: it is a product of 3136 x 1024 x 2048", [16, 1024, 14, 14], [2048, 1024, 1, 1], IGEMM + "bx0_bt256x128x16", 512),
    "conv_06": conv(2200, 301, "a dilated convolution (16)", [2, 256, 128, 128], [256, 256, 3, 3], IGEMM + "dilation_bx0", 512, pad=(16, 16), dilation=16),
    "conv_07": conv(900, 13, "a transposed convolution", [4, 512, 8, 8], [512, 256, 4, 4], "igemm_bwd_data_gtcx_nhwc_fp32_bx0_bt128x128x16", 256, stride=2, pad=(1, 1), transposed=True),
    # Their weights take longer to read than these kernels run, so what they had to do is not known.
    "moe_01": moe(280, 16, 64, 4096, 11008, 2, 64, reason="too few blocks: 0.21 for each core"),
    "moe_03": moe(950, 512, 16, 7168, 14336, 1, 128, reason="too few blocks: 0.42 for each core"),
    "moe_06": moe(180, 4, 128, 4096, 11008, 8, 32, extra=0, reason="too few blocks: 0.11 for each core"),
    # The host does not wait for the kernel, and goes on as late where it is tuned: nothing is gained.
    "moe_02": moe(6500, 8192, 8, 4096, 11008, 1, 512),
    # These reach 100 % and 57 % of the roof.
    "moe_04": moe(1800, 512, 16, 7168, 14336, 2, 256, extra=0),
    "moe_05": moe(12000, 4096, 8, 8192, 22016, 2, 1024),
}


def advice(tool, case, us):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(case["form"](case, us), file)
        file.flush()
        device = [] if case["form"] is rocprofiler else ["--device", "MI300X"]
        told = subprocess.run([tool, "analyze", "--format", "json", *device, file.name], check=True, capture_output=True, text=True).stdout
    return {row["id"]: row for row in json.loads(told)["advice"] if row["id"] in ("below-roof", "low-occupancy")}


def check(tool, name, case):
    """What is wrong."""
    told = advice(tool, case, case["us"])
    rows = [(id, row["data"]) for id, found in told.items() for row in found["evidence"] if row["subject"].startswith(case["op"])]
    if case["reason"] is None:
        return [f"{name}: {rows}"] if rows else []
    dims = json.dumps(case["dims"], separators=(",", ":")).replace(",[]", "")
    if [id for id, data in rows] != [case["id"]] or dims not in rows[0][1]["subject"] or case["reason"] not in rows[0][1]["reason"]:
        return [f"{name}: {case['reason']} is missing: {rows}"]
    if case["tuned"] is None:
        return []
    calls = 1 if case["form"] is by_hand else 10
    saved, gain = 1000 * calls * (case["us"] - case["tuned"]), told["below-roof"]["gain_ns"]
    wrong = [] if abs(gain - saved) <= saved / 20 else [f"{name}: gains {gain}, and a tuned kernel {saved}"]
    return wrong + [f"{name}: {id} of a tuned kernel" for id in advice(tool, dict(case, then=[]), case["tuned"])]


def main():
    failed = [line for name, case in CASES.items() for line in check(sys.argv[1], name, case)]
    print("\n".join(failed))
    sys.exit(len(failed) > 0)


if __name__ == "__main__":
    main()
