/* Tests of what stands around the timeline: cards of findings, pictures, links from tables, paper, narrow screens. Called with the
 * helpers of page.js. */
"use strict";

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");

const query = (store, sql) => JSON.parse(execFileSync(process.env.TC_TOOL, ["query", store, sql, "--format", "json"], { encoding: "utf8" }));
const openCards = (page) => page.evaluate(() => document.querySelectorAll("details[id^=finding]").forEach((card) => { card.open = true; }));
/* The exact numbers of the table of a picture. */
const tableOf = (page, kind) => page.locator(`figure[data-kind=${kind}]`).first().evaluate((figure) => [...figure.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v))));

module.exports = (test, { shown }) => {
	test("a card begins with the numbers of its row in the table of fixes", async (page) => {
		const rows = await page.$$eval("table.fixes tbody tr", (all) => all.map((row) => ({ id: row.querySelector("a").getAttribute("href").slice(1), alone: row.cells[2].textContent, inOrder: row.cells[3].textContent })));
		assert(rows.length >= 3);
		for (const { id, alone, inOrder } of rows) {
			const line = await page.textContent(`[id="${id}"] summary`);
			assert(line.endsWith(`: ${inOrder} a step in this order, ${alone} alone`), `${line}: not ${inOrder}, ${alone}`);
		}
		const [{ time }] = await page.$$eval("h2", (all) => all.filter((each) => each.textContent === "Where the time went").map((each) => ({ time: each.nextElementSibling.textContent })));
		assert.match(time, /the steps.*idle/s);
	}, { file: "several.html" });

	for (const [file, title] of [["job.html", "rank0.json and 1 more"], ["many.html", "many, 80 traces"], ["sides.html", "several.json and fixed.json"], ["within.html", "two/several.json and fixed.json"]])
		test(`the title of a page says what it is about, ${file}`, async (page) => assert.equal(await page.title(), `${title} - tracecoach`), { file });

	test("paper has the first rows of long evidence, and what is about all rows", async (page) => {
		await page.emulateMedia({ media: "print" });
		const cards = await page.$$eval("details[id^=finding]", (all) => all.map((card) => {
			card.open = true;
			const row = card.querySelector("li");
			for (let i = 0; i < 6; i++)
				row.after(row.cloneNode(true));
			return [...card.querySelectorAll("li")].map((item) => ({ text: item.textContent, isShown: item.getClientRects().length > 0, isRow: item.querySelector("b") === null }));
		}));
		const [long] = cards.sort((a, b) => b.length - a.length);
		assert(long.filter(({ isRow }) => isRow).length > 7);
		assert.equal(long.filter(({ isRow, isShown }) => isRow && isShown).length, 4);
		for (const words of [/^the same for all/, /^Why/, /^Do/])
			assert(long.some(({ text, isShown }) => isShown && words.test(text)), `${words} is not printed`);
	}, { file: "several.html" });

	test("the title is the last part of the path, the footer has version, date and command", async (page) => {
		assert.equal(await page.title(), "trace_example.json - tracecoach");
		assert.match(await page.textContent("footer"), /^\s*tracecoach \d+\.\d+\.\d+, recorded on 2023-07-19 at 22:04 UTC\. .*tracecoach trace_example\.json --format html\s*$/);
	});

	test("rows of tables lead into the timeline: names, steps, gaps", async (page) => {
		await page.click("text=Devices, host and tables");
		const table = (title) => page.locator("table", { has: page.locator("th", { hasText: title }) }).first();
		await table("operation").locator("td button.jump", { hasText: "GEMM" }).first().click();
		assert.match(await page.textContent(".panel"), /^GEMM.*the longest of/);
		await table("busy").locator("td button.jump").nth(1).click();
		assert.match(await page.textContent(".panel"), /^step 11/);
		await table("after start").locator("td button.jump").first().click();
		const { from, to } = await shown(page);
		const [gap] = query("example.db", "SELECT g.gap_ts - t.start_ns AS ts, g.gap_dur AS dur FROM gap g JOIN trace t ON t.id = g.trace_id ORDER BY g.gap_dur DESC, g.gap_ts LIMIT 1");
		assert(from <= gap.ts && to >= gap.ts + gap.dur && to - from < 4 * gap.dur, JSON.stringify({ from, to, gap }));
	});

	test("pictures have words and a table, and their numbers are those of SQL", async (page) => {
		const pictures = await page.$$eval("figure.picture", (all) => all.map((figure) => ({ kind: figure.dataset.kind, words: figure.querySelector("svg[role=img]")?.getAttribute("aria-label"), shapes: figure.querySelectorAll("rect, circle, polyline").length, folded: !figure.querySelector("details").open })));
		assert.deepEqual(pictures.map(({ kind }) => kind).sort(), ["bars", "curve", "histogram", "steps"]);
		assert(pictures.every(({ words, shapes, folded }) => words?.length > 10 && shapes > 1 && folded), JSON.stringify(pictures));
		const kernels = await tableOf(page, "histogram");
		const [all] = query("example.db", "SELECT count(*) AS count, sum(dur) AS ns FROM device_op WHERE kind = 'kernel' AND dur > 0");
		assert.deepEqual(["2", "3"].map((column) => kernels.reduce((sum, row) => sum + row[column], 0)), [all.count, all.ns]);
		const steps = await tableOf(page, "steps");
		for (const { number, ns } of query("example.db", "SELECT number, dur AS ns FROM step"))
			assert.equal(steps.filter(([step]) => Number(step) === number).reduce((sum, row) => sum + row[1], 0), ns, `step ${number}`);
	});

	test("slow steps are marked", async (page) => {
		const marked = await page.$$eval("figure[data-kind=steps] text.marked", (all) => all.map((each) => each.textContent));
		assert.deepEqual(marked.filter((text) => text === "slow").length, 1, marked.join());
	}, { file: "slow.html" });

	test("the roofline has operators and a roof", async (page) => {
		assert(await page.locator("figure[data-kind=roofline] polyline.roof").count() > 0);
		assert(await page.locator("figure[data-kind=roofline] circle").count() > 0 && await page.locator("figure[data-kind=roofline] circle").count() <= 10);
	}, { file: "roof.html" });

	test("collectives stand by size and bandwidth", async (page) => {
		const circles = await page.$$eval("figure[data-kind=bandwidth] circle title", (all) => all.map((each) => each.textContent));
		assert(circles.length > 0 && circles.every((words) => /GB\/s/.test(words)), circles.join());
	}, { file: "collectives.html" });

	test("a comparison shows both sides on one scale, and its differences as bars; the numbers are those of JSON", async (page) => {
		const compared = JSON.parse(execFileSync(process.env.TC_TOOL, ["compare", "several.json", "fixed.json", "--format", "json"], { encoding: "utf8" }));
		const sides = page.locator("figure[data-kind=sides]").first();
		const parts = compared.device.filter(({ before_ns: before, after_ns: after }) => before !== 0 || after !== 0).map((part) => [part.before_ns, part.after_ns, part.difference_ns]);
		parts.push([compared.verdict.before_ns, compared.verdict.after_ns, compared.verdict.difference_ns]);
		assert.deepEqual((await tableOf(page, "sides")).map((row) => row.slice(0, 3)), parts);
		const bars = await sides.locator("svg rect").evaluateAll((all) => all.map((rect) => ({ y: Number(rect.getAttribute("y")), width: Number(rect.getAttribute("width")) })));
		const widthOf = (y) => bars.filter((bar) => bar.y === y).reduce((sum, bar) => sum + bar.width + 1, 0);
		const [first, second] = [...new Set(bars.map(({ y }) => y))];
		const [before, after] = parts.at(-1);
		assert(Math.abs(widthOf(first) / widthOf(second) - before / after) < 0.05 * before / after, `${widthOf(first)} and ${widthOf(second)} px of ${before} and ${after} ns`);
		assert.match(await sides.locator("svg").getAttribute("aria-label"), /^\d.* before, \d.* after; most changed .*, [\u2212+]\d/);
	}, { file: "sides.html" });

	test("a card has a strip of its worst place, its query closed, and a text for an issue", async (page) => {
		await openCards(page);
		const card = page.locator("details[id$=dataloader-bound]");
		assert.match(await card.locator("svg.strip").getAttribute("aria-label"), /^The worst place: \d[\d.]* ms, enumerate\(DataLoader\)/);
		const rows = await card.locator("svg.strip > text").allTextContents();
		assert.deepEqual(rows.slice(0, 3), ["device", "idle, why", "host"]);
		const bracket = await card.locator("svg.strip .bracket").evaluate((node) => node.getBBox().width);
		assert(bracket > 200 && bracket < 400, `the bracket is ${bracket} wide`);
		assert.equal(await card.locator("details.query").evaluate((node) => node.open), false);
		await page.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new Error("no")); });
		await card.locator("text=Copy as issue").click();
		const issue = await card.locator("pre.issue").textContent();
		assert.match(issue, /^## The device waits for the data loader: .*\n\nSaves .*\n\n- enumerate\(DataLoader\).*\n- \*\*Why\*\* .*\n- \*\*Do\*\* .*\n\n```diff\n loader = .*\n\+    num_workers=8, .*\n```\n\nFound by tracecoach in trace\\_example\.json\n$/s);
	});

	test("a strip shows the thread that launched what ended the idle time, and says why in words", async (page) => {
		await openCards(page);
		const strip = page.locator("svg.strip").first();
		assert.match(await strip.getAttribute("aria-label"), /^The worst place: [\d.]+ us, nothing runs: the host dispatches operations$/);
		const pieces = await strip.locator("rect title").allTextContents();
		assert(pieces.includes("aten::slow") && !pieces.includes("aten::other"), pieces.join());
	}, { file: "threads.html" });

	test("the button beside a diff copies what is there afterwards", async (page) => {
		await openCards(page);
		await page.evaluate(() => { navigator.clipboard.writeText = (text) => { globalThis.copied = text; return Promise.resolve(); }; });
		const card = page.locator("details[id$=dataloader-bound]");
		assert.match(await card.locator("code.diff del").textContent(), /^- {4}num_workers=num_workers,/);
		await card.locator("button.copy").first().click();
		const copied = await page.evaluate(() => globalThis.copied);
		assert.match(copied, /^loader = .*\(\n {4}dataset,\n {4}batch_size=batch_size,\n {4}num_workers=8, .*\n\)$/s);
	});

	test("paper has the findings without queries, on few sheets, and closes them afterwards", async (page) => {
		await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
		await page.emulateMedia({ media: "print" });
		assert.equal(await page.locator("details[id^=finding]:not([open])").count(), 0);
		assert.equal(await page.locator("pre:visible, .query:visible, .tools:visible, .panel:visible, .timeline > .below:visible, h3:visible >> text=Example").count(), 0);
		const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
		const sheets = pdf.match(/\/Type\s*\/Page\b(?!s)/g).length;
		assert(sheets <= 3, `${sheets} sheets`);
		await page.evaluate(() => dispatchEvent(new Event("afterprint")));
		assert.equal(await page.locator("details[id^=finding][open]").count(), 0);
	});

	for (const colorScheme of ["light", "dark"])
		test(`nothing sticks out of a narrow screen, ${colorScheme}`, async (page) => {
			await page.setViewportSize({ width: 390, height: 844 });
			await openCards(page);
			await page.evaluate(() => { location.hash = "#area=0-100000000"; });
			await shown(page);
			const wide = await page.evaluate(() => [...document.querySelectorAll("main *")].filter((node) => !node.closest(".scroll, .stage, .icicle, pre, svg") && node.getBoundingClientRect().right > innerWidth + 1).map((node) => node.outerHTML.slice(0, 100)));
			assert.deepEqual(wide, []);
			assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
		}, { colorScheme });
};
