"""Runs with drawn parameters: what is drawn, the run and its twins, and what a problem costs."""
from types import SimpleNamespace

from cuda import Cuda
from gaudi import Gaudi
from other import CLASSES
from world import World, draw

IDLE = .05  # of a base run: with more, the host would be a problem that nobody planted
COPIED = .02  # the same of copies that nothing hides

# problem: advice that names it, the best first; frameworks; smallest and largest size in steps
PROBLEMS = {
    "dataloader": (("dataloader-bound",), "cuda lazy compile", .08, .9),
    "input-copy-blocking": (("input-copy-blocking",), "cuda lazy compile", 0, 0),
    "host-bound": (("host-bound", "small-kernels"), "cuda lazy compile", .1, .9),
    "device-sync": (("device-sync",), "cuda lazy compile", 0, 0),
    "progress-printing": (("progress-printing", "device-sync"), "cuda lazy compile", 0, 0),
    "fp32": (("gemm-fp32", "mme-low-precision"), "cuda lazy compile", 0, 0),
    "layout-transposes": (("layout-transposes",), "cuda lazy compile", .05, .4),
    "unfused-optimizer": (("unfused-optimizer",), "cuda lazy compile", .05, .3),
    "unfused-attention": (("unfused-attention",), "cuda lazy compile", .08, .4),
    "small-kernels": (("small-kernels", "host-bound"), "cuda lazy", .05, .4),
    "zero-grad-memset": (("zero-grad-memset",), "cuda", .03, .2),
    "cpu-created-tensors": (("cpu-created-tensors",), "cuda lazy", .05, .5),
    "exposed-communication": (("exposed-communication",), "cuda lazy compile", .15, .6),
    "small-gradient-buckets": (("small-gradient-buckets", "exposed-communication"), "cuda lazy", 0, 0),
    "redundant-allreduce": (("redundant-allreduce", "exposed-communication"), "cuda lazy", 0, 0),
    "rank-straggler": (("rank-straggler", "dataloader-bound"), "cuda lazy compile", .15, .8),
    "recompilation": (("recompilation", "loop-constant-recompilation", "dynamic-shapes"), "lazy compile", .1, 1.2),
    "cpu-fallback": (("cpu-fallback",), "lazy compile", .05, .4),
    "mme-tpc-serial": (("mme-tpc-overlap",), "lazy compile", 0, 0),
    "dma-exposed": (("dma-exposed",), "lazy", .08, .3),
}
OWN_NAME = {("fp32", "lazy"): "mme-low-precision", ("fp32", "compile"): "mme-low-precision"}
READS = {"device-sync", "progress-printing"}
# The advice for a problem that mends others, too: whoever reads less often reads less often to print.
ALSO_MENDS = {"device-sync": ("progress-printing",)}
COLLECTIVE = {"exposed-communication", "small-gradient-buckets", "redundant-allreduce", "rank-straggler"}
HEALTHY = ("plain", "hidden loader", "accumulation", "variable steps", "evaluation between steps", "two devices",
           "inference server", "graph capture", "tensor parallel", "unnamed pauses", "late compilation",
           "continuous batching", "throttled rank", "allocation storms")
# What may be said of a healthy run all the same: the fix of what happens there once.
OWN_ADVICE = {"late compilation": ("runtime-setup", "operator-compilation"), "throttled rank": ("rank-straggler",),
              "allocation storms": ("memory-defragmentation",), "unnamed pauses": ("host-pause",)}
VENDORS = ("cuda", "lazy", "compile")
# Devices that compute in fp32 with up to so many times the time: about the ratio of their peaks, of which a
# product in fp32 reaches more than one in 16 bits, but on GeForce cards.
DEVICES = ((2.2, ("NVIDIA GeForce RTX 3090", 25438126080, 8, 6, 82)), (3.4, ("NVIDIA L4", 23580639232, 8, 9, 58)),
           (6, ("Tesla V100-SXM2-32GB", 34079899648, 7, 0, 80)), (9, ("NVIDIA H100 80GB HBM3", 85018279936, 9, 0, 132)))
SERVERS = ("inference server", "continuous batching")


def advice(problem, vendor):
    """The advice that names a problem, first the one that is made for it on that device."""
    ids = PROBLEMS[problem][0]
    own = OWN_NAME.get((problem, vendor), ids[0])
    return (own,) + tuple(name for name in ids if name != own)


