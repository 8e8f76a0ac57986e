# batch and merge: what becomes a row, what is read again, and that neither kills nor shards change
# the index.
. "$(dirname "$0")/lib.sh"

gen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}

# trace FILE OPTION...
trace() {
	mkdir -p "$(dirname "$1")"
	t_file=$1
	shift
	t_ok "tracegen $t_file" "$gen" --nodes 10 --steps 3 "$@" -o "$t_file"
}

asks() { # asks INDEX SQL WANT
	t_run 0 query "$1" "$2" --format csv
	[ "$(tail -n +2 "$out")" = "$3" ] || t_fail "gives '$(tail -n +2 "$out")', want '$3'"
}

t_run 2 batch . -q
t_error
t_run 3 batch gone -o out
t_error
rm -rf out
mkdir empty
t_run 3 batch empty -o out
t_err 'no traces in or below it'
rm -rf out empty

# Two jobs of two ranks at once, a job of every vendor, two runs in one directory.
for rank in 0 1; do
	trace "n/team-a/bert/rank$rank.json" --rank $rank --world-size 2 --problem dataloader
	trace "n/team-b/vit/rank$rank.json" --rank $rank --world-size 2 --format cuda
done
trace n/team-b/deep/er/x/host_1.123.pt.trace.json --format gaudi-kineto
trace n/flat/one_rank0.json --seed 2
trace n/flat/two_rank0.json --seed 3
printf '{"lr": 1}' >n/flat/config.json
gzip n/flat/two_rank0.json
# What is damaged or no file.
mkdir -p n/bad/cut n/bad/both n/bad/text n/bad/empty n/bad/pipe n/bad/link n/bad/directory/x.json
head -c 100000 n/team-a/bert/rank0.json >n/bad/cut/trace.json
cp n/team-b/vit/rank0.json n/bad/both/rank0.json
printf 'no trace' >n/bad/both/rank1.json
printf 'no trace' >n/bad/text/trace.json
: >n/bad/empty/trace.json
mkfifo n/bad/pipe/trace.json
ln -s /nowhere n/bad/link/trace.json
find n -name '*.json*' -type f -exec touch -d '2026-01-02 03:04:05' {} +

t_run 5 batch n -o out
t_out '^n: 11 jobs, 14 traces [(]14 read now, 0 as before[)]: out/index\.db$'
t_out '^1 other JSON file is no trace\.$'
t_err 'left out: bad/pipe/trace\.json: it is not a regular file'
t_err 'left out: cannot open n/bad/link/trace\.json'
t_err '^tracecoach: 5 inputs were left out'
t_no_err 'bad/cut'
(cd out && ls -A >../listed)
[ "$(cat listed)" = index.db ] || t_fail "leaves $(cat listed)"
asks out 'SELECT path, state, (SELECT count(*) FROM trace WHERE job_id = job.id) FROM job ORDER BY id' \
	'bad/both,done,2
bad/cut,done,1
bad/empty,failed,1
bad/link,failed,1
bad/pipe,failed,1
bad/text,failed,1
flat:one,done,1
flat:two,done,1
team-a/bert,done,2
team-b/deep/er/x,done,1
team-b/vit,done,2'
asks out "SELECT state, group_concat(name) FROM (SELECT t.state, substr(t.path, 5) AS name
	FROM trace t WHERE t.path GLOB 'bad/*' ORDER BY t.path) GROUP BY state" \
	'done,"both/rank0.json,cut/trace.json"
failed,"both/rank1.json,empty/trace.json,pipe/trace.json,text/trace.json"
stopped,link/trace.json'
# Ranks belong together by what they record, jobs by where they are.
asks out "SELECT path, rank, group_trace_id - (SELECT min(id) FROM trace u WHERE u.job_id = t.job_id) AS g
	FROM trace t WHERE world_size = 2 AND path NOT GLOB 'bad*' ORDER BY id" \
	'team-a/bert/rank0.json,0,0
team-a/bert/rank1.json,1,0
team-b/vit/rank0.json,0,0
team-b/vit/rank1.json,1,0'
asks out "SELECT heuristic FROM trace_finding f JOIN job j ON j.pace_trace_id = f.trace_id
	WHERE j.path = 'team-a/bert' AND f.gain_ns > 0 ORDER BY ord LIMIT 1" dataloader-bound
