# The examples in Python: with the standard library, and with pandas and matplotlib where they are.
. "$(dirname "$0")/lib.sh"

python=
for candidate in /usr/bin/python3 python3; do
	command -v $candidate >/dev/null && python=${python:-$candidate}
done
[ -n "$python" ] || t_skip 'no python3'
PATH=$(dirname "$tool"):$PATH
export PATH

t_what=findings.py
$python "$root/examples/python/findings.py" "$example" >"$out" 2>"$err"
t_check $? 0
gain=$("$tool" "$example" --quiet --format json --json-level summary |
	grep -o '"gain_ns": [0-9]*, "gain_low_ns"' | awk 'NR == 1 { printf "%.3f", $2 / 1e6 }')
t_out "^dataloader-bound +$gain ms\$"
t_ok 'five operations' test "$(grep -c ' x ' "$out")" -eq 5

# An export of Nsight Systems with its columns, on a clock that a double of microseconds does not hold.
$python - <<'END'
import sqlite3
db = sqlite3.connect("nsys.sqlite")
db.executescript("""
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT,
	globalPid INT, demangledName INT, shortName INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT,
	globalPid INT, bytes INT, copyKind INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT);
CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT, textId INT);
INSERT INTO StringIds VALUES (1, 'ampere_sgemm_32x32_tn'), (2, 'cudaLaunchKernel_v7000'), (3, 'step'), (4, 'cudaMemcpyAsync_v3020_ptsz');
""")
base, thread = 1694128201436207001, 900 << 24 | 901
db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, 5, 0, 1, 1, 2, 1, 1, 32, 1, 1)", (base + 40, base + 71))
db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, 0, 1, 7, 6, 0, 4096, 1)", (base + 80, base + 93))
db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, 5, 2)", (base + 10, base + 19, thread))
db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, 6, 4)", (base + 30, base + 35, thread))
db.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, NULL, ?, 3)", (base, base + 99, thread))
db.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, 'aten::mm, op_id = 4, seq = 12, sizes = [[2, 3], [3, 4]]', ?, NULL)", (base + 5, base + 25, thread))
db.execute("INSERT INTO NVTX_EVENTS VALUES (?, NULL, 34, 'mark', ?, NULL)", (base + 5, thread))
db.commit()
END
t_what=nsys_to_trace.py
$python "$root/examples/python/nsys_to_trace.py" nsys.sqlite nsys.json >"$out" 2>"$err"
t_check $? 0
t_run 0 import -q nsys.json -o nsys.db
t_run 0 query nsys.db --format csv "SELECT d.name, d.direction, d.dur, d.ts - l.ts AS delay, l.name AS call, d.args ->> 'bytes' AS bytes
	FROM device_op d JOIN slice l ON l.id = d.launch_slice_id ORDER BY d.ts"
t_ok 'work has its calls' test "$(tail -n +2 "$out")" = 'ampere_sgemm_32x32_tn,,31,30,cudaLaunchKernel,
Memcpy HtoD,HtoD,13,50,cudaMemcpyAsync,4096'
t_run 0 query nsys.db --format csv "SELECT name, count, host_ns, device_ns FROM operator_total UNION ALL
	SELECT name, count, host_ns, device_ns FROM module_total"
t_out '^aten::mm,1,20,31$'
t_out '^step,1,99,44$'
t_run 0 query nsys.db --format csv "SELECT input_dims FROM operator_shape"
t_out '^"\[\[2,3\],\[3,4\]\]"$'

if $python -c 'import pandas, matplotlib' 2>/dev/null; then
	t_run 0 import "$example" -o run.db
	t_what=steps.py
	MPLCONFIGDIR=$t_top $python "$root/examples/python/steps.py" run.db steps.png >"$out" 2>"$err"
	t_check $? 0
	# What it draws of a step adds up to the step.
	"$tool" query run.db --format csv "SELECT number || ' ' || dur FROM step" | tail -n +2 >steps
	t_ok 'the steps are those of the store' awk '
		FILENAME == "steps" { dur[$1] = $2 / 1e6; count++; next }
		$1 in dur { right += $NF - dur[$1] < 0.002 && dur[$1] - $NF < 0.002 }
		END { exit right != count }' steps "$out"
	t_ok 'there is a picture' grep -q PNG steps.png
fi
t_end
