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
	echo '{"jsonrpc":"2.0","id":5,"method":"resources/list"}'
	echo '{"jsonrpc":"2.0","id":6}'
	call 7 query '{"run":"run1","sql":"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"}'
	call 8 open '{"paths":"trace.json"}'
	call 9 compare '{"before":"run1","after":"run2"}'
	call 10 nothing '{}'
	call 11 report '{"run":"run1","format":"text"}'
} >"$t_stdin"
t_run 0 mcp
t_ok 'a line a reply' test "$(wc -l <"$out")" -eq 12
t_out '"id":0,"result":\{"protocolVersion":"2024-11-05"'
t_out '"id":1,.*dataloader-bound.*"isError":false'
t_out '"id":2,.*"n\\n3\\n".*"isError":false'
t_out '"id":3,.*only statements that read.*"isError":true'
t_out '"id":4,.*no such run.*"isError":true'
t_out '"id":5,"error":\{"code":-32601'
t_out '"id":6,"error":\{"code":-32600'
# A query without an end is cut, not waited for.
t_out '"id":7,.*\\n100\\n.*There is more: call again with cursor'
t_out '"id":9,.*No difference'
t_out '"id":10,"error":\{"code":-32602'
t_out '"id":11,.*The device waits for the data loader'

# What is no message gets an error with no id, and the next one is read.
{
	echo 'nonsense'
	printf '{"a\000b":1}\n'
	printf '[%.0s' $(seq 2000)
	echo
	head -c 2000000 /dev/zero | tr '\0' ' '
	echo
	echo '{"jsonrpc":"2.0","id":"last","method":"ping"}'
} >"$t_stdin"
t_run 0 mcp
t_ok 'four errors' test "$(grep -c '"id":null,"error":{"code":-32700' "$out")" -eq 4
t_out '^\{"jsonrpc":"2.0","id":"last","result":\{\}\}$'
t_files trace.json
t_end