asks out "SELECT DISTINCT t.path, l.severity FROM import_log l JOIN trace t ON t.id = l.trace_id" \
	'bad/cut/trace.json,data_loss'

# Who reads a directory of many jobs as one store hears of the index.
t_run 5 import n -o all.db
t_err "^tracecoach: n: 11 jobs: 'tracecoach batch' makes an index"
t_run 5 import n -o all.db -q
t_no_err "'tracecoach batch'"
rm all.db

# The numbers are those of a store.
t_run 0 import n/flat/one_rank0.json -o one.db
asks one.db "SELECT name, value FROM metric WHERE step IS NULL AND device IS NULL ORDER BY name" \
	"$(t_run 0 query out "SELECT name, value FROM trace_metric WHERE trace_id =
		(SELECT id FROM trace WHERE path = 'flat/one_rank0.json') ORDER BY name" --format csv
	tail -n +2 "$out")"

# Nothing changed: nothing is read but what could not be opened, and the index stays the file it is.
cp out/index.db reference.db
rm n/bad/link/trace.json
t_run 5 batch n -o out//
t_out '10 jobs, 13 traces [(]0 read now, 13 as before[)]: out/index\.db$'
cp out/index.db reference.db
ls -i out/index.db >before
t_run 5 batch n -o out -q
ls -i out/index.db | cmp -s - before || t_fail "an index that is up to date was written again"
t_no_out .
# Another time and the same bytes: only the time is noted.
touch -d '2026-01-02 03:04:06' n/flat/one_rank0.json
t_run 5 batch n -o out
t_out '[(]0 read now, 13 as before[)]'
asks out "SELECT mtime_ns / 1000000000 % 60 FROM trace WHERE path = 'flat/one_rank0.json'" 6
touch -d '2026-01-02 03:04:05' n/flat/one_rank0.json
t_run 5 batch n -o out
t_same out/index.db reference.db
# The same size, other bytes, and a time of just now: it is read again, and so is the whole job.
sed 's/ProfilerStep#1/ProfilerStep#9/' n/team-a/bert/rank1.json >changed
cat changed >n/team-a/bert/rank1.json
t_run 5 batch n -o out
t_out '[(]2 read now, 11 as before[)]'
rm -rf n/team-b/deep
mkfifo n/flat/three.json
t_run 5 batch n -o out
t_out '10 jobs, 13 traces [(]1 read now, 12 as before[)]'
asks out "SELECT count(*) FROM job WHERE path IN ('team-b/deep/er/x', 'flat:three')" 1
rm n/flat/three.json
# Other settings say something else about every trace.
t_run 5 batch n -o out --skip dataloader-bound
t_out '[(]12 read now, 0 as before[)]'
asks out "SELECT count(*) FROM trace_finding WHERE heuristic = 'dataloader-bound'" 0
# Stores and reports are kept where they are asked for; then what has none is read.
t_run 5 batch n -o out --skip dataloader-bound --keep-stores
t_run 0 query out/jobs/team-a/bert.db 'SELECT count(*) FROM trace'
t_ok 'a report of a job' grep -q '"schema_version"' out/jobs/flat:one.json
t_run 5 batch n -o out --skip dataloader-bound --keep-stores
# Only jobs without a trace have none.
t_out '[(]3 read now, 9 as before[)]'
# What a batch wrote is no input, inside of the directory or not.
cp -r out n/old
t_run 5 batch n -o n/out
t_out '9 jobs, 12 traces'
rm -r n/old n/out

# One process or several, threads or none: the same index.
t_run 5 batch n -o ref -q
t_run 5 batch n -o j3 -q -j 3
t_run 5 batch n -o j1 -q -j 1
t_same ref/index.db j3/index.db
t_same ref/index.db j1/index.db
# Several directories: paths are below what they have in common, here the same.
t_run 5 batch 'n/*' -o all -q
t_same ref/index.db all/index.db

# Shards: each job is in one, and merged they are the whole.
for shard in 0 1 2 3 4 5 6 7; do
	"$tool" batch n -o shards -q --shard $shard/8 >"$out" 2>"$err"
	t_code=$? # 3: the shard has nothing that can be read
	t_check $((t_code == 5 || t_code == 3 ? 0 : t_code)) 0
