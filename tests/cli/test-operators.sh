# Operators, modules, Python frames, phases and what each launched: the views of a store have the numbers
# that a count in the events of the trace has.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || t_skip 'no python3'

recount() { # recount TRACE STORE
	t_what="recount of $1"
	python3 "$root/tests/cli/operators-recount.py" "$tool" "$1" "$2" >"$out" 2>"$err" ||
		t_fail "$(cat "$out")"
}

for seed in 1 2 3 5 7; do
	python3 "$root/tests/cli/operators-random.py" $seed random$seed.json
	t_run 0 import -q random$seed.json -o random$seed.db
	recount random$seed.json random$seed.db
done
t_ok 'some work of the backward pass is known' test "$(
	"$tool" query random3.db 'SELECT count(*) > 0 FROM op_tree WHERE forward_id' --format csv | tail -1
)" = 1

# The work of all rows is the work of the trace.
t_run 0 query random1.db 'SELECT sum(dur_ns) - (SELECT sum(dur_ns) FROM op_total) AS d,
	sum(count) - (SELECT sum(count) FROM op_total) AS n FROM op_kernel' --format csv
t_out '^0,0$'
t_run 0 query random1.db 'SELECT sum(device_ns) - (SELECT sum(dur_ns) FROM op_total) AS d FROM phase_total' \
	--format csv
t_out '^0$'
# The details and the JSON have the same rows.
t_run 0 analyze random3.db --details
for heading in 'Phases' 'Operators by device time' 'Operators by sizes of inputs' \
	'Device operations by operator' 'Modules and ranges' 'Lines of Python'; do
	t_out "^$heading\$"
done
t_run 0 analyze random3.db --format json
t_python 'the JSON has the rows of the views' "import json, subprocess
trace = json.load(open('$out'))['traces'][0]['operators']
rows = json.loads(subprocess.run(['$tool', 'query', 'random3.db', 'SELECT * FROM operator_total',
	'--format', 'json'], capture_output=True).stdout)
rows = {row['name']: row for row in rows}
assert trace['by_name'] and trace['kernels'] and trace['modules'] and trace['python']
for row in trace['by_name']:
	assert all(rows[row['name']][key] == row[key] for key in row)
assert sum(row['device_ns'] for row in trace['phases']) == int(subprocess.run(['$tool', 'query',
	'random3.db', 'SELECT sum(dur_ns) FROM op_total', '--format', 'csv'],
	capture_output=True).stdout.split()[1])"
# One thread or several, the rows are the same.
t_run 0 import -q random1.json random2.json random3.json -o three.db
t_run 0 query three.db 'SELECT trace_id, sum(host_ns), sum(device_ns), sum(backward_ns) FROM operator_total
	GROUP BY trace_id' --format csv
cp "$out" "$t_top/three"
{
	head -1 "$t_top/three"
	for n in 1 2 3; do
		"$tool" query random$n.db "SELECT $n - 1, sum(host_ns), sum(device_ns), sum(backward_ns)
			FROM operator_total" --format csv | tail -1
	done
} >"$t_top/each"
t_same "$t_top/three" "$t_top/each"
t_end
