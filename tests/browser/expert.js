/* Tests of the timeline for experts: areas beside SQL, jumps, addresses, tracks, fingers. Called with the helpers of page.js. */
"use strict";

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");

/* The rows of a query on a store of the directory of pages, as JSON. */
const query = (store, sql) => execFileSync(process.env.TC_TOOL, ["query", store, sql, "--format", "json"], { encoding: "utf8", maxBuffer: 1 << 28 });

/* What an area from start + a to start + b holds, by name: count, and ns cut at its ends; and idle ns by cause. */
const askArea = (store, a, b) => ({
	names: JSON.parse(query(store, `SELECT l.name AS name, CASE WHEN t.device IS NULL THEN 'host' ELSE 'device' END AS place, count(*) AS count,
		sum(min(s.ts + max(s.dur, 0), x.b) - max(s.ts, x.a)) AS ns
		FROM slice_row s JOIN label l ON l.id = s.label_id JOIN track t ON t.id = s.track_id, (SELECT start_ns + ${a} AS a, start_ns + ${b} AS b FROM trace) x
		WHERE s.ts < x.b AND (s.ts + max(s.dur, 0) > x.a OR s.ts >= x.a) GROUP BY 1, 2 ORDER BY 1, 2`)),
	causes: JSON.parse(query(store, `SELECT cause, sum(min(ts + dur, x.b) - max(ts, x.a)) AS ns FROM (SELECT gap_ts + coalesce(sum(dur) OVER (PARTITION BY device, gap_ts
		ORDER BY ts, cause ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS ts, dur, cause FROM gap WHERE gap_ts IS NOT NULL),
		(SELECT start_ns + ${a} AS a, start_ns + ${b} AS b FROM trace) x WHERE ts < x.b AND ts + dur > x.a GROUP BY 1 ORDER BY 1`)),
});

const span = (page) => page.$eval("canvas", (canvas) => Number(canvas.dataset.to) - Number(canvas.dataset.from));
const settled = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
const follow = (page, hash) => page.evaluate((hash) => { location.hash = hash; }, hash);
const kept = (page) => page.waitForTimeout(500);
const canvasNames = async (page, texts) => (await texts(page)).filter((each) => each.x < 10 && each.y > 22).map((each) => each.text);

/* The rows of the tables of the area: exact numbers by their column. */
const areaOf = (page) => page.$eval(".area", (area) => {
	const rows = (selector) => [...area.querySelectorAll(`${selector} tbody tr`)].map((row) => [...row.cells].map((cell) => cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v)));
	return { names: rows(".sums"), devices: rows(".devices") };
});

const compareArea = async (page, store, from, to) => {
	await follow(page, `#area=${from}-${to}`);
	await page.waitForSelector(".area .sums");
	const shown = await areaOf(page), wanted = askArea(store, from, to);
	assert(shown.names.length >= Math.min(5, wanted.names.length));
	for (const [name, place, count, total, self, mean, , , share] of shown.names) {
		const row = wanted.names.find((each) => each.name === name && each.place === place);
		assert.deepEqual([count, total], [row?.count, row?.ns], `${name} on ${place}`);
		assert(self <= total && self >= 0 && Math.abs(mean * count - total) < 1 && Math.abs(share - total / (to - from)) < 1e-9, name);
	}
	for (const { cause, ns } of wanted.causes)
		assert.equal(shown.devices.find(([, what]) => what.endsWith(`(${cause.replaceAll("_", " ")})`))?.[2], ns, cause);
	return shown;
};