done
t_run 0 merge shards/shard-*-of-8.db -o shards/index.db
t_same ref/index.db shards/index.db
t_run 0 merge shards/index.db shards/shard-*-of-8.db -o again.db
t_err '9 jobs are in several indexes'
t_same ref/index.db again.db
# A directory stands for the shards in it, though an index was made of them before.
mkdir apart
for shard in 0 1 2 3 4 5 6 7; do
	mkdir "apart/$shard"
	cp shards/shard-$shard-of-8.db "apart/$shard"
done
t_run 0 merge apart/* -o again.db
t_same ref/index.db again.db
t_run 0 merge ref -o again.db
t_same ref/index.db again.db
cp apart/0/shard-0-of-8.db shards/index.db
t_run 0 merge shards -o shards/index.db
t_same ref/index.db shards/index.db
# Nothing that was read is written over, under whatever name.
ln shards/shard-0-of-8.db shards/link.db
for t_target in shards/shard-0-of-8.db shards/link.db; do
	t_run 2 merge shards/shard-*-of-8.db -o $t_target
	t_err "$t_target: an index is not written over what it is made of"
	t_same apart/0/shard-0-of-8.db $t_target
done
# One without any index is told what makes one.
for t_command in 'merge n -o no.db' 'report n'; do
	t_run 3 $t_command
	t_err "^tracecoach: n: a directory without an index: run 'tracecoach batch' on it first"
done
t_run 3 report apart/0
t_err "'tracecoach merge'"
rm shards/shard-3-of-8.db
t_run 5 merge shards/shard-*-of-8.db -o part.db
t_err '1 shard of the batch is missing'
t_run 5 batch n -o other -q --skip dataloader-bound
t_run 2 merge ref/index.db other/index.db -o no.db
t_err 'other rules or thresholds'
t_run 3 merge ref/index.db n/flat/one_rank0.json -o no.db
t_run 3 merge gone.db -o no.db
[ ! -e no.db ] || t_fail 'a merge that failed left an index'
t_run 4 merge ref/index.db -o gone/no.db
# Where there is no room no trace is at fault: the exit code says so, and with room they are read.
t_what='batch without room in TMPDIR'
t_on_tmpfs 100k env TMPDIR="$dir/disk" "$tool" batch n/team-a -o room >"$out" 2>"$err"
code=$?
if [ $code -ne 77 ]; then
	t_check $code 4
	t_err '^tracecoach: 1 of 1 jobs were not read or kept whole: .*/disk.*: No space left'
	t_no_err 'the others were read'
fi
t_run 0 batch n/team-a -o room
t_out '2 traces [(]2 read now'
# Nor do the rows of a job that was read depend on room for its store.
t_what='batch without room for stores'
t_run 0 report room --format csv
cp "$out" room.csv
t_on_tmpfs 1m sh -c 'cp -r room disk && "$1" batch n/team-a -q -o disk/room --keep-stores 2>err.txt
	code=$?; "$1" report disk/room --format csv; exit $code' sh "$tool" >"$out" 2>"$err"
code=$?
if [ $code -ne 77 ]; then
	t_check $code 4
	t_same room.csv "$out"
	cp err.txt "$err"
	t_err 'not read or kept whole: .*cannot write the store: No space left'
