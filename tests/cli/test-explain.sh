# tracecoach explain: one finding whole, by its number or its id, of a trace or a store.
. "$(dirname "$0")/lib.sh"
gen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}

t_run 0 explain "$example" 1
cp "$out" "$t_top/by-number"
t_out '^#1 The device waits for the data loader \(dataloader-bound\)$'
t_out '^  Saves [0-9.]+ ms a step; in the steady run [0-9.]+ ms, [0-9.]+ % of the run; severity$'
t_out '^  high, measured\.'
t_out '^  Why  '
t_out '^  Do   Load in more worker processes'
# The worst place is the longest call: the device is idle there, and letters say why. Without UTF-8 it is drawn in ASCII.
t_worst=$(sed -n '/longest/{s/.*longest//;N;s/\n */ /;s/^ *\([0-9.]* ms\).*/\1/p;q;}' "$out")
t_out '^The worst place, [0-9.]+ m?s after the start$'
t_out "^ +\|-+ $t_worst -+\|\$"
t_out '^  device  #{15,} +[.:+# ]+#{10,}$'
t_out '^  idle {20,}aaaaaaaaaaaaaaaaaaaaaaaa'
t_out '^  host    [.:+# ]{70}$'
t_out '^  a: the host fetches the next batch[,.]'
LC_ALL=C grep -q '[^ -~]' "$out" && t_fail 'characters beyond ASCII'
t_env=LC_ALL=C.UTF-8
t_run 0 explain "$example" 1
t_out "^ +└(─)+ $t_worst (─)+┘\$"
t_out '^  device  (█|▇|▆|▅|▄|▃|▂|▁| ){70}$'
t_env=
t_run 0 explain "$example" 1
t_out '^Example$'
t_out '^  \+    num_workers=8,  '
t_no_out 'tracecoach (import|query)'
t_out '^  --sql adds the query'
t_out '^  The whole page: tracecoach heuristics dataloader-bound$'
t_fits 80
for t_finding in '#1' dataloader-bound; do
	t_run 0 explain "$example" "$t_finding"
	t_same "$out" "$t_top/by-number"
done
t_run 2 explain 1 "$example"
t_err '^tracecoach: explain: the trace comes first: tracecoach explain .*trace_example.json 1$'
t_run 0 explain "$example" 1 --sql
t_out '^  tracecoach import .*trace_example\.json -o trace\.db$'
t_out '^  tracecoach query trace\.db "(SELECT|WITH) '
t_no_out '--sql'
t_fits 80
t_run 0 explain "$example" 1 --width 50
grep -q '^  +    prefetch_factor=4,        # batches each worker keeps ready$' "$out" || t_fail 'code is wrapped'
sed -i '/^Example$/,/^   )$/d' "$out"
t_fits 50

# Of a store, the told command runs as it is, and gives the rows of the evidence.
t_run 0 import "$example" -o 'a store.db'
t_run 0 explain 'a store.db' 1 --sql -o page.txt
t_ok 'the report is in the file' grep -q '^#1 The device waits' page.txt
t_no_out 'tracecoach import'
mkdir bin
ln -s "$tool" bin/tracecoach
sed -n '/^  tracecoach query /,/"$/p' page.txt >told
PATH=$dir/bin:$PATH sh -e told >rows 2>"$err" || t_fail 'the told command fails'
t_ok 'it gives the evidence' grep -q 'enumerate(DataLoader)' rows
rm -r bin rows told page.txt

# The report says what to type, and each number of it is one to ask for.
t_run 0 'a store.db'
t_out "^  Details of a fix: tracecoach explain 'a store\.db' 1$"
for t_number in $(sed -n 's/^  \([0-9]*\)  .* %$/\1/p; s/.*#\([0-9]*\) .*/\1/p' "$out"); do
	t_run 0 explain 'a store.db' "$t_number"
	t_out "^#$t_number "
done

# A path that is too long for a line is not broken: its folders go.
t_deep=a-folder-with-a-long-name/another-folder-with-a-long-name/and-one-more
mkdir -p "$t_deep"
cp "$example" "$t_deep/trace.json"
t_run 0 analyze "$t_deep/trace.json"
t_out '^\.\.\./another-folder-with-a-long-name/and-one-more/trace\.json$'
t_out '^  tracecoach explain a-folder-with-a-long-name/another-folder-with-a-long-name/and-one-more/trace\.json 1$'

