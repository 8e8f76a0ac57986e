# Ranks of a job: directories, which traces belong together, waiting told apart from transfer.
. "$(dirname "$0")/lib.sh"

# rank RANK WORLD OFFSET EXTRA: a trace whose clock is OFFSET us ahead; EXTRA is more events.
rank() {
	printf '{"distributedInfo": {"backend": "nccl", "rank": %s, "world_size": %s}, "traceEvents": [
	{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": %s, "dur": 400}' \
		"$1" "$2" "$3"
	printf '%s]}\n' "$4"
}

# kernel NAME TS DUR STREAM [ARGS]
kernel() {
	printf ',\n{"ph": "X", "cat": "kernel", "name": "%s", "pid": 0, "tid": %s, "ts": %s, "dur": %s, "args": {"device": 0, "stream": %s%s}}' \
		"$1" "$4" "$2" "$3" "$4" "${5:+, $5}"
}

asks() { # asks STORE SQL WANT
	t_run 0 query "$1" "$2" --format csv
	[ "$(tail -n +2 "$out")" = "$3" ] || t_fail "gives '$(tail -n +2 "$out")', want '$3'"
}

# Rank 1 comes 30 us late to the first collective, rank 0 20 us to the second, whatever the clocks
# say. Compute hides the first 10 us of rank 0's wait; nothing that of rank 1.
reduce=ncclDevKernel_AllReduce_Sum_f32_RING_LL
mkdir two
rank 0 2 1000 "$(kernel gemm 1090 20 7)$(kernel $reduce 1100 50 20)$(kernel $reduce 1220 80 20)" \
	>two/a.json
rank 1 2 91000 "$(kernel gemm 91000 10 7)$(kernel $reduce 91130 20 20)$(kernel $reduce 91200 100 20)" \
	>two/b.json
printf '{"lr": 0.1}' >two/settings.json
printf 'no trace' >two/notes.txt
: >two/empty.json
t_run 5 import two -o two.db
t_err 'settings\.json: not read'
t_err 'left out: two/empty\.json is empty'
t_no_err 'notes'
rm two/empty.json
t_run 0 import two -o two.db
asks two.db 'SELECT trace_id, rank, by_guess FROM job_rank ORDER BY trace_id' '0,0,1
1,1,1'
asks two.db 'SELECT trace_id, number, wait_ns, exposed_wait_ns, rank_count FROM collective ORDER BY ts' \
	'0,1,30000,20000,2
0,0,0,0,2
1,1,0,0,2
1,0,20000,20000,2'
asks two.db "SELECT trace_id, value FROM metric WHERE name = 'late_rank_wait_ns' ORDER BY 1" '0,20000
1,20000'
# The clocks are 90 ms apart; each is half of that from the mean.
asks two.db 'SELECT clock_offset_ns FROM job_rank ORDER BY trace_id' '-45000000
45000000'

# A rank that the world does not have, and one that two traces have at the same time, are in no job, and it is said.
mkdir odd
cp two/a.json odd/a.json
for t_rank in -1 2; do
	rank $t_rank 2 91000 "$(kernel gemm 91000 10 7)" >odd/b.json
	t_run 0 import odd -o odd.db
	t_err "^tracecoach: odd/b\.json: says that it is rank $t_rank of 2: not counted among the ranks$"
done
# Without the base of their times nobody knows when they were recorded.
rank 0 2 1000 "$(kernel gemm 1100 20 7)" >odd/b.json
t_run 0 import odd -o odd.db
t_no_err 'not counted'
for t_file in a b; do
	sed -i '1s/{/{"baseTimeNanoseconds": 1000000000, /' odd/$t_file.json
done
t_run 0 import odd -o odd.db
t_err '^tracecoach: odd/b\.json: says that it is rank 0 of 2, and so does, at the same time, odd/a\.json: not counted among the ranks$'
# Recordings of one rank, one after the other, are several runs.
rank 0 2 91000 "$(kernel gemm 91100 20 7)" >odd/b.json
t_run 0 import odd -o odd.db
t_no_err 'not counted'
rm -r odd odd.db

# Numbers of the process groups go before the order; a group of one rank or with one missing does not match.
group='"Collective name": "allreduce", "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "Group size": 2'
mkdir seq
rank 0 2 1000 "$(kernel nccl_a 1100 50 20 "$group, \"Seq\": 7")$(kernel nccl_a 1200 60 20 "$group, \"Seq\": 8")" >seq/a.json
rank 1 2 1000 "$(kernel nccl_a 1100 10 20 "$group, \"Seq\": 8")$(kernel nccl_a 1200 40 20 "$group, \"Seq\": 9")" >seq/b.json
t_run 0 import seq -o seq.db
asks seq.db 'SELECT trace_id, number, wait_ns FROM collective ORDER BY trace_id, number' '0,7,
0,8,50000
1,8,0
1,9,'
asks seq.db 'SELECT max(by_guess) FROM job_rank' 0

