# Colours, width, characters and the progress line follow the terminal and what was asked for.
. "$(dirname "$0")/lib.sh"
t_small_trace
escape=$(printf '\033')

t_run 0 small.json
t_no_out "$escape"
t_no_err .
t_fits 80
cp "$out" "$t_top/80"
t_env=COLUMNS=80
t_run 0 small.json
t_same "$out" "$t_top/80"
t_env=COLUMNS=60
t_run 0 small.json
cp "$out" "$t_top/60"
t_fits 60
t_run 0 small.json --width 80
t_same "$out" "$t_top/80" # the option wins over the environment
# However narrow: the example with its details, on a path of its own length.
long=a-directory-whose-name-is-longer-than-fifty-columns-of-a-terminal
mkdir "$long"
cp "$example" "$long/trace.json"
for t_env in COLUMNS=50 COLUMNS=57 COLUMNS=64; do
	t_run 0 "$long/trace.json" --details
	t_fits "${t_env#*=}"
done
t_env=
for t_env in COLUMNS=20:50 COLUMNS=1000:140; do
	t_limit=${t_env#*:}
	t_env=${t_env%:*}
	t_run 0 "$example"
	cp "$out" "$t_top/limited"
	t_env=
	t_run 0 "$example" --width "$t_limit"
	t_same "$out" "$t_top/limited"
	t_fits "$t_limit"
done
for t_command in analyze compare heuristics; do
	t_run 0 $t_command --help
	t_out '--width=N +Columns to fill, 50 or more '
done
# A wider report is one of 140 columns; colours can be asked for where there is no terminal.
t_run 0 "$example" --width 140
cp "$out" "$t_top/widest"
t_run 0 "$example" --width 300
t_same "$out" "$t_top/widest"
for t_force in FORCE_COLOR CLICOLOR_FORCE; do
	t_env=$t_force=1
	t_run 0 "$example"
	t_out "$escape\\[1m"
	t_run 0 "$example" --no-color
	t_no_out "$escape"
	t_env=$t_force=0
	t_run 0 "$example"
	t_no_out "$escape"
done
t_env=
t_ok 'a narrow report has more lines' test "$(wc -l <"$t_top/60")" -gt "$(wc -l <"$t_top/80")"
t_run 0 small.json --width 120
t_no_out '[^ -~]' # the locale is C: ASCII only

utf8=$(locale -a 2>/dev/null | grep -iE '^(C|en_US)\.utf-?8$' | head -1)
if [ -n "$utf8" ]; then
	t_env=LC_ALL=$utf8
	t_run 0 "$example"
	LC_ALL=C grep -q '[^ -~]' "$out" || t_fail 'bars are ASCII although the locale is UTF-8'
	t_run 0 "$example" --ascii
	t_env=
	t_no_out '[^ -~]'
fi

# Verdict, bars and the first of the ranking are on the first screen.
t_run 0 "$example" --width 80
head -24 "$out" >"$t_top/screen"
t_ok 'verdict and bars are on the first screen' grep -q '^  idle  ' "$t_top/screen"
t_ok 'the top advice is on the first screen' grep -qE '^ +1  .* ms +[0-9.]+ ms +[0-9.]+ ms' "$t_top/screen"

# Timings go beside the report, which stays as it is.
t_run 0 small.json --width 80 --details
cp "$out" "$t_top/untimed"
t_run 0 small.json --width 80 --details --timings
t_same "$out" "$t_top/untimed"
t_err 'stage parse [0-9]+\.[0-9]+ ms'
t_err 'heuristic host-bound [0-9.]+ ms'
t_err 'section [a-z-]+ [0-9.]+ ms'
t_run 0 small.json -q --timings --only host-bound
t_ok 'what was not asked for has no time' test "$(grep -c 'heuristic ' "$err")" -eq 1

# Whatever a trace has, its report fits on one screen; so do those of the real traces, where they are.
real_traces() {
	[ -d "${TC_SHARED:-none}/corpus/pytorch" ] || return 0
	find "$TC_SHARED/corpus/pytorch" "$TC_SHARED/corpus/pairs" "$TC_SHARED/corpus/gaudi" -name '*.json' -o -name '*.json.gz'
}
planned() {
	grep -qE '^     Fix, best first.* (then|step then|run then)$' "$out"
}
real_traces >"$t_top/real"
count=0
for t_trace in "$root"/testdata/*.json "$root"/testdata/heuristics/*/*.json $(cat "$t_top/real"); do
	case $t_trace in *metrics.json) continue ;; esac
	t_run 0 "$t_trace" --width 80 --ascii --no-side-files
	t_fits 80
	t_ok 'the report has at most 40 lines' test "$(wc -l <"$out")" -le 40
	planned && t_ok 'the first fix of a plan has a bar' grep -qE '^  1  .* [mun]?s  #+$' "$out"
	count=$((count + 1))
done
t_ok "$count traces are most of them" test "$count" -gt 270

# script(1) of util-linux makes a terminal to look at.
script -qec true /dev/null >/dev/null 2>&1 || t_skip 'no script(1) of util-linux'
export tool example
on_terminal() { # on_terminal COMMAND: output with stdout and stderr on a terminal
	t_what="on a terminal: $1"
	script -qec "$1" /dev/null </dev/null >"$out" 2>&1 || t_fail "exit code $?"
}
on_terminal '"$tool" "$example"'
t_out "$escape\\[[0-9;]*m"
t_out "$escape\\[K"
on_terminal '"$tool" "$example" --quiet'
t_no_out "$escape\\[K"
on_terminal 'NO_COLOR=1 "$tool" "$example" --quiet'
t_no_out "$escape"
on_terminal '"$tool" "$example" --quiet --no-color'
t_no_out "$escape"
on_terminal 'TERM=dumb "$tool" "$example"'
t_no_out "$escape"
on_terminal 'TERM=dumb CLICOLOR_FORCE=1 "$tool" "$example"'
t_out "$escape\\[1m"
# What is made is told to somebody who watches, and to nobody else.
on_terminal '"$tool" import "$example" -o made.db'
t_out 'made\.db: [0-9]+ events, [0-9.]+ MB, [0-9.]+ s\. Next: tracecoach made\.db'
t_run 0 import "$example" -o made.db
t_no_err .
on_terminal '"$tool" "$example" --format json --quiet'
t_no_out "$escape"
t_end
