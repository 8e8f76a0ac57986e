"""Draws runs, lets tracecoach read their traces, and compares what it says with what is true.

    judge.py --tool PROGRAM [--seed N] [--runs N] [--only N [--keep DIR]] [--check FILE]

What is true: the time per steady step of the run less that of its twin, which draws the same
numbers and does without the problem. A run may have pauses of its host that nothing records: where they
cost more than the problem, no advice has to name the problem first, and host-pause is judged like advice for a problem. What is estimated: the share of the steady
run that the advice for the problem says it wins; advice made for the other problem of a run counts only if no
other names the problem. Advice for a healthy run is a false alarm, unless the run with that fix shows
that it is true. --check compares with a file of limits, one
"NAME at-least|at-most NUMBER" a line.
"""
import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile

import drawn
import write

WEIGHTY = .02      # of a step: what a problem costs at least to be one
CLEAR = 1.2        # one problem costs so many times the other where their order matters
TRUE = 1.2         # a claim is true where it is at most so many times what the fix wins


def report(tool, paths, directory):
    store = os.path.join(directory, "trace.db")
    if os.path.exists(store):
        os.remove(store)
    text = subprocess.run([tool, "analyze", "-q", "--format", "json", "--db", store] + paths,
                          capture_output=True, check=True).stdout
    return json.loads(text)


def advice(found):
    """(id, gain_ns, severity, low_ns, high_ns) of what can be fixed, in the order of the report; of the job if there are ranks."""
    rows = found["jobs"][0]["advice"] if found["jobs"] else found["advice"]
    result = []
    for r in rows:
        likely = r["gain_ns"] if r["gain_ns"] is not None else r.get("largest_gain_ns")
        ends = [r.get(name) for name in ("gain_low_ns", "gain_high_ns")]
        if r["kind"] == "fix":
            result.append((r["id"], likely, r["severity"], *(likely if end is None else end for end in ends)))
    return result


def ask(store, sql):
    db = sqlite3.connect("file:%s?mode=ro&immutable=1" % store, uri=True)
    try:
        return db.execute(sql).fetchone()[0]
    except sqlite3.OperationalError:
        return None
    finally:
        db.close()


def identity(store):
    """What a replay wins that changes nothing, in ns: none of the run's fixes may. None without a replay."""
    return ask(store, "SELECT max(abs(gain_ns)) FROM whatif WHERE removed_ns = 0")


def steady_wall(store):
    """The time that the report's percentages are shares of: without warm-up."""
    return ask(store, "SELECT max(gain_wall_ns) FROM steady")


def is_true(p, step, wall, row):
    """Whether advice for a healthy run wins what it says: a host that pauses and has little lead also loses time by its
    operations and its loader. Only what the simulation can mend is asked."""
    if row[0] not in drawn.FIXES or row[1] is None:
        return False
    return row[1] / wall <= TRUE * (step - drawn.simulate(drawn.FIXES[row[0]](p))[1]) / step


def gains_of(rows):
    """(likely, low, high) of the rows that have a gain."""
    return [(row[1], row[3], row[4]) for row in rows if row[1] is not None]


def run(tool, seed, number, directory):
    p = drawn.one(seed, number)
    ranks, step = drawn.simulate(p)
    paths = []
    for rank in ranks:
        paths.append(os.path.join(directory, "rank%d.json" % rank.rank))
        write.Writer(paths[-1], rank).write()
    found = report(tool, paths, directory)
    rows = advice(found)
    wall = steady_wall(os.path.join(directory, "trace.db"))
    result = {"number": number, "vendor": p.vendor, "family": p.family, "step_ns": step, "rows": rows,
              "wall_ns": wall, "problems": [], "identity": identity(os.path.join(directory, "trace.db"))}
    quick = drawn.simulate(drawn.without_pauses(p))[1] if p.pause_every else step
    result["unnamed"] = (step - quick) / step
    result["alarms"] = [row for row in alarms(result) if not is_true(p, step, wall, row)] if p.family else []
    gains = gains_of([row for row in rows if row[0] == "host-pause"])
    result["pause"] = {"cost": result["unnamed"], "gain": gains[0][0] / wall if gains else None}
    made_for = {problem: drawn.advice(problem, p.vendor)[0] for problem in p.problems}
    for problem in p.problems:
        ids = drawn.advice(problem, p.vendor)
        cost = step - drawn.simulate(drawn.mended(p, problem))[1]
        named = [row for row in rows if row[0] in ids]
        gains = gains_of([row for row in named if made_for[problem] == row[0]
                          or row[0] not in made_for.values()]) or gains_of(named)
        result["problems"].append({
            "name": problem, "ids": ids, "cost": cost / step, "first": named[0][0] if named else None,
            **dict(zip(("gain", "low", "high"), (ns / wall for ns in max(gains)) if gains else (None,) * 3))})
    result["problems"].sort(key=lambda problem: -problem["cost"])
    return result


