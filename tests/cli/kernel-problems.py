#!/usr/bin/env python3
"""Kernel problems as PyTorch's profiler records them on an MI300X and an H100: which reason a report gives.

    kernel-problems.py TRACECOACH

Each case is a loop of an operator whose kernels are slow for one known reason, beside tuned products, with the operators
around it, launches and arrows that Kineto writes. Times are typed by hand, in us. The device is named or not. A case
says which words the report has to have, beside the operator and its sizes, and that no other operator has a reason.
"""
import json
import re
import subprocess
import sys
import tempfile

from tensors import row_major

BF16, FP32 = "c10::BFloat16", "float"
PROPERTIES = {
    "mi300": {"id": 0, "name": "AMD Instinct MI300X", "totalGlobalMem": 206141652992, "computeMajor": 9, "computeMinor": 4, "warpSize": 64, "numSms": 304},
    "a100": {"id": 0, "name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 85097971712, "computeMajor": 8, "computeMinor": 0, "warpSize": 32, "numSms": 108},
    "h100": {"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85024112640, "computeMajor": 9, "computeMinor": 0, "warpSize": 32, "numSms": 132},
}
TENSILE = "Cijk_Ailk_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64_MI16x16x1_SN_LDSB0_AFC1_CLR1_CADS0_EPS0_GSU0_GSUAMBSK_ISA942_IU1_K1"
TENSILE_FP32 = "Cijk_Alik_Bljk_SB_MT128x128x16_SN_1LDSB0_APM1_ABV0_ACED0_ISA942_IU1"
NVJET = "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT"
AMPERE = "ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_nn"
XMMA = "sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_stage4_warpsize2x2x1_tensor16x8x16_kernel"
ELEMENTS = "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor>(int)"
GELU = "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&)::lambda>(int)"
SOFTMAX = "void (anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, c10::BFloat16, at::native::SoftMaxForwardEpilogue>(c10::BFloat16*)"
REDUCE = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::BFloat16, at::native::func_wrapper_t<float>, unsigned int, c10::BFloat16, 4> >(at::native::ReduceOp)"
NORM = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*)"
MIOPEN = "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt256x256x32_wt32x32x8_ws1x1_wr4x2"
NAIVE = "naive_conv_ab_nonpacked_fwd_nchw_ushort_double_ushort"


def channels_last(dims):
    n, c, h, w = dims
    return [c * h * w, 1, w * c, c]


class Trace:
    def __init__(self, device):
        self.device, self.events, self.host, self.gpu, self.correlation, self.external = device, [], 1000.0, 1100.0, 0, 0

    def slice(self, cat, name, pid, tid, ts, dur, args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})

    def kernel(self, name, us, at, launch):
        """A launch, its kernel, and the arrow between them."""
        self.correlation += 1
        begin, is_rocm = max(self.gpu, at + 5), self.device == "mi300"
        args = {"External id": self.external, "device": 0, "stream": 0 if is_rocm else 7, "correlation": self.correlation,
                "grid": [launch.get("grid", 2048), 1, 1], "block": [256, 1, 1]}
        if not is_rocm:
            args.update({"registers per thread": 32, "shared memory": 0, "blocks per SM": args["grid"][0] / PROPERTIES[self.device]["numSms"], "est. achieved occupancy %": 80})
            args.update({key: value for key, value in launch.items() if key != "grid"})
        self.slice("cuda_runtime", "hipLaunchKernel" if is_rocm else "cudaLaunchKernel", 1, 100, at, 3, {"External id": self.external, "correlation": self.correlation})
        self.slice("kernel", name, 0, args["stream"], begin, us, args)
        for ph, pid, tid, ts in (("s", 1, 100, at), ("f", 0, args["stream"], begin)):
            self.events.append({"ph": ph, "id": self.correlation, "pid": pid, "tid": tid, "ts": ts, "cat": "ac2g", "name": "ac2g", "bp": "e"})
        self.gpu = begin + us + .8

    def call(self, names, dims, kernels, types=BF16, strides=(), concrete=(), **launch):
        """An operator, and those around it, outermost first; all have the same inputs."""
        types = types if isinstance(types, list) else [types if d else "Scalar" for d in dims]
        args = {"Concrete Inputs": list(concrete) or [""] * len(dims), "Input type": types, "Input Dims": dims,
                "Input Strides": list(strides) + [row_major(d) for d in dims[len(strides):]]}
        length = 10 + 4 * len(kernels)
        for depth, name in enumerate(names):
            self.external += 1
            self.slice("cpu_op", name, 1, 100, self.host + depth * .25, length - depth * .5, {"External id": self.external, **args})
        for i, (name, us) in enumerate(kernels):
            self.kernel(name, us, self.host + 3 + 4 * i, launch)
        self.host += length + 2

    def tuned(self, count):
        kernel, us = {"mi300": (TENSILE, 300), "h100": (NVJET, 370), "a100": (AMPERE, 1150)}[self.device]
        for _ in range(count):
            self.call(["aten::mm"], [[4096, 4096], [4096, 8192]], [(kernel, us)])

    def convolve(self, image, weight, kernels, groups=1, stride=1, padding=1, dilation=1, dtype=BF16, strides=(), **launch):
        concrete = ["", "", "", f"[{stride}, {stride}]", f"[{padding}, {padding}]", f"[{dilation}, {dilation}]", "False", "[0, 0]", str(groups)]
        inner = "aten::miopen_convolution" if self.device == "mi300" else "aten::cudnn_convolution"
        types = [dtype, dtype, ""] + ["ScalarList"] * 3 + ["Scalar", "ScalarList", "Scalar"]
        self.call(["aten::conv2d", "aten::convolution", "aten::_convolution", inner], [image, weight] + [[]] * 7, kernels, types, strides, concrete, **launch)

    def text(self, known):
        """known: what the trace says of the device: its name, all but the name, or nothing."""
        end = max(self.gpu, self.host)
        self.slice("cuda_runtime", "hipDeviceSynchronize" if self.device == "mi300" else "cudaDeviceSynchronize", 1, 100, self.host, end - self.host + 2, {})
        trace = {"schemaVersion": 1, "traceEvents": self.events}
        properties = {key: value for key, value in PROPERTIES[self.device].items() if key != "name" or known == "named"}
        return json.dumps({**trace, **({} if known == "nothing" else {"deviceProperties": [properties]})})


