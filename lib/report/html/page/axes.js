/* Axes of drawings: a scale from values to px, linear or logarithmic, with ticks at round values. */

const PLOT = { width: 560, height: 230, left: 64, right: 12, top: 14, bottom: 34 };

/* From [least, most] to [from, to] px; bytes have ticks at powers of two and their multiples. */
function scaleOf({ range: [least, most], isLog, isBytes }, [from, to]) {
	const value = (each) => isLog ? Math.log10(each) : each;
	const low = value(least), high = value(most) > value(least) ? value(most) : value(least) + 1;
	const at = (each) => from + (value(each) - low) / (high - low) * (to - from);
	const unit = isBytes ? 1024 ** Math.floor(Math.log2(Math.max(1, most)) / 10) : 1;
	if (!isLog)
		return { at, ticks: linearTicks(least / unit, most / unit).map((tick) => tick * unit) };
	return { at, ticks: isBytes ? byteTicks(least, most) : logTicks(low, high) };
}

/* Powers of two, as far apart as leaves about six. */
function byteTicks(least, most) {
	const low = Math.ceil(Math.log2(least)), high = Math.floor(Math.log2(most)), every = [1, 2, 5, 10].find((each) => (high - low) / each <= 6) ?? 20;
	const ticks = [];
	for (let power = Math.ceil(low / every) * every; power <= high; power += every)
		ticks.push(2 ** power);
	return ticks;
}

/* Powers of ten; with few of them also their doubles and fives. */
function logTicks(low, high) {
	const ticks = [];
	const parts = high - low < 2 ? [1, 2, 5] : [1];
	const every = Math.max(1, Math.ceil((high - low) / 6));
	for (let power = Math.floor(low); power <= high; power++)
		for (const part of parts)
			if (Math.log10(part) + power >= low - 1e-9 && Math.log10(part) + power <= high + 1e-9 && power % every === 0)
				ticks.push(part * 10 ** power);
	return ticks;
}

function linearTicks(least, most) {
	const power = 10 ** Math.floor(Math.log10(Math.max(most - least, 1e-12) / 4));
	const step = [1, 2, 5, 10].map((each) => each * power).find((each) => (most - least) / each <= 5);
	const ticks = [];
	for (let tick = Math.ceil(least / step) * step; tick <= most + step / 1e6; tick += step)
		ticks.push(tick);
	return ticks;
}

/* The powers of ten around positive values. */
const powersAround = (values) => [10 ** Math.floor(Math.log10(Math.min(...values)) + 1e-9), 10 ** Math.ceil(Math.log10(Math.max(...values)) - 1e-9)];

/* "50 us" of "50.00 us". */
const trimmed = (text) => text.replace(/\.(\d*?)0+(?= |$)/, (_, digits) => digits === "" ? "" : `.${digits}`);

/* An empty plot: its drawing, its scales, and a group for what is in it. x and y: range, isLog, isBytes, title, format. */
function plotOf(words, x, y) {
	const { width, height, left, right, top, bottom } = PLOT;
	const across = scaleOf(x, [left, width - right]), up = scaleOf(y, [height - bottom, top]);
	const picture = drawing("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words });
	for (const tick of up.ticks)
		picture.append(drawing("line", { class: "grid", x1: left, x2: width - right, y1: up.at(tick), y2: up.at(tick) }),
			drawing("text", { x: left - 6, y: up.at(tick) + 4, "text-anchor": "end" }, trimmed(y.format(tick))));
	for (const tick of x.hidesTicks ? [] : across.ticks)
		picture.append(drawing("line", { class: "grid", x1: across.at(tick), x2: across.at(tick), y1: top, y2: height - bottom }),
			drawing("text", { x: across.at(tick), y: height - bottom + 14, "text-anchor": "middle" }, trimmed(x.format(tick))));
	picture.append(drawing("text", { x: width - right, y: height - 4, "text-anchor": "end" }, x.title), drawing("text", { x: left + 4, y: 10 }, y.title));
	const inside = drawing("g");
	picture.append(inside);
	return { picture, inside, x: across.at, y: up.at };
}

/* A shape with words that a pointer shows. */
function shape(tag, attributes, words) {
	return drawing(tag, attributes, drawing("title", {}, words));
}
