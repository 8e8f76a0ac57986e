"""Finds out what is wrong with one trace, with a job and between two runs, by the protocol alone: what is asked next
follows from what was answered.
usage: mcp-diagnosis.py TRACECOACH TRACE JOB BEFORE AFTER WITH SIDE
TRACE is short of data, JOB has a slow last rank, AFTER is BEFORE with a fix, SIDE is the side file of WITH"""
import json
import re
import sys

from mcp_client import Client

tool, trace, job, before, after, needy, side = sys.argv[1:]
Client.command = [tool, "mcp"]
client = Client("2025-06-18")
assert client.greeting["capabilities"] == {"resources": {}, "tools": {}}


def ask(method, **params):
    client.send({"id": 1, "method": method, "params": params})
    return client.read()


def call(tool_name, **arguments):
    """The whole answer of a tool, whose pieces are asked for one after another."""
    whole, again = "", tool_name
    while True:
        result = ask("tools/call", name=again, arguments=arguments)["result"]
        assert not result["isError"], result
        whole += result["content"][0]["text"]
        if len(result["content"]) == 1:
            return whole
        again, cursor = re.search(r"call (\w+) with cursor \"(\d+)\"", result["content"][1]["text"]).groups()
        if again == "report":
            arguments = {"run": re.match(r"run\d+", whole)[0]}
        again = tool_name if again == "again" else again
        arguments["cursor"] = cursor


def opened(*paths, **more):
    run, summary = call("open", paths=list(paths), **more).split("\n", 1)
    return run, json.loads(summary)


def page(uri):
    return ask("resources/read", uri=uri)["result"]["contents"][0]["text"]


# What there is: a page for each check that the tool heuristics lists, and the schema.
listed = {each["uri"] for each in ask("resources/list")["result"]["resources"]}
for line in call("heuristics").splitlines():
    assert "tracecoach://heuristics/" + line.split(":")[0] in listed
assert {"tracecoach://schema", "tracecoach://cookbook", "tracecoach://edits"} <= listed
templates = ask("resources/templates/list")["result"]["resourceTemplates"]
assert "tracecoach://schema/{name}" in [each["uriTemplate"] for each in templates]
assert ask("resources/read", uri="tracecoach://schema/nothing")["error"]["code"] == -32002
assert ask("resources/read", uri="tracecoach://schemas")["error"]["code"] == -32002
assert ask("resources/read", uri="file:///etc/passwd")["error"]["code"] == -32002
assert ask("resources/read")["error"]["code"] == -32602

# One trace: the first finding, its evidence and page, and what mending it wins.
run, summary = opened(trace)
assert summary["jobs"] == []
told = summary["traces"][0]
first = told["findings"][0]
finding = call("finding", run=run, finding=first["id"])
assert first["title"] in finding and "tracecoach import" not in finding
assert not re.search(r"(^|\s)--[a-z]", finding.split("Query")[0])
assert f"The whole page: the tool heuristics {first['id']}" in finding
assert page(f"tracecoach://heuristics/{first['id']}") == call("heuristics", id=first["id"])
# The query of a finding is SQL that runs as it is.
rows = call("query", run=run, sql=finding.split("Query\n")[1].split("The whole page")[0])
assert rows.splitlines()[0].startswith("subject,") and len(rows.splitlines()) > 1
won = json.loads(call("what_if", run=run, fixes=[first["id"]]))["traces"][0]
assert won["gain_ns"] == first["gain_ns"] > 0
# Each table that the schema names can be asked, and has a part of its own with its columns.
names = [line.split(":")[0] for line in page("tracecoach://schema").splitlines()]
assert len(names) > 60 and "step" in names
for name in names:
    head = call("query", run=run, sql=f"SELECT * FROM {name} LIMIT 0").strip().split(",")
    columns = re.findall(r"^\| `(\w+)` \|", page(f"tracecoach://schema/{name}"), re.MULTILINE)
    assert head == columns, (name, head, columns)

# What could not be looked at, and why: as many checks as are counted, once each, and the report says so, too.
blind = summary["not_looked_at"]
assert sum(len(each["checks"]) for each in blind) == told["checks"]["not_applicable"] + told["checks"]["failed"] > 0
assert all(each["trace_count"] == 1 for each in blind)
details = call("report", run=run, format="details")
assert all(each["checks"][0] in details for each in blind) and "format details" not in details
assert "format details shows" in call("report", run=run, format="text")

# A side file is one of the reasons, and given, it is none.
without, summary = opened(needy)
needs = [each for each in summary["not_looked_at"] if "add with FILE" in each["reason"]]
given, summary = opened(needy, **{"with": [side]})
left = [each["reason"] for each in summary["not_looked_at"]]
assert needs and any(each["reason"] not in left for each in needs), (needs, left)
assert call("query", run=given, sql="SELECT count(*) FROM side_file").splitlines()[1] == "1"
call("query", run=without, sql="SELECT 1")

# A job: it comes first, and says which rank sets the pace; the report of that rank is there.
run, summary = opened(job)
assert list(summary).index("jobs") < list(summary).index("traces")
told = summary["jobs"][0]
assert told["rank_count"] == told["world_size"] == 2 and f"ank {told['pace_rank']}" in told["verdict"]
assert told["pace_rank"] == 1 and told["findings"][0]["id"] == "rank-straggler" and told["findings"][0]["gain_ns"] > 0
assert told["plan"][0]["fix"] == "rank-straggler"
assert max(each["trace_count"] for each in summary["not_looked_at"]) == 2
text = call("report", run=run, format="text")
assert f"rank {told['pace_rank']} shows the report of that rank, format details those of all ranks" in text
one = json.loads(call("report", run=run, rank=told["pace_rank"]))
assert [each["rank"] for each in one["traces"]] == [told["pace_rank"]]
assert "4 more" not in call("report", run=run, format="details", top=1000)

# A comparison: faster, and the fix that did it is gone. The text hides rows, JSON has them all.
runs = [opened(path)[0] for path in (before, after)]
told = json.loads(call("compare", before=runs[0], after=runs[1], format="json"))["verdict"]
assert told["outcome"] == "faster" and told["difference_pct"] < 0, told["outcome"]
few, many = (call("compare", before=runs[0], after=runs[1], format="details", top=top) for top in (1, 1000))
assert re.search(r"more: top \d+ shows all", few) and not re.search(r"top \d+ shows all", many) and len(many) > len(few)
assert "sqlite3 " not in many
assert client.close() == []
