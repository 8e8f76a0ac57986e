# tracecoach whatif: the replay of a trace or a store with edits and fixes.
. "$(dirname "$0")/lib.sh"
tracegen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}

"$tracegen" --format cuda --steps 6 --problem dataloader -o slow.json
t_run 0 import -q slow.json -o slow.db

# Where an edit changes nothing the replay is the recording.
t_run 0 whatif slow.db --remove 'name=*no_such_kernel*' --format json
t_out '"gain_ns": 0, '
t_ok 'nothing is won' awk -F': ' '/^ "step_before_ns"/ { a = $2 + 0 } /^ "step_after_ns"/ { b = $2 + 0 }
	END { exit a == 0 || a != b }' "$out"

# A store is replayed as it was when it was made; a trace as its store.
t_run 0 query slow.db "SELECT gain_ns FROM whatif WHERE fix = 'dataloader-bound'" --format csv
gain=$(sed -n 2p "$out")
t_run 0 whatif slow.db --fix dataloader-bound --format json
t_out "\"gain_ns\": $gain, "
cp "$out" store
t_run 0 whatif -q slow.json --fix dataloader-bound --format json
t_same "$out" store
t_run 0 whatif slow.db --remove 'role=dataloader' --format json
t_out "\"gain_ns\": $gain, "

t_run 0 whatif slow.db --scale 'role=dataloader=0.5' --scale 'class=matrix_fp32=0.5' --nowait 'role=sync'
tail -4 "$out" >tail
printf '%s\n' Edits '  scale role=dataloader by 0.5' '  scale class=matrix_fp32 by 0.5' '  nowait role=sync' >wanted
t_same tail wanted
t_out '^  a steady step takes '
t_out '^  Then the limit is '
t_out '^  The critical path of the recording, which ends [0-9.]+ ms sooner$'

# A long edit is wrapped; what is quoted is one edit.
t_run 0 whatif slow.db --fix device-sync --remove "name='one; two'"
t_fits 100
t_out "^  remove name='one; two'\$"
t_out '^    dataloader not in mark = copy_carrier'
t_ok 'edits on lines of their own' test "$(grep -c '^  remove ' "$out")" -gt 5
t_run 2 whatif slow.db
t_err 'nothing to change: name a fix \(--fix 1\) or an edit \(--remove role=sync\)$'

# Of several parts, those that change nothing are named.
t_run 0 whatif slow.db --fix dataloader-bound,recompilation --remove 'name=*no_such_kernel*'
t_out '^  recompilation changes nothing in this recording\.$'
t_out '^  remove name=\*no_such_kernel\* changes nothing in this recording\.$'
t_no_out 'dataloader-bound changes nothing'

# An edit that fits nothing says so, and does not look like a fix that wins nothing.
nothing='^  Nothing changes: see whether this recording has what the edits name\.$'
t_run 0 whatif slow.db --remove 'name=*no_such_kernel*'
t_out "$nothing"
t_run 0 whatif slow.db --no-wait-for-rank late
t_out "$nothing"
t_run 0 whatif slow.db --remove 'role=dataloader'
t_no_out "$nothing"

# What a fix takes off the critical path altogether is shown.
t_run 0 whatif slow.db --remove 'role=dataloader'
t_out '^ .* 0 ns  host: data loader$'

# Ranks of a job are replayed together: what the others win when nobody waits for the slow one is what import found.
mkdir job
for r in 0 1 2; do
	"$tracegen" --format cuda --steps 5 --rank $r --world-size 3 --problem rank-straggler -o job/$r.json
