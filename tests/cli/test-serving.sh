#!/bin/sh
# What a report says of a server: iterations by phase, and advice in the words of the server.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || t_skip 'no python3'

# serve NAME CALL...: an iteration NAME of 60 us with each launching CALL, every 200 us; kernels take 100 us
serve() {
	name=$1
	shift
	for call in "$@"; do
		at=$((1000 + 200 * turn))
		turn=$((turn + 1))
		cat <<-end
		{"ph":"X","cat":"user_annotation","name":"$name","pid":1,"tid":1,"ts":$at,"dur":60},
		{"ph":"X","cat":"cuda_runtime","name":"$call","pid":1,"tid":1,"ts":$((at + 10)),"dur":8,"args":{"correlation":$turn}},
		{"ph":"X","cat":"kernel","name":"nvjet_tst","pid":0,"tid":7,"ts":$((at + 20)),"dur":100,"args":{"device":0,"stream":7,"correlation":$turn}},
		end
	done
}

write() { # write FILE: the events of standard input as a trace
	{
		printf '{"schemaVersion":1,"traceEvents":[\n'
		cat
		printf '{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python"}}]}\n'
	} >"$1"
}

t_what='phases'
turn=0
{
	serve 'execute_context_1(500)_generation_0(0)' cudaLaunchKernel
	serve 'execute_context_0(0)_generation_8(8)' cudaGraphLaunch cudaGraphLaunch cudaLaunchKernel
} | write vllm.json
t_run 0 analyze vllm.json --details --width 120
t_out 'Serving, by phase'
grep -Eq '^ +decode +3 +24 +24 +200.0 us +25.00 us +140.0 us +66.7 %' "$out" || t_fail 'the row of decoding is missing'
grep -Eq '^ +prefill +1 +1 +500 +120.0 us +240 ns +- +0.0 %' "$out" || t_fail 'the row of prefill is missing'
t_out 'cudagraph_capture_sizes of vLLM hold the batch sizes that run'
# JSON has the rows of the table.
t_run 0 analyze vllm.json --format json
python3 - "$out" <<'END' >"$t_top/rows" || t_fail 'no serving in the JSON report'
import json
import sys
for row in json.load(open(sys.argv[1]))["serving"]:
    print(*row.values())
END
cat >"$t_top/want" <<'END'
0 vllm decode 3 24 24 600000 200000 25000 140000 300000 200000 66.66666666666667
0 vllm prefill 1 1 500 120000 120000 240 None 100000 0 0
END
t_same "$t_top/rows" "$t_top/want"
# Two traces have the rows of each.
t_run 0 import -q vllm.json -o one.db
cp vllm.json again.json
t_run 0 import -q vllm.json again.json -o two.db
t_run 0 query two.db 'SELECT trace_id, phase, device_ns, graph_ns FROM serving_phase ORDER BY 1, 2' --format csv
printf 'trace_id,phase,device_ns,graph_ns\n0,decode,300000,200000\n0,prefill,100000,0\n1,decode,300000,200000\n1,prefill,100000,0\n' >"$t_top/want"
t_same "$out" "$t_top/want"

t_what='words'
turn=0
{ serve 'step[DECODE bs=8]' cudaLaunchKernel cudaLaunchKernel cudaLaunchKernel; } | write sglang.json
t_run 0 analyze sglang.json --details --width 120
t_out 'Serve without --disable-cuda-graph'
turn=0
{ serve '[Executor] _forward_step 7: 0 ctx reqs, 6 gen reqs' cudaLaunchKernel cudaLaunchKernel cudaLaunchKernel; } | write trt.json
t_run 0 analyze trt.json --details --width 120
t_out 'Set cuda_graph_config of TensorRT-LLM'
t_end
