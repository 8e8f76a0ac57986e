# tracecoach compare: two runs against each other. What the generator put in is named and its cost
# is the difference; the same run twice differs by nothing; sides swapped negate the differences.
. "$(dirname "$0")/lib.sh"

gen=${TC_TRACEGEN:-$root/build/release/tracegen}
[ -x "$gen" ] || t_skip "no tracegen at $gen"

make() { # make NAME ARG...: NAME.json and NAME.truth
	t_name_made=$1
	shift
	t_what="tracegen $*"
	"$gen" "$@" -o "$t_name_made.json" --truth "$t_name_made.truth" || t_fail 'it failed'
}

cost() { # cost PROBLEM TRUTH
	sed -n "s/.*\"$1\".*\"cost_ns\": \([0-9]*\).*/\1/p" "$2"
}

sums() { # the compared time of both sides
	sed -n 's/.*"compared": {"count": [0-9]*, "sum_ns": \([0-9]*\).*/\1/p' "$out"
}

advice() { # advice ID CHANGE: the JSON names it so
	t_out "^  \{\"id\": \"$1\", \"kind\": \"[a-z]*\", \"title\": \"[^\"]*\", \"change\": \"$2\""
}

differences() { # differences FILE: every one, in the order of the names around them
	grep -o '"\(name\|engine\|role\)": "[^"]*"\|"difference_ns": [-0-9]*' "$1" |
		awk '/difference/ { print key $0; key = "" } !/difference/ { key = key $0 }' | sort
}

# Each problem is new, and the wall time differs by what the generator says it cost; the two runs
# have as many steps, so the sums differ by that to the nanosecond. The inputs of a healthy run on CUDA
# are copied while nothing computes, which is 2 % of its time: more of it is not new.
for format in gaudi-lazy gaudi-kineto cuda; do
	make healthy --format $format --steps 5
	for problem in dataloader dma-exposed; do
		id=$(echo $problem | sed s/dataloader/dataloader-bound/)
		[ $format-$problem = cuda-dma-exposed ] && news='remains remains' || news='new gone'
		make sick --format $format --steps 5 --problem $problem
		t_run 0 compare -q healthy.json sick.json --format json --top 1000
		t_out '"outcome": "slower"'
		t_out '"judged": true'
		advice $id "${news% *}"
		set -- $(sums)
		[ $(($2 - $1)) -eq "$(cost $problem sick.truth)" ] || t_fail "sums are $*"
		cp "$out" "$t_top/forward"
		t_run 0 compare -q sick.json healthy.json --format json --top 1000
		t_out '"outcome": "faster"'
		advice $id "${news#* }"
		differences "$out" >"$t_top/back"
		differences "$t_top/forward" | sed 's/: -\([0-9]*\)$/: +\1/; s/: \([1-9][0-9]*\)$/: -\1/; s/+//' |
			sort >"$t_top/negated"
		t_same "$t_top/back" "$t_top/negated"
	done
done

# A first step that compiles makes no gain of the others larger: a step of 95.29 ms loses 37.44, in the
# report and in a comparison, and the run loses no larger share than a step does.
make long --format gaudi-kineto --nodes 100 --steps 12 --problem warm-up --problem dataloader
t_run 0 import -q long.json -o long.db
t_run 0 query long.db "SELECT f.gain_pct <= 100.0 * (w.step_before_ns - w.step_after_ns) / w.step_before_ns + 5, w.step_before_ns - w.step_after_ns
	FROM finding f JOIN whatif w ON w.trace_id = f.trace_id AND w.fix = f.heuristic WHERE f.heuristic = 'dataloader-bound'" --format csv
t_out '^1,3743[0-9]*$'
t_run 0 compare -q long.json long.json
t_out '^  37\.44 ms  37\.44 ms  remains  The device waits for the data loader'

