/* Where everything stands from top to bottom: strips of rows with a name, and counters. */

const ROW_PX = 17;
const THIN_ROW_PX = 14;
const COUNTER_PX = 36;
const GAP_PX = 5;
const AXIS_PX = 22;
const NAMES_PX = 190; /* at the left */

function nameOf(track) {
	return track.device === undefined ? track.name || "host" : `device ${track.device}: ${track.name}`;
}

const FIRST_THREADS = 2;

/* Idle time stands right above the threads that launch work, which is where its cause is; then the lanes, and
 * all other threads. */
function inOrder(tracks) {
	const of = (kind) => tracks.filter((track) => track.kind === kind);
	const threads = of("host").filter((track) => track.rows.some((row) => row.last > row.first));
	return [...of("idle"), ...of("collective"), ...threads.slice(0, FIRST_THREADS), ...of("lane"), ...threads.slice(FIRST_THREADS)];
}

function layOut(data) {
	const strips = [];
	let y = AXIS_PX;
	const add = (strip, height) => {
		strips.push({ ...strip, y, height });
		y += height + GAP_PX;
	};
	const addTrack = (track) => {
		const rows = track.rows.filter((row) => row.last > row.first);
		const rowPx = track.kind === "lane" && rows.length > 0 ? ROW_PX : THIN_ROW_PX + 2;
		if (rows.length > 0)
			add({ track, rows, rowPx, name: nameOf(track) }, rows.length * rowPx);
	};
	data.tracks.filter((track) => track.kind === "steps" || track.kind === "path").forEach(addTrack);
	for (const counter of data.counters)
		add({ counter, rows: [], name: counter.name }, COUNTER_PX);
	inOrder(data.tracks).forEach(addTrack);
	return { strips, height: y };
}

/* The strip and the row at a height, or nothing. */
function rowAt(layout, y) {
	const strip = layout.strips.find((each) => y >= each.y && y < each.y + each.height);
	if (!strip?.track)
		return null;
	return { strip, row: strip.rows[Math.floor((y - strip.y) / strip.rowPx)] };
}

/* Where an item stands. */
function topOf(layout, track, row) {
	const strip = layout.strips.find((each) => each.track === track);
	return strip.y + strip.rows.indexOf(row) * strip.rowPx;
}
