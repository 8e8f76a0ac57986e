# The tests leave nothing behind, and ask for nothing that scripts/setup.sh does not install.
. "$(dirname "$0")/lib.sh"

# A test that is killed while it has something mounted.
if t_on_tmpfs 16k true; then
	grep -v ' /proc' /proc/self/mounts >"$t_top/before"
	cat >mounts.sh <<-END
		. "$root/tests/cli/lib.sh"
		t_on_tmpfs 16k sh -c 'touch disk/mark; echo \$\$ >"$dir/inside"; exec sleep 60'
	END
	TC_SOURCE_DIR=$root TC_TOOL=$tool TMPDIR=$dir sh mounts.sh &
	test_pid=$!
	for try in $(seq 1200); do
		[ -s inside ] && break
		sleep 0.1
	done
	t_ok 'the test has its disk' test -s inside
	t_ok 'nobody else sees the disk' test -z "$(find . -name mark)"
	kill -9 "$test_pid" "$(cat inside)"
	wait "$test_pid" 2>/dev/null
	grep -v ' /proc' /proc/self/mounts >"$t_top/after"
	t_same "$t_top/before" "$t_top/after"
fi
for test in "$root"/tests/cli/*.sh; do
	case $test in */lib.sh | */test-harness.sh) continue ;; esac
	t_ok "$(basename "$test") mounts with t_on_tmpfs" awk '/(^|[ ;(])u?mount -/ { exit 1 }' "$test"
	t_ok "$(basename "$test") looks for python3 before it uses it" awk '
		/command -v python3|if python3 -c/ { looked = 1 }
		/python3 -/ && !looked { exit 1 }' "$test"
done
t_end