# For CI systems: one case and one annotation, which say what the exit code says.
make healthy --format cuda --steps 5
make sick --format cuda --steps 5 --problem dataloader
head -c $(($(wc -c <sick.json) * 9 / 10)) sick.json >cut.json
said() { # said CODE RESULT COMMAND BEFORE AFTER OPTION...
	t_code=$1 t_result=$2 t_command=$3
	shift 3
	t_run "$t_code" compare -q "$@" --format junit
	t_python "$t_result" "
import sys, xml.etree.ElementTree
suite, = xml.etree.ElementTree.fromstring(sys.stdin.read())
(case,), counts = suite, {'failure': 'failures', 'error': 'errors', 'skipped': 'skipped'}
assert case[0].tag == '$t_result', case[0].tag
assert case.get('name') == '$2', case.attrib
assert [suite.get(n) for n in counts.values()] == [str(int(tag == '$t_result')) for tag in counts]" <"$out"
	t_run "$t_code" compare -q "$@" --format github
	t_out "^::$t_command::"
}
said 1 failure 'error title=sick.json is slower' healthy.json sick.json --fail-on-slower 5
said 0 system-out 'warning title=sick.json is slower' healthy.json sick.json --fail-on-slower 99
said 0 system-out 'warning title=sick.json is slower' healthy.json sick.json
said 0 system-out 'notice title=healthy.json is faster' sick.json healthy.json --fail-on-slower 5
said 0 system-out 'notice title=healthy.json is as before' healthy.json healthy.json --fail-on-slower 0
said 0 skipped 'notice title=cut.json is not judged' healthy.json cut.json
said 3 error 'error title=cut.json is not judged' healthy.json cut.json --fail-on-slower 5

# The text, to the letter, but for the queries behind it; one screen without the details.
make healthy --format gaudi-lazy --steps 5
make sick --format gaudi-lazy --steps 5 --problem dataloader --problem layout-transposes
t_run 0 compare -q healthy.json sick.json
t_fits 80
t_no_out sqlite3
t_ok 'it is one screen' test "$(wc -l <"$out")" -le 40
t_run 0 compare -q healthy.json sick.json --ascii --details
t_fits 80
sed '/^Queries/,$d' "$out" >"$t_top/text"
diff "$root/tests/golden/compare-gaudi-lazy.txt" "$t_top/text" >&2 ||
	t_fail 'it is not the golden text'
t_out '^  tracecoach import healthy\.json -o before\.db$'
t_out "^  sqlite3 before\.db \"ATTACH 'after\.db' AS after; SELECT "
t_run 0 compare -q healthy.json sick.json --width 50
t_fits 50
t_run 0 compare -q healthy.json sick.json --format md -o report.md
t_ok 'Markdown was written' grep -q '^## What was compared$' report.md

# The same run twice, in every form, is no difference, and every difference is 0.
t_run 0 import -q healthy.json -o healthy.db
gzip -k healthy.json
for other in healthy.json healthy.db healthy.json.gz; do
	t_run 0 compare -q healthy.db $other --format json --top 1000
	t_out '"outcome": "same"'
	t_no_out '"difference_ns": -?[1-9]'
	t_no_out '"change": "(new|gone|unknown)'
done
t_run 0 compare -q healthy.db healthy.db --details
t_out '^  No difference: 59\.79 ms per step both times\.$'
t_out "^  sqlite3 healthy\.db \"ATTACH 'healthy\.db' AS after; "
t_no_out 'tracecoach import'

# The told commands run as they are, whatever the files are called.
cp healthy.json "a run's \$HOME.json"
t_run 0 compare -q "a run's \$HOME.json" healthy.db --details
grep -E '^  (tracecoach import|sqlite3) ' "$out" >told
[ "$(wc -l <told)" -eq 13 ] || t_fail "$(wc -l <told) commands are told"
if command -v sqlite3 >/dev/null; then
	mkdir bin
	ln -s "$tool" bin/tracecoach
	PATH=$dir/bin:$PATH sh -e told >rows 2>"$err" || t_fail 'a told command fails'
	t_ok 'the steps of both' test "$(grep -c '^\(before\|after\)|5|298939528|' rows)" -eq 2
	rm -r bin
