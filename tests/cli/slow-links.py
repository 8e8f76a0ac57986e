#!/usr/bin/env python3
"""Jobs whose ranks move data over links of a known speed, one of them slow, and what slow-link says of each.

usage: slow-links.py TRACECOACH DIR"""

import json
import os
import subprocess
import sys

MATRIX = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn"
STEPS = 5
STEP_US = 6000
BYTES = 8_000_000


class Rank:
    """The trace of one rank: in each step four products, then its collectives and sends, one after the other."""

    def __init__(self, rank, world, device):
        self.device, self.corr, self.rank = device, 0, rank
        self.events = [
            {"ph": "M", "name": "process_labels", "pid": 100, "tid": 0, "args": {"labels": "CPU"}},
            {"ph": "M", "name": "process_labels", "pid": device, "tid": 0, "args": {"labels": f"GPU {device}"}},
        ]
        self.head = {
            "schemaVersion": 1,
            "deviceProperties": [{"id": device, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42298834944}],
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world},
        }

    def put(self, cat, name, tid, ts, dur, args, pid=100):
        self.events.append(
            {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}
        )

    def work(self, name, tid, at, dur, host, args):
        self.corr += 1
        self.put("cuda_runtime", "cudaLaunchKernel", 100, host, 5, {"correlation": self.corr})
        args = {"device": self.device, "stream": tid, "correlation": self.corr, **args}
        self.put("kernel", name, tid, at, dur, args, pid=self.device)
        return at + dur

    def step(self, n, moves, late_us, early_us):
        at = 1000 + n * STEP_US
        self.put("user_annotation", f"ProfilerStep#{n}", 100, at, STEP_US - 10, {})
        host, end = at + 10, at + 60
        for k in range(4):
            end = self.work(MATRIX, 7, end, 500 + (late_us if k == 0 else 0), host, {})
            host += 20
        end -= early_us
        for name, dur, args in moves:
            end = self.work(name, 20, end, dur + n % 3, host, args)
            host += 20
        assert end < at + STEP_US - 20, (end - at, moves)

    def write(self, path):
        with open(path, "w") as out:
            json.dump({**self.head, "traceEvents": self.events}, out)


