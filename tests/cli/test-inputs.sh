# Inputs that cannot be used: one clear line, exit code 3, and nothing left behind.
. "$(dirname "$0")/lib.sh"

refused() { # refused REGEX PATH
	for command in 'analyze' 'analyze --db x.db' 'import -o x.db' 'analyze --format json'; do
		# Words are split on purpose.
		t_run 3 $command "$2"
		t_error
		t_err "$1"
		[ ! -e x.db ] || t_fail 'a store was left behind'
	done
}

# Times of centuries add up to more than 64 bits hold; the report says what it can all the same.
for heuristic in . redundant-allreduce input-copy-blocking unfused-optimizer small-kernels \
	small-gradient-buckets; do
	trace=$root/testdata/heuristics/$heuristic/fires.json
	[ -f "$trace" ] || trace=$example
	sed 's/"dur": *[0-9.]*/"dur": 4500000000000000/g' "$trace" >long.json
	t_run 0 long.json --details
	t_out '[0-9]+ of [0-9]+ checks found something, [0-9]+'
	t_no_out ' [0-9]+ failed'
done
rm long.json

refused 'nosuch\.json' nosuch.json
refused 'No such file' ./nosuch
mkdir folder
refused 'folder.*directory' folder
: >empty.json
refused 'empty\.json.* empty' empty.json
awk 'BEGIN { srand(7); for (i = 0; i < 20000; i++) printf "%c", 33 + int(rand() * 90) }' \
	</dev/null | tr '{}[]":,' 'abcdefg' >random.json
refused 'random\.json' random.json
t_noise 32768 >bytes.json
refused 'bytes\.json' bytes.json
[ ! -c /dev/zero ] || refused '/dev/zero is a device' /dev/zero
[ ! -c /dev/null ] || refused '/dev/null is empty' /dev/null
# An event larger than the limit is not damaged.
{
	printf '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"'
	head -c 5000000 /dev/zero | tr '\000' x
	printf '"}]'
} >large.json
refused 'large\.json: no event could be kept of its [0-9]* bytes: An event larger than the limit$' large.json
rm large.json
# A pipe that nobody writes to: what it waits for is said, and it is read when the writer comes.
printf '[GAUDI2]\nbf16_tflops = 400\n' >peaks.ini
printf '[advice]\nmin_gain_pct = 1\n' >settings.ini
mkfifo pipe
waits() { # waits FILE ARGUMENT...: FILE comes through the pipe
	t_what="a pipe: $*"
	t_file=$1
	shift
	: >"$err"
	timeout 120 "$tool" "$@" </dev/null >"$out" 2>"$err" &
	job=$!
	for i in $(seq 1200); do
		[ -s "$err" ] && break
		sleep 0.1
	done
	t_err '^tracecoach: pipe is a pipe: waiting for what writes it$'
	cat "$t_file" >pipe
	wait $job
	t_check $? 0
	t_out 'The device waits for the data'
}
waits "$example" pipe
waits peaks.ini "$example" --peaks pipe
waits settings.ini "$example" --config pipe
rm pipe peaks.ini settings.ini
# A file that is called regular, and has nothing to read and no end. Linked into a directory it is left
# out, and nobody waits for it.
t_what='a regular file without an end'
mkdir folder/endless
cp "$example" folder/endless/good.json
if unshare -m sh -c "mount -t tracefs none '$t_top' && [ -r '$t_top/trace_pipe' ]" 2>/dev/null; then
	mkdir "$t_top/traces"
	ln -s "$t_top/traces/trace_pipe" folder/endless/endless.json
	for command in 'analyze -q' 'batch -o out'; do
		unshare -m sh -c "mount -t tracefs none '$t_top/traces' &&
			timeout -s KILL 120 '$tool' $command folder/endless" >"$out" 2>"$err"
		t_check $? 5
		t_err 'left out: cannot read .*endless\.json at byte 0: nothing more comes, and it has no end: '
	done
	rm -r out
fi
rm -r folder/endless
t_what='a pipe of the shell'
cat "$example" | "$tool" /dev/stdin >"$out" 2>"$err"
t_check $? 0
t_no_err .

