# tracecoach heuristics: the list, and all about one.
. "$(dirname "$0")/lib.sh"

t_run 0 heuristics
t_fits 80
t_out '^Quality of the trace itself$'
t_out '^  truncated-trace +The trace is cut off$'
t_out '^  dataloader-bound +The device waits'
t_no_out '^Your rules'
ids=$(awk '/^  [a-z]/ { print $1 }' "$out")
t_env=COLUMNS=40
t_run 0 heuristics
t_fits 40
t_out '^    The device waits for the data loader$'
t_env=
files=$(find "$root/heuristics" -name '*.sql' | wc -l)
t_ok 'every file of heuristics/ is listed' test "$(echo "$ids" | wc -l)" -eq "$files"
for id in $ids; do
	t_run 0 heuristics "$id"
	t_out "^$id \((fix|quality)\)$"
	for heading in 'Why it matters' 'What to do' 'What it looks at' Evidence 'How to fix' Limits \
		Needs Query Source; do
		t_out "^$heading$"
	done
	t_out ':trace_id'
	t_no_out '^(##|```|- )|\]\(|-->'
done
t_run 0 heuristics dataloader-bound --width 60
# Code and the query stay as they are.
awk '/^[A-Z]/ { verbatim = /^(How to fix|Query)/ } !verbatim' "$out" >"$t_top/sentences"
t_ok 'sentences are wrapped' awk 'length($0) > 60 { bad = 1 } END { exit bad }' "$t_top/sentences"
t_out '^     loader = torch\.utils\.data\.DataLoader\($'
t_out '^         batch_size=batch_size,$'
t_run 0 heuristics dataloader-bound host-bound
t_out '^dataloader-bound \('
t_out '^host-bound \('

# An optimizer that another one calls is part of it: the gain is that of one.
plain=$root/testdata/heuristics/unfused-optimizer/fires.json
sed '/"Optimizer\.step#/{p;s/Optimizer\.step#[A-Za-z.]*/Optimizer.step#Inner.step/;}' "$plain" >nested.json
for file in "$plain" nested.json; do
	t_run 0 import "$file" -o "$(basename "$file").db"
	t_run 0 query "$(basename "$file").db" "SELECT e.subject, e.gain_ns FROM evidence e
		JOIN finding f ON f.id = e.finding_id WHERE f.heuristic = 'unfused-optimizer'"
	cp "$out" "$t_top/$(basename "$file").rows"
done
t_out 'Optimizer\.step#Adam'
t_same "$t_top/fires.json.rows" "$t_top/nested.json.rows"

# A call that is shorter than its kernel has not waited for it, however early the clock of the device is.
for early in 0 40 200; do
	t_python 'an early clock' "
import json
trace = json.load(open('$root/testdata/heuristics/launch-blocking/fires.json'))
for event in trace['traceEvents']:
    if event.get('cat') == 'kernel':
        event['ts'] -= $early
    elif event['name'] == 'cudaLaunchKernel':
        event['dur'] = 5
json.dump(trace, open('early.json', 'w'))"
	t_run 0 early.json
	t_no_out 'Every launch waits'
done

# Short gaps are gaps, not what one cause has of a longer one: counted again from the trace.
"${TC_TRACEGEN:-$(dirname "$tool")/tracegen}" --format cuda --steps 5 --problem small-kernels -o small.json >/dev/null ||
	t_fail 'tracegen fails'
t_run 0 small.json --format json
cp "$out" small.report
t_python 'the short gaps add up' "
import json
events = json.load(open('small.json'))['traceEvents']
finding = next(f for f in json.load(open('small.report'))['advice'] if f['id'] == 'small-kernels')
ends, gaps = [], []
work = sorted((round(e['ts'] * 1000), round((e['ts'] + e['dur']) * 1000)) for e in events
	if e.get('cat') in ('kernel', 'gpu_memcpy', 'gpu_memset'))
end = work[0][1]
for start, stop in work:
	gaps.append(start - end)
	end = max(end, stop)
