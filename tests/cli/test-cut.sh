# tracecoach cut: exactly the events that docs/cut.md promises, byte for byte; nothing where it fails.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || t_skip 'no python3'
check=$root/tests/cli/cut-check.py

ask() { # ask STORE SQL: the row
	"$tool" query "$1" "$2" --format csv | tail -1 | tr ',' ' '
}

links() { # links STORE: what launched what, as cut-check.py reads it
	"$tool" query "$1" "SELECT p.pid, r.tid, l.ts, l.ts + l.dur, q.pid, h.tid, o.ts, o.ts + o.dur
		FROM device_op o JOIN slice l ON l.id = o.launch_slice_id JOIN track t ON t.id = l.track_id
		JOIN thread a ON a.id = t.thread_id
		JOIN thread r ON coalesce(r.host_thread_id, r.id) = coalesce(a.host_thread_id, a.id)
		JOIN process p ON p.id = r.process_id JOIN track w ON w.id = o.track_id
		JOIN thread h ON h.id = w.thread_id JOIN process q ON q.id = h.process_id" --format csv | tail -n +2
}

# Random traces: arrows, pairs, async slices, counters; a window anywhere.
for seed in 1 2 3 4 5 6 7 8; do
	python3 "$check" random $seed random.json >"$out" || t_fail "seed $seed: no trace"
	t_run 0 import -q random.json -o random.db
	start=$(ask random.db 'SELECT start_ns FROM trace')
	from=$((seed * 5125))
	to=$((from + seed * seed * 250 + 1))
	t_run 0 cut -q random.json --time ${from}ns-${to}ns -o random-cut.json
	t_ok "seed $seed has the events" python3 "$check" random.json random-cut.json \
		$((start + from)) $((start + to))
done
! python3 "$check" random.json random-cut.json $start $((start + 1)) 2>/dev/null ||
	t_fail 'the check takes any cut'
rm random*

# Steps: those asked for, as long as before, and nothing to complain about.
t_run 0 import -q "$example" -o whole.db
links whole.db >links.csv
t_run 0 cut "$example" --steps 11-12 -o part.json.gz
t_out '^[0-9]+ of 10211 events: part\.json\.gz$'
t_err '^tracecoach: 2 steps: a report takes none of fewer than three as warm-up, so its means and gains may differ'
t_ok 'it is gzip' gzip -t part.json.gz
t_ok 'the events are right' python3 "$check" "$example" part.json.gz \
	$(ask whole.db 'SELECT min(ts), max(max(ts + dur), max(device_ts + device_dur)) FROM step WHERE number IN (11, 12)') links.csv
t_run 0 import -q part.json.gz -o part.db --strict
steps='SELECT group_concat(number), sum(ts), sum(dur), sum(device_ts), sum(device_dur) FROM step WHERE number > 10'
t_ok 'its steps are those of the whole' test "$(ask part.db "$steps")" = "$(ask whole.db "$steps")"
t_ok 'there are two' test "$(ask part.db 'SELECT count(*) FROM step')" = 2
t_ok 'nothing is in the log' test "$(ask part.db 'SELECT count(*) FROM import_log')" = 0
# The report says so, and a cut of a cut is one of that file.
t_run 0 part.db --format md
t_out '^This is a cut of trace\\_example\.json, steps 11-12: causes and gains are those of this part, not of the whole run\.'
t_run 0 cut part.json.gz --steps 12 -o smaller.json
t_run 0 smaller.json --format md
t_out 'This is a cut of part.json.gz, steps 12: '
t_no_out 'trace.*_example'
rm smaller.json

# Work that a step launched and that ran later is there without arrows, too: the import knows the link.
t_python 'a trace without arrows, its device half a step late' "
import json
trace = json.load(open('$root/testdata/heuristics/launch-blocking/quiet.json'))
events = [e for e in trace['traceEvents'] if e.get('cat') != 'ac2g']
steps = [e for e in events if e['name'].startswith('ProfilerStep#')]
for event in events:
    if event.get('cat') == 'kernel':
        event['ts'] += steps[0]['dur'] * 3 // 2
