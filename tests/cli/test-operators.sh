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
# Each moment of a device counts once in a table: operations, phases and operators add up to its busy
# time, and an operation has one time, whichever table shows it.
for store in random1.db random3.db; do
	t_run 0 query $store "SELECT (SELECT sum(exclusive_ns) FROM op_kernel) - value AS kernels,
		(SELECT sum(exclusive_ns) FROM phase_total) - value AS phases,
		(SELECT sum(dur_ns) FROM op_total) > value AS overlap
		FROM metric WHERE name = 'device_busy_ns' AND device IS NULL AND step IS NULL" --format csv
	t_out '^0,0,1$'
done
t_run 0 analyze "$example" --details --top 100 --width 140
t_python 'an operation has one time in all tables, and no table exceeds the run' "
import re
units = {'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9}
lines = open('$out').read().split('\n')
def table(heading):
    rows = {}
    for line in lines[lines.index(heading) + 2:]:
        cells = re.match(r' +([0-9.,]+) (ns|us|ms|s) .* (\S+)$', line)
        if not cells:
            return rows
        name = cells[3]
        rows[name] = rows.get(name, 0) + float(cells[1].replace(',', '')) * units[cells[2]]
first, second = table('Device operations by exclusive time'), table('Device operations by operator')
assert len(first) > 15 and first.keys() == second.keys(), (first, second)
for name in first:
    assert abs(first[name] - second[name]) <= first[name] / 500, (name, first[name], second[name])
assert sum(second.values()) < 450.7e6
words = next(line for line in lines if line.startswith('  other ')).split()
assert float(words[1]) * units[words[2]] < 450.7e6, words"
# The SQL of the README has the same times.
readme=$(sed -n 's/^tracecoach query trace.db "\(.*\)"$/\1/p' "$root/README.md")
t_run 0 import -q "$example" -o example.db
t_run 0 query example.db "SELECT count(*) FROM ($readme) r JOIN (SELECT name, sum(exclusive_ns) AS ns FROM op_kernel
	GROUP BY name) k USING (name) WHERE k.ns = r.device_ns" --format csv
t_out '^10$'
# Its numbers come first: a name may be as long as a C++ signature.
t_run 0 query example.db "$readme" --format csv
t_out '^device_ns,name$'
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
# Both have them in one order.
python3 - <<'END' >order.json
import json
import random
roll, events, at = random.Random(3), [], 0
def add(category, name, ts, dur, tid=1, pid=7, **args):
    events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts,
                   "dur": dur, "args": args})
for i in range(60):
    layer, size = "nn.Module: Layer_%d" % roll.randrange(8), roll.choice([2, 4, 8, 0])
    args = {"Sequence number": i, "Fwd thread id": 0, **({"Input Dims": [[size, 3]]} if size else {})}
    add("python_function", layer, at, 50)
    add("cpu_op", "aten::op%d" % roll.randrange(6), at + 1, 45, **args)
    add("cuda_runtime", "cudaLaunchKernel", at + 5, 3, correlation=2 * i + 1)
    add("cpu_op", "Backward%d" % roll.randrange(3), at + 60, 30, tid=2,
        **{"Sequence number": i, "Fwd thread id": 1})
    add("cuda_runtime", "cudaLaunchKernel", at + 65, 3, tid=2, correlation=2 * i + 2)
    for k in (1, 2):
        stream = roll.choice([7, 20])
        add("kernel", "kernel%d" % roll.randrange(5), at + 10 + 60 * (k - 1), roll.randrange(9, 70), stream, 0,
            correlation=2 * i + k, device=0, stream=stream)
    at += 100
