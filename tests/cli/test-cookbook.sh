# docs/cookbook.md: every query runs on every kind of store and finds rows in one of them; some are
# counted again from the trace. So are those of docs/perfetto.md, which test-docs.sh runs.
. "$(dirname "$0")/lib.sh"

gen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}
"$gen" --format cuda --steps 3 -o cuda.json || t_fail tracegen
"$gen" --format gaudi-lazy --steps 3 --problem recompilation -o lazy.json || t_fail tracegen
mkdir ranks
for rank in 0 1; do
	"$gen" --format cuda --steps 3 --world-size 2 --rank $rank -o ranks/$rank.json || t_fail tracegen
done
head -c 20000 cuda.json >cut.json
for trace in cuda.json lazy.json ranks cut.json "$example"; do
	t_run 0 import -q $trace -o "$(basename $trace .json).db"
done
t_run 0 import -q cuda.json --index full -o full.db

mkdir sql
awk -v dir=sql '
/^### [0-9]+\./ { number = $2 + 0 }
/^```sql/ { file = sprintf("%s/%02d.sql", dir, number); next }
/^```/ { file = "" }
file { print > file }' "$root/docs/cookbook.md"
t_check "$(ls sql | wc -l)" 25
for query in sql/*.sql; do
	rows=0
	for store in *.db; do
		t_run 0 query $store --file $query --format csv
		rows=$((rows + $(wc -l <"$out") - 1))
	done
	t_ok "$query finds something" test $rows -gt 0
	t_run 0 query cuda.db --file $query --format csv
	cp "$out" lean.csv
	t_run 0 query full.db --file $query --format csv
	t_same "$out" lean.csv
done

answer() { # answer NUMBER STORE: as answer.json
	t_run 0 query $2 --file sql/$1.sql --format json -o answer.json
}
answer 06 cuda.db
t_python 'kernels are those of the trace' "
import json, collections
events = json.load(open('cuda.json'))['traceEvents']
count, total = collections.Counter(), collections.Counter()
for e in events:
    if e.get('cat') in ('kernel', 'gpu_memcpy', 'gpu_memset') and e.get('ph') == 'X':
        count[e['name']] += 1
        total[e['name']] += round(float(e['dur']) * 1000)
rows = json.load(open('answer.json'))
assert len(rows) == min(20, len(count))
for row in rows:
    assert row['count'] == count[row['name']], row
    assert abs(row['lane_ms'] * 1e6 - total[row['name']]) < 1, row"
answer 08 cuda.db
t_python 'copies are those of the trace' "
import json, collections
events = json.load(open('cuda.json'))['traceEvents']
count, size = collections.Counter(), collections.Counter()
for e in events:
    if e.get('cat') == 'gpu_memcpy':
        kind = e['name'].split()[1]
        count[kind] += 1
        size[kind] += e['args']['bytes']
for row in json.load(open('answer.json')):
    if row['copy'].startswith('Memset'):
        continue
    assert row['copies'] == count[row['copy']], row
    assert abs(row['megabytes'] * 1e6 - size[row['copy']]) < 1, row"
printf '%s' '{"traceEvents": [
{"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 0, "dur": 100},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 50},
{"ph": "X", "cat": "cpu_op", "name": "aten::empty", "pid": 1, "tid": 1, "ts": 20, "dur": 5},
{"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "pid": 0, "tid": 7, "ts": 30, "dur": 5, "args": {"device": 0, "stream": 7, "bytes": 8}}]}' >fill.json
t_run 0 import -q fill.json -o fill.db
answer 08 fill.db
t_ok 'fills have a name' grep -q '"copy": "Memset (Device)"' answer.json
answer 15 fill.db
t_ok 'slices are below the longest' grep -q 'aten::empty' answer.json
answer 16 cuda.db
t_python 'launches are below what encloses them' "
import json, collections
events = [e for e in json.load(open('cuda.json'))['traceEvents'] if e.get('ph') == 'X']
ns = lambda text: round(float(text) * 1000)
around = collections.Counter()
for e in events:
    if e['name'] not in ('cudaLaunchKernel', 'cudaLaunchKernelExC', 'cuLaunchKernel'):
        continue
    own = (ns(e['ts']), ns(e['ts']) + ns(e['dur']))
    outer = [o for o in events if o is not e and o['tid'] == e['tid'] and o['pid'] == e['pid']
        and ns(o['ts']) <= own[0] and ns(o['ts']) + ns(o['dur']) >= own[1]]
    if outer:
        around[max(outer, key=lambda o: (ns(o['ts']), -ns(o['dur'])))['name']] += 1
rows = json.load(open('answer.json'))
assert rows and [(r['around'], r['launches']) for r in rows] == sorted(
    around.items(), key=lambda item: (-item[1], item[0]))[:10], (rows, around)"
t_end
