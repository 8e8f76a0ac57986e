"""Sums up gcov's counts: see scripts/coverage. usage: coverage.py BUILD SOURCE"""
import collections
import json
import pathlib
import re
import subprocess
import sys

build, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])

# What an uncovered line handles, by its words and those of the lines around it: the first that fits.
KINDS = [
    ("no memory", re.compile(r"NOMEM|no_memory|nomem|out of memory|no memory|alloc\(|TC_GROW|tc_grow|tc_buf_failed|_failed\(")),
    ("the disk or the system", re.compile(r"errno|TC_ERR_IO|TC_ERR_READ|error\b|close\(|EINTR|EAGAIN")),
    ("a failed call handed on", re.compile(r"status|return TC_ERR|tc_fail|goto|SQLITE_|code\b")),
]


def counts():
    """The lines of our sources, each with how often it ran, over all objects that hold it."""
    ran = collections.defaultdict(collections.Counter)
    for notes in sorted(build.rglob("*.gcno")):
        if "/lib/CMakeFiles" not in str(notes) and "/cmd/CMakeFiles" not in str(notes):
            continue
        text = subprocess.run(["gcov", "--json-format", "--stdout", str(notes)], cwd=build,
                              capture_output=True, text=True, check=True).stdout
        for part in text.splitlines():
            for file in json.loads(part)["files"]:
                path = (build / file["file"]).resolve()
                if not path.is_relative_to(source) or path.is_relative_to(build):
                    continue
                name = str(path.relative_to(source))
                for line in file["lines"]:
                    ran[name][line["line_number"]] += line["count"]
    return ran


def room_of(name):
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] == "lib" else parts[0]


def kind_of(lines, number):
    near = "\n".join(lines[max(0, number - 3):number + 2])
    return next((kind for kind, words in KINDS if words.search(near)), "other")


rooms = collections.defaultdict(lambda: [0, 0])
kinds = collections.Counter()
with open(build / "uncovered.txt", "w") as out:
    for name, lines_ran in sorted(counts().items()):
        text = (source / name).read_text().splitlines()
        for number, count in sorted(lines_ran.items()):
            rooms[room_of(name)][count == 0] += 1
            if count == 0:
                kind = kind_of(text, number)
                kinds[kind] += 1
                out.write(f"{name}:{number}: {kind}: {text[number - 1].strip()}\n")

with open(build / "coverage.md", "w") as out:
    out.write("| room | lines | run by a test | not |\n|---|---:|---:|---:|\n")
    total = [0, 0]
    for room, (yes, no) in sorted(rooms.items()):
        out.write(f"| `{room}/` | {yes + no} | {100 * yes / (yes + no):.1f} % | {no} |\n")
        total = [total[0] + yes, total[1] + no]
    out.write(f"| all | {sum(total)} | {100 * total[0] / sum(total):.1f} % | {total[1]} |\n\n")
    out.write("| what such a line handles | lines |\n|---|---:|\n")
    for kind, count in kinds.most_common():
        out.write(f"| {kind} | {count} |\n")
print((build / "coverage.md").read_text(), end="")