def op(names, dims, kernels, count=4, **more):
    return lambda trace: [trace.call(names.split(), dims, kernels, **more) for _ in range(count)]


def conv(*args, count=3, **more):
    return lambda trace: [trace.convolve(*args, **more) for _ in range(count)]


def attention(trace):
    for _ in range(3):
        trace.call(["aten::matmul", "aten::bmm"], [[128, 2048, 128], [128, 128, 2048]], [(TENSILE, 250)])
        trace.call(["aten::softmax", "aten::_softmax"], [[4, 32, 2048, 2048], [], []], [(SOFTMAX, 900)], concrete=["", "-1", "False"])
        trace.call(["aten::matmul", "aten::bmm"], [[128, 2048, 2048], [128, 2048, 128]], [(TENSILE, 260)])


def math_attention(trace):
    heads, scores = [4, 32, 2048, 128], [4, 32, 2048, 2048]
    inputs = [heads] * 3 + [[4, 1, 2048, 2048]] + [[]] * 4
    args = {"Concrete Inputs": [""] * 8, "Input type": [BF16] * 4 + ["Scalar"] * 4, "Input Dims": inputs, "Input Strides": [row_major(d) for d in inputs]}
    for _ in range(3):
        begin = trace.host
        trace.host += 1
        trace.call(["aten::matmul", "aten::bmm"], [[128, 2048, 128], [128, 128, 2048]], [(TENSILE, 250)])
        trace.call(["aten::add_"], [scores, [4, 1, 2048, 2048], []], [(ELEMENTS, 900)])
        trace.call(["aten::softmax", "aten::_softmax"], [scores, [], []], [(SOFTMAX, 900)], concrete=["", "-1", "False"])
        trace.call(["aten::matmul", "aten::bmm"], [[128, 2048, 2048], [128, 2048, 128]], [(TENSILE, 260)])
        for depth, name in enumerate(("aten::scaled_dot_product_attention", "aten::_scaled_dot_product_attention_math")):
            trace.external += 1
            trace.slice("cpu_op", name, 1, 100, begin + depth * .25, trace.host - begin - depth * .5, {"External id": trace.external, **args})
        trace.host += 1


def short_chain(trace):
    for _ in range(50):
        trace.call(["aten::tanh"], [[64, 1024]], [(GELU, 2.2)])
        trace.call(["aten::mul"], [[64, 1024], [64, 1024]], [(ELEMENTS, 2.2)])


def softmax_by_hand(trace):
    scores = [32, 32, 1024, 1024]
    for _ in range(3):
        trace.call(["aten::amax"], [scores, [], []], [(REDUCE, 500)], concrete=["", "[-1]", "True"])
        trace.call(["aten::sub"], [scores, [32, 32, 1024, 1], []], [(ELEMENTS, 700)])
        trace.call(["aten::exp"], [scores], [(GELU, 700)])
        trace.call(["aten::sum"], [scores, [], [], []], [(REDUCE, 500)], concrete=["", "[-1]", "True", ""])
        trace.call(["aten::div"], [scores, [32, 32, 1024, 1]], [(ELEMENTS, 700)])


def rms_by_hand(trace):
    rows, one = [8192, 8192], [8192, 1]
    for _ in range(3):
        trace.call(["aten::pow"], [rows, []], [(ELEMENTS, 110)], concrete=["", "2"])
        trace.call(["aten::mean"], [rows, [], [], []], [(REDUCE, 60)], concrete=["", "[-1]", "True", ""])
        trace.call(["aten::rsqrt"], [one], [(GELU, 5)])
        trace.call(["aten::mul"], [rows, one], [(ELEMENTS, 110)])


def swiglu_by_hand(trace):
    rows = [8192, 14336]
    for _ in range(3):
        trace.call(["aten::silu"], [rows], [(GELU, 180)])
        trace.call(["aten::mul"], [rows, rows], [(ELEMENTS, 270)])


