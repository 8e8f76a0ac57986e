# The work of devices over time: its parts add up to the busy time of the whole, and follow each other.
. "$(dirname "$0")/lib.sh"

# A device that works half of the first half, on two streams at once, and all of the second.
awk 'BEGIN {
	printf "{\"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA A100-SXM4-40GB\"}], \"traceEvents\": ["
	for (i = 0; i < 200; i++) {
		at = 1000 + 10 * i
		printf "%s{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": %d, \"args\": {\"device\": 0, \"stream\": 7}}", i ? "," : "", at, i < 100 ? 5 : 10
		printf ",{\"ph\": \"X\", \"cat\": \"gpu_memset\", \"name\": \"Memset (Device)\", \"pid\": 0, \"tid\": 8, \"ts\": %d, \"dur\": 4, \"args\": {\"device\": 0, \"stream\": 8}}", at + 1
	}
	print "]}"
}' >half.json
t_run 0 import -q half.json -o half.db
t_run 0 query half.db "SELECT DISTINCT part < 10, dur, busy_ns, compute_ns FROM busy_curve ORDER BY 1" --format csv
t_ok 'an idle half and a busy one' grep -qx '1,100000,50000,50000' "$out"
t_ok 'a part that is all busy' grep -qx '0,100000,100000,100000' "$out"
t_ok 'nothing else' test "$(wc -l <"$out")" -eq 3

# On real traces, of every device.
for trace in "${TC_SHARED:-}"/corpus/pytorch/*/*.json.gz "$root/testdata/trace_example.json"; do
	[ -f "$trace" ] || continue
	t_run 0 import -q "$trace" -o one.db
	t_run 0 query one.db "SELECT b.device, total(c.busy_ns), b.value, total(c.compute_ns), k.value FROM metric b JOIN metric k ON k.name = 'compute_busy_ns' AND k.device = b.device AND k.step IS NULL LEFT JOIN busy_curve c ON c.device = b.device WHERE b.name = 'device_busy_ns' AND b.step IS NULL GROUP BY b.device HAVING total(c.busy_ns) != b.value OR total(c.compute_ns) != k.value" --format csv
	t_ok "parts of $trace add up" test "$(wc -l <"$out")" -le 1
done
t_end
