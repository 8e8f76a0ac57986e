# An interrupted import stops soon, says so with exit code 130 and leaves nothing.
. "$(dirname "$0")/lib.sh"
TMPDIR=$t_top/tmp
export TMPDIR
mkdir "$TMPDIR"
mkfifo "$t_top/pipe"

# A trace that never ends, fed slowly.
feed() {
	echo '{"traceEvents": ['
	while :; do
		echo '{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1},'
		sleep 0.02
	done
}

interrupted() { # interrupted SIGNAL ARG...
	signal=$1
	shift
	t_what="tracecoach $* and SIG$signal"
	feed >"$t_top/pipe" 2>/dev/null &
	feeder=$!
	# A shell's background jobs ignore SIGINT; give it back.
	env --default-signal=INT "$tool" "$@" <"$t_top/pipe" >"$out" 2>"$err" &
	job=$!
	sleep 0.5
	kill -s "$signal" "$job"
	(
		sleep 10
		kill -9 "$job"
	) >/dev/null 2>&1 &
	watch=$!
	wait "$job"
	t_check $? 130
	kill "$watch" "$feeder" 2>/dev/null
	wait "$feeder" 2>/dev/null
	t_error
	t_err 'interrupted'
	t_files
	[ -z "$(ls -A "$TMPDIR")" ] || t_fail 'a temporary file was left'
}

env --default-signal=INT true 2>/dev/null || t_skip 'this env cannot give signals back'
interrupted INT import - -o x.db
interrupted INT analyze -
interrupted TERM analyze - --db x.db
t_end
