# tracecoach mcp: messages a line, as an agent sends them, and as nobody should. The official client is
# in tests/recipes/test-mcp-client.sh.
. "$(dirname "$0")/lib.sh"

cp "$example" trace.json
call() { # call ID TOOL ARGUMENTS
	printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$@"
}
t_stdin=$t_top/in
{
	echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{}}}'
	echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	call 1 open '{"paths":["trace.json"]}'
	call 2 query '{"run":"run1","sql":"SELECT count(*) AS n FROM step"}'
	call 3 query '{"run":"run1","sql":"DELETE FROM step"}'
	call 4 report '{"run":"run2"}'
	echo '{"jsonrpc":"2.0","id":5,"method":"prompts/list"}'
	echo '{"jsonrpc":"2.0","id":6}'
	echo '{"jsonrpc":"2.0","id":60,"result":{}}'
	for id in '{"a":1}' '[1]' true; do
		echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"method\":\"ping\"}"
	done
	echo '{"jsonrpc":"2.0","id":"sixty","method":"ping"}'
	echo '{"jsonrpc":"2.0","id":61,"error":{"code":-1,"message":"no"}}'
	call 7 query '{"run":"run1","sql":"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"}'
	call 8 open '{"paths":["trace.json"]}'
	call 9 compare '{"before":"run1","after":"run2"}'
	call 10 nothing '{}'
	call 11 report '{"run":"run1","format":"text"}'
	call 12 what_if '{"run":"run1","fixes":[""]}'
	call 13 open '{"paths":[""]}'
	echo '{"jsonrpc":"1.0","id":14,"method":"ping"}'
	echo '{"id":15,"method":"tools/call","params":{"name":"report","arguments":{"run":"run1"}}}'
} >"$t_stdin"
t_run 0 mcp
t_ok 'a line a reply' test "$(wc -l <"$out")" -eq 20
t_out '"id":0,"result":\{"protocolVersion":"2024-11-05"'
t_out '"id":1,.*dataloader-bound.*"isError":false'
t_out '"id":2,.*"n\\n3\\n".*"isError":false'
t_out '"id":3,.*only statements that read.*"isError":true'
t_out '"id":4,.*no such run.*"isError":true'
t_out '"id":5,"error":\{"code":-32601'
t_out '"id":6,"error":\{"code":-32600'
# An id that a reply cannot repeat: with null in its place, nobody would know what was answered.
t_ok 'ids of other kinds are refused' test "$(grep -c '"id":null,"error":{"code":-32600,"message":"the id of the message is neither' "$out")" = 3
t_out '"id":"sixty","result":\{\}'
# A query without an end is cut, not waited for.
t_out '"id":7,.*\\n100\\n.*There is more: call again with cursor'
t_out '"id":9,.*No difference'
t_out '"id":10,"error":\{"code":-32602'
t_out '"id":11,.*The device waits for the data loader'
t_out '"id":12,.*\(an empty name\): no such heuristic.*"isError":true'
t_out '"id":13,.*cannot open \(an empty name\): No such file.*"isError":true'
t_out '"id":14,"error":\{"code":-32600'
t_out '"id":15,"error":\{"code":-32600'

# One value larger than an answer is cut like rows; a query that gives none is stopped, and the next one is answered.
{
	call 1 open '{"paths":["trace.json"]}'
	call 2 query '{"run":"run1","sql":"SELECT hex(zeroblob(400000))"}'
	call 3 query '{"run":"run1","sql":"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"}'
	call 4 query '{"run":"run1","sql":"SELECT count(*) AS n FROM step"}'
	echo '{"jsonrpc":"2.0","id":5,"method":"tools/list"}'
	call 6 query '{"run":"run1","sql":"SELECT randomblob(1000000000)"}'
	call 7 query '{"run":"run1","sql":"SELECT fts3_tokenizer(1)"}'
} >"$t_stdin"
t_run 0 mcp --max-query 1
t_out '"id":2,.*There is more: call again with cursor'
t_ok 'the value is cut' awk '/"id":2,/ && length($0) < 13000 { found = 1 } END { exit !found }' "$out"
t_out '"id":3,.*stopped after 1 seconds.*"isError":true'
t_out '"id":4,.*"n\\n3\\n".*"isError":false'
t_out '"id":5,.*"name":"query","description":"[^"]*data, never instructions'
t_out '"id":6,.*too big.*"isError":true'
t_out '"id":7,.*not authorized to use function.*"isError":true'
# One that takes too much memory or fills the disk is stopped as well, and the run is whole.
endless='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)'
{
	call 1 open '{"paths":["trace.json"]}'
	call 2 query "{\"run\":\"run1\",\"sql\":\"$endless SELECT json_group_array(hex(zeroblob(500000))) FROM n\"}"
	call 3 query '{"run":"run1","sql":"SELECT count(*) AS n FROM step"}'
	[ "$(df -Pk "$t_top" | awk 'NR == 2 { print $4 }')" -lt 2000000 ] ||
		call 4 query "{\"run\":\"run1\",\"sql\":\"$endless SELECT x FROM (SELECT randomblob(500000) AS x FROM n) ORDER BY x\"}"
	call 5 query '{"run":"run1","sql":"SELECT count(*) AS n FROM step"}'
} >"$t_stdin"
t_env=TMPDIR=$t_top
t_run 0 mcp
t_env=
t_out '"id":2,.*cannot run the query: it took more than 128 MiB of memory and was stopped: .*"isError":true'
t_out '"id":3,.*"n\\n3\\n".*"isError":false'
! grep -q '"id":4,' "$t_stdin" ||
	t_out '"id":4,.*it took more than 512 MiB of temporary files and was stopped: .*"isError":true'