done
t_run 0 import -q job -o job.db
t_run 0 whatif job.db --remove 'name=*no_such_kernel*' --format json
t_out '"job_id": 0, "trace_id": 2, "rank_count": 3, "late_count": 0, .*"gain_ns": 0, '
t_run 0 query job.db "SELECT step_after_ns FROM whatif WHERE fix = 'rank-straggler' AND gain_ns > 0" --format csv
after=$(sed -n 2p "$out")
t_run 0 whatif job.db --no-wait-for-rank 2 --format json
t_out "\"job_id\": 0, \"trace_id\": 2, \"rank_count\": 3, \"late_count\": 1, .*\"step_after_ns\": $after}"
cp "$out" named
t_run 0 whatif job.db --no-wait-for-rank late --format json
t_ok 'the late rank is rank 2' sh -c "sed 's/rank = late/rank = 2/' '$out' | cmp - named"
t_run 0 whatif job.db --fix rank-straggler
t_out '^One job, 3 ranks, nobody waits for 1 of them; times of the median of the ranks other than rank [0-2]$'
t_out '^  Nobody waits for this rank: see what the others win\.$'
t_run 0 whatif job.db --no-wait-for-rank 2 --remove 'role=dataloader'
t_run 2 whatif job.db --no-wait-for-rank 0,1,2
t_err 'somebody must be waited for'
t_run 2 whatif job.db --no-wait-for-rank 3
t_err 'no trace of a job is of rank 3'
t_run 2 whatif job.db --no-wait-for-rank two
t_err 'no number of a rank'

# Recordings of one step that start apart do not show who waits for whom: a fix wins what the report of each rank says.
mkdir apart
for r in 0 1; do
	"$tracegen" --format cuda --steps 1 --rank $r --world-size 2 --problem host-bound -o apart/$r.json
done
sed '/"traceEvents"/a {"ph": "X", "cat": "cpu_op", "name": "aten::empty", "pid": 1, "tid": 1, "ts": 3001234557000, "dur": 5},' apart/1.json >earlier &&
	mv earlier apart/1.json
t_run 0 import -q apart -o apart.db
t_run 0 query apart.db "SELECT gain_ns FROM whatif WHERE fix = 'host-bound' AND gain_ns > 0 ORDER BY trace_id" --format csv
gains=$(sed -n '2,3p' "$out" | tr '\n' ' ')
t_run 0 whatif apart.db --fix host-bound --format json
t_out '"rank": 0, '
t_out '"rank": 1, '
t_out '"jobs": \[\]'
t_ok 'each rank alone' test "$gains" = "$(sed -n 's/^.*"rank": [01],.*"gain_ns": \([0-9]*\).*/\1/p' "$out" | tr '\n' ' ')"
t_run 0 whatif apart.db --no-wait-for-rank 1
t_out '^One job, 2 ranks, nobody waits for 1 of them; times of the median of the ranks other than rank [01]$'
# Which rank is late does not show: that is said once, not by each rank.
t_run 0 whatif apart.db --no-wait-for-rank late
t_out '^  Nothing changes: the recordings do not show which rank is slow: of one step each, they start apart\.$'
t_ok 'one reason' test "$(grep -c 'Nothing changes' "$out")" -eq 1
t_no_out 'critical path'

# The gain of a job is that of the rank that sets the pace: here of rank 1, which is neither the first nor the longest.
mkdir short
for r in 0 1 2; do
	"$tracegen" --format cuda --steps 2 --rank $r --world-size 3 --problem rank-straggler \
		$(test $r = 0 || echo --problem dataloader) -o short/$r.json
done
t_run 0 import -q short -o short.db
pace=$("$tool" short.db -q --format json | sed -n 's/.*"pace_rank": \([0-9]*\).*/\1/p')
t_run 0 whatif -q short.db --scale class=matrix=0.5 --format json
t_out '"job_id": 0, .*"step_before_ns": null, '
recording() {
	sed -n "/$1/s/.*\"wall_ns\": \([0-9]*\), .*/\1/p" "$out"
}
t_ok 'the recording of that rank' test "$(recording "\"trace_id\": $pace, \"rank\"")" = "$(recording '"job_id"')"
rm -r short

