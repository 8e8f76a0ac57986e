# An interrupted import stops soon, says so with exit code 130 and leaves nothing.
. "$(dirname "$0")/lib.sh"
TMPDIR=$t_top/tmp
export TMPDIR
mkdir "$TMPDIR"

# A trace that never ends, fed slowly.
feed() {
	echo '{"traceEvents": ['
	while :; do
		echo '{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1},'
		sleep 0.02
	done
}

# Waits until a process hears SIGTERM (where /proc says so): a busy machine may take long to start it.
hears() {
	for _ in $(seq 1200); do
		[ -r "/proc/$1/status" ] || return 0
		caught=$(sed -n 's/^SigCgt:.*\(.\{4\}\)$/\1/p' "/proc/$1/status")
		[ $((0x$caught >> 14 & 1)) -eq 0 ] || return 0
		sleep 0.05
	done
}

# interrupted SIGNAL ARG...: the program with the pipe as standard input, half a second later
interrupted() {
	signal=$1
	shift
	t_what="tracecoach $* and SIG$signal"
	# A shell's background jobs ignore SIGINT; give it back.
	env --default-signal=INT "$tool" "$@" <"$t_top/pipe" >"$out" 2>"$err" &
	job=$!
	hears "$job"
	sleep 0.5
	kill -s "$signal" "$job"
	(
		sleep 60
		kill -9 "$job"
	) >/dev/null 2>&1 &
	watch=$!
	wait "$job"
	t_check $? 130
	kill "$watch" 2>/dev/null
	t_error
	t_err 'interrupted'
	[ -z "$(ls -A "$TMPDIR")" ] || t_fail 'a temporary file was left'
}

# A pipe that nobody has open, also no child of a feeder that was ended a moment ago.
new_pipe() {
	rm -f "$t_top/pipe"
	mkfifo "$t_top/pipe"
}

reading() { # reading SIGNAL ARG...
	new_pipe
	feed >"$t_top/pipe" 2>/dev/null &
	feeder=$!
	interrupted "$@"
	t_err 'nothing was kept'
	kill "$feeder" 2>/dev/null
	wait "$feeder" 2>/dev/null
	t_files
}

# Somebody has begun to write, and writes no more: the thread that reads is not the one that hears the
# signal.
waiting() { # waiting SIGNAL ARG...
	new_pipe
	{
		echo '{"traceEvents": ['
		yes '{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1},' | head -n 20000
		sleep 60
	} >"$t_top/pipe" 2>/dev/null &
	feeder=$!
	interrupted "$@"
	kill "$feeder" 2>/dev/null
	wait "$feeder" 2>/dev/null
	t_files
}

querying() { # querying SIGNAL ARG...
	new_pipe
	: >"$t_top/pipe" &
	interrupted "$@"
}

# A FIFO for the report that nobody reads yet.
writing() { # writing SIGNAL ARG...
	new_pipe
	mkfifo "$t_top/report"
	: >"$t_top/pipe" &
	interrupted "$@"
	rm "$t_top/report"
}

env --default-signal=INT true 2>/dev/null || t_skip 'this env cannot give signals back'
reading INT import - -o x.db
reading INT analyze -
reading TERM analyze - --db x.db
waiting TERM analyze -
waiting INT import "$t_top/pipe" -o x.db
waiting TERM analyze "$t_top/pipe"

# SQL that takes long: of the user, in a rule before the store is sealed, and after.
endless='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)'
t_small_trace
t_run 0 import small.json -o small.db
querying INT query small.db "$endless SELECT 1 FROM n WHERE i < 0"
mkdir "$t_top/rules"
for n in 1 2 3 4 5 6 7 8; do
	cat >"$t_top/rules/$n.sql" <<END
-- id: slow-$n
-- title: Never ends
-- advice: Give it an end.
$endless SELECT 'x' AS subject, 1 AS gain_ns, 'measured' AS confidence, 1 AS count
FROM n WHERE i < 0
END
done
querying TERM analyze small.json --db x.db --rules "$t_top/rules"
querying INT analyze small.db --rules "$t_top/rules"
# Settings from a FIFO that nobody writes, and from one that somebody keeps open.
mkfifo "$t_top/report"
querying INT analyze small.db --config "$t_top/report"
exec 8<>"$t_top/report"
querying TERM analyze small.db --config "$t_top/report"
exec 8>&-
rm "$t_top/report"
writing INT analyze small.db -q -o "$t_top/report"
writing TERM query small.db 'SELECT 1' -o "$t_top/report"
t_files small.json small.db
t_end