class Draw:
    def __init__(self, *key):
        self.key, self.count = key, 0

    def unit(self):
        self.count += 1
        return draw(*self.key, self.count)

    def real(self, low, high):
        return low + (high - low) * self.unit()

    def log(self, low, high):
        return low * (high / low) ** self.unit()

    def whole(self, low, high):
        return low + int((high - low + 1) * self.unit())

    def pick(self, options):
        return options[int(len(options) * self.unit())]


def parameters(seed, number):
    """Everything that is drawn but the problems."""
    d = Draw(seed, number, 1)
    return SimpleNamespace(
        seed=seed * 100000 + number, vendor=d.pick(VENDORS), steps=d.whole(5, 12), before=d.whole(2, 4),
        blocks=d.whole(2, 8), unit_ns=d.log(60e3, 600e3), share=d.real(.3, .8), noise=d.pick((0, 0, .03, .15)),
        limit=d.pick((64, 256, 1024)), graph_limit=d.pick((8, 16, 64)), in_flight=d.pick((0, 2, 3, 4)),
        workers=d.pick((0, 1, 2, 4, 8)), ahead=2, loader=d.real(.02, .15), micro=1, reads=d.whole(1, 3),
        log_every=d.pick((0, 0, 5)), print_ns=d.log(2e5, 2e6), evaluate_every=0, ranks=1, world_size=1, devices=1,
        communication=d.real(.05, .4), small_buckets=d.whole(30, 80), bucket_latency_ns=d.log(3e4, 3e5),
        fp32_ratio=d.log(1.5, 8), tiny=d.whole(3, 20), tiny_host_ns=d.log(4e3, 1.5e4), parameters=d.whole(30, 200),
        tensors=d.whole(4, 24), batch_bytes=int(d.log(2e6, 5e7)), fallback_bytes=int(d.log(1e5, 5e6)),
        slices=d.whole(2, 5), lost=d.pick((0, 0, 0, .005, .02)), keeps_early=d.pick((True, False)),
        problems={}, planted={}, runner=None, host_kept=1, two_devices=d.unit() < .1, burst=d.pick((0, 0, 3, 8)),
        pause_every=d.pick((0, 0, 0, 0, 0, 2, 3)), pause_share=d.real(.1, .6), activation_share=d.real(.01, .03),
        compile_share=d.log(1, 20), compile_count=d.whole(1, 4),
        named_ports=d.pick((True, False)),
        copy_graphs=d.pick((0, 0, 1, 2)), records_runtime=d.pick((True, True, False)),
        evaluates=d.pick((0, 0, 0, 3)), server_requests=d.whole(8, 40), server_pause=d.log(.05, 3),
        hot_ratio=d.real(1.05, 1.4), storm_every=d.whole(2, 5), storm_count=d.whole(4, 12))


def with_problems(p, d, count, first):
    """The first problem in turn, so that each is there equally often; another one as drawn."""
    p.vendor = d.pick(PROBLEMS[first][1].split())
    open_to = [name for name, row in PROBLEMS.items() if p.vendor in row[1].split()]
    while len(p.problems) < count:
        name = d.pick(open_to) if p.problems else first
        if name in p.problems or (name in COLLECTIVE and COLLECTIVE & set(p.problems)):
            continue
        p.problems[name] = d.real(*PROBLEMS[name][2:])
        if name in COLLECTIVE:
            p.world_size = 8
            p.ranks = d.whole(2, 4) if name == "rank-straggler" else d.whole(1, 2)
        if name == "redundant-allreduce":
            p.micro = d.whole(2, 4)
            p.blocks = min(p.blocks, 4)
        if name == "input-copy-blocking":
            p.batch_bytes = int(d.real(.05, .4) * p.unit_ns * p.blocks * 10 * 8)
        if name == "unfused-optimizer":
            p.parameters = max(p.parameters, 60)
    p.planted = dict(p.problems)


def healthy(p, family):
    p.share = min(p.share, .6)
    p.loader = min(p.loader, .08)
    p.batch_bytes = min(p.batch_bytes, int(.02 * p.unit_ns * p.blocks * 10 * 24))
    p.in_flight = max(p.in_flight, 2)
    p.limit = max(p.limit, 256)
    p.pause_every = 0
    if family == "hidden loader":
        p.workers, p.loader = max(p.workers, 2), .75
    elif family == "accumulation":
        p.micro, p.blocks = 3, min(p.blocks, 4)
        p.world_size, p.communication = 8, .1
    elif family == "variable steps":
        p.noise = .4
    elif family == "evaluation between steps":
        p.evaluate_every = 3
    elif family == "tensor parallel":
        p.world_size, p.communication, p.noise = 8, .1, 0
    elif family == "unnamed pauses":
        p.pause_every = 2
    elif family == "throttled rank":
        p.world_size, p.ranks, p.communication = 8, 2, .1
    if family in ("unnamed pauses", "late compilation"):  # a read after such a delay costs time, and is no false alarm
        p.log_every = 0
    p.family = p.runner = family
    return p


