# One bad input among good ones is left out: named at the end with its reason, in every report and in
# the exit code. Nothing that can be read is lost for it.
. "$(dirname "$0")/lib.sh"

t_small_trace
mkdir all
cp small.json all/b.json
sed 's/relu/gelu/' small.json >all/f.json
: >all/a.json
t_noise 5000 >all/c.json
gzip -c small.json | head -c 20 >all/d.json.gz
printf '{"schemaVersion": 1, "devicePr' >all/e.json
printf '{"lr": 0.1}' >all/settings.json
mkfifo all/g.json
ln -s nowhere all/h.json

# The run goes on, and each report says what it lacks.
t_run 5 all --db all.db --width 140
t_out '^  5 of 7 inputs were left out; this report has nothing from them:$'
t_out 'all/b\.json'
t_out 'all/f\.json'
for name in 'a\.json is empty' 'c\.json: no trace events' 'd\.json\.gz: damaged: gzip member 1' \
	'e\.json: ' 'cannot open all/h\.json: No such file'; do
	t_out "^ *- .*$name"
	t_err "^tracecoach: left out: .*$name"
done
t_err '^tracecoach: all/settings\.json: not read, it does not look like a trace$'
t_err '^tracecoach: all/g\.json: not read, it is not a regular file$'
t_err '^tracecoach: 5 inputs were left out, the others were read: the exit code is 5$'
tail -1 "$err" | grep -q 'exit code is 5' || t_fail 'the end does not say so'

# A store knows it as well.
t_run 5 all.db --width 140
t_out '^  5 of 7 inputs were left out'
t_err 'left out: all/a\.json is empty'
t_run 3 all.db --strict
t_error
t_run 0 query all.db --format csv 'SELECT count(*) FROM trace'
t_run 5 all.db --format md
t_out '^5 of 7 inputs were left out; '
t_out '^- all/a\\?\.json is empty'
t_run 5 all.db --format csv
t_out '^,,,left_out,"?all/a\.json is empty'
t_run 5 all.db --format json
t_python 'JSON has each with its reason' "import json; r = json.load(open('$out'))
paths = [x['path'] for x in r['left_out']]
assert paths == ['all/a.json', 'all/c.json', 'all/d.json.gz', 'all/e.json', 'all/h.json'], paths
assert all(x['path'] in x['reason'] for x in r['left_out'])
assert len(r['traces']) == 2"
t_run 0 all/b.json all/f.json --format json
t_python 'JSON says that none was' "import json; assert json.load(open('$out'))['left_out'] == []"
t_no_err .

# On one thread the same bytes.
t_run 5 import all -o two.db --one-thread
t_same all.db two.db
rm two.db

# --strict refuses; so does a run in which nothing can be read.
t_run 3 all --strict -q
t_error
t_run 3 all/a.json all/c.json -q
t_err 'left out: all/a\.json'
t_err 'left out: all/c\.json'
t_err 'none of the 2 inputs could be read'
t_no_out .
t_run 3 import all/a.json nosuch.json -o x.db
[ ! -e x.db ] || t_fail 'a store of nothing'
t_run 3 all/a.json
t_error

# Arguments: a file that is not there, a directory without traces, standard input.
mkdir none
t_run 5 small.json nosuch.json none
t_err 'left out: cannot open nosuch\.json: No such file'
t_err 'left out: none is a directory'
t_run 3 nosuch.json small.json --strict
t_error
t_stdin=small.json
t_run 5 all/c.json -
t_err 'left out: all/c\.json'
t_stdin=all/c.json
t_run 5 small.json - --format json
t_err 'left out: standard input: no trace events'
t_stdin=/dev/null
t_run 5 small.json - --db x.db
t_err 'left out: standard input is empty'
rm x.db
mkfifo "$t_top/fifo"
cat small.json >"$t_top/fifo" &
t_run 5 all/a.json "$t_top/fifo"
t_err '1 input was left out'
t_run 5 import small.json nosuch.json -o x.db
t_run 0 query x.db --format csv 'SELECT id, path FROM left_out'
t_out '^1,nosuch\.json$'
rm x.db

# A database is left out for a reason of its own.
t_run 0 import small.json -o own.db
t_change() { # t_change OFFSET BYTES FILE: a store with other bytes there
	cp own.db "$3"
	printf "$2" | dd of="$3" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
t_change 60 '\0\0\0\1' old.db
t_change 60 '\377\0\0\0' older.db
t_change 68 'abcd' foreign.db
t_change 100 '\377\377\377\377\377\377\377\377' damaged.db
head -c 30000 own.db >cut.db
head -c 50 own.db >stump.db
for t_db in 'old was made by an older tracecoach' 'foreign is an SQLite database' \
	'cut is cut short' 'stump is an SQLite database' 'older was made by an'; do
	t_name_db=${t_db%% *}.db
	t_err_db="left out: $t_name_db ${t_db#* }"
	t_run 5 $t_name_db small.json
	t_err "$t_err_db"
	t_run 5 import small.json $t_name_db -o x.db
	t_err "$t_err_db"
	t_run 3 small.json $t_name_db --strict
	t_error
done
t_run 5 damaged.db small.json
t_err 'left out: damaged\.db is damaged'
for t_command in 'import own.db -o two.db' 'cut own.db --steps 1 -o two.json'; do
	t_run 2 $t_command
	t_err '^tracecoach: own\.db: a store, not a trace: name the trace, or several stores to join$'
done
t_run 2 own.db --db two.db
t_err '^tracecoach: own\.db: a store already, and --db keeps that of a trace: leave it out$'
t_run 5 small.json old.db foreign.db
t_err '^tracecoach: 2 inputs were left out'
rm ./*.db

# A reached gate comes first; wrong usage, too.
t_run 1 "$example" nosuch.json --fail-on high
t_err 'left out: cannot open nosuch\.json'
t_run 2 small.json nosuch.json --format nix
t_run 4 small.json nosuch.json -o none

# Side files of a trace that was left out have no place, and are no reason to end.
printf '[{"metric_name": "graph_compilation", "statistics": {"TotalNumber": 1}}]' >metrics-rank5.json
printf '[{"metric_name": "graph_compilation", "statistics": {"TotalNumber": 1}}]' >metrics.json
t_run 5 small.json nosuch.json --with metrics-rank5.json --format json
t_err 'left out: metrics-rank5\.json: its name says rank 5'
t_run 5 nosuch.json small.json --with metrics.json --db x.db
t_err 'left out: metrics\.json: belongs to the first trace'
t_run 0 query x.db --format csv 'SELECT count(*) FROM side_metric'
t_out '^0$'
rm x.db
t_run 3 all/b.json all/f.json --with metrics-rank5.json
t_error
t_run 3 small.json --with nosuch.json --db x.db
t_error

# A comparison needs both sides, and looks for them first; parts of one may be missing.
t_run 3 compare small.json nosuch.json
t_error
t_err 'cannot open nosuch\.json'
mkdir one
cp small.json one/a.json
: >one/b.json
for format in text md json; do
	t_run 5 compare one small.json --format $format
	t_out 'BEFORE: 1 of 2 inputs was left out: one/b\\?\.json is empty'
	t_err 'left out: one/b\.json is empty'
done
sed 's/"dur": 1000/"dur": 1900/' small.json >slow.json
t_run 1 compare one slow.json --fail-on-slower 0
t_err 'left out: one/b\.json'
t_end