fi

cp healthy.json ./-run.json
t_run 0 compare -q --details -- -run.json healthy.db
t_out '^  tracecoach import \./-run\.json -o before\.db$'

# No told import replaces the store of the other side.
cp healthy.db after.db
t_run 0 compare -q after.db sick.json --details
t_out '^  tracecoach import sick\.json -o after-2\.db$'
t_out "^  sqlite3 after\.db \"ATTACH 'after-2\.db' AS after; "
cp healthy.db before.db
t_run 0 compare -q sick.json ./before.db --details
t_out '^  tracecoach import sick\.json -o before-2\.db$'
t_run 0 compare -q before.db sick.json --details
t_out '^  tracecoach import sick\.json -o after\.db$'

# Another seed is other noise, and no difference beyond it.
make other --format gaudi-lazy --steps 9 --seed 2
t_run 0 compare -q healthy.json other.json --format json --fail-on-slower 0
t_out '"outcome": "within"'

# A warm-up step is left out of the steps, and of what the device and the host did in them.
make warm --format gaudi-lazy --steps 6 --problem warm-up
t_run 0 compare -q healthy.json warm.json
t_out ' 6 steps \(1 of'
t_out '^  No difference beyond step-to-step variation'
t_no_out '  compile$'
t_out '^  These are sums over the whole trace, including warm-up\.$'

# The gate of a CI: closed from the percentage on, open below, and open when it became faster.
make sick --format gaudi-lazy --steps 5 --problem dataloader
t_run 1 compare -q healthy.json sick.json --fail-on-slower 60 -o report.txt
t_ok 'the report was written' test -s report.txt
t_run 1 compare -q healthy.json sick.json --fail-on-slower 0
t_err '^tracecoach: --fail-on-slower: slower by [0-9.]+ %, the limit is 0 %$'
t_no_err 'warning'
# A step on another clock than the others, also at zero, which stands for a time that is not known, has no length.
make cuda --format cuda --steps 5
for ts in 0 1; do
	sed "/ProfilerStep#11/{n;s/\"ts\": [0-9.]*/\"ts\": $ts/;}" cuda.json >apart.json
	t_ok 'a step was moved' sh -c '! cmp -s cuda.json apart.json'
	t_run 3 apart.json -q --fail-on low
	t_run 3 compare -q cuda.json apart.json --fail-on-slower 5
	t_out '^  Not comparable: the steps of AFTER are on another clock than its work'
	mkdir -p jobs && cp apart.json jobs/ && t_run 0 batch -q jobs -o apart
	t_run 3 report apart --fail-on low
	t_err '^tracecoach: --fail-on: no job shows enough device work to be judged'
	rm -r jobs apart
done
t_run 0 compare -q healthy.json sick.json --fail-on-slower 75
t_run 0 compare -q sick.json healthy.json --fail-on-slower 0
make one --format gaudi-lazy --steps 2
make two --format gaudi-lazy --steps 2 --problem dataloader
t_run 1 compare -q one.json two.json --fail-on-slower 10
t_err '^tracecoach: warning: --fail-on-slower: step-to-step variation is unknown'
for limit in -1 much 5% nan inf ''; do
	t_run 2 compare -q one.json two.json --fail-on-slower "$limit"
	t_error
done

