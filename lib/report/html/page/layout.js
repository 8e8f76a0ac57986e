/* Where everything stands from top to bottom: pinned strips first, which stay when the rest scrolls; then steps, each
 * device with its idle time, collectives and lanes, threads, counters. A strip is the rows of a track, a counter, or
 * a line that opens what is folded away: of a track rows beyond the sixth, of a device lanes beyond the six busiest.
 * Heights are px from the top of the whole picture; of pinned strips, from the top of the canvas. */

const ROW_PX = 17;
const THIN_ROW_PX = 16;
const COUNTER_PX = 36;
const FOLD_PX = 15;
const GAP_PX = 5;
const AXIS_PX = 22;
const SHOWN_ROWS = 6;
const PINNED_MOST = 6; /* strips */

function nameOf(track) {
	return track.device === undefined ? track.name || "host" : `device ${track.device}: ${track.name}`;
}

const rowsOf = (track) => track.rows.filter((row) => row.last > row.first);

/* How long the items of a track take together. */
function busyOf(data, track) {
	return track.busy ??= track.rows.reduce((sum, row) => {
		for (let i = row.first; i < row.last; i++)
			sum += data.dur[i];
		return sum;
	}, 0);
}

/* The lanes of a device that are shown while it is folded, in their order: the busiest of each kind, as "MME" or "TPC 3", then
 * the busiest of all, and those with a selection. */
function busiestLanes(data, lanes, revealed) {
	const ordered = [...lanes].sort((a, b) => busyOf(data, b) - busyOf(data, a) || a.number - b.number);
	const kinds = new Set();
	const isFirst = new Set(ordered.filter(({ name }) => {
		const kind = name.replace(/\[.*?\]|\d+/g, "").trim();
		return !kinds.has(kind) && kinds.add(kind);
	}));
	const chosen = new Set([...ordered].sort((a, b) => isFirst.has(b) - isFirst.has(a)).slice(0, SHOWN_ROWS));
	return lanes.filter((lane) => chosen.has(lane) || revealed.has(`${lane.number}`));
}

const stripOfTrack = (data, track) => ({ key: `${track.number}`, track, name: nameOf(track), rowPx: track.kind === "lane" ? ROW_PX : THIN_ROW_PX });
const stripOfCounter = (counter, i) => ({ key: `c${i}`, counter, name: counter.name, height: COUNTER_PX });

/* All strips in their order. shown: open (keys of what is unfolded), revealed (keys of lanes), filter (words). */
function stripsOf(data, shown) {
	const tracks = data.tracks.filter((track) => rowsOf(track).length > 0);
	const words = shown.filter.toLowerCase().split(/\s+/).filter((word) => word !== "");
	const isWanted = ({ name }) => words.every((word) => name.toLowerCase().includes(word));
	const strips = tracks.filter((track) => track.kind === "steps" || track.kind === "path").map((track) => stripOfTrack(data, track));
	for (const device of new Set(tracks.map((track) => track.device).filter((each) => each !== undefined))) {
		const of = (kind) => tracks.filter((track) => track.device === device && track.kind === kind);
		const key = `d${device}`, lanes = of("lane").map((track) => stripOfTrack(data, track)).filter(isWanted).map((strip) => strip.track);
		const few = lanes.length <= SHOWN_ROWS + 1 || shown.open.has(key) ? lanes : busiestLanes(data, lanes, shown.revealed);
		strips.push(...[...of("idle"), ...of("collective"), ...few].map((track) => stripOfTrack(data, track)));
		if (lanes.length > SHOWN_ROWS + 1)
			strips.push({ key, folds: true, height: FOLD_PX, name: few.length < lanes.length ? `\u25b8 ${lanes.length - few.length} more lanes` : "\u25be fewer lanes" });
	}
	strips.push(...tracks.filter((track) => track.kind === "host").map((track) => stripOfTrack(data, track)));
	strips.push(...data.counters.map(stripOfCounter));
	return strips.filter((strip) => strip.folds || isWanted(strip));
}

/* The row at which a folded track begins: rows with one slice, as the outer frames of a Python program, say little. */
function firstShown(rows) {
	const first = rows.findIndex((row) => row.last - row.first > 1);
	return Math.max(0, Math.min(first, rows.length - SHOWN_ROWS));
}

/* Its rows, at most six while it is folded, and its height. */
function setRowsOf(strip, shown) {
	strip.rows = strip.track ? rowsOf(strip.track) : [];
	const more = strip.rows.length - SHOWN_ROWS;
	if (more > 0) {
		const isOpen = shown.open.has(strip.key);
		strip.opens = true;
		strip.name = isOpen ? `\u25be ${strip.name}` : `\u25b8 ${strip.name}`;
		strip.note = isOpen ? "" : `${more} more row${more > 1 ? "s" : ""}`;
		strip.rows = isOpen ? strip.rows : strip.rows.slice(firstShown(strip.rows), firstShown(strip.rows) + SHOWN_ROWS);
	}
	strip.height ??= strip.rows.length * strip.rowPx;
	return strip;
}

/* shown: as above, and pinned, keys in the order in which they were pinned. */
function layOut(data, shown) {
	const strips = [], unfiltered = shown.pinned.length > 0 ? stripsOf(data, { ...shown, open: new Set(data.tracks.map((track) => `d${track.device}`)), filter: "" }) : [];
	let y = AXIS_PX;
	const add = (strip, isPinned) => {
		strips.push({ ...setRowsOf(strip, shown), isPinned, y });
		y += strip.height + GAP_PX;
	};
	for (const key of shown.pinned.slice(0, PINNED_MOST)) {
		const strip = unfiltered.find((each) => each.key === key && !each.folds);
		if (strip)
			add(strip, true);
	}
	const pinned = y - AXIS_PX;
	for (const strip of stripsOf(data, shown))
		if (!strips.some((each) => each.isPinned && each.key === strip.key))
			add(strip, false);
	return { strips, pinned, height: y };
}

/* Where a strip is on the canvas. */
const topOfStrip = (strip, scroll) => strip.isPinned ? strip.y : strip.y - scroll;

/* The strip at a height of the canvas, or nothing; pinned ones lie above the others. */
function stripAt(layout, y, scroll) {
	const isHit = (each) => y >= topOfStrip(each, scroll) && y < topOfStrip(each, scroll) + each.height + GAP_PX;
	return layout.strips.find((each) => each.isPinned === y < AXIS_PX + layout.pinned && isHit(each));
}

/* The strip and the row at a height of the canvas, or nothing. */
function rowAt(layout, y, scroll) {
	const strip = stripAt(layout, y, scroll);
	const row = strip?.rows[Math.floor((y - topOfStrip(strip, scroll)) / strip.rowPx)];
	return row ? { strip, row } : null;
}

/* The strip of a track and the place of a row in it; undefined where it is folded away or filtered out. */
function stripOfRow(layout, track, row) {
	const strip = layout.strips.find((each) => each.track === track);
	const at = strip?.rows.indexOf(row) ?? -1;
	return at < 0 ? undefined : { strip, y: at * strip.rowPx };
}
