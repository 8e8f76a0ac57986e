# tracecoach heuristics: the list, and all about one.
. "$(dirname "$0")/lib.sh"

t_run 0 heuristics
t_out '^dataloader-bound +fix +[^ ]'
t_out '^truncated-trace +quality +[^ ]'
ids=$(awk 'NF == 0 { exit } { print $1 }' "$out")
def=$(grep -c '^TC_HEURISTIC' "$root/heuristics/heuristics.def")
t_ok 'every row of heuristics.def is listed' test "$(echo "$ids" | wc -l)" -eq "$def"
for id in $ids; do
	t_run 0 heuristics "$id"
	t_out "^$id \((fix|quality)\)$"
	for heading in 'Why it matters' 'What to do' Needs Query Source Page; do
		t_out "^$heading$"
	done
	t_out "^  docs/heuristics/$id\.md$"
	t_out ':trace_id'
	t_ok "its page is there" test -f "$root/docs/heuristics/$id.md"
done
t_run 0 heuristics dataloader-bound --width 60
t_ok 'sentences are wrapped' awk '/^Query/ { exit } length($0) > 60 && /[a-z] [a-z]+ [a-z]/ { bad = 1 } END { exit bad }' "$out"
t_run 0 heuristics dataloader-bound host-bound
t_out '^dataloader-bound \('
t_out '^host-bound \('
t_end