# A server: each of ten requests reads a value after the first of its two kernels, and then its answer. Where the next request
# comes after a pause, it comes after the answer, so without the reads the kernels of a request follow each other, but those of
# two requests do not: 12 ms would be won else. With turns of a loop or not, a store is replayed as it was when it was made.
server() {
	awk -v turn="$1" '
	function slice(cat, name, tid, ts, dur, more) {
		printf ",\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %s, \"tid\": %d, \"ts\": %d, \"dur\": %d%s}",
			cat, name, tid == 7 ? "0" : "1", tid, ts, dur, more
	}
	function args(more) {
		return sprintf(", \"args\": {\"correlation\": %d%s}", ++id, more)
	}
	function kernel(ts) {
		slice("cpu_op", "aten::mm", 1, ts, 30)
		slice("cuda_runtime", "cudaLaunchKernel", 1, ts + 10, 10, args(""))
		slice("kernel", "sm80_xmma_gemm", 7, ts + 25, 600, sprintf(", \"args\": {\"correlation\": %d, \"stream\": 7, \"device\": 0}", id))
	}
	function read(ts) {
		slice("cpu_op", "aten::to", 1, ts, 630)
		slice("cpu_op", "aten::_to_copy", 1, ts + 2, 625)
		slice("cpu_op", "aten::copy_", 1, ts + 4, 620)
		slice("cuda_runtime", "cudaMemcpyAsync", 1, ts + 6, 10, args(""))
		slice("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 7, ts + 600, 5, sprintf(", \"args\": {\"correlation\": %d, \"stream\": 7, \"device\": 0}", id))
		slice("cuda_runtime", "cudaStreamSynchronize", 1, ts + 17, 600, args(""))
	}
	BEGIN {
		printf "{\"traceEvents\": [{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"args\": {\"name\": \"python\"}}"
		for (i = 0; i < 10; i++) {
			ts += i % 3 ? 2000 : 8000
			if (turn == "once" && i == 5) {
				slice("cpu_op", "aten::convolution", 1, ts, 50000)
				slice("cuda_runtime", "cudaLaunchKernel", 1, ts + 49980, 10, args(""))
				slice("kernel", "cudnn_infer_volta_scudnn", 7, ts + 50000, 100, sprintf(", \"args\": {\"correlation\": %d, \"stream\": 7, \"device\": 0}", id))
				ts += 51000
			} else if (turn != "")
				slice("user_annotation", turn, 1, ts - 5, 1500)
			kernel(ts)
			read(ts + 30)
			kernel(ts + 720)
			read(ts + 750)
		}
		print "]}"
	}' </dev/null
}
server '' >server.json
server 'execute_context_0(0)_generation_1(1)' >turns.json
for trace in server turns; do
	t_run 0 import -q $trace.json -o $trace.db
	t_run 0 query $trace.db "SELECT gain_ns FROM whatif WHERE fix = 'device-sync'" --format csv
	gain=$(sed -n 2p "$out")
	t_ok 'not the reads of answers' test "$gain" -gt 1000000 -a "$gain" -lt 7000000
	t_run 0 whatif $trace.db --fix device-sync --format json
	t_out "\"gain_ns\": $gain, "
done

# An operation that takes 50 ms the first time, such as loading a library, is none that captured graphs make shorter, though it
# launches work.
server once >once.json
t_run 0 import -q once.json -o once.db
t_run 0 query once.db "SELECT gain_ns FROM whatif WHERE fix = 'host-bound'" --format csv
t_ok 'not what happens once' test "$(sed -n 2p "$out")" -lt 9000000

# Gains do not go by where the clock begins: also when all times are negative.
if command -v python3 >/dev/null; then
	"$tracegen" --format cuda --problem host-bound -o host.json
	python3 - <<'END' || t_fail 'the clock is not moved'
import json
with open('host.json') as file:
    trace = json.load(file)
timed = [event for event in trace['traceEvents'] if 'ts' in event]
first, last = min(event['ts'] for event in timed), max(event['ts'] for event in timed)
for start in 1, first - last - 1000000:
    for event in timed:
        event['ts'] = round(event['ts'] + start - first, 3)
    first = start
    with open('from-%d.json' % (start > 0), 'w') as file:
        json.dump(trace, file)
END
	for from in 1 0; do
		t_run 0 whatif -q from-$from.json --fix host-bound --format json
		grep '"gain_ns"' "$out" >gain-$from
	done
	t_same gain-0 gain-1
fi

# What cannot be read.
t_run 2 whatif slow.db --remove 'role=loader'
t_err 'no such value'
for t_what in role role=sync role=sync=; do
	t_run 2 whatif slow.db --scale $t_what
	t_err 'give a part of its time'
