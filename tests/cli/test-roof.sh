# What below-roof says of slow kernels, and of the same runs with tuned ones.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || t_skip 'no python3'

t_what='twins'
python3 "$root/tests/cli/roof-twins.py" "$tool" >"$out" 2>"$err" || t_fail "$(cat "$out" "$err")"

t_what='kernel problems'
python3 "$root/tests/cli/kernel-problems.py" "$tool" >"$out" 2>"$err" || t_fail "$(cat "$out" "$err")"

t_what='planted problems'
python3 "$root/tests/cli/planted-problems.py" "$tool" >"$out" 2>"$err" || t_fail "$(cat "$out" "$err")"

# A store is replayed as its trace was.
python3 "$root/tests/cli/roof-twins.py" --write odd 1 >odd.json
t_run 0 import -q odd.json -o odd.db
t_run 0 query odd.db "SELECT gain_ns FROM whatif WHERE fix = 'below-roof'"
gain=$(sed -n '$p' "$out")
t_run 0 whatif odd.db --fix below-roof --format json
grep -q "\"gain_ns\": $gain" "$out" || t_fail "the store gains something else than $gain"

# Without a name of the device its cores and memory tell which one it is; without these, and kernels that
# tell its architecture, nothing is known, unless the user says it.
sed 's/"name": "NVIDIA H100 80GB HBM3", //; s/nvjet_/gemm_/g' odd.json >cores.json
t_run 0 analyze cores.json --only below-roof --width 100
t_out 'Kernels run far below what the device can do'
sed 's/"id": 0, "numSms"[^}]*/"id": 0/; s/, "blocks per SM": [0-9.]*//g' cores.json >nameless.json
t_run 0 analyze nameless.json --only below-roof --details
t_out 'no data sheet of the device'
t_run 0 analyze nameless.json --only below-roof --device H100 --width 100
t_out 'Kernels run far below what the device can do'
t_run 0 analyze nameless.json --only below-roof --device 910B2 --width 100 --details
t_out 'by the peaks of Ascend910B2'
t_run 2 analyze nameless.json --device Z99
t_err "no data sheet of such a device"
# Where roctracer records, the call has the grid, in threads; 0 blocks are none that are known.
launch() {
	printf '{"ph": "X", "cat": "%s", "name": "%s", "pid": %s, "tid": 1, "ts": %s, "dur": 2, "args": {"External id": %s%s}},' "$@"
}
{
	printf '{"traceEvents": ['
	launch cuda_runtime hipExtModuleLaunchKernel 9 1 1 ', "block dim": [256, 1, 1], "grid dim": [77824, 1, 1]'
	launch cuda_runtime hipLaunchKernel 9 4 2 ', "block dim": [256, 1, 1], "grid dim": [76, 2, 1]'
	launch cuda_runtime hipLaunchKernel 9 7 3 ''
	launch kernel a 0 11 1 ''
	launch kernel b 0 14 2 ''
	launch kernel c 0 17 3 ', "grid": [0, 0, 0]'
	printf '{}]}'
} >grids.json
t_run 0 import -q grids.json --device MI300X -o grids.db
t_run 0 query grids.db 'SELECT name, core_blocks FROM kernel_launch ORDER BY name' --format csv
t_ok 'grids of calls' test "$(sed 1d "$out" | tr '\n' ';')" = 'a,1.0;b,0.5;c,;'
# The blocks of a launch say how many cores there are, unless no device can have so many.
for grid in 1056,1,1:132 -1e300,1,1: 1e300,1e300,1: 1,x,1: :; do
	sed 's/"id": 0, "numSms"[^}]*/"id": 0/; s/"stream": 7,/"stream": 7, "grid": ['"${grid%:*}"'], "blocks per SM": 8,/' \
		cores.json >grid.json
	t_run 0 import -q grid.json -o grid.db
	t_run 0 query grid.db 'SELECT core_count FROM device_peak' --format csv
	t_ok "cores of grid $grid" test "$(sed -n 2p "$out")" = "${grid#*:}"
done
t_end