# Recordings that begin at different times match from the last; where one lost a collective, only other steps do.
launched() { # launched TS DUR ID: a collective and its call
	printf ',\n{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": %s, "dur": 1, "args": {"correlation": %s}}' "$1" "$3"
	kernel $reduce $(($1 + 5)) "$2" 20 "\"correlation\": $3"
}
step() { # step NUMBER TS
	printf ',\n{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%s", "pid": 1, "tid": 1, "ts": %s, "dur": 900}' "$1" "$2"
}
mkdir late lost
rank 0 2 1000 "$(kernel $reduce 1100 90 20)$(kernel $reduce 1200 50 20)" >late/a.json
rank 1 2 1000 "$(kernel $reduce 1230 20 20)" >late/b.json
t_run 0 import late -o late.db
asks late.db 'SELECT trace_id, number, early_ns FROM collective ORDER BY trace_id, ts' '0,1,
0,0,30000
1,0,0'
rank 0 2 1000 "$(step 1 1000)$(launched 1100 50 1)$(launched 1200 50 2)$(step 2 2000)$(launched 2100 50 3)$(launched 2200 50 4)$(step 3 3000)$(launched 3100 80 5)" >lost/a.json
rank 1 2 1000 "$(step 1 1000)$(launched 1230 20 2)$(step 2 2000)$(launched 2200 90 4)$(step 3 3000)$(launched 3120 60 5)" >lost/b.json
t_run 0 import lost -o lost.db
asks lost.db 'SELECT trace_id, step, number, early_ns FROM collective ORDER BY trace_id, ts' '0,1,1,
0,1,0,30000
0,2,1,
0,2,0,
0,3,0,20000
1,1,0,0
1,2,0,
1,3,0,0'

# One step each, and recordings that start apart by more than 1 % of it: who is late does not show, however
# long the others wait. It does where the starts differ less, though the clocks are far apart. Without collectives
# that match, nobody can compare the clocks.
one_step() { # one_step DIRECTORY START CLOCK: rank 1 starts at START, its clock is CLOCK us ahead; it comes last twice
	mkdir "$1"
	rank 0 2 1000 "$(step 1 1000)$(launched 1100 500 1)$(launched 1650 200 2)" >"$1/a.json"
	rank 1 2 $(($2 + $3)) "$(step 1 $(($2 + $3)))$(launched $((1550 + $3)) 50 1)$(launched $((1800 + $3)) 50 2)" >"$1/b.json"
	t_run 0 import "$1" -o "$1.db"
	t_run 0 "$1.db" --width 140
}
one_step shifted 1200 0
t_out 'The recordings do not show which rank is slow: each has one step, and they start up to 200.0 us apart\. On rank 1, which waits least'
t_no_out 'sets the pace'
asks shifted.db 'SELECT count(late_order) FROM job_rank' 0
one_step clocks 1200 300
t_out 'they start up to 200.0 us apart'
one_step near 1008 300
t_out 'Rank 1 sets the pace'
t_no_out 'does not show'
asks near.db 'SELECT rank FROM job_rank WHERE late_order = 1' 1
mkdir unmatched
rank 0 2 1000 "$(step 1 1000)$(kernel gemm 1100 50 7)" >unmatched/a.json
rank 1 2 1500 "$(step 1 1500)$(kernel gemm 1600 50 7)" >unmatched/b.json
t_run 0 unmatched
t_no_out 'does not show'