assert any(g > 10000 for g in gaps)
want = sum(g for g in gaps if 0 < g <= 10000)
got = finding['evidence'][0]['data']['short_gap_ns']
assert abs(want - got) <= len(gaps), (want, got)
"
# What the CPU computes in an operation is no dispatch: capturing a graph leaves it.
awk 'BEGIN {
	printf "[{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"args\": {\"name\": \"python\"}}"
	call = ",\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": 1, \"ts\": %d, \"dur\": %d, \"args\": {\"correlation\": %d, \"stream\": 1}}"
	for (step = 1; step <= 6; step++) {
		ts = step * 10000
		printf call, "user_annotation", "ProfilerStep#" step, 1, ts, 10000, 0
		printf call, "cpu_op", "aten::topk", 1, ts + 1, 5000, 0
		for (i = 0; i < 40; i++) {
			ts = step * 10000 + 5010 + i * 120
			printf call, "cpu_op", "aten::mul", 1, ts, 110, 0
			printf call, "cuda_runtime", "cudaLaunchKernel", 1, ts + 50, 5, ++id
			printf call, "kernel", "gemm", 0, ts + 60, 20, id
		}
	}
	print "]"
}' >computes.json
t_run 0 import computes.json -o computes.db
t_run 0 query computes.db "SELECT gain_ns BETWEEN 18000000 AND 24000000 FROM whatif WHERE fix = 'host-bound'" --format csv
[ "$(tail -n +2 "$out")" = 1 ] || t_fail "gives '$(tail -n +2 "$out")'"

# Nor does that make the CPU fill a tensor sooner, however short it is: the same with such operations instead.
awk '/aten::topk/ {
	for (i = 0; i < 10; i++) {
		line = $0
		ts = substr($0, index($0, "\"ts\": ") + 6) + 0
		sub(/aten::topk/, "aten::normal_", line)
		sub("\"ts\": " ts, "\"ts\": " (ts + i * 500), line)
		sub(/"dur": 5000/, "\"dur\": 490", line)
		print line
	}
	next
} { print }' computes.json >fills.json
t_run 0 import fills.json -o fills.db
t_run 0 query fills.db "SELECT gain_ns BETWEEN 18000000 AND 24000000 FROM whatif WHERE fix = 'host-bound'" --format csv
[ "$(tail -n +2 "$out")" = 1 ] || t_fail "gives '$(tail -n +2 "$out")'"

# What an optimizer launches is its own finding, not one of small kernels.
"${TC_TRACEGEN:-$(dirname "$tool")/tracegen}" --format cuda --steps 5 --problem unfused-optimizer -o update.json >/dev/null ||
	t_fail 'tracegen failed'
t_run 0 import update.json -o update.db
t_run 0 query update.db "SELECT gain_ns > 0 AS wins FROM whatif WHERE fix IN ('small-kernels', 'unfused-optimizer') ORDER BY fix" --format csv
[ "$(tail -n +2 "$out" | tr '\n' ' ')" = '0 1 ' ] || t_fail "gives '$(tail -n +2 "$out")'"

# A fused optimizer still takes some of the host's time: how much of it is a setting, and a gain is never more than
# the step of the optimizer takes.
"${TC_TRACEGEN:-$(dirname "$tool")/tracegen}" --format cuda --steps 8 --problem unfused-optimizer=200 --problem host-bound \
	-o slow.json >/dev/null || t_fail 'tracegen failed'
t_run 0 import slow.json -o slow.db
for kept in 0 0.5 1; do
	t_run 0 whatif slow.db --fix unfused-optimizer --set unfused-optimizer.host_kept_ratio=$kept --format json
	sed -n 's/.*[ ]"gain_ns": \([0-9]*\),.*/\1/p' "$out" | head -1
done >gains
t_ok 'the gain follows the part that is kept' awk 'NR == 1 { all = $1 } NR == 2 { half = $1 / all } NR == 3 { none = $1 / all }
	END { exit !(NR == 3 && half > .4 && half < .6 && none < .1) }' gains
t_run 0 query slow.db "SELECT w.gain_ns > 0.8 * t.ns AND w.gain_ns < 0.95 * t.ns AND w.gain_high_ns < t.ns FROM whatif w,
	(SELECT sum(outer_ns) AS ns FROM host_total WHERE mark = 'optimizer_step') t WHERE w.fix = 'unfused-optimizer'" --format csv
[ "$(tail -n +2 "$out")" = 1 ] || t_fail "gives '$(tail -n +2 "$out")'"

# What a server reads is its answer, also where only the device shows the layers of its model.
sed 's/aten::linear/aten::relu/' "$root/testdata/heuristics/device-sync/quiet-server.json" >server.json
t_run 0 server.json --format json
t_no_out '"id": "device-sync"'

t_end