def weighty(results):
    return [(r, problem) for r in results for problem in r["problems"] if problem["cost"] >= WEIGHTY]


def error(problem):
    return abs(problem["gain"] - problem["cost"]) / problem["cost"]


def promised(results):
    """(exceeded, within, width) of the ranges: the truth is above the high end, or within; high over low."""
    rows = [x for _, x in weighty(results) if x["gain"]]
    return ([x["cost"] > x["high"] for x in rows], [x["low"] <= x["cost"] <= x["high"] for x in rows],
            [x["high"] / x["low"] if x["low"] else float("inf") for x in rows])


def share_pct(values):
    return 100 * sum(values) / max(1, len(values))


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0


def ordered(results):
    """(run, right) of the runs with two problems of which one clearly costs more."""
    for r in results:
        both = [x for x in r["problems"] if x["cost"] >= WEIGHTY]
        if len(both) == 2 and both[0]["cost"] >= CLEAR * both[1]["cost"]:
            yield r, (both[0]["gain"] or 0) > (both[1]["gain"] or 0)


def alarms(r):
    own = drawn.OWN_ADVICE.get(r["family"], ())
    return [row for row in r["rows"] if row[2] in ("high", "medium") and row[0] not in own]


def figures(results):
    sick = [r for r in results if r["problems"] and r["problems"][0]["cost"] >= WEIGHTY and
            r["problems"][0]["cost"] >= CLEAR * r["unnamed"] and
            (len(r["problems"]) == 1 or r["problems"][0]["cost"] >= CLEAR * r["problems"][1]["cost"])]
    first = [r for r in sick if r["rows"]]
    right = sum(r["rows"][0][0] in r["problems"][0]["ids"] for r in first)
    strictly = sum(r["rows"][0][0] == r["problems"][0]["ids"][0] for r in first)
    costs = [problem for _, problem in weighty(results)]
    known = [error(problem) for problem in costs if problem["gain"] is not None]
    orders = list(ordered(results))
    pauses = [r["pause"] for r in results if r["unnamed"] >= WEIGHTY]
    timed = [error(pause) for pause in pauses if pause["gain"] is not None]
    healthy = [r for r in results if r["family"]]
    harmless = [x for r in results for x in r["problems"] if x["cost"] < .01]
    exceeded, within, width = promised(results)
    replayed = [abs(r["identity"]) for r in results if r["identity"] is not None]
    return {
        "runs": len(results), "sick": len(sick), "right_count": right, "strict_count": strictly,
        "right_pct": 100 * right / max(1, len(sick)), "strict_pct": 100 * strictly / max(1, len(sick)),
        "gains": len(costs), "median_pct": 100 * statistics.median(known or [0]),
        "p90_pct": 100 * percentile(known, .9), "missing": len(costs) - len(known),
        "missing_pct": 100 * (len(costs) - len(known)) / max(1, len(costs)),
        "exceeded_pct": share_pct(exceeded), "within_pct": share_pct(within),
        "width": statistics.median(width or [1]),
        "orders": len(orders), "order_right": sum(x for _, x in orders),
        "order_pct": 100 * sum(x for _, x in orders) / max(1, len(orders)),
        "pauses": len(pauses), "pause_median_pct": 100 * statistics.median(timed or [0]),
        "pause_p90_pct": 100 * percentile(timed, .9), "pause_missing": len(pauses) - len(timed),
        "healthy": len(healthy), "false_alarms": sum(bool(r["alarms"]) for r in healthy),
        "harmless": len(harmless), "overclaims": sum((x["gain"] or 0) >= .05 for x in harmless),
        "identity_ns": max(replayed) if replayed else None,
    }