done
# Fixes by their numbers in the report: of a trace, and of a job.
t_run 0 whatif slow.db --fix 1 --format json
cp "$out" numbered
t_run 0 query slow.db 'SELECT fix FROM plan WHERE ord = 1' --format csv
t_run 0 whatif slow.db --fix "$(tail -n 1 "$out")" --format json
t_same "$out" numbered
t_run 0 whatif job.db --fix '#1' --format json
cp "$out" numbered
t_run 0 analyze job.db --format json
t_run 0 whatif job.db --fix "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["jobs"][0]["advice"][0]["id"])' "$out")" --format json
t_same "$out" numbered
t_run 2 whatif slow.db --fix 99
t_err '99: no such finding: the report has [0-9]+'

t_run 2 whatif slow.db --fix no-such-thing
t_err 'no-such-thing'
t_run 2 whatif slow.db --fix few-steps
t_err 'says no edit'
t_run 2 whatif slow.db --format xml

# Without the calls that launch its work, a faster loader moves no device work. What it wins is not known.
head -c 2000000 "$example" >cut.json
t_run 0 import -q cut.json -o cut.db
t_run 0 query cut.db "SELECT present FROM capability WHERE name = 'launches'" --format csv
t_out '^0$'
t_run 0 cut.db
t_out 'Gain unknown: #1 The device waits for the data loader'
t_run 0 whatif cut.db --fix dataloader-bound
t_out 'saved in the steady run: unknown\. The trace does not show which calls launched'
t_no_out ' 0 ns'
t_run 0 whatif cut.db --fix dataloader-bound --format json
t_out '"gain_ns": null'
t_no_out '"step_after_ns": [0-9]'
# Faster device work wins its own time.
t_run 0 whatif cut.db --scale class=matrix=0.5
t_out 'saved in the steady run: .*likely [1-9]'

# A fix that wins nothing alone, because other work hides it, has its place in the plan: there it wins most. It is a finding as others
# are, with a number, and a what-if of the plan up to it says what the plan says.
planned_of() { # planned_of STORE FIX [CONDITION]: the fixes of the plan up to a fix, and what is left with them
	t_run 0 query "$1" --format csv "SELECT (SELECT group_concat(fix) FROM (SELECT fix FROM plan q WHERE q.trace_id = p.trace_id
		AND q.ord <= p.ord ORDER BY ord)) AS fixes, left_ns FROM plan p WHERE fix = '$2' ${3-}"
	planned=$(sed -n '2s/^"*\([a-z0-9,-]*\)"*,[0-9]*.*/\1/p' "$out")
	left=$(sed -n '2s/.*,\([0-9]*\).*/\1/p' "$out")
}
"$tracegen" --format cuda --steps 5 --problem dataloader --problem mme-fp32 --problem exposed-communication -o hidden.json
t_run 0 import -q hidden.json -o hidden.db
t_run 0 query hidden.db "SELECT f.gain_ns, f.severity, w.gain_ns = f.gain_ns, p.alone_ns, p.ord > 1
	FROM plan p JOIN finding f ON f.heuristic = p.fix JOIN whatif w ON w.fix = p.fix WHERE p.fix = 'dataloader-bound'" --format csv
t_out '^0,info,1,0,1$'
planned_of hidden.db gemm-fp32
t_run 0 whatif hidden.db --fix "$planned" --format json
t_out "^ \"step_after_ns\": $left\$"
t_run 0 hidden.db --width 100
t_out '^  [2-4]  The device waits for the data loader  *nothing  '
t_run 0 explain hidden.db dataloader-bound --width 140
t_out '^  Saves nothing alone, [0-9.]* us beside the fixes before it; severity info'
t_run 0 hidden.db --format html -o hidden.html
t_ok 'the page has a row' grep -q 'href="#finding-0-dataloader-bound"' hidden.html
# A fix that wins less than 1 % in its place as well has none, nor has one whose check is left out.
for t_db in slow hidden; do
	t_run 0 query $t_db.db 'SELECT count(*) FROM plan p JOIN whatif w USING (trace_id, fix) WHERE max(p.added_ns, p.alone_ns) * 100 < p.whole_ns
		AND NOT EXISTS (SELECT 1 FROM fix_set_time a, fix_set_time b WHERE b.mask = (SELECT max(mask) FROM fix_set)
		AND a.mask = b.mask - (1 << (p.ord - 1)) AND (a.left_ns - b.left_ns) * 100 >= p.whole_ns)' --format csv
	t_out '^0$'
