# --rules: the example of docs/user-rules.md does what the page says; faults end the run early.
. "$(dirname "$0")/lib.sh"
tracegen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}

page=$root/docs/user-rules.md
block() { # block NAME: the lines of the code block behind the mark <!-- NAME -->
	awk -v mark="<!-- $1 -->" '
		$0 == mark { wanted = 1; next }
		wanted && /^```/ && ++fences == 2 { exit }
		wanted && fences == 1 && !/^```/ { print }' "$page"
}
mkdir rules
block example:rule >rules/heavy-kernel.sql
ln -s "$root/testdata" testdata

t_run 0 $(block example:output | sed -n 's/^\$ tracecoach //p')
block example:output | grep -v -e '^\$ ' -e '^\[\.\.\.\]$' >"$t_top/want"
t_ok 'the page has an excerpt of the report' test -s "$t_top/want"
t_ok 'the report has the lines of the page, in order' awk '
	NR == FNR { want[++count] = $0; next }
	at < count && $0 == want[at + 1] { at++ }
	END { exit at < count }' "$t_top/want" "$out"

t_run 0 "$example" --rules rules --only heavy-kernel --set heavy-kernel.max_share_pct=40 --details
t_out ' 0 of [0-9]+ checks found something'
t_out 'heavy-kernel\.max_share_pct = 40 pct'

# What a rule claims is in the table of fixes, as a part of a step.
t_run 0 "$example" --rules rules --width 100
t_out '^ *3  One kernel takes too large a share of the .* 8\.553 ms  '
t_run 0 heuristics --rules rules
t_out '^Your rules$'
t_out '^  heavy-kernel +One kernel'
t_out '^  dataloader-bound +The device'
t_run 0 heuristics --rules rules heavy-kernel
t_out '^heavy-kernel \(user\)$'
t_out '^  max_share_pct = 20 pct  \(1 to 100\)$'
t_out '^  rules/heavy-kernel\.sql$'
t_run 2 heuristics heavy-kernel
t_run 2 heuristics --rules rules heavy-kernl
t_err "did you mean 'heavy-kernel'"

# In JSON, in the store, in the exit code.
t_run 0 "$example" --rules rules --only heavy-kernel --format json
t_out '"user": true'
t_out '"doc": "rules/heavy-kernel\.sql"'
t_run 1 "$example" --rules rules --only heavy-kernel --fail-on medium
t_run 0 import "$example" --rules rules -o e.db
t_run 0 query e.db --format csv "SELECT heuristic FROM finding WHERE heuristic = 'heavy-kernel'"
t_out '^heavy-kernel'
t_run 0 e.db
t_no_out 'One kernel takes'
t_run 0 e.db --rules rules
t_out 'One kernel takes'
t_out '\(user rule\)'

# A rule that fails while it runs fails alone; the store is untouched by all this.
cp e.db "$t_top/before.db"
printf -- '-- id: broken\n-- title: abc\n-- advice: abc\nSELECT path AS subject, json_extract(path, path)
	AS gain_ns, '"'measured'"' AS confidence, 1 AS count FROM trace\n' >rules/z.sql
t_run 0 e.db --rules rules --only broken,heavy-kernel --details
t_out ' 1 of [0-9]+ checks found something, 1 failed, '
t_out '- rules/z\.sql: malformed JSON: broken'

# So does one whose gain is a text, which would count as 0.
printf -- '-- id: z-rule\n-- title: abc\n-- advice: abc\nSELECT 1 AS subject, %s AS gain_ns, %s AS confidence, 1 AS count FROM trace\n' \
	"'17000000'" "'measured'" >rules/z.sql
t_run 0 e.db --rules rules --only z-rule,heavy-kernel --details
t_out '- rules/z\.sql: its query gave a gain_ns or a count that is no number'

# A rule that fired when the store was made and is not given again cannot be judged: the report says
# so, and no gate passes. With the rule the gate is that of the trace.
t_run 0 import "$example" --rules rules --only heavy-kernel,host-bound -o g.db
t_run 0 g.db --details
t_out '^ *- a rule that the import used and that was not given again: '
t_out ', 1 failed, '
t_run 3 g.db --skip dataloader-bound --fail-on high
t_err '--fail-on: 1 check failed, so nothing is known of what it looks for: heavy-kernel: a rule that the import used'
t_run 0 g.db --only no-steps --fail-on high
t_run 1 g.db --rules rules --only heavy-kernel --fail-on medium
t_run 0 g.db -f json
t_out '"heavy-kernel"'
rm g.db

# So does one that takes more than it may, also where the rules run before the store is complete.
endless='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)'
of_a_row="1 AS gain_ns, 'measured' AS confidence, 1 AS count FROM n"
printf -- '-- id: greedy\n-- title: abc\n-- advice: abc\n%s SELECT json_group_array(hex(zeroblob(500000)))
	AS subject, %s\n' "$endless" "$of_a_row" >rules/z.sql