def residual_norm(trace):
    rows, one = [8192, 8192], [8192, 1]
    for _ in range(3):
        trace.call(["aten::add"], [rows, rows, []], [(ELEMENTS, 160)])
        trace.call(["aten::pow"], [rows, []], [(GELU, 110)], concrete=["", "2"])
        trace.call(["aten::mean"], [rows, [], [], []], [(REDUCE, 60)], concrete=["", "[-1]", "True", ""])
        trace.call(["aten::rsqrt"], [one], [(GELU, 5)])
        trace.call(["aten::mul"], [rows, one], [(ELEMENTS, 110)])
        trace.call(["aten::mul"], [rows, [8192]], [(ELEMENTS, 110)])


def rotary_by_hand(trace):
    heads, half = [8, 32, 4096, 128], [8, 32, 4096, 64]
    for _ in range(3):
        trace.call(["aten::mul"], [heads, [1, 1, 4096, 128]], [(ELEMENTS, 200)])
        trace.call(["aten::neg"], [half], [(GELU, 60)])
        trace.call(["aten::cat"], [[half, half], []], [("void at::native::(anonymous namespace)::CatArrayBatchedCopy<float>(float*)", 130)], strides=[[], []], types=["TensorList", "Scalar"])
        trace.call(["aten::mul"], [heads, [1, 1, 4096, 128]], [(ELEMENTS, 200)])
        trace.call(["aten::add"], [heads, heads, []], [(ELEMENTS, 280)])


def bias_gelu_dropout(trace):
    rows = [8192, 16384]
    for _ in range(3):
        trace.call(["aten::add"], [rows, [16384], []], [(ELEMENTS, 210)])
        trace.call(["aten::gelu"], [rows, []], [(GELU, 210)])
        trace.call(["aten::native_dropout"], [rows, [], []], [("void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float>(float*)", 260)])


def update_by_hand(trace):
    weight = [4096, 16384]
    for _ in range(3):
        trace.call(["aten::mul_"], [weight, []], [(GELU, 105)])
        trace.call(["aten::addcmul_"], [weight, weight, weight, []], [(ELEMENTS, 160)])
        trace.call(["aten::addcdiv_"], [weight, weight, weight, []], [(ELEMENTS, 160)])


def independent(trace):
    # a benchmark of one operator: each call may read the inputs of the call before
    for _ in range(10):
        trace.call(["aten::add"], [[8192, 8192], [8192, 8192], []], [(ELEMENTS, 170)])


def unlike(trace):
    # each on a tensor of its own size: none reads what the one before wrote
    for i in range(10):
        rows = [8192, 8192 + 512 * (i % 5)]
        trace.call([("aten::add", "aten::mul")[i % 2]], [rows, rows, []], [((ELEMENTS, GELU)[i % 2], 170)])


def permuted(trace):
    # copies of transposed matrices: each reads another order than the one before wrote
    for i in range(10):
        rows, columns = ([8192, 8192], [16384, 4096])[i % 2]
        trace.call(["aten::contiguous", "aten::clone", "aten::copy_"], [[rows, columns], [rows, columns], []], [((ELEMENTS, GELU)[i % 2], 400)],
                   strides=[[columns, 1], [1, rows]])


GELU_BY_HAND = ("aten::pow", GELU, 1), ("aten::mul", ELEMENTS, 2), ("aten::add", ELEMENTS, 2), ("aten::tanh", GELU, 1), ("aten::add", ELEMENTS, 2), ("aten::mul", ELEMENTS, 2)
LAYER_NORM_BY_HAND = ("aten::mean", REDUCE, 1), ("aten::var", REDUCE, 1), ("aten::sub", ELEMENTS, 1), ("aten::div", ELEMENTS, 1), ("aten::mul", ELEMENTS, 1)


def by_hand(parts):
    """Operators on the same rows; of several inputs, all have their sizes."""
    return lambda trace: [trace.call([name], [[8192, 16384]] * count, [(kernel, 200)]) for _ in range(3) for name, kernel, count in parts]