printf 'SQLite format 3\000 and then nothing' >half.db
t_run 3 analyze half.db
t_error
t_run 3 query half.db 'SELECT 1'
t_error
t_run 3 query nosuch.db 'SELECT 1'
t_error
printf '{"a": [1, 2, 3]}' >other.json
refused 'other\.json.*no trace events' other.json
printf 'PK\003\004zip' >trace.zip
refused 'zip' trace.zip
t_stdin=/dev/null
t_run 3 -
t_error
if [ "$(id -u)" -ne 0 ]; then
	t_small_trace
	chmod 0 small.json
	refused 'small\.json: .*[Pp]ermission' small.json
	chmod 600 small.json
	rm small.json
fi
t_small_trace
# Of a cut trace nobody knows what is lost, and that is the first thing said.
{
	printf '{"schemaVersion": 1, "traceEvents": [\n'
	for i in 1 2 3 4 5 6 7 8 9; do
		printf '{"ph": "X", "cat": "cpu_op", "name": "aten::mm%s", "pid": 1, "tid": 1, ' $i
		printf '"ts": %s000, "dur": 500},\n' $i
	done
	printf '{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 5}]}'
} >whole.json
gzip -c whole.json | head -c 150 >cut.json.gz
t_run 0 import cut.json.gz -o cut.db
t_run 0 query --format csv cut.db 'SELECT heuristic FROM finding ORDER BY id LIMIT 2'
printf 'heuristic\ntruncated-trace\nno-device-events\n' >"$t_top/want"
t_same "$out" "$t_top/want"
t_run 0 analyze cut.db --width 140 --details
t_out 'compressed data end early or are damaged; how much is lost is not known'
t_out 'the part that is cut off may hold some'
t_no_out '1 bytes'
# The device's name tells the vendor where nothing else of it is left.
head -c 30000 "$root/testdata/trace_example.json" >named.json
t_run 0 named.json --width 140
t_out 'activities: HPU\)'
# Where the work of the device is cut, its end is not idle time, and where it ends is said first. The
# compressed file and the plain one say the same.
"$TC_TRACEGEN" --format cuda --steps 40 -o whole.json
gzip -c whole.json >whole.json.gz
head -c $(($(wc -c <whole.json) * 7 / 10)) whole.json >cut.json
head -c $(($(wc -c <whole.json.gz) * 7 / 10)) whole.json.gz >cut.json.gz
for t_cut in cut.json cut.json.gz; do
	t_run 0 $t_cut --width 140
	sed -n 3,5p "$out" >line
	t_ok 'the cut comes first' grep -q '^  The file ends early, after 12\.[0-9] MiB\. It has work of the device for the first 8.* ms of 1\.568 s (5[0-9] %)\. What' line
	t_out '(not recorded  .* 4[0-9] %)'
	t_out 'idle  .* <1 %'
	t_no_out 'no device work follows'
done
t_run 0 whole.json
t_no_out 'ends early'
for t_empty in '[]' '{"traceEvents": []}'; do
	echo "$t_empty" >none.json
	t_run 0 none.json --width 200
	t_out 'No verdict: the trace has no events, so nothing was recorded\. Record again, and let steps run while the profiler is active'
	t_no_out 'slices'
done
rm cut.db cut.json cut.json.gz whole.json whole.json.gz line none.json named.json
t_files bytes.json empty.json folder half.db other.json random.json small.json trace.zip
# A file that is given twice is read once, whatever it is called.
t_small_trace
cp small.json one.json
ln one.json hard.json
ln -s one.json soft.json
for t_again in one.json ./one.json "$dir/one.json" hard.json soft.json; do
	t_run 0 import one.json "$t_again" -o twice.db
	t_err ': given twice, it is the same file as one\.json: read once$'
	t_run 0 query twice.db 'SELECT count(*) FROM trace' --format csv
	t_out '^1$'
done
t_run 0 import one.json small.json hard.json -o twice.db
t_run 0 query twice.db 'SELECT count(*) FROM trace' --format csv
t_out '^2$'
t_run 0 compare one.json one.json
t_no_err 'given twice'

t_end
