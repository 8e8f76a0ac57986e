# One amount, one number: what reports, the index of a batch, comparisons and what-if say of idle time, its causes,
# unrecorded work, steps, wall time and gains.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || t_skip 'no python3'

# Jobs: with a late rank; with one whose recording is the shortest, or of two steps; with none, where another rank is the
# longest; of one step each, which start apart.
ranks() {
	mkdir "$1"
	for r in 0 1 2; do
		"${TC_TRACEGEN:-$(dirname "$tool")/tracegen}" --format cuda --steps $(($2 - r * ${4:-0})) --rank $r --world-size 3 --seed $((r + 1)) --problem "$3" -o "$1/$r.json"
	done
}
ranks late 6 rank-straggler
ranks short 9 rank-straggler 2
ranks two 2 rank-straggler
ranks even 5 dataloader
ranks one 1 host-bound
sed '/"traceEvents"/a {"ph": "X", "cat": "cpu_op", "name": "aten::empty", "pid": 1, "tid": 1, "ts": 3001234557000, "dur": 5},' one/1.json >one.json &&
	mv one.json one/1.json
t_what='amounts'
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/cli/amounts.py" "$tool" "$example" \
	"$root"/testdata/heuristics/unrecorded-work/fires-wait.json \
	"$root"/testdata/heuristics/host-bound/fires.json \
	$(ls "$root"/testdata/heuristics/*/fires.json | awk 'NR % 3 == 0') late short two even one >"$out" 2>"$err" ||
	t_fail "$(cat "$out" "$err")"
t_end
