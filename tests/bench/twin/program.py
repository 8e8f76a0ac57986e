"""A training program of one rank: what its loop does, whatever runs it.

cuda.py and gaudi.py say how an operation, a copy, a wait and a collective are carried out. A
problem is a part of the loop that the twin run does without; all else draws the same numbers.
"""
from host import Notes, Thread
from world import Loader, Meeting, draw

# label, device time in units of the largest matrix product
FORWARD = (("norm", .12), ("gemm", .8), ("attention", .6), ("gemm", .3), ("add", .1), ("norm", .12),
           ("gemm", 1), ("gelu", .3), ("gemm", 1), ("add", .1))
BACKWARD = (("gemm", 1), ("gemm", 1), ("gelu_back", .4), ("gemm", 1), ("gemm", 1), ("norm_back", .25),
            ("gemm", .3), ("gemm", .3), ("attention_back", 1.2), ("gemm", .8), ("gemm", .8),
            ("norm_back", .25), ("add", .1))
UPDATE_SHARE = .03
BASE_BUCKETS = 4


class Program:
    main_tid, backward_tid = 1, 2
    hooks_gradients = False  # a bucket is sent when its last gradient is there, else with a graph

    def __init__(self, world, p, rank, meetings):
        self.world, self.p, self.rank, self.meetings = world, p, rank, meetings
        self.notes = Notes()
        self.main = Thread(world, self.notes, self.main_tid)
        self.back = Thread(world, self.notes, self.backward_tid)
        self.serial = 0
        self.step_index = 0
        self.marks = []
        self.record_from = 0
        self.record_until = 0
        units = p.blocks * (sum(w for _, w in FORWARD) + sum(w for _, w in BACKWARD))
        self.device_ns = units * p.unit_ns / (1 - UPDATE_SHARE) * p.micro
        self.ops = p.blocks * (len(FORWARD) + len(BACKWARD)) * p.micro + 1
        self.slack_ns = self.device_ns * (1 - p.share)
        self.op_ns = self.device_ns * p.share / self.ops
        if "host-bound" in p.problems:
            self.op_ns = self.device_ns * (1 + p.problems["host-bound"]) / self.ops
        self.op_ns *= p.host_kept
        self.loader = Loader(world, p.workers, p.ahead, self.load_ns)
        self.build()

    # What the parameters say
    def has(self, problem):
        return problem in self.p.problems

    def fixed(self, problem):
        """Whether this is the twin that does what the problem does in a better way."""
        return problem in self.p.planted and problem not in self.p.problems

    def extra_ns(self, problem):
        """The time of a problem of the host: it uses up the host's lead, and then its size."""
        return self.slack_ns + self.p.problems[problem] * self.device_ns

    def part_ns(self, problem, places):
        """The time of a problem of the device at one of its places."""
        return self.p.problems[problem] * self.device_ns / places

    def jitter(self, ns, width):
        self.serial += 1
        return int(ns * (1 + width * (draw(self.p.seed, self.step_index, self.serial) - .5)))

    def pace(self, index):
        """How long a step is beside the mean: batches differ."""
        return 1 + self.p.noise * (draw(self.p.seed, index, 77) - .5) * 2

    def load_ns(self, index):
        p = self.p
        step_ns = self.device_ns / p.micro
        base = p.loader * step_ns * (p.workers or 1)
        if self.has("dataloader"):
            late = (1 + p.problems["dataloader"]) * step_ns * p.workers
            base = late if p.workers else self.extra_ns("dataloader") / p.micro
        if self.has("rank-straggler") and self.rank == p.ranks - 1:
            base = (1 + p.problems["rank-straggler"]) * step_ns * p.workers if p.workers else \
                self.extra_ns("rank-straggler")
        if p.workers and p.burst:  # some batches take most of the time, the mean stays
            base *= .3 + .7 * p.burst * (index % p.burst == 0)
        return base * (1 + .2 * (draw(p.seed, index, 41) - .5))

    # The loop
    def train(self):
        p = self.p
        for self.step_index in range(p.before + p.steps):
            if self.step_index == p.before:
                self.record_from = self.world.now
            self.serial = 0
            self.main.begin("ProfilerStep#%d" % self.step_index, "annotation")
            yield 8000
            yield from self.throttle()
            if p.pause_every and self.step_index % p.pause_every == 0:
                yield self.slack_ns + p.pause_share * self.device_ns
            for micro in range(p.micro):
                yield from self.one_pass(micro)
            yield from self.update()
            yield from self.close_step()
            yield 6000
            self.main.end()
            self.marks.append((self.world.now, self.pending()))
            yield 4000
        yield from self.stop()
        self.record_until = self.world.now

    def one_pass(self, micro):
        p = self.p
        last = micro == p.micro - 1
        yield from self.load(self.step_index * p.micro + micro)
        yield from self.copy_in(self.has("input-copy-blocking"))
        if self.has("cpu-created-tensors"):
            yield from self.make_tensors()
        if micro == 0:
            yield from self.zero_grad()
        yield from self.forward(micro)
        for _ in range(p.reads if self.has("device-sync") and last else 0):
            yield from self.read_value(self.main, "aten::item", "aten::_local_scalar_dense")
        yield from self.backward(micro, last)

    def load(self, index):
        kind = "_MultiProcessingDataLoaderIter" if self.p.workers else "_SingleProcessDataLoaderIter"
        self.main.begin("enumerate(DataLoader)#%s.__next__" % kind, "annotation")
        yield 40000
        yield from self.loader.take(index)
        yield 60000
        self.main.end()

    def forward(self, micro):
        for block in range(self.p.blocks):
            yield from self.before_block(block, True)
            for label, weight in FORWARD:
                yield from self.layer(self.main, label, weight)
        yield from self.end_forward()

    def buckets(self):
        if self.has("small-gradient-buckets"):
            return self.p.small_buckets
        return BASE_BUCKETS

    def backward(self, micro, last):
        p = self.p
        reduces = p.world_size > 1 and (last or self.has("redundant-allreduce"))
        late = self.has("exposed-communication")
        sent = 0
        for block in range(p.blocks):
            yield from self.before_block(block, False)
            for done, (label, weight) in enumerate(BACKWARD, 1):
                yield from self.layer(self.back, label, weight)
                if done == len(BACKWARD):
                    yield from self.end_backward_block(block)
                elif not self.hooks_gradients:
                    continue
                due = self.buckets() * (block * len(BACKWARD) + done) // (p.blocks * len(BACKWARD))
                while reduces and not late and sent < due:
                    yield from self.reduce(micro, sent)
                    sent += 1
        yield from self.end_backward()
        while reduces and sent < self.buckets():
            yield from self.reduce(micro, sent)
            sent += 1
        if reduces:
            self.wait_for_collectives()

    def transfer_ns(self):
        total = self.p.communication * self.device_ns / self.p.micro
        total = max(total, self.p.planted.get("exposed-communication", 0) * self.device_ns)
        each = total / self.buckets()
        return each + (self.p.bucket_latency_ns if self.has("small-gradient-buckets") else 0)

    def meeting(self, micro, bucket):
        key = (self.step_index, micro, bucket)
        if key not in self.meetings:
            self.meetings[key] = Meeting(self.world, self.p.ranks, self.transfer_ns())
        return self.meetings[key]

    def close_step(self):
        if self.has("progress-printing"):
            t = self.main
            t.begin("train.py(71): report", "python")
            t.begin("<built-in method item of Tensor object at 0x7f3c5c1b2a90>", "python")
            yield from self.read_value(t, "aten::item", "aten::_local_scalar_dense")
            t.end()
            t.begin("<built-in function print>", "python")
            yield self.p.print_ns
            t.end()
            t.end()
        elif self.p.log_every and self.step_index % self.p.log_every == self.p.log_every - 1:
            yield from self.read_value(self.main, "aten::item", "aten::_local_scalar_dense")
        if self.p.evaluate_every and self.step_index % self.p.evaluate_every == 1:
            yield from self.evaluate()

    def pending(self):
        """The last work of each queue."""
        return [stream.last for stream in self.streams if stream.last is not None]

    # Parts that only some runners have
    def zero_grad(self):
        return
        yield

    def make_tensors(self):
        return
        yield

    def before_block(self, block, is_forward):
        return
        yield

    def end_forward(self):
        return
        yield

    def end_backward_block(self, block):
        return
        yield

    def end_backward(self):
        return
        yield

    def evaluate(self):
        return
        yield
