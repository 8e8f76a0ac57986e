"""The program on a Gaudi device, in lazy mode and with torch.compile.

Operations build a graph; a launch hands it over as a recipe. Inside a recipe the engines MME, TPC
and DMA each run their nodes in order, and a node starts when its producer has done the first of
its slices. Input copies and collectives have queues of their own.
"""
from program import FORWARD, UPDATE_SHARE, Program
from host import Thread
from world import Signal, Stream, Work

MME, TPC, EDMA, PDMA, NIC = "MME", "TPC", "DMA", "PDMA", "NIC"
NODES = {
    "norm": ("layer_norm_fwd_bf16", TPC), "norm_back": ("layer_norm_bwd_bf16", TPC),
    "gemm": ("GEMM", MME), "attention": ("sdpa_recomp_core_fwd_bf16", TPC),
    "attention_back": ("sdpa_recomp_core_bwd_bf16", TPC), "add": ("fused_kernel_0x88805A4E_C_bf16", TPC),
    "gelu": ("gelu_fwd_bf16", TPC), "gelu_back": ("gelu_bwd_bf16", TPC),
}
OPS = {
    "norm": ("aten::layer_norm", "aten::native_layer_norm", "empty_hpu_lazy"),
    "gemm": ("aten::linear", "aten::addmm", "matmul_hpu_lazy"),
    "attention": ("hpu::sdpa_recomp_fwd", None, "sdpa_recomp_fwd_lazy"),
    "add": ("aten::add", None, "add_tensor_hpu_lazy"), "gelu": ("aten::gelu", None, "empty_hpu_lazy"),
    "gelu_back": ("autograd::engine::evaluate_function: GeluBackward0", "GeluBackward0", "empty_hpu_lazy"),
    "norm_back": ("autograd::engine::evaluate_function: NativeLayerNormBackward0",
                  "NativeLayerNormBackward0", "empty_hpu_lazy"),
    "attention_back": ("autograd::engine::evaluate_function: SDPABackward", "hpu::sdpa_recomp_bwd",
                       "empty_hpu_lazy"),
    "gemm_back": ("autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0", "matmul_hpu_lazy"),
}
LAUNCH_LATENCY_NS, LINK_GBS, PAGEABLE_GBS = 15000, 24, 8
LOWER_SHARE = .25  # of the host time of a graph: what its launch takes, the rest is in operations