t_run 0 import "$example" --rules rules --only greedy,heavy-kernel -o f.db
t_run 0 query f.db --format csv 'SELECT heuristic, outcome, reason FROM account
	WHERE heuristic IN ('"'greedy', 'heavy-kernel'"') ORDER BY heuristic'
t_out '^greedy,failed,"?rules/z\.sql: it took more than 128 MiB of memory and was stopped'
t_out '^heavy-kernel,fired,$'
t_run 0 query f.db --format csv 'SELECT count(*) FROM step'
t_out '^3$'
rm f.db

refused() { # refused REGEX TEXT: a rule z.sql with that text behind a good header is refused
	printf -- '-- id: z-rule\n-- title: abc\n-- advice: abc\n%s\n' "$2" >rules/z.sql
	t_run 2 e.db --rules rules
	t_error
	t_err "^tracecoach: rules/z\.sql:$1"
}
refused '4: its query does more than read: ' 'DELETE FROM finding'
refused '4: its query does more than read: ' "ATTACH 'x.db' AS x"
refused '4: its query does more than read: ' 'PRAGMA writable_schema = 1'
refused '4: .*not authorized to use function: load_extension' "SELECT load_extension('x') AS subject"
refused '5: its query does not compile: no such column: nowhere' 'SELECT
nowhere FROM trace'
refused '4: column 1 of its query is 1, not subject' 'SELECT 1'
refused "4: needs 'divice' is not known: did you mean 'device'" '-- needs: divice'
doubled=$(awk 'BEGIN { printf "WITH a0 AS (SELECT 1 AS x)"; for (i = 1; i <= 30; i++)
	printf ", a%d AS (SELECT x FROM a%d UNION ALL SELECT x FROM a%d)", i, i - 1, i - 1 }')
refused '4: it took more than 128 MiB of memory and was stopped: ' "$doubled SELECT x AS subject FROM a30"
printf -- '-- id: host-bound\n-- title: abc\n-- advice: abc\nSELECT 1\n' >rules/z.sql
t_run 2 "$example" --rules rules
t_error
t_err 'z\.sql: the id host-bound belongs to a heuristic of tracecoach'
rm rules/*
t_run 2 e.db --rules rules
t_err 'rules: no \.sql file in it'
t_run 2 e.db --rules nix
t_err 'cannot read the rules in nix: No such file'
t_same e.db "$t_top/before.db"
t_files e.db rules testdata
# A rule with an edit has the same gain on a store that was made without it as on the trace; so have other
# thresholds of an edit.
"$tracegen" --format cuda --steps 6 --problem dataloader -o slow.json
t_run 0 import -q slow.json -o slow.db
rm rules/*
cat >rules/slow-loader.sql <<'RULE'
-- id: slow-loader
-- title: The loader is slow
-- do: Load in more workers.
-- needs: host
-- edit: scale role = dataloader by :kept_ratio
-- param: kept_ratio ratio 0.25 0 1 what stays of its time
SELECT 'loader' AS subject, NULL AS gain_ns, 'measured' AS confidence, count(*) AS count
FROM host_event WHERE trace_id = :trace_id AND role = 'dataloader' HAVING count(*) > 0
ORDER BY 1
RULE
gains() { # gains INPUT KEPT
	"$tool" "$1" -q --rules rules --only slow-loader --set slow-loader.kept_ratio="$2" --format json |
		grep -o '"gain_ns": [0-9]*' | head -1
}
for kept in 0.25 0.5; do
	gains slow.json $kept >of-trace
	gains slow.db $kept >of-store
	[ -s of-trace ] || t_fail 'the rule has no gain'
	t_same of-trace of-store
	cp of-store $kept
done
! cmp -s 0.25 0.5 || t_fail 'the threshold changes nothing'

# Rules stand beside all heuristics: ten bring forty terms about slices around, each of its own. The gain
# of the last one is that of the same rule alone.
for number in 1 2 3 4 5 6 7 8 9 10; do
	sed "/^-- edit/s/.*/-- edit: scale host in name = *next* not in name = a$number* by :kept_ratio\\
-- edit: remove host in name = b$number* in name = c$number*/
		s/slow-loader/slow-$number/" rules/slow-loader.sql >rules/slow-$number.sql
done
rm rules/slow-loader.sql
gain() { # gain ARG...: of the last rule, in the store
	"$tool" whatif slow.db -q --rules rules --fix slow-10 --format json "$@" >"$out" 2>"$err" || t_fail "$(cat "$err")"
	sed -n 's/.*"gain_ns": \([0-9]*\).*/\1/p' "$out" | head -1
}
t_run 0 slow.json --rules rules
gain >beside
rm rules/slow-[1-9].sql
gain >alone
t_ok 'the last rule wins time' test "$(cat alone)" -gt 0
t_same alone beside

t_end
