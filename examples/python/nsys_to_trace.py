#!/usr/bin/env python3
"""Makes a trace of an SQLite export of NVIDIA Nsight Systems: kernels, copies, sets, CUDA calls and NVTX ranges.

usage: nsys export --type sqlite -o report.sqlite report.nsys-rep
       nsys_to_trace.py report.sqlite trace.json

Ranges that torch.autograd.profiler.emit_nvtx() draws ("aten::mm, seq = 3, sizes = [[4, 4]]") become operators, other ones
annotations. Needs Python alone.
"""
import json
import re
import sqlite3
import sys

COPIES = {1: "HtoD", 2: "DtoH", 8: "DtoD", 10: "PtoP"}


def rows(db, table):
    """The rows of a table; nsys leaves out those of which nothing was recorded."""
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone():
        yield from db.execute(f'SELECT * FROM "{table}" WHERE "end" IS NOT NULL')


def event(row, category, name, pid, tid, args):
    # Times are written digit by digit: a double cannot hold microseconds of a long run exactly.
    dur = row["end"] - row["start"]
    return ('{"ph":"X","cat":"%s","name":%s,"pid":%d,"tid":%d,"ts":%d.%03d,"dur":%d.%03d,"args":%s}' % (
        category, json.dumps(name), pid, tid, row["start"] // 1000, row["start"] % 1000, dur // 1000, dur % 1000,
        json.dumps(args)))


def device_event(row, category, name, **more):
    args = {"device": row["deviceId"], "stream": row["streamId"], "correlation": row["correlationId"]}
    return event(row, category, name, row["deviceId"], row["streamId"], {**args, **more})


def host_event(row, category, name, args):
    thread = row["globalTid"]
    return event(row, category, name, thread >> 24 & 0xFFFFFF, thread & 0xFFFFFF, args)


def nvtx_event(row, name):
    operator = re.fullmatch(r"(\S+)(?:, op_id = \d+)?, seq = \d+(?:, sizes = (\[.*\]))?.*", name)
    if not operator:
        return host_event(row, "user_annotation", name, {})
    sizes = {"Input Dims": json.loads(operator[2])} if operator[2] else {}
    return host_event(row, "cpu_op", operator[1], sizes)


def events(db):
    strings = dict(db.execute("SELECT id, value FROM StringIds").fetchall())
    for row in rows(db, "CUPTI_ACTIVITY_KIND_KERNEL"):
        yield device_event(row, "kernel", strings[row["demangledName"]],
                           grid=[row["gridX"], row["gridY"], row["gridZ"]],
                           block=[row["blockX"], row["blockY"], row["blockZ"]])
    for row in rows(db, "CUPTI_ACTIVITY_KIND_MEMCPY"):
        yield device_event(row, "gpu_memcpy", "Memcpy " + COPIES.get(row["copyKind"], "other"), bytes=row["bytes"])
    for row in rows(db, "CUPTI_ACTIVITY_KIND_MEMSET"):
        yield device_event(row, "gpu_memset", "Memset", bytes=row["bytes"])
    for row in rows(db, "CUPTI_ACTIVITY_KIND_RUNTIME"):
        name = re.sub(r"_v\d+(_ptsz|_ptds)?$", "", strings[row["nameId"]])
        yield host_event(row, "cuda_runtime", name, {"correlation": row["correlationId"]})
    for row in rows(db, "NVTX_EVENTS"):
        name = row["text"] or strings.get(row["textId"])
        if row["eventType"] in (59, 60) and name:
            yield nvtx_event(row, name)


def main(source, target):
    with sqlite3.connect(f"file:{source}?mode=ro", uri=True) as db, open(target, "w") as out:
        db.row_factory = sqlite3.Row
        out.write('{"traceEvents":[')
        for number, text in enumerate(events(db)):
            out.write((",\n" if number else "\n") + text)
        out.write("\n]}\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main(sys.argv[1], sys.argv[2])
