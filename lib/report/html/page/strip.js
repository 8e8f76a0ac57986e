/* The strip of a finding: its worst place with as much time before and after it, as a drawing: what the device does, why it is idle,
 * three levels of the host, and a bracket with the time that the finding is about. The host is the thread that launched what ended an idle
 * time, as below the timeline. */

const STRIP = { width: 720, left: 70, row: 15, levels: 3, around: 0.6, least: 0.7 };

/* The rows of the strip: words, and the rows of items. The host's levels begin below what lasts as long as the strip, or with the
 * last of that. */
function stripRows(data, place, from, to) {
	const track = data.tracks[place.track];
	const device = track.device ?? data.tracks.find((each) => each.kind === "idle" && each.rows.some((row) => row.last > row.first))?.device;
	const of = (kind) => data.tracks.filter((each) => each.kind === kind && each.device === device).flatMap((each) => each.rows);
	const item = itemOfPlace(data, place), { launcher } = (item >= 0 && gapWith(data, item)) || {};
	const host = track.kind === "host" ? track : hostDuring(data, { ts: place.ts, dur: Math.max(1, place.dur), launcher })?.track;
	const isWhole = (row) => {
		const item = firstFrom(data, row, from + 1) - 1;
		return item >= row.first && data.ts[item] <= from && data.ts[item] + data.dur[item] >= to;
	};
	const levels = (host ? rowsOf(host) : []).filter((row) => itemsIn(data, { rows: [row] }, from, to).length > 0);
	const part = levels.findIndex((row) => !isWhole(row)), first = part < 0 ? Math.max(0, levels.length - 1) : part;
	return [["device", of("lane")], ["idle, why", of("idle")], ...levels.slice(first, first + STRIP.levels).map((row, i) => [i === 0 ? "host" : "", [row]])].filter(([, rows]) => rows.length > 0);
}

/* Pieces of a row of the strip: what is closer than a pixel becomes one piece with the colour of the longest. */
function stripPieces(data, rows, from, to, pxPerNs) {
	const items = rows.flatMap((row) => itemsIn(data, { rows: [row] }, from, to)).sort((a, b) => data.ts[a] - data.ts[b] || a - b);
	const pieces = [];
	for (const item of items) {
		const left = (Math.max(from, data.ts[item]) - from) * pxPerNs, right = (Math.min(to, data.ts[item] + data.dur[item]) - from) * pxPerNs;
		const last = pieces.at(-1);
		if (last && left < last.right + STRIP.least && (last.right - last.left < 2 || right - left < 2)) {
			last.item = data.dur[item] > data.dur[last.item] ? item : last.item;
			last.right = Math.max(last.right, right);
		} else {
			pieces.push({ item, left, right });
		}
	}
	return pieces;
}

function drawStrip(data, place) {
	const around = Math.max(place.dur, 1) * STRIP.around;
	const from = place.ts - around, to = place.ts + Math.max(place.dur, 1) + around;
	const pxPerNs = (STRIP.width - STRIP.left) / (to - from);
	const rows = stripRows(data, place, from, to), fills = data.fills ??= fillsOf(data);
	const item = itemOfPlace(data, place);
	const words = `${formatNs(place.dur)}${item >= 0 ? `, ${data.tracks[place.track].kind === "idle" ? `nothing runs: ${data.causes[nameAt(data, item)] ?? nameAt(data, item)}` : nameAt(data, item)}` : ""}`;
	const height = rows.length * STRIP.row + 28;
	const picture = drawing("svg", { class: "strip", viewBox: `0 0 ${STRIP.width} ${height}`, role: "img", "aria-label": `The worst place: ${words}` });
	rows.forEach(([name, items], i) => {
		picture.append(drawing("text", { x: 0, y: i * STRIP.row + 11 }, name));
		for (const piece of stripPieces(data, items, from, to, pxPerNs))
			picture.append(shape("rect", { x: (STRIP.left + piece.left).toFixed(1), y: i * STRIP.row + 1, width: Math.max(0.7, piece.right - piece.left).toFixed(1), height: STRIP.row - 3, fill: fills[data.label[piece.item]] }, nameAt(data, piece.item)));
	});
	const left = STRIP.left + around * pxPerNs, right = STRIP.width - around * pxPerNs, y = rows.length * STRIP.row + 2;
	picture.append(drawing("path", { class: "bracket", d: `M${left} ${y}v6H${right}v-6` }), drawing("text", { x: (left + right) / 2, y: y + 20, "text-anchor": "middle" }, words.length > 100 ? `${words.slice(0, 99)}\u2026` : words));
	return picture;
}