fi
t_what='batch without descriptors'
(
	ulimit -n 4
	exec "$tool" batch n -o full
) >"$out" 2>"$err" </dev/null 3<&- # which whoever runs the tests may have left open
t_check $? 4
t_err 'Too many open files: raise the limit of open files'
t_no_err Permission
mkdir bad
printf '{"traceEvents": [' >bad/a.json
t_run 3 batch bad -o left
t_err '^tracecoach: 1 input was left out, and nothing was read: the exit code is 3$'
t_no_out 'read now'
: >file
t_run 2 batch bad -o file
t_err '^tracecoach: -o file: a file, and a batch keeps its index in a directory: name one$'
# Jobs that an index had and that are no input now are counted, but not those that were deleted.
mkdir -p keep/a keep/b
cp n/team-a/bert/rank0.json keep/a
cp n/team-a/bert/rank0.json keep/b
t_run 0 batch keep/a keep/b -o kept -q
t_no_err 'goes without'
t_run 0 batch keep -o kept -q
t_no_err 'goes without'
t_run 0 batch keep/a -o kept -q
t_err '^tracecoach: kept/index.db: goes without 1 job that it had'
t_run 0 batch keep -o kept -q
t_run 0 import keep -o two.db
t_no_err 'makes an index' # two jobs are no fleet
rm -r keep/b
t_run 0 batch keep -o kept -q
t_no_err 'goes without'
# Where the engine says which shard it is.
t_env='SLURM_ARRAY_TASK_ID=14 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=8'
env $t_env "$tool" batch n -o engines -q --shard auto >"$out" 2>"$err"
[ -e engines/shard-2-of-8.db ] || t_fail "no shard 2 of 8: $(ls engines)"
t_env='JOB_COMPLETION_INDEX=5'
t_run 2 batch n -o engines -q --shard auto
t_err 'how many shards'
env $t_env "$tool" batch n -o engines -q --shard auto/8 >"$out" 2>"$err"
[ -e engines/shard-5-of-8.db ] || t_fail "no shard 5 of 8: $(ls engines)"
t_env='SLURM_ARRAY_TASK_ID=5'
t_run 2 batch n -o engines -q --shard auto/8
t_err 'SLURM_ARRAY_TASK_ID and _MIN'
t_env=
t_run 2 batch n -o engines -q --shard auto
for bad in 8/8 x/8 1 1/0 0/0 -1/2 1/2/3 1/99999999999999999999 0/1000001 /8 ''; do
	t_run 2 batch n -o engines -q --shard "$bad"
	t_error
done

# A log that is cut or damaged anywhere loses what it must, and no more is wrong.
rm -rf killed
"$tool" batch n -o killed -q >"$out" 2>"$err" &
pid=$!
while [ ! -s killed/index.log ] || [ "$(wc -c <killed/index.log)" -lt 20000 ]; do
	kill -0 $pid 2>/dev/null || break
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
if [ -e killed/index.log ]; then
	cp -r killed cut
	head -c 15000 killed/index.log >cut/index.log
	t_run 5 batch n -o cut -q
	t_same cut/index.db ref/index.db
	printf 'damage' | dd of=killed/index.log bs=1 seek=9000 conv=notrunc 2>/dev/null
	t_run 5 batch n -o killed -q
	t_same killed/index.db ref/index.db
fi

# A worker that dies of a trace leaves a row, and the trace to the next run.
t_ok 'a large trace' "$gen" --bytes 60000000 -o n/flat/large.json
"$tool" batch n -o crash -q -j 1 --one-thread >"$out" 2>"$err" &
pid=$!
while kill -0 $pid 2>/dev/null; do
	for child in $(cat "/proc/$pid/task/$pid/children" 2>/dev/null); do
		case $(ls -l "/proc/$child/fd" 2>/dev/null) in
		*/large.json*) kill -KILL "$child" && break 2 ;;
		esac
	done
done
t_what='a batch with a worker that died'
wait $pid
t_check $? 5
asks crash "SELECT state, reason FROM trace WHERE path = 'flat/large.json'" \
	'stopped,"the process that read it was ended by SIGKILL, as the system does when memory is out"'
t_run 5 batch n -o crash -q
asks crash "SELECT state FROM trace WHERE path = 'flat/large.json'" done
# So it is when nothing else is left to read.
mkdir last
mv n/flat/large.json last
"$tool" batch last -o last-out -q -j 1 >"$out" 2>"$err" &
pid=$!
while kill -0 $pid 2>/dev/null; do
	for child in $(cat "/proc/$pid/task/$pid/children" 2>/dev/null); do
		[ ! -e killed-it ] && kill -KILL "$child" && : >killed-it
	done
	sleep 0.02
done
t_what='a batch whose last worker died'
wait $pid
t_check $? 3
asks last-out "SELECT state FROM trace" stopped
t_run 0 batch last -o last-out -q
mv last/large.json n/flat/

# Sanitizers need more address space than any limit gives.
if ! grep -q '^TC_SANITIZE:.*=.' "$TC_BUILD_DIR/CMakeCache.txt" 2>/dev/null; then
	t_run 3 batch n -o limited --max-memory 1 -q
	asks limited "SELECT count(*) FROM trace WHERE state = 'done'" 0
