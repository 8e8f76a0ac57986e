/* Opens exported traces in a viewer of Chrome traces that is not ours, speedscope, offline: usage: viewer.js TRACE. It must list the
 * tracks of the trace and ours, each with the time that its slices take. */
"use strict";

const assert = require("node:assert/strict");
const path = require("node:path");
const { chromium } = require("playwright-core");

const viewer = path.join(path.dirname(require.resolve("speedscope/package.json")), "dist/release/index.html");
const WANTED = [
	/^python3 \(pid 14734\), thread 14734 .*\t450\.65ms$/,
	/^tracecoach \(pid \d+\), steps \(tid \d+\)\t450\.65ms$/,
	/^tracecoach \(pid \d+\), findings: the worst place of each \(tid \d+\)\t126\.89ms$/,
	/^tracecoach \(pid \d+\), critical path \(tid \d+\)\t450\.6\dms$/,
	/^tracecoach \(pid \d+\), device 0 idle, by cause \(tid \d+\)\t/,
];

(async () => {
	const browser = await chromium.launch({ executablePath: process.env.TC_CHROMIUM });
	const page = await (await browser.newContext({ offline: true, viewport: { width: 1280, height: 800 } })).newPage();
	const failed = [];
	page.on("pageerror", (error) => failed.push(error.message));
	await page.goto(`file://${viewer}`);
	await page.setInputFiles("input[type=file]", process.argv[2]);
	await page.click("text=/\\(1\\/\\d+\\)$/", { timeout: 30000 }); /* the name of the first track opens the list of all */
	await page.waitForSelector("text=Total Weight");
	const tracks = (await page.evaluate(() => document.body.innerText)).split("\n").map((line) => line.replace(/^\d+\t/, ""));
	await browser.close();
	assert.deepEqual(failed, []);
	for (const wanted of WANTED)
		assert(tracks.some((track) => wanted.test(track)), `no track is ${wanted}:\n${tracks.join("\n")}`);
	console.log("ok    a viewer that is not ours shows the tracks of an exported trace");
})();