print(json.dumps({"traceEvents": events}))
END
t_run 0 import -q order.json -o order.db
t_run 0 analyze order.db --details --top 6 --width 140
mv "$out" order.txt
t_run 0 analyze order.db --format json --top 6
t_python 'text and JSON have the same rows in the same order' "
import json, re
lines = open('order.txt').read().split('\n')
trace = json.load(open('$out'))['traces'][0]['operators']
def column(heading, at):
    start = lines.index(heading) + 2
    end = min(start + 6, lines.index('', start))
    return [re.split('  +', line.strip())[at] for line in lines[start:end]]
assert column('Operators by device time', -1) == [row['name'] for row in trace['by_name']]
assert column('Modules and ranges', -1) == [row['name'] for row in trace['modules']]
assert column('Phases', 0) == [row['phase'] for row in trace['phases']]
assert list(zip(column('Operators by sizes of inputs', -2), column('Operators by sizes of inputs', -1))) \
    == [(row['name'], row['input_dims'] or '-') for row in trace['by_shape']]"
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
# Replays of a graph count for the operators that were captured, if as many calls of the same kinds were.
python3 - <<'END'
import json
events = []
def add(category, name, ts, dur, tid=1, pid=7, **args):
    events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts,
                   "dur": dur, "args": args})
add("python_function", "train.py(1): main", 0, 2000)
add("python_function", "nn.Module: Net_0", 0, 100)
add("cuda_runtime", "cudaStreamBeginCapture", 1, 1, correlation=90)
add("cpu_op", "aten::mm", 5, 20, **{"Input Dims": [[2, 3], [3, 4]], "Input type": ["float", "float"]})
add("cuda_runtime", "cudaLaunchKernel", 8, 2, correlation=1)
add("cpu_op", "aten::copy_", 30, 10)
add("cuda_runtime", "cudaMemcpyAsync", 32, 2, correlation=2)
add("cpu_op", "aten::add", 45, 10)
add("cuda_runtime", "cudaLaunchKernel", 46, 2, correlation=3)
add("cuda_runtime", "cudaStreamEndCapture", 60, 1, correlation=91)
add("cuda_runtime", "cudaGraphInstantiate", 70, 9, correlation=92)
for i, work in enumerate([[40, 5, 10], [41, 6, 11], [7, 8]]):
    ts = 200 + i * 200
    add("cpu_op", "CompiledFunction", ts, 50)
    add("cuda_runtime", "cudaGraphLaunch", ts + 5, 10, correlation=10 + i)
    at = ts + 20
    for name, dur in zip(["gemm", "Memcpy DtoD", "add"], work):
        add("gpu_memcpy" if "Memcpy" in name else "kernel", name, at, dur, 20, 0, correlation=10 + i,
            device=0, stream=20)
        at += dur + 1
json.dump({"traceEvents": events}, open("graph.json", "w"))
END
t_run 0 import -q graph.json -o graph.db
t_run 0 query graph.db "SELECT name, device_count, device_self_ns, device_ns FROM operator_total
	WHERE device_ns > 0 ORDER BY name" --format csv
cat >"$t_top/want" <<'END'
name,device_count,device_self_ns,device_ns
CompiledFunction,2,15000,128000
aten::add,2,21000,21000
aten::copy_,2,11000,11000
aten::mm,2,81000,81000
END
t_same "$out" "$t_top/want"
t_run 0 query graph.db "SELECT input_dims, device_self_ns FROM operator_shape WHERE name = 'aten::mm'" \
	--format csv
t_out '^"\[\[2,3\],\[3,4\]\]",81000$'
# A captured product runs in two replays, not at its capture.
t_run 0 query graph.db "SELECT count, flops, device_ns, 1e9 * flops * count / device_ns = flops_per_s AS same
	FROM roofline WHERE name = 'aten::mm'" --format csv
t_out '^2,48,81000,1$'
t_run 0 query graph.db "SELECT operator, module, call, captured_call, name, sum(count) AS n FROM op_kernel
	GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 5" --format csv