# What is not alike is said before the verdict.
make gpu --format cuda --steps 5
make ranked --format cuda --steps 5 --world-size 8 --rank 3
t_run 0 compare -q healthy.json gpu.json
t_out '^  ! The vendor differs: gaudi before, cuda after\.$'
t_out '^  ! The device differs: GAUDI2 before, NVIDIA'
t_ok 'it is one screen, however little is alike' test "$(wc -l <"$out")" -le 40
t_run 0 compare -q gpu.json ranked.json
t_out '^  ! The number of ranks differs: unknown before, 8 after\.$'
t_small_trace
grep -v ProfilerStep small.json >bare.json
t_run 3 compare -q small.json bare.json
t_out '^  ! AFTER has no steps: the whole traces are compared'
t_out '^  Not comparable: only BEFORE has steps\.$'
t_no_out 'per step'
sed s/ProfilerStep#/ProfileStep#/ small.json >paddle.json
t_run 0 compare -q paddle.json small.json --format json
t_out '"name": "ProfileStep#N"'
t_no_out '"name": "ProfileStep#[0-9]'
head -c 900 small.json >cut.json
t_run 0 compare -q small.json cut.json
t_out '^  ! Part of AFTER could not be read'
grep -v '"kernel"' small.json >host.json
t_run 3 compare -q small.json host.json
t_out '^  ! AFTER has no device work, so only the host is compared\.$'
t_out '^  Not comparable: only BEFORE has device work\.$'
t_no_out "device's time"

# Other work is not judged, with a gate or without, unless the user insists: another job, though of the
# same shapes, and other shapes on the same device.
make job --format cuda --steps 5 --world-size 2 --problem dataloader
make large --format cuda --steps 5 --world-size 64
sed 's/NVIDIA [A-Za-z0-9 -]*/NVIDIA H800/' large.json >h800.json
grep -q H800 h800.json || t_fail 'the device has its name elsewhere'
sed 's/\(, *\)*\[\([0-9]*\), *\([0-9]*\)\]/\1[\2,7\3]/g' healthy.json >wide.json
for pair in 'h800.json job.json' 'sick.json wide.json'; do
	for format in text md json html; do
		t_run 3 compare -q $pair --format $format -o report
		t_err '^tracecoach: compare: the runs do not do the same work, as the report says: '
		t_ok "$format has it" grep -q 'Not the same work' report
		t_ok "$format judges nothing" test -z "$(grep -E 'Slower|Faster' report)"
		rm report
	done
	t_run 3 compare -q $pair
	t_ok 'it is said first' test "$(sed -n 2p "$out" | cut -c 1-22)" = '  Not the same work: t'
	t_run 3 compare -q $pair --fail-on-slower 5
	t_run 0 compare -q $pair --anyway
	t_out '^  Not the same work: .*'
done
t_run 1 compare -q h800.json job.json --anyway --fail-on-slower 5
t_run 1 compare -q large.json job.json --fail-on-slower 5
t_out '^  ! The number of ranks differs: 64 before, 2 after\.$'

# A gate does not pass where nothing can be compared: a trace of something else, or of next to nothing.
echo '{"traceEvents":[{"name":"MarkStack","ph":"X","ts":1,"dur":50,"pid":1,"tid":1}]}' >foreign.json
sed s/MarkStack/Sweep/ foreign.json >other.json
for pair in 'healthy.json foreign.json' 'foreign.json healthy.json' 'small.json bare.json' \
	'small.json host.json' 'foreign.json other.json'; do
	t_run 3 compare -q $pair --anyway
	t_out '^  Not comparable: '
	t_no_out '^  (Faster|Slower|No difference)'
	t_run 3 compare -q $pair --fail-on-slower 5
	t_err '^tracecoach: compare: the runs cannot be compared: '
done
t_run 0 compare -q foreign.json foreign.json
t_run 3 compare -q foreign.json foreign.json --fail-on-slower 5
t_err '^tracecoach: --fail-on-slower: no trace of a deep-learning run'

# A run of which a part was lost is not judged: steps whose device work is lost are short. The report
# and the gate say which run it is, of a file cut off as of compressed data whose check fails.
head -c $(($(wc -c <healthy.json) * 4 / 5)) healthy.json >lost.json
gzip -c healthy.json >damaged.json.gz
printf '\377\377\377\377' | dd of=damaged.json.gz bs=1 conv=notrunc \
	seek=$(($(wc -c <damaged.json.gz) / 2)) 2>"$err"
