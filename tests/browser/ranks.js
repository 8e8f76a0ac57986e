/* Tests of the page of a job: the map of steps and ranks, who waits for whom, and the timelines that a cell asks for. */
"use strict";

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");

const query = (sql) => JSON.parse(execFileSync(process.env.TC_TOOL, ["query", "three.db", sql, "--format", "json"], { encoding: "utf8" }));
const file = { file: "three.html" };
const map = "figure[data-kind=ranks]", waits = "figure[data-kind=waits]";
const wordsOf = (page, figure) => page.$$eval(`${figure} svg g`, (cells) => cells.map((cell) => cell.querySelector("title").textContent));
const cell = (page, words) => page.locator(`${map} svg g`, { has: page.locator("title", { hasText: words }) }).first();
const ranksShown = (page) => page.$$eval("section.timeline:not([hidden])", (sections) => sections.map((section) => Number(section.dataset.rank)).sort());
const show = (ns) => ns >= 1e9 ? `${(ns / 1e9).toPrecision(4)} s` : ns >= 1e6 ? `${(ns / 1e6).toPrecision(4)} ms` : `${(ns / 1e3).toPrecision(4)} us`;

/* How far down a node is. */
const topOf = (page, selector) => page.locator(selector).first().evaluate((node) => node.getBoundingClientRect().top);

