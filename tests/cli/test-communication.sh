# The table communication and its totals: exposed time, bytes and rates of random kernels, counted again here.
. "$(dirname "$0")/lib.sh"

# draw SEED: a trace, a line "STREAM KIND SIZE BYTES COUNT DUR EXPOSED ALGORITHM BUS" for each stream, kind, group and size, and
# how much of every collective nothing hides. Times are whole microseconds, so that each can be looked at.
draw() {
	awk -v seed="$1" '
	function pick(n) { return int(rand() * n) }
	function event(name, ts, dur, stream, args) {
		printf ",\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, \"tid\": %d, \"ts\": %d, \"dur\": %d, \"args\": {\"device\": 0, \"stream\": %d%s}}",
			name, stream, ts, dur, stream, args >"drawn.json"
	}
	BEGIN {
		srand(seed)
		split("allreduce _allgather_base _reduce_scatter_base all_to_all broadcast", told, " ")
		split("all_reduce all_gather reduce_scatter all_to_all broadcast", kinds, " ")
		split("Float BFloat16 Long Float8_e4m3fn", types, " ")
		split("4 2 8 1", sizes, " ")
		printf "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 5}" >"drawn.json"
		for (i = 0; i < 60; i++) { # compute on two streams
			ts = 10 + pick(3000)
			dur = 1 + pick(60)
			for (t = ts; t < ts + dur; t++)
				busy[t] = 1
			event("gemm_" i, ts, dur, 7 + 100 * i)
		}
		for (i = 0; i < 80; i++) { # two on each stream, in turn, often alike
			if (i % 2 == 0 || pick(2)) {
				k = 1 + pick(5)
				d = 1 + pick(4)
				ranks = pick(2) ? 2 : 8
				n = 1024 * (1 + pick(2))
			}
			gives = kinds[k] == "all_gather" ? n : n * ranks
			gets = kinds[k] == "reduce_scatter" ? n : n * ranks
			ts = i % 2 ? ts + dur + pick(100) : 10 + pick(3000)
			dur = 1 + pick(90)
			stream = 20 + 100 * int(i / 2)
			exposed = 0
			for (t = ts; t < ts + dur; t++)
				exposed += !busy[t]
			event("ncclDevKernel_Generic", ts, dur, stream, sprintf(\
				", \"Collective name\": \"%s\", \"In msg nelems\": %d, \"Out msg nelems\": %d, \"dtype\": \"%s\", \"Group size\": %d",
				told[k], gives, gets, types[d], ranks))
			key = kinds[k] " " ranks " " n * ranks * sizes[d] " " stream
			count[key]++
			durs[key] += dur
			open[key] += exposed
		}
		print "]}" >"drawn.json"
		for (key in count) {
			split(key, of, " ")
			rate = of[3] * count[key] / durs[key] / 1000
			factor = of[1] == "all_reduce" ? 2 * (of[2] - 1) / of[2] : of[1] == "broadcast" ? 1 : (of[2] - 1) / of[2]
			printf "stream %d,%s,%d,%d,%d,%d,%d,%.6f,%.6f\n", of[4], of[1], of[2], of[3], count[key], 1000 * durs[key], \
				1000 * open[key], rate, rate * factor
		}
	}' | LC_ALL=C sort >wanted
}

for seed in 1 2 3; do
	rm -f drawn.json
	draw $seed
	t_run 0 import -q drawn.json -o drawn.db
	"$tool" query drawn.db "SELECT trim(lane) AS lane, kind, group_size, bytes, count, dur_ns, exposed_ns,
		printf('%.6f', algorithm_bytes_per_s / 1e9) AS rate, printf('%.6f', bus_bytes_per_s / 1e9) AS bus
		FROM communication_total" --format csv | tail -n +2 | tr -d '"' | LC_ALL=C sort >got
	t_same got wanted
done
t_run 0 drawn.db --details --width 140 --top 100
t_out '^Communication$'
t_out 'all_reduce +[28]$'
t_run 0 drawn.db --format json
t_out '"totals": \['

