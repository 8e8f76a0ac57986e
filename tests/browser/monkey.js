/* Somebody who clicks and types without a plan: the same for the same seed. */
"use strict";

/* Of the numbers below a bound. A linear congruential generator, whose high bits are the random ones. */
const randomOf = (seed) => {
	let state = BigInt(seed);
	return (bound) => {
		state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
		return Number((state >> 33n) % BigInt(bound));
	};
};

const KEYS = ["a", "d", "w", "s", "+", "-", "0", "f", ",", ".", "/", "b", "g", "Escape", "Enter", "Space", "Tab", "Shift+Tab", "Home", "End", "PageDown", "PageUp",
	"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Backspace", "Shift+Enter", "Control+a", "x", "j", "m", "p", "o", "?"];
const TEXTS = ["", "a", "step", "e l", "queue", "(", "\\", "constructor", "no such slice"];
const CONTROLS = "button, summary, a, select, input, th, canvas, label, .scroll";

/* What it may do next, each with the odds that are its number of times in the list. */
const actions = {
	click: async (page, random) => {
		const { width, height } = page.viewportSize();
		const at = [random(width), random(height)];
		await page.mouse.click(...at, { clickCount: 1 + random(2), button: random(9) === 0 ? "middle" : "left" });
	},
	drag: async (page, random) => {
		const { width, height } = page.viewportSize();
		await page.mouse.move(random(width), random(height));
		if (random(4) === 0)
			await page.keyboard.down("Shift");
		await page.mouse.down();
		await page.mouse.move(random(width), random(height), { steps: 2 });
		if (random(3) === 0)
			await page.keyboard.press(KEYS[random(KEYS.length)]);
		await page.mouse.up();
		await page.keyboard.up("Shift");
	},
	wheel: async (page, random) => {
		const key = [null, "Control", "Shift"][random(3)];
		if (key)
			await page.keyboard.down(key);
		await page.mouse.wheel(0, random(2000) - 1000);
		if (key)
			await page.keyboard.up(key);
	},
	keys: async (page, random) => {
		for (let i = 1 + random(4); i > 0; i--)
			await page.keyboard.press(KEYS[random(KEYS.length)]);
	},
	/* Any control, seen or not, as assistive technology and links reach them. */
	use: (page, random) => page.evaluate(([selector, at, option, text]) => {
		const all = [...document.querySelectorAll(selector)];
		const control = all[at % all.length];
		control.focus();
		if (control.tagName === "SELECT")
			control.selectedIndex = option % control.options.length;
		else if (control.type === "search")
			control.value = text;
		else
			control.click();
		for (const event of control.matches("select, input") ? ["input", "change"] : [])
			control.dispatchEvent(new Event(event, { bubbles: true }));
	}, [CONTROLS, random(1 << 20), random(1 << 20), TEXTS[random(TEXTS.length)]]),
	window: async (page, random) => {
		const width = 200 + random(1500);
		if (random(2) === 0)
			await page.setViewportSize({ width, height: 200 + random(900) });
		else if (random(2) === 0)
			await page.emulateMedia({ colorScheme: ["light", "dark"][random(2)] });
		else
			await page.evaluate((name) => dispatchEvent(new Event(name)), ["beforeprint", "afterprint"][random(2)]);
	},
	/* An address that somebody has cut or typed. */
	address: (page, random) => page.evaluate((hash) => { location.hash = hash; }, ["", "#", "#%", "#%e2%80", "#finding", "#constructor", "#view=5-1", "#view=0-1000&slice=99999999&pin=c,c99,7&area=3-x", "#slice=1:3&area=0-9e9&pin=3,3,4", "#area=-5-100000000@3,99&view="][random(10)]),
};
const turns = ["click", "click", "click", "drag", "wheel", "keys", "keys", "use", "use", "use", "use", "window", "address"];

/* The page stays where it is: links that lead elsewhere are not followed. */
const play = async (page, seed, count) => {
	const random = randomOf(seed);
	await page.evaluate(() => document.addEventListener("click", (event) => {
		if (event.target.closest?.("a:not([href^='#'])"))
			event.preventDefault();
	}));
	for (let i = 0; i < count; i++)
		await actions[turns[random(turns.length)]](page, random);
};

module.exports = { play };
