#!/bin/sh
# A call for a batch of workers that is ready costs what it costs: more workers do not help.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || t_skip 'no python3'

# Ten steps: a batch is taken, the host dispatches 20 operations, each in so many us, and reads the result back. LENGTHS
# are those of the calls for a batch, in us.
make_run() { # make_run OUTPUT US LENGTHS
	python3 - "$@" <<'EOF'
import json, sys

out, op_us, lengths = sys.argv[1], int(sys.argv[2]), [int(n) for n in sys.argv[3].split()]
now, events = 1000, []


def add(cat, name, ts, dur, tid=1, **args):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, "args": args})


for step in range(10):
    begin = now
    length = lengths[step % len(lengths)]
    add("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", now, length)
    now += length
    for number in range(100 * step, 100 * step + 20):
        add("cpu_op", "aten::mm", now, op_us - 170 + step % 3)
        add("cuda_runtime", "cudaLaunchKernel", now + op_us - 180, 8, correlation=number)
        add("kernel", "ampere_sgemm_128x64_tn", now + op_us - 168, 300, tid=7, device=0, stream=7, correlation=number)
        now += op_us
    add("cuda_runtime", "cudaStreamSynchronize", now, 200, correlation=100 * step + 99)
    now += 240
    add("user_annotation", "ProfilerStep#%d" % step, begin, now - begin)
json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-40GB"}],
           "traceEvents": events}, open(out, "w"))
EOF
}

make_run even.json 320 '900 1010 950 870'
t_run 0 even.json --details
t_no_out 'waits for the data'

# Longer calls are waits, however even the workers are.
make_run slow.json 2500 '9000 9400 9100 9300'
t_run 0 slow.json --width 100
t_out 'waits for the data loader'

make_run waits.json 320 '200 2900 1500 4000'
t_run 0 waits.json --width 100
t_out 'waits for the data loader'
t_end
