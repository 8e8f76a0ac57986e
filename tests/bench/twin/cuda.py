"""The program on a CUDA device: a kernel a launch, streams, and one queue to the device."""
from program import FORWARD, UPDATE_SHARE, Program
from world import Stream, Work

VECTOR = "void at::native::vectorized_elementwise_kernel<4, at::native::%s, at::detail::Array<char*, 3> >"
KERNELS = {
    "gemm": "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"
            "segment_k_off_kernel__5x_cublas",
    "gemm32": "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_"
              "aligna4_alignc4_execute_kernel__5x_cublas",
    "norm": "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>"
            "(int, float, c10::BFloat16 const*, c10::BFloat16*, float*, float*)",
    "norm_back": "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel<c10::BFloat16, "
                 "float>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, int)",
    "attention": "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, "
                 "128, 4, false, false, cutlass::bfloat16_t>>(pytorch_flash::Flash_fwd_params)",
    "attention_back": "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::"
                      "Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, "
                      "cutlass::bfloat16_t>>(pytorch_flash::Flash_bwd_params)",
    "add": VECTOR % "CUDAFunctor_add<c10::BFloat16>",
    "gelu": VECTOR % "GeluCUDAKernelImpl<c10::BFloat16>",
    "gelu_back": VECTOR % "GeluBackwardCUDAKernelImpl<c10::BFloat16>",
    "mul": VECTOR % "BinaryFunctor<float>",
    "fill": VECTOR % "FillFunctor<float>",
    "addcmul": VECTOR % "addcmul_cuda_kernel",
    "sqrt": VECTOR % "sqrt_kernel_cuda",
    "addcdiv": VECTOR % "addcdiv_cuda_kernel",
    "softmax": "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 10, "
               "false, false>(c10::BFloat16*, c10::BFloat16 const*, int, int, int, bool const*, int, bool)",
    "transpose": "void cudnn::ops::nchwToNhwcKernel<__nv_bfloat16, __nv_bfloat16, float, false, true, "
                 "(cudnnKernelDataType_t)0>(cudnn::ops::nchw2nhwc_params_t<float>, __nv_bfloat16 const*, "
                 "__nv_bfloat16*)",
    "adamw": "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
             "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::"
             "FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double>",
    "all_reduce": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
}
NODE = "autograd::engine::evaluate_function: "
NAMES = {
    "norm": ("aten::layer_norm", "aten::native_layer_norm"),
    "gemm": ("aten::linear", "aten::addmm"),
    "attention": ("aten::scaled_dot_product_attention", "aten::_flash_attention_forward"),
    "add": ("aten::add", None),
    "gelu": ("aten::gelu", None),
    "gelu_back": (NODE + "GeluBackward0", "aten::gelu_backward"),
    "norm_back": (NODE + "NativeLayerNormBackward0", "aten::native_layer_norm_backward"),
    "attention_back": (NODE + "ScaledDotProductFlashAttentionBackward0", "aten::_flash_attention_backward"),
}
LATENCY_NS, GAP_NS, COMPUTE, COMM = 4000, 900, 7, 20
COPY_GBS, PAGEABLE_GBS = 24, 9


