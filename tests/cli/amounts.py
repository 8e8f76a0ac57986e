# One amount, one number: amounts.py TOOL TRACE... asks every output of a trace, or of a directory of ranks, for the amounts
# that more than one of them prints, and compares each with the store. Prints what differs; 1 if anything does.
import json
import os
import re
import shutil
import subprocess
import sys

UNITS = {"ns": 1, "us": 10 ** 3, "ms": 10 ** 6, "s": 10 ** 9}
NUMBER = r"([\d,]+(?:\.\d+)?) (ns|us|ms|s)\b"


def run(tool, *words):
    done = subprocess.run([tool, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("%s: exit code %d: %s" % (" ".join(words), done.returncode, done.stderr))
    return done.stdout


def plain(text):
    """The words of a text or Markdown report, one blank between any two."""
    return " ".join(re.sub(r"\*\*|</?[a-zA-Z!][^>]*>|\\(?=\W)", " ", text).split())


def shown(text, pattern):
    """The amounts that match a pattern with NUMBER in it, as (ns, what the last digit stands for)."""
    found = []
    for match in re.finditer(pattern.replace("NUMBER", NUMBER), text):
        digits, unit = match.groups()[-2:]
        places = len(digits.partition(".")[2])
        found.append((float(digits.replace(",", "")) * UNITS[unit], UNITS[unit] / 10 ** places))
    return found


class Check:
    def __init__(self, trace):
        self.trace, self.failed = trace, False

    def same(self, what, where, ns, want_ns, digit_ns=0):
        if abs(ns - want_ns) > digit_ns / 2 + 1e-3:
            self.failed = True
            print("%s: %s: %s says %.0f ns, the store %.0f ns" % (self.trace, what, where, ns, want_ns))

    def shown(self, what, where, text, pattern, want_ns):
        """At least one amount is there, and the first one is the amount of the store."""
        found = shown(text, pattern)
        if not found:
            self.failed = True
            print("%s: %s: %s does not say it" % (self.trace, what, where))
            return
        self.same(what, where, found[0][0], want_ns, found[0][1])


def check_idle(check, report, pages):
    causes = [row for row in report["gaps"]["by_cause"] if row["device"] is None]
    whole_ns = sum(row["dur_ns"] for row in causes)
    for where, page in pages.items():
        if causes and shown(page, r"\bidle \|? ?NUMBER \|? ?[\d<>]+ %"):
            check.shown("idle time", where, page, r"\bidle \|? ?NUMBER", whole_ns)
        if "Largest cause" in page:
            check.shown("largest cause of idle time", where, page, r"Largest cause: [^(]*\(NUMBER", causes[0]["dur_ns"])
        if "The device is idle" in page:
            check.shown("idle time", where + ", verdict", page, r"The device is idle [^(]*\(NUMBER", whole_ns)
    return whole_ns


def check_idle_of_findings(check, tool, store, report):
    """Idle time by cause in the evidence of a finding is that of the report, wall time and all."""
    causes = {row["cause"]: row for row in report["gaps"]["by_cause"] if row["device"] is None}
    wall_ns = report["traces"][0]["metrics"]["wall_ns"]["value"]
    for finding in report["advice"]:
        for row in [row["data"] for row in finding["evidence"] if "idle_ns" in row["data"] and "cause" in row["data"]]:
            want = causes[row["cause"]] if row["idle_ns"] else {"dur_ns": row["idle_ns"], "count": row["count"]}
            if (row["idle_ns"], row["count"]) != (want["dur_ns"], want["count"]):
                check.failed = True
                print("%s: %s, %s: %s ns in %s gaps, the store %s ns in %s" % (check.trace, finding["id"], row["cause"],
                      row["idle_ns"], row["count"], want["dur_ns"], want["count"]))
            if row["idle_ns"]:
                check.same("share of " + row["cause"], finding["id"], row["wall_pct"], 100 * row["idle_ns"] / wall_ns)
                check.shown("idle time of " + row["cause"], "explain", plain(run(tool, "explain", store, finding["id"], "-q")),
                            re.escape(row["subject"]) + r": [\d,]+ gaps?, NUMBER idle", row["idle_ns"])


def check_unrecorded(check, tool, store, report, pages):
    """Time that is neither busy nor idle: the account of the time, the verdict and the finding have it."""
    metrics = {name: value["value"] for name, value in report["traces"][0]["metrics"].items()}
    devices = report["traces"][0]["devices"]
    found = [row for row in report["advice"] if row["id"] == "unrecorded-work"]
    unknown_ns = metrics.get("device_unknown_ns", 0) if devices else 0
    for where, page in pages.items():
        if unknown_ns and (where == "text" or shown(page, r"not recorded \|? ?NUMBER")):
            check.shown("unrecorded work", where, page, r"not recorded \|? ?NUMBER", unknown_ns)
        if unknown_ns and "is device work that was not recorded" in page:
            check.shown("unrecorded work", where + ", verdict", page,
                        r"\(NUMBER of [^)]*\) is device work that was not recorded", unknown_ns)
    for row in found:
        check.shown("unrecorded work", "explain", plain(run(tool, "explain", store, row["id"], "-q")),
                    r"% of the time, NUMBER", unknown_ns)


def check_range(check, what, where, page, pattern, fix):
    """A range that is shown has two digits of the upper end, rounded outwards."""
    found = re.search(pattern.replace("RANGE", r"([\d.]+) to " + NUMBER), page)
    if not found:
        return
    low, high, unit = found.groups()[-3:]
    digit_ns = UNITS[unit] * 10 ** (len(high.replace(".", "")) - 2) / 10 ** len(high.partition(".")[2])
    check.same(what + ", low", where, float(low) * UNITS[unit], fix["gain_low_ns"] - digit_ns / 2, digit_ns)
    check.same(what + ", high", where, float(high) * UNITS[unit], fix["gain_high_ns"] + digit_ns / 2, digit_ns)


def check_planned(check, where, page, words, planned, fix):
    """The columns of the table of fixes: alone, in this order, and what is left. The first is a range where the gain
    is one."""
    row = words + r"(?: [^|]{0,200}?\|)? (?:guessed )?%s \|? ?%s \|? ?%s"
    for at, key in enumerate(("alone_ns", "added_ns", "left_ns")):
        cells = [r"(?:[\d.]+(?: to [\d.]+)? [mun]?s|nothing)"] * 3
        cells[at] = "NUMBER"
        found = shown(page, row % tuple(cells))
        what = "%s of %s" % (key, planned["fix"])
        cells[at] = "RANGE"
        if key == "alone_ns" and fix["gain_ns"] and re.search((row % tuple(cells)).replace("RANGE", r"[\d.]+ to NUMBER").replace("NUMBER", NUMBER), page):
            part = planned["alone_ns"] / fix["gain_ns"]
            ends = {end: fix[end] * part for end in ("gain_low_ns", "gain_high_ns")}
            check_range(check, what, where, page, row % tuple(cells), ends)
            continue
        cells[at] = "NUMBER"
        if found:
            check.same(what, where, found[0][0], planned[key], found[0][1])
        elif where == "text" and planned[key] > 0 and re.search("(step|run) then", page):
            check.shown(what, where, page, row % tuple(cells), planned[key])


def check_order(check, report, pages):
    """The plan comes first and each of its fixes adds time there; what it leaves nothing to win comes last, in a sentence. Screens
    count in the plan what they show."""
    ids = [row["id"] for row in report["advice"] if row["kind"] == "fix"]
    titles = {row["id"]: re.escape(plain(row["title"])) for row in report["advice"]}
    planned = [row["fix"] for row in report["plan"]]
    covered = [row["fix"] for row in report["plan_rest"] if row["added_ns"] <= 0]
    left = [row["left_ns"] for row in report["plan"]]
    if planned and (planned != ids[:len(planned)] or set(covered) != set(ids[len(ids) - len(covered):])):
        check.failed = True
        print("%s: the order of the findings is %s, that of the plan %s, then %s" % (check.trace, ids, planned, covered))
    if report["plan"] and report["plan"][-1]["added_ns"] <= 0 or len(report["fix_sets"]) != (2 ** len(planned) if planned else 0):
        check.failed = True
        print("%s: the plan ends with a fix that adds nothing, or its sets are others" % check.trace)
    judges = re.search("(step|run) then", pages["text"])
    for fix in covered if judges else []:
        if "Nothing more once these are made" not in pages["text"] or not re.search(r"#%d %s" % (ids.index(fix) + 1, titles[fix]), pages["text"]):
            check.failed = True
            print("%s: text does not say that %s adds nothing" % (check.trace, fix))
    for where in ("text", "md"):
        told = re.search(r"(?:The first (\d+) together: )?[\d.]+ x as fast", pages[where])
        if left and left[-1] > 0 and judges and (not told or int(told[1] or 1) != len(planned)):
            check.failed = True
            print("%s: %s counts other fixes than the %d of the plan" % (check.trace, where, len(planned)))


def check_gains(check, tool, store, report, pages, index):
    check_order(check, report, pages)
    fixes = [row for row in report["advice"] if row["kind"] == "fix" and row["gain_ns"] is not None and
             (row["gain_ns"] or row["id"] in [planned["fix"] for planned in report["plan"]])]
    for row in index:
        match = [fix for fix in fixes if fix["id"] == row["id"]]
        if match:
            check.same("gain of " + row["id"], "index", row["gain_ns"], match[0]["gain_ns"])
            check.same("share of " + row["id"], "index", row["gain_pct"], match[0]["gain_pct"])
    for fix in fixes:
        what, words = "gain of " + fix["id"], re.escape(plain(fix["title"]))
        explained = plain(run(tool, "explain", store, fix["id"], "-q"))
        if fix["gain_ns"]:
            check.shown(what, "explain", explained, r"(?:Saves|likely|steady run) NUMBER(?! a step)", fix["gain_ns"])
        elif "Saves nothing alone" not in explained:
            check.failed = True
            print("%s: explain does not say that %s saves nothing alone" % (check.trace, fix["id"]))
        check_range(check, what, "explain", explained, r"(?:Saves|steady run) RANGE(?! a step)", fix)
        if not fix["gain_low_ns"] <= fix["gain_ns"] <= fix["gain_high_ns"]:
            check.failed = True
            print("%s: %s is not within its range" % (check.trace, what))
        for where, page in pages.items():
            row = words + r"(?: [^|]{0,200}\|)? %s \|? ?[\d<>]+ %%"
            check_range(check, what, where, page, row % "RANGE", fix)
            for ns, digit_ns in shown(page, row % "NUMBER")[:1]:
                check.same(what, where, ns, fix["gain_ns"], digit_ns)
            for planned in (row for row in report["plan"] if row["fix"] == fix["id"]):
                check_planned(check, where, page, words, planned, fix)
    by_id = {fix["id"]: fix for fix in fixes}
    for count, row in enumerate(report["plan"], 1):
        first = ",".join(before["fix"] for before in report["plan"][:count])
        what = json.loads(run(tool, "whatif", store, "-q", "-f", "json", "--fix", first))["traces"][0]
        for end in ("gain_ns", "gain_low_ns", "gain_high_ns"):
            check.same("%s of %s" % (end, first), "whatif", what[end], row[end])
            if count == 1 and row["fix"] in by_id:
                check.same("%s of %s" % (end, first), "plan", row[end], by_id[first][end])
        if count == 1 and row["fix"] in by_id:
            share_pct = 100 * what["gain_ns"] / what["wall_ns"]
            check.same("share of " + first, "whatif", min(share_pct, 100), by_id[first]["gain_pct"], 1e-9)
            said = plain(run(tool, "whatif", store, "-q", "--fix", first))
            check.same("share of " + first, "text of whatif", float(re.search(r"saved .*?([\d.]+) %", said)[1]), by_id[first]["gain_pct"], 0.1)
        if row["step_before_ns"]:
            check.same("step before any fix", "whatif", what["step_before_ns"], row["step_before_ns"])


def check_names(check, where, row, metrics, within=0):
    """A time of a row that has the name of a metric is that metric; counts of a job are those of all its ranks."""
    for name in sorted(row.keys() & metrics.keys()):
        if name.endswith("_ns") and row[name] is not None:
            check.same(name, where, row[name], metrics[name], within)


def check_times(check, report, pages, compared, index, job, steady_ns):
    metrics = {name: value["value"] for name, value in report["traces"][0]["metrics"].items()}
    wall_ns, steps = metrics["wall_ns"], metrics.get("steady_step_count", 0)
    step_ns = metrics["steady_step_sum_ns"] / steps if steps else None
    check.same("wall time", "compare", compared["before"]["wall_ns"], wall_ns)
    check.same("wall time", "index", index["wall_ns"], wall_ns)
    if report["traces"][0]["devices"]:
        check.same("idle time", "index", index["idle_ns"], metrics["idle_ns"])
    if steps:
        check.same("mean step", "report of the batch", job["step_mean_ns"], step_ns, 1)
    check_names(check, "report of the batch", job, metrics, 1)
    if steps and compared["basis"] == "step":
        check.same("mean step", "compare", compared["verdict"]["before_ns"], step_ns, 1)
    for where, page in pages.items():
        if steps > 1:
            check.shown("mean step", where, page, r", mean NUMBER", step_ns)
        if shown(page, r"saves \|? of NUMBER"):
            check.shown("time of the steady run", where, page, r"saves \|? of NUMBER", steady_ns)


def check(tool, trace):
    for made in ("jobs", "out"):
        shutil.rmtree(made, ignore_errors=True)
    os.mkdir("jobs")
    os.symlink(os.path.abspath(trace), os.path.join("jobs", os.path.basename(trace)))
    run(tool, "import", trace, "-q", "-o", "amounts.db")
    run(tool, "batch", "jobs", "-q", "-o", "out")
    result = Check(trace)
    report = json.loads(run(tool, "amounts.db", "-q", "-f", "json"))
    pages = {form: plain(run(tool, "amounts.db", "-q", "-f", form, "--details", "--width", "140")) for form in ("text", "md", "html")}
    ask = lambda sql: json.loads(run(tool, "query", "out/index.db", sql, "--format", "json"))
    values = {row["name"]: row["value"] for row in ask("SELECT name, value FROM trace_metric")}
    steady_ns = json.loads(run(tool, "query", "amounts.db", "SELECT wall_ns FROM steady", "-f", "json"))[0]["wall_ns"]
    check_idle(result, report, pages)
    check_idle_of_findings(result, tool, "amounts.db", report)
    check_unrecorded(result, tool, "amounts.db", report, pages)
    check_gains(result, tool, "amounts.db", report, pages,
                ask("SELECT heuristic AS id, gain_ns, gain_pct FROM trace_finding WHERE gain_ns > 0"))
    check_times(result, report, pages, json.loads(run(tool, "compare", "amounts.db", "amounts.db", "-q", "-f", "json")), values,
                json.loads(run(tool, "report", "out", "-f", "json"))["jobs"][0], steady_ns)
    return result.failed


def check_job(tool, job):
    """A directory of ranks: its step, gains and wall time are those of the rank that sets the pace."""
    shutil.rmtree("out", ignore_errors=True)
    shutil.rmtree("jobs", ignore_errors=True)
    shutil.copytree(job, os.path.join("jobs", "job"))
    run(tool, "import", job, "-q", "-o", "amounts.db")
    run(tool, "batch", "jobs", "-q", "-o", "out")
    result = Check(job)
    report = json.loads(run(tool, "amounts.db", "-q", "-f", "json"))
    pages = {form: plain(run(tool, "amounts.db", "-q", "-f", form, "--width", "140")) for form in ("text", "md", "html")}
    ranks = report["jobs"][0]
    pace = [rank for rank in ranks["ranks"] if rank["rank"] == ranks["pace_rank"]][0]
    brief = json.loads(run(tool, "amounts.db", "-q", "-f", "json", "--json-level", "summary"))["jobs"][0]
    for rank in ranks["ranks"]:
        trace = [trace for trace in report["traces"] if trace["id"] == rank["trace_id"]][0]
        check_names(result, "rank %d" % rank["rank"], rank, {name: value["value"] for name, value in trace["metrics"].items()})
    for key in ("step_mean_ns", "wall_ns", "step_count"):
        result.same(key, "short form", brief[key], pace[key])
    planned = [row["fix"] for row in report["plan"] if row["trace_id"] == pace["trace_id"]]
    told = [row["id"] for row in brief["findings"]][:len(planned)]
    if (brief["verdict"], brief["pace_rank"], told) != (ranks["verdict"], ranks["pace_rank"], planned[:len(told)]):
        result.failed = True
        print("%s: the short form says other than the job: %s" % (job, brief))
    batch = json.loads(run(tool, "report", "out", "-f", "json"))["jobs"][0]
    result.same("mean step", "report of the batch", batch["step_mean_ns"], pace["step_mean_ns"], 2)
    result.same("wall time", "report of the batch", batch["wall_ns"], pace["wall_ns"])
    steady_ns = json.loads(run(tool, "query", "amounts.db", "SELECT wall_ns FROM steady WHERE trace_id = %d" % pace["trace_id"],
                               "-f", "json"))[0]["wall_ns"]
    for row in [row for row in ranks["advice"] if row["gain_ns"]]:
        what = json.loads(run(tool, "whatif", "amounts.db", "-q", "-f", "json", "--fix", row["id"]))
        result.same("gain of " + row["id"], "finding of the job", row["gain_ns"], what["gain_ns"])
    for plan in [row for row in report["plan"] if row["trace_id"] == pace["trace_id"]][:1]:
        what = json.loads(run(tool, "whatif", "amounts.db", "-q", "-f", "json", "--fix", plan["fix"]))
        before_ns = plan["step_before_ns"] or steady_ns
        result.same("step before any fix", "whatif", what["step_before_ns"], before_ns)
        result.same("step with " + plan["fix"], "whatif", what["step_after_ns"], plan["left_ns"])
        result.same("gain of " + plan["fix"], "whatif", what["gain_ns"], plan["gain_ns"])
        for row in what["jobs"]:
            result.same("step before any fix", "whatif of the job", row["step_before_ns"] or row["wall_ns"], before_ns)
            result.same("gain of " + plan["fix"], "whatif of the job", row["gain_ns"], plan["gain_ns"])
            text = plain(run(tool, "whatif", "amounts.db", "-q", "--fix", plan["fix"]))
            result.shown("step before any fix", "text of whatif", text[text.index("One job"):],
                         r"takes NUMBER as recorded", before_ns)
        result.shown("step before any fix", "text", pages["text"], r"as fast as the NUMBER of", plan["whole_ns"])
        result.shown("step before any fix", "md", pages["md"], r"as fast as the NUMBER of", plan["whole_ns"])
    return result.failed


if __name__ == "__main__":
    sys.exit(any([(check_job if os.path.isdir(trace) else check)(sys.argv[1], trace) for trace in sys.argv[2:]]))
