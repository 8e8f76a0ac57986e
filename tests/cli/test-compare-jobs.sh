# compare of directories: job against job, all ranks, and nothing left behind.
. "$(dirname "$0")/lib.sh"

gen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}
TMPDIR=$t_top/tmp
export TMPDIR
mkdir "$TMPDIR"

clean() {
	[ -z "$(ls -A "$TMPDIR")" ] || t_fail 'leaves something in TMPDIR'
}

# rank NIGHT PATH RANK OPTION...
rank() {
	mkdir -p "$1/$2"
	t_file=$1/$2/rank$3.json t_rank=$3
	shift 3
	t_ok "tracegen $t_file" "$gen" --format cuda --steps 6 --nodes 10 --world-size 2 --rank "$t_rank" "$@" -o "$t_file"
}

for night in one two; do
	rank $night team-a/bert 0 --problem dataloader
	rank $night team-a/bert 1 --problem dataloader
	rank $night team-b/gpt 0
	rank $night team-c/old-$night 0
done
rank one team-b/gpt 1
rank two team-b/gpt 1 --problem input-copy-blocking=60

# What two batches and their indexes say, directories do, also one beside an index.
t_run 0 batch -q one -o old
t_run 0 batch -q two -o new
t_run 0 compare old new --format csv
t_ok 'a line a job' test "$(wc -l <"$out")" -eq 4
cp "$out" want.csv
for sides in 'one two' 'old two' 'one new'; do
	t_run 0 compare $sides --format csv
	t_same "$out" want.csv
	clean
done
t_run 0 compare one two
t_out '^  1 job slower, 0 faster, 1 as before .*'
t_out 'steps to judge, 1 new, 1 gone\.$'
t_out '^  team-b/gpt .* \+[0-9.]+ %'
t_run 0 compare two one
t_out '^  0 jobs slower, 1 faster'
t_run 1 compare one two --fail-on-slower 5
# A gate over jobs that have nothing to do with each other does not pass.
mkdir -p apart/a apart/b
cp two/team-b/gpt/*.json* apart/a
cp two/team-b/gpt/*.json* apart/b
t_run 3 compare one apart --fail-on-slower 5
t_err '^tracecoach: --fail-on-slower: no job is in both'
rm -r apart
clean

# Neither does one over jobs on other devices, also without a limit; with others it says so.
mkdir -p h800/team-gpt/gpt
for file in two/team-b/gpt/*.json; do
	sed 's/NVIDIA [A-Za-z0-9 -]*/NVIDIA H800/' "$file" >"h800/team-gpt/gpt/${file##*/}"
done
t_run 3 compare one h800 --format csv
t_err '^tracecoach: no job does the same work in both'
t_out '^team-gpt/gpt,.*,other_work,,,$'
t_run 3 compare one h800 --fail-on-slower 5
t_out '^  Not the same work in 1 job, not judged:'
t_out '^ *- team-gpt/gpt: The device differs: NVIDIA '
t_run 1 compare one h800 --fail-on-slower 5 --anyway
t_err '^tracecoach: --fail-on-slower: a job became slower by [0-9.]+ %, the limit is 5 %$'
t_no_err 'warning'
mkdir h800/team-a
cp -r two/team-a/bert h800/team-a
t_run 0 compare one h800 --fail-on-slower 5
t_err '^tracecoach: warning: --fail-on-slower: 1 job on other devices or another number of ranks, not judged'
rm -r h800
clean

# A recording that was cut off has short steps, or none: it is not judged, as little as one of two
# runs would be.
cut() { # cut BYTES: a part of a rank of gpt is lost
	rm -rf lost
	cp -r two lost
	head -c "$1" two/team-b/gpt/rank0.json >lost/team-b/gpt/rank0.json
}
whole=$(wc -c <two/team-b/gpt/rank0.json)
for bytes in $((whole * 2 / 3)) $((whole / 8)); do
	cut "$bytes"
	[ "$bytes" -gt $((whole / 2)) ] || rm lost/team-b/gpt/rank1.json
	t_run 0 compare one lost
	t_out '^  Damaged, not judged: 1 job, team-b/gpt\.$'
	t_out '^  0 jobs slower, 0 faster, 1 as before '
	t_no_out '^  Gone:.*team-b/gpt'
	t_run 3 compare one lost --fail-on-slower 5
	t_err '^tracecoach: --fail-on-slower: a part of 1 job was lost before or after'
	t_run 3 compare lost one --fail-on-slower 5
done
t_run 0 compare one lost --format csv
t_out '^team-b/gpt,.*,damaged,,,$'
t_run 0 compare one lost --format json
t_out '"outcome": "damaged"'
cut $((whole * 2 / 3))
t_run 0 batch -q lost -o lost-index
t_run 3 report lost-index --since old --fail-on-slower 5
t_out 'Damaged, not judged: 1 job, team-b/gpt'
t_run 1 compare one lost --fail-on-slower 5 --anyway
t_out 'Damaged: 1 job, team-b/gpt\.$'
# A rank that is gone or cannot be read leaves a mean over the others, which is of no use beside one over all.
for gone in missing unreadable; do
	rm -rf lost
	cp -r two lost
	if [ $gone = missing ]; then rm lost/team-b/gpt/rank1.json; else echo none >lost/team-b/gpt/rank1.json; fi
	t_run 3 compare one lost --fail-on-slower 5
	t_out '^  Damaged, not judged: 1 job, team-b/gpt\.$'
	t_run 3 compare lost one --fail-on-slower 5