done
t_run 0 import -q hidden.json --skip dataloader-bound -o skipped.db
t_run 0 query skipped.db "SELECT count(*) FROM plan WHERE fix = 'dataloader-bound'" --format csv
t_out '^0$'
# A plan with a check that is left out later says nothing about the others: the hidden one is none of the findings then.
t_run 0 hidden.db --skip exposed-communication
t_no_out 'The device waits for the data'

# Nor need it be of the host, or what limits most: a late rank hides what it wins to have collectives beside the compute.
for r in 0 1 2 3; do
	"$tracegen" --format cuda --rank $r --world-size 4 --problem rank-straggler=25 --problem exposed-communication=25 -o late.$r.json
done
t_run 0 import -q late.?.json -o late.db
planned_of late.db exposed-communication "AND trace_id = (SELECT trace_id FROM job_rank WHERE late_order = 1)"
case $planned in rank-straggler,*exposed-communication) ;; *) t_fail "the plan is $planned" ;; esac
t_run 0 whatif late.db --fix "$planned" --format json
t_out "\"step_after_ns\": $left\$"
# The steps of each rank are the job's, its gain is what the edits take off the rank itself, and it says so.
t_run 0 whatif late.db --fix exposed-communication
t_ok 'the gain of each rank is its own' test "$(grep -c '^  saved in the steady run by this rank itself: ' "$out")" -gt 1
t_ok 'that of the job is not' test "$(grep -c '^  saved in the steady run: ' "$out")" = 1
# What the plan leaves nothing to win comes last, and has no place in it.
t_run 0 query late.db "SELECT r.fix, r.added_ns, (SELECT count(*) FROM plan p WHERE p.trace_id = r.trace_id AND p.fix = r.fix)
	FROM plan_rest r JOIN job_rank j ON j.trace_id = r.trace_id AND late_order = 1" --format csv
t_out '^dataloader-bound,0,0$'
t_run 0 query late.db "SELECT p.trace_id FROM plan p WHERE added_ns <= 0 AND ord = (SELECT max(ord) FROM plan q WHERE q.trace_id = p.trace_id)" --format csv
t_no_out '^[0-9]'

# Work of the device is hidden by a slow host in the same way.
"$tracegen" --format cuda --steps 5 --problem host-bound=300 --problem mme-fp32 -o slow-host.json
t_run 0 import -q slow-host.json -o slow-host.db
t_run 0 query slow-host.db "SELECT fix, alone_ns, left_ns * 1.8 < left_ns + added_ns FROM plan ORDER BY ord DESC LIMIT 1" --format csv
t_out '^gemm-fp32,0,1$'

# A what-if of fixes of a plan says what the plan says of them, whether they are its first or others: on one device, on two
# that get the work of every second call each, on ranks that wait for each other, and on ranks of which one is late.
cat >second-device.py <<'END'
import json, sys
with open(sys.argv[1]) as file:
    trace = json.load(file)
for event in trace['traceEvents']:
    args = event.get('args', {})
    if args.get('device') == 0 and args.get('correlation', 0) % 2:
        args['device'] = event['pid'] = 1
with open(sys.argv[1], 'w') as file:
    json.dump(trace, file)
END
cat >same.py <<'END'
import json, subprocess, sys
tool, path = sys.argv[1:]
def ask(*words):
    return json.loads(subprocess.run([tool, *words, '--format', 'json'], stdout=subprocess.PIPE, check=True).stdout)
report = ask('analyze', '-q', path)
late = [row['trace_id'] for row in ask('query', path, 'SELECT trace_id FROM job_rank WHERE late_order = 1')]
def gains(row):
    return row['gain_ns'], row['gain_low_ns'], row['gain_high_ns']