# Where ranks waited for the last one, the rate is that of the rest. Args that are not there leave rates unknown.
rank() { # rank RANK TS DUR
	printf '{"distributedInfo": {"backend": "nccl", "rank": %s, "world_size": 2}, "traceEvents": [
	{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 20, "ts": %s, "dur": %s, "args": {"device": 0,
	"stream": 20, "Collective name": "allreduce", "Group size": 2, "In msg nelems": 1000, "Out msg nelems": 1000, "dtype": "Float", "Seq": 1}},
	{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Broadcast", "pid": 0, "tid": 20, "ts": 2000, "dur": 7, "args": {"device": 0, "stream": 20}},
	{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllGather", "pid": 0, "tid": 20, "ts": 2100, "dur": 7, "args": {"device": 0, "stream": 20}}]}\n' "$@"
}
mkdir two
rank 0 1100 50 >two/a.json
rank 1 1130 20 >two/b.json
t_run 0 import -q two -o two.db
t_run 0 query two.db "SELECT trace_id, kind, bytes, dur_ns, wait_ns, algorithm_bytes_per_s, bus_bytes_per_s
	FROM communication_total ORDER BY 1, 2" --format csv
[ "$(tail -n +2 "$out")" = '0,all_gather,,7000,0,,
0,all_reduce,4000,50000,30000,200000000.0,200000000.0
0,broadcast,,7000,,,
1,all_gather,,7000,0,,
1,all_reduce,4000,20000,0,200000000.0,200000000.0
1,broadcast,,7000,,,' ] || t_fail "rates of two ranks: $(cat "$out")"
# Of 4000 bytes to one other rank links of 2 GB/s have 2 us of the 20 in which both are there.
printf '[Card]\nlink_gb_per_s = 2\n' >links.ini
t_run 0 import -q two --peaks links.ini -o links.db
t_run 0 query links.db "SELECT DISTINCT kind, link_ns FROM communication_total ORDER BY 1" --format csv
[ "$(tail -n +2 "$out" | tr '\n' ' ')" = 'all_gather, all_reduce,2000 broadcast, ' ] || t_fail "links: $(cat "$out")"
t_run 0 links.db --details --width 140
t_out '0.2 [(]10.0 % of the links[)] +stream 20 +all_reduce'
# The group of the all-gather is not recorded, but all ranks of the job have it; that of the broadcast is not known.
t_run 0 query two.db "SELECT DISTINCT kind, group_size FROM communication_total ORDER BY 1" --format csv
t_out '^all_gather,2$'
t_out '^broadcast,$'

# What the host carries out itself has no device; it is exposed while none works. What it sends is what it is given.
gloo() { # gloo NAME TS DUR INPUTS: a call, its sizes and types
	printf ',{"ph": "X", "cat": "user_annotation", "name": "gloo:%s", "pid": 1, "tid": 1, "ts": %s, "dur": %s, "args": {%s}}' "$@"
}
{
	printf '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 10,
	"args": {"device": 0, "stream": 7}}'
	gloo all_reduce 10 25 '"Input Dims": [[3, 5], [2]], "Input type": ["float", "c10::BFloat16"]'
	gloo all_reduce 50 10 '"Input Dims": [[3, 5], [2]], "Input type": ["float", "c10::BFloat16"]'
	gloo all_reduce 70 10 '"Input Dims": [[[3], [5]]], "Input type": ["TensorList"]'
	gloo all_gather 90 10 '"Input Dims": [[3]], "Input type": ["float"]'
	printf ']}'
} >gloo.json
t_run 0 import -q gloo.json -o gloo.db
t_run 0 query gloo.db 'SELECT device, lane, kind, bytes, count, dur_ns, exposed_ns, algorithm_bytes_per_s FROM communication_total
	ORDER BY kind, bytes' --format csv
[ "$(tail -n +2 "$out")" = ',,all_gather,,1,10000,10000,
,,all_reduce,,1,10000,10000,
,,all_reduce,64,2,35000,25000,3657142.8571428573' ] || t_fail "gloo: $(cat "$out")"

# NCCL before PyTorch 2.2: kernels without sizes, in ranges of the host that have them.
old() { # old NAME TS KERNEL INPUTS: a range, the call in it and its kernel
	printf ',{"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": %d, "dur": 8}' $(($2 - 1))
	printf ',{"ph": "X", "cat": "user_annotation", "name": "nccl:%s", "pid": 1, "tid": 1, "ts": %d, "dur": 5, "args": {%s}}' "$1" "$2" "$4"
	printf ',{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": %d, "dur": 1, "args": {"correlation": %d}}' $(($2 + 1)) "$2"
	printf ',{"ph": "X", "cat": "kernel", "name": "%s", "pid": 0, "tid": 84, "ts": %d, "dur": 4, "args": {"device": 0, "stream": 84, "correlation": %d}}' \
		"$3" $(($2 + 5)) "$2"
}
{
	printf '{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5}'
	old all_to_all 100 ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t '"Input Dims": [[1000]], "Input type": ["long int"]'
	old all_reduce 200 ncclKernel_AllReduce_RING_LL_Sum_float '"Input Dims": [[1000]], "Input type": ["float"]'
	old _all_gather_base 300 ncclKernel_AllGather_RING_LL_Sum_int8_t '"Input Dims": [[1000]], "Input type": ["float"]'
	printf ']}'
} >old.json
t_run 0 import -q old.json -o old.db
t_run 0 query old.db 'SELECT kind, bytes, algorithm_bytes_per_s FROM communication_total ORDER BY kind' --format csv
[ "$(tail -n +2 "$out")" = 'all_gather,,
all_reduce,4000,1000000000.0
all_to_all,8000,2000000000.0' ] || t_fail "sizes of ranges: $(cat "$out")"
t_end
