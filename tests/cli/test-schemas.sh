# The JSON of every command is what its schema in docs/ says, to the last member.
. "$(dirname "$0")/lib.sh"
tracegen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}
command -v python3 >/dev/null && python3 -c 'import jsonschema' 2>/dev/null ||
	t_skip 'no python3 with jsonschema'

follows() { # follows SCHEMA: what was printed last does, and with another version it does not
	t_ok "follows docs/$1.schema.json" python3 -c '
import json, sys
from jsonschema import Draft202012Validator as V
schema, told = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
V.check_schema(schema)
for error in V(schema).iter_errors(told):
    sys.exit(f"{list(error.absolute_path)}: {error.message[:200]}")
told["schema_version"] += 1
sys.exit(V(schema).is_valid(told))' "$root/docs/$1.schema.json" "$out"
}

mkdir -p job old/one new/one new/two new/bad
for rank in 0 1; do
	"$tracegen" --format cuda --world-size 2 --rank $rank --problem rank-straggler -o job/$rank.json
done
printf '[{"ph": "X", "name": "alone", "pid": 1, "tid": 1, "ts": 0, "dur": 5}]' >bare.json
cp bare.json new/two/
cp job/0.json old/one/
"$tracegen" --format cuda --problem dataloader -o new/one/0.json
echo '{"traceEvents": no' >new/bad/0.json

for trace in "$example" job bare.json; do
	t_run 0 "$trace" -q --format json
	follows report
	t_run 0 "$trace" -q --format json --json-level summary
	follows summary
	# A host that runs ahead is done with a step before the step is: its own time is not how long a step takes.
	[ "$trace" = bare.json ] || t_ok 'the short report has the time of a step' sh -c '
		said=$(sed -n "s/.*\"steady_step_median_ns\": \([0-9]*\).*/\1/p" "$2" | head -1)
		"$1" import -q "$3" -o median.db &&
			[ "$("$1" query median.db "SELECT median_ns FROM step_spread ORDER BY trace_id LIMIT 1" --format csv | tail -1)" = "$said" ]' \
		sh "$tool" "$out" "$trace"
	t_run 0 whatif "$trace" -q --remove role=sync --format json
	follows whatif
done
t_run 0 whatif job -q --no-wait-for-rank late --remove role=dataloader --format json
follows whatif
t_run 0 compare job/0.json new/one/0.json --format json
follows compare
for index in old new; do
	t_run $([ $index = old ] && echo 0 || echo 5) batch -q $index -o $index-out
done
t_run 0 report new-out --format json
follows fleet
t_run 0 report new-out --since old-out --format json
follows fleet
t_ok 'a job is new and one changed' sh -c \
	'grep -q "\"outcome\": \"new\"" "$1" && grep -qE "\"difference_pct\": -?[0-9]" "$1"' sh "$out"
t_end
