# One amount, one number: what reports, the index of a batch, comparisons and what-if say of idle time, its causes,
# unrecorded work, steps, wall time and gains.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || t_skip 'no python3'

t_what='amounts'
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/cli/amounts.py" "$tool" "$example" \
	"$root"/testdata/heuristics/unrecorded-work/fires-wait.json \
	$(ls "$root"/testdata/heuristics/*/fires.json | awk 'NR % 3 == 0') >"$out" 2>"$err" ||
	t_fail "$(cat "$out" "$err")"
t_end