fi
rm n/flat/large.json

# Interrupted: what was read is kept, and the exit code tells.
"$tool" batch n -o stopped -q -j 1 >"$out" 2>"$err" &
pid=$!
while [ ! -s stopped/index.log ] && kill -0 $pid 2>/dev/null; do :; done
t_what='a second batch at once'
"$tool" batch n -o stopped -q >"$out" 2>"$err"
second=$?
kill -TERM $pid 2>/dev/null
wait $pid
first=$?
if [ $first -eq 130 ]; then
	t_check $second 2
	[ ! -e stopped/index.db ] || t_fail 'an interrupted batch wrote an index'
fi
t_run 5 batch n -o stopped -q
t_same stopped/index.db ref/index.db

# Beside a trace that is read, what cannot be opened is tried again as well.
mkdir two
cp n/team-b/vit/rank0.json two
ln -s /nowhere two/rank1.json
t_run 5 batch two -o two-out -q
asks two-out 'SELECT state FROM trace ORDER BY id' 'done
stopped'
t_run 5 batch two -o two-out
t_out '[(]2 read now, 0 as before[)]'

# Only an index is replaced.
mkdir taken
cp one.db taken/index.db
t_run 2 batch n -o taken -q
t_err 'is not an index'
t_same one.db taken/index.db
# The files of jobs are named after their directories. A trace with such a name is not written over, whether it
# is below OUT/jobs because the traces are there, or because OUT is their directory.
for out_dir in . jobs; do
	rm -rf own
	mkdir -p own/jobs/a own/jobs/jobs
	cp "$root/testdata/trace_example.json" own/jobs/a/t.json
	trace=own/jobs/a.json
	[ $out_dir = . ] || trace=own/jobs/jobs/a.json
	cp own/jobs/a/t.json "$trace"
	cd own || exit 1
	t_run 5 batch jobs --keep-stores -o $out_dir -q
	cd ..
	t_err 'left out: a/t.json: .*a\.json: is read, so it is not written over'
	t_same own/jobs/a/t.json "$trace"
done
# Nor is the trace of another shard: each shard knows its own jobs alone. A report of an earlier time is.
for job in 1 2 3 4 5 6; do
	rm -rf own
	mkdir -p own/jobs own/job$job
	cp "$root/testdata/trace_example.json" own/jobs/job$job.json
	cp own/jobs/job$job.json own/job$job/t.json
	cd own || exit 1
	for shard in 0 1; do
		"$tool" batch . -o . -q --shard $shard/2 --keep-stores >/dev/null 2>>"$err"
	done
	cd ..
	t_same own/job$job/t.json own/jobs/job$job.json
	rm own/jobs/job$job.json
	cd own || exit 1
	for time in 1 2; do
		for shard in 0 1; do
			"$tool" batch . -o . -q --shard $shard/2 --keep-stores --set "host-bound.kept_ratio=0.$time" >/dev/null 2>"$err"
			t_code=$?
			[ $t_code = 0 ] || [ $t_code = 3 ] || t_fail "job $job, time $time, shard $shard: $t_code"
		done
	done
	cd ..
	grep -q schema_version own/jobs/job$job.json || t_fail "no report of job$job"
done
# A directory that is called like a file of another job is not in its way, nor is one with its mark.
rm -rf own
mkdir -p own/a own/a.json/b own/a.json_/b own/a.db own/x.html/b own/root
for job in a a.json/b a.json_/b a.db x.html/b root .; do cp "$root/testdata/trace_example.json" own/$job/t.json; done
t_run 0 batch own -o own-out --keep-stores -q
(cd own-out/jobs && find . -name '*.db' -type f | LC_ALL=C sort) >names-kept
printf '%s\n' ./a.db ./a.db.db ./a.json_/b.db ./a.json__/b.db ./root.db ./root_.db ./x.html_/b.db >names-want
t_same names-kept names-want
t_run 0 batch own -o own-out --keep-stores
t_out '[(]0 read now, 7 as before[)]'
t_run 0 report own-out --format html -o own-out/index.html
t_ok 'the links lead there' grep -q 'jobs/x\.html_/b\.html' own-out/index.html
t_end
