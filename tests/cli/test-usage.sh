# Wrong command lines: one line with what is wrong and the nearest name, exit code 2.
. "$(dirname "$0")/lib.sh"
t_small_trace

wrong() { # wrong REGEX ARG...
	regex=$1
	shift
	t_run 2 "$@"
	t_error
	t_err "$regex"
}

wrong "anlyze: no such command or file: did you mean 'analyze'" anlyze small.json
wrong "improt: .*did you mean 'import'" improt
wrong "xyzzy: no such command or file" xyzzy
wrong "did you mean 'query'" help qeury
wrong "no such command" help xyzzy
wrong "help: takes at most one argument, not 2: 'tracecoach help " help query import
wrong "mcp: takes no arguments, not 1: 'tracecoach mcp " mcp small.json
for command in cut export; do
	wrong "$command: takes one argument, not 2: 'tracecoach $command " $command small.json small.json -o x
done
# A command behind its arguments is told where it belongs, unless there is such a file.
wrong "explain: .* a command comes first: 'tracecoach explain small\.json 1'" small.json explain 1
wrong "query: .* a command comes first: 'tracecoach query \[OPTION" small.json query 'SELECT 1'
cp small.json explain
t_run 0 small.json explain
t_run 0 small.json -o report
rm explain report
wrong "--formt: unknown option: did you mean '--format'" analyze --formt json small.json
wrong "--formt: unknown option: did you mean '--format'" --formt json small.json
wrong "--no-colour: unknown option: did you mean '--no-color'" small.json --no-colour
wrong "-Z: unknown option" analyze -Z small.json
wrong "--h: unknown option: see 'tracecoach analyze --help'" --h
wrong "--tp: unknown option: did you mean '--top'?" small.json --tp 3
wrong "--xyzzyplugh: unknown option: see 'tracecoach query --help'" query --xyzzyplugh
wrong "--format jsn: no such value: give text, json, .* or github" --format jsn small.json
wrong "--fail-on medum: no such value: give low, medium or high" --fail-on medum small.json
wrong "--fail-on info: " --fail-on info small.json
wrong "--top: number" --top -3 small.json
wrong "--top: no number: give a number of rows" --top= small.json
wrong "--top: no number: give a number of rows" small.json --top ''
wrong "--rank: no number: give the number of a rank" --rank= small.json
wrong "--width: no number: give 50 or more columns" --width= small.json
wrong "--finding: no value: the next word, -o, is an option: give " cut small.json --finding -o part.json
wrong "--top many: not a whole number" --top many small.json
wrong "--top=many: not a whole number" --top=many small.json
wrong "--top 99999999999: not a whole number" small.json --top 99999999999
# The largest that is one: one row more is asked for, to know whether there are more.
t_run 0 small.json --top 10000 --details
cp "$out" all
t_run 0 small.json --top 2147483647 --details
t_same "$out" all
rm all
for number in -7 -1; do
	wrong '--step: number out of range: give the number of a step, 0 or more' --step=$number small.json
	wrong '--rank: number out of range: give the number of a rank, 0 or more' small.json --rank $number
done
for list in , '' ,,; do
	wrong "--only: no heuristic is named: 'tracecoach heuristics' lists them" small.json --only "$list"
done
wrong 'small\.json: the trace has no rank: leave out --rank' compare small.json small.json --rank 3
for width in 49 -1; do
	wrong '--width: number out of range: give 50 or more columns' --width $width small.json