trace['traceEvents'] = events
json.dump(trace, open('late.json', 'w'))"
t_run 0 import -q late.json -o late.db
links late.db >late.csv
all=$(ask late.db 'SELECT min(number), max(number) FROM step')
t_run 0 cut -q late.json --steps "${all% *}-${all#* }" -o part.json
t_ok 'all work is there' python3 "$check" late.json part.json $(ask late.db 'SELECT min(ts), max(max(ts + dur), max(device_ts + device_dur)) FROM step') late.csv
t_run 0 import -q part.json -o part.db
work='SELECT count(*), sum(dur) FROM device_op WHERE step_id IS NOT NULL'
t_ok 'each step has its work' test "$(ask part.db "$work")" = "$(ask late.db "$work")"
t_run 0 cut -q late.json --steps "${all#* }" -o part.json
t_run 0 import -q part.json -o part.db
t_ok 'the last step has its work' test \
	"$(ask part.db 'SELECT count(*) FROM device_op o JOIN step s ON s.id = o.step_id')" = \
	"$(ask late.db "SELECT count(*) FROM device_op o JOIN step s ON s.id = o.step_id WHERE s.number = ${all#* }")"
rm part.json

# Of steps in the middle the amounts are those of the whole trace, and devices are idle as long as there: work that the
# steps before launched is in the part, and no step of it.
steps="SELECT group_concat(name || ifnull(device, '') || step || value) FROM (SELECT * FROM metric WHERE step IN (%s) ORDER BY step, name, device)"
idle="SELECT sum(value) FROM metric WHERE name IN ('idle_ns', 'device_unknown_ns') AND step IS NULL AND device IS NULL"
times="SELECT group_concat(ns) FROM step_time WHERE number IN (%s) AND number > %s ORDER BY ts"
compare_part() { # compare_part TRACE STORE FROM TO
	t_run 0 cut -q "$1" --steps "$3-$4" -o part.json
	t_run 0 import -q part.json -o part.db --strict
	numbers=$(seq -s , "$3" "$4")
	start=$(ask "$2" 'SELECT min(number) FROM counted_step')
	t_ok "$1: amounts of steps $3 to $4" test "$(ask part.db "$(printf "$steps" "$numbers")")" = \
		"$(ask "$2" "$(printf "$steps" "$numbers")")"
	t_ok "$1: steps $3 to $4 and no others" test "$(ask part.db 'SELECT group_concat(number) FROM counted_step')" = \
		"$(ask "$2" "SELECT group_concat(number) FROM counted_step WHERE number BETWEEN $3 AND $4")"
	# Its first step begins where the one before it ends, as in the whole trace unless that has no step before it; all
	# times are those of its steps alone.
	t_ok "$1: steps $3 to $4 are as long as there" test "$(ask part.db "$(printf "$times" "$numbers" "$start")")" = \
		"$(ask "$2" "$(printf "$times" "$numbers" "$start")")"
	t_ok "$1: steps $3 to $4 are the analysed time" test "$(ask part.db "SELECT (SELECT sum(ns) FROM step_time) - value
		FROM metric WHERE name = 'wall_ns' AND step IS NULL")" = 0
	t_ok "$1: steps $3 to $4 are all of the account" test "$(ask part.db "SELECT (SELECT value FROM metric WHERE name = 'wall_ns' AND step IS NULL) -
		total(iif(name IN ('device_busy_ns', 'idle_ns'), value, 0)) FROM metric WHERE device IS NULL AND step IS NULL")" = 0.0
	t_ok "$1: operations of steps $3 to $4 are all that worked" test "$(ask part.db "SELECT (SELECT sum(exclusive_ns) FROM op_total) - value
		FROM metric WHERE name = 'device_busy_ns' AND device IS NULL AND step IS NULL")" = 0
	t_ok "$1: gaps of steps $3 to $4 are all idle time" test "$(ask part.db "SELECT (SELECT total(dur) FROM gap) - total(value)
		FROM metric WHERE name = 'device_idle_ns' AND device IS NOT NULL")" = 0.0
	t_ok "$1: no work after steps $3 to $4" test \
		"$(ask part.db 'SELECT max(ts + dur) <= (SELECT max(max(ts + dur), max(device_ts + device_dur)) FROM counted_step) FROM device_op')" = 1
}
compare_part late.json late.db "${all% *}" "$((${all% *} + 1))"
compare_part late.json late.db "$((${all% *} + 1))" "${all#* }"
queued=${TC_SHARED:-none}/corpus/pytorch/cuda/cuda13-graph-replay.json.gz
if [ -f "$queued" ]; then
	t_run 0 import -q "$queued" -o queued.db
	for first in 2 3 4 5; do
		compare_part "$queued" queued.db $first $((first + 1))
		t_ok "idle as long from $first on" test "$(ask part.db "$idle")" -le "$(ask queued.db "$idle")"
	done
	t_run 0 part.db
	t_out 'devices first did what'
fi
rm -f late.* part.* queued.db

# The longest call of the data loader, which costs most, is the place of its finding; a tenth of it is around it.
t_run 0 cut "$example" --finding dataloader-bound -o part.json
t_ok 'the place is right' python3 "$check" "$example" part.json \
	$(ask whole.db "SELECT ts - dur / 10, ts + dur + dur / 10 FROM slice WHERE name LIKE 'enumerate(DataLoader)%' ORDER BY dur DESC, id LIMIT 1") links.csv
t_err '^tracecoach: a part for a viewer: a step that reaches beyond it is there without its other slices'
cp part.json by-id.json
for number in 1 '#1'; do
	t_run 0 cut "$example" --finding "$number" -o part.json
	t_same part.json by-id.json
done
rm by-id.json
rm links.csv
# A finding about idle time is where its own cause has the longest piece, with the work that ends the gap.
"${TC_TRACEGEN:-$(dirname "$tool")/tracegen}" --format cuda --steps 4 --problem host-bound -o host.json || t_fail 'tracegen'
t_run 0 import -q host.json -o host.db
t_run 0 cut host.json --finding host-bound -o part.json
cause="(SELECT json_extract(data, '\$.cause') FROM evidence e JOIN finding f ON f.id = e.finding_id WHERE f.heuristic = 'host-bound' AND e.ord = 1)"
t_ok 'its evidence names a cause of gaps' test "$(ask host.db "SELECT count(*) > 0 FROM gap WHERE cause = $cause")" = 1
t_run 0 import -q part.json -o part.db
t_ok 'work is around the gap' test "$(ask part.db 'SELECT count(*) > 0 FROM device_op')" = 1
rm host.json host.db
t_run 0 cut "$example" --time 1ms-2ms -o -
t_out '^"traceEvents":\[$'
t_no_out ' events: '

# A device: a process that drives two, with counters and memory of each. Every second operation moves to device 1.
"${TC_TRACEGEN:-$(dirname "$tool")/tracegen}" --format cuda --steps 2 -o one.json || t_fail 'tracegen'
t_python 'two devices' '
import json
trace = json.load(open("one.json"))
work = [e for e in trace["traceEvents"] if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
moved = {e["args"]["correlation"] for e in work if e["args"]["correlation"] % 2}
for event in trace["traceEvents"]:
    if event.get("args", {}).get("correlation") in moved and event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
        event["pid"] = event["args"]["device"] = 1
    if event.get("cat") == "ac2g" and event["ph"] == "f" and event["id"] in moved:
        event["pid"] = 1
trace["traceEvents"] += [{"ph": "C", "name": "clock", "pid": pid, "ts": 5, "args": {"MHz": pid}} for pid in (0, 1, 7)]
trace["traceEvents"] += [{"ph": "i", "s": "t", "name": "[memory]", "pid": 4242, "tid": 1, "ts": 6, "args": {"Device Type": kind,
    "Device Id": number, "Bytes": 512, "Addr": 64, "Total Allocated": 512}} for kind, number in ((1, 0), (1, 1), (0, 1), (0, -1))]
json.dump(trace, open("two.json", "w"))'
t_run 0 import -q two.json -o two.db
for device in 0 1; do
	t_run 0 cut two.json --device $device -o part.json
	t_ok "device $device has the events" python3 "$check" two.json part.json device $device
	t_run 0 import -q part.json -o part.db --strict
	work="SELECT count(*), sum(dur), min(launch_slice_id IS NOT NULL) FROM device_op WHERE device = '$device'"
	t_ok 'its work and launches are those of the whole' test "$(ask part.db "$work")" = "$(ask two.db "$work")"
	t_ok 'it has one device' test "$(ask part.db 'SELECT group_concat(DISTINCT device) FROM device_op')" = $device
	rm part.db
done
! python3 "$check" two.json part.json device 0 2>/dev/null || t_fail 'the check takes another device'
t_run 2 cut two.json --device 2 -o part.json
t_err '^tracecoach: --device 2: no such device: the trace has work of 0, 1$'
# On Gaudi the store knows what launched the work of a recipe.
# Lanes and launching threads are looked up, not compared with each other: that takes 20 s of CPU.
awk 'BEGIN {
	printf "["
	for (i = 0; i < 8000; i++) {
		printf "%s{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 9, \"tid\": %d, \"ts\": %d, \"dur\": 1, \"args\": {\"correlation\": %d}}", i ? ",\n" : "", i, 2 * i, i
		printf ",\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": %d, \"ts\": %d, \"dur\": 1, \"args\": {\"correlation\": %d, \"device\": 0, \"stream\": %d}}", i, 2 * i + 1, i, i
	}
	print "]"
}' >lanes.json
t_what='cut of 8,000 lanes'
(ulimit -t 6 && exec "$tool" cut -q lanes.json --device 0 -o part.json) >"$out" 2>"$err"
t_check $? 0
t_ok 'it has all lanes' test "$(grep -o '"cat": "kernel"' part.json | wc -l)" -eq 8000
rm -f lanes.json part.json
t_run 0 cut "$example" --device 0 -o part.json
t_run 0 import -q part.json -o part.db --strict
work='SELECT count(*), sum(dur), count(launch_slice_id), count(DISTINCT launch_slice_id) FROM device_op'
t_ok 'the work of the device is whole' test "$(ask part.db "$work")" = "$(ask whole.db "$work")"
# What explains its idle time is there: the verdict and the first fix of the only device are those of the whole trace.
judge='SELECT (SELECT cause FROM idle_cause WHERE device IS NULL AND step IS NULL ORDER BY idle_ns DESC LIMIT 1), (SELECT heuristic FROM finding ORDER BY id LIMIT 1)'
t_ok 'causes are those of the whole' test "$(ask part.db "$judge")" = "$(ask whole.db "$judge")"
for problem in dataloader host-bound; do
	"${TC_TRACEGEN:-$(dirname "$tool")/tracegen}" --format cuda --steps 4 --problem $problem -o one.json || t_fail 'tracegen'
	t_run 0 import -q one.json -o one.db
	t_run 0 cut one.json --device 0 -o part.json
	t_run 0 import -q part.json -o part.db
	t_ok "$problem: causes are those of the whole" test "$(ask part.db "$judge")" = "$(ask one.db "$judge")"
done
rm -f one.json one.db two.json two.db

# A range, an input or an output that cannot be.
rm -f part.*
for words in '' '--steps 3 --time 1s-2s' '--steps 5-3' '--steps 3-' '--steps x' '--time 2s-1s' '--time 1-2' \
	'--time 1s' '--time -1s-2s' '--steps 10-99' '--time 900s-901s' '--finding gemm-fp32' '--finding 0' '--finding 99' '--device 1' '--device 0 --steps 11'; do
	t_run 2 cut "$example" $words -o part.json
	t_error
done
t_run 2 cut "$example" --finding datalodr -o part.json
t_err "^tracecoach: datalodr: no such heuristic: did you mean 'dataloader-bound'\?$"
t_run 2 cut "$example" --finding 99 -o part.json
t_err '^tracecoach: 99: no such finding: the report has [0-9]+: give a number up to that'
t_run 2 cut "$example" --steps 12-13 -o part.json
t_err '^tracecoach: --steps 12-13: no such steps: the trace has 10 to 12$'
t_run 2 cut "$example" --steps 11
t_run 2 cut "$example" "$example" --steps 11 -o part.json
t_run 2 cut - --steps 11 -o part.json
t_run 3 cut missing.json --steps 11 -o part.json
t_run 2 cut whole.db --steps 11 -o part.json
t_error
t_run 4 cut "$example" --steps 11 -o /dev/full
t_error
cp "$example" same.json
t_run 2 cut same.json --steps 11 -o same.json
t_same same.json "$example"
t_files same.json whole.db
rm same.json whole.db

# A large trace: hardly more memory than its import needs; an interrupt leaves nothing.
python3 - <<'END'
with open("large.json", "w") as out:
    out.write('{"traceEvents": [')
    for i in range(150000):
        out.write(f'{{"ph":"X","name":"op{i % 50}","pid":1,"tid":1,"ts":{i * 10},"dur":7,"args":{{"n":{i}}}}},\n'
                  f'{{"ph":"s","name":"a","cat":"a","id":{i},"pid":1,"tid":1,"ts":{i * 10}}},\n'
                  f'{{"ph":"f","bp":"e","name":"a","cat":"a","id":{i},"pid":1,"tid":1,"ts":{i * 10 + 10}}},\n')
    out.write('{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}}]}')
END
cat >"$t_top/peak.py" <<'END'
import os
import subprocess
import sys

process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss)
sys.exit(status != 0)
END
of_import=$(python3 "$t_top/peak.py" "$tool" import -q --one-thread large.json -o large.db) || t_fail 'no import'
of_cut=$(python3 "$t_top/peak.py" "$tool" cut -q --one-thread large.json --time 1s-1.001s -o part.json) || t_fail 'no cut'
grep -q '^TC_SANITIZE:.*=.' "$TC_BUILD_DIR/CMakeCache.txt" 2>/dev/null ||
	t_ok "memory: $of_cut kB, import: $of_import kB" test "$of_cut" -lt $((of_import + 12000))
t_ok 'it has the time' grep -q '"ts":1000000,' part.json
rm part.json large.db
t_what='cut and SIGINT'
env --default-signal=INT "$tool" cut large.json --time 1s-2s -o part.json >"$out" 2>"$err" &
job=$!
while kill -0 $job 2>/dev/null && ! ls -l /proc/$job/fd 2>/dev/null | grep -q 'large\.json'; do
	sleep 0.02
done
kill -s INT $job
wait $job
t_check $? 130
t_error
t_files large.json

# A trace that is replaced while it is cut: nothing of the new one is cut by the times of the old one.
t_what='cut of a trace that is replaced'
sed 's/"ts":/"ts":1/' large.json >other.json
"$tool" cut large.json --time 1s-2s -o part.json >"$out" 2>"$err" &
job=$!
while kill -0 $job 2>/dev/null && ! ls -l /proc/$job/fd 2>/dev/null | grep -q 'large\.json'; do
	sleep 0.02
done
mv other.json large.json
wait $job
t_check $? 3
t_err 'large\.json: has changed since it was read first'
t_files large.json
t_end
