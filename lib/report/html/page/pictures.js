/* Pictures of tables: a figure has a table and the kind of its picture, which is drawn from the numbers of the table. The table
 * stays below it, folded, for reading and for screen readers. */

const DOES = { computes: () => shadeOf("matrix", "a"), communicates: () => shadeOf("communication", "a"), copies: () => shadeOf("memory", "a") };

/* The rows of a table: exact numbers, else texts. */
const valuesOf = (table) => [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.dataset.v === undefined ? cell.textContent.trim() : Number(cell.dataset.v)));

/* Rows by the value of a column, in the order of the first of each. */
function grouped(rows, column) {
	const groups = new Map();
	for (const row of rows)
		groups.set(row[column], [...groups.get(row[column]) ?? [], row]);
	return groups;
}

function legendOf(keys) {
	const legend = element("p", { className: "legend" });
	for (const [color, words] of keys) {
		const square = element("span", { className: "swatch" });
		square.style.background = color;
		legend.append(element("span", { className: "key" }, square, words), " ");
	}
	return legend;
}

const colorOfPart = (part) => part.startsWith("idle: ") ? CAUSES[part.slice(6).replaceAll(" ", "_")] ?? CAUSES.unknown : DOES[part]?.() ?? shadeOf("kernel", "a");

/* Steps as stacked bars; above those that are slow or warm-up stands so. Rows: step, ns, what it is, part. */
function drawSteps(rows) {
	const steps = grouped(rows, 0);
	const sumOf = (parts) => parts.reduce((sum, [, ns]) => sum + ns, 0);
	const most = Math.max(...[...steps.values()].map(sumOf));
	const slow = [...steps].filter(([, [[, , is]]]) => is === "slow").map(([step]) => step);
	const plot = plotOf(`Time of ${steps.size} steps by what the device did, up to ${formatNs(most)}.${slow.length > 0 ? ` Slow: step ${slow.join(", ")}.` : ""}`,
		{ range: [0, steps.size], title: "step", format: () => "", hidesTicks: true }, { range: [0, most * 1.08], title: "", format: formatNs });
	const width = plot.x(1) - plot.x(0), every = Math.ceil(steps.size * 28 / PLOT.width);
	[...steps].forEach(([step, parts], i) => {
		let below = 0;
		for (const [, ns, , part] of parts) {
			plot.inside.append(shape("rect", { x: plot.x(i) + width * 0.08, width: width * 0.84, y: plot.y(below + ns), height: Math.max(0, plot.y(below) - plot.y(below + ns)), fill: colorOfPart(part) }, `step ${step}: ${part} ${formatNs(ns)} of ${formatNs(sumOf(parts))}`));
			below += ns;
		}
		const middle = plot.x(i + 0.5);
		if (i % every === 0)
			plot.inside.append(drawing("text", { x: middle, y: PLOT.height - PLOT.bottom + 14, "text-anchor": "middle" }, `${step}`));
		if (parts[0][2] !== "")
			plot.inside.append(drawing("text", { class: "marked", x: middle, y: plot.y(below) - 4, "text-anchor": "middle" }, width > 40 ? parts[0][2] : "\u25be"));
	});
	const parts = [...grouped(rows, 3)].sort((a, b) => sumOf(b[1]) - sumOf(a[1])).map(([part]) => part);
	return [plot.picture, legendOf(parts.map((part) => [colorOfPart(part), part]))];
}

