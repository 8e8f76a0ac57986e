/* A trace in which every name is markup, a script, or turns text around. */
"use strict";

const names = [
	"</script><script>document.title = 'taken'</script>",
	"<img src=x onerror=\"document.title = 'taken'\">",
	"\" onmouseover=\"document.title = 'taken'",
	"\u202egnp.exe\u2066 \u2028 \u0000 javascript:alert(1)",
	"${document.title = 'taken'} `'\"<!-- -->]]>",
];
const events = [{ ph: "M", name: "process_name", pid: 1, args: { name: names[0] } }, { ph: "M", name: "thread_name", pid: 1, tid: 1, args: { name: names[1] } }];

for (let i = 0; i < 200; i++) {
	const name = names[i % names.length];
	events.push({ ph: "X", cat: "cpu_op", name, pid: 1, tid: 1, ts: i * 100, dur: 50, args: { [name]: name } });
	events.push({ ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid: 1, ts: i * 100 + 10, dur: 5, args: { correlation: i } });
	events.push({ ph: "X", cat: "kernel", name, pid: 0, tid: 7, ts: i * 100 + 60, dur: 30, args: { device: 0, stream: 7, correlation: i, note: name } });
	events.push({ ph: "C", name, pid: 1, ts: i * 100, args: { value: i } });
}
process.stdout.write(JSON.stringify({ schemaVersion: 1, deviceProperties: [{ id: 0, name: names[0] }], traceEvents: events }));
