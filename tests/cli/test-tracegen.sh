# The trace generator: the committed example is what its command line makes, output is the same
# every time, costs are differences of whole runs, and (with python3) the truth is what an
# independent count of the trace says.
. "$(dirname "$0")/lib.sh"

gen=${TC_TRACEGEN:-$root/build/release/tracegen}
[ -x "$gen" ] || t_skip "no tracegen at $gen"

value() { # value NAME FILE: a number of a truth file
	sed -n "s/.*\"$1\": \(-*[0-9]*\).*/\1/p" "$2" | head -1
}

recount() { # recount WHAT ARG...: generate, count again
	t_what="tracegen $*"
	"$gen" "$@" -o trace.json --truth truth.json 2>"$err" || t_fail 'it failed'
	[ -z "$python" ] || "$python" "$root/tests/cli/tracegen-truth.py" trace.json truth.json \
		>"$out" 2>"$err" || t_fail "$(head -3 "$out")"
}

python=$(command -v python3)

t_what='the example'
"$gen" --problem dataloader=86 --problem device-sync -o example.json 2>"$err"
t_same example.json "$example"
[ "$(wc -c <example.json)" -lt 5000000 ] || t_fail 'larger than 5 MB'

for format in gaudi-lazy gaudi-kineto cuda; do
	recount --format $format
	mv trace.json first.json
	recount --format $format
	t_same first.json trace.json
	t_run 0 import -q first.json -o first.db
	t_run 0 query first.db 'SELECT count(*) FROM memory_kept WHERE is_leak' --format csv
	t_out '^0' # frees name the blocks that were allocated
	rm first.db
	recount --format $format --seed 2
	! cmp -s first.json trace.json || t_fail 'the seed changes nothing'
	recount --format $format --world-size 8 --rank 7 --problem rank-straggler
	recount --format $format --steps 5 --problem dataloader --problem mme-fp32 --problem device-sync
	t_what="$format: the cost of a problem"
	with=$(value wall_ns truth.json)
	cost=$(sed -n 's/.*"dataloader".*"cost_ns": \([0-9]*\).*/\1/p' truth.json)
	recount --format $format --steps 5 --problem mme-fp32 --problem device-sync
	[ $((with - cost)) -eq "$(value wall_ns truth.json)" ] || t_fail "$with - $cost"
done
near() { # near PERCENT PROBLEM[=SIZE]: in cuda the gain of its heuristic is that near to the cost
	recount --format cuda --steps 6 --problem "$2"
	id=${2%%=*}
	cost=$(sed -n "s/.*\"$id\".*\"cost_ns\": \([0-9]*\).*/\1/p" truth.json)
	t_run 0 import trace.json -o trace.db
	t_run 0 query trace.db "SELECT abs(gain_ns - $cost) * 100 <= $cost * $1 AS near FROM finding
		WHERE heuristic = '$id'" --format csv
	t_out '^1$'
}

# A gain by replay is that of steady steps: the mean time between the ends of their device work, less
# that of the run with the problem mended, for all six steps.
step_mean() { # step_mean STORE
	t_run 0 query "$1" "SELECT (max(device_ts + device_dur) - min(device_ts + device_dur)) / (count(*) - 1)
		AS ns FROM step" --format csv
	sed -n 2p "$out"
}
steady() { # steady PROBLEM[=SIZE]: in cuda the gain of its heuristic is within 1 % of that
	recount --format cuda --steps 6 --fixed "${1%%=*}"
	t_run 0 import trace.json -o base.db
	recount --format cuda --steps 6 --problem "$1"
	t_run 0 import trace.json -o trace.db
	without=$(step_mean base.db)
	step=$(step_mean trace.db)
	t_run 0 query trace.db "SELECT abs(gain_ns - ($step - $without) * 6) * 100 <= gain_ns
		AS near FROM finding WHERE heuristic = '${1%%=*}'" --format csv
	t_out '^1$'
}

