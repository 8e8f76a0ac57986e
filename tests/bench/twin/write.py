"""What a profiler would have recorded of a run, as a trace file.

Recording begins with a step, in the middle of the run: device work that was launched before is
there without its launch, or not at all. Slices can get lost. Times are relative to a base.
"""
import json

from world import draw

HOST_PID, GPU_TID = 14734, 0
BASE_NS = 1727712558000000000
LANES = {"MME": (6100, 2, "MME %d"), "TPC": (7200, 6, "[D0] TPC %d"), "DMA": (4010, 2, "EDMA %d"),
         "PDMA": (3004, 1, "PDMA %d"), "NIC": (14000, 2, "NIC %d")}
KINETO_LANES = {"MME": (6100, 2, "[HD0] MME"), "TPC": (7200, 6, "[HD0] TPC %d"), "DMA": (3000, 2, "[D0] SPDMA %d"),
                "PDMA": (3010, 1, "[D1] SPDMA %d"), "NIC": (14000, 2, "NIC %d")}
HARDWARE = {"MME": "MMEH_WB0_MON_TS_BIT1", "TPC": "TPC_SPU_START_TO_SPU_HALT", "DMA": "DBG_DMA_TRC_WR_DATA_LAST",
            "PDMA": "DBG_DMA_TRC_WR_DATA_LAST", "NIC": "STM_0_TX"}
TIDS = {1: 0, 2: 287, 3: 3}