/* Rows: ns, FLOPs a byte, TFLOP/s, peak TFLOP/s, peak GB/s, precision, operator. */
function drawRoofline(all) {
	const rows = all.map(([ns, ...rest]) => [ns, ...rest.slice(0, 4).map(Number), ...rest.slice(4)]).filter((row) => row[1] > 0 && row[2] > 0);
	const roofs = grouped(rows, 5);
	const ridge = (row) => row[3] * 1e3 / row[4];
	const plot = plotOf(`Rates of ${rows.length} operators beside the peaks of the device`,
		{ range: powersAround(rows.flatMap((row) => [row[1], ridge(row)])), isLog: true, title: "FLOPs a byte", format: (value) => formatShort(value) },
		{ range: powersAround(rows.flatMap((row) => [row[2], row[3]])), isLog: true, title: "TFLOP/s", format: (value) => formatShort(value) });
	const [least, most] = powersAround(rows.flatMap((row) => [row[1], ridge(row)])), [lowest] = powersAround(rows.flatMap((row) => [row[2], row[3]]));
	for (const [precision, [row]] of roofs) {
		const start = Math.max(least, lowest * 1e3 / row[4]);
		plot.inside.append(shape("polyline", { class: "roof", points: [[start, start * row[4] / 1e3], [ridge(row), row[3]], [most, row[3]]].map(([x, y]) => `${plot.x(x)},${plot.y(y)}`).join(" ") }, `${precision}: ${row[3]} TFLOP/s, ${row[4]} GB/s`),
			drawing("text", { x: PLOT.width - PLOT.right - 2, y: plot.y(row[3]) - 4, "text-anchor": "end" }, `${precision} ${row[3]} TFLOP/s`));
	}
	const longest = Math.max(...rows.map(([ns]) => ns));
	rows.forEach((row, i) => plot.inside.append(shape("circle", { cx: plot.x(row[1]), cy: plot.y(row[2]), r: 4 + 8 * Math.sqrt(row[0] / longest), fill: shadeOf("matrix", row[6]) }, `${row[6]}: ${row[2]} TFLOP/s, ${formatNs(row[0])}`),
		drawing("text", { x: plot.x(row[1]), y: plot.y(row[2]) + 4, class: "on", "text-anchor": "middle" }, `${i + 1}`)));
	return [plot.picture, element("ol", { className: "names" }, ...rows.map((row) => element("li", {}, `${row[6]}, ${formatNs(row[0])}`)))];
}

const formatShort = (value) => Number(value.toPrecision(3)).toString();

/* Rows: device, ns from the start, bytes. */
function drawCurve(rows) {
	const devices = grouped(rows, 0);
	const most = Math.max(...rows.map((row) => row[2])), end = Math.max(...rows.map((row) => row[1]));
	const plot = plotOf(`Memory in use: at most ${formatBytes(most)}`, { range: [0, Math.max(1, end)], title: "time", format: formatNs }, { range: [0, most * 1.05], isBytes: true, title: "", format: formatBytes });
	const colors = ["matrix", "memory", "communication", "runtime", "loader", "pointwise", "operator", "kernel"];
	const keys = [...devices].map(([device, points], i) => {
		const fill = shadeOf(colors[i % colors.length], "a");
		const steps = points.flatMap(([, ns, bytes], k) => [[ns, bytes], [points[k + 1]?.[1] ?? end, bytes]]);
		plot.inside.append(shape("polyline", { class: "curve", stroke: fill, points: steps.map(([x, y]) => `${plot.x(x)},${plot.y(y)}`).join(" ") }, `device ${device}`));
		const peak = points.reduce((best, each) => each[2] > best[2] ? each : best);
		plot.inside.append(shape("circle", { cx: plot.x(peak[1]), cy: plot.y(peak[2]), r: 4, fill }, `device ${device}: ${formatBytes(peak[2])} at ${formatNs(peak[1])}`));
		return [fill, `device ${device}, at most ${formatBytes(peak[2])}`];
	});
	return [plot.picture, legendOf(keys)];
}

/* Rows: device, bytes, share, operation. */
function drawBars(rows) {
	const most = Math.max(...rows.map((row) => row[1]));
	const height = 22 * rows.length;
	const picture = drawing("svg", { viewBox: `0 0 ${PLOT.width} ${height}`, role: "img", "aria-label": `The largest: ${rows[0][3]}, ${formatBytes(rows[0][1])}` });
	rows.forEach(([device, bytes, share, name], i) => picture.append(shape("rect", { x: 0, y: 22 * i + 2, height: 18, width: Math.max(1, PLOT.width * bytes / most), fill: shadeOf("memory", name) }, `${name} on device ${device}: ${formatBytes(bytes)}`),
		drawing("text", { class: bytes > most / 3 ? "on" : "", x: bytes > most / 3 ? 6 : PLOT.width * bytes / most + 6, y: 22 * i + 15 }, `${name}, ${formatBytes(bytes)}, ${share.toFixed(1)} %`)));
	return [picture];
}

