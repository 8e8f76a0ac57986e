# The queries of docs/operators.md give the tables that TraceLens made of two real traces, row by row.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || t_skip 'no python3'
corpus=${TC_SHARED:-}/corpus/pytorch
[ -f "$corpus/cuda/h100-bert-small.json.gz" ] || t_skip 'no traces with tables of TraceLens'

for trace in cuda/h100-bert-small rocm/mi300-bert-small; do
	t_run 0 import -q "$corpus/$trace.json.gz" -o train.db
	t_what="tables of $trace"
	python3 - "$tool" "$root/docs/operators.md" "$corpus/$trace-reference" >"$out" 2>"$err" <<'END' || t_fail "$(cat "$out" "$err")"
import csv
import json
import re
import subprocess
import sys

tool, docs, reference = sys.argv[1:]
text = open(docs).read()
text = text[text.index("## The tables of TraceLens"):]
queries = re.findall(r'^tracecoach query train.db "(.*)"$', text, re.M)
assert len(queries) == 4, queries


def ask(sql):
    return json.loads(subprocess.run([tool, "query", "train.db", sql, "--format", "json"], check=True,
                                     capture_output=True).stdout)


def table(name):
    with open("%s/%s.csv" % (reference, name)) as file:
        return list(csv.DictReader(file))


def near(got, want, by):
    assert abs(got - float(want)) <= by, (got, want)


operators, want = {row["name"]: row for row in ask(queries[0])}, table("ops_summary")
assert len(operators) == len(want)
for row in want:
    got = operators[row["name"]]
    assert got["Count"] == int(row["Count"]), row
    for key in ("total_direct_kernel_time_sum", "total_subtree_kernel_time_sum"):
        near(got[key], row[key], 0.001 * (1 + got["Count"]) * 4)
    near(got["percentage"], row["Percentage (%)"], 0.01)

kernels, want = {(row["operator"], row["name"]): row for row in ask(queries[1])}, table("kernel_summary")
assert len(kernels) == len(want)
for row in want:
    got = kernels[row["Parent cpu_op"], row["Kernel name"]]
    assert got["count"] == int(row["Kernel duration (\u00b5s)_count"]), row
    for key in ("sum", "mean", "min", "max"):
        near(got[key + "_us"], row["Kernel duration (\u00b5s)_" + key], 0.001 * (1 + got["count"]))
    near(got["percent"], row["Percent of kernels time (%)"], 0.01)

timeline = {row["type"]: row["time ms"] for row in table("gpu_timeline")}
for key, value in ask(queries[2])[0].items():
    near(value, timeline[key], 0.001)

want = {round(float(row["bin_start"]), 2): int(row["count"]) for row in table("short_kernel_histogram")}
got = {round(row["bin_start"], 2): row["count"] for row in ask(queries[3])}
assert got == {low: count for low, count in want.items() if count}, (got, want)
END
done
t_end