# One that fits into a line only by itself is on one, so it can be copied.
mkdir -p a-folder-with-a-long-name/and-another-one
cp "$example" a-folder-with-a-long-name/and-another-one/trace.json
t_run 0 a-folder-with-a-long-name/and-another-one/trace.json
t_out '^  tracecoach explain a-folder-with-a-long-name/and-another-one/trace\.json 1$'
rm -r a-folder-with-a-long-name

# Of a rank among several, the told commands import them all: the query names the trace by its place.
for rank in 0 1; do
	"$gen" --format cuda --steps 4 --world-size 2 --rank $rank --problem host-bound -o rank$rank.json || t_fail 'tracegen'
done
t_run 0 explain . host-bound --rank 1 --sql
t_out '^  tracecoach import \\$'
sed -n '/^  tracecoach import/,/"$/p' "$out" >told
mkdir bin
ln -s "$tool" bin/tracecoach
PATH=$dir/bin:$PATH sh -e told >rows 2>"$err" || t_fail 'the told commands fail'
t_ok 'they give the evidence' test "$(grep -c dispatch rows)" -gt 0
rm -r bin told rows trace.db rank0.json rank1.json

# The code is that for the device of the trace.
"$gen" --format cuda --steps 4 --problem host-bound -o t.json || t_fail 'tracegen'
t_run 0 explain t.json host-bound
t_out '^  model = torch\.compile\(model, mode="reduce-overhead"\)$'
t_no_out 'habana|hpu'
"$gen" --format gaudi-lazy --steps 4 --problem host-bound -o t.json || t_fail 'tracegen'
t_run 0 explain t.json host-bound
t_out '^  ht\.hpu\.ModuleCacher\('
t_no_out 'reduce-overhead|elsewhere'
rm t.json

# One order everywhere: the numbers of the report, the table, JSON, CSV and the plan.
"$gen" --format cuda --steps 8 --problem unfused-optimizer --problem zero-grad-memset \
	--problem layout-transposes --problem device-sync --problem mme-fp32 -o several.json >/dev/null || t_fail 'tracegen fails'
t_run 0 import several.json -o several.db
t_run 0 several.db --top 99
sed -nE 's/^ +([0-9]+)  .*[0-9] [mun]s.*/\1/p' "$out" >numbers
t_ok 'there are several fixes' test "$(wc -l <numbers)" -gt 3
while read -r t_number; do
	t_run 0 explain several.db "$t_number"
	sed -n 's/^#[0-9]* .*(\([a-z0-9-]*\))$/\1/p' "$out"
done <numbers >explained
t_run 0 query several.db --format csv "SELECT heuristic FROM finding WHERE gain_ns > 0 ORDER BY id"
sed 1d "$out" | tr -d '\r"' | head -n "$(wc -l <numbers)" >table
t_same table explained
t_run 0 several.db --format json
sed -n 's/.*"id": *"\([a-z0-9-]*\)", *"kind": *"fix".*/\1/p' "$out" | head -n "$(wc -l <numbers)" >json
t_same json explained
t_run 0 query several.db --format csv "SELECT count(*) > 1, sum(f.id < (SELECT max(g.id) FROM plan q
	JOIN finding g ON g.heuristic = q.fix WHERE q.ord < p.ord)) FROM plan p JOIN finding f ON f.heuristic = p.fix"
t_out '^1,0'
# All sets of the five largest are replayed: each wins what a replay with its fixes wins, no set wins less than a part of
# it, and in the plan none that comes later would have won more. Special cases may come first though they win less.
t_run 0 query several.db --format csv "SELECT (SELECT count(*) FROM fix_set) = 1 << count(*), count(*) FROM plan_fix"
t_out '^1,5'
t_run 0 query several.db --format csv "SELECT count(*) FROM fix_set a JOIN fix_set b ON a.mask & b.mask = b.mask
	WHERE a.gain_ns < b.gain_ns OR a.step_after_ns > b.step_after_ns"