asked = 0
for row in report['fix_sets']:
    plan = [fix['fix'] for fix in report['plan'] if fix['trace_id'] == row['trace_id']]
    fixes = ','.join(fix for i, fix in enumerate(plan) if row['mask'] >> i & 1)
    if not fixes:
        continue
    answer = ask('whatif', '-q', path, '--fix', fixes)
    said = answer['jobs'][0] if row['trace_id'] in late else next(
        trace for trace in answer['traces'] if trace['trace_id'] == row['trace_id'])
    asked += len(fixes.split(',')) > 1
    if gains(said) != gains(row):
        sys.exit('%s, trace %d, %s: %s in the plan, %s else' % (path, row['trace_id'], fixes, gains(row), gains(said)))
sys.exit(not asked and path + ': no two fixes')
END
planned() { # planned TRACE...
	rm -f planned.db
	t_run 0 import -q "$@" -o planned.db
	t_ok "the plan of $*" python3 same.py "$tool" planned.db
}
if command -v python3 >/dev/null; then
	for seed in 1 2; do
		"$tracegen" --format cuda --steps 5 --seed $seed --problem host-bound --problem mme-fp32 --problem exposed-communication \
			--problem device-sync -o device.json
		planned device.json
		python3 second-device.py device.json
		planned device.json
	done
	# The recording of rank 0 is the longest of the second job; what the job wins is said of the late one.
	for problems in 'mme-fp32 host-bound' 'rank-straggler device-sync'; do
		rm -rf ranks
		mkdir ranks
		for r in 0 1 2; do
			"$tracegen" --format cuda --steps $((r == 0 ? 7 : 5)) --rank $r --world-size 3 --problem exposed-communication \
				--problem ${problems% *} --problem ${problems#* } -o ranks/$r.json
		done
		planned ranks
	done
fi

# Operators that the data loader calls are the loader's time: on the critical path, and for graphs, which
# capture what launches device work.
awk 'BEGIN {
	printf "[{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"tid\": 1, \"args\": {\"name\": \"python\"}}"
	for (i = 0; i < 4; i++) {
		t = 1000 + i * 10000
		printf ",\n{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#%d\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 9990}", i, t
		printf ",\n{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 6000}", t + 10
		for (k = 0; k < 40; k++)
			printf ",\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::div\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 100}", t + 500 + 110 * k
		for (k = 0; k < 20; k++) {
			at = t + 6100 + 150 * k; c = 100 * i + k + 1
			printf ",\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::relu\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 120}", at
			printf ",\n{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 8, \"args\": {\"correlation\": %d}}", at + 100, c
			printf ",\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"relu_kernel\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": 40, \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": %d}}", at + 110, c
		}
	}
	printf "]"
}' >loader.json
t_run 0 whatif loader.json --fix host-bound
t_out 'takes 10.00 ms as recorded, 7.624 ms' # 0.8 of 20 operations of 120 us, and of the 19 pauses of 30 us between them
t_out '24.00 ms   24.00 ms  host: data loader$'
t_out '8.960 ms   1.792 ms  host: dispatch$'

# Time in a frame of Python is not time in which nothing was recorded. A step says no more than that the host is in it.
t_run 0 import -q "$root/testdata/heuristics/progress-printing/quiet.json" -o frames.db
t_run 0 query frames.db "SELECT name FROM critical_path WHERE piece = 'host' AND role = 'other' AND name LIKE 'train.py%'" --format csv
t_out '^train.py\(40\): report$'
t_run 0 query frames.db "SELECT DISTINCT role IS NULL FROM critical_path WHERE name LIKE 'ProfilerStep%'" --format csv
t_out '^1$'
t_run 0 whatif frames.db --remove role=sync
t_out '  host: Python, other$'
t_out '  host: nothing recorded$'

# A captured graph replaces all that a module of the model does in Python, also in a frame between two launches; not
# what runs outside of modules.
cat >module.json <<'EOF'
{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}], "traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 1000, "dur": 4000},
{"ph": "X", "cat": "python_function", "name": "nn.Module: Net_0", "pid": 1, "tid": 1, "ts": 1100, "dur": 3000, "args": {"Python id": 1, "Python parent id": null, "Python module id": 0}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1150, "dur": 10, "args": {"correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1200, "dur": 100, "args": {"device": 0, "stream": 7, "correlation": 1}},
{"ph": "X", "cat": "python_function", "name": "inspect.py(3102): signature", "pid": 1, "tid": 1, "ts": 1200, "dur": 2000, "args": {"Python id": 2, "Python parent id": 1}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 3900, "dur": 10, "args": {"correlation": 2}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 4000, "dur": 100, "args": {"device": 0, "stream": 7, "correlation": 2}},
{"ph": "X", "cat": "python_function", "name": "train.py(9): log", "pid": 1, "tid": 1, "ts": 4150, "dur": 500, "args": {"Python id": 3, "Python parent id": null}}
]}
EOF
t_run 0 whatif module.json --fix host-bound --format json
t_out '"removed_ns": 2400000'

