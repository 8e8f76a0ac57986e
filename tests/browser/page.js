/* Looks at pages in Chromium, offline: usage: page.js DIRECTORY GOLDEN [--golden]. Prints each test by its name. */
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const { chromium } = require("playwright-core");
const axe = require.resolve("axe-core");
const { play } = require("./monkey.js");

const [directory, golden, mode] = process.argv.slice(2);
const tests = [];
const test = (name, run, options = {}) => tests.push({ name, run, options });

/* What the canvas shows now: the stretch of time in ns, and the item selected. */
const shown = async (page) => {
	await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
	return page.$eval("canvas", (canvas) => ({ from: Number(canvas.dataset.from), to: Number(canvas.dataset.to), selected: Number(canvas.dataset.selected) }));
};
const span = (view) => view.to - view.from;
const seen = (page, selector) => page.$eval(selector, (node) => {
	const box = node.getBoundingClientRect();
	return box.top < innerHeight && box.bottom > 0;
});

/* The texts of the next picture, each with its colour and place, and the colour behind it if asked for. */
const texts = (page, withBehind) => page.evaluate((withBehind) => new Promise((resolve) => {
	const canvas = document.querySelector("canvas");
	const context = canvas.getContext("2d");
	const said = [];
	context.fillText = function (text, x, y) {
		said.push({ text, x, y, color: this.fillStyle });
		CanvasRenderingContext2D.prototype.fillText.call(this, text, x, y);
	};
	canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true }));
	requestAnimationFrame(() => requestAnimationFrame(() => {
		delete context.fillText;
		const { data, width } = withBehind ? context.getImageData(0, 0, canvas.width, canvas.height) : {};
		for (const each of withBehind ? said : []) {
			const at = ((Math.round(each.y) - 6) * width + Math.round(each.x) - 1) * 4;
			each.behind = [...data.slice(at, at + 3)];
		}
		resolve(said);
	}));
}), withBehind);

/* The contrast of "#rrggbb" and [r, g, b], as WCAG has it. */
const contrast = (color, behind) => {
	const light = (rgb) => rgb.map((part) => part / 255).map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
		.reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
	const [low, high] = [light([1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16))), light(behind)].sort((a, b) => a - b);
	return (high + 0.05) / (low + 0.05);
};

/* What is said of the longest gaps of each timeline. */
const gapsOf = async (page) => {
	const said = [];
	for (const section of await page.locator("section.timeline").all())
		for (let i = 0; i < 12; i++) {
			await section.locator("button", { hasText: "Longest gap" }).click();
			said.push(await section.locator(".panel").textContent());
		}
	return said;
};

/* The point of the canvas at a share of the time in view and a height. */
const pointAt = async (page, share, y) => {
	await page.locator("canvas").scrollIntoViewIfNeeded();
	const box = await page.locator("canvas").boundingBox();
	return [box.x + 190 + (box.width - 190) * share, box.y + y];
};

test("the verdict and the fixes are on the first screen", async (page) => {
	assert(await seen(page, "p.strong"));
	assert.match(await page.textContent("p.strong"), /idle 60 %/);
	assert(await seen(page, "td.gain"));
});

test("a fix leads to its finding, which opens", async (page) => {
	await page.click("text=The device waits for the data loader >> nth=0");
	const card = page.locator("details[id^=finding]").first();
	assert.equal(await card.evaluate((node) => node.open), true);
	assert.match(await card.textContent(), /num_workers/);
	assert.match(await card.locator(".query pre").textContent(), /tracecoach query trace\.db/);
	await card.locator("details.query summary").click();
	await card.locator(".query button.copy").click();
	await card.locator(".query button.copy", { hasText: /Copied|Ctrl\+C/ }).waitFor();
});