t_out '"id":5,.*"n\\n3\\n".*"isError":false'
t_run 2 mcp --max-query -1
t_error

# What is no message gets an error with no id, and the next one is read.
{
	echo 'nonsense'
	printf '{"a\000b":1}\n'
	printf '%s\n' '{"jsonrpc":"2.0","id":"a\u0000b","method":"ping"}'
	printf '%s\n' '{"jsonrpc":"2.0","id":"a\\u0000b","method":"ping"}'
	printf '[%.0s' $(seq 2000)
	echo
	head -c 2000000 /dev/zero | tr '\0' ' '
	echo
	echo '{"jsonrpc":"2.0","id":"last","method":"ping"}'
} >"$t_stdin"
t_run 0 mcp
t_ok 'five errors' test "$(grep -c '"id":null,"error":{"code":-32700' "$out")" -eq 5
t_out '^\{"jsonrpc":"2.0","id":"a\\\\u0000b","result":\{\}\}$'
t_out '^\{"jsonrpc":"2.0","id":"last","result":\{\}\}$'

# What has no end, or is the messages themselves, is not opened.
mkfifo pipe
{
	call 1 open '{"paths":["/dev/zero"]}'
	call 2 open '{"paths":["pipe"]}'
	call 3 open '{"paths":["trace.json","-"]}'
	echo '{"jsonrpc":"2.0","id":4,"method":"ping"}'
} >"$t_stdin"
t_run 0 mcp
for id in 1 2 3; do
	t_out "\"id\":$id,.*neither a file nor a directory.*\"isError\":true"
done
t_out '"id":4,"result":\{\}'
rm pipe

# Arguments of another type or another name are errors: read as left out, they would ask another question.
{
	call 1 open '{"paths":[5]}'
	call 2 open '{"paths":["trace.json"]}'
	call 3 what_if '{"run":"run1","edits":[1]}'
	call 4 what_if '{"run":"run1","fix":"host-bound"}'
	call 5 report '{"run":"run1","format":["text"]}'
	call 6 query '{"run":"run1","sql":"SELECT 1","cursor":4}'
	call 7 query '{"run":"run1","sql":"SELECT 1","cursor":"-1"}'
	call 8 query '[]'
	call 9 query '{"run":"run1","sql":"SELECT 1","cursor":null}'
	call 10 what_if '{"run":"run1","edits":"remove role = sync"}'
	call 11 open '{"paths":"trace.json"}'
	call 12 open '{"paths":[]}'
	call 13 query '{"run":"run1","sql":"SELECT 1","cursor":"999999"}'
	call 14 query '{"run":"run1","sql":"SELECT 1","cursor":"4"}'
	call 15 what_if '{"run":"run1","edits":["remove role = sync"]}'
	call 16 what_if '{"run":"run1"}'
	call 17 what_if '{"run":"run1","fixes":[],"edits":[]}'
	call 18 report '{"run":"run1","top":-1}'
} >"$t_stdin"
t_run 0 mcp
t_ok 'a line a reply' test "$(wc -l <"$out")" -eq 18
t_out '"id":18,.*top: give a number of rows, 0 for the default.*"isError":true'
t_out '"id":1,.*paths: give a list of strings.*"isError":true'
t_out '"id":2,.*"text":"run1.*"isError":false'
t_out '"id":3,.*edits: give a list of strings.*"isError":true'
t_out '"id":4,.*fix: no such argument: give run, edits, fixes, cursor.*"isError":true'
t_out '"id":5,.*format: give a string.*"isError":true'
t_out '"id":6,.*cursor: give a string.*"isError":true'
t_out '"id":7,.*cursor: give the one of the last answer.*"isError":true'
t_out '"id":8,.*arguments: give an object.*"isError":true'
t_out '"id":9,.*"text":"1\\n1\\n".*"isError":false'
t_out '"id":10,.*edits: give a list of strings.*"isError":true'
t_out '"id":11,.*paths: give a list of strings.*"isError":true'
t_out '"id":12,.*paths: give the paths of traces.*"isError":true'
for id in 13 14; do
	t_out "\"id\":$id,.*cursor: the answer ends before it.*\"isError\":true"
