/* Two sides of a comparison: both as stacked bars on one scale, and below them how much each part changed, the largest change first.
 * Colours say whether a part shrank or grew. */

const SIDES = { width: 560, left: 52, right: 76, bar: 26, row: 19, names: 216, rows: 12, letter: 6.5 };

const CHANGED = { less: ["#0a6b2d", "less than before"], more: ["#b35900", "more"], same: ["#64748b", "changed by less than 1 % of the whole"] };

const colorOfChange = (change, whole) => CHANGED[Math.abs(change) < whole / 100 ? "same" : change < 0 ? "less" : "more"][0];

const signed = (ns) => `${ns < 0 ? "\u2212" : "+"}${formatNs(Math.abs(ns))}`;

/* The words where they fit. */
const wordsIn = (words, width) => words.length * SIDES.letter + 8 < width ? words : "";

/* One side as a bar: its name, its parts, its sum. */
function sideBar({ parts, whole, most }, side, y) {
	const scale = (SIDES.width - SIDES.left - SIDES.right) / most;
	const shapes = [drawing("text", { x: 0, y: y + 17 }, ["before", "after"][side])];
	let x = SIDES.left;
	for (const part of parts.filter((each) => each[side] > 0)) {
		const [change, name] = part.slice(2), width = part[side] * scale;
		shapes.push(shape("rect", { x: x + 0.5, y, width: Math.max(0.5, width - 1), height: SIDES.bar - 4, fill: colorOfChange(change, whole[0]) }, `${name}: ${formatNs(part[side])}, ${signed(change)}`),
			drawing("text", { x: x + 5, y: y + 15, class: "on" }, wordsIn(name, width)));
		x += width;
	}
	return [...shapes, drawing("text", { x: x + 6, y: y + 17 }, formatNs(whole[side]))];
}

/* How much a part changed, as a bar to the left or to the right of a line. */
function changeBar([before, after, change, name], whole, largest, y) {
	const middle = (SIDES.names + SIDES.width - SIDES.right) / 2, width = Math.abs(change) / largest * (middle - SIDES.names);
	const shown = name.length * SIDES.letter > SIDES.names ? `${name.slice(0, Math.floor(SIDES.names / SIDES.letter) - 1)}\u2026` : name;
	return [drawing("text", { x: 0, y: y + 13 }, shown),
		shape("rect", { x: change < 0 ? middle - width : middle, y: y + 2, width: Math.max(1, width), height: SIDES.row - 4, fill: colorOfChange(change, whole[0]) }, `${name}: ${formatNs(before)} before, ${formatNs(after)} after`),
		drawing("text", { x: SIDES.width, y: y + 13, "text-anchor": "end" }, signed(change))];
}

/* Rows: ns before, ns after, the difference, the part; the last one is the sum. */
function drawSides(rows) {
	const parts = rows.slice(0, -1), whole = rows.at(-1);
	const changed = parts.filter((part) => Math.abs(part[2]) * 1000 > whole[0]).sort((a, b) => Math.abs(b[2]) - Math.abs(a[2])).slice(0, SIDES.rows);
	const most = Math.max(1, ...[0, 1].map((side) => parts.reduce((sum, part) => sum + Math.max(0, part[side]), 0)));
	const bars = { parts, whole, most }, top = 2 * SIDES.bar + 10;
	const picture = drawing("svg", { class: "sides", viewBox: `0 0 ${SIDES.width} ${top + changed.length * SIDES.row + 4}`, role: "img",
		"aria-label": `${formatNs(whole[0])} before, ${formatNs(whole[1])} after${changed.length > 0 ? `; most changed ${changed[0][3]}, ${signed(changed[0][2])}` : ""}` });
	picture.append(...sideBar(bars, 0, 2), ...sideBar(bars, 1, SIDES.bar + 2),
		...changed.flatMap((part, i) => changeBar(part, whole, Math.abs(changed[0][2]), top + i * SIDES.row)));
	const middle = (SIDES.names + SIDES.width - SIDES.right) / 2;
	picture.append(drawing("path", { class: "grid", d: `M${middle} ${top}V${top + changed.length * SIDES.row}` }));
	return [picture, legendOf(Object.values(CHANGED))];
}