# A rank that is missing: who came first is known, who waited is not. Collectives that let a rank go early
# cannot be split.
mkdir three
rank 0 3 1000 "$(kernel $reduce 1100 50 20)" >three/a.json
rank 2 3 1000 "$(kernel $reduce 1120 30 20)" >three/b.json
t_run 0 import three -o three.db
asks three.db 'SELECT count(*), count(wait_ns), max(early_ns), max(rank_count) FROM collective' '2,0,20000,2'
asks three.db 'SELECT rank, matched_count, late_count, wait_ns FROM job_rank ORDER BY 1' '0,1,0,
2,1,1,'
mkdir root
rank 0 2 1000 "$(kernel ncclDevKernel_Broadcast_RING_LL 1100 50 20)" >root/a.json
rank 1 2 1000 "$(kernel ncclDevKernel_Broadcast_RING_LL 1100 90 20)" >root/b.json
t_run 0 import root -o root.db
asks root.db 'SELECT count(*), count(wait_ns) FROM collective' '2,0'

# Two recordings of one job are two jobs; traces without a rank are none.
mkdir again
rank 0 2 1000 "$(kernel $reduce 1100 50 20)" >again/a0.json
rank 1 2 1100 "$(kernel $reduce 1120 30 20)" >again/a1.json
rank 0 2 9000 "$(kernel $reduce 9100 50 20)" >again/b0.json
rank 1 2 9000 "$(kernel $reduce 9120 30 20)" >again/b1.json
t_run 0 import again -o again.db
asks again.db 'SELECT trace_id, job_id, by_guess FROM job_rank ORDER BY 1' '0,0,0
1,1,0
2,0,0
3,1,0'
t_run 0 import two/a.json -o one.db
asks one.db 'SELECT (SELECT count(*) FROM job_rank) + (SELECT count(*) FROM collective)' 0

# One screen for the job; a report each only when asked for.
t_run 0 two --width 140
t_out '^One job, 2 of its 2 ranks$'
t_out 'Rank 0 sets the pace: it waits 20.00 us for others'
t_out 'do not all overlap'
t_no_out 'two/b.json'
t_run 0 two.db --details
t_out '^two/a.json$'
t_out '^two/b.json$'
t_run 0 two.db --rank 1
t_no_out 'One job'
t_no_out '^two/a.json$'
t_out '^two/b.json$'
t_run 2 two.db --rank 5
t_err '^tracecoach: no trace of rank 5: the ranks are 0, 1$'
t_run 2 two.db --rank -3
t_run 0 two.db --rank 1 --format csv
[ "$(tail -n +2 "$out" | cut -d, -f1 | sort -u)" = 1 ] || t_fail 'other traces, too'
t_run 2 two.db --rank 1 --format json
t_err 'choose by rank in traces'
t_run 0 two.db --format md
t_out '^# One job, 2 of its 2 ranks$'
t_out '^| 1 | '
t_no_out 'two/b.json'
t_run 0 two.db --format md --rank 1
t_no_out 'One job'
t_out '^# two/b.json$'
t_run 0 three.db
t_out 'Rank 0 sets the pace: it takes longest'
t_out 'Some ranks are missing'
# The missing one may have been the last: neither who waited nor who came last is known.
t_run 0 three.db --width 140
t_out '^     0 .*  [?]  .*  [?]  -$'
t_run 0 two.db --width 140
t_out '^     0 .* us +1  #'

# What is asked of one trace does not go through the others: indexes only where there are several.
indexes="SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name = 'framework_op_by_trace'"
asks one.db "$indexes" 0
asks two.db "$indexes" 1
for table in op_tree_row op_kernel_row; do
	t_run 0 query two.db "EXPLAIN QUERY PLAN SELECT count(*) FROM $table WHERE trace_id = 1"
	t_out "SEARCH $table USING .*INDEX"
done

