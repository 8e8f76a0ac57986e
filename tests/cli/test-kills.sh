# Killed at random moments, an import, a join, a batch and a watch lose nothing, and the next run goes on: ten kills
# of each here, a hundred by hand with --full (some ten minutes). TC_SEED repeats the moments as far as the machine lets it.
. "$(dirname "$0")/lib.sh"
gen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}
kill_count=10
[ "$1" != --full ] || kill_count=100
seed=${TC_SEED:-$$}
echo "seed $seed"
TMPDIR=$t_top/tmp
export TMPDIR
mkdir "$TMPDIR"

# draw COUNT: $drawn is one of 0 to COUNT - 1.
draw() {
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	drawn=$((seed / 65536 % $1))
}

now_ms() {
	echo $(($(date +%s%N) / 1000000))
}

# lasts COMMAND...: $whole_ms is the time of an undisturbed run.
lasts() {
	begin_ms=$(now_ms)
	t_run "$@"
	whole_ms=$(($(now_ms) - begin_ms + 1))
}

# kills COMMAND...: starts it, and kills it at some moment of the time that it takes. $killed_count counts the runs that
# had not ended yet.
kills() {
	t_what="tracecoach $*, killed: seed $seed"
	draw "$whole_ms"
	"$tool" "$@" <"$t_stdin" >"$out" 2>"$err" &
	job=$!
	sleep $((drawn / 1000)).$(printf %03d $((drawn % 1000)))
	kill -9 $job 2>/dev/null
	wait $job 2>/dev/null
	[ $? -ne 137 ] || killed_count=$((killed_count + 1))
}

# A test in which everything has ended before it is killed shows nothing.
were_killed() {
	[ "$killed_count" -ge $((kill_count / 5)) ] || t_fail "only $killed_count of $kill_count runs of $1 were killed"
	echo "$1: $killed_count of $kill_count killed"
	killed_count=0
}

# SQLite's own files have a name for an instant, before anything is in them.
no_rests() {
	[ -z "$(find "$TMPDIR" -type f -size +0)" ] || t_fail 'a temporary file was left'
}

content() {
	[ ! -e to/job.db ] || cksum <to/job.db
}

# In the instant of replacing a file the whole store has a name of its own, which the next run removes.
beside_is_whole() {
	for beside in $(ls -A to | grep -vx job.db); do
		cmp -s "to/$beside" "$wanted" || t_fail "beside the store lies $beside, and it is not whole"
	done
}

# replaced_by WANTED FILE...: kills the import of these to OUT, where nothing, an earlier store or WANTED itself stands:
# it stays as it was, or becomes WANTED; what lies beside it is whole, and inputs are what they were.
replaced_by() {
	wanted=$1
	shift
	mkdir to
	cat "$@" | cksum >inputs.sum
	for _ in $(seq "$kill_count"); do
		draw 3
		case $drawn in
		0) rm -f to/job.db ;;
		1) cp earlier.db to/job.db ;;
		esac
		before=$(content)
		kills import -q "$@" -o to/job.db
		[ "$(content)" = "$before" ] || cmp -s to/job.db "$wanted" || t_fail 'something else was left'
		beside_is_whole
	done
	cat "$@" | cksum | cmp -s - inputs.sum || t_fail 'an input has changed'
	no_rests
	t_run 0 import -q "$@" -o to/job.db
	t_same to/job.db "$wanted"
	[ "$(ls -A to)" = job.db ] || t_fail "beside the store lies $(ls -A to)"
	rm -r to
}

killed_count=0
t_run 0 import -q "$example" -o earlier.db
for rank in 0 1 2 3; do
	"$gen" --format cuda --problem rank-straggler --steps 6 --rank $rank --world-size 4 -o rank$rank.json ||
		t_fail 'tracegen'
	t_run 0 import -q rank$rank.json -o rank$rank.db
done
lasts 0 import -q rank?.json -o direct.db
replaced_by direct.db rank0.json rank1.json rank2.json rank3.json
were_killed import
lasts 0 import -q rank?.db -o joined.db
replaced_by joined.db rank0.db rank1.db rank2.db rank3.db
were_killed join