def reduced(ranks, us, sized=True):
    args = {
        "Collective name": "allreduce",
        "Group size": len(ranks),
        "Process Group Name": "g%d" % ranks[0],
        "Process Group Ranks": str(ranks),
    }
    if sized:
        args.update({"In msg nelems": BYTES // 2, "Out msg nelems": BYTES // 2, "dtype": "BFloat16"})
    return ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", us, args)


def sent(rank, peer, us, is_send, aimed=True):
    args = {
        "Collective name": "send" if is_send else "recv",
        "Group size": 2,
        "In msg nelems": BYTES // 2,
        "Out msg nelems": BYTES // 2,
        "dtype": "BFloat16",
    }
    if aimed:
        args["Dst Rank" if is_send else "Src Rank"] = peer
    return ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", us, args)


def changed(move, **args):
    name, us, others = move
    return (name, us, {**others, **{key.replace("_", " "): value for key, value in args.items()}})


def uneven(rank):
    """Rank 5 gets more than the others, so its group takes longer."""
    us = 600 if rank in (4, 5) else 250
    return [changed(reduced(pair_of(rank), us), Out_msg_nelems=BYTES if rank == 5 else BYTES // 2)]


def exchanged(rank):
    us = 600 if rank in (4, 5) else 250
    return [changed(reduced(pair_of(rank), us), Collective_name="all_to_allv")]


def twice(rank):
    """Two groups of the same two ranks."""
    first = reduced(pair_of(rank), 600 if rank < 2 else 250)
    return [first, changed(first, Process_Group_Name="h%d" % pair_of(rank)[0])]


def job(path, world, moves, devices=8, late=lambda rank: 0, early=lambda rank: 0):
    os.makedirs(path, exist_ok=True)
    for rank in range(world):
        trace = Rank(rank, world, rank % devices)
        for n in range(STEPS):
            trace.step(n, moves(rank), late(rank), early(rank))
        trace.write(f"{path}/rank{rank}.json")


def pair_of(rank):
    return [rank // 2 * 2, rank // 2 * 2 + 1]


def across(rank, world):
    """The other dimension of a mesh of pairs: ranks of the same place in all pairs of a half of the world."""
    half = world // 2
    return sorted({rank % half, rank % half + half})


def chain(rank, world, us, aimed=True):
    """What a stage of a pipeline gets from the one before, and sends to the next."""
    moves = []
    if rank > 0:
        moves.append(sent(rank, rank - 1, us(rank - 1), False, aimed))
    if rank < world - 1:
        # it waits for the next one, which arrives later
        moves.append(sent(rank, rank + 1, us(rank) + 40, True, aimed))
    return moves


def cases():
    yield ("pair", 8, lambda r: [reduced(pair_of(r), 600 if r in (4, 5) else 250)], {}, {"4 with 5", "5 with 4"})
    yield (
        "rank",  # both dimensions of a mesh are slow on rank 5 alone
        8,
        lambda r: [
            reduced(pair_of(r), 600 if 5 in pair_of(r) else 250),
            reduced(across(r, 8), 700 if 5 in across(r, 8) else 300),
        ],
        {},
        {"5 with 4", "5 with 1"},
    )
    yield ("late", 8, lambda r: [reduced(pair_of(r), 600 if r == 4 else 250)], {"late": lambda r: 350 * (r == 5)}, set())
    yield ("uneven", 8, uneven, {}, set())
    yield ("all to all", 8, exchanged, {}, set())
    # compute beside it is why the pair is slower
    yield ("beside compute", 8, lambda r: [reduced(pair_of(r), 360 if r < 2 else 250)], {"early": lambda r: 240 * (r < 2)}, set())
    yield ("two groups", 4, twice, {}, set())
    yield ("halves", 8, lambda r: [reduced(pair_of(r), 600 if r < 4 else 250)], {}, set())
    yield ("two", 4, lambda r: [reduced(pair_of(r), 600 if r < 2 else 250)], {}, set())
    yield ("unsized", 8, lambda r: [reduced(pair_of(r), 600 if r < 2 else 250, False)], {}, set())
    yield ("world", 4, lambda r: [reduced([0, 1, 2, 3], 900 if r == 1 else 250)], {}, set())
    yield ("send", 8, lambda r: chain(r, 8, lambda at: 900 if at == 3 else 250), {}, {"3 with 4", "4 with 3"})
    yield (
        "sends of a rank",
        8,
        lambda r: chain(r, 8, lambda at: 900 if at in (3, 4) else 250),
        {},
        {"4 with 3", "4 with 5"},
    )
    # the slow send goes to the next node, as the devices say
    yield ("nodes", 8, lambda r: chain(r, 8, lambda at: 900 if at == 3 else 250), {"devices": 4}, set())
    # and here nothing says whether it does
    yield ("hidden nodes", 8, lambda r: chain(r, 8, lambda at: 900 if at == 3 else 250), {"devices": 1}, set())
    yield ("unaimed", 8, lambda r: chain(r, 8, lambda at: 900 if at == 3 else 250, False), {}, set())


def links(tool, store):
    query = [tool, "query", store, "SELECT count(*) FROM rank_link", "--format", "csv"]
    return int(subprocess.run(query, check=True, capture_output=True, text=True).stdout.split()[1])


def main(tool, directory):
    faults = 0
    for name, world, moves, how, expected in cases():
        path = f"{directory}/{name}"
        job(path, world, moves, **how)
        subprocess.run([tool, "import", "-q", path, "-o", path + ".db"], check=True)
        query = "SELECT e.subject FROM finding f JOIN evidence e ON e.finding_id = f.id WHERE f.heuristic = 'slow-link'"
        rows = subprocess.run(
            [tool, "query", path + ".db", query, "--format", "csv"], check=True, capture_output=True, text=True
        ).stdout.splitlines()[1:]
        found = {row.strip('"').removeprefix("rank ") for row in rows}
        if world == 4 and links(tool, path + ".db"):
            print(f"{name}: two links are compared")
            faults += 1
        if found != expected:
            print(f"{name}: found {sorted(found)}, not {sorted(expected)}")
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
