/* Heat maps: a cell for each row and column, and behind a gap one for each row and each column as a whole. Arrow keys move a mark from
 * cell to cell, and what the cell says stands below. */

const HEAT = { width: 560, left: 64, top: 6, bottom: 34, gap: 8, widest: 72, highest: 20, lowest: 4, height: 360 };

/* From 0 (not at all) to 1, or to -1 the other way. */
function heatCell({ share, words, text }, box) {
	const cell = shape("rect", { ...box, class: share < 0 ? "cool" : "heat", "fill-opacity": (0.04 + 0.7 * Math.min(1, Math.abs(share))).toFixed(3) }, words);
	if (box.width < 50 || box.height < 15)
		return [cell];
	return [cell, drawing("text", { x: box.x + box.width / 2, y: box.y + box.height / 2 + 4, "text-anchor": "middle", class: "under" }, text)];
}

/* Where the cells of a map stand; the row and the column behind the last are those of all. */
function heatGrid(rows, columns) {
	const width = Math.min(HEAT.widest, (HEAT.width - HEAT.left - HEAT.gap) / (columns.length + 1));
	const height = Math.max(HEAT.lowest, Math.min(HEAT.highest, HEAT.height / (rows.length + 1)));
	const x = (c) => HEAT.left + c * width + (c === columns.length ? HEAT.gap : 0), y = (r) => HEAT.top + r * height + (r === rows.length ? HEAT.gap : 0);
	const bottom = y(rows.length) + height;
	return { x, y, width, height, bottom, end: bottom + HEAT.bottom, boxOf: (r, c) => ({ x: x(c) + 0.5, y: y(r) + 0.5, width: Math.max(1, width - 1), height: Math.max(1, height - 1) }) };
}

/* The words beside the rows and below the columns, as many as there is room for. */
function heatWords({ rows, columns, down, across, whole }, { x, y, width, height, bottom }) {
	const some = (all, size, room, word) => all.flatMap((each, i) => i % Math.ceil(room / size) === 0 ? [word(each, i)] : []);
	return [...some(rows, height, 12, (row, r) => drawing("text", { x: HEAT.left - 6, y: y(r) + height / 2 + 4, "text-anchor": "end" }, `${down} ${row}`)),
		...some(columns, width, 30, (column, c) => drawing("text", { x: x(c) + width / 2, y: bottom + 13, "text-anchor": "middle" }, `${column}`)),
		drawing("text", { x: HEAT.left - 6, y: y(rows.length) + height / 2 + 4, "text-anchor": "end" }, whole),
		drawing("text", { x: x(columns.length) + width / 2, y: bottom + 13, "text-anchor": "middle" }, whole),
		drawing("text", { x: HEAT.left, y: bottom + 28 }, across)];
}

/* A map of many rows scrolls; at first it shows the row that is furthest from the others. */
function scrollHeat(picture, rows, shareOf, grid) {
	const box = element("div", { className: "heat-map" }, picture);
	const shares = rows.map((row) => Math.abs(shareOf(row)));
	const row = shares.indexOf(Math.max(...shares));
	requestAnimationFrame(() => { box.scrollTop = grid.y(row) / grid.end * box.scrollHeight - box.clientHeight / 2; });
	return box;
}

const HEAT_MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Enter: [0, 0] };

/* down and across: words for a row and a column; whole: for the row and the column of all. cell(row, column) gives share, words and text, or null for nothing; row or column is
 * undefined for the whole. pick(row, column) is called for a cell that is clicked, or marked when Enter is pressed, and may add words. */
function heatMap(map) {
	const { rows, columns, label, cell, pick } = map;
	const grid = heatGrid(rows, columns);
	const picture = drawing("svg", { viewBox: `0 0 ${HEAT.width} ${grid.end}`, role: "img", tabindex: "0", "aria-label": label });
	const said = element("p", { className: "below" });
	said.setAttribute("role", "status");
	for (let r = 0; r <= rows.length; r++)
		for (let c = 0; c <= columns.length; c++) {
			const made = cell(rows[r], columns[c]);
			const group = drawing("g", {}, ...made ? heatCell(made, grid.boxOf(r, c)) : []);
			if (made && r < rows.length && c < columns.length)
				on(group, "click", () => choose(r, c, true));
			picture.append(...made ? [group] : []);
		}
	const mark = drawing("rect", { class: "mark", visibility: "hidden" });
	picture.append(...heatWords(map, grid), mark);
	let at = [0, 0];
	function choose(r, c, isPicked) {
		at = [r, c];
		for (const [name, value] of Object.entries({ ...grid.boxOf(r, c), visibility: "visible" }))
			mark.setAttribute(name, value);
		said.textContent = `${cell(rows[r], columns[c])?.words ?? "nothing recorded"}${isPicked ? pick?.(rows[r], columns[c]) ?? "" : ""}`;
	}
	on(picture, "keydown", (event) => {
		const move = HEAT_MOVES[event.key];
		if (!move)
			return;
		event.preventDefault();
		event.stopPropagation();
		choose(Math.min(Math.max(at[0] + move[0], 0), rows.length - 1), Math.min(Math.max(at[1] + move[1], 0), columns.length - 1), event.key === "Enter");
	});
	return [scrollHeat(picture, rows, (row) => cell(row)?.share ?? 0, grid), said];
}

