#!/bin/sh
# Replays of graphs are matched with their captures by the names of kernels.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || t_skip 'no python3'

# trace FILE CAPTURE REPLAY...: a graph that is captured from CAPTURE, and launches of it. CAPTURE: words operator=kernel, in which
# operator! is a copy, and kernel ? a call that does not name its kernel. REPLAY: words kernel, in which kernel@2 is on stream 2.
trace() {
	python3 - "$@" <<'END'
import json
import sys
events = []
def add(category, name, ts, dur, tid=1, pid=7, **args):
    events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})
out, captures, replays = sys.argv[1], sys.argv[2].split("|"), sys.argv[3:]
at, number = 0, 1
for capture in captures:
    add("cuda_runtime", "hipStreamBeginCapture", at, 1, correlation=number)
    for word in capture.split():
        operator, kernel = word.split("=")
        at, number = at + 20, number + 1
        add("cpu_op", operator.rstrip("!"), at, 15, **{"Input Dims": [[8, 8]], "Input type": ["float"]})
        if operator.endswith("!"):
            add("cuda_runtime", "hipMemcpyAsync", at + 2, 5, correlation=number)
        elif kernel == "?":
            add("cuda_runtime", "cudaLaunchKernel", at + 2, 5, correlation=number)
        else:
            add("cuda_runtime", "hipLaunchKernel", at + 2, 5, correlation=number, kernel=kernel)
    at, number = at + 40, number + 1
    add("cuda_runtime", "hipStreamEndCapture", at, 1, correlation=number)
    at, number = at + 40, number + 1
for replay in replays:
    at, number = at + 200, number + 1
    add("cpu_op", "replay", at, 50)
    add("cuda_runtime", "hipGraphLaunch", at + 5, 10, correlation=number)
    for i, word in enumerate(replay.split()):
        kernel, _, lane = word.partition("@")
        add("gpu_memcpy" if kernel == "copy" else "kernel", kernel, at + 30 + 12 * i, 10, int(lane or 1), 0,
            device=0, stream=int(lane or 1), correlation=number)
json.dump({"schemaVersion": 1, "traceEvents": events}, open(out, "w"))
END
}

matched() { # matched LINE...: which operators the kernels of the replays are of
	t_run 0 import -q one.json -o one.db
	t_run 0 query one.db "SELECT coalesce(operator, '-') || ' ' || name || ' ' || sum(count) AS line FROM op_kernel
		WHERE call = 'hipGraphLaunch' GROUP BY operator, name ORDER BY 1" --format csv
	{
		echo line
		printf '%s\n' "$@"
	} >"$t_top/want"
	t_same "$out" "$t_top/want"
}

t_what='lost'
# The copy is no operation of the replay, and the profiler lost the first norm.
trace one.json 'mm=gemm copy_!=copy norm=rms mm2=gemm norm2=rms add=add' 'gemm gemm rms add'
matched 'add add 1' 'mm gemm 1' 'mm2 gemm 1' 'norm2 rms 1'
t_run 0 query one.db "SELECT name, count FROM operator_total WHERE name <> 'replay' ORDER BY name" --format csv
printf 'name,count\nadd,2\ncopy_,1\nmm,2\nmm2,2\nnorm,1\nnorm2,2\n' >"$t_top/want"
t_same "$out" "$t_top/want"

t_what='cut'
# The recording ends within the second launch.
trace one.json 'a=k1 b=k2 c=k1 d=k3 e=k1 f=k4' 'k1 k2 k1 k3 k1 k4' 'k1 k2 k1'
matched 'a k1 2' 'b k2 2' 'c k1 2' 'd k3 1' 'e k1 1' 'f k4 1'

t_what='several'
# Graphs with equally many kernels are told apart by their names, also of copies that are kernels on ROCm.
trace one.json 'a=k1 b=k2 c!=copy|d=k1 e=k3 f!=copy' 'k1 k3 __amd_rocclr_copyBuffer' 'k1 k2 copy'
matched 'a k1 1' 'b k2 1' 'c copy 1' 'd k1 1' 'e k3 1' 'f __amd_rocclr_copyBuffer 1'

