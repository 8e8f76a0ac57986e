"""A world of discrete events: what host threads, queues and engines do, in the order of time.

Nothing here knows what a trace is. A process is a generator that yields a number of nanoseconds
to let pass, or a Signal to wait for. Events of one time happen in the order in which they were
planned, so that a run depends on its parameters alone.
"""
import heapq
from collections import deque

MASK = (1 << 64) - 1


def draw(*key):
    """A number in [0, 1) that depends on the key alone, so that a run and its twin draw alike."""
    x = 0x9E3779B97F4A7C15
    for part in key:
        x = ((x ^ part) * 0xBF58476D1CE4E5B9) & MASK
        x ^= x >> 29
        x = (x * 0x94D049BB133111EB) & MASK
        x ^= x >> 32
    return (x >> 11) / (1 << 53)


class Signal:
    """Something that happens once."""

    __slots__ = ("fired", "calls")

    def __init__(self):
        self.fired = False
        self.calls = []


class World:
    def __init__(self):
        self.now = 0
        self.plan = []
        self.serial = 0

    def at(self, when, call, *args):
        self.serial += 1
        heapq.heappush(self.plan, (when, self.serial, call, args))

    def fire(self, signal):
        signal.fired = True
        calls, signal.calls = signal.calls, []
        for call, args in calls:
            self.at(self.now, call, *args)

    def when(self, signal, call, *args):
        if signal.fired:
            self.at(self.now, call, *args)
        else:
            signal.calls.append((call, args))

    def spawn(self, process):
        self.at(self.now, self.resume, process)

    def resume(self, process):
        what = next(process, None)
        if isinstance(what, Signal):
            self.when(what, self.resume, process)
        elif what is not None:
            self.at(self.now + int(what), self.resume, process)

    def run(self):
        while self.plan:
            self.now, _, call, args = heapq.heappop(self.plan)
            call(*args)


class Work:
    """One piece of device work. `plan(start)` of a graph says when it ends; others last `dur`."""

    __slots__ = ("name", "kind", "dur", "after", "done", "meeting", "start", "end", "facts", "plan")

    def __init__(self, name, kind, dur=0, after=(), meeting=None, plan=None, **facts):
        self.name, self.kind, self.dur = name, kind, int(dur)
        self.after, self.meeting, self.plan = after, meeting, plan
        self.facts = facts
        self.done = Signal()
        self.start = self.end = 0


class Meeting:
    """A collective of several ranks: data moves when the last of them has come."""

    def __init__(self, world, size, transfer_ns):
        self.world, self.size, self.transfer_ns = world, size, int(transfer_ns)
        self.waiting = []

    def arrive(self, finish):
        self.waiting.append(finish)
        if len(self.waiting) == self.size:
            for call in self.waiting:
                self.world.at(self.world.now + self.transfer_ns, *call)


class Stream:
    """A queue of a device: work runs one after the other, when what it depends on is done.

    At most `limit` pieces are on their way; who wants to add more waits (`space`).
    """

    def __init__(self, world, lane, record, limit, latency_ns, gap_ns):
        self.world, self.lane, self.record = world, lane, record
        self.limit, self.latency_ns, self.gap_ns = limit, latency_ns, gap_ns
        self.queue = deque()
        self.busy = False
        self.on_way = 0
        self.free_ns = 0
        self.room = None
        self.last = None

    def space(self):
        if self.room is None or self.room.fired:
            self.room = Signal()
        return self.room

    def put(self, work):
        self.on_way += 1
        self.last = work
        self.world.at(self.world.now + self.latency_ns, self.arrive, work)

    def arrive(self, work):
        self.queue.append(work)
        self.look()

    def look(self):
        if self.busy or not self.queue:
            return
        work = self.queue[0]
        for other in work.after:
            if not other.done.fired:
                self.world.when(other.done, self.look)
                return
        self.queue.popleft()
        self.busy = True
        self.world.at(max(self.world.now, self.free_ns + self.gap_ns), self.begin, work)

    def begin(self, work):
        work.start = self.world.now
        if work.plan is not None:
            work.dur = work.plan(work.start) - work.start
        if work.meeting is not None:
            work.meeting.arrive((self.finish, work))
        else:
            self.world.at(work.start + work.dur, self.finish, work)

    def finish(self, work):
        work.end = self.free_ns = self.world.now
        self.record(self.lane, work)
        self.busy = False
        self.on_way -= 1
        self.world.fire(work.done)
        if self.room is not None and not self.room.fired:
            self.world.fire(self.room)
        self.look()


class Loader:
    """Workers that prepare batches ahead, each `ahead` at most, or the asking thread itself."""

    def __init__(self, world, workers, ahead, load_ns):
        self.world, self.workers, self.ahead, self.load_ns = world, workers, ahead, load_ns
        self.ready = {}
        self.taken = 0
        self.next = 0
        self.more = Signal()
        for _ in range(workers):
            world.spawn(self.work())

    def batch(self, index):
        return self.ready.setdefault(index, Signal())

    def work(self):
        while True:
            index = self.next
            self.next += 1
            while index >= self.taken + self.workers * self.ahead:
                yield self.more
            yield self.load_ns(index)
            self.world.fire(self.batch(index))

    def take(self, index):
        """What the asking thread does for a batch."""
        if self.workers == 0:
            yield self.load_ns(index)
        else:
            yield self.batch(index)
        self.taken = index + 1
        more, self.more = self.more, Signal()
        self.world.fire(more)
