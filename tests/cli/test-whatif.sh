# tracecoach whatif: the replay of a trace or a store with edits and fixes.
. "$(dirname "$0")/lib.sh"
tracegen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}

"$tracegen" --format cuda --steps 6 --problem dataloader -o slow.json
t_run 0 import -q slow.json -o slow.db

# Without an edit the replay is the recording.
t_run 0 whatif slow.db --format json
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
t_out '^  The critical path of the recording$'

# A long edit is wrapped; what is quoted is one edit.
t_run 0 whatif slow.db --fix device-sync --remove "name='one; two'"
t_fits 100
t_out "^  remove name='one; two'\$"
t_out '^    dataloader not in mark = copy_carrier'
t_ok 'edits on lines of their own' test "$(grep -c '^  remove ' "$out")" -gt 5
t_run 0 whatif slow.db
t_out '^Nothing changed: name a fix \(--fix 1\) or an edit \(--remove role=sync\)$'

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
t_run 0 whatif slow.db
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
t_run 0 whatif job.db --format json
t_out '"job_id": 0, "rank_count": 3, "late_count": 0, .*"gain_ns": 0, '
t_run 0 query job.db "SELECT step_after_ns FROM whatif WHERE fix = 'rank-straggler' AND gain_ns > 0" --format csv
after=$(sed -n 2p "$out")
t_run 0 whatif job.db --no-wait-for-rank 2 --format json
t_out "\"job_id\": 0, \"rank_count\": 3, \"late_count\": 1, .*\"step_after_ns\": $after}"
cp "$out" named
t_run 0 whatif job.db --no-wait-for-rank late --format json
t_ok 'the late rank is rank 2' sh -c "sed 's/rank = late/rank = 2/' '$out' | cmp - named"
t_run 0 whatif job.db --fix rank-straggler
t_out '^One job, 3 ranks, nobody waits for 1 of them$'
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
t_out '^One job, 2 ranks, nobody waits for 1 of them$'

# Without steady steps the gain of a job is that of the median rank, of its own recording: here of rank 1, which
# is neither the first nor the longest.
mkdir short
for r in 0 1 2; do
	"$tracegen" --format cuda --steps 2 --rank $r --world-size 3 --problem rank-straggler \
		$(test $r = 0 || echo --problem dataloader) -o short/$r.json
done
t_run 0 whatif -q short --scale class=matrix=0.5 --format json
t_out '"job_id": 0, .*"step_before_ns": null, '
recording() {
	sed -n "/$1/s/.*\"wall_ns\": \([0-9]*\), \"gain_ns\": \([0-9]*\),.*/\1 \2/p" "$out"
}
t_ok 'the recording of rank 1' test "$(recording '"trace_id": 1')" = "$(recording '"job_id"')"
t_ok 'not of rank 0' test "$(recording '"trace_id": 0')" != "$(recording '"job_id"')"
t_ok 'not the longest' test "$(recording '"trace_id": 2')" != "$(recording '"job_id"')"
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
t_run 2 whatif slow.db --scale 'role'
t_err 'give a part of its time'
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
t_out 'saved in the recording: unknown\. The trace does not show which calls launched'
t_no_out ' 0 ns'
t_run 0 whatif cut.db --fix dataloader-bound --format json
t_out '"gain_ns": null'
t_no_out '"step_after_ns": [0-9]'
# Faster device work wins its own time.
t_run 0 whatif cut.db --scale class=matrix=0.5
t_out 'saved in the recording: .*likely [1-9]'

# A fix that no check finds, because other work hides what it wins, is what the plan leads to. It is replayed beside all of the plan.
"$tracegen" --format cuda --steps 5 --problem dataloader --problem mme-fp32 --problem exposed-communication -o hidden.json
t_run 0 import -q hidden.json -o hidden.db
t_run 0 query hidden.db 'SELECT (SELECT group_concat(fix) FROM plan_fix), fix, left_ns, before_ns > 2 * left_ns FROM plan_next' --format csv
t_out ',dataloader-bound,[0-9]*,1$'
planned=$(sed -n '2s/^"\(.*\)",.*/\1/p' "$out")
left=$(sed -n '2s/.*,\([0-9]*\),1$/\1/p' "$out")
t_run 0 whatif hidden.db --fix "$planned,dataloader-bound" --format json
t_out "^ \"step_after_ns\": $left\$"
t_run 0 hidden.db
t_out 'With "The'
t_run 0 hidden.db --format html -o hidden.html
t_ok 'the page says so' grep -q 'With &quot;The device waits for the data loader&quot; (dataloader-bound) mended' hidden.html
# Nothing follows where the device is the limit in the end, nor for a check that is left out.
t_run 0 query slow.db 'SELECT count(*) FROM plan_next' --format csv
t_out '^0$'
t_run 0 import -q hidden.json --skip dataloader-bound -o skipped.db
t_run 0 query skipped.db 'SELECT count(*) FROM plan_next' --format csv
t_out '^0$'

# Nor need it be of the host, or what limits most: a late rank hides what it wins to have collectives beside the compute.
for r in 0 1 2 3; do
	"$tracegen" --format cuda --rank $r --world-size 4 --problem rank-straggler=25 --problem exposed-communication=25 -o late.$r.json
done
t_run 0 import -q late.?.json -o late.db
t_run 0 query late.db "SELECT (SELECT group_concat(fix) FROM plan_fix p WHERE p.trace_id = n.trace_id), fix, left_ns,
	before_ns > 1.15 * left_ns FROM plan_next n JOIN job_rank r ON r.trace_id = n.trace_id AND late_order = 1" --format csv
t_out '^"*rank-straggler.*,exposed-communication,[0-9]*,1$'
planned=$(sed -n '2s/^"\(.*\)",.*/\1/p' "$out")
left=$(sed -n '2s/.*,\([0-9]*\),1$/\1/p' "$out")
t_run 0 whatif late.db --fix "$planned,exposed-communication" --format json
t_out "\"step_after_ns\": $left\$"

# Work of the device is hidden by a slow host in the same way; asked for that check, explain says so.
"$tracegen" --format cuda --steps 5 --problem host-bound=300 --problem mme-fp32 -o slow-host.json
t_run 0 import -q slow-host.json -o slow-host.db
t_run 0 query slow-host.db 'SELECT fix, left_ns, before_ns > 1.8 * left_ns, is_step FROM plan_next' --format csv
t_out '^gemm-fp32,[0-9]*,1,1$'
t_run 0 explain slow-host.db gemm-fp32 --width 140
t_out 'what it found wins too little when mended alone\. Other work hides it:'

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

t_end