def print_table(f):
    print("| | measured | goal |\n|---|---|---|")
    print("| the right advice first | %.0f %% (%.0f %% strictly) of %d | 97 %% |" % (
        f["right_pct"], f["strict_pct"], f["sick"]))
    print("| gain: median error, 90th percentile, estimates missing | %.0f %%, %.0f %%, %d of %d | 5 %%, 20 %%, 2 %% |" % (
        f["median_pct"], f["p90_pct"], f["missing"], f["gains"]))
    print("| range: the truth is above it, within it; its median width, high over low | %.0f %%, %.0f %%, %.2f | 5 %%, -, 2 |" % (
        f["exceeded_pct"], f["within_pct"], f["width"]))
    print("| order of two problems in one run | %d of %d | all |" % (f["order_right"], f["orders"]))
    print("| pauses that nothing records: median error, 90th percentile, missing | %.0f %%, %.0f %%, %d of %d | |" % (
        f["pause_median_pct"], f["pause_p90_pct"], f["pause_missing"], f["pauses"]))
    print("| healthy runs with a false alarm | %d of %d | 0 |" % (f["false_alarms"], f["healthy"]))
    print("| problems that cost less than 1 %%, reported with 5 %% or more | %d of %d | 0 |" % (
        f["overclaims"], f["harmless"]))
    print("| replay of the unchanged recording | %s | exactly 0 |" % (
        "not asked: no replay" if f["identity_ns"] is None else "%d ns at most" % f["identity_ns"]))


def print_problems(results):
    print("\n| problem | runs | first in the report | median error | 90th percentile | missing | above the range | within | median width |\n"
          "|---|---|---|---|---|---|---|---|---|")
    for name in drawn.PROBLEMS:
        rows = [(r, x) for r, x in weighty(results) if x["name"] == name]
        if not rows:
            continue
        known = [error(x) for _, x in rows if x["gain"] is not None]
        first = sum(r["problems"][0] is x and bool(r["rows"]) and r["rows"][0][0] in x["ids"] for r, x in rows)
        exceeded, within, width = promised([dict(r, problems=[x]) for r, x in rows])
        print("| %s | %d | %d of %d | %s | %s | %d | %d | %d | %s |" % (
            name, len(rows), first, sum(r["problems"][0] is x for r, x in rows),
            "%.0f %%" % (100 * statistics.median(known)) if known else "-",
            "%.0f %%" % (100 * percentile(known, .9)) if known else "-", len(rows) - len(known),
            sum(exceeded), sum(within), "%.2f" % statistics.median(width) if width else "-"))


def say_rows(r):
    return ", ".join("%s %s" % (row[0], "-" if row[1] is None else "%.1f %%" % (100 * row[1] / r["wall_ns"]))
                     for row in r["rows"][:3]) or "nothing"


def print_worst(results):
    print("\nThe worst ten gains (share of a step):")
    rows = [(abs((x["gain"] or 0) - x["cost"]), r, x) for r, x in weighty(results)]
    for _, r, x in sorted(rows, key=lambda row: -row[0])[:10]:
        print("  run %d, %s: %s costs %.1f %%, estimated %s; first: %s" % (
            r["number"], r["vendor"], x["name"] + "".join(
                " (beside %s, %.1f %%)" % (y["name"], 100 * y["cost"]) for y in r["problems"] if y is not x), 100 * x["cost"], "nothing" if x["gain"] is None else "%.1f %%" % (100 * x["gain"]),
            say_rows(r)))
    print("\nFalse alarms:")
    for r in results:
        if r["alarms"]:
            print("  run %d, %s, %s: %s" % (r["number"], r["vendor"], r["family"], ", ".join(
                "%s (%s)" % (row[0], row[2]) for row in r["alarms"])))


def check(path, found):
    """Names the figures that are worse than their limits."""
    worse = []
    with open(path) as limits:
        for line in limits:
            words = line.split("#")[0].split()
            if not words:
                continue
            name, side, limit = words
            value = found[name]
            if value is not None and (value < float(limit) if side == "at-least" else value > float(limit)):
                worse.append("%s is %g, the limit is %s %s" % (name, value, side, limit))
    return worse


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--tool", required=True)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--runs", type=int, default=300)
    options.add_argument("--only", type=int)
    options.add_argument("--keep")
    options.add_argument("--check")
    o = options.parse_args()
    numbers = range(o.runs) if o.only is None else [o.only]
    with tempfile.TemporaryDirectory(prefix="tracecoach-gain.") as directory:
        results = [run(o.tool, o.seed, number, o.keep or directory) for number in numbers]
        if o.only is not None:
            print(json.dumps(results[0], indent=1))
            return 0
        found = figures(results)
        print_table(found)
        print_problems(results)
        print_worst(results)
    worse = check(o.check, found) if o.check else []
    for line in worse:
        print("gain: " + line, file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