module.exports = (test, { shown, texts, pointAt, contrast }) => {
	test("the sums of an area are those of SQL, and its idle time by cause", async (page) => {
		const { names, devices } = await compareArea(page, "example.db", 160000000, 300000000);
		assert(names.length > 20 && devices.length > 3);
		const total = devices.reduce((sum, [, , ns]) => sum + ns, 0);
		assert(Math.abs(total / 140e6 - 1) < 0.01, `busy and idle take ${total}`);
	});

	test("the sums of an area of threads are those of SQL", (page) => compareArea(page, "threads.db", 90000, 500000), { file: "threads.html" });

	test("a drag on the ruler selects an area of all tracks, one with Shift of those it crosses, a click ends it", async (page) => {
		const drag = async (from, to, key) => {
			await page.mouse.move(...await pointAt(page, ...from));
			if (key)
				await page.keyboard.down(key);
			await page.mouse.down();
			await page.mouse.move(...await pointAt(page, ...to), { steps: 3 });
			await page.mouse.up();
			if (key)
				await page.keyboard.up(key);
			await settled(page);
		};
		const before = await shown(page);
		await drag([0.2, 10], [0.6, 12]);
		const all = await areaOf(page);
		assert(all.names.some(([, place]) => place === "host") && all.names.some(([, place]) => place === "device"));
		assert.equal(await span(page), before.to - before.from, "the view moved");
		await drag([0.2, 110], [0.6, 140], "Shift");
		const some = await areaOf(page);
		assert(some.names.length > 0 && some.names.every(([, place]) => place === "device"), JSON.stringify(some.names));
		await page.mouse.click(...await pointAt(page, 0.5, 10));
		assert.equal(await page.isVisible(".area"), false);
	});

	test("the flame graph of an area adds up, is searched, and turns over", async (page) => {
		await follow(page, "#area=160000000-300000000");
		await page.click("text=Flame graph of the area");
		await page.waitForSelector(".flame .icicle button"); /* a fold tells that it opened in a task of its own */
		const widths = () => page.$$eval(".flame .icicle button", (all) => all.map((each) => ({ name: each.textContent, width: parseFloat(each.style.width), top: parseFloat(each.style.top), dim: each.className === "other" })));
		const upright = await widths();
		assert.equal(upright[0].width, 100);
		const top = upright.filter((each) => each.top === 20).reduce((sum, each) => sum + each.width, 0);
		assert(top > 95 && top < 100.01, `the first level has ${top} %`);
		const loader = upright.find((each) => each.name.startsWith("enumerate(DataLoader)"));
		assert(loader && loader.top === 40);
		await page.check("text=Inverted");
		assert.equal((await widths()).find((each) => each.name.startsWith("enumerate(DataLoader)")).top, 20);
		await page.fill("input[placeholder='Search names']", "dataloader");
		const found = await widths();
		assert(found.some((each) => each.dim) && found.filter((each) => !each.dim).every((each) => /dataloader/i.test(each.name)));
		await page.selectOption("select[aria-label=Slices]", "lane");
		assert((await widths()).some((each) => each.name === "GEMM"));
	});

	test("a kernel leads to the call that launched it, and that back, by link and by key", async (page) => {
		await page.fill("input[placeholder='Search slices']", "GEMM");
		await page.keyboard.press("Enter");
		const kernel = (await shown(page)).selected;
		const panel = await page.textContent(".panel");
		assert.match(panel, /launchedby synLaunch\S* on .*, \d[\d.]* [mun]s before, [\d,]+ queued/);
		assert.match(panel, /among[\d,]+\w\w longest of [\d,]+ of this name.*p50 .*p95/);
		assert.equal(await page.locator(".panel .bins rect.this").count(), 1);
		await page.click(".panel .jump");
		const call = (await shown(page)).selected;
		assert.notEqual(call, kernel);
		assert.match(await page.textContent(".panel"), /launches\w/);
		await page.focus("canvas");
		await page.keyboard.press("j");
		const first = (await shown(page)).selected;
		assert.match(await page.textContent(".panel"), /launchedby synLaunch/);
		await page.keyboard.press("j");
		assert.equal((await shown(page)).selected, call);
		assert(first !== call);
	});

	test("launches and queued work are those of SQL", async (page) => {
		await page.fill("input[placeholder='Search slices']", "gemm");
		await page.keyboard.press("Enter"); /* the first one has no correlation */
		for (let i = 0; i < 3; i++) {
			await page.locator("button[title='The next slice found']").click();
			const [, ahead, queued] = /launchedby cudaLaunchKernel on .*, ([\d.]+ us) before, (\d+) queued/.exec(await page.textContent(".panel"));
			const row = JSON.parse(query("threads.db", `SELECT o.ts - s.ts AS ns, (SELECT count(*) FROM device_op q JOIN slice_row c ON c.id = q.launch_slice_id WHERE c.ts < s.ts AND q.ts > s.ts) AS queued
				FROM device_op o JOIN slice_row s ON s.id = o.launch_slice_id ORDER BY o.ts LIMIT 1 OFFSET ${i}`))[0];
			assert.deepEqual([parseFloat(ahead) * 1000, Number(queued)], [row.ns, row.queued]);
		}
	}, { file: "threads.html" });

	test("the address keeps range, selection, area and pins, and a link to it shows them", async (page) => {
		await page.fill("input[placeholder='Search slices']", "dataloader");
		await page.keyboard.press("Enter");
		await page.focus("canvas");
		await page.keyboard.press("f");
		await page.keyboard.press("p");
		await page.keyboard.press("m");
		const before = await shown(page);
		await kept(page);
		const address = page.url();
		assert.match(address, /#view=-?\d+--?\d+&slice=\d+&area=\d+-\d+&pin=\d+$/);
		const names = await canvasNames(page, texts);
		await page.goto("about:blank");
		await page.goto(address);
		await page.waitForSelector("body[data-ready]");
		const after = await shown(page);
		assert(Math.abs(after.from - before.from) <= 1 && Math.abs(after.to - before.to) <= 1 && after.selected === before.selected, JSON.stringify([before, after]));
		assert.deepEqual(await canvasNames(page, texts), names);
		assert(await page.isVisible(".area .sums"));
		await follow(page, "#view=0-150000000");
		await settled(page);
		assert.deepEqual([(await shown(page)).selected, await page.isVisible(".area")], [-1, false]);
		await page.goBack();
		await settled(page);
		assert.equal((await shown(page)).selected, before.selected);
	});

	test("tracks pin, filter, fold and unfold", async (page) => {
		const names = () => canvasNames(page, texts);
		const folded = await names();
		const more = folded.findIndex((name) => /^\u25b8 \d+ more lanes$/.test(name));
		assert(more > 3 && folded.filter((name) => / TPC /.test(name)).length < 6, folded.join("|"));
		const y = (await texts(page)).find((each) => each.text === folded[more]).y;
		const [x] = await pointAt(page, 0, 0);
		await page.mouse.click(x - 100, (await pointAt(page, 0, y))[1]);
		assert((await names()).filter((name) => / TPC /.test(name)).length > 6, (await names()).join("|"));
		await page.fill("input[placeholder='Filter tracks']", "thread");
		assert((await names()).every((name) => /thread/.test(name)), (await names()).join("|"));
		const last = (await texts(page)).filter((each) => each.x < 10 && each.y > 22).at(-1);
		await page.mouse.move(x - 100, (await pointAt(page, 0, last.y))[1]);
		await page.focus("canvas");
		await page.keyboard.press("p");
		await page.fill("input[placeholder='Filter tracks']", "");
		assert.equal((await names()).sort().includes(last.text), true);
		assert.match(await page.textContent("[role=status]"), /is pinned$/);
		assert.equal((await texts(page)).filter((each) => each.x < 10 && each.y > 22).sort((a, b) => a.y - b.y)[0].text, last.text);
	});

	test("rows beyond the sixth of a thread are folded, and a selection unfolds them", async (page) => {
		const heightOf = () => page.$eval(".sizer", (node) => node.clientHeight);
		const before = await heightOf();
		await page.fill("input[placeholder='Search slices']", "deepest");
		await page.keyboard.press("Enter");
		assert(await heightOf() > before);
		await page.focus("canvas");
		await page.keyboard.press("o");
		assert.equal(await heightOf(), before);
	}, { file: "threads.html" });

	test("? shows the keys, Escape hides them", async (page) => {
		await page.keyboard.press("?");
		assert.match(await page.textContent("dialog.keys[open]"), /Jump|jump from a call/);
		await page.keyboard.press("Escape");
		assert.equal(await page.locator("dialog[open]").count(), 0);
	});

	test("a device lane is in the first view", async (page) => {
		const height = await page.$eval("canvas", (canvas) => canvas.clientHeight);
		assert((await texts(page)).some((each) => each.x < 10 && each.y < height && /^device 0: (?!idle|collectives)/.test(each.text)));
	});

	test("args that say nothing are hidden", async (page) => {
		await page.fill("input[placeholder='Search slices']", "aten::slow");
		await page.keyboard.press("Enter");
		const words = await page.locator(".panel dt").allTextContents();
		assert(words.includes("Input Dims") && !words.includes("Concrete Inputs") && !words.includes("Fwd thread"), words.join());
	}, { file: "threads.html" });

	test("slices have no colour of a cause, and white is readable on all", async (page) => {
		const colors = await page.$$eval("section.timeline .legend", (lines) => lines.map((line) => [...line.querySelectorAll(".swatch")].map((swatch) => getComputedStyle(swatch).backgroundColor.match(/\d+/g).map(Number))));
		assert.equal(colors.length, 2);
		const [causes, slices] = colors;
		for (const slice of slices)
			assert(causes.every((cause) => cause.reduce((sum, part, i) => sum + Math.abs(part - slice[i]), 0) > 20), `${slice} is the colour of a cause`);
		for (const color of [...causes, ...slices])
			assert(contrast("#ffffff", color) >= 4.5, `white on ${color}`);
	});

	test("two fingers pinch, one moves in time, and one that goes up scrolls the page", async (page) => {
		const client = await page.context().newCDPSession(page);
		const touch = (type, ...points) => client.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
		await page.locator("canvas").scrollIntoViewIfNeeded();
		const box = await page.locator("canvas").boundingBox();
		const y = box.y + box.height / 2, x = box.x + 600;
		const all = await span(page);
		await touch("touchStart", [x - 50, y], [x + 50, y]);
		await touch("touchMove", [x - 100, y], [x + 100, y]);
		await touch("touchMove", [x - 150, y], [x + 150, y]);
		await touch("touchEnd");
		await settled(page);
		const near = await shown(page);
		assert(Math.abs(all / (near.to - near.from) - 3) < 0.3, `zoomed by ${all / (near.to - near.from)}`);
		await touch("touchStart", [x, y]);
		await touch("touchMove", [x - 60, y]);
		await touch("touchMove", [x - 120, y]);
		await touch("touchEnd");
		await settled(page);
		const moved = await shown(page);
		assert(moved.from > near.from && Math.abs(moved.to - moved.from - near.to + near.from) < 2);
		const top = await page.evaluate(() => scrollY);
		for (let i = 0; i < 20; i++) { /* twice: rows scroll first, as far as they can */
			await touch(i % 10 === 0 ? "touchStart" : "touchMove", [x, y - 15 * (i % 10)]);
			await settled(page);
			if (i % 10 === 9)
				await touch("touchEnd");
		}
		await page.waitForFunction((top) => scrollY > top + 50, top);
		assert.equal(Math.round((await shown(page)).from), Math.round(moved.from));
	}, { hasTouch: true });
};

Object.assign(module.exports, { query, askArea, areaOf, follow });
