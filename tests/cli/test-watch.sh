# tracecoach watch: traces that come into a directory are read once, when they are complete, and signals end it.
. "$(dirname "$0")/lib.sh"
gen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}

start() { # start DIR OUT [OPTION...]: tells into the file told
	watched=$1 index=$2
	shift 2
	"$tool" watch "$watched" -o "$index" --settle 1 "$@" >>told 2>>errors &
	job=$!
}
has() { # has OUT COUNT: waits until the index has so many traces
	for i in $(seq 1200); do
		[ -f "$1/index.db" ] && [ "$("$tool" query "$1" 'SELECT count(*) FROM trace' --format csv 2>/dev/null | tail -1)" = "$2" ] && return 0
		sleep 0.1
	done
	return 1
}
ends() { # ends SIGNAL CODE
	kill "-$1" $job
	wait $job
	code=$?
	t_ok "$1 ends it with $2: $code" test $code -eq "$2"
}
told() { # told COUNT EXPRESSION: so many lines match
	t_ok "$1 lines of $2" test "$(grep -Ec "$2" told)" -eq "$1"
}

mkdir -p in/vit
: >told
: >errors
start in out
"$gen" --format cuda --problem dataloader -o whole.json
"$gen" --format cuda --problem dataloader --seed 2 -o second.json
# A writer that stops in the middle, for longer than a trace takes to settle.
head -c 60000 whole.json >in/bert.1.json
echo '{"settings": 1}' >in/config.json
"$gen" --format cuda -o in/vit/rank0.json
t_ok 'what is complete is read' has out 1
tail -c +60001 whole.json >>in/bert.1.json
t_ok 'so is what was completed' has out 2
cp second.json in/.part && mv in/.part in/bert.2.json
mkdir in/later && echo nonsense >in/later/empty.json
t_ok 'and what comes later, in a new directory, too' has out 4
# Nobody else writes there: the index of another directory would go without what the watch has read.
for t_second in batch watch; do
	t_run 2 $t_second in/vit -o out
	t_err '^tracecoach: out: a watch( or a batch)? is writing there: end it, or choose another place$'
done
t_run 0 batch in/vit -o other -q
t_run 2 merge other/index.db -o out/index.db
t_err '^tracecoach: out: a watch is writing there: end it, or choose another place$'
t_ok 'the index is still that of the watch' has out 4
ends TERM 0
told 1 '^vit: rank0\.json: [0-9.]+ ms a step; first fix: .+ \([a-z-]+\)$'
told 1 '^bert: bert\.1\.json: 69\.[0-9]+ ms a step; first fix: The device waits for the data loader \(dataloader-bound\)$'
told 1 '^bert: bert\.2\.json: [0-9.]+ ms a step, [0-9.]+ % (slower|faster) than bert\.1\.json; first fix: '
told 1 '^later:empty: empty\.json: left out: '
t_ok 'a line each' test "$(wc -l <told)" -eq 4
t_ok 'nothing else is said' test ! -s errors
t_run 0 query out "SELECT count(*) AS n FROM import_log" --format csv
t_out '^0$'

# Known traces are not told again, and one that has changed is.
start in out --poll 1
"$gen" --format cuda --seed 3 -o changed.json
cp changed.json in/vit/rank0.json
for i in $(seq 100); do
	[ "$(wc -l <told)" -gt 4 ] && break
	sleep 0.1
done
ends HUP 0
told 2 '^vit: rank0'
t_ok 'and no other' test "$(wc -l <told)" -eq 5
t_run 0 query out "SELECT path FROM trace ORDER BY path" --format csv
t_ok 'all are there' test "$(tail -n +2 "$out" | tr '\n' ' ')" = 'bert.1.json bert.2.json later/empty.json vit/rank0.json '

# What needs more memory than a process may have is told as any other trace that cannot be read. Sanitizers need more
# address space than any limit gives.
if ! grep -q '^TC_SANITIZE:.*=.' "$TC_BUILD_DIR/CMakeCache.txt" 2>/dev/null; then
	mkdir -p large/gpt
	cp whole.json large/gpt/
	: >told
	start large large-out --max-memory 1
	for i in $(seq 300); do
		[ -s told ] && break
		sleep 0.1
	done
	ends TERM 0
	told 1 '^gpt:whole: whole\.json: left out: .*memory'
	: >errors
fi

"$gen" --format cuda --steps 6 -o small.json

# A signal while traces are read: what was read is kept.
mkdir many
for i in $(seq 40); do
	cp small.json "many/run.$i.json"
done
: >errors
start many interrupted -j 1
for i in $(seq 200); do
	[ -s interrupted/index.log ] && [ "$(wc -c <interrupted/index.log)" -gt 3000 ] && break
	sleep 0.02
done
ends TERM 130
t_ok 'it says so' grep -q 'ended while traces were read' errors
start many interrupted
# The index is there before the lines are, and those of what was read before the signal are told, too.
for i in $(seq 1200); do
	[ "$(grep -c '^run: run' told)" -ge 40 ] && break
	sleep 0.1
done
told 40 '^run: run'
t_ok 'and goes on' has interrupted 40
ends TERM 0

# A signal ends it while it looks whether a trace goes to its end: 20 GB of blanks in 20 MB take a minute or more.
mkdir blanks
head -c 100000000 /dev/zero | tr '\0' ' ' | gzip >member
(printf '{"traceEvents": [' | gzip && for i in $(seq 200); do cat member; done) >blanks/bomb.json.gz
start blanks blanks-out
sleep 2
kill -TERM $job
for i in $(seq 50); do
	kill -0 $job 2>/dev/null || break
	sleep 0.1
done
t_ok 'a signal ends a look at compressed blanks' sh -c "! kill -0 $job 2>/dev/null"
kill -9 $job 2>/dev/null
wait $job 2>/dev/null
rm -r blanks member

# The unit for systemd is one, and starts a command that there is.
unit=$root/examples/systemd/tracecoach-watch.service
if command -v systemd-analyze >/dev/null; then
	mkdir -p unit && sed "s#/usr/bin/tracecoach#$tool#" "$unit" >unit/tracecoach-watch.service
	t_what='systemd-analyze verify'
	systemd-analyze verify --man=no unit/tracecoach-watch.service >"$out" 2>&1
	t_check $? 0
	t_no_out 'tracecoach-watch'
fi

# What cannot be.
t_run 2 watch in
t_error
t_run 3 watch missing -o out
t_error
t_run 3 watch whole.json -o out
t_error
t_run 2 watch in -o whole.json --settle 1
t_error
t_run 2 watch in out -o out2
t_error
t_end
