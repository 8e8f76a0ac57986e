"""What an agent sends while a call runs: a ping, progress, cancelled calls, batches.
usage: mcp-async.py TRACECOACH TRACE, a trace whose import takes a while"""
import sys

from mcp_client import Client, text

tool, trace = sys.argv[1:]
Client.command = [tool, "mcp"]
# A ping is answered during an import, which tells how far it is.
client = Client("2025-06-18")
client.call(1, "open", {"paths": [trace]}, _meta={"progressToken": "how far"})
client.send({"id": "p", "method": "ping"})
told, replies = [], []
while len(replies) < 2:
    message = client.read()
    if "method" in message:
        assert message["method"] == "notifications/progress"
        told.append(message["params"])
    else:
        replies.append(message)
assert replies[0] == {"jsonrpc": "2.0", "id": "p", "result": {}}
assert replies[1]["id"] == 1 and text(replies[1]).startswith("run1\n")
assert told and all(each["progressToken"] == "how far" and each["message"] == trace for each in told)
amounts = [each["progress"] for each in told]
assert amounts == sorted(set(amounts)) and amounts[0] > 0

# Without a token nothing is told. A cancelled call has no answer, leaves no run, and the next one is made; one that waits is
# not made at all.
client.call(2, "open", {"paths": [trace]})
client.call(3, "close", {"run": "run1"})
client.cancel(3)
client.cancel(2)
client.cancel("unknown")
client.call(4, "query", {"run": "run1", "sql": "SELECT count(*) > 0 AS n FROM step"})
reply = client.read()
assert reply["id"] == 4 and text(reply) == "n\n1\n", reply
client.call(5, "open", {"paths": [trace]})
reply = client.read()
assert reply["id"] == 5 and text(reply).startswith("run2\n"), reply
# So is a query without an end.
endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
client.call(6, "query", {"run": "run1", "sql": endless})
client.cancel(6)
client.call(7, "close", {"run": "run1"})
assert client.read()["id"] == 7
# What was sent before the end of the input is answered.
client.call(8, "close", {"run": "run2"})
assert [reply["id"] for reply in client.close()] == [8]

# While as many calls wait as may, more are refused, and a ping and a cancellation are still heard.
client = Client("2025-06-18")
client.call(1, "open", {"paths": [trace]})
assert client.read()["id"] == 1
client.call(2, "query", {"run": "run1", "sql": endless})
for number in range(100, 170):
    client.call(number, "heuristics", {})
client.send({"id": "p", "method": "ping"})
refused = []
while (reply := client.read())["id"] != "p":
    refused.append(reply)
assert refused and all(reply["error"]["code"] == -32000 for reply in refused), refused
client.cancel(2)
answered = {client.read()["id"] for _ in range(70 - len(refused))}
assert answered | {reply["id"] for reply in refused} == set(range(100, 170))

# An answer is as long as the caller wants.
client.call(3, "query", {"run": "run1", "sql": "SELECT id FROM slice", "limit": 1000})
answer = client.read()["result"]["content"]
assert 900 < len(answer[0]["text"]) <= 1000 and "cursor" in answer[1]["text"], answer
client.call(4, "query", {"run": "run1", "sql": "SELECT id FROM slice", "limit": 100000})
assert len(client.read()["result"]["content"][0]["text"]) > 12000
client.call(5, "query", {"run": "run1", "sql": "SELECT 1", "limit": 10})
assert text(client.read()) == "limit: give 1,000 to 1,000,000 bytes"
client.close()

# Batches are for the protocol that has them.
batch = [
    {"jsonrpc": "2.0", "id": 1, "method": "ping"},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "heuristics", "arguments": {}}},
    7,
]
client = Client("2025-03-26")
client.send(batch)
replies = client.read()
assert [reply["id"] for reply in replies] == [1, 2, None] and replies[2]["error"]["code"] == -32600
client.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
client.send([])
assert client.read()["error"]["code"] == -32600
assert client.close() == []
client = Client("2025-06-18")
client.send(batch)
assert client.read()["error"]["code"] == -32600
assert client.close() == []