def one(seed, number):
    """The run with this number: most have one problem, a fifth has two, a fifth is healthy."""
    p = parameters(seed, number)
    d = Draw(seed, number, 2)
    p.family = None
    p.device = DEVICES[-1][1]
    if number % 5 == 4:
        family = HEALTHY[number // 5 % len(HEALTHY)]
        if family in CLASSES:
            p.vendor = "cuda"
        healthy(p, family)
    else:
        names = list(PROBLEMS)
        first = names[(number - number // 5 + number // 25) % len(names)]
        with_problems(p, d, 2 if number % 5 == 2 else 1, first)
        if "fp32" in p.problems:
            p.device = next(device for most, device in DEVICES if p.fp32_ratio < most)
        if p.two_devices and p.vendor == "cuda" and p.world_size == 1:
            p.runner = "two devices"
        p.evaluate_every = p.evaluates
    for _ in range(8):
        base = without(p, *p.problems)
        base.ranks, base.pause_every, base.compile_count = 1, 0, 0
        rank = simulate(base)[0][0]
        copied = copied_share(rank)
        if copied >= COPIED and "input-copy-blocking" not in p.problems:
            p.batch_bytes = int(p.batch_bytes * COPIED / copied / 2)
            continue
        if p.runner in SERVERS or idle_share(rank) < IDLE:
            break
        p.share, p.loader, p.unit_ns = p.share * .75, p.loader * .75, p.unit_ns * 1.4
    return p


def simulate(p):
    """Runs the program; returns its ranks, and the time per steady step."""
    world = World()
    meetings = {}
    runner = CLASSES.get(p.runner) or (Cuda if p.vendor == "cuda" else Gaudi)
    ranks = [runner(world, p, rank, meetings) for rank in range(p.ranks)]
    for rank in ranks:
        world.spawn(rank.train())
    world.run()
    return ranks, max(pace(rank) for rank in ranks)


def completions(rank):
    """When each recorded step was complete, on the host and on the device."""
    done = [max([end] + [work.end for work in works]) for end, works in rank.marks]
    return done[rank.p.before:]


def busy_share(rank, works):
    """How much of the steady time a device does one of these works."""
    done = completions(rank)
    busy, until = 0, done[0]
    for start, end in sorted((s[4], s[5]) for s in works):
        start, end = max(start, until), min(end, done[-1])
        if end > start:
            busy, until = busy + end - start, end
    return busy / max(1, done[-1] - done[0])


def idle_share(rank):
    """How much of the steady time no device works: what a base run has little of."""
    return 1 - busy_share(rank, rank.notes.device)


def copied_share(rank):
    """How much of it a device only copies."""
    other = [s for s in rank.notes.device if s[2] != "memcpy"]
    return busy_share(rank, rank.notes.device) - busy_share(rank, other)


def pace(rank):
    """Mean time from one step's completion to the next, over the recorded steps."""
    done = completions(rank)
    return (done[-1] - done[0]) / (len(done) - 1)


def without_pauses(p):
    return SimpleNamespace(**dict(vars(p), pause_every=0))


def with_captured_graphs(p):
    """The same run with the host as fast in its operations as captured graphs make it."""
    return SimpleNamespace(**dict(vars(p), host_kept=.2))


def with_workers(p):
    """The same run with a loader whose workers are no slower, but work ahead."""
    return SimpleNamespace(**dict(vars(p), workers=p.workers or 4))


# What the simulation can make of a healthy run, by the advice that says so.
FIXES = {"host-bound": with_captured_graphs, "dataloader-bound": with_workers}


def mended(p, problem):
    """The run with what the advice for the problem says."""
    return without(p, problem, *ALSO_MENDS.get(problem, ()))


def without(p, *problems):
    """The twin. The advice for values that are read is to read every 20 steps or less, so it reads no others either."""
    twin = SimpleNamespace(**vars(p))
    if READS & set(problems):
        twin.log_every = 0
    twin.problems = {k: v for k, v in p.problems.items() if k not in problems}
    return twin
