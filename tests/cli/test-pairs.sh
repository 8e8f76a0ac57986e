# The scorer of real pairs tells right gains from wrong ones, on a pair whose truth is known.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || t_skip 'no python3'

build=$(dirname "$tool")
generate() { "$build/tracegen" --format cuda --steps 6 --problem dataloader "$@"; }
score() { python3 -B "$root/tests/bench/pairs" --build "$build" "$@" >"$out" 2>"$err"; }
truth() { # truth GAIN_PCT HEALTHY
	echo '{"id": "loader", "heuristics": ["dataloader-bound"], "healthy": '"$2"', "gain_pct": '"$1"', "noise_pct": 1}' \
		>pairs/loader/truth.json
}

mkdir -p pairs/loader
generate -o pairs/loader/before.json
generate --fixed dataloader -o pairs/loader/after.json

# The loader holds this run up for a bit more than a third of its steps.
truth 36 false
t_what='a right gain' score pairs
t_out 'loader .*within .*first: dataloader-bound'
t_out 'expected advice first: 1 of 1; won within the promised range: 1 of 1; more won than promised: 0 of 1; advice left after the fix: 0 of 1'

truth 95 false
t_what='more won than promised' score pairs
t_out 'won within the promised range: 0 of 1; more won than promised: 1 of 1'

truth 0 true
t_what='advice for a healthy run' score pairs
t_out 'false alarms in healthy runs: 1'

rm pairs/loader/truth.json
t_what='no truth' score pairs
t_out 'left out: no truth'
t_end
