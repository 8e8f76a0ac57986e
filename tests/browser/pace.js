/* How fast pages are in Chromium, which draws in software here: usage: pace.js PAGE...; prints, for each, when the picture was
 * there, and how long frames took while it was moved and zoomed. */
"use strict";

const { chromium } = require("playwright-core");

const FRAMES = 120;

/* Runs in the page: zooms in a little, then moves to and fro, a step a frame. */
const frames = async (count) => {
	const canvas = document.querySelector("canvas");
	const press = (key) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
	const frame = () => new Promise(requestAnimationFrame);
	const times = [];
	for (let i = 0; i < count; i++) {
		press(["w", "d", "d", "s", "a", "a"][Math.floor(i / 10) % 6]);
		const start = await frame();
		times.push(await frame() - start);
	}
	return times.sort((a, b) => a - b);
};

(async () => {
	const browser = await chromium.launch({ executablePath: process.env.TC_CHROMIUM });
	for (const file of process.argv.slice(2)) {
		const page = await (await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 } })).newPage();
		page.setDefaultTimeout(120000);
		await page.goto(`file://${file}`, { waitUntil: "commit" });
		await page.waitForSelector("body[data-ready]", { state: "attached" });
		const painted = await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))));
		const times = await page.evaluate(`(${frames})(${FRAMES})`);
		const at = (share) => times[Math.floor(times.length * share)].toFixed(0);
		console.log(`${file}: painted after ${painted.toFixed(0)} ms; a frame takes ${at(0.5)} ms (p50), ${at(0.95)} ms (p95)`);
		await page.close();
	}
	await browser.close();
})();