cat >"$t_top/want" <<'END'
operator,module,call,captured_call,name,n
CompiledFunction,,cudaGraphLaunch,,Memcpy DtoD,1
CompiledFunction,,cudaGraphLaunch,,gemm,1
aten::add,nn.Module: Net_0,cudaGraphLaunch,cudaLaunchKernel,add,2
aten::copy_,nn.Module: Net_0,cudaGraphLaunch,cudaMemcpyAsync,Memcpy DtoD,2
aten::mm,nn.Module: Net_0,cudaGraphLaunch,cudaLaunchKernel,gemm,2
END
t_same "$out" "$t_top/want"
t_run 0 query graph.db "SELECT name, device_ns FROM python_total UNION ALL
	SELECT name, device_ns FROM module_total" --format csv
t_out '^train.py.1.: main,128000$'
t_out '^nn.Module: Net_0,113000$'
t_run 0 analyze graph.db --details
t_out '15.00 us of it ran in graphs whose capture is not known'
# The same from another trace, or its store, that has the capture.
python3 - <<'END'
import json
events = json.load(open("graph.json"))["traceEvents"]
json.dump({"traceEvents": [e for e in events if e["ts"] < 100]}, open("capture.json", "w"))
json.dump({"traceEvents": [e for e in events if e["ts"] >= 100]}, open("replay.json", "w"))
END
t_run 0 import -q capture.json -o capture.db
t_run 0 query capture.db 'SELECT position, name, is_kernel FROM captured_call c JOIN op_tree n ON n.id = c.node_id' \
	--format csv
cat >"$t_top/want" <<'END'
position,name,is_kernel
0,aten::mm,
1,cudaLaunchKernel,1
2,aten::copy_,
3,cudaMemcpyAsync,0
4,aten::add,
5,cudaLaunchKernel,1
END
t_same "$out" "$t_top/want"
kernels="SELECT operator, module, call, captured_call, name, sum(count) AS n FROM op_kernel
	GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 5"
t_run 0 query graph.db "$kernels" --format csv
cp "$out" "$t_top/want"
mkdir captures
cp capture.json captures
for from in capture.json capture.db captures; do
	t_run 0 import -q replay.json --capture $from -o replay.db
	t_run 0 query replay.db "$kernels" --format csv
	t_same "$out" "$t_top/want"
	t_run 0 query replay.db "SELECT s.input_dims, s.device_self_ns, s.count, r.count, r.flops, r.bytes
		FROM operator_shape s JOIN roofline r USING (name, input_dims)" --format csv
	t_out '^"\[\[2,3\],\[3,4\]\]",81000,2,2,48,104$'
	t_run 0 import -q --again replay.db -o again.db
	t_same again.db replay.db
done
mv captures elsewhere
t_run 3 import -q --again replay.db -o again.db
t_err 'cannot open captures, which replay.db was made of'
mv elsewhere captures
# Several traces at once, and one behind the other, have the same rows.
t_run 0 import -q replay.json replay.json graph.json --capture capture.json -o three.db
t_run 0 import -q --one-thread replay.json replay.json graph.json --capture capture.json -o one.db
t_same three.db one.db
t_run 3 import -q replay.json --capture replay.json -o no.db
t_err 'replay.json: no graph is captured in it'
t_run 2 analyze replay.db --capture capture.json
t_err 'capture is too late'
t_run 3 import -q replay.json --capture nosuch.json -o no.db
# Captured twice with other sizes: the operators are known, the sizes are not.
python3 - <<'END'
import json
trace = json.load(open("graph.json"))
again = [dict(e, ts=e["ts"] + 100) for e in trace["traceEvents"] if e["ts"] < 80 and "main" not in e["name"]]
for e in again:
    if e["name"] == "aten::mm":
        e["args"] = {"Input Dims": [[9, 3], [3, 4]], "Input type": ["float", "float"]}
    elif "correlation" in e["args"]:
        e["args"] = {"correlation": e["args"]["correlation"] + 100}
