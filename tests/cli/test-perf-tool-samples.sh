# The five public outputs of habana_perf_tool: a trace made from each one's numbers gives its lines
# again, from the file through import and tallies. '*' in the expected lines stands for what was
# not published or is in our words; how large the file was cannot be the same.
. "$(dirname "$0")/lib.sh"
tracegen=${TC_TRACEGEN:-$root/build/release/tracegen}
[ -x "$tracegen" ] || t_skip "no trace generator at $tracegen"

# Compares a file of expected patterns with a file of messages, line by line.
compare() {
	exec 3<"$1" 4<"$2"
	while IFS= read -r want <&3; do
		IFS= read -r got <&4 || got='(no line)'
		# shellcheck disable=SC2254 # the pattern is meant as one
		case $want in
		'Import Data'*) continue ;;
		*) pattern=$(printf '%s' "$want" | sed 's/[][()\\|]/\\&/g') ;;
		esac
		case $got in
		$pattern) ;;
		*) t_fail "want $want, got $got" ;;
		esac
	done
	IFS= read -r got <&4 && t_fail "one line too many: $got"
	exec 3<&- 4<&-
}

while read -r sample expected; do
	t_what="sample $sample"
	"$tracegen" --perf-tool-sample "$sample" -o "$sample.pt.trace.json" || t_fail 'no trace'
	t_run 0 analyze --format perf-tool "$sample.pt.trace.json"
	sed 's/^.* - pytorch_profiler - DEBUG - //' "$root/tests/golden/$expected" >want
	sed 's/^.* - pytorch_profiler - DEBUG - //' "$out" >got
	compare want got
done <<EOF
2023-unopt perf-tool-2023-unopt.txt
2023-1st perf-tool-2023-1st-opt.txt
2023-2nd perf-tool-2023-2nd-opt.txt
2024-03 perf-tool-2024-03.txt
2024-10 perf-tool-2024-10.txt
EOF
t_end