for lost in lost.json damaged.json.gz; do
	t_run 0 compare -q healthy.json $lost
	t_out '^  AFTER is damaged, a part of it was lost: not judged\.'
	t_out '^  [^ ]+ m?s per step before, .* after\.$'
	t_no_out '(Faster|Slower) by'
	t_run 3 compare -q healthy.json $lost --fail-on-slower 5
	t_err "^tracecoach: --fail-on-slower: $lost: a part of the recording was lost, so nothing can be judged"
	t_run 3 compare -q $lost healthy.json --fail-on-slower 5
	t_out '^  BEFORE is damaged, '
	t_err "^tracecoach: --fail-on-slower: $lost: "
	t_run 0 compare -q healthy.json $lost --format json
	t_out '"outcome": "damaged"'
done
t_run 3 compare -q lost.json damaged.json.gz --fail-on-slower 5
t_out '^  Both runs are damaged, parts of them were lost: not judged\.'
t_run 0 compare -q healthy.json lost.json --fail-on-slower 500 --anyway
t_out '^  AFTER is damaged, a part of it was lost\. '
t_err '^tracecoach: warning: --fail-on-slower: AFTER is doubtful: The trace is cut off$'
t_run 0 compare -q healthy.json healthy.json --fail-on-slower 5
t_no_err .

# Ranks: one of each side, by its number.
mkdir ranks
"$gen" --format cuda --world-size 2 --rank 0 -o ranks/a.json
"$gen" --format cuda --world-size 2 --rank 1 -o ranks/b.json
t_run 0 import -q ranks -o ranks.db
t_run 2 compare -q ranks.db gpu.json
t_error
t_err 'ranks\.db: 2 traces: choose one with --rank N, of ranks 0, 1$'
t_run 2 compare -q ranks ranks.db --rank 5
t_error
t_err 'ranks: no trace of rank 5: there is 0, 1$'
t_run 0 compare -q ranks ranks.db --rank 1 --format json
t_out '"outcome": "same"'
t_out '"rank": 1,'
t_run 0 compare -q ranks ranks/b.json --rank 1
t_out '^  ! AFTER lacks the other ranks of its job'
t_run 0 import -q gpu.json healthy.json -o mixed.db
t_run 2 compare -q gpu.json mixed.db
t_err 'mixed\.db: 2 traces without a rank: compare one of them alone$'

# Errors: one line, the exit codes of the other commands, and no file is left.
t_run 2 compare healthy.json
t_err 'compare: takes two arguments, not 1'
t_run 2 compare healthy.json sick.json gpu.json
t_run 2 compare healthy.json sick.json --format txt
t_error
t_err '--format txt: no such value: give text, json, md, html, junit or github$'
t_run 2 compare healthy.json sick.json -o sick.json
t_error
t_run 3 compare -q healthy.json missing.json
t_error
printf 'no trace' >text.json
t_run 3 compare -q text.json healthy.json -o new.txt
t_error
printf '{"traceEvents": [{"ph": "i", "name": "x", "pid": 1, "tid": 1, "ts": 1, "s": "t"}]}' >empty.json
t_run 3 compare -q healthy.json empty.json -o new.txt
t_error
t_err 'empty\.json: no slice in it has a duration'
t_ok 'nothing was written' test ! -e new.txt
head -c 5000 healthy.db >short.db
t_run 3 compare -q short.db healthy.db
t_error
t_run 4 compare -q healthy.db healthy.db -o /nowhere/report.txt
# Kernels by operator and sizes: other template arguments are one row, another kernel is not, and neither
# is the same kernel of other sizes.
if command -v python3 >/dev/null; then
	python3 - <<'END'