/* Rows: ns, bytes, GB/s, count, ranks, where, collective. */
function drawBandwidth(all) {
	const rows = all.map((row) => row.map((each, i) => i === 2 ? Number(each) : each)).filter((row) => row[1] > 0 && row[2] > 0);
	const longest = Math.max(...rows.map(([ns]) => ns));
	const plot = plotOf(`Bandwidth of ${rows.length} kinds of collectives by their size`, { range: powersAround(rows.map((row) => row[1])), isLog: true, isBytes: true, title: "bytes of one", format: formatBytes },
		{ range: powersAround(rows.map((row) => row[2])), isLog: true, title: "GB/s", format: formatShort });
	const hues = ["communication", "matrix", "memory", "runtime", "loader", "pointwise"];
	const kinds = [...grouped(rows, 6).keys()];
	const fill = (kind) => shadeOf(hues[kinds.indexOf(kind) % hues.length], "a");
	for (const [ns, bytes, rate, count, ranks, where, kind] of rows)
		plot.inside.append(shape("circle", { cx: plot.x(bytes), cy: plot.y(rate), r: 3 + 11 * Math.sqrt(ns / longest), fill: fill(kind), class: "see-through" }, `${kind}, ${formatBytes(bytes)}, ${formatCount(count)} times on ${where}${ranks > 0 ? ` with ${ranks} ranks` : ""}: ${rate} GB/s, ${formatNs(ns)} together`));
	return [plot.picture, legendOf(kinds.map((kind) => [fill(kind), kind])), element("p", { className: "below" }, "The larger a circle, the more time all of these take together.")];
}

/* Rows: ns from, ns to, kernels, ns together. */
function drawHistogram(rows) {
	const kernels = rows.reduce((sum, row) => sum + row[2], 0), time = rows.reduce((sum, row) => sum + row[3], 0);
	const most = Math.max(...rows.flatMap((row) => [100 * row[2] / kernels, 100 * row[3] / Math.max(1, time)]));
	const plot = plotOf(`${formatCount(kernels)} kernels by how long they take`, { range: [rows[0][0], rows.at(-1)[1]], isLog: true, title: "a kernel takes", format: formatNs },
		{ range: [0, most * 1.05], title: "", format: (value) => `${value} %` });
	const keys = [["kernel", "of all kernels", (row) => 100 * row[2] / kernels], ["matrix", "of their time", (row) => 100 * row[3] / Math.max(1, time)]];
	for (const row of rows)
		keys.forEach(([family, words, shareOf], i) => {
			const left = plot.x(row[0]), width = (plot.x(row[1]) - left) / 2;
			plot.inside.append(shape("rect", { x: left + i * width + 0.5, width: Math.max(1, width - 1), y: plot.y(shareOf(row)), height: plot.y(0) - plot.y(shareOf(row)), fill: shadeOf(family, "a") }, `${formatNs(row[0])} to ${formatNs(row[1])}: ${shareOf(row).toFixed(1)} % ${words}`));
		});
	return [plot.picture, legendOf(keys.map(([family, words]) => [shadeOf(family, "a"), words]))];
}

const PICTURES = { steps: drawSteps, roofline: drawRoofline, curve: drawCurve, bars: drawBars, bandwidth: drawBandwidth, histogram: drawHistogram, ranks: drawRanks, waits: drawWaits, sides: drawSides, map: drawMap };

/* Pictures that follow each other stand side by side, each with its heading and what is said below its table. */
function placeFigure(figure, group) {
	const piece = element("section", { className: "plot" });
	const heading = figure.previousElementSibling, notes = [];
	while ((notes.at(-1) ?? figure).nextElementSibling?.matches("p"))
		notes.push((notes.at(-1) ?? figure).nextElementSibling);
	figure.replaceWith(group.isConnected ? "" : group);
	group.append(piece);
	piece.append(...heading?.matches("h2, h3") ? [heading] : [], figure, ...notes);
}

let group;
for (const figure of document.querySelectorAll("figure.picture")) {
	const table = figure.querySelector("table"), links = [...table.tBodies[0].rows].map((row) => row.querySelector("a")?.getAttribute("href"));
	const below = element("details", {}, element("summary", {}, "The same as a table"));
	below.append(...figure.children);
	figure.append(...PICTURES[figure.dataset.kind](valuesOf(table), links), below);
	if (group?.parentElement !== figure.parentElement)
		group = element("div", { className: "pictures" });
	placeFigure(figure, group);
}
