# Idle time is one quantity: its rows by cause add up to it, to the nanosecond, and the cause that the
# verdict names is the first row, with the same time, in text, JSON and HTML.
. "$(dirname "$0")/lib.sh"
gen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}

# same WHAT WANT GOT
same() {
	[ "$2" = "$3" ] || t_fail "$1: '$3', want '$2'"
}

# The rows of devices and steps, the metrics, and what of the time is idle.
adds_up() {
	t_run 0 query s.db "SELECT count(*) FROM (SELECT m.value, (SELECT coalesce(sum(i.dur), 0) FROM idle_total i
		LEFT JOIN step s ON s.id = i.step_id WHERE i.trace_id = m.trace_id AND i.device IS m.device
		AND s.number IS m.step) AS ns FROM (SELECT trace_id, device, step, sum(value) AS value FROM metric
		WHERE name IN ('idle_ns', 'start_and_end_ns') GROUP BY 1, 2, 3) m
		WHERE m.step IS NULL OR m.device IS NULL) WHERE value != ns" --format csv
	same "rows of $1 that do not add up" 0 "$(tail -n 1 "$out")"
	t_run 0 query s.db "SELECT count(*) FROM (SELECT trace_id, device, step, sum(value) AS value FROM metric
		WHERE name IN ('idle_ns', 'start_and_end_ns') GROUP BY 1, 2, 3) i JOIN metric w ON w.trace_id = i.trace_id
		AND w.device IS i.device AND w.step IS i.step AND w.name = 'device_wait_ns'
		WHERE (i.value > w.value OR i.value < w.value - (SELECT total(n.value)
		FROM metric n WHERE n.trace_id = i.trace_id AND n.device IS i.device AND n.step IS i.step
		AND n.name = 'nic_exclusive_ns'))" --format csv
	same "idle time of $1 that is no wait" 0 "$(tail -n 1 "$out")"
}

# The lines of the last output as one.
flat() {
	tr -s '\n ' ' ' <"$out"
}