# Of nine collectives of 600 us rank 0 waits 100 us in three: 5.1 ms are transfer, three quarters of which can
# hide. Waiting in the first collective, 8 ms and more, is no part of what a straggler costs: of 15.02, 14.57 and
# 0 ms of waiting 6.24, 5.84 and 0 count in three steps. Without rank 2 the others wait for rank 1. A step takes
# 6.9 ms before, 4.71 without rank 2 and 4.56 without both, and the gain is for three: the first, which takes
# 14.96 ms on rank 0, counts as one.
gain="SELECT trace_id, gain_ns FROM finding WHERE heuristic"
t_run 0 import "$root"/testdata/heuristics/exposed-communication/fires-ranks*.json -o split.db
asks split.db "$gain = 'exposed-communication' ORDER BY 1" '0,3600000
1,3600000'
t_run 0 import "$root"/testdata/heuristics/rank-straggler/fires-ranks*.json -o skew.db
asks skew.db "$gain = 'rank-straggler' ORDER BY 1" '1,440216
2,4341913'
asks skew.db 'SELECT exposed_wait_ns, start_wait_ns FROM job_rank ORDER BY rank' '15020000,8780000
14570000,8730000
0,0'
t_run 0 skew.db --width 140
# Where the line is broken depends on the words before.
t_out '4\.342 ms;'
t_out '4\.639 ms\.'

# Traces that are no job have a table first and their reports after it.
mkdir apart
cp two/a.json apart/a.json
sed 's/"rank": 1, "world_size": 2/"rank": 1, "world_size": 4/' two/b.json >apart/b.json
t_run 0 apart
[ "$(head -1 "$out")" = '2 traces' ] || t_fail 'no table first'
printf '[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":5}]' >apart/host.json
t_run 0 apart --width 140
t_out '^  host\.json +- +0 +- +5\.000 us +- +- +- +-$' # nothing of a device is known
rm apart/host.json
t_run 0 apart
t_out '^apart/a.json$'
t_out '^apart/b.json$'
t_no_out 'One job'

# The JSON carries the same, and is as its schema says.
t_run 0 two.db --format json
cp "$out" two.report
if python3 -c 'import jsonschema' 2>/dev/null; then
	t_ok 'the JSON follows its schema' python3 -c '
import json, sys
from jsonschema import Draft202012Validator as V
schema, report = (json.load(open(name)) for name in sys.argv[1:])
errors = list(V(schema).iter_errors(report))
assert not errors, errors[0].message
job = report["jobs"][0]
assert [r["late_rank_wait_ns"] for r in job["ranks"]] == [20000, 20000]
assert [r["start_wait_ns"] for r in job["ranks"]] == [20000, 0]
assert [r["late_count"] for r in job["ranks"]] == [1, 1]
assert job["pace_rank"] == 0 and job["by_guess"] is True
assert all(a["rank_count"] <= 2 for a in job["advice"])' \
		"$root/docs/report.schema.json" two.report
fi

# Base times and numbers as a file says them may be anything: nothing overflows, and waits hold.
mkdir wild
for r in 0 1; do
	{
		rank $r 2 1000 "$(kernel nccl_a 1100 $((10 + r * 20)) 20 '"Seq": "x", "Group size": 1e400')" | sed 's/]}$//'
		printf ',{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1500, "dur": 4,
		"args": {"Sequence number": %s, "recipeName": "r", "dataType": "bf16"}}' "$([ $r = 0 ] && echo '"x"' || echo 1e400)"
		printf '], "baseTimeNanoseconds": %s}\n' "$([ $r = 0 ] && echo 0 || echo 9223372036854775807)"
	} >wild/$r.json
done
t_run 0 import wild -o wild.db
asks wild.db 'SELECT trace_id, number, wait_ns FROM collective ORDER BY 1' '0,0,0
1,0,20000'
asks wild.db "SELECT count(*), count(sequence_number), count(input_dims), count(input_types)
	FROM framework_op WHERE kind = 'matmul'" '4,0,0,0'