import json
def trace(path, kernels):
    events = []
    for i, (size, kernel, dur) in enumerate(kernels):
        at = i * 100
        events += [
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 1, "ts": at, "dur": 20,
             "args": {"Input Dims": [[size, 4], [4, 4]], "Input type": ["float", "float"]}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 1, "ts": at + 5, "dur": 5,
             "args": {"correlation": i + 1}},
            {"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": at + 30, "dur": dur,
             "args": {"correlation": i + 1, "device": 0, "stream": 7}}]
    json.dump({"traceEvents": events}, open(path, "w"))
trace("kernels1.json", [(8, "gemm<float, 2>", 10), (16, "gemm<float, 2>", 30), (32, "old_gemm", 40)])
trace("kernels2.json", [(8, "gemm<float, 4>", 12), (16, "gemm<float, 2>", 20), (32, "new_gemm", 25)])
END
	t_run 0 compare kernels1.json kernels2.json --format json --top 9
	t_python 'kernels by operator and sizes' "import json
rows = json.load(open('$out'))['kernel_shapes']['rows']
got = sorted((r['operator'], r['change'], r['before_ns'], r['after_ns']) for r in rows)
assert got == [('aten::mm [[16,4],[4,4]]', 'remains', 30000, 20000), ('aten::mm [[32,4],[4,4]]', 'gone', 40000, 0),
	('aten::mm [[32,4],[4,4]]', 'new', 0, 25000), ('aten::mm [[8,4],[4,4]]', 'remains', 10000, 12000)], got"
	t_run 0 compare kernels1.json kernels2.json --details
	t_out 'Device operations by operator and sizes that changed most'
fi

# The verdict names device work that was not recorded, in every format: its time is not idle.
missing="$root/testdata/heuristics/unrecorded-work/fires.json" whole="$root/testdata/heuristics/unrecorded-work/quiet.json"
for form in text md html; do
	t_run 0 compare -q "$missing" "$whole" --format $form --width 300
	t_out 'No difference.* BEFORE: 79 % of the time \(6\.320 ms of 8\.000 ms\) is device work that was not recorded: do not'
	t_no_out 'AFTER: .* not recorded'
done
t_run 0 compare -q "$missing" "$missing" --format json
t_out '"id": "unrecorded-work", "text": "BEFORE: 79 % of .* idle\. AFTER: 79 % of .* idle\."\}'
t_out '"text": "No difference: .* BEFORE: 79 % of '
t_run 0 compare -q "$whole" "$whole" --format json
t_no_out '"id": "unrecorded-work"|was not recorded'
# A store that was made without a heuristic has no gain of a step for it: like is compared with like.
t_run 0 import -q "$example" -o with.db
t_run 0 import -q "$example" --skip dataloader-bound -o without.db
for sides in 'with without' 'without with' 'with with'; do
	set -- $sides
	t_run 0 compare $1.db $2.db --format json
	t_python 'one trace has one gain' "import json
row = [a for a in json.load(open('$out'))['advice'] if a['id'] == 'dataloader-bound'][0]
assert row['before']['gain_ns'] == row['after']['gain_ns'] > 0 and row['change'] == 'remains', row"
	t_run 0 compare $1.db $2.db --width 140
	if [ "$sides" = 'with with' ]; then t_out 'The gains that the reports on both runs have'; else t_out 'Where only one report has the gain of a step'; fi
done
# A gain of 0 is nothing, and one that nobody knows is no number.
"$TC_TRACEGEN" --format cuda -o healthy.json
"$TC_TRACEGEN" --format cuda --problem dataloader -o loader.json
"$TC_TRACEGEN" --format cuda --problem small-kernels --problem input-copy-blocking --steps 6 -o copies.json
t_run 0 compare healthy.json loader.json --width 140
t_out ' us +nothing +remains +Copies keep the device from computing$'
t_run 0 compare healthy.json copies.json --width 140
t_out '^ +- +- +new +There is room for a larger batch$'
t_end