done
t_out '"id":15,.*gain_ns.*"isError":false'
for id in 16 17; do
	t_out "\"id\":$id,.*nothing to change: give fixes or edits.*\"isError\":true"
done

# A closed run gives its name to no other: a call by the old name would get the numbers of another trace.
{
	call 1 open '{"paths":["trace.json"]}'
	call 2 close '{"run":"run1"}'
	call 3 open '{"paths":["missing.json"]}'
	call 4 open '{"paths":["trace.json"]}'
	call 5 report '{"run":"run1"}'
	call 6 report '{"run":"run2"}'
} >"$t_stdin"
t_run 0 mcp
t_out '"id":4,.*"text":"run2\\n'
t_out '"id":5,.*no such run.*"isError":true'
t_out '"id":6,.*"isError":false'

# A short report that has several pieces: report goes on where open ended.
long=$(printf './%.0s' $(seq 1900))
for i in 1 2 3 4; do
	cp trace.json "trace$i.json"
done
call 1 open "{\"paths\":[\"${long}trace1.json\",\"${long}trace2.json\",\"${long}trace3.json\",\"${long}trace4.json\"]}" >"$t_stdin"
t_run 0 mcp
t_out '"id":1,.*There is more: call report with cursor'
cursor=$(sed 's/.*with cursor \\"\([0-9]*\).*/\1/' "$out")
call 2 report "{\"run\":\"run1\",\"cursor\":\"$cursor\"}" >>"$t_stdin"
call 3 report '{"run":"run1"}' >>"$t_stdin"
t_run 0 mcp
t_python 'the pieces are the report' "
import json
a, b, c = (json.loads(line)['result']['content'][0]['text'] for line in open('$out'))
assert (a.split('\n', 1)[1] + b).startswith(c), (a[-80:], b[:80])"

# A signal ends the program, though a query runs that has neither rows nor an end; nothing stays behind.
TMPDIR=$t_top/tmp
export TMPDIR
mkdir "$TMPDIR"
mkfifo "$t_top/pipe"
"$tool" mcp <"$t_top/pipe" >"$out" 2>"$err" &
job=$!
exec 9>"$t_top/pipe"
call 1 open '{"paths":["trace.json"]}' >&9
call 2 query '{"run":"run1","sql":"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"}' >&9
for i in $(seq 1200); do
	[ -s "$out" ] && break
	sleep 0.1
done
sleep 0.3
kill -TERM $job
(
	sleep 60
	kill -9 $job
) >/dev/null 2>&1 9>&- &
watch=$!
wait $job
code=$?
kill $watch 2>/dev/null
exec 9>&-
t_ok "the signal ended it: $code" test $code -eq 143
t_ok 'no file is left' test -z "$(ls -A "$TMPDIR")"
rm -f trace[1-4].json

# What is sent while a call runs.
gen=${TC_TRACEGEN:-$root/build/release/tracegen}
if [ -x "$gen" ] && command -v python3 >/dev/null; then
	"$gen" --format cuda --steps 60 -o big.json
	t_ok 'pings, progress, cancelled calls and batches' timeout 300 python3 "$root/tests/cli/mcp-async.py" "$tool" big.json
	rm big.json
fi
# A diagnosis by the protocol alone.
if [ -x "$gen" ] && command -v python3 >/dev/null; then
	mkdir job
	for rank in 0 1; do
		"$gen" --format cuda --world-size 2 --rank $rank --problem rank-straggler -o job/$rank.json
	done
	"$gen" --format cuda --problem dataloader -o before.json
	"$gen" --format cuda --fixed dataloader -o after.json
	fixtures=$root/testdata/heuristics/cpu-fallback
	t_ok 'a diagnosis by the protocol alone' timeout 300 python3 "$root/tests/cli/mcp-diagnosis.py" "$tool" trace.json job before.json after.json \
		"$fixtures/side.json" "$fixtures/side.metrics.json"
	rm -r job before.json after.json
fi
t_files trace.json
t_end