# A straggler among simulated ranks: the others wait, it does not, and it sets the pace.
if [ -x "${TC_TRACEGEN:-$(dirname "$tool")/tracegen}" ]; then
	mkdir sim
	for r in 0 1 2 3; do
		"${TC_TRACEGEN:-$(dirname "$tool")/tracegen}" --format cuda --steps 4 --rank $r \
			--world-size 4 --problem rank-straggler -o sim/$r.json
	done
	t_run 0 sim --db sim.db
	t_out 'Rank 3 sets the pace'
	t_run 0 sim.db --width 140
	t_out 'Rank 3 sets the pace: after the first collective, it waits 0 ns for others, the others wait [0-9.]* ms'
	# A row is of the whole recording: its parts are no more than its wall time, and nearly all of it.
	t_ok 'rows of ranks add up' awk 'function ns(at) { return $at * ($(at + 1) == "s" ? 1e9 : $(at + 1) == "ms" ? 1e6 : 1e3) }
		/^ +[0-3] +[0-9.]+ m?s / { part = (ns(4) + ns(6) + ns(10)) / ns(2); rows += part > 0.8 && part < 1.01 }
		END { exit rows != 4 }' "$out"
	# The trace of that rank alone would have other findings.
	t_run 0 sim --rank 3
	t_out '^  Details of a fix: tracecoach explain sim --rank 3 1$'
	for width in 50 66 80; do
		t_run 0 sim.db --details --width $width
		t_fits $width
	done
	asks sim.db 'SELECT count(*), sum(exposed_wait_ns > 0) FROM job_rank WHERE rank < 3' '3,3'
	asks sim.db "SELECT exposed_wait_ns, late_count = matched_count FROM job_rank WHERE rank = 3" '0,1'
	asks sim.db 'SELECT count(*) FROM collective WHERE exposed_wait_ns > wait_ns OR wait_ns > dur' 0
	asks sim.db "SELECT sum(m.value < j.exposed_wait_ns) FROM job_rank j JOIN metric m USING (trace_id)
		WHERE m.name = 'exposed_communication_ns' AND m.device IS NULL AND m.step IS NULL" 0
	asks sim.db "SELECT trace_id FROM finding WHERE heuristic = 'rank-straggler'" 3
	asks sim.db 'SELECT rank, late_order, late_gain_ns = late_together_ns, late_gain_ns > 0 FROM job_rank
		WHERE late_order IS NOT NULL' '3,1,1,1'
	# Its plan is that of the job: to make its loader faster wins at least what not to wait for it wins.
	asks sim.db "SELECT count(DISTINCT trace_id), max(p.gain_ns) >= max(w.gain_ns)
		FROM plan p JOIN whatif w USING (trace_id) WHERE w.fix = 'rank-straggler' AND w.gain_ns > 0" '1,1'
	asks sim.db 'SELECT sum(ns > median_ns) > 0 FROM rank_time WHERE trace_id = 3' 1
	asks sim.db 'SELECT count(*) FROM rank_time t WHERE median_ns != (SELECT ns FROM rank_time r
		WHERE r.job_id = t.job_id AND r.part = t.part ORDER BY ns LIMIT 1 OFFSET 1)' 0
	t_run 0 sim.db --width 140
	t_out 'Rank 3 is late because the host fetches the next batch: [0-9.]+ ms a step, [0-9.]+ [mu]s on the median rank( \(#[0-9]\))?\.'
	t_out '(^|: |  )1\.[0-9]+ x as fast as the [0-9.]+ ms of a steady step; then on the critical path: the device computes [0-9]+ %\.'
	# Tables call a fix by the id that commands take, and that of the ranks by its number in the table of fixes,
	# too. No id is cut where 80 columns are.
	title='This rank makes the others wait'
	t_out "^ +3 .*  #$(sed -n "s/^ *\\([0-9]\\)  $title .*/\\1/p" "$out") rank-straggler\$"
	t_run 0 sim.db --width 80
	t_out '^ +3 .*  #1 rank-straggler$'
	cp "$example" other.json
	t_run 0 "$example" other.json --width 140
	t_out '^  other\.json .*  dataloader-bound$'
	# After a late loader the device is idle in all that the host does, though that takes as long on every rank.
	mkdir lazy
	for r in 0 1 2 3; do
		"${TC_TRACEGEN:-$(dirname "$tool")/tracegen}" --rank $r --world-size 4 --problem rank-straggler -o lazy/$r.json
	done
	t_run 0 lazy --db lazy.db --format md
	t_out 'Rank 3 is late because the host fetches the next batch: 50\.07 ms a step, 417\.0 us on the median rank '
	t_out 'see dataloader-bound'
	# What is left to win once the first fix is made has a row; else a line says why there is none.
	t_out '^Nothing more once these are made: \\#.*3 The device waits for the data loader \(alone 6 to 16 ms, as much as \\#.*1: the rank is then not late\)\.$'
	t_no_out '^\| [23] \| .*loader'
	t_out 'The first 2 together'
	asks lazy.db 'SELECT ord, added_ns > 0 FROM plan ORDER BY ord' '1,1