t_out '^0'
for t_mask in 1 6 21 31; do
	t_run 0 query several.db --format csv "SELECT group_concat(fix, ' --fix ') FROM plan_fix
		WHERE $t_mask >> (ord - 1) & 1"
	t_fixes=$(sed 1d "$out" | tr -d '\r"')
	t_run 0 query several.db --format csv "SELECT gain_ns, step_after_ns FROM fix_set WHERE mask = $t_mask"
	t_set=$(sed 1d "$out" | tr -d '\r')
	# shellcheck disable=SC2086
	t_run 0 whatif several.db --fix $t_fixes --format json
	t_ok "set $t_mask is that of whatif" test "$t_set" = "$(tr -d '\n ' <"$out" |
		sed -n 's/.*"traces":\[{[^}]*"gain_ns":\([0-9]*\),.*"step_after_ns":\([0-9]*\).*/\1,\2/p')"
done
t_run 0 several.db --format md
t_out '^[0-9]* more are below, under More\.$'
t_no_out '[0-9] more: --top [0-9]* shows all'
rm several.json several.db numbers explained table json

# The command that a report tells reads the same traces with the same options, of a trace and of a store.
tells() { # tells ARGUMENT...: of a report
	t_run 0 "$@" --width 140
	sed -n 's/^  Details of a fix: //p; /^  tracecoach explain/p' "$out" | tail -n 1 >told
	t_title=$(sed -n 's/^  1  //p' "$out" | sed 's/   *.*//')
	[ -n "$t_title" ] || t_fail "no fix 1: $*"
	PATH=$dir/bin:$PATH sh -e told >page 2>"$err" || t_fail "fails: $(cat told): $(cat "$err")"
	grep -q "^#1 $t_title" page || t_fail "$(cat told) is not about $t_title"
}
mkdir bin
ln -s "$tool" bin/tracecoach
for rank in 0 1; do
	t_ok tracegen "$gen" --format cuda --steps 4 --world-size 2 --rank $rank --problem host-bound --problem dataloader -o "r $rank.json"
done
tells 'r 0.json' 'r 1.json'
tells 'r 0.json' --trace 'r 1.json'
t_ok tracegen "$gen" --format cuda --steps 4 --problem small-kernels --problem unfused-optimizer -o two.json
tells two.json
t_first=$(sed -n 's/^#1 .*(\(.*\))$/\1/p' page)
tells two.json --skip "$t_first" --no-side-files --device H100 --set host-bound.kept_ratio=0.5 --set dataloader-bound.min_share_pct=1
grep -q -- '--device=H100 --no-side-files --skip=.* --set=host-bound\.kept_ratio=0\.5 --set=dataloader' told || t_fail "$(cat told)"
tells two.json --db kept.db --skip "$t_first" --device H100
tells kept.db --skip "$t_first"
rm -r bin told page kept.db two.json 'r 0.json' 'r 1.json'
t_run 2 explain "$example"
t_err "explain: takes at least two arguments, not 1: 'tracecoach explain "

# A check that found nothing says so; what is none is refused.
t_run 0 explain 'a store.db' gemm-fp32 --width 140
t_out '^  Matrix products and convolutions run in fp32 \(gemm-fp32\): it looked and found nothing that reaches its thresholds\.$'
t_run 0 explain 'a store.db' rank-straggler --width 140
t_out 'it lacked data: one rank only'
missing() { # missing REGEX FINDING: a number is told how many there are, a word what is near
	t_run 2 explain 'a store.db' "$2"
	t_error
	t_err "^tracecoach: $2: $1"
}
t_run 0 'a store.db' --format json
t_count=$(grep -c '"kind": "fix"' "$out")
for t_finding in 99 0 99999999999999999999999; do
	missing "no such finding: the report has $t_count: give a number up to that" "$t_finding"
done
missing "no such heuristic: 'tracecoach heuristics' lists them" 1x
t_run 2 explain 'a store.db' ''
t_err "^tracecoach: \(an empty name\): no such heuristic: 'tracecoach heuristics' lists them"
missing "no such heuristic: did you mean 'dataloader-bound'\?" dataloader
missing "no such heuristic: did you mean 'dataloader-bound'\?" datalodr
t_run 2 explain 'a store.db'
t_run 2 explain 'a store.db' 1 --format json
t_error
t_err '--format json: no such value: give text or md$'
t_run 0 explain 'a store.db' 1 --sql --format md
t_out '^## \\#&#8203;1 The device waits for the data loader \(dataloader-bound\)$'
t_out '^```sh$'
t_run 3 explain missing.json 1
t_error
t_end
