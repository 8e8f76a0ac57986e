# When memory is out, the exit code says so: 1 is that of a gate.
. "$(dirname "$0")/lib.sh"

[ -f "$TC_BUILD_DIR/CMakeCache.txt" ] || t_skip 'no build directory'
! grep -q '^TC_SANITIZE:.*=.' "$TC_BUILD_DIR/CMakeCache.txt" ||
	t_skip 'sanitizers have an allocator of their own'
cc -shared -fPIC -o "$t_top/fail.so" "$root/tests/cli/fail_malloc.c" -ldl 2>"$t_top/cc" ||
	t_skip "no allocator to preload: $(head -1 "$t_top/cc")"
t_small_trace
t_run 0 import -q small.json -o store.db
t_run 0 batch -q small.json -o jobs/

# fails AT [once]: the command $command while allocation AT fails, and those after it unless once.
# Nothing but "out of memory" may come of it: no crash, no loop, no other exit code, no half of an
# output. A program that can do without one allocation must write what it writes otherwise.
fails() {
	t_what="$command, allocation $1 fails${2:+ once}"
	rm -rf made made.db
	LD_PRELOAD=$t_top/fail.so TC_FAIL_MALLOC_AT=$1 TC_FAIL_MALLOC_ONCE=$2 \
		"$tool" $command </dev/null >"$out" 2>"$err"
	t_status=$?
	case $t_status in
	0)
		# popt leaves lines of a help out.
		[ "$command" = "$help" ] || [ -n "$2" ] || [ $1 -gt $((total - total / 20)) ] ||
			t_fail 'exit code 0, want 4'
		[ "$command" = "$help" ] || cmp -s "$out" "$t_top/want" || t_fail 'standard output changed'
		;;
	# Nor does it say when the list of arguments is lost, once, before it has read any.
	2)
		[ -n "$2" ] || t_fail 'exit code 2, want 4'
		t_err ': (nothing to read|takes .* arguments, not 0): '
		;;
	4)
		failures=$((failures + 1))
		t_err '^tracecoach: .*(out of memory|Cannot allocate memory)|^virtual memory exhausted'
		[ ! -e made.db ] || t_fail 'there is an output'
		;;
	3)
		[ "${command%% *}" = batch ] || t_fail 'exit code 3, want 0, 4 or 5'
		t_err '^tracecoach: left out: .*(out of memory|Cannot allocate memory)'
		;;
	5) t_err '^tracecoach: left out: .*(out of memory|Cannot allocate memory)' ;;
	*) t_fail "exit code $t_status, want 0, 3, 4 or 5" ;;
	esac
}

# Steps grow with the number: what a program begins with is different each time, what it does a hundred
# thousand allocations later is the same over and over.
help='import --help'
for command in "$help" 'import -q --one-thread small.json -o made.db' 'store.db' 'explain store.db 1' \
	'query store.db SELECT+1' 'compare store.db store.db' 'batch -q small.json -o made' 'report jobs' \
	'store.db --format html -o made.db'; do
	t_what=$command
	total=$(LD_PRELOAD=$t_top/fail.so TC_FAIL_MALLOC_COUNT=9 "$tool" $command 9>&1 >"$t_top/want" 2>"$err")
	failures=0 at=1
	while [ $at -le $total ]; do
		fails $at
		fails $((at + at / 8)) once
		at=$((at + 1 + at / 4))
	done
	[ $failures -gt 5 ] || t_fail "only $failures allocations could be made to fail"
	rm -rf made made.db
done

# The same with a limit on memory, which also meets what libraries allocate: from the least with which
# the program starts, until it has all it needs.
within() { # within KB ARG...
	t_limit=$1
	shift
	(ulimit -v "$t_limit" && exec "$tool" "$@") </dev/null >"$out" 2>"$err"
}
limit=4000
while ! within $limit --version && [ $limit -lt 400000 ]; do
	limit=$((limit + 100))
done
limit=$((limit - 100))
refused=0 worked=0
while [ $worked -lt 5 ] && [ $refused -lt 2000 ]; do
	t_what="query with $limit KB"
	within $limit query store.db 'SELECT 1'
	code=$?
	case $code in
	0) worked=$((worked + 1)) ;;
	4)
		refused=$((refused + 1))
		t_err '^tracecoach: .*out of memory$'
		;;
	127) ;; # the program could not be started
	*) t_fail "exit code $code, want 0 or 4" ;;
	esac
	limit=$((limit + 8))
done
t_ok "a limit is met ($refused times)" test $refused -gt 5
rm -r store.db jobs
t_files small.json
t_end