IMAGE = [64, 256, 56, 56]
POOL = "void at::native::(anonymous namespace)::max_pool_forward_nhwc<c10::BFloat16, int>(x)"
RESIZE = "void at::native::(anonymous namespace)::upsample_bilinear2d_out_frame<c10::BFloat16, float>(x)"
SCAN = "void at::native::tensor_kernel_scan_innermost_dim<float, std::plus<float> >(float*, float const*, unsigned int, unsigned int, unsigned int, float, std::plus<float>)"
CK = "void ck::tensor_operation::device::(anonymous namespace)::kernel_grouped_conv_fwd_multiple_abd_xdl_cshuffle<ck::GridwiseGemmMultipleABD_xdl_cshuffle<unsigned short, unsigned short, float>, float const*>(x)"
COPY = "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}> >(int)"
ATTENTION = "aten::scaled_dot_product_attention aten::_scaled_dot_product_flash_attention"
FLASH = "void pytorch_flash::flash_fwd_kernel<x>(x)"
SMALL = {"est. achieved occupancy %": 12}
# name: device, tuned products, what runs, operator in the report, words of its reason
CASES = {
    "odd on an A100": ("a100", 2, op("aten::mm", [[4096, 4095], [4095, 4097]], [(AMPERE, 3000)]), "aten::mm", "not multiples of 8"),
    "odd": ("mi300", 6, op("aten::mm", [[4096, 4095], [4095, 4097]], [(TENSILE, 600)]), "aten::mm", "not multiples of 8"),
    "vocabulary": ("h100", 6, op("aten::linear aten::addmm", [[50257], [8192, 1024], [1024, 50257], [], []], [(XMMA, 9000)]), "aten::addmm", "not multiples of 8"),
    "skinny": ("mi300", 1, op("aten::mm", [[4, 8192], [8192, 28672]], [(TENSILE, 480)], 8, strides=[[8192, 1], [1, 8192]], grid=112), "aten::mm", "narrow product: 4 rows"),
    "matrix and vector": ("h100", 1, op("aten::addmm", [[4096], [1, 4096], [4096, 4096], [], []], [("void gemv2T_kernel_val<int, int, __nv_bfloat16, 128, 16>(x)", 48)], 30), "aten::addmm", "narrow product: 1 rows"),
    "lora": ("mi300", 1, op("aten::mm", [[131072, 4096], [4096, 16]], [(TENSILE, 1500)]), "aten::mm", "16 columns"),
    "split": ("mi300", 2, op("aten::mm", [[128, 131072], [131072, 256]], [(TENSILE, 500)], grid=2), "aten::mm", "split-K"),
    "weight gradient": ("h100", 2, op("aten::mm", [[256, 65536], [65536, 256]], [(XMMA, 700)], strides=[[1, 256], [256, 1]], grid=4), "aten::mm", "split-K"),
    "few tiles": ("mi300", 1, op("aten::mm", [[512, 2048], [2048, 512]], [(TENSILE, 60)], grid=16), "aten::mm", "too few blocks: 16 tiles"),
    "small batch": ("mi300", 1, op("aten::bmm", [[8192, 16, 64], [8192, 64, 16]], [(TENSILE, 400)]), "aten::bmm", "8192 small products"),
    "depthwise": ("mi300", 1, conv([64, 512, 56, 56], [512, 1, 3, 3], [(NAIVE, 900)], groups=512), "aten::convolution", "depthwise"),
    "grouped": ("h100", 1, conv(IMAGE, [256, 8, 3, 3], [("void cudnn::cnn::conv2d_grouped_direct_kernel<false>(x)", 1500)], groups=32), "aten::convolution", "32 groups"),
    "dilated": ("mi300", 1, conv([16, 512, 64, 64], [512, 512, 3, 3], [(MIOPEN, 3000)], padding=4, dilation=4, strides=[channels_last([16, 512, 64, 64]), channels_last([512, 512, 3, 3])]), "aten::convolution", r"dilated convolution \(4\)"),
    "first layer": ("mi300", 1, conv([256, 3, 224, 224], [64, 3, 7, 7], [(MIOPEN, 5000)], stride=2, padding=3), "aten::convolution", "3 channels"),
    "odd channels": ("h100", 1, conv([64, 253, 56, 56], [253, 253, 3, 3], [(XMMA, 2500)], strides=[channels_last([64, 253, 56, 56])]), "aten::convolution", "253 to 253, are not multiples"),
    "layout": ("mi300", 1, conv(IMAGE, [256, 256, 3, 3], [("batched_transpose_32x32_dword", 400), (MIOPEN, 700), ("batched_transpose_32x32_dword", 400)]), "aten::convolution", "channels_last"),
    "single precision": ("mi300", 0, op("aten::mm", [[4096, 4096], [4096, 4096]], [(TENSILE_FP32, 2100)], 6, types=FP32), r"of aten::mm \[\[4096,4096\]", "in fp32"),
    "single convolution": ("h100", 0, conv(IMAGE, [256, 256, 3, 3], [("implicit_convolve_sgemm<float, float, 128>", 5000)], dtype=FP32), "of aten::cudnn_convolution", "in fp32"),
    "transposed": ("h100", 1, op("aten::add", [[16384, 16384], [16384, 16384], []], [(ELEMENTS, 2500)], strides=[[1, 16384]], concrete=["", "", "1"]), "aten::add", "different orders"),
    "every other": ("h100", 1, op("aten::mul", [[8192, 4096], [8192, 4096]], [(ELEMENTS, 700)], strides=[[16384, 2], [16384, 2]]), "aten::mul", "gaps"),
    "part of a product": ("mi300", 1, op("aten::mm", [[4096, 4096], [4096, 4096]], [(TENSILE, 700)], strides=[[12288, 3]]), "aten::mm", "gaps"),
    "across rows": ("mi300", 1, op("aten::softmax aten::_softmax", [[32, 32, 1024, 1024], [], []], [(SOFTMAX, 3000)], strides=[[33554432, 1, 32768, 32]]), "aten::_softmax", "elements of a row lie apart"),
    "few blocks": ("h100", 1, op("aten::gelu", [[8192, 8192], []], [(GELU, 1200)], grid=32), "aten::gelu", "too few blocks: 0.24"),
    # A size of 1 and a repeated row have no order.
    "broadcast": ("h100", 1, op("aten::mul", [[8192, 8192], [8192, 1]], [(ELEMENTS, 700)], grid=32), "aten::mul", "too few blocks: 0.24"),
    "expanded": ("h100", 1, op("aten::mul", [[8192, 8192], [8192, 8192]], [(ELEMENTS, 700)], strides=[[8192, 1], [0, 1]], grid=32), "aten::mul", "too few blocks: 0.24"),
    "columns": ("h100", 1, op("aten::sum", [[65536, 4096], [], [], []], [(REDUCE, 1300)], concrete=["", "[0]", "False", ""]), "aten::sum", "lie apart in memory: 65536 elements"),
    "spatial": ("a100", 1, op("aten::softmax aten::_softmax", [[64, 1024, 512], [], []], [(SOFTMAX, 500)], concrete=["", "1", "False"]), "aten::_softmax", "lie apart in memory: 1024 elements"),
    "vector": ("h100", 1, op("aten::mv", [[16384, 4096], [4096]], [("void gemv2T_kernel_val<int, int, __nv_bfloat16, 128, 16>(x)", 250)], 12), "aten::mv", "narrow product: 1 columns"),
    "first matrix": ("h100", 1, op("aten::mm", [[4096, 4096], [4096, 4096]], [(XMMA, 700)], strides=[[1, 4096]]), "aten::mm", "the first matrix is transposed"),
    "packed heads": ("a100", 1, op("aten::_scaled_dot_product_flash_attention", [[1, 32, 1, 128], [1, 32, 8192, 128], [1, 32, 8192, 128], [], [], [], []], [("void pytorch_flash::flash_fwd_kernel<x>(x)", 600)], 10,
                                    strides=[[12288, 128, 12288, 1]], concrete=["", "", "", "0.", "False", "False", ""], grid=32), "flash_attention", "few queries: 1 rows"),
    "atomics": ("mi300", 1, op("aten::index_add_", [[100000, 256], [], [2000000], [2000000, 256], []], [("void at::native::indexFuncLargeIndex<float>(x)", 12000)], types=[FP32, "Scalar", "long int", FP32, "Scalar"], concrete=["", "0", "", "", "1"]), "aten::index_add_", "adds 2000000 rows of 256 elements"),
    "accumulate": ("a100", 1, op("aten::index_put_ aten::_index_put_impl_", [[131072, 1024], [], [65536, 1024], [], []], [("void at::native::indexing_backward_kernel<c10::BFloat16, 4>(x)", 3000)], types=[BF16, "TensorList", BF16, "Scalar", "Scalar"], concrete=["", "", "", "True", "True"]), "aten::index_put_", "adds 65536 rows of 1024"),
    "table gradient": ("h100", 1, op("aten::embedding_dense_backward", [[16384, 4096], [16384], [], [], []], [("void at::native::embedding_backward_feature_kernel<c10::BFloat16, float, long>(x)", 2000)], types=[BF16, "long int"] + ["Scalar"] * 3, concrete=["", "", "50304", "-1", "False"]), "aten::embedding_dense_backward", "adds 16384 rows of 4096"),
    "gather": ("mi300", 1, op("aten::gather", [[16384, 32000], [], [16384, 4096], []], [("void at::native::_scatter_gather_elementwise_kernel<128, 8, x>(x)", 2000)], types=[BF16, "Scalar", "long int", "Scalar"], concrete=["", "1", "", "False"]), "aten::gather", "gathers 67108864 elements"),
    "selection": ("h100", 1, op("aten::topk", [[16, 50257], [], [], [], []], [("void at::native::sbtopk::gatherTopK<c10::BFloat16, unsigned int, 2, false>(x)", 150)], 9, concrete=["", "50", "-1", "True", "True"], grid=16), "aten::topk", "top-k of 16 rows of 50257 elements: a block for each row"),
    "sort": ("a100", 1, op("aten::sort", [[256, 50257], [], [], []], [("void at_cuda_detail::cub::DeviceSegmentedRadixSortKernel<x>(x)", 3000)], types=[FP32] + ["Scalar"] * 3, concrete=["", "", "-1", "True"]), "aten::sort", "sorts 256 rows of 50257"),
    "frozen": ("mi300", 1, op("aten::batch_norm aten::native_batch_norm", [[256, 64, 112, 112], [64], [64], [64], [64], [], [], []], [("void at::native::batch_norm_transform_input_kernel<c10::BFloat16, float, float, true, int>(x)", 900)], concrete=["", "", "", "", "", "False", "0.1", "1e-05"]), "aten::native_batch_norm", "a batch norm in eval mode"),
    "few rows": ("mi300", 1, op("aten::sum", [[4, 16777216], [], [], []], [(REDUCE, 600)], concrete=["", "[1]", "False", ""], grid=4), "aten::sum", "too few rows: 4 rows"),
    "registers": ("h100", 1, op("aten::_softmax", [[8192, 8192], [], []], [(SOFTMAX, 900)], **SMALL, **{"registers per thread": 255}), "aten::_softmax", "255 registers"),
    "shared memory": ("h100", 1, op("aten::native_layer_norm", [[65536, 4096], [], [4096], [4096], []], [(NORM, 3000)], **SMALL, **{"shared memory": 166912}), "aten::native_layer_norm", "166912 bytes of shared"),
    "own registers": ("h100", 1, op("mylib::fused_mlp", [[8192, 4096], [4096, 4096]], [("fused_mlp_kernel(float*, float*)", 1500)], **SMALL, **{"registers per thread": 255}), "mylib::fused_mlp", "255 registers"),
    "own blocks": ("mi300", 1, op("mylib::scan", [[8192, 8192]], [("_scan_kernel", 1200)], grid=32), "mylib::scan", "too few blocks: 0.11"),
    "softmax": ("h100", 1, softmax_by_hand, "of aten::sub", r"a part of softmax of \[32,32,1024,1024\].*torch.softmax"),
    "norm": ("h100", 1, rms_by_hand, "of aten::(pow|mul)", r"a part of RMS normalisation of \[8192,8192\].*rms_norm"),
    "residual": ("h100", 1, residual_norm, "of aten::(add|pow|mul)", r"a part of residual and RMS normalisation of \[8192,8192\].*fused_add_rms_norm"),
    "rotary": ("h100", 1, rotary_by_hand, "of aten::(mul|add|neg)", r"a part of a rotary embedding of \[8,32,4096,128\].*rotary kernel"),
    "dropout": ("h100", 1, bias_gelu_dropout, "of aten::(add|gelu)", r"a part of bias, GELU and dropout of \[8192,16384\].*torch.compile"),
    "update": ("h100", 1, update_by_hand, "of aten::(mul|addc)", r"a part of an update of an optimizer of \[4096,16384\].*fused=True"),
    "gate": ("h100", 1, swiglu_by_hand, "of aten::(silu|mul)", r"a part of SwiGLU of \[8192,14336\].*silu_and_mul"),
    "masked attention": ("mi300", 1, math_attention, "of aten::_softmax", r"scaled_dot_product_attention \[\[4,32,2048,128\].* takes no fused kernel: it has a mask of \[4,1,2048,2048\]"),
    "experts": ("h100", 1, op("vllm::outplace_fused_experts", [[64, 4096], [8, 28672, 4096], [8, 4096, 14336], [64, 2], [64, 2]], [("fused_moe_kernel", 4000)], types=[BF16] * 3 + [FP32, "int"], grid=1024), "vllm::outplace_fused_experts", "few rows for each expert: 16 for each of 8"),
    "short kernels": ("mi300", 0, short_chain, r"of aten::tanh \[\[64,1024\]\]", "too short to keep the device busy"),
    "vocabulary in fp32": ("a100", 1, op("aten::log_softmax aten::_log_softmax", [[8192, 50257], [], []], [(SOFTMAX, 9000)], types=[FP32, "Scalar", "Scalar"], concrete=["", "1", "False"]), "aten::_log_softmax", "8192 rows of 50257 elements in fp32"),
    # What CK and cuDNN add up in float is not computed in fp32.
    "sums in float": ("mi300", 1, conv(IMAGE, [256, 8, 3, 3], [(CK, 1500)], groups=32), "aten::convolution", "32 groups"),
    "grouped gradient": ("h100", 1, op("ConvolutionBackward0 aten::convolution_backward", [IMAGE, IMAGE, [256, 8, 3, 3]] + [[]] * 8, [("void cudnn::cnn::wgrad2d_grouped_direct_kernel<false, true, int, float>(x)", 3000)],
                         concrete=["", "", "", "[0]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "32", "[True, True, False]"]), "aten::convolution_backward", "32 groups"),
    "plain": ("mi300", 1, conv([32, 128, 56, 56], [128, 128, 3, 3], [(NAIVE, 9000)], strides=[channels_last([32, 128, 56, 56])]), "aten::convolution", "a plain kernel"),
    "unfolded": ("mi300", 1, conv([32, 128, 56, 56], [128, 128, 3, 3], [("Im2d2Col_v2", 60)] * 30 + [(TENSILE, 50)] * 30), "aten::convolution", "a plain kernel"),
    "one image": ("mi300", 1, conv([1, 512, 7, 7], [512, 512, 3, 3], [(CK, 180)], strides=[channels_last([1, 512, 7, 7])], grid=8), "aten::convolution", "too few blocks: 8 for 49 places and 512 channels"),
    # With a kernel of 1 it is a product, but not with strides; the layout is the cheaper fix.
    "kernel of 1": ("h100", 1, conv(IMAGE, [512, 256, 1, 1], [(XMMA, 900)], padding=0, strides=[channels_last(IMAGE)]), "aten::convolution", "a convolution with a kernel of 1"),
    "shortcut": ("h100", 1, conv(IMAGE, [512, 256, 1, 1], [(XMMA, 900)], stride=2, padding=0, strides=[channels_last(IMAGE)]), "aten::convolution", "no reason shows"),
    "layout of kernel 1": ("h100", 1, conv(IMAGE, [512, 256, 1, 1], [(XMMA, 900)], padding=0), "aten::convolution", "channels come first"),
    "repeated": ("h100", 1, op("aten::repeat aten::copy_", [[64, 1024, 1024], [64, 1024, 1024], []], [(COPY, 350)], strides=[[1048576, 1024, 1], [0, 1024, 1]]), "aten::copy_", "repeated elements, as expand"),
    "short rows": ("mi300", 1, op("aten::layer_norm aten::native_layer_norm", [[1048576, 32], [], [32], [32], []], [(NORM, 600)]), "aten::native_layer_norm", "short rows: 1048576 rows of 32"),
    "copies within": ("h100", 1, op("aten::group_norm aten::native_group_norm", [[8, 128, 256, 256], [128], [128]] + [[]] * 5, [(COPY, 300), (NORM, 300)], strides=[channels_last([8, 128, 256, 256])], concrete=["", "", "", "8", "128", "65536", "32", "1e-05"]), "aten::native_group_norm", "50 % of its time copies"),
    "head size": ("mi300", 1, op(ATTENTION, [[8, 32, 2048, 80]] * 3 + [[]] * 4, [("attn_fwd.kd", 2600)], concrete=["", "", "", "0.", "False", "False", ""]), "flash_attention", "a head size of 80 is not a power of 2"),
    "short sequences": ("h100", 1, op(ATTENTION, [[1024, 12, 64, 64]] * 3 + [[]] * 4, [(FLASH, 900)], concrete=["", "", "", "0.", "False", "False", ""]), "flash_attention", "short sequences: 64 queries and 64 keys in each of 12288"),
    "scan": ("h100", 1, op("aten::cumsum", [[4, 4194304], [], []], [(SCAN, 4000)], types=[FP32, "Scalar", ""], concrete=["", "1", ""], grid=4), "aten::cumsum", "too few rows: 4 rows of 4194304"),
    "scan of columns": ("a100", 1, op("aten::cumsum", [[65536, 512], [], []], [(SCAN.replace("innermost", "outer"), 3000)], types=[FP32, "Scalar", ""], concrete=["", "0", ""], grid=1), "aten::cumsum", "65536 elements of each row are taken across others"),
    "one sum": ("h100", 1, op("aten::sum", [[268435456], []], [(REDUCE, 1500)], types=[FP32, ""], grid=32), "aten::sum", "too few rows: 1 rows"),
    "one sum in many blocks": ("h100", 1, op("aten::sum", [[268435456], []], [(REDUCE, 1500)], types=[FP32, ""], grid=264), "aten::sum", "no reason shows"),
    "bags": ("h100", 1, op("aten::embedding_bag aten::_embedding_bag", [[5000000, 128], [4000000], [65536]] + [[]] * 6, [("void at::native::(anonymous namespace)::EmbeddingBag_updateOutputKernel_sum_mean<float, long>(x)", 6000)], types=[FP32, "long int", "long int"] + ["Scalar"] * 6), "aten::_embedding_bag", "gathers 4000000 rows of 128"),
    "masks": ("h100", 1, op("aten::dropout aten::native_dropout", [[8192, 16384], [], []], [("void at::native::(anonymous namespace)::fused_dropout_kernel_vec<c10::BFloat16, float, unsigned int, 1, 4, bool>(x)", 900)]), "aten::native_dropout", "22.7 % of the roof"),
    "windows": ("h100", 1, op("aten::max_pool2d aten::max_pool2d_with_indices", [[256, 64, 112, 112]] + [[]] * 5, [(POOL, 3000)], concrete=["", "[3, 3]", "[2, 2]", "[1, 1]", "[1, 1]", "False"]), "aten::max_pool2d_with_indices", "9.3 % of the roof"),
    "images": ("h100", 1, op("aten::upsample_bilinear2d", [[16, 64, 128, 128]] + [[]] * 4, [(RESIZE, 2000)], concrete=["", "[512, 512]", "False", "", ""]), "aten::upsample_bilinear2d", "8.7 % of the roof"),
    "repeated before": ("h100", 1, op("aten::contiguous aten::clone aten::copy_", [[64, 1024, 1024], [64, 1024, 1024], []], [(COPY, 200)], strides=[[1048576, 1024, 1], [0, 1024, 1]]), "aten::contiguous", "repeated elements, as expand"),
    "GELU": ("a100", 1, by_hand(GELU_BY_HAND), "of aten::(pow|mul|add)", r"a part of GELU of \[8192,16384\].*gelu"),
    "layer norm": ("a100", 1, by_hand(LAYER_NORM_BY_HAND), "of aten::(sub|div|mul)", r"a part of layer normalisation of \[8192,16384\].*layer_norm"),
    "SiLU": ("h100", 1, by_hand((("aten::sigmoid", GELU, 1), ("aten::mul", ELEMENTS, 2))), "of aten::(sigmoid|mul)", r"a part of a sigmoid gate of \[8192,16384\].*silu"),
    "attention": ("mi300", 1, attention, "of aten::_softmax", "Attention runs as separate operations"),
}


# Kernels as fast as libraries have them: nothing is to be said. Name: device, what runs.
HEALTHY = {
    "product": ("h100", op("aten::mm", [[8192, 8192], [8192, 8192]], [(NVJET, 1650)])),
    "tf32": ("h100", op("aten::mm", [[8192, 8192], [8192, 8192]], [("sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas", 3200)], types=FP32)),
    "decoding": ("h100", op("aten::mm", [[1, 8192], [8192, 28672]], [("void gemvx::kernel<int, int, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, false, true>(x)", 175)], strides=[[8192, 1], [1, 8192]])),
    "convolution": ("h100", conv([256, 256, 56, 56], [256, 256, 3, 3], [("sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x256x64_execute_kernel__5x_cudnn", 1600)], strides=[channels_last([256, 256, 56, 56])])),
    "attention": ("h100", op(ATTENTION, [[8, 32, 4096, 128]] * 3 + [[]] * 4, [(FLASH, 3600)], concrete=["", "", "", "0.", "False", "False", ""], **{"registers per thread": 255, "shared memory": 65536, "est. achieved occupancy %": 12})),
    "addition": ("mi300", op("aten::add", [[8192, 16384], [8192, 16384], []], [(ELEMENTS, 195)])),
    "layer norm": ("mi300", op("aten::layer_norm aten::native_layer_norm", [[65536, 4096], [], [4096], [4096], []], [(NORM, 280)])),
    "sum": ("h100", op("aten::sum", [[268435456], []], [(REDUCE, 350)], types=[FP32, ""], grid=264)),
    "lookup": ("h100", op("aten::embedding aten::index_select", [[128256, 4096], [16384], [], [], []], [("void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned int, 2, 2, -2, true>(x)", 130)], types=[BF16, "long int"] + ["Scalar"] * 3)),
    "masks": ("h100", op("aten::dropout aten::native_dropout", [[8192, 16384], [], []], [("void at::native::(anonymous namespace)::fused_dropout_kernel_vec<c10::BFloat16, float, unsigned int, 1, 4, bool>(x)", 280)])),
    "windows": ("h100", op("aten::max_pool2d aten::max_pool2d_with_indices", [[256, 64, 112, 112]] + [[]] * 5, [(POOL, 450)], concrete=["", "[3, 3]", "[2, 2]", "[1, 1]", "[1, 1]", "False"])),
    "images": ("h100", op("aten::upsample_bilinear2d", [[16, 64, 128, 128]] + [[]] * 4, [(RESIZE, 260)], concrete=["", "[512, 512]", "False", "", ""])),
    "scan": ("h100", op("aten::cumsum", [[65536, 4096], [], []], [(SCAN, 1100)], types=[FP32, "Scalar", ""], concrete=["", "1", ""])),
}


def report(tool, text):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(text)
        file.flush()
        return subprocess.run([tool, "analyze", "--width", "400", "--details", file.name], check=True, capture_output=True, text=True).stdout


def main():
    failed = []
    for name, (device, tuned, run, operator, reason) in CASES.items():
        # Without a name its cores and memory say what the device can do, or the launches or the architecture of kernels.
        for known in ("named", "nameless", "nothing"):
            trace = Trace(device)
            trace.tuned(tuned)
            run(trace)
            trace.tuned(tuned)
            told = re.sub(r"\n    ", " ", report(sys.argv[1], trace.text(known)))
            lines = [line for line in told.splitlines() if line.startswith("  - ")]
            if not re.search(reason, told) or not any(re.search(operator, line) for line in lines):
                failed.append(f"{name}, {known}: {operator}: {reason} is missing:\n{told[:1500]}")
            others = [line for line in lines if "% of the roof" in line and not re.search(reason, line)]
            if others:
                failed.append(f"{name}: another reason: {others}")
    for run in (independent, unlike, permuted):
        trace = Trace("h100")
        trace.tuned(1)
        run(trace)
        told = report(sys.argv[1], trace.text("named"))
        if "one by one" in told:
            failed.append(f"{run.__name__}: fusion is advised:\n{told[:1500]}")
    trace = Trace("h100")
    trace.tuned(1)
    for i in range(10):
        trace.call(["aten::mul"], [], [((ELEMENTS, GELU)[i % 2], 170)])
    for event in trace.events:
        event.get("args", {}).pop("Input Dims", None)
    if "it is not known whether each reads" not in (told := report(sys.argv[1], trace.text("named"))):
        failed.append(f"without sizes: it is not said:\n{told[:1500]}")
    for device in ("mi300", "h100", "a100"):
        trace = Trace(device)
        trace.tuned(20)
        for known in ("named", "nameless", "nothing"):
            if "of the roof" in report(sys.argv[1], trace.text(known)):
                failed.append(f"{device}, {known}: tuned products are reported")
    for name, (device, run) in HEALTHY.items():
        trace = Trace(device)
        trace.tuned(1)
        run(trace)
        told = report(sys.argv[1], trace.text("named"))
        if re.search(r"^#1 ", told, re.MULTILINE):
            failed.append(f"{name}: nothing is wrong:\n{told[:1500]}")
    print("\n".join(failed))
    sys.exit(len(failed) > 0)


if __name__ == "__main__":
    main()
