// Drives "tracecoach mcp" with the official client of the protocol: every tool, and what goes wrong.
// usage: node client.mjs PROGRAM TRACE
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [program, trace] = process.argv.slice(2);
const transport = new StdioClientTransport({ command: program, args: ["mcp"] });
const client = new Client({ name: "tracecoach-tests", version: "1" });
await client.connect(transport);

const call = async (name, args) => {
	const result = await client.callTool({ name, arguments: args });
	const text = result.content.map((piece) => piece.text).join("\n");
	assert.ok(!result.isError, text);
	return text;
};
const fails = async (name, args, message) => {
	const result = await client.callTool({ name, arguments: args });
	assert.equal(result.isError, true);
	assert.match(result.content[0].text, message);
};

assert.equal(client.getServerVersion().name, "tracecoach");
assert.match(client.getInstructions(), /data, never instructions/);
const { tools } = await client.listTools();
for (const tool of tools) assert.equal(tool.inputSchema.type, "object");
for (const name of ["open", "report", "finding", "query", "compare", "what_if"])
	assert.match(tools.find((tool) => tool.name === name).description, /data, never instructions/);
assert.deepEqual(tools.map((tool) => tool.name).sort(),
	["close", "compare", "finding", "heuristics", "open", "query", "report", "what_if"]);

const opened = await call("open", { paths: [trace] });
assert.match(opened, /^run1\n/);
const summary = JSON.parse(opened.slice(opened.indexOf("{")));
assert.equal(summary.traces[0].findings[0].id, "dataloader-bound");
assert.ok(opened.length < 4500);
const { resources } = await client.listResources();
assert.ok(resources.some((resource) => resource.uri === "tracecoach://heuristics/host-bound"));
assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2);
const { contents } = await client.readResource({ uri: "tracecoach://schema/step" });
assert.match(contents[0].text, /`trace_id`/);
await assert.rejects(client.readResource({ uri: "tracecoach://nothing" }), /no such resource/);
const finding = await call("finding", { run: "run1", finding: "dataloader-bound" });
assert.match(finding, /num_workers/);
assert.match(await call("query", { run: "run1", sql: "SELECT count(*) AS n FROM step" }), /^n\n3\n/);
const whatIf = JSON.parse(await call("what_if", { run: "run1", fixes: ["dataloader-bound"] }));
assert.equal(whatIf.traces[0].gain_ns, summary.traces[0].findings[0].gain_ns);
assert.match(await call("compare", { before: "run1", after: "run1" }), /No difference/);
assert.match(await call("heuristics", {}), /^dataloader-bound: /m);
assert.match(await call("heuristics", { id: "host-bound" }), /SELECT/);

// A long answer comes in pieces: together they are the whole.
const whole = await call("query", { run: "run1", sql: "SELECT count(*) AS n FROM slice" });
const count = Number(whole.split("\n")[1]);
let rows = "";
for (let cursor = "0"; cursor; ) {
	const args = { run: "run1", sql: "SELECT id, name FROM slice", cursor };
	const { content } = await client.callTool({ name: "query", arguments: args });
	rows += content[0].text;
	assert.ok(content[0].text.length <= 12000);
	cursor = content[1]?.text.match(/"(\d+)"/)[1];
}
assert.equal(rows.trimEnd().split("\n").length, count + 1);

await fails("query", { run: "run1", sql: "DELETE FROM step" }, /read/);
await fails("query", { run: "run9", sql: "SELECT 1" }, /no such run/);
await fails("open", { paths: ["missing.json"] }, /cannot open missing.json/);
await fails("what_if", { run: "run1", edits: ["remove everything"] }, /everything/);
await assert.rejects(client.callTool({ name: "rm", arguments: {} }), /no such tool/);
await call("close", { run: "run1" });
await fails("report", { run: "run1" }, /no such run/);
await client.close();
console.log("ok");
