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
t_files small.json
t_end
