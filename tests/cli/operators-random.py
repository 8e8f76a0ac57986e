# Writes a small trace of PyTorch's profiler that nobody planned: operators-random.py SEED OUT. Operators
# nest, overlap, have no length or the same times, on several threads; modules, ranges, Python frames
# and runtime calls lie between them; forward operators are differentiated on another thread or later
# on the same one; calls launch several kernels or none, and some kernels have no call.
import json
import random
import sys

seed, out = int(sys.argv[1]), sys.argv[2]
roll = random.Random(seed)
events = []
correlation = 0
sequence = 0
numbers = {1: [], 2: []}  # sequence numbers of each thread that has a forward pass
NAMES = [("cpu_op", "aten::mm"), ("cpu_op", "aten::add"), ("cpu_op", "aten::linear"),
         ("python_function", "nn.Module: Linear_0"), ("python_function", "nn.Module: Block_1"),
         ("python_function", "train.py(12): main"), ("user_annotation", "## forward ##"),
         ("user_annotation", "Optimizer.step#SGD.step"), ("user_annotation", "ProfilerStep#%d"),
         ("cpu_op", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")]


def add(category, name, ts, dur, tid, args, pid=7):
    events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid,
                   "ts": ts, "dur": dur, "args": args})


def launch(ts, dur, tid):
    global correlation
    correlation += 1
    add("cuda_runtime", roll.choice(["cudaLaunchKernel", "cudaMemcpyAsync"]), ts, dur, tid,
        {"correlation": correlation})
    for _ in range(roll.choice([0, 1, 1, 3])):
        kernel(ts + dur + roll.randrange(50), correlation)


def kernel(ts, number):
    add(roll.choice(["kernel", "gpu_memcpy"]), roll.choice(["gemm", "copy", "relu"]), ts,
        roll.randrange(0, 30), 20, {"correlation": number, "device": 0, "stream": 20}, pid=0)


def shape():
    if roll.random() < 0.3:
        return {}
    return {"Input Dims": [[roll.choice([1, 2]), 8], []], "Input type": ["float", roll.choice(["", "Scalar"])]}


def fill(start, end, tid, depth, backward):
    global sequence
    at = start
    while at <= end and roll.random() < 0.8:
        dur = roll.randrange(0, max(1, end - at) + 1)
        if roll.random() < 0.1:
            dur += roll.randrange(0, 20)  # overlaps what is around it
        if roll.random() < 0.3:
            launch(at, min(dur, 3), tid)
        else:
            category, name = roll.choice(NAMES)
            args = {}
            if category == "cpu_op":
                args = shape()
                if not backward and tid in numbers and roll.random() < 0.6:
                    sequence += roll.choice([0, 1])
                    numbers[tid].append(sequence)
                    args.update({"Sequence number": sequence, "Fwd thread id": 0})
            add(category, name % roll.randrange(9) if "%" in name else name, at, dur, tid, args)
            if depth < 6:
                fill(at, at + dur, tid, depth + 1, backward)
        at += roll.choice([0, dur, dur + 1])


# A checkpointed part of the model: forward again, then the backward pass of that, in one call.
def again(start, dur, tid, args):
    if roll.random() < 0.5:
        add("cpu_op", "CheckpointFunctionBackward", start, dur, tid, args)
    else:
        add("python_function", "torch/utils/checkpoint.py(9): recompute_fn", start, dur, tid, {})
    fill(start, start + dur // 2, tid, 3, True)
    name = roll.choice(["autograd::engine::evaluate_function: AddBackward0", "AddBackward0"])
    add("cpu_op", name, start + dur // 2, dur - dur // 2, tid, {})
    fill(start + dur // 2, start + dur - 1, tid, 4, True)


def differentiate(start, tid, of):
    for number in reversed(numbers[of][-12:]):
        dur = roll.randrange(0, 20)
        args = {"Sequence number": number, "Fwd thread id": of}
        add("cpu_op", "autograd::engine::evaluate_function: MmBackward0", start, dur, tid, args)
        if dur and roll.random() < 0.3:
            again(start, dur, tid, args)
        elif dur:
            add("cpu_op", "MmBackward0", start, dur, tid, args)
            fill(start, start + dur - 1, tid, 3, True)
        start += dur + roll.randrange(3)
    return start


threads = [1] if roll.random() < 0.5 else [1, 2]
for thread in threads:
    numbers[thread].clear()
    sequence = thread * 100000  # two threads that count alike are ambiguous
    fill(1000, 1400, thread, 0, False)
fill(1000, 1400, 3, 0, False)
last = 3000
for thread in threads:
    last = differentiate(last, roll.choice([thread, 4]), thread) + 100
for _ in range(roll.randrange(4)):
    kernel(1100 + roll.randrange(500), 0 if roll.random() < 0.5 else 900000 + roll.randrange(9))
json.dump({"traceEvents": events}, open(out, "w"))