2,1'
	asks lazy.db "SELECT part, ns > 100 * median_ns FROM late_cause WHERE trace_id = 3" 'dataloader,1'
	asks lazy.db "SELECT ns = median_ns FROM rank_time WHERE trace_id = 3 AND part = 'graph_build'" 1
	t_run 0 explain lazy.db 1 --width 140
	t_out 'late because the host fetches the next batch for 50\.07 ms a step \(median rank 417\.0 us\)'
	# On Gaudi a rank whose NICs alone work is not idle: it waits in a collective.
	mkdir gaudi
	for r in 0 1; do
		"${TC_TRACEGEN:-$(dirname "$tool")/tracegen}" --format gaudi-kineto --steps 3 --rank $r \
			--world-size 2 --problem rank-straggler -o gaudi/$r.json
	done
	t_run 0 gaudi --db gaudi.db --width 120
	idle=$(grep -E '^ +0  ' "$out" | awk '{ print $10 * ($11 == "us" ? 1 : 1000) }')
	asks gaudi.db "SELECT min(value) / 1000 BETWEEN $idle - 6 AND $idle + 6, max(value) > min(value)
		FROM metric WHERE trace_id = 0 AND device IS NULL AND step IS NULL
		AND name IN ('device_wait_ns', 'idle_ns')" '1,1'
fi

# Two jobs at once stay two, in directories of their own or not, on every level below the one named.
mkdir -p nested/a nested/deep/b nested/flat
for at in nested/a/rank nested/deep/b/rank nested/flat/x_rank nested/flat/y_rank; do
	cp two/a.json "${at}0.json"
	cp two/b.json "${at}1.json"
done
t_run 0 import nested -o nested.db
asks nested.db "SELECT job_id, group_concat(path, ' ') FROM (SELECT * FROM job_rank j
	JOIN trace t ON t.id = j.trace_id ORDER BY t.id) GROUP BY job_id" \
	'0,nested/a/rank0.json nested/a/rank1.json
2,nested/deep/b/rank0.json nested/deep/b/rank1.json
4,nested/flat/x_rank0.json nested/flat/x_rank1.json
6,nested/flat/y_rank0.json nested/flat/y_rank1.json'

t_end

# Ranks that arrive together in each collective do not wait, and that is known.
mkdir even
for t_rank in 0 1; do
	rank $t_rank 2 1000 "$(kernel gemm 1090 20 7)$(kernel $reduce 1120 50 20)$(kernel $reduce 1220 80 20)" >even/$t_rank.json
done
t_run 0 even
t_out 'No rank waits for another in collectives. On rank 0 '
t_out '^ *0 .* 0 ns '
t_no_out 'unknown'

# The command below a report names what it is about, not all that was read.
mkdir -p mixed
cp two/*.json mixed
"$(dirname "$tool")/tracegen" --format cuda --steps 4 --problem dataloader -o mixed/z.json || t_fail tracegen
t_run 0 mixed --width 140
t_out 'tracecoach explain mixed/z.json 1'
t_run 0 two --width 140
t_no_out 'explain .*a.json'
