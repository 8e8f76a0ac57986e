/* Tests of pages of real traces, where run found them: real0.html with real0.db and so on. Called with the helpers of page.js. */
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const { query, askArea, areaOf, follow } = require("./expert.js");

/* The exact times of the rows of fixes that have a tick, and the address. */
const fixesOf = (page) => page.evaluate(() => ({ hash: location.hash, then: document.querySelector(".hero .headline .gain").textContent, left: [...document.querySelectorAll("table.fixes tbody tr")].filter((row) => row.querySelector("input")).map((row) => Number(row.cells[4].dataset.v)) }));

/* Names of kernels are shorter on a page than in a store, so a part of the rows has a row of SQL. */
async function compareSums(page, store) {
	const [{ a, b }] = JSON.parse(query(store, "SELECT s.ts - t.start_ns AS a, s.ts + s.dur / 2 - t.start_ns AS b FROM step s JOIN trace t ON t.id = s.trace_id ORDER BY s.number LIMIT 1"));
	await follow(page, `#area=${a}-${b}`);
	await page.waitForSelector(".area .sums");
	const shown = await areaOf(page), wanted = askArea(store, a, b);
	let compared = 0;
	for (const [name, place, count, total] of shown.names) {
		const row = wanted.names.find((each) => each.name === name && each.place === place);
		if (place === "host" && row) {
			assert.deepEqual([count, total], [row.count, row.ns], name);
			compared++;
		}
	}
	assert(compared >= 5, `${compared} names of ${shown.names.length} are those of SQL`);
}

module.exports = (test, { shown }, directory) => {
	for (const name of fs.readdirSync(directory).filter((each) => /^real\d+\.html$/.test(each)).map((each) => each.slice(0, -5))) {
		const file = { file: `${name}.html` }, store = `${name}.db`;
		test(`paper of a real trace takes few sheets, ${name}`, async (page) => {
			const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
			const sheets = pdf.match(/\/Type\s*\/Page\b(?!s)/g).length;
			assert(sheets <= 5, `${sheets} sheets`);
		}, file);
		test(`a fix is ticked off and on again, ${name}`, async (page) => {
			const sets = JSON.parse(query(store, "SELECT mask, left_ns FROM fix_set_time ORDER BY mask"));
			const before = await fixesOf(page);
			assert.equal(before.left.at(-1), sets.at(-1).left_ns);
			await page.click("table.fixes input >> nth=0");
			const off = await fixesOf(page);
			assert.match(off.hash, /^#fix=/);
			assert.notEqual(off.then, before.then);
			await page.goBack();
			assert.deepEqual(await fixesOf(page), before);
			await page.evaluate((hash) => { location.hash = hash; }, off.hash);
			await page.waitForFunction(() => !document.querySelector("table.fixes input").checked);
			assert.deepEqual(await fixesOf(page), off);
		}, file);

		test(`the sums of an area are those of SQL, ${name}`, (page) => compareSums(page, store), file);

		test(`a launch leads to its work, and that back, ${name}`, async (page) => {
			await page.fill("input[placeholder='Search slices']", "LaunchKernel");
			await page.keyboard.press("Enter");
			const call = (await shown(page)).selected;
			assert.match(await page.textContent(".panel"), /launches\S/);
			await page.focus("canvas");
			await page.keyboard.press("j");
			assert.match(await page.textContent(".panel"), /launchedby \S*LaunchKernel/);
			assert.notEqual((await shown(page)).selected, call);
			await page.keyboard.press("j");
			assert.equal((await shown(page)).selected, call);
		}, file);
	}
};