class Cuda(Program):
    hooks_gradients = True

    def build(self):
        p = self.p
        self.compute = self.stream(COMPUTE, 0)
        self.comm = self.stream(COMM, 0)
        self.streams = [self.compute, self.comm]
        self.after = ()
        self.ends = []
        self.calls = 0

    def stream(self, lane, device):
        def record(lane, work):
            self.notes.device.append((device, lane, work.kind, work.name, work.start, work.end,
                                      work.facts))
        return Stream(self.world, lane, record, self.p.limit, LATENCY_NS, GAP_NS)

    def call(self, t, name, work, stream):
        """A launch: it waits while the queue is full."""
        self.calls += 1
        work.facts["correlation"] = self.calls
        work.facts["id"] = t.op_id()
        t.begin(name, "runtime", correlation=self.calls, op=t.op_id(), launches=True)
        yield 2500
        while stream.on_way >= stream.limit:
            yield stream.space()
        stream.put(work)
        yield 700
        t.end()

    def wait(self, t, name, work):
        self.calls += 1
        t.begin(name, "runtime", correlation=self.calls, op=t.op_id(), launches=False)
        yield 1500
        if work is not None and not work.done.fired:
            yield work.done
        yield 2500
        t.end()

    def kernel(self, t, label, ns, stream=None, **more):
        work = Work(KERNELS[label], "kernel", max(ns, 1500), after=self.after, **more)
        self.after = ()
        yield from self.call(t, "cudaLaunchKernel", work, stream or self.compute)

    def op(self, t, names, kernels, host_ns):
        t.begin(names[0], "op")
        yield host_ns * .35
        if names[1]:
            t.begin(names[1], "op")
            yield host_ns * .25
        for label, ns in kernels:
            yield from self.kernel(t, label, ns)
        yield host_ns * .1
        if names[1]:
            t.end()
        yield host_ns * .1
        t.end()
        yield host_ns * .2

    def layer(self, t, label, weight):
        p = self.p
        ns = self.jitter(weight * p.unit_ns * self.pace(self.step_index), .04)
        host_ns = max(self.jitter(self.op_ns, .3) - 3200, 500)
        names = NAMES[label]
        if label == "gemm":
            if t is self.back:
                names = (NODE + "AddmmBackward0", "aten::mm")
            if self.has("layout-transposes"):
                cost = self.part_ns("layout-transposes", self.p.blocks * self.p.micro * 11)
                yield from self.op(t, ("aten::contiguous", "aten::clone"), [("transpose", cost)], host_ns * .3)
            if self.has("fp32"):
                label, ns = "gemm32", ns * p.fp32_ratio
        if label == "attention" and self.has("unfused-attention"):
            yield from self.slow_attention(t, ns, host_ns)
            return
        yield from self.op(t, names, [(label, ns)], host_ns)
        if label in ("add", "gelu") and "small-kernels" in p.planted:
            for i in range(1 if self.fixed("small-kernels") else p.tiny):
                yield from self.op(t, (("aten::mul", "aten::add")[i % 2], None), [(("mul", "add")[i % 2], 2500)],
                                   p.tiny_host_ns)

    def slow_attention(self, t, ns, host_ns):
        ns += self.part_ns("unfused-attention", self.p.blocks * self.p.micro)
        parts = (("aten::matmul", "aten::bmm", "gemm", .2), ("aten::add", None, "add", .2),
                 ("aten::softmax", "aten::_softmax", "softmax", .4), ("aten::matmul", "aten::bmm", "gemm", .2))
        for name, inner, label, share in parts:
            yield from self.op(t, (name, inner), [(label, ns * share)], host_ns * .5)

    def copy(self, t, name, kind, ns, size):
        work = Work(name, "memcpy", ns, after=self.after, bytes=int(size))
        self.after = ()
        yield from self.call(t, "cudaMemcpyAsync", work, self.compute)
        return work

    def copy_in(self, pageable):
        t, size = self.main, self.p.batch_bytes
        t.begin("aten::to", "op")
        yield 4000
        t.begin("aten::copy_", "op")
        yield 3000
        if pageable:
            work = yield from self.copy(t, "Memcpy HtoD (Pageable -> Device)", "memcpy", size / PAGEABLE_GBS, size)
            yield from self.wait(t, "cudaStreamSynchronize", work)
        else:
            yield from self.copy(t, "Memcpy HtoD (Pinned -> Device)", "memcpy", size / COPY_GBS, size)
        t.end()
        yield 1500
        t.end()

    def read_value(self, t, name, inner):
        t.begin(name, "op")
        yield 2000
        t.begin(inner, "op")
        yield 2500
        work = yield from self.copy(t, "Memcpy DtoH (Device -> Pageable)", "memcpy", 1800, 4)
        yield from self.wait(t, "cudaStreamSynchronize", work)
        yield 1500
        t.end()
        t.end()

    def make_tensors(self):
        each = self.extra_ns("cpu-created-tensors") / self.p.tensors
        for _ in range(self.p.tensors):
            self.main.begin("aten::normal_", "op")
            yield each
            self.main.end()
            self.main.begin("aten::to", "op")
            self.main.begin("aten::_to_copy", "op")
            self.main.begin("aten::copy_", "op")
            yield 4000
            work = yield from self.copy(self.main, "Memcpy HtoD (Pageable -> Device)", "memcpy", 20000, 180000)
            yield from self.wait(self.main, "cudaStreamSynchronize", work)
            for _ in range(3):
                self.main.end()

    def zero_grad(self):
        if not self.has("zero-grad-memset"):
            return
        self.main.begin("Optimizer.zero_grad#AdamW.zero_grad", "annotation")
        each = self.part_ns("zero-grad-memset", self.p.parameters)
        for _ in range(self.p.parameters):
            yield from self.op(self.main, ("aten::zero_", "aten::fill_"), [("fill", each)], 4000)
        self.main.end()

    def reduce(self, micro, bucket):
        t = self.back
        t.begin("nccl:all_reduce", "annotation")
        yield 9000
        work = Work(KERNELS["all_reduce"], "kernel", after=(self.compute.last,), meeting=self.meeting(micro, bucket))
        yield from self.call(t, "cudaLaunchKernelExC", work, self.comm)
        t.end()
        yield 3000

    def wait_for_collectives(self):
        self.after = (self.comm.last,)

    def update(self):
        t, total = self.main, UPDATE_SHARE * self.device_ns
        t.begin("Optimizer.step#AdamW.step", "annotation")
        yield 30000
        if self.has("unfused-optimizer"):
            each = (total + self.p.problems["unfused-optimizer"] * self.device_ns) / (4 * self.p.parameters)
            ops = (("aten::mul_", "mul"), ("aten::addcmul_", "addcmul"), ("aten::sqrt", "sqrt"),
                   ("aten::addcdiv_", "addcdiv"))
            for i in range(4 * self.p.parameters):
                name, label = ops[i % 4]
                yield from self.op(t, (name, None), [(label, each)], 3500)
        else:
            yield from self.op(t, ("aten::_fused_adamw_", None), [("adamw", total)], 60000)
        t.end()

    def throttle(self):
        """Programs without reads are held by the queue alone; some wait for an earlier step."""
        if self.compute.last is not None:
            self.ends.append(self.compute.last)
        if self.p.in_flight and len(self.ends) > self.p.in_flight:
            yield from self.wait(self.main, "cudaEventSynchronize", self.ends[-self.p.in_flight])

    def evaluate(self):
        self.serial = 5000
        for _ in range(self.p.blocks):
            for label, weight in FORWARD:
                yield from self.layer(self.main, label, weight)

    def stop(self):
        for work in self.pending():
            yield from self.wait(self.main, "cudaDeviceSynchronize", work)
