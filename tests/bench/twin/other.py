"""Healthy programs that are no plain training loop: two devices, captured graphs, a server."""
from cuda import COMPUTE, KERNELS, Cuda
from program import FORWARD
from world import Work, draw


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


CLASSES = {"two devices": TwoDevices, "graph capture": Captured, "inference server": Server}