module.exports = (test, { shown }) => {
	test("the map of a fleet draws each job as large as the hours that it loses, and leads to its page", async (page) => {
		const rows = await page.$$eval("figure[data-kind=map] tbody tr", (all) => all.map((row) => [Number(row.cells[0].dataset.v), row.cells[1].textContent]));
		const boxes = await page.$$eval("figure[data-kind=map] svg a", (all) => all.map((link) => {
			const { width, height } = link.querySelector("rect").getBBox();
			return { area: (width + 1) * (height + 1), words: link.querySelector("title").textContent };
		}));
		const hours = rows.reduce((sum, [each]) => sum + each, 0), area = boxes.reduce((sum, box) => sum + box.area, 0);
		assert(rows.length === 2 && boxes.length === 2 && hours > 0, JSON.stringify({ rows, boxes }));
		rows.forEach(([each, job], i) => {
			assert(boxes[i].words.startsWith(`${job}: `), boxes[i].words);
			assert(Math.abs(boxes[i].area / area - each / hours) < 1e-3, JSON.stringify({ rows, boxes }));
		});
		await page.locator("figure[data-kind=map] svg a").first().click();
		await page.waitForURL(`**/jobs/${rows[0][1]}.html`);
	}, { file: "kept/fleet.html" });

	test("the page of a job opens with the map, then the fixes; its first line says what the run was, and advice has titles", async (page) => {
		assert.match(await page.textContent("h1 + p"), /^many\/: kineto, NVIDIA H100 80GB HBM3, 1 device each, 1 step of .* on rank 79$/);
		const tops = [await topOf(page, "p.strong"), await topOf(page, map), await topOf(page, "td.gain"), await topOf(page, "h2:text-is('Ranks')")];
		assert.deepEqual(tops, [...tops].sort((a, b) => a - b));
		assert(tops[2] < 900, `the first fix is ${tops[2]} px down`);
		assert.match(await page.locator("table", { has: page.locator("th", { hasText: "top advice" }) }).first().textContent(), /#\d The device waits for the data loader/);
	}, { file: "many.html" });

	test("a map of many ranks scrolls, and shows the slow one at first", async (page) => {
		const box = await page.$eval(`${map} .heat-map`, (node) => node.getBoundingClientRect().toJSON());
		const at = await cell(page, "rank 79, step 10:").locator("rect").boundingBox();
		assert(box.height <= 460 && at.y >= box.y && at.y + at.height <= box.y + box.height, JSON.stringify({ box, at }));
		assert.equal(await page.locator(`${map} ~ p`).count(), 0);
		assert.match(await page.textContent(`.plot:has(${waits})`), /The 64 ranks that wait longest, and the 16/);
	}, { file: "many.html" });

	test("the map of a job has the time of each step, and each amount that the switch names", async (page) => {
		const steps = query("SELECT j.rank, s.number, s.ns FROM step_time s JOIN job_rank j USING (trace_id) ORDER BY 1, 2");
		assert.equal(steps.length, 12);
		const words = await wordsOf(page, map);
		for (const { rank, number, ns } of steps)
			assert(words.includes(`rank ${rank}, step ${number}: ${show(ns)}`), `rank ${rank}, step ${number}: ${show(ns)} of ${words.join("; ")}`);
		assert.equal(words.length, 4 * 5); /* with the margins */
		const margins = await page.$$eval(`${map} svg > text`, (all) => all.filter((each) => each.textContent === "mean").length);
		assert.equal(margins, 2);
		await page.locator(`${map} label`, { hasText: "idle" }).click();
		const idle = query("SELECT j.rank, m.step, m.value FROM metric m JOIN job_rank j USING (trace_id) WHERE m.name = 'idle_ns' AND m.device IS NULL AND m.step IS NOT NULL");
		const said = await wordsOf(page, map);
		for (const { rank, step, value } of idle)
			assert(said.some((text) => text.startsWith(`rank ${rank}, step ${step}: idle ${show(value)} of `)), `idle of rank ${rank}, step ${step} is ${show(value)}`);
	}, file);

	test("who waits for whom adds up to the waits of the ranks", async (page) => {
		const words = await wordsOf(page, waits);
		for (const { rank, exposed_wait_ns: ns } of query("SELECT rank, exposed_wait_ns FROM job_rank WHERE exposed_wait_ns > 0"))
			assert(words.includes(`rank ${rank} waits ${show(ns)} for others`), `rank ${rank} waits ${show(ns)}: ${words.join("; ")}`);
	}, file);

	test("a click on a cell shows that step of that rank beside the one that was asked for before", async (page) => {
		const first = await ranksShown(page);
		assert.equal(first.length, 2);
		const hidden = [0, 1, 2].find((rank) => !first.includes(rank));
		await cell(page, `rank ${hidden}, step 12:`).click();
		await page.waitForFunction((rank) => !document.querySelector(`section.timeline[data-rank="${rank}"]`).hidden, hidden);
		const [{ ts, dur }] = query(`SELECT s.ts - t.start_ns AS ts, s.dur FROM step s JOIN job_rank j USING (trace_id) JOIN trace t ON t.id = s.trace_id WHERE j.rank = ${hidden} AND s.number = 12`);
		const view = await page.$eval(`section.timeline[data-rank="${hidden}"] canvas`, ({ dataset }) => ({ from: Number(dataset.from), to: Number(dataset.to), selected: Number(dataset.selected) }));
		assert(Math.abs((view.to - view.from) / dur - 1.1) < 0.02, `${view.to - view.from} of ${dur}`);
		assert(view.selected >= 0 && ts > 0);
		const other = first.find((rank) => rank !== hidden);
		await cell(page, `rank ${other}, step 11:`).click();
		await page.waitForTimeout(200);
		assert.deepEqual(await ranksShown(page), [hidden, other].sort());
		assert.deepEqual(await page.$$eval("section.timeline:not([hidden]) canvas", (all) => new Set(all.map(({ dataset }) => `${dataset.from} ${dataset.to}`)).size), 1);
	}, file);

	test("the address leads to a rank that is hidden at first", async (page) => {
		const first = await ranksShown(page);
		const hidden = [0, 1, 2].find((rank) => !first.includes(rank));
		await cell(page, `rank ${hidden}, step 11:`).click();
		await page.waitForFunction(() => /slice=2:/.test(location.hash));
		await page.reload();
		await page.waitForSelector("body[data-ready]");
		assert((await ranksShown(page)).includes(hidden));
		assert((await page.$eval(`section.timeline[data-rank="${hidden}"] canvas`, ({ dataset }) => Number(dataset.selected))) >= 0);
	}, file);

	test("arrow keys walk over the map, and Enter shows the step", async (page) => {
		await page.focus(`${map} svg`);
		for (const key of ["ArrowDown", "ArrowRight", "ArrowRight"])
			await page.keyboard.press(key);
		assert.match(await page.textContent(`${map} [role=status]`), /^rank 1, step 12: /);
		for (let i = 0; i < 9; i++)
			await page.keyboard.press("ArrowRight");
		assert.match(await page.textContent(`${map} [role=status]`), /^rank 1, step 13: /);
		await page.keyboard.press("Enter");
		await page.waitForFunction(() => !document.querySelector('section.timeline[data-rank="1"]').hidden);
		assert((await shown(page)).to > 0);
	}, file);
};