class Gaudi(Program):
    synapse_tid = 18001

    def build(self):
        self.compute = self.stream("compute", 2000)
        self.copies = self.stream(PDMA, 1000)
        self.comm = self.stream(NIC, 2000)
        self.streams = [self.compute, self.copies, self.comm]
        self.nodes = []
        self.after = ()
        self.ends = []
        self.recipes = 0
        self.launcher = Thread(self.world, self.notes, 3)
        self.tasks, self.task = [], Signal()
        self.last = None  # the work launched last, even where the launching thread has not come to it
        self.lazy = self.p.vendor == "lazy"
        if self.lazy:
            self.op_ns *= 1 - LOWER_SHARE
        else:
            self.world.spawn(self.launch_tasks())

    def stream(self, lane, gap_ns):
        def record(lane, work):
            if lane != "compute":
                self.notes.device.append((0, lane, work.kind, work.name, work.start, work.end, work.facts))
        return Stream(self.world, lane, record, 256, LAUNCH_LATENCY_NS, gap_ns)

    # The device
    def add(self, name, engine, ns, dtype="bf16", back=1):
        self.nodes.append((name, engine, max(int(ns), 1000), dtype, back))

    def schedule(self, nodes, recipe, start):
        """Runs the nodes of a recipe on its engines; returns when the last one ends."""
        free = dict.fromkeys((MME, TPC, EDMA), start)
        runs = []
        for name, engine, ns, dtype, back in nodes:
            slices = 1 if self.has("mme-tpc-serial") or engine == EDMA else self.p.slices
            begin, finish = free[engine], 0
            if len(runs) >= back:
                before, until, other = runs[-back]
                if other == EDMA:
                    slices = 1
                begin = max(begin, before + (until - before) // slices)
                finish = until + ns // slices if slices > 1 else 0
            end = max(begin + ns, finish)
            free[engine] = end
            runs.append((begin, end, engine))
            self.notes.device.append((0, engine, "node", name, begin, end, {"recipe": recipe, "dtype": dtype}))
        return max((end for _, end, _ in runs), default=start)

    # The host
    def logged(self, t, name, **facts):
        if self.lazy:
            t.begin(name, "logger", **facts)

    def end_logged(self, t):
        if self.lazy:
            t.end()

    def enqueue(self, t, work, recipe):
        self.logged(t, "synLaunchWithExternalEvents", numberOfTensors=24)
        yield 5000
        t.begin("enqueueWithExternalEventsExt (accel0)", "synapse", recipe=recipe)
        yield 30000
        while self.compute.on_way >= self.p.graph_limit:
            yield self.compute.space()
        self.compute.put(work)
        yield 15000
        t.end()
        yield 4000
        self.end_logged(t)

    def wait(self, t, work):
        self.logged(t, "synEventSynchronize")
        yield 2000
        t.begin("synchronizeEvent (accel0)", "synapse", recipe=0)
        if not work.done.fired:
            yield work.done
        yield 1500
        t.end()
        yield 1500
        self.end_logged(t)

    def compile(self, t, recipe):
        self.logged(t, "synGraphCompile")
        t.begin("compileGraph (accel0)", "synapse", recipe=recipe)
        yield self.extra_ns("recompilation")
        t.end()
        self.end_logged(t)

    def launch(self, t, key, compiled=False):
        """Hands over the graph that the operations since the last launch built."""
        nodes, self.nodes = self.nodes, []
        if compiled:
            self.recipes += 1
            key = 1000 + self.recipes
        work = Work("", "graph", after=self.after, plan=lambda start: self.schedule(nodes, key, start))
        self.after = ()
        self.last = work
        lower_ns = self.op_ns / (1 - LOWER_SHARE) * LOWER_SHARE * max(len(nodes), 4) if self.lazy else 25000
        t.begin("SyncTensorsGraphInternal" if self.lazy else "Launch", "bridge")
        yield lower_ns
        if compiled:
            yield from self.compile(t, key)
        if self.lazy:
            t.begin("LaunchSyncTensorsGraph" if compiled else "ExecuteCachedGraph", "bridge")
            yield 30000
            yield from self.enqueue(t, work, key)
            yield 20000
            t.end()
        else:
            self.tasks.append((work, key))
            if not self.task.fired:
                self.world.fire(self.task)
        yield 5000
        t.end()
        return work

    def launch_tasks(self):
        t = self.launcher
        while True:
            if not self.tasks:
                self.task = Signal()
                yield self.task
                yield 4000
            work, key = self.tasks.pop(0)
            t.begin("LaunchRecipeTask", "bridge")
            yield 9000
            t.begin("launch_recipe", "bridge")
            yield 12000
            yield from self.enqueue(t, work, key)
            yield 6000
            t.end()
            yield 3000
            t.end()

    def op(self, t, names, host_ns):
        t.begin(names[0], "op")
        yield host_ns * .2
        if names[1]:
            t.begin(names[1], "op")
            yield host_ns * .15
        if self.lazy:
            t.begin(names[2], "bridge")
        yield host_ns * .4
        if self.lazy:
            t.end()
        if names[1]:
            t.end()
        yield host_ns * .1
        t.end()
        yield host_ns * .15

    def layer(self, t, label, weight):
        p = self.p
        ns = self.jitter(weight * p.unit_ns * self.pace(self.step_index) * .8, .03)
        host_ns = self.jitter(self.op_ns, .3)
        name, engine = NODES[label]
        names = OPS["gemm_back" if label == "gemm" and t is self.back else label]
        places = p.blocks * p.micro
        dtype = "bf16"
        if label == "gemm":
            if self.has("layout-transposes"):
                self.add("Transpose", TPC, self.part_ns("layout-transposes", places * 11))
            if self.has("fp32"):
                ns, dtype = ns * p.fp32_ratio, "float32"
        if label == "attention" and self.has("unfused-attention"):
            ns += self.part_ns("unfused-attention", places)
            self.add("BatchGemm", MME, ns * .2)
            self.add("add_fwd_bf16", TPC, ns * .2)
            self.add("softmax_fwd_bf16", TPC, ns * .4)
            self.add("BatchGemm", MME, ns * .2)
            for row in (("aten::matmul", "aten::bmm", "matmul_hpu_lazy"), ("aten::add", None, "add_tensor_hpu_lazy"),
                        ("aten::softmax", "aten::_softmax", "empty_hpu_lazy"),
                        ("aten::matmul", "aten::bmm", "matmul_hpu_lazy")):
                yield from self.op(t, row, host_ns * .5)
            return
        self.add(name, engine, ns, dtype)
        yield from self.op(t, names, host_ns)
        if label in ("add", "gelu") and "small-kernels" in p.planted:
            tiny = 1 if self.fixed("small-kernels") else int(self.part_ns("small-kernels", places * 4) / 5000) + 2
            for i in range(tiny):
                self.add(("mul_fwd_bf16", "add_fwd_bf16")[i % 2], TPC, 5000)
        if label == "norm" and self.has("dma-exposed"):
            self.add("DmaMemcpy", EDMA, self.part_ns("dma-exposed", places * 2), "")

    def before_block(self, block, is_forward):
        if self.has("cpu-fallback") and is_forward and block == self.p.blocks // 2:
            yield from self.fall_back()

    def fall_back(self):
        t, size = self.main, self.p.fallback_bytes
        if self.lazy and self.nodes:
            yield from self.launch(t, 30)
        t.begin("aten::_linalg_svd", "op")
        yield 4000
        yield from self.read_value(t, "aten::to", "aten::_to_copy", size, launches=False)
        yield self.p.problems["cpu-fallback"] * self.device_ns
        yield from self.copy_one(t, size, True)
        t.end()

    def end_forward(self):
        yield from self.launch(self.main, 16, self.has("recompilation"))
        for graph in range(self.p.copy_graphs):  # recipes of DMA work alone
            self.add("DmaMemcpy", EDMA, COPY_GRAPH_NS, "")
            yield from self.launch(self.main, 60 + graph)

    def end_backward_block(self, block):
        due = BUCKET_CUTS * (block + 1) // self.p.blocks
        if due > BUCKET_CUTS * block // self.p.blocks or not self.lazy:
            yield from self.launch(self.back if not self.lazy else self.main, 40 + block)

    def end_backward(self):
        if self.nodes:
            yield from self.launch(self.main, 80)

    def copy_one(self, t, size, blocking):
        t.begin("aten::to", "op")
        yield 4000
        t.begin("aten::copy_", "op")
        yield 3000
        if self.lazy:
            t.begin("copy_hpu_lazy_", "bridge")
            t.begin("copy_hpu_lazy_H2D", "bridge")
        self.logged(t, "synMemCopyAsync", size=int(size))
        yield 12000
        work = Work("DmaMemcpy", "memcpy", size / (PAGEABLE_GBS if blocking else LINK_GBS), bytes=int(size))
        self.copies.put(work)
        self.end_logged(t)
        if blocking:
            yield from self.wait(t, work)
        if self.lazy:
            t.end()
            t.end()
        t.end()
        yield 3000
        t.end()
        self.after += (work,)

    def copy_in(self, blocking):
        yield from self.copy_one(self.main, self.p.batch_bytes, blocking)
        yield from self.copy_one(self.main, 1024, blocking)

    def read_value(self, t, name, inner, size=4, launches=True):
        t.begin(name, "op")
        yield 3000
        t.begin(inner, "op")
        yield 3000
        if launches and self.nodes and self.lazy:
            yield from self.launch(t, 90)
        if self.lazy:
            t.begin("copy_hpu_lazy_D2H", "bridge")
        self.logged(t, "synMemCopyAsync", size=int(size))
        yield 15000
        last = self.last
        work = Work("DmaMemcpy", "memcpy", 6000 + size / 12, after=(last,) if last else (), bytes=int(size))
        self.copies.put(work)
        self.end_logged(t)
        yield from self.wait(t, work)
        if self.lazy:
            t.end()
        yield 3000
        t.end()
        t.end()

    def make_tensors(self):
        each = self.extra_ns("cpu-created-tensors") / self.p.tensors
        for _ in range(self.p.tensors):
            self.main.begin("aten::normal_", "op")
            yield each
            self.main.end()
            yield from self.copy_one(self.main, 180000, True)

    def reduce(self, micro, bucket):
        t = self.back
        t.begin("c10d::allreduce_", "op")
        yield 8000
        if self.lazy:
            t.begin("allreduce_hpu_lazy_", "bridge")
        yield 11000
        self.logged(t, "hcclAllReduce", count=1 << 20)
        yield 4000
        # Network ports record the name of the collective, or that of their hardware event.
        self.comm.put(Work("hcclAllReduce" if self.p.named_ports else "STM_0_TX", "collective",
                           after=(self.last,), meeting=self.meeting(micro, bucket)))
        self.end_logged(t)
        if self.lazy:
            t.end()
        yield 4000
        t.end()

    def wait_for_collectives(self):
        self.after = (self.comm.last,)

    def update(self):
        t, total = self.main, UPDATE_SHARE * self.device_ns
        slow = self.has("unfused-optimizer")
        t.begin("Optimizer.step#%s.step" % ("AdamW" if slow else "FusedAdamW"), "annotation")
        yield 40000
        if slow:
            each = (total + self.p.problems["unfused-optimizer"] * self.device_ns) / (4 * self.p.parameters)
            ops = (("aten::mul_", "mult_fwd_f32"), ("aten::addcmul_", "addcmul_fwd_f32"),
                   ("aten::sqrt", "sqrt_fwd_f32"), ("aten::addcdiv_", "addcdiv_fwd_f32"))
            for i in range(4 * self.p.parameters):
                self.add(ops[i % 4][1], TPC, each, "float32")
                yield from self.op(t, (ops[i % 4][0], None, "empty_hpu_lazy"), 12000)
        else:
            self.add("optimizer_adamw_f32", TPC, total, "float32")
            yield from self.op(t, ("hpu::optimizer_adamw", None, "optimizer_adamw_hpu_lazy"), 60000)
        t.end()
        yield from self.launch(t, 9)

    def throttle(self):
        if self.last is not None:
            self.ends.append(self.last)
        depth = self.p.in_flight or 2
        if len(self.ends) > depth:
            yield from self.wait(self.main, self.ends[-depth])

    def evaluate(self):
        self.serial = 5000
        for _ in range(self.p.blocks):
            for label, weight in FORWARD:
                yield from self.layer(self.main, label, weight)
        yield from self.launch(self.main, 20)

    def stop(self):
        for work in self.pending():
            yield from self.wait(self.main, work)

    def pending(self):
        return [work for work in (self.last, self.copies.last, self.comm.last) if work is not None]


BUCKET_CUTS = 4
COPY_GRAPH_NS = 12000
