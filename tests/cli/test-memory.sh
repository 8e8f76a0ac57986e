# When memory is out, the exit code says so: 1 is that of a gate.
. "$(dirname "$0")/lib.sh"

[ -f "$TC_BUILD_DIR/CMakeCache.txt" ] || t_skip 'no build directory'
! grep -q '^TC_SANITIZE:.*=.' "$TC_BUILD_DIR/CMakeCache.txt" ||
	t_skip 'sanitizers have an allocator of their own'
cc -shared -fPIC -o "$t_top/fail.so" "$root/tests/cli/fail_malloc.c" -ldl 2>"$t_top/cc" ||
	t_skip "no allocator to preload: $(head -1 "$t_top/cc")"
t_small_trace
t_what=start
failures=0
at=1
while [ $at -le 60 ]; do
	for command in 'small.json --only no-steps --set no-steps.enabled=no --trace small.json' \
		'import --help'; do
		LD_PRELOAD=$t_top/fail.so TC_FAIL_MALLOC_AT=$at "$tool" $command >"$out" 2>"$err"
		code=$?
		case $code in
		0) ;;
		4)
			failures=$((failures + 1))
			t_what="allocation $at of popt"
			t_err '^tracecoach: out of memory$'
			;;
		*) t_fail "allocation $at of popt: exit code $code, want 0 or 4" ;;
		esac
	done
	at=$((at + 1))
done
[ $failures -gt 5 ] || t_fail "only $failures allocations could be made to fail"

# The same with a limit on memory, which also meets what libraries allocate: from the least with which
# the program starts, until it has all it needs.
within() { # within KB ARG...
	t_limit=$1
	shift
	# A locale that takes memory: with the least, no limit meets libseccomp.
	(ulimit -v "$t_limit" && LC_ALL=C.UTF-8 exec "$tool" "$@") </dev/null >"$out" 2>"$err"
}
t_run 0 import -q small.json -o store.db
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
rm store.db
t_files small.json
t_end