# verdict WHAT: of the store s.db
verdict() {
	t_run 0 query s.db "SELECT cause, idle_ns FROM idle_cause WHERE trace_id = 0 AND device IS NULL
		AND step IS NULL ORDER BY idle_ns DESC, cause" --format csv
	first=$(sed -n 2p "$out")
	cause=${first%,*}
	[ -n "$first" ] || return 0
	t_run 0 s.db --details --width 140
	# NUMBER UNIT PHRASE of the verdict; CAUSE NUMBER UNIT of the table
	said=$(flat | sed -n 's/.*Largest cause: \([^(]*\) (\([0-9.]* [a-z]*\)[,)].*/\2 \1/p')
	row=$(sed -n '/^Device idle time by cause/,/^$/p' "$out" | sed -n 3p | awk '{ print $1, $2, $3 }')
	same "first row of $1" "$cause" "${row%% *}"
	t_run 0 s.db --format json
	same "first row of the JSON of $1" "$first" "$(flat | sed -n \
		's/.*"by_cause": \[ *{"trace_id": 0, "device": null, "cause": "\([^"]*\)", "dur_ns": \([0-9]*\).*/\1,\2/p')"
	[ -z "$said" ] || grep -qF "Largest cause: ${said#* * } (${row#* }" "$out" || t_fail "$1: the JSON says something else"
	t_run 0 s.db --format json --json-level summary
	same "first cause of the summary of $1" "$first" "$(flat | sed -n \
		's/.*"idle_by_cause": \[ *{"cause": "\([^"]*\)", "idle_ns": \([0-9]*\).*/\1,\2/p')"
	t_run 0 s.db --format html
	same "first row of the HTML of $1" "$first" "$(sed -n '/Device idle time by cause/,/<.table>/p' "$out" |
		sed -n 's/^<tr><td class="w">\([a-z_]*\)<.td><td class="n" data-v="\([0-9]*\)".*/\1,\2/p' | head -n 1)"
	[ -n "$said" ] || return 0
	named=$((named + 1))
	same "time of the verdict of $1" "${row#* }" "${said% "${said#* * }"}"
	grep -qF "Largest cause: ${said#* * } (${row#* }" "$out" || t_fail "$1: the HTML says something else"
}

named=0
check() {
	what=$1
	shift
	rm -f s.db
	t_run 0 import "$@" -o s.db
	adds_up "$what"
	verdict "$what"
}

check example "$example"
same 'first cause of the example' 'dataloader,248243000' "$first"
# With a step, each number is that of the step.
t_run 0 s.db --step 11 --format json --json-level summary
same 'first cause, idle and wall time of a step' 'dataloader,83161000,91303280,150709000' "$(flat | sed -n \
	's/.*"wall_ns": \([0-9]*\).*"idle_ns": \([0-9]*\), "idle_by_cause": \[ *{"cause": "\([^"]*\)", "idle_ns": \([0-9]*\).*/\3,\4,\2,\1/p')"
for trace in "$root"/testdata/heuristics/*/fires.json; do
	check "$trace" "$trace"
done
for problem in dataloader host-bound device-sync; do
	for format in gaudi-lazy gaudi-kineto cuda; do
		"$gen" --format $format --steps 4 --problem $problem -o t.json || t_fail "$gen"
		check "$format with $problem" t.json
	done
done
# Ranks with NICs or a stream for collectives.
for format in gaudi-kineto cuda; do
	"$gen" --format $format --steps 3 --rank 1 --world-size 2 --problem exposed-communication -o t.json
	check "$format rank" t.json
done
t_ok "only $named verdicts name a cause" [ "$named" -ge 20 ]


# 45 slices 13 days before the others on the same threads, as a clock writes that is set late. Each
# format says how many, how far away they are and what they would do; the log names the first.
{
	printf '[{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "app"}}'
	for i in $(seq 45); do
		printf ',\n{"ph": "X", "name": "open", "pid": 1, "tid": %d, "ts": %d, "dur": 5}' $((i % 3)) $((i * 10))
	done
	for i in $(seq 1200); do
		printf ',\n{"ph": "X", "name": "read", "pid": 1, "tid": %d, "ts": %d, "dur": 500}' \
			$((i % 3)) $((1122421000000 + i * 1000))
	done
	printf ']\n'
} >far.json
far='45 slices are on another clock than all others, the first 12 d 23 h before them, and outside of the analysed time. With them the recording would be 12 d 23 h long'
for format in md html json; do
	t_run 0 far.json --format $format
	t_out "$far"
done
t_run 0 far.json
t_out 'no steps, 1,246 events, 1.200 s$'
t_run 0 import far.json -o far.db
t_run 0 query far.db "SELECT l.count, s.name, s.ts FROM import_log l JOIN slice s ON s.id = substr(message,
	instr(message, 'is slice ') + 9) WHERE kind = 'clocks_apart'" --format csv
t_out '^45,open,10000$'
# A few bytes make a step or a device: their product must not make a store a hundred times as large as
# the file. 300 steps and 300 devices; with a third of the steps they are within the limit.
awk 'BEGIN {
	printf "["
	for (i = 0; i < 300; i++) {
		printf "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#%d\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 100},\n", i, 100 * i
		printf "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": %d, \"tid\": 7, \"ts\": %d, \"dur\": 5, \"args\": {\"device\": %d, \"stream\": 7}}%s\n", i, 100 * i + 20, i, i < 299 ? "," : "]"
	}
}' >product.json
t_run 0 import -q product.json -o product.db
t_run 0 query product.db "SELECT count, (SELECT count(*) FROM metric WHERE step IS NOT NULL AND device IS NOT NULL),
	(SELECT count(*) FROM metric WHERE step IS NOT NULL AND name = 'idle_ns'),
	(SELECT count(*) FROM metric WHERE step IS NULL AND name = 'idle_ns')
	FROM import_log WHERE kind = 'step_limit'" --format csv
t_out '^90000,0,300,301$'
grep -vE '#[0-9]*[0-9][3-9]"' product.json >within.json
t_run 0 import -q within.json -o within.db
t_run 0 query within.db "SELECT count(*) / (SELECT count(*) FROM step), (SELECT count(*) FROM import_log WHERE kind = 'step_limit')
	FROM metric WHERE step IS NOT NULL AND device IS NOT NULL AND name = 'idle_ns'" --format csv
t_out '^300,0$'
# Each change on the host looks at all devices that have nothing to do, so they are limited: 300 devices
# with a gap of 90 us while the host runs an operation of 80 us, 256 of which have that cause.
awk 'BEGIN {
	printf "[{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add\", \"pid\": 1, \"tid\": 1, \"ts\": 17, \"dur\": 80}"
	for (i = 0; i < 600; i++)
		printf ",\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": %d, \"tid\": 7, \"ts\": %d, \"dur\": 5, \"args\": {\"device\": %d, \"stream\": 7}}", i / 2, 10 + i % 2 * 95, i / 2
	printf "]"
}' >many.json
t_run 0 import -q many.json -o many.db
t_run 0 query many.db "SELECT count, (SELECT count(*) FROM gap WHERE cause = 'unknown' AND dur = 90000),
	(SELECT count(DISTINCT device) FROM gap WHERE host_slice_id IS NOT NULL), (SELECT sum(dur) FROM gap)
	FROM import_log WHERE kind = 'gap_limit'" --format csv
t_out '^44,44,256,27000000$'
# Start and end of a recording without steps are no idle time, for the report, a comparison and a batch.
mkdir edges
awk 'BEGIN {
	printf "[{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::load\", \"pid\": 1, \"tid\": 1, \"ts\": 0, \"dur\": 9000}"
	for (i = 0; i < 100; i++)
		printf ",\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": 60, \"args\": {\"device\": 0, \"stream\": 7}}", 10000 + 100 * i
	printf "]"
}' >edges/edges.json
t_run 0 edges/edges.json
t_out "idle 40 % of the time between its first and its last operation"
t_run 0 compare edges/edges.json edges/edges.json
t_out '10.00 ms  10.00 ms +0 ns  start and end'
t_out '3.960 ms  3.960 ms +0 ns  idle'
t_run 0 batch edges -o batch -q
t_run 0 report batch --format csv
t_out '^\.,1,0,,1,19960000,,9960000,3960000,13960000,'
t_run 0 report batch
t_out '^  \. .* 40 % '

# The work that a step launched may be more than its time on the host: that is no part of it.
"$gen" --format cuda --steps 6 -o behind.json
t_run 0 behind.json --step 12
t_out '^  The device is busy 99 % of the time [(]20\.37 ms of 20\.52 ms[)]\.$'
t_run 0 behind.json
t_out 'busy .* the largest part'
# Where of the host only the calls of the device's runtime were recorded, the report says what to record; with one operator it does not.
for t_operator in '' ', {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 100, "dur": 40}'; do
	cat >runtime.json <<-END
		{"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}], "traceEvents": [
		{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 110, "dur": 5, "args": {"correlation": 1}},
		{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 120, "dur": 50, "args": {"device": 0, "stream": 7, "correlation": 1}}$t_operator]}
	END
	t_run 0 runtime.json --width 140
	if [ -n "$t_operator" ]; then
		t_no_out 'CPU operators were not recorded'
	else
		t_out '! CPU operators were not recorded\. Record ProfilerActivity\.CPU, too\.'
	fi
done
t_end