done
wrong "--output: no value: give it one: --output FILE" small.json --output
wrong '--scale: no value: give it one: --scale ' whatif small.json --scale
wrong "--top abc: not a whole number in range: give a number of rows" report --top abc .
wrong "--fail-on-slower: 'analyze' has no such option, only 'compare', 'report': see 'tracecoach analyze --help'" analyze --fail-on-slower small.json
wrong "--keep-stores: 'query' has no such option, only 'batch': see 'tracecoach query --help'" query --keep-stores
# Of two values the last one counts, as a wrapper expects that adds options to its own, and that is said.
t_run 2 small.json --rank 0 --rank=3
t_err '^tracecoach: --rank: given 2 times: the last one counts$'
t_run 0 small.json --format csv -fjson
t_err '^tracecoach: --format: given 2 times: the last one counts$'
t_out '^{'
t_run 0 small.json --only host-bound --only device-sync --quiet --quiet
# A value that looks like an option again, and what comes behind --, are none.
t_run 0 small.json --set host-bound.kept_ratio=0.1 --set host-bound.kept_ratio=0.3 --format text -- small.json
wrong 'explain: there is no file 1, and it takes one finding at a time$' explain small.json 1 2
wrong 'explain: there is no file host-bound, ' explain small.json host-bound device-sync
wrong 'dataloader-bound.min_share_pct = 0x10: not a number: give 0 to 100' small.json --set dataloader-bound.min_share_pct=0x10
t_run 0 import small.json -o selct.db
wrong 'near "selct": syntax error; a question begins with SELECT or WITH' query selct.db 'selct 1'
wrong 'near "dur": syntax error$' query selct.db 'SELECT name FROM slice WHRE dur > 5'
rm selct.db
wrong "nothing to read" analyze
wrong "-: given twice" analyze - small.json -
wrong "-: given twice" compare - -
wrong "nothing to read" import -o x.db
wrong "-o STORE" import small.json
wrong 'query: no SQL: give it in quotes, with --file, or - for standard input' query small.db
wrong 'query: takes a trace or a store, and one statement, in quotes' query small.db a b
wrong "did you mean 'host-bound'" heuristics host-bond
wrong "no such heuristic" heuristics nothing-like-it
wrong "give table, csv or json" query --format csf small.db 'SELECT 1'
t_files small.json

# What was typed cannot forge a second line or drive the terminal.
t_run 2 "$(printf 'an\033[2Jly\nze')"
t_error
# What cannot be opened or made is told with what to do.
t_run 3 nosuch.json
t_err 'cannot open nosuch\.json: No such file or directory: check the name'
t_run 3 query nosuch.db 'SELECT 1'
t_err 'cannot open nosuch\.db: .*: check the name'
# An empty name, such as that of a variable that is not set, is told as one.
for command in analyze import cut compare report; do
	t_run 3 $command "" $([ $command != compare ] || echo small.json) $([ $command != import ] || echo '-o x.db') \
		$([ $command != cut ] || echo '--time 0s-1s -o x.json')
	t_err 'cannot open \(an empty name\): No such file'
done
t_run 3 query "" 'SELECT 1'
t_err 'cannot open \(an empty name\): No such file'
for fix in '' ,; do
	t_run 2 whatif small.json --fix "$fix"
	t_err '^tracecoach: \(an empty name\): no such heuristic'
done
mkdir traces
cp small.json traces
t_run 2 batch -q traces -o small.json
t_err '^tracecoach: -o small\.json: a file, and a batch keeps its index in a directory: name one$'
rm -r traces
t_run 2 small.json --config nosuch.ini
t_err 'nosuch\.ini: .*: check the name'
t_run 2 small.json --rules nosuch
t_err 'nosuch: .*: check the name'
t_env=TMPDIR=/nonexistent
t_run 4 small.json
t_err 'temporary .*/nonexistent: .*TMPDIR'
t_env=

# It is told before anything is read: here the trace would not end.
mkfifo endless
for late in '-o none/x' '--db none/x.db' '--with nosuch' '--only nix' '--strict nosuch.json'; do
	t_what="$late, told early"
	timeout 60 "$tool" endless $late >"$out" 2>"$err" </dev/null
	case $? in
	2 | 3 | 4) ;;
	*) t_fail 'it waited for the trace' ;;
	esac
done
timeout 60 "$tool" compare endless nosuch.json >"$out" 2>"$err"
t_code=$?
t_what='compare, told early'
t_check $t_code 3
rm endless

t_end