t_what='lanes'
# On two streams the first kernel of a name is the first call of it.
trace one.json 'a=k1 b=k2 c=k1 d=k3' 'k1@1 k3@2 k1@2 k2@1'
matched 'a k1 1' 'b k2 1' 'c k1 1' 'd k3 1'

t_what='compiled'
# Operators that torch.compile made are named after their kernels.
trace one.json 'triton_poi_fused_add_0=? triton_poi_fused_mul_1=? triton_poi_fused_gelu_2=?' 'triton_poi_fused_add_0 triton_poi_fused_gelu_2'
matched 'triton_poi_fused_add_0 triton_poi_fused_add_0 1' 'triton_poi_fused_gelu_2 triton_poi_fused_gelu_2 1'

t_what='unmatched'
# The report says why a capture does not fit. Its note does not ask for a capture that is there.
misfit() { # misfit WHY CAPTURE REPLAY...
	why=$1
	shift
	trace one.json "$@"
	t_run 0 import -q one.json -o one.db
	t_run 0 query one.db "SELECT message FROM import_log WHERE kind = 'replay_unmatched'" --format csv
	t_out "$why"
	t_run 0 query one.db "SELECT count(*) AS n FROM op_kernel WHERE captured_call IS NOT NULL" --format csv
	t_out '^0$'
	t_run 0 analyze one.db --details --width 200
	t_out "$why"
	! grep -q 'Give a trace that has the capture' "$out" || t_fail 'the note asks for the capture that the trace has'
}
misfit 'no capture has the names' 'a=k1 b=k2' 'k1 k7 k8'
misfit 'more or fewer operations' 'a=? b=?' 'k1 k2 k3'
misfit 'several lanes' 'a=? b=?' 'k1@1 k2@2'
misfit 'several places' 'a=k1 b=k2|c=k1 d=k2' 'k1 k2'
misfit '3 device operations of 1 launches' 'a=k1 b=k2' 'k1 k7 k8'

t_what='other trace'
# The same from another trace, or its store: several captures, and two launches.
trace all.json 'mm=gemm norm=rms mm2=gemm add=add|mm=gemm norm=rms|c=k1 d=k2' 'gemm rms gemm' 'gemm rms' 'k1 k2' 'k3 k4'
python3 - <<'END'
import json
events = json.load(open("all.json"))["traceEvents"]
begin = min(e["ts"] for e in events if e["name"] == "replay")
for name, is_in in (("capture.json", lambda e: e["ts"] < begin), ("replay.json", lambda e: e["ts"] >= begin)):
    json.dump({"schemaVersion": 1, "traceEvents": [e for e in events if is_in(e)]}, open(name, "w"))
END
kernels="SELECT operator, name, captured_call, sum(count) AS n FROM op_kernel WHERE call = 'hipGraphLaunch' GROUP BY 1, 2, 3 ORDER BY 1, 2"
t_run 0 import -q all.json -o all.db
t_run 0 query all.db "$kernels" --format csv
cp "$out" "$t_top/want"
t_out '^mm2,gemm,hipLaunchKernel,1$'
t_run 0 import -q capture.json -o capture.db
for from in capture.json capture.db; do
	t_run 0 import -q replay.json --capture $from -o replay.db
	t_run 0 query replay.db "$kernels" --format csv
	t_same "$out" "$t_top/want"
	t_run 0 query replay.db "SELECT name, count, device_self_ns FROM operator_total WHERE name IN ('mm', 'mm2', 'd') ORDER BY 1" --format csv
	printf 'name,count,device_self_ns\nd,1,10000\nmm,2,20000\nmm2,1,10000\n' >"$t_top/counts"
	t_same "$out" "$t_top/counts"
done
t_end
