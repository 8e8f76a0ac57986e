"""Healthy programs that are no plain training loop: two devices, captured graphs, servers, ranks of unequal speed."""
import math
from collections import deque

from cuda import COMPUTE, KERNELS, NODE, Cuda
from program import FORWARD
from world import Meeting, Work, draw


class TwoDevices(Cuda):
    """One process feeds two devices in turn, half of each batch for one of them."""

    def build(self):
        super().build()
        self.p.devices = 2
        self.second = self.stream(COMPUTE, 1)
        self.streams.append(self.second)

    def op(self, t, names, kernels, host_ns):
        yield from super().op(t, names, kernels, host_ns / 2)
        self.compute, self.second = self.second, self.compute
        yield from super().op(t, names, kernels, host_ns / 2)
        self.compute, self.second = self.second, self.compute


class Captured(Cuda):
    """The whole step is a captured graph: one launch, many kernels."""

    def one_pass(self, micro):
        yield from self.load(self.step_index)
        yield from self.copy_in(False)
        t = self.main
        self.calls += 1
        call = self.calls
        t.begin("cudaGraphLaunch", "runtime", correlation=call, op=t.op_id(), launches=True)
        yield 15000
        while self.compute.on_way >= self.compute.limit:
            yield self.compute.space()
        for block in range(self.p.blocks * 3):
            for node, (label, weight) in enumerate(FORWARD):
                self.compute.put(Work(KERNELS[label], "kernel", self.jitter(weight * self.p.unit_ns, .04),
                                      correlation=call, id=t.op_id(), node=1 + block * 20 + node))
        yield 5000
        t.end()

    def update(self):
        return
        yield


class Server(Cuda):
    """Requests come when they come; between them nobody has work, and nothing is recorded."""

    def train(self):
        p, t = self.p, self.main
        for self.step_index in range((p.before + p.steps) * 2):
            if self.step_index == p.before:
                self.record_from = self.world.now
            self.serial = 0
            yield self.device_ns * 2 * draw(p.seed, self.step_index, 5)
            yield from self.copy_in(False)
            for _ in range(p.blocks):
                for label, weight in FORWARD:
                    yield from self.layer(t, label, weight)
            yield from self.read_value(t, "aten::to", "aten::_to_copy")
            self.marks.append((self.world.now, self.pending()))
        self.record_until = self.world.now


class ContinuousBatching(Cuda):
    """A server that decodes a token for all open requests at once. New ones come when they come and
    join in the next round, finished ones leave, so rounds differ; without any request nobody works."""

    def train(self):
        p, t = self.p, self.main
        arrivals, now = [], 0
        for number in range(p.server_requests):
            now += -math.log(1 - draw(p.seed, number, 6)) * self.device_ns * p.server_pause
            arrivals.append((int(now), 20 + int(60 * draw(p.seed, number, 8))))
        waiting, left = deque(arrivals), []
        self.step_index = -1
        while waiting or left:
            self.step_index += 1
            self.serial = 0
            if self.step_index == 10:
                self.record_from = self.world.now
            if not left and waiting[0][0] > self.world.now:
                yield waiting[0][0] - self.world.now
            joined = 0
            while waiting and waiting[0][0] <= self.world.now and len(left) < 32:
                left.append(waiting.popleft()[1])
                joined += 1
            yield 60000 + 8000 * joined  # who takes part is decided on the host
            yield from self.round(joined, len(left))
            yield from self.read_value(t, "aten::to", "aten::_to_copy")
            left = [tokens - 1 for tokens in left if tokens > 1]
            self.marks.append((self.world.now, self.pending()))
            if self.step_index > 160:
                break
        self.record_until = self.world.now

    def round(self, joined, open_count):
        """The prompts of new requests, layer by layer; then one captured graph for the tokens of all."""
        for _ in range(self.p.blocks if joined else 0):
            for label, weight in FORWARD:
                yield from self.layer(self.main, label, weight * joined)
        t = self.main
        self.calls += 1
        t.begin("cudaGraphLaunch", "runtime", correlation=self.calls, op=t.op_id(), launches=True)
        yield 12000
        for block in range(self.p.blocks * 4):
            for node, (label, weight) in enumerate(FORWARD):
                ns = self.jitter(weight * self.p.unit_ns * (.1 + .004 * open_count), .04)
                self.compute.put(Work(KERNELS[label], "kernel", ns, correlation=self.calls, id=t.op_id(),
                                      node=1 + block * 20 + node))
        yield 4000
        t.end()


class Throttled(Cuda):
    """One of the ranks gets hot: its device is slower in some steps, and all wait for it."""

    def layer(self, t, label, weight):
        hot = self.rank == 1 and self.step_index % 5 >= 2
        yield from super().layer(t, label, weight * (self.p.hot_ratio if hot else 1))


class Storms(Cuda):
    """Now and then the allocator runs dry: it gives blocks back and takes new ones, and each waits for the device."""

    def before_block(self, block, is_forward):
        if is_forward and block == 1 and self.step_index % self.p.storm_every == 0:
            for number in range(self.p.storm_count):
                name = "cudaFree" if number < self.p.storm_count // 2 else "cudaMalloc"
                if name == "cudaFree":
                    yield from self.wait(self.main, name, self.compute.last)
                else:
                    self.calls += 1
                    self.main.begin(name, "runtime", correlation=self.calls, op=self.main.op_id(), launches=False)
                    yield 120000
                    self.main.end()


class TensorParallel(Cuda):
    """Layers are spread over ranks: all wait for the sum of their activations, twice a layer and pass."""

    def build(self):
        super().build()
        self.sums = self.stream(21, 0)
        self.streams.append(self.sums)
        each = self.p.activation_share * self.device_ns / (self.p.blocks * 5)
        self.sum_ns = max(each, 2000)

    def layer(self, t, label, weight):
        yield from super().layer(t, label, weight)
        if label in ("add", "norm_back"):
            yield from self.sum_activations(t)

    def sum_activations(self, t):
        names = ["c10d::allreduce_"] if t is self.main else [NODE + "_CopyToModelParallelRegionBackward",
                                                             "c10d::allreduce_"]
        for name in names:
            t.begin(name, "op")
        yield 3000
        work = Work(KERNELS["all_reduce"], "kernel", after=(self.compute.last,), meeting=Meeting(self.world, 1, self.sum_ns))
        yield from self.call(t, "cudaLaunchKernelExC", work, self.sums)
        self.after = (work,)
        for _ in names:
            t.end()
        yield 500


class LateCompilation(Cuda):
    """In one recorded step some operations are compiled: each ends in loading the code, and happens once."""

    def layer(self, t, label, weight):
        p = self.p
        if label == "gelu" and self.step_index == p.before + p.steps // 2 and self.compiled < p.compile_count:
            self.compiled += 1
            t.begin("TensorExprDynamicGroup", "op")
            yield p.compile_share * self.device_ns / p.compile_count
            yield from self.load_code(t)
            yield from self.kernel(t, "gelu", weight * p.unit_ns)
            t.end()
        else:
            yield from super().layer(t, label, weight)

    def build(self):
        super().build()
        self.compiled = 0

    def load_code(self, t):
        self.calls += 1
        t.begin("cuModuleLoadData", "runtime", correlation=self.calls, op=t.op_id(), launches=False)
        yield 800000
        t.end()


CLASSES = {"tensor parallel": TensorParallel, "late compilation": LateCompilation,
           "continuous batching": ContinuousBatching, "throttled rank": Throttled,
           "allocation storms": Storms, "two devices": TwoDevices, "graph capture": Captured, "inference server": Server}