done
# As many ranks are no help when they are others; nor is a rank that only the name of the file tells.
mkdir -p some/a/x some/b/x none/a none/b
cp one/team-b/gpt/rank0.json some/a/x
cp two/team-b/gpt/rank1.json some/b/x
for t_rank in 0 1 2; do
	t_ok "tracegen, no rank $t_rank" "$gen" --format gaudi-lazy --steps 6 --nodes 10 --seed $t_rank -o none/a/t_rank$t_rank.json
done
cp none/a/* none/b
rm none/a/t_rank1.json none/b/t_rank2.json
for sides in 'some/a some/b' 'none/a none/b'; do
	for side in $sides; do t_run 0 batch -q $side -o $side-index; done
	set -- $sides
	t_run 3 report $1-index --since $2-index --fail-on-slower 5
	t_out '^  Damaged, not judged: 1 job'
	t_run 3 report $2-index --since $1-index --fail-on-slower 5
	t_run 0 report $1-index --since $1-index
	t_no_out 'Damaged'
done
# Recordings of one host are no ranks: two are as good as three, unless one of them cannot be read.
mkdir -p taken/a taken/b
for t_rank in 0 1 2; do cp none/a/t_rank0.json taken/a/host_1.$t_rank.pt.trace.json; done
cp taken/a/host_1.[01]* taken/b
t_run 0 batch -q taken/a -o taken/first
t_run 0 batch -q taken/b -o taken/second
t_run 0 report taken/second --since taken/first --fail-on-slower 5
echo none >taken/b/host_1.2.pt.trace.json
t_run 5 batch -q taken/b -o taken/second
t_run 3 report taken/second --since taken/first --fail-on-slower 5
rm -r some none taken
# A file more that is no rank changes none of its times.
rm -rf lost
cp -r one lost
echo none >lost/team-b/gpt/other.json
t_run 5 compare one lost
t_no_out 'Damaged'
rm -rf lost lost-index
clean

# The change is that of the rank that sets the pace.
mean() { # mean INDEX: of that rank of gpt
	t_run 0 query "$1" "SELECT 1.0 * s.value / n.value FROM job j
		JOIN trace_metric s ON s.trace_id = j.pace_trace_id AND s.name = 'steady_step_sum_ns'
		JOIN trace_metric n ON n.trace_id = j.pace_trace_id AND n.name = 'steady_step_count'
		WHERE j.path = 'team-b/gpt'" --format csv
	tail -n 1 "$out"
}
before=$(mean old) after=$(mean new)
t_python 'the change of the rank that sets the pace' "
import csv
row = [r for r in csv.DictReader(open('want.csv')) if r['job'] == 'team-b/gpt'][0]
want = ($after - $before) / $before * 100
assert want > 1 and abs(float(row['difference_pct']) - want) < 1e-3, (row, want)
assert row['outcome'] == 'slower', row"

# One job on each side is compared in detail: the rank that changed most, or the one asked for.
t_run 0 compare one/team-b/gpt two/team-b/gpt
t_out '^  Slower by '
t_out '^  The 2 ranks of both sides: .*'
t_out 'Rank 1 changed'
t_run 1 compare one/team-b/gpt two/team-b/gpt --fail-on-slower 5
t_run 0 compare one/team-b/gpt two/team-b/gpt --rank 1
t_out '^What was compared'
t_run 0 compare one/team-c/old-one two/team-c/old-two
t_out '^What was compared'
clean

# What cannot be done is said before anything is read; what cannot be read, at the end.
for option in '--rank 1' --strict; do
	t_run 2 compare one two $option
	t_error
done
mkdir empty
t_run 3 compare one empty
t_error
t_env=TMPDIR=/nowhere t_run 4 compare one two
t_error
t_env=
t_run 2 compare one two -o one/team-a/bert/rank0.json
t_error
printf 'no trace' >two/team-b/gpt/rank7.json
t_run 5 compare one two
t_err 'left out: .*team-b/gpt/rank7\.json'
clean

# Interrupted while it reads: with other jobs so large that this takes seconds.
rank big a 0 --steps 100 --nodes 200
mkdir big/b && ln big/a/rank0.json big/b/
env --default-signal=INT "$tool" compare big one >"$out" 2>"$err" &
job=$!
while [ -z "$(ls "$TMPDIR"/*/1/index.log 2>/dev/null)" ] && kill -0 $job; do # all jobs are found
	sleep 0.02
done
sleep 0.1
kill -s INT $job
wait $job
t_check $? 130
t_error
t_err 'nothing was kept'
clean
t_files big empty new old one two want.csv

# A first step that is warm-up on one side counts on neither, and the row has the times that are judged.
steps() { # steps DIRECTORY FIRST_US STEP_US: two jobs of four steps, each with one kernel
	mkdir -p "$1/j" "$1/k"
	awk -v first="$2" -v step="$3" 'BEGIN {
		printf "{\"traceEvents\":["
		for (i = 0; i < 4; i++) {
			took = i == 0 ? first : step
			printf "%s{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d},", \
				(i ? "," : ""), i, at, took
			printf "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":5,\"args\":{\"correlation\":%d}},", \
				at + took - 40, i + 1
			printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":20,\"args\":{\"correlation\":%d,\"device\":0}}", \
				at + took - 30, i + 1
			at += took
		}
		printf "]}\n"
	}' >"$1/j/t.json"
	cp "$1/j/t.json" "$1/k"
}
steps first 2300 1200
steps warm 2900 1380
t_run 1 compare first warm --fail-on-slower 5
t_out '^  j +1\.200 ms +1\.380 ms +\+15\.0 %'
t_end
