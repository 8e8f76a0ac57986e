/* Writes traces that no generator makes: usage: traces.js ROOT, in a directory with the ranks one0.json and one1.json of a job. */
"use strict";

const fs = require("node:fs");

const [root] = process.argv.slice(2);
const read = (path) => JSON.parse(fs.readFileSync(path, "utf8"));
const write = (path, trace) => fs.writeFileSync(path, JSON.stringify(trace));

/* Kernels with the names that C++ gives them, in args, too. One finding is about memory, which has no place. */
const SIGNATURE = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)";
const signature = read(`${root}/testdata/heuristics/batch-size-headroom/fires.json`);
for (const event of signature.traceEvents) {
	if (event.cat === "kernel")
		event.name = SIGNATURE;
	else if (event.name === "cudaLaunchKernel")
		Object.assign(event, { name: "hipLaunchKernel", args: { ...event.args, kernel: SIGNATURE } });
}
write("signature.json", signature);

/* One slice around everything, and a gap in which nothing else is recorded. */
const long = [{ ph: "X", cat: "python_function", name: "train.py(1): main", pid: 1, tid: 1, ts: 0, dur: 1000 }];
for (const [i, ts] of [100, 800].entries()) {
	long.push({ ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid: 1, ts: ts - 5, dur: 4, args: { correlation: i } });
	long.push({ ph: "X", cat: "kernel", name: "gemm", pid: 0, tid: 7, ts, dur: 10, args: { device: 0, stream: 7, correlation: i } });
}
write("long.json", { schemaVersion: 1, deviceProperties: [{ id: 0, name: "NVIDIA A100" }], traceEvents: long });

/* Five steps with a kernel each, of which the fourth takes longer. */
const slow = [];
for (const [i, [ts, dur]] of [[0, 100], [100, 100], [200, 100], [300, 180], [480, 100]].entries())
	slow.push({ ph: "X", cat: "user_annotation", name: `ProfilerStep#${i}`, pid: 1, tid: 1, ts, dur }, { ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid: 1, ts: ts + 10, dur: 4, args: { correlation: i + 1 } },
		{ ph: "X", cat: "kernel", name: "gemm", pid: 0, tid: 7, ts: ts + 20, dur: dur - 40, args: { device: 0, stream: 7, correlation: i + 1 } });
write("slow.json", { schemaVersion: 1, deviceProperties: [{ id: 0, name: "NVIDIA A100" }], traceEvents: slow });

/* Two threads that launch: the first one more often, and it is busy in the gap that work of the second ends. */
const threads = [];
for (const [i, [tid, ts]] of [[1, 100], [1, 120], [1, 140], [2, 800], [1, 820]].entries()) {
	threads.push({ ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid, ts: ts - 5, dur: 4, args: { correlation: i } });
	threads.push({ ph: "X", cat: "kernel", name: "gemm", pid: 0, tid: 7, ts, dur: 10, args: { device: 0, stream: 7, correlation: i } });
}
threads.push({ ph: "X", cat: "cpu_op", name: "aten::other", pid: 1, tid: 1, ts: 160, dur: 600 });
threads.push({ ph: "X", cat: "cpu_op", name: "aten::slow", pid: 1, tid: 2, ts: 200, dur: 500, args: { "Input Dims": [[2, 3], []], "Concrete Inputs": ["", ""], "Fwd thread": "" } });
for (let depth = 0; depth < 9; depth++)
	threads.push({ ph: "X", cat: "python_function", name: depth < 8 ? `model.py(${depth}): forward` : "model.py(9): deepest", pid: 1, tid: 2, ts: 830 + depth, dur: 100 - 2 * depth });
write("threads.json", { schemaVersion: 1, deviceProperties: [{ id: 0, name: "NVIDIA A100" }], traceEvents: threads });

/* Calls that the end of the recording cuts off, so that they have no time, unlike those in them. */
const ended = (name, cat, tid, ts, dur, args) => ({ ph: "X", cat, name, pid: cat === "kernel" ? 0 : 1, tid, ts, dur, args });
const unended = [{ ph: "B", cat: "cpu_op", name: "aten::outer", pid: 1, tid: 1, ts: 0 }, ended("aten::ended", "cpu_op", 1, 0, 4, {})];
for (let i = 0; i < 20; i++)
	unended.push(ended("aten::inner", "cpu_op", 1, 10 + i * 100, 90, {}), ended("cudaLaunchKernel", "cuda_runtime", 1, 20 + i * 100, 5, { correlation: i }),
		ended("gemm", "kernel", 7, 40 + i * 100, 30, { device: 0, stream: 7, correlation: i }));
write("unended.json", { schemaVersion: 1, deviceProperties: [{ id: 0, name: "NVIDIA A100" }], traceEvents: unended });

/* Two ranks that recorded one step, the second from a later time on: what began before is missing there. */
const START_US = 7500;
for (const rank of [0, 1]) {
	const trace = read(`one${rank}.json`);
	const slices = trace.traceEvents.filter((event) => event.ph === "X");
	const start = Math.min(...slices.map((event) => Number(event.ts))) + rank * START_US;
	for (const step of slices.filter((event) => event.name.startsWith("ProfilerStep#"))) {
		step.dur = Number(step.dur) - Math.max(0, start - step.ts);
		step.ts = Math.max(start, step.ts);
	}
	trace.traceEvents = trace.traceEvents.filter((event) => event.ts === undefined || Number(event.ts) >= start);
	write(`apart${rank}.json`, trace);
}