def us(ns):
    return "%d.%03d" % (ns // 1000, ns % 1000)


class Writer:
    def __init__(self, path, program):
        self.program, self.p = program, program.p
        self.pid = HOST_PID + program.rank
        self.rows = []
        self.path = path

    def tid(self, thread):
        return self.pid + TIDS[thread]

    def lost(self, *key):
        return self.p.lost and draw(self.p.seed, 99, *key) < self.p.lost

    def slice(self, cat, name, pid, tid, start, end, args):
        self.rows.append('{"ph":"X","cat":"%s","name":%s,"pid":%s,"tid":%s,"ts":%s,"dur":%s,"args":%s}' % (
            cat, json.dumps(name), pid, tid, us(start), us(end - start), args))

    def name(self, what, pid, tid, text):
        self.rows.append('{"ph":"M","name":"%s","pid":%d,"tid":%d,"ts":0,"args":{"%s":"%s"}}' % (
            what, pid, tid, "labels" if what == "process_labels" else "name", text))

    def write(self):
        since = self.program.record_from
        until = self.program.record_until
        host = sorted((s for s in self.program.notes.host if s[3] >= since and s[4] <= until),
                      key=lambda s: (s[3], -s[4], s[5]["id"]))
        device = [s for s in self.program.notes.device if s[4] >= since and s[5] <= until]
        self.name("process_name", self.pid, 0, "python3")
        self.name("process_labels", self.pid, 0, "CPU")
        for thread, text in ((1, "python3"), (2, "pt_autograd_0"), (3, "LaunchThread")):
            self.name("thread_name", self.pid, self.tid(thread), "thread %d (%s)" % (self.tid(thread), text))
        if self.p.vendor == "cuda":
            self.cuda(host, device)
        else:
            self.gaudi(host, device)
        with open(self.path, "w") as out:
            out.write(self.head())
            out.write(",\n".join(self.rows))
            out.write("\n]}\n")

    def head(self):
        name, memory_bytes, major, minor, cores = self.p.device
        devices = {"cuda": [{"id": i, "name": name, "totalGlobalMem": memory_bytes,
                             "computeMajor": major, "computeMinor": minor, "warpSize": 32, "numSms": cores}
                            for i in range(self.p.devices)],
                   "lazy": [{"name": "GAUDI2", "totalGlobalMem": 102106132480}],
                   "compile": [{"name": "GAUDI3", "totalGlobalMem": 137438953472}]}[self.p.vendor]
        head = {"schemaVersion": 1, "deviceProperties": devices, "baseTimeNanoseconds": BASE_NS}
        if self.p.world_size > 1:
            head["distributedInfo"] = {"backend": "nccl" if self.p.vendor == "cuda" else "hccl",
                                       "rank": self.program.rank, "world_size": self.p.world_size}
        return json.dumps(head)[:-1] + ',"traceEvents":[\n'

    def cpu(self, s):
        thread, kind, name, start, end, facts = s
        if kind in ("op", "annotation"):
            args = '{"External id":%d,"Ev Idx":%d}' % (facts["id"], facts["id"] - 1)
            self.slice("cpu_op" if kind == "op" else "user_annotation", name, self.pid, self.tid(thread), start, end, args)
            return True
        if kind == "python":
            self.slice("python_function", name, self.pid, self.tid(thread), start, end,
                       '{"Python id":%d,"Python parent id":null}' % facts["id"])
            return True
        return False

    def arrow(self, phase, pid, tid, ts, number):
        self.rows.append('{"ph":"%s","id":%d,"pid":%d,"tid":%d,"ts":%s,"cat":"ac2g","name":"ac2g"%s}' % (
            phase, number, pid, tid, us(ts), ',"bp":"e"' if phase == "f" else ""))

    def cuda(self, host, device):
        launched = set()
        for s in host:
            if self.cpu(s):
                continue
            thread, _, name, start, end, facts = s
            number = facts["correlation"]
            if facts["launches"] and self.lost(1, number):
                continue
            launched.add(number)
            self.slice("cuda_runtime", name, self.pid, self.tid(thread), start, end,
                       '{"External id":%d,"cbid":%d,"correlation":%d}' % (
                           facts["op"], 211 if "Kernel" in name else 41 if "Memcpy" in name else 131, number))
            if facts["launches"]:
                self.arrow("s", self.pid, self.tid(thread), start, number)
        for lane in sorted({(s[0], s[1]) for s in device}):
            self.name("thread_name", lane[0], lane[1], "stream %d " % lane[1])
        for where, lane, kind, name, start, end, facts in sorted(device, key=lambda s: (s[4], s[1])):
            number = facts["correlation"]
            if self.lost(2, number) or (number not in launched and not self.p.keeps_early):
                continue
            args = '{"External id":%d,"device":%d,"context":1,"stream":%d,"correlation":%d' % (
                facts["id"], where, lane, number)
            if kind == "memcpy":
                args += ',"bytes":%d}' % facts["bytes"]
            else:
                args += ',"grid":[%d,1,1],"block":[128,1,1]%s}' % (
                    (end - start) // 500 + 1, ',"graph node id":%d' % facts["node"] if "node" in facts else "")
            self.slice({"memcpy": "gpu_memcpy", "memset": "gpu_memset"}.get(kind, "kernel"),
                       name, where, lane, start, end, args)
            if number in launched:
                self.arrow("f", where, lane, start, number)

    def recipe(self, number):
        if number == 0:
            return '"recipeId":0,"recipeName":"","streamHandle":"0x0","eventHandle":"0x0"'
        name = ".graph_dumps/HabanaFusedOpLazy_%d_%d" % (number, number - 1) if self.p.vendor == "lazy" else \
            "graph_recipe_%d" % number
        return '"recipeId":%d,"recipeName":"%s","streamHandle":"0xd97f000000000003","eventHandle":"0x0"' % (
            0xE001 + number * 61 % 0x1FFD, name)

    def gaudi(self, host, device):
        lazy = self.p.vendor == "lazy"
        lanes = LANES if lazy else KINETO_LANES
        edges = {"bridge": {}, "logger": {}}
        for s in host:
            thread, kind, name, start, end, facts = s
            if self.cpu(s) or self.lost(1, facts["id"]):
                continue
            if kind == "synapse":
                if lazy and not self.p.records_runtime:  # the logger's slices say it, too
                    continue
                self.slice("Runtime" if lazy else "hpu_op", name, 22101, 18001, start, end,
                           '{"dataType":"",%s}' % self.recipe(facts["recipe"]))
            elif lazy:
                edges[kind].setdefault(thread, []).append((start, end, name, facts))
            else:
                self.slice("privateuse1_runtime", name, self.pid, self.tid(thread), start, end, "{}")
        self.name("process_name", 0, 0, "/device:HPU:0")
        self.name("process_labels", 0, 0, "/device:HPU:0")
        self.name("thread_name", 22101, 18001, "Synapse/*Host Profiler")
        for engine, (base, count, text) in lanes.items():
            for lane in range(count):
                self.name("thread_name", 0, base + lane, text % lane if "%" in text else text)
        for offset, kind, text in ((20000, "bridge", "Bridge Logs"), (10000, "logger", "Synapse Logger")):
            for thread, slices in edges[kind].items():
                self.edges(self.pid + offset, self.tid(thread), slices)
            if lazy:
                self.name("process_name", self.pid + offset, 0, text)
                self.name("process_labels", self.pid + offset, 0, text)
        for number, s in enumerate(sorted(device, key=lambda s: s[4])):
            if not self.lost(2, number):
                self.engine(s, lanes, number)

    def engine(self, s, lanes, number):
        _, engine, kind, name, start, end, facts = s
        base, count, _ = lanes[engine]
        spread = (end - start) // 64
        for lane in range(count):
            first = start + (int(spread * draw(number, lane, 7)) if lane else 0)
            last = end - (int(spread * draw(number, lane, 8)) if lane else 0)
            cat = ("Kernel" if self.p.vendor == "lazy" else "kernel") if kind == "node" and engine != "DMA" else \
                "Runtime" if self.p.vendor == "lazy" else "hpu_op"
            self.slice(cat, name, 0, base + lane, first, last,
                       '{"HW event name":"%s","dataType":"%s",%s}' % (
                           HARDWARE[engine], facts.get("dtype", ""), self.recipe(facts.get("recipe", 0))))

    def edges(self, pid, tid, slices):
        """Begin and end edges in the order of time: slices come in the order of their start."""
        stack = []

        def put(phase, ts, name, args):
            self.rows.append('{"ph":"%s","cat":"Runtime","name":"%s","pid":%d,"tid":%d,"ts":%s%s}' % (
                phase, name, pid, tid, us(ts), args))
        for start, end, name, facts in slices:
            while stack and stack[-1][0] <= start:
                put("E", *stack.pop(), ',"args":{"status":"0"}')
            args = {k: str(v) for k, v in facts.items() if k != "id"}
            put("B", start, name, ',"args":%s' % json.dumps(args) if args else "")
            stack.append((end, name))
        while stack:
            put("E", *stack.pop(), ',"args":{"status":"0"}')