# The fills of zero_grad cost the device and the host; the gain is both.
steady zero-grad-memset=200
steady zero-grad-memset=600
for problem in redundant-allreduce gradient-bucket-copies cpu-created-tensors for-loop-indexing progress-printing debug-apis weight-copies \
	conv-bias-before-norm; do
	near 15 $problem
done
# The search costs the first step more than others: the device has no work left from a step before. Steady
# steps say what it costs.
steady unused-parameters
# The time in the network is in no trace.
near 30 slow-backend

# RCCL's kernels do not say what they do; the calls around their launches do.
"$gen" --format cuda --world-size 2 --steps 5 --problem redundant-allreduce=2 -o named.json
sed 's/ncclDevKernel_AllReduce[A-Za-z0-9_]*/ncclDevKernel_Generic_4/' named.json >generic.json
for file in named generic; do
	t_run 0 import $file.json -o $file.db
	t_run 0 query $file.db "SELECT gain_ns FROM whatif WHERE fix = 'redundant-allreduce'" --format csv
	cp "$out" $file.csv
done
t_what='kernels without a kind'
[ "$(wc -l <named.csv)" -eq 2 ] || t_fail 'no gain'
t_same named.csv generic.csv

habits='--problem cpu-created-tensors=3 --problem for-loop-indexing=40 --problem progress-printing --problem debug-apis=30'
ranks='--problem redundant-allreduce=2 --problem gradient-bucket-copies=40 --problem unused-parameters'
recount --format gaudi-lazy $habits $ranks
recount --format gaudi-kineto $habits $ranks
recount --format cuda $habits $ranks --problem slow-backend --problem weight-copies --problem matmul-dims=50 \
	--problem conv-bias-before-norm=5
recount --relative-ts --problem cpu-fallback=2 --problem recompilation
recount --events 30000
[ "$(value event_count truth.json)" -ge 30000 ] || t_fail 'too few events'
"$gen" --bytes 20000000 -o trace.json
t_what='--bytes'
size=$(wc -c <trace.json)
[ "$size" -ge 19000000 ] && [ "$size" -le 24000000 ] || t_fail "$size bytes"

# A slow host is one also where all of its idle time follows fallbacks, which take its lead.
recount --format gaudi-kineto --steps 6 --problem cpu-fallback --problem host-bound
t_run 0 import trace.json -o trace.db
t_run 0 query trace.db "SELECT heuristic FROM finding WHERE gain_pct > 10 ORDER BY gain_pct DESC" --format csv
printf 'heuristic\nhost-bound\ncpu-fallback\n' >want
t_same want "$out"

for sample in 2023-unopt 2023-1st 2023-2nd 2024-03 2024-10; do
	recount --perf-tool-sample $sample
done
t_what='2024-10'
for pair in host_steps_ns:507411370 wall_ns:513299755 dataloader_ns:280003883 \
	input_copy_ns:18406094 mme_tpc_overlap_ns:46480000; do
	[ "$(value "${pair%:*}" truth.json)" = "${pair#*:}" ] || t_fail "$pair"
done

for wrong in '--problem nothing' '--format gaudi-lazy --problem zero-grad-memset' '--problem dataloader=0' '--steps 0' '--format cuda --problem warm-up' \
	'--rank 1' '--seed' '--nothing'; do
	t_what="tracegen $wrong"
	"$gen" $wrong -o wrong.json >"$out" 2>"$err"
	t_check $? 2
	[ "$(wc -l <"$err")" -eq 1 ] || t_fail 'not one line on stderr'
	[ ! -e wrong.json ] || t_fail 'left a file'
done
"$gen" --steps abc -o wrong.json >"$out" 2>"$err"
t_err '^tracegen: --steps abc: wrong value: give N, profiled steps'
mkdir folder
for place in nowhere/x.json folder; do
	t_what="tracegen -o $place"
	"$gen" -o "$place" >"$out" 2>"$err"
	t_check $? 4
	[ "$(wc -l <"$err")" -eq 1 ] || t_fail 'not one line on stderr'
done
t_end
