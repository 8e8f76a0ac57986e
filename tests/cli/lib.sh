# The harness of the tests of the program. A test sources it, calls t_* and ends with t_end.
# Every test runs in an empty directory of its own, $dir; TC_TOOL is the program.
#
#   t_run CODE ARG...     runs the program with stdin from /dev/null (or $t_stdin) and the
#                         environment $t_env (NAME=VALUE words); its output is in $out and $err;
#                         anything but exit code CODE is a failure
#   t_out/t_err REGEX     a line of it matches
#   t_no_out/t_no_err REGEX
#   t_fits WIDTH          no line of stdout is wider
#   t_error               stderr is one line that starts with "tracecoach: "
#   t_files NAME...       these files, and no others, are in the directory
#   t_same FILE FILE      the files have the same bytes
#   t_ok WHAT COMMAND...  the command succeeds
#   t_python WHAT CODE    the Python code succeeds; not run where there is no python3
#   t_on_tmpfs SIZE COMMAND...
#                         runs it with a file system of that size at ./disk; 77 where that cannot be
#   t_skip WHY            ends the test as skipped

t_failed=0
t_stdin=/dev/null
t_env=
t_name=$(basename "$0")
t_what=start
root=${TC_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
tool=${TC_TOOL:-$root/build/release/tracecoach}
example=$root/testdata/trace_example.json
[ -x "$tool" ] || {
	echo "$t_name: no program at $tool: set TC_TOOL"
	exit 1
}
# What a user's terminal and locale are must not matter.
unset COLUMNS NO_COLOR
LC_ALL=C
TERM=xterm
export LC_ALL TERM
t_top=$(mktemp -d) || exit 1
dir=$t_top/work
out=$t_top/out
err=$t_top/err
mkdir "$dir"
trap 'chmod -R u+w "$t_top"; rm -rf "$t_top"' EXIT
trap 'exit 130' INT TERM HUP
cd "$dir" || exit 1

t_fail() {
	t_failed=$((t_failed + 1))
	echo "$t_name: FAIL: $t_what: $*"
	sed 's/^/    stderr: /' "$err" 2>/dev/null | head -5
}

t_run() {
	t_code=$1
	shift
	t_what="tracecoach $*"
	# $t_env is words.
	env $t_env "$tool" "$@" <"$t_stdin" >"$out" 2>"$err"
	t_check $? "$t_code"
}

t_check() {
	[ "$1" -eq "$2" ] || t_fail "exit code $1, want $2"
}

t_out() {
	grep -Eq -e "$1" "$out" || t_fail "no line of stdout matches '$1'"
}

t_err() {
	grep -Eq -e "$1" "$err" || t_fail "no line of stderr matches '$1'"
}

t_no_out() {
	! grep -Eq -e "$1" "$out" || t_fail "a line of stdout matches '$1'"
}

t_no_err() {
	! grep -Eq -e "$1" "$err" || t_fail "a line of stderr matches '$1'"
}

t_error() {
	[ "$(wc -l <"$err")" -eq 1 ] || t_fail "stderr has $(wc -l <"$err") lines, want 1"
	t_err '^tracecoach: ...'
	[ ! -s "$out" ] || t_fail "stdout is not empty"
}

t_files() {
	t_have=$(ls -A | tr '\n' ' ')
	t_want=$(for t_file in "$@"; do echo "$t_file"; done | LC_ALL=C sort | tr '\n' ' ')
	[ "$t_have" = "$t_want" ] ||
		t_fail "files are '$t_have', want '$t_want'"
}

# Commands to copy have lines of their own, however long.
t_fits() {
	awk -v most="$1" '/^ *([0-9]+ )?(tracecoach query|sqlite3) / { sql = 1 }
		length($0) > most && !sql && !/^ *([0-9]+ )?tracecoach (import|explain) / && !/ \\$/ { exit 1 }
		/"$/ { sql = 0 }' "$out" ||
		t_fail "a line is wider than $1"
}

t_same() {
	cmp "$1" "$2" >/dev/null || t_fail "$1 and $2 differ"
}

t_ok() {
	t_label=$1
	shift
	"$@" || t_fail "$t_label"
}

t_python() {
	command -v python3 >/dev/null || return 0
	python3 -c "$2" || t_fail "$1"
}

# The mount lies in a name space of its own, and goes with it however the test ends.
t_on_tmpfs() {
	t_size=$1
	shift
	t_apart="unshare --mount $([ "$(id -u)" -eq 0 ] || echo --map-root-user)"
	$t_apart true 2>/dev/null && mkdir disk || return 77
	$t_apart sh -c '
		mount -t tmpfs -o size="$1" none disk 2>/dev/null || exit 77
		shift
		exec "$@"' sh "$t_size" "$@"
	t_status=$?
	rmdir disk
	return $t_status
}

t_skip() {
	echo "$t_name: skipped: $*"
	[ "$t_failed" -eq 0 ] && exit 77
	exit 1
}

t_end() {
	[ "$t_failed" -eq 0 ] && echo "$t_name: ok"
	[ "$t_failed" -eq 0 ]
	exit
}

# BYTES of noise, the same each time. The first is no byte that JSON or a compressed file begins with:
# noise from the kernel begins like a list once in 128 runs.
t_noise() {
	LC_ALL=C awk -v n="$1" 'BEGIN {
		srand(7)
		printf "\211"
		while (--n)
			printf "%c", 1 + int(rand() * 255)
	}' </dev/null
}

# A trace with two steps, a host op and two kernels on a GPU, and its store small.db.
t_small_trace() {
	cat >small.json <<'END'
{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100", "numSms": 108}],
 "traceEvents": [
 {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "python"}},
 {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 1000, "dur": 1000},
 {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "pid": 1, "tid": 1, "ts": 2000, "dur": 1000},
 {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1100, "dur": 50.5, "args": {"Input Dims": [[2, 3], [3, 4]]}},
 {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1110, "dur": 5, "args": {"correlation": 7}},
 {"ph": "X", "cat": "kernel", "name": "gemm, \"fast\"", "pid": 0, "tid": 7, "ts": 1200, "dur": 300, "args": {"device": 0, "stream": 7, "correlation": 7}},
 {"ph": "X", "cat": "kernel", "name": "relu", "pid": 0, "tid": 7, "ts": 2200, "dur": 100.125, "args": {"device": 0, "stream": 7}}
]}
END
}
