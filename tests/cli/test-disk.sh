# A disk that fails at any moment ends a command with an error, and never with half a report.
. "$(dirname "$0")/lib.sh"

cc -shared -fPIC -o "$t_top/fail.so" "$root/tests/cli/fail_io.c" -ldl 2>"$t_top/cc" || {
	cat "$t_top/cc"
	t_skip 'no C compiler that makes a shared library'
}
nm -D "$tool" 2>/dev/null | grep -qE '__(asan|tsan)' && t_skip 'a sanitizer has to be the first library'

failing() { # failing AT ARG...: one operation on files fails
	at=$1
	shift
	TC_FAIL_IO_AT=$at TC_FAIL_IO_COUNT=$t_top/count LD_PRELOAD=$t_top/fail.so "$tool" "$@" \
		</dev/null >"$out" 2>"$err"
}

# One line says which operation failed and why, once. A store whose first bytes cannot be read is
# taken for a trace, and then it is a store after all.
says_why() {
	grep -q 'a store, not a trace' "$err" && return
	[ "$(grep -c '^tracecoach: ' "$err")" = 1 ] &&
		grep -qE 'Input/output error|No space left on device' "$err" &&
		! grep -qE "not an error|cannot .*cannot |cannot read .*No space${never:+|$never}" "$err"
}

try_all() { # try_all ARG...: some forty moments of a command, or as many as $tries
	failing 0 "$@" || t_fail 'it fails on a sound disk, too'
	cp "$out" "$t_top/good"
	count=$(cat "$t_top/count")
	t_ok "$* works on files" test "$count" -gt 10
	for at in $(seq 1 $((count / ${tries:-40} + 1)) "$count"); do
		t_what="tracecoach $*, operation $at of $count fails"
		failing "$at" "$@"
		code=$?
		case $code in
		0) cmp -s "$out" "$t_top/good" || t_fail 'exit code 0 with another output' ;;
		[2-5]) says_why || t_fail "exit code $code: $(cat "$err")" ;;
		*) t_fail "exit code $code" ;;
		esac
	done
}

cp "$root/testdata/heuristics/dataloader-bound/fires.json" trace.json
t_run 0 import -q trace.json -o store.db
try_all analyze -q trace.json
# On one thread the moments are the same each time.
tries=1000 try_all import -q --one-thread trace.json -o new.db
try_all analyze -q --one-thread trace.json
try_all analyze -q --one-thread trace.json --format json
try_all whatif -q --one-thread trace.json --fix dataloader-bound
never='cannot write' # a store that is only read
try_all analyze -q store.db --details
try_all analyze -q store.db --format json
try_all query store.db 'SELECT count(*) FROM slice'
t_end
