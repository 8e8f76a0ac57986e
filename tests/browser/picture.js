/* A picture of a page as it opens: usage: picture.js PAGE PNG. */
"use strict";

const { chromium } = require("playwright-core");

(async () => {
	const [page, png] = process.argv.slice(2);
	const browser = await chromium.launch({ executablePath: process.env.TC_CHROMIUM ?? "/usr/bin/chromium" });
	const view = await browser.newPage({ viewport: { width: 1000, height: 1120 }, reducedMotion: "reduce" });
	await view.goto(`file://${page}`);
	await view.waitForSelector("body[data-ready]");
	await view.waitForTimeout(300);
	await view.screenshot({ path: png });
	await browser.close();
})();