# A captured model leaves the optimizer as it is.
cat >update.json <<'EOF'
{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}], "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1000, "dur": 500},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1490, "dur": 10, "args": {"correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1505, "dur": 100, "args": {"device": 0, "stream": 7, "correlation": 1}},
{"ph": "X", "cat": "user_annotation", "name": "Optimizer.step#Adam.step", "pid": 1, "tid": 1, "ts": 2000, "dur": 1000},
{"ph": "X", "cat": "cpu_op", "name": "aten::mul_", "pid": 1, "tid": 1, "ts": 2100, "dur": 500},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 2590, "dur": 10, "args": {"correlation": 2}},
{"ph": "X", "cat": "kernel", "name": "mul", "pid": 0, "tid": 7, "ts": 2605, "dur": 100, "args": {"device": 0, "stream": 7, "correlation": 2}}
]}
EOF
t_run 0 whatif update.json --fix host-bound --format json
t_out '"removed_ns": 400000'

# A capture fails at a wait, so a graph can be of the launches between two waits only, and of few it is no shorter.
pieces() { # pieces N: forty times N launches and a wait for them, a launch a millisecond after the one before
	awk -v n="$1" 'BEGIN {
		print "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA A100-SXM4-80GB\"}], \"traceEvents\": ["
		for (piece = 0; piece < 40; piece++) {
			for (i = 0; i < n; i++) {
				at = 1000 * (++count)
				printf "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 900},\n", at
				printf "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 10, \"args\": {\"correlation\": %d}},\n", at + 880, count
				printf "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": 50, \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": %d}},\n", at + 900, count
			}
			printf "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaStreamSynchronize\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 55}%s\n", at + 905, (piece < 39 ? "," : "]}")
		}
	}' >pieces.json
	t_run 0 whatif pieces.json --fix host-bound --format json
}
pieces 4
t_out '"removed_ns": 0,'
pieces 8
t_out '"removed_ns": [1-9]'

# A store that says of its only step that it is warm-up has no step after it.
if command -v python3 >/dev/null; then
	t_run 0 import -q "$root/testdata/heuristics/few-steps/fires.json" -o few.db
	python3 -c "import sqlite3; db = sqlite3.connect('few.db'); db.executescript('DELETE FROM step WHERE id > 0; UPDATE step SET is_warm_up = 1')"
	t_run 0 query few.db 'SELECT count(*), sum(is_warm_up) FROM step' --format csv
	t_out '^1,1$'
	t_run 0 whatif few.db --remove role=sync

	# Where most operations were not recorded, silences of the host are no pauses: import finds none to take away.
	t_run 0 import -q "$root/testdata/heuristics/host-pause/fires.json" -o pause.db
	t_run 0 whatif pause.db --fix host-pause
	t_out 'saved in the steady run: [1-9]'
	python3 -c "import sqlite3; sqlite3.connect('pause.db').executescript(\"UPDATE metric SET value = 70 WHERE name = 'recorded_one_of_count'\")"
	t_run 0 whatif pause.db --fix host-pause
	t_out 'Nothing changes'
fi

