/* Tests of the hero: ticks of fixes, the numbers that follow, the address, keys. Called with the helpers of page.js. */
"use strict";

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");

const query = (store, sql) => JSON.parse(execFileSync(process.env.TC_TOOL, ["query", store, sql, "--format", "json"], { encoding: "utf8" }));
/* Without fixes that add nothing, which have no tick; in this trace they are last. */
const setsOf = () => query("several.db", "SELECT mask, step_after_ns AS ns FROM fix_set ORDER BY mask").map(({ ns }) => ns);
const file = { file: "several.html" };
/* What the hero shows: the ticked fixes, the exact numbers of their rows, the share of its second bar. */
const shown = (page) => page.evaluate(() => {
	const rows = [...document.querySelectorAll("table.fixes tbody tr")].filter((row) => row.querySelector("input"));
	const number = (row, column) => Number(row.cells[column].dataset.v);
	return { ticked: rows.map((row) => row.querySelector("input").checked), added: rows.map((row) => number(row, 3)), left: rows.map((row) => number(row, 4)),
		then: document.querySelector(".hero .headline .gain").textContent, pct: parseFloat(document.querySelectorAll(".stack")[1].style.width), words: document.querySelectorAll(".stack")[1].ariaLabel, hash: location.hash };
});
/* What it must show for a set, from the replays in the store. */
function expected(sets, mask) {
	const count = Math.log2(sets.length), is = (i) => Math.floor(mask / 2 ** i) % 2 === 1;
	const before = [...Array(count).keys()].map((i) => is(i) ? mask % 2 ** i : mask);
	return { ticked: before.map((_, i) => is(i)), added: before.map((set, i) => sets[set] - sets[set + 2 ** i]), left: before.map((set, i) => sets[set + 2 ** i]), pct: 100 * sets[mask] / sets[0] };
}
async function check(page, mask) {
	const sets = setsOf(), { ticked, added, left, pct, words } = await shown(page), want = expected(sets, mask);
	assert.deepEqual({ ticked, added, left }, { ticked: want.ticked, added: want.added, left: want.left });
	assert(Math.abs(pct - want.pct) < 0.01, `the bar is ${pct} % wide, not ${want.pct} %`);
	return words;
}

module.exports = (test) => {
	test("the hero begins with all fixes, and its bars are what the paths are made of", async (page) => {
		const all = setsOf().length - 1;
		const words = await check(page, all);
		const paths = query("several.db", `WITH path AS (SELECT * FROM fix_set_path WHERE mask = (SELECT max(mask) FROM fix_set)) SELECT 100.0 * sum(dur_ns) / (SELECT sum(dur_ns) FROM path) AS pct FROM path WHERE piece = 'device' AND name = 'compute'`);
		assert.match(words, new RegExp(`device computes ${paths[0].pct.toFixed(1)} %`));
		assert((await shown(page)).hash === "");
	}, file);

	test("the words of the bars are those of the text report", async (page) => {
		const words = await page.evaluate(() => document.querySelector(".stack").ariaLabel);
		for (const phrase of ["the host dispatches operations", "launches reach the device", "work waits for other work"])
			assert(words.includes(phrase), `${phrase} is not in ${words}`);
		assert.match(await page.textContent(".hero .headline"), / ms a steady step \u2192 .* x as fast; then on the critical path: the (host|device) [a-z ]+ [0-9]+\u00a0%$/);
		const shares = query("several.db", `SELECT iif(pct < 0.5, '<1', iif(pct >= 99.5 AND pct < 100, '>99', printf('%.0f', pct))) || ' %' AS share
			FROM (SELECT 100.0 * dur_ns / sum(dur_ns) OVER () AS pct FROM fix_set_path WHERE mask = 0) ORDER BY pct DESC`).map(({ share }) => share);
		const shown = await page.$$eval(".stack >> nth=0", ([bar]) => [...bar.children].map((piece) => piece.title.replace(/.*, /, "").replace("\u00a0", " ")));
		assert.deepEqual(shown, shares);
		assert(shares.includes("<1 %"));
	}, file);

	test("ticks show each set that was replayed, and what was not worked out says so", async (page) => {
		const all = setsOf().length - 1;
		await page.click("table.fixes input >> nth=0");
		assert.match(await check(page, all - 1), /replayed for its length alone/);
		await page.click("table.fixes input >> nth=2");
		await check(page, all - 1 - 4);
		assert.equal((await shown(page)).hash, `#fix=${[2, 4, 5].filter((number) => 2 ** (number - 1) <= all).join(",")}`);
		await page.goBack();
		await check(page, all - 1);
		await page.goBack();
		await check(page, all);
		await page.goForward();
		await check(page, all - 1);
	}, file);

	test("keys tick fixes anywhere but where somebody types", async (page) => {
		const all = setsOf().length - 1;
		await page.keyboard.press("2");
		await check(page, all - 2);
		await page.keyboard.press("2");
		await check(page, all);
		await page.focus("input[type=search]");
		await page.keyboard.press("1");
		await check(page, all);
	}, file);

	test("an address has the ticks, beside those of the timeline", async (page) => {
		await page.evaluate(() => { location.hash = "#fix=1,3,99,x"; });
		await page.waitForFunction(() => !document.querySelectorAll("table.fixes input")[1].checked);
		await check(page, 5);
		assert.equal(await page.evaluate(() => scrollY), 0);
		await page.evaluate(() => { location.hash = "#fix="; });
		await page.waitForFunction(() => !document.querySelector("table.fixes input").checked);
		await check(page, 0);
		await page.evaluate(() => { location.hash = "#view=0-1000000&fix=1"; });
		await page.waitForFunction(() => document.querySelector("table.fixes input").checked);
		await check(page, 1);
		await page.locator("canvas").first().press("+");
		await page.waitForFunction(() => /view=(?!0-1000000)/.test(location.hash));
		assert.match(await page.evaluate(() => location.hash), /&fix=1$/);
	}, file);

	test("how sure a fix is looks different", async (page) => {
		const looks = await page.$$eval(".sure", (all) => all.map((each) => each.textContent));
		assert(looks.length >= 3 && looks.every((words) => ["measured", "inferred", "guessed"].includes(words)), looks.join());
		const style = await page.evaluate(() => ["measured", "inferred", "guessed"].map((words) => {
			const made = document.createElement("span");
			made.className = `sure ${words}`;
			document.body.append(made);
			const { backgroundColor, borderStyle } = getComputedStyle(made);
			made.remove();
			return `${backgroundColor} ${borderStyle}`;
		}));
		assert.equal(new Set(style).size, 3, style.join());
	}, file);
};