test("in a frame of a notebook links and ticks stay in the page", async (page) => {
	await page.evaluate((srcdoc) => {
		const frame = Object.assign(document.createElement("iframe"), { srcdoc });
		frame.sandbox = "allow-scripts";
		document.body.replaceChildren(frame);
	}, fs.readFileSync(`${directory}/example.html`, "utf8"));
	const frame = page.frameLocator("iframe"), address = () => frame.locator("body").evaluate(() => location.href);
	await frame.locator("body[data-ready]").waitFor();
	await frame.locator("a[href^='#finding']").first().click();
	assert.match(await address(), /^about:srcdoc#finding-0-/);
	const tick = frame.locator("input[type=checkbox]").first();
	await tick.click();
	assert.match(await address(), /^about:srcdoc#fix=/);
	await tick.click();
	assert.equal(await address(), "about:srcdoc");
});

test("a finding shows its worst place, and back", async (page) => {
	await page.locator("details[id^=finding] summary").first().click();
	await page.click("button.show");
	const view = await shown(page);
	assert(view.selected >= 0 && span(view) < 400e6, JSON.stringify(view));
	assert.match(await page.textContent(".panel"), /DataLoader/);
	await page.keyboard.press("b");
	assert(await seen(page, "details[id^=finding]"));
	assert.equal(await page.evaluate(() => document.activeElement.className), "show");
});

test("the longest gap is a click away, and then the next one", async (page) => {
	await page.locator("canvas").scrollIntoViewIfNeeded();
	await page.click("text=Longest gap");
	const view = await shown(page);
	assert.match(await page.textContent(".panel"), /^Idle.*takes83\.26 ms/);
	assert(span(view) < 300e6);
	await page.focus("canvas");
	await page.keyboard.press("g");
	assert.notEqual((await shown(page)).selected, view.selected);
	assert.match(await page.textContent("[role=status]"), /^gap 2 of /);
});

test("G on the page shows the longest gap whole: its causes, what the host did, what ended it", async (page) => {
	await page.keyboard.press("g");
	assert.match(await page.textContent("[role=status]"), /^gap 1 of 7$/); /* with the first step's; not its pieces */
	const panel = await page.textContent(".panel");
	for (const word of [/causethe host fetches the next batch \(dataloader\), 83\.16 ms/, /andthe host launches work/,
		/hostenumerate\(DataLoader\)#.*, 83\.16 ms of it, on thread 14734/, /ended byDmaMemcpy, on device 0: PDMA 0/])
		assert.match(panel, word);
	for (const selector of ["canvas", ".panel dl"])
		assert(await seen(page, selector), `${selector} is not on the screen`);
	assert(await page.$eval(".panel", (node) => node.getBoundingClientRect().bottom <= innerHeight));
	await page.fill("input[type=search][placeholder='Search slices']", "g");
	assert.equal(await page.inputValue("input[type=search][placeholder='Search slices']"), "g");
});

test("idle time before the first device work of the first step is a gap", async (page) => {
	await page.keyboard.press("g");
	await page.keyboard.press("g");
	assert.match(await page.textContent(".panel"), /^Idle.*starts at0 ns.*takes82\.88 ms.*causethe host fetches the next batch/);
});

test("a gap tells of the thread that launched what ended it, as the text report does", async (page) => {
	await page.keyboard.press("g");
	assert.match(await page.textContent(".panel"), /takes650\.0 us.*hostaten::slow, 500\.0 us of it/);
}, { file: "threads.html" });

test("a wait for other ranks counts as a gap", async (page) => {
	const seenGaps = await gapsOf(page);
	assert(seenGaps.some((text) => /waits for rank \d.*exposed.*while nothing computes.*causerank \d arrives last.*rank \d then.*ended byrank \d arrives/.test(text)), seenGaps.join("|"));
}, { file: "job.html" });

test("a fix of a job leads to its finding, that to its worst place, B back, and a gap to the finding", async (page) => {
	await page.locator("article a").first().click();
	const card = page.locator("details[id^=finding]").first();
	assert.equal(await card.evaluate((node) => node.open), true);
	assert.match(await card.locator("summary").first().textContent(), /^#1 .* on rank \d$/);
	assert.match(await card.locator(".query pre").textContent(), /rank0\.json .*\n.*rank1\.json/);
	const show = page.locator("button.show").first();
	await show.evaluate((node) => { node.closest("details").open = true; });
	await show.click();
	await page.keyboard.press("b");
	assert.equal(await page.evaluate(() => document.activeElement.className), "show");
	assert(await seen(page, "button.show"));
}, { file: "job.html" });

test("B without a finding shown before leads to the first one", async (page) => {
	await page.keyboard.press("g");
	await page.keyboard.press("b");
	assert.equal(await page.locator("details[id^=finding]").first().evaluate((node) => node.open && node.contains(document.activeElement)), true);
	assert(await seen(page, "details[id^=finding]"));
}, { file: "job.html" });

test("recordings of one step that start apart stand on one clock, and their waits say so", async (page) => {
	const headings = await page.locator("section.timeline h2").allTextContents();
	const later = headings.map((text) => text.match(/, which starts (\S+ ms) later$/)?.[1]).find(Boolean);
	assert(later, headings.join("|"));
	const seenGaps = await gapsOf(page);
	assert(seenGaps.some((text) => /waits for rank \d/.test(text) && text.includes(`recordings start up to ${later} apart`)), seenGaps.join("|"));
	const views = await page.$$eval("canvas", (all) => all.map((canvas) => `${canvas.dataset.from} ${canvas.dataset.to}`));
	assert.equal(new Set(views).size, 1);
}, { file: "apart.html" });

test("a gap leads to the finding about it", async (page) => {
	await page.keyboard.press("g");
	await page.locator(".panel a", { hasText: "The device waits for the data loader" }).click();
	const card = page.locator("details[id$=dataloader-bound]");
	assert.equal(await card.evaluate((node) => node.open), true);
	assert(await seen(page, "details[id$=dataloader-bound]"));
});

test("kernels have short names wherever they stand, and a finding without a place says so", async (page) => {
	await page.evaluate(() => document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
	const places = await page.locator("details[id^=finding]").evaluateAll((all) => all.map((card) => /Show the worst place|It has no place of its own/.test(card.textContent)));
	assert(places.length > 1 && places.every((told) => told), places.join());
	await page.fill("input[type=search][placeholder='Search slices']", "hipLaunchKernel");
	await page.keyboard.press("Enter");
	assert.match(await page.textContent(".panel"), /kernelvectorized_elementwise_kernel<CUDAFunctor_add<float>>/);
	assert.doesNotMatch(await page.evaluate(() => document.body.innerText), /at::native::/);
}, { file: "signature.html" }) ;

test("the operator tree goes into a node and back, and is a table", async (page) => {
	const piece = (name) => page.locator(".icicle button", { hasText: name }).first();
	const width = async (name) => (await piece(name).boundingBox()).width;
	await page.selectOption("select[aria-label=Width]", "host");
	const all = await width("all");
	assert(await width("enumerate(DataLoader)") < all);
	await piece("enumerate(DataLoader)").click();
	assert.equal(await width("enumerate(DataLoader)"), all);
	assert.equal(await page.locator(".icicle button", { hasText: "synLaunch" }).count(), 0);
	await page.keyboard.press("Shift+Tab");
	await page.keyboard.press("Enter");
	assert(await width("enumerate(DataLoader)") < all);
	await page.selectOption("select[aria-label=Width]", "device");
	assert(await width("synLaunch") > all * 0.9);
	await page.click("text=what takes most by itself");
	assert.match(await page.textContent("section.tree tbody tr"), /synLaunch/);
});

test("a call that never ended is in the tree, as wide as what it calls", async (page) => {
	await page.selectOption("select[aria-label=Width]", "host");
	const box = (name) => page.locator(".icicle button", { hasText: name }).first().boundingBox();
	const [all, outer, inner] = [await box("all"), await box("aten::outer"), await box("aten::inner")];
	assert(outer.width > all.width * 0.9 && inner.width > outer.width * 0.9 && inner.width <= outer.width, JSON.stringify([all, outer, inner]));
	assert(inner.y > outer.y && outer.y > all.y);
}, { file: "unended.html" });

test("wheel, keys, drag and buttons move the view", async (page) => {
	const all = await shown(page);
	await page.mouse.move(...await pointAt(page, 0.5, 60));
	await page.keyboard.down("Control");
	await page.mouse.wheel(0, -300);
	await page.keyboard.up("Control");
	const near = await shown(page);
	assert(span(near) < span(all) * 0.7);
	await page.mouse.down();
	await page.mouse.move(...await pointAt(page, 0.3, 60), { steps: 3 });
	await page.mouse.up();
	const dragged = await shown(page);
	assert(dragged.from > near.from && Math.abs(span(dragged) - span(near)) < 1);
	await page.focus("canvas");
	await page.keyboard.press("w");
	assert(span(await shown(page)) < span(dragged));
	const before = await shown(page);
	await page.keyboard.press("a");
	assert((await shown(page)).from < before.from);
	await page.keyboard.press("0");
	assert.deepEqual(await shown(page), { ...all, selected: (await shown(page)).selected });
	await page.click("button[title='Zoom in']");
	assert(span(await shown(page)) < span(all));
});

test("the pointer tells what is under it, a click selects it", async (page) => {
	const [x, y] = await pointAt(page, 0.5, 30);
	await page.mouse.move(x, y);
	await page.waitForSelector(".tip:not([hidden])");
	assert.match(await page.textContent(".tip"), /^step 11\n/);
	await page.mouse.click(x, y);
	assert.match(await page.textContent(".panel"), /step 11.*takes150\.\d ms/);
	await page.keyboard.press("f");
	const view = await shown(page);
	assert(span(view) < 260e6 && span(view) > 150e6);
	await page.keyboard.press(".");
	assert.match(await page.textContent(".panel"), /step 12/);
});

test("a search finds slices and visits them", async (page) => {
	await page.focus("canvas");
	await page.keyboard.press("/");
	await page.keyboard.type("dataloader next");
	assert.match(await page.textContent("[role=status]"), /^\d+ found$/);
	await page.keyboard.press("Enter");
	assert.match(await page.textContent("[role=status]"), /^1 of \d+$/);
	assert((await shown(page)).selected >= 0);
	assert.match(await page.textContent(".panel"), /DataLoader/);
	assert.match(await page.textContent(".panel"), /takes/);
});

test("times of the axis differ, however near one looks", async (page) => {
	await page.focus("canvas");
	for (let i = 0; i < 60; i++) {
		const axis = (await texts(page)).filter((each) => each.y < 22).map((each) => each.text);
		assert(axis.length >= 3, axis.join("|"));
		assert.equal(new Set(axis).size, axis.length, axis.join("|"));
		assert.equal(new Set(axis.map((text) => text.split(" ")[1])).size, 1, axis.join("|"));
		await page.keyboard.press("w");
	}
	assert(span(await shown(page)) < 100);
});

for (const colorScheme of ["light", "dark"])
	test(`names are readable on what a search leaves pale, ${colorScheme}`, async (page) => {
		await page.fill("input[type=search][placeholder='Search slices']", "dataloader next");
		const slices = (await texts(page, true)).filter((each) => each.y > 30 && each.x > 195 && !each.text.startsWith("most "));
		assert(slices.length > 5);
		for (const { text, color, behind } of slices)
			assert(contrast(color, behind) >= 4.5, `${text}: ${color} on ${behind}`);
	}, { colorScheme });

test("a step can be chosen", async (page) => {
	await page.selectOption("select[aria-label=Step]", { index: 2 });
	const view = await shown(page);
	assert(span(view) > 150e6 && span(view) < 180e6);
});

test("the picture is a table, too", async (page) => {
	await page.click("text=The same as a table");
	await shown(page);
	assert.match(await page.textContent("section.timeline table"), /step 1[0-2]/);
	assert((await page.locator("section.timeline tbody tr").count()) > 50);
});

test("tables sort and filter", async (page) => {
	await page.click("text=Devices, host and tables");
	const table = page.locator("table", { has: page.locator("th", { hasText: "operation" }) }).first();
	await table.locator("th button", { hasText: "count" }).click();
	const counts = await table.locator("tbody tr").evaluateAll((rows) => rows.map((row) => Number(row.cells[2].dataset.v)));
	assert(counts.length > 8);
	assert.deepEqual(counts, [...counts].sort((a, b) => b - a));
	assert.equal(await table.locator("th[aria-sort]").getAttribute("aria-sort"), "descending");
	await table.locator("xpath=../preceding-sibling::input[1]").fill("layer_norm");
	const left = await table.locator("tbody tr:visible").allTextContents();
	assert(left.length > 0 && left.length < counts.length);
	assert(left.every((text) => text.includes("layer_norm")));
});

test("paper cuts no table off", async (page) => {
	await page.setViewportSize({ width: 794, height: 1123 });
	await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
	await page.emulateMedia({ media: "print" });
	const wide = await page.$$eval("table", (all) => all.map((table) => Math.round(table.getBoundingClientRect().right)).filter((right) => right > innerWidth));
	assert.deepEqual(wide, []);
});

test("a slice that lasts as long as the trace is told where there is nothing else", async (page) => {
	await page.keyboard.press("g");
	assert.match(await page.textContent(".panel"), /hosttrain\.py\(1\): main, 690\.0 us of it/);
}, { file: "long.html" });

for (const [file, colorScheme] of ["example.html", "three.html", "sides.html"].flatMap((file) => [[file, "light"], [file, "dark"]]))
	test(`axe finds nothing serious, ${file}, ${colorScheme}`, async (page) => {
		await page.evaluate(() => document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
		await shown(page);
		/* The policy lets no script in but the page's own; this one comes with the browser. */
		const found = await page.evaluate(`${fs.readFileSync(axe, "utf8")}; axe.run({ resultTypes: ["violations"] })`);
		const serious = found.violations.filter((each) => ["serious", "critical"].includes(each.impact));
		assert.deepEqual(serious.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 200)}`), []);
	}, { file, colorScheme });

/* Means of the colours of 48 x 24 pieces, of the right part, where there is little text. */
const coarse = (page) => page.$eval("canvas", (canvas) => {
	const small = new OffscreenCanvas(48, 24);
	const context = small.getContext("2d", { willReadFrequently: true });
	context.imageSmoothingQuality = "high";
	context.drawImage(canvas, 190, 22, canvas.width - 190, 400, 0, 0, 48, 24);
	return [...context.getImageData(0, 0, 48, 24).data].filter((_, i) => i % 4 !== 3);
});

test("the picture is the golden one", async (page) => {
	await shown(page);
	const picture = await coarse(page);
	if (mode === "--golden")
		fs.writeFileSync(golden, `[\n${Array.from({ length: 24 }, (_, y) => picture.slice(y * 144, y * 144 + 144).join(",")).join(",\n")}\n]\n`);
	const wanted = JSON.parse(fs.readFileSync(golden, "utf8"));
	const away = picture.map((value, i) => Math.abs(value - wanted[i]));
	assert.equal(picture.length, wanted.length);
	assert(new Set(wanted).size > 20, "the golden picture is plain");
	assert(away.reduce((sum, each) => sum + each, 0) / away.length < 4, "the picture is another one");
	assert(away.filter((each) => each > 60).length < away.length * 0.02, "a part of the picture is another one");
});

test("what a trace says stays text", async (page) => {
	assert.match(await page.title(), /<b>hostile\.json/);
	assert.equal(await page.locator("img, b:has-text('hostile'), iframe, article script:not([type='application/octet-stream'])").count(), 0);
	await page.evaluate(() => document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
	await page.fill("input[type=search][placeholder='Search slices']", "onerror");
	await page.keyboard.press("Enter");
	await shown(page);
	assert.match(await page.textContent(".panel"), /<img src=x onerror=/);
	await page.mouse.move(...await pointAt(page, 0.5, 140));
	assert.match(await page.title(), /hostile\.json/);
	assert.doesNotMatch(await page.evaluate(() => document.body.innerText), /[\u202a-\u202e\u2066-\u2069\u0000]/);
}, { file: "hostile.html" });

for (const [i, name] of ["example", "job", "three", "apart", "signature", "long", "threads", "unended", "hostile", "compare", "fleet"].entries())
	test(`whoever clicks and types anything meets no error, ${name}`, (page) => play(page, i, 100), { file: `${name}.html` });

require("./expert.js")(test, { shown, texts, pointAt, contrast });
require("./cards.js")(test, { shown });
require("./hero.js")(test);
require("./ranks.js")(test, { shown });
require("./real.js")(test, { shown }, directory);

/* One page in a browser context of its own, with everything it says and asks for. */
const visit = async (browser, { name, run, options }) => {
	const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 }, colorScheme: options.colorScheme ?? "light", reducedMotion: "reduce", hasTouch: options.hasTouch ?? false });
	const page = await context.newPage();
	const said = [];
	page.setDefaultTimeout(15000);
	page.on("console", (message) => said.push(message.text()));
	page.on("pageerror", (error) => said.push(error.message));
	page.on("dialog", (dialog) => said.push(`dialog ${dialog.message()}`) && dialog.dismiss());
	page.on("request", (request) => request.url().startsWith("file://") || request.url().startsWith("blob:") || said.push(`asks for ${request.url()}`));
	try {
		await page.goto(`file://${directory}/${options.file ?? "example.html"}`);
		await page.waitForSelector("body[data-ready]", { timeout: 15000 });
		await run(page);
		assert.deepEqual(said, [], "the page says something");
		console.log(`ok    ${name}`);
		return true;
	} catch (error) {
		console.log(`FAIL  ${name}\n${error.stack}`);
		return false;
	} finally {
		await context.close();
	}
};

const only = process.env.TC_ONLY; /* tests with these words in their name */

(async () => {
	const browser = await chromium.launch({ executablePath: process.env.TC_CHROMIUM });
	const chosen = tests.filter(({ name }) => !only || name.includes(only));
	let failed = 0;
	for (const each of chosen)
		failed += await visit(browser, each) ? 0 : 1;
	await browser.close();
	console.log(`${chosen.length - failed} passed, ${failed} failed`);
	process.exit(failed > 0 ? 1 : 0);
})();