# A batch goes on with what its log has. Its index is not there, or is whole, and so are the stores that it keeps. Some
# kills hit a process that reads a job, and not the batch: then a trace is left out, and the next batch reads it.
for job in $(seq 8); do
	mkdir -p "fleet/job$job"
	"$gen" --format cuda --steps 4 --seed "$job" -o "fleet/job$job/trace.json" || t_fail 'tracegen'
done
printf 'nonsense' >fleet/job3/bad.json
# Pages name the directory that they lie in.
lasts 5 batch fleet -o fleet-out -q --keep-stores
mv fleet-out undisturbed
undisturbed_ms=$whole_ms

# Kills a process that reads a job, if there is one.
kill_reader() {
	for reader in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
		kill -9 "$reader" 2>/dev/null
		return
	done
}

# So that it is read again.
begin_anew() {
	rm -rf fleet-out
	whole_ms=$undisturbed_ms
}

kept_are_whole() {
	for kept in fleet-out/jobs/*; do
		[ ! -e "$kept" ] || cmp -s "$kept" "undisturbed/jobs/${kept##*/}" || t_fail "$kept is not whole"
	done
}

begin_anew
for _ in $(seq "$kill_count"); do
	[ ! -e fleet-out/index.db ] || begin_anew
	kills batch fleet -o fleet-out -q --keep-stores
	[ ! -e fleet-out/index.db ] || t_same fleet-out/index.db undisturbed/index.db
	kept_are_whole
done
t_run 5 batch fleet -o fleet-out -q --keep-stores
t_same fleet-out/index.db undisturbed/index.db
[ ! -e fleet-out/index.log ] || t_fail 'the log is left'
were_killed batch
for _ in $(seq $((kill_count / 5))); do
	begin_anew
	draw "$whole_ms"
	"$tool" batch fleet -o fleet-out -q --keep-stores >"$out" 2>"$err" &
	job=$!
	sleep $((drawn / 1000)).$(printf %03d $((drawn % 1000)))
	kill_reader $job
	t_what="a batch of which a reader was killed: seed $seed"
	wait $job
	t_check $? 5
	t_run 5 batch fleet -o fleet-out -q --keep-stores
	t_same fleet-out/index.db undisturbed/index.db
	kept_are_whole
done
no_rests

# A watch is killed while traces come. At the end each is there once, with what an undisturbed watch says of it.
has() { # has OUT COUNT: waits until the index has so many traces
	for _ in $(seq 1200); do
		[ -f "$1/index.db" ] && [ "$("$tool" query "$1" 'SELECT count(*) FROM trace' --format csv 2>/dev/null | tail -1)" = "$2" ] && return 0
		sleep 0.1
	done
	return 1
}
watches() { # watches DIR OUT COUNT: an undisturbed watch, until it has so many
	"$tool" watch "$1" -o "$2" --settle 1 >"$out" 2>"$err" &
	job=$!
	t_what="tracecoach watch $1"
	has "$2" "$3" || t_fail "not all $3 traces are in the index: seed $seed"
	kill -TERM $job
	wait $job
	t_code=$?
	[ $t_code -eq 130 ] || t_check $t_code 0 # it may still tell what it has read
}
mkdir coming
whole_ms=1400
for number in $(seq "$kill_count"); do
	cp "fleet/job$((number % 8 + 1))/trace.json" "coming/.part"
	mv coming/.part "coming/run.$number.json"
	kills watch coming -o watch-out --settle 1
done
were_killed watch
cp -Rp coming calm
watches coming watch-out "$kill_count"
watches calm calm-out "$kill_count"
for index in watch-out calm-out; do
	for table in job trace run_metric finding import_log; do
		"$tool" query $index "SELECT * FROM $table" --format csv
	done >$index.csv
done
t_what='a watch that was killed'
t_same watch-out.csv calm-out.csv
[ "$(ls -A watch-out)" = index.db ] || t_fail "beside the index lies $(ls -A watch-out)"
no_rests
t_end