# A call that copies and waits until that is done is the wait that CUDA makes after an asynchronous copy. From device to
# device it waits where it lasts until the copy has ended.
# reads CALL COPY: ten steps, each reads a value
reads() {
	awk -v call="$1" -v copy="$2" '
	function slice(name, cat, pid, tid, ts, dur, id) {
		printf "%s{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"args\":{%s%s}}",
			sep, name, cat, pid, tid, ts, dur, pid == 2 ? "\"device\":2" : "",
			id ? (pid == 2 ? "," : "") "\"correlation\":" id : ""
		sep = ",\n"
	}
	BEGIN {
		printf "{\"schemaVersion\":1,\"traceEvents\":["
		for (step = 0; step < 10; step++) {
			from = ts; ready = 0
			for (i = 0; i < 4; i++) {
				slice("aten::mm", "cpu_op", 1, 1, ts, 8)
				slice("hipLaunchKernel", "cuda_runtime", 1, 1, ts + 2, 5, ++id)
				at = ts + 9 > ready ? ts + 9 : ready
				slice("gemm", "kernel", 2, 0, at, 10, id)
				ready = at + 10; ts += 10
			}
			slice("aten::item", "cpu_op", 1, 1, ts, 40)
			slice("aten::_local_scalar_dense", "cpu_op", 1, 1, ts + 1, 38)
			at = (ready > ts + 10 ? ready : ts + 10) + 6
			slice(copy, "gpu_memcpy", 2, 0, at, 3, ++id)
			waits = call != "hipMemcpyAsync" && call != "hipMemcpy"
			slice(call, "cuda_runtime", 1, 1, ts + 2, waits ? at + 3 - ts : 8, id)
			if (call == "hipMemcpyAsync")
				slice("hipStreamSynchronize", "cuda_runtime", 1, 1, ts + 11, at - 6 - ts)
			ts += 60
			slice("ProfilerStep#" step, "user_annotation", 1, 1, from, ts - from)
			ts += 2
		}
		print "]}"
	}' >reads.json
	t_run 0 import -q reads.json -o reads.db
}
# of_call CALL: role and number of the calls that wait or copy by themselves, and what reading less wins
of_call() {
	t_run 0 query reads.db "SELECT coalesce(max(role) || ' ' || count(*), 'none') FROM host_event WHERE name = '$1'" --format csv
	calls=$(sed -n 2p "$out")
	t_run 0 whatif reads.db --fix device-sync --format json
	cp "$out" store
	t_run 0 whatif -q reads.json --fix device-sync --format json
	t_same "$out" store
	won=$(grep '^ "gain_ns": ' "$out")
}
reads hipMemcpyAsync 'Memcpy DtoH (Device -> Pageable)'
of_call hipMemcpyAsync
t_ok "an asynchronous copy is no wait: $calls" test "$calls" = none
wait_won=$won
for copy in 'DtoH (Device -> Pageable)' 'DtoD (Device -> Device)'; do
	reads hipMemcpyWithStream "Memcpy $copy"
	of_call hipMemcpyWithStream
	t_ok "a blocking copy is a wait: $calls" test "$calls" = 'sync 10'
	t_ok "a blocking copy costs what a wait costs: $won $wait_won" test "$won" = "$wait_won"
	t_run 0 reads.db --width 100
	t_out 'The host stops to wait for the device'
done
reads hipMemcpy 'Memcpy DtoD (Device -> Device)'
of_call hipMemcpy
t_ok "a copy within the device waits for nothing: $calls" test "$calls" = none
reads hipMemcpyWithStream 'Memcpy HtoD (Pageable -> Device)'
of_call hipMemcpyWithStream
t_ok "a copy to the device is an input: $calls" test "$calls" = 'input_copy 10'

# Of a loader's workers that are the limit a fix of something else says what it saves once they keep up, not what
# that saves itself.
"$tracegen" --format gaudi-lazy --problem dataloader=60 --problem host-bound -o workers.json
t_run 0 import -q workers.json -o workers.db
ready() { # ready FIX: the gain with batches that are always ready
	t_run 0 whatif workers.db --fix "$1" --format json
	sed -n 's/^.*"gain_if_batches_ready_ns": \([0-9]*\).*/\1/p' "$out"
}
loader=$(ready dataloader-bound)
both=$(ready host-bound)
t_run 0 whatif workers.db --fix host-bound
saves=$(sed -n 's/^.*If the workers keep up, the edits save \([0-9.]*\) ms, .*/\1/p' "$out")
t_ok 'it is the gain of this fix' awk "BEGIN { exit !($both > $loader && ($both - $loader) / 1e6 - $saves < 0.1 && \
	$saves - ($both - $loader) / 1e6 < 0.1) }"
t_end