const numbersOf = (rows, column) => [...new Set(rows.map((row) => row[column]))].sort((a, b) => a - b);

/* The middle value, the lower of two. */
const medianOf = (values) => [...values].sort((a, b) => a - b)[(values.length - 1) >> 1];

const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/* How far a time is from the middle one: nothing below 1 %, all from 32 % on. */
function awayOf(ns, middle) {
	const pct = middle > 0 ? 100 * (ns / middle - 1) : 0;
	return Math.sign(pct) * Math.min(1, Math.log2(Math.max(1, Math.abs(pct))) / 5);
}

/* Where the columns of the steps of ranks stand, with words for the switch. */
const RANK_AMOUNTS = [["time", 2], ["waits for others", 3], ["idle", 4], ["communicates", 5], ["computes", 6]];

/* The timelines follow (start.js), if the rank has one. */
function pickStep(rank, step) {
	document.dispatchEvent(new CustomEvent("pick-step", { detail: { rank, step } }));
	return document.querySelector(`section.timeline[data-rank="${rank}"]`) ? "" : `. This page has no timeline of rank ${rank}: --rank ${rank} makes its page.`;
}

let rankMaps = 0; /* a page has one for each job */

/* Rows: rank, step, and ns of the amounts. */
function drawRanks(all) {
	const ranks = numbersOf(all, 0), steps = numbersOf(all, 1);
	const at = new Map(all.map((row) => [`${row[0]},${row[1]}`, row]));
	const amounts = RANK_AMOUNTS.filter(([, column]) => all.some((row) => typeof row[column] === "number"));
	const rowsOf = (rank, step) => (rank === undefined ? ranks : [rank]).flatMap((r) => (step === undefined ? steps : [step]).map((s) => at.get(`${r},${s}`) ?? [])).filter((row) => row.length > 0);
	const middles = new Map([undefined, ...steps].map((step) => [step, medianOf(rowsOf(undefined, step).map((row) => row[2]))]));
	const cellOf = (words, column) => (rank, step) => {
		const valued = rowsOf(rank, step).filter((row) => typeof row[column] === "number");
		if (valued.length === 0)
			return null;
		const ns = meanOf(valued.map((row) => row[column])), whole = meanOf(valued.map((row) => row[2]));
		const who = [rank === undefined ? "all ranks" : `rank ${rank}`, step === undefined ? "all steps" : `step ${step}`].join(", ");
		const share = column === 2 ? awayOf(ns, middles.get(rank === undefined ? undefined : step)) : whole > 0 ? ns / whole : 0;
		return { share, text: formatNs(ns), words: `${who}: ${words === "time" ? "" : `${words} `}${formatNs(ns)}${words === "time" ? "" : ` of ${formatNs(whole)}`}${valued.length > 1 ? " on average" : ""}` };
	};
	const place = element("div");
	const show = ([words, column]) => place.replaceChildren(...heatMap({ rows: ranks, columns: steps, down: "rank", whole: "mean", across: column === 2 ? "step; orange is longer than the median rank, blue shorter" : `step; the darker, the more of the step it ${words.startsWith("idle") ? "is idle" : words}`,
		label: `${words} of ${ranks.length} ranks in ${steps.length} steps`, cell: cellOf(words, column), pick: pickStep }));
	const choices = element("fieldset", { className: "switch" }, element("legend", {}, "Show"), ...amounts.map((amount, i) => {
		const input = element("input", { type: "radio", name: `amount${rankMaps}`, checked: i === 0 });
		on(input, "change", () => show(amount));
		return element("label", {}, input, ` ${amount[0]} `);
	}));
	rankMaps++;
	show(amounts[0]);
	return [choices, place, element("p", { className: "below" }, "A click on a cell shows this step of the rank in the timelines below; two clicks show two ranks on one clock.")];
}

/* Rows: ns, collectives, the rank that arrives last, the rank that waits. */
function drawWaits(all) {
	const late = numbersOf(all, 2), waiting = numbersOf(all, 3);
	const rowsOf = (last, waits) => all.filter((row) => (last === undefined || row[2] === last) && (waits === undefined || row[3] === waits));
	const sumOf = (rows) => rows.reduce((sum, [ns]) => sum + ns, 0);
	const most = Math.max(...late.map((last) => sumOf(rowsOf(last))), ...waiting.map((waits) => sumOf(rowsOf(undefined, waits))));
	const largest = Math.max(...all.map(([ns]) => ns));
	const cell = (last, waits) => {
		const rows = rowsOf(last, waits), ns = sumOf(rows);
		if (rows.length === 0)
			return null;
		const who = waits === undefined ? `${new Set(rows.map((row) => row[3])).size} ranks wait` : `rank ${waits} waits`;
		return { share: ns / (last === undefined || waits === undefined ? most : largest), text: formatNs(ns), words: `${who} ${formatNs(ns)}${waits === undefined ? " together" : ""} ${last === undefined ? "for others" : `for rank ${last}`}` };
	};
	return heatMap({ rows: late, columns: waiting, down: "for", whole: "all", across: "the rank that waits", label: `How long ${waiting.length} ranks wait for ${late.length} ranks that arrive last`, cell });
}
