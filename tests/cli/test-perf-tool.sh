# Under the name habana_perf_tool: --trace FILE, and the lines of that tool.
. "$(dirname "$0")/lib.sh"

ln -s "$tool" habana_perf_tool
t_what='habana_perf_tool --trace'
./habana_perf_tool --trace "$example" </dev/null >"$out" 2>"$err"
t_check $? 0
if "$tool" analyze --help | grep -q '^  perf-tool '; then
	cat "$out" "$err" >both
	grep -q ' - pytorch_profiler - DEBUG - Device ratio: ' both || t_fail 'no Device ratio'
	t_run 0 analyze --format perf-tool "$example"
	t_out ' - pytorch_profiler - DEBUG - Host Summary DataLoader: '
fi
t_what='habana_perf_tool without a trace'
./habana_perf_tool </dev/null >"$out" 2>"$err"
t_check $? 2
grep -q -e '--trace FILE' "$err" || t_fail 'it does not say to give --trace FILE'

t_run 0 analyze --format perf-tool "$root/testdata/heuristics/small-gradient-buckets/fires.json"
t_err 'warning: .* is a cuda trace: .* use --format text'
t_run 0 analyze --format perf-tool "$example"
t_no_err .
t_end