trace["traceEvents"] += again
json.dump(trace, open("twice.json", "w"))
END
t_run 0 import -q twice.json -o twice.db
t_run 0 query twice.db "SELECT name, device_self_ns FROM operator_total WHERE device_self_ns > 0" --format csv
t_out '^aten::mm,81000$'
t_run 0 query twice.db "SELECT name, input_dims, device_self_ns FROM operator_shape WHERE device_self_ns > 0
	ORDER BY name" --format csv
t_out '^aten::mm,,81000$'
t_run 0 import -q replay.json --capture twice.json -o replay.db
t_run 0 query replay.db "SELECT operator, captured_call, sum(dur_ns) AS ns FROM op_kernel
	WHERE operator = 'aten::mm' GROUP BY 1, 2" --format csv
t_out '^aten::mm,cudaLaunchKernel,81000$'
# Captured twice at other places of the program: which of both a replay is of is not known.
sed 's/"aten::mm"/"aten::bmm"/2' twice.json >places.json
t_run 0 import -q places.json -o places.db
t_run 0 query places.db "SELECT name, device_self_ns FROM operator_total WHERE device_self_ns > 0" --format csv
t_out '^CompiledFunction,128000$'
# Old profilers write the frames beside each operator: they stand above the outermost ones.
python3 - <<'END'
import collections
import json
import random
roll = random.Random(8)
events, want, at = [], collections.defaultdict(lambda: [0, 0, 0]), 0
stacks = ["a.py(1): f;m.py(9): <module>", "a.py(1): f;a.py(2): g;m.py(9): <module>", "a.py(2): g;a.py(2): g;m.py(3): <module>", ""]
def add(category, name, ts, dur, **args):
    events.append({"ph": "X", "cat": category, "name": name, "pid": 7, "tid": 1, "ts": ts, "dur": dur, "args": args})
for i in range(60):
    stack, work = roll.choice(stacks), roll.randrange(1, 9)
    add("Operator", "aten::linear", at, 20, **{"Call stack": stack})
    add("Operator", "aten::mm", at + 2, 15, **{"Call stack": "other.py(1): h"})
    add("Runtime", "cudaLaunchKernel", at + 4, 3, correlation=i + 1)
    events.append({"ph": "X", "cat": "Kernel", "name": "gemm", "pid": 0, "tid": "stream 7", "ts": at + 30, "dur": work,
                   "args": {"correlation": i + 1, "device": 0, "stream": 7}})
    frames = stack.split(";") if stack else []
    for frame in set(frames):
        want[frame][0] += frames.count(frame)
        want[frame][1] += 20000
        want[frame][2] += work * 1000
    at += 50
json.dump({"traceEvents": events}, open("stacks.json", "w"))
with open("stacks.want", "w") as file:
    file.write("name,count,host_ns,device_ns\n")
    file.writelines("%s,%d,%d,%d\n" % (name, *row) for name, row in sorted(want.items()))
END
t_run 0 import -q stacks.json -o stacks.db
t_run 0 query stacks.db "SELECT name, count, host_ns, device_ns FROM python_total ORDER BY name" --format csv
t_same "$out" stacks.want
# Call stacks give lines of Python, so nothing says that there are no Python frames: their times are missing.
t_run 0 stacks.db --details
t_out '^Lines of Python$'
t_no_out 'no Python frames|Python stacks'
t_out 'times of Python frames'
# A path deeper than any real one takes no time, and the log says that its end is missing.
awk 'BEGIN {
	printf "["
	for (i = 0; i < 3000; i++)
		printf "%s{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"op%d\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": %d}\n",
			i ? "," : "", i, i, 10000 - i
	print "]"
}' >deep.json
t_run 0 import -q deep.json -o deep.db
t_run 0 query deep.db "SELECT count, (SELECT count(*) FROM op_tree), (SELECT sum(host_self_ns) FROM op_tree)
	FROM import_log WHERE kind = 'tree_limit'" --format csv
t_out '^1976,1024,10000000$'
t_end
