/* Time in which a device computes nothing: whole gaps, which may have several causes, and collectives that no
 * compute hides. A gap: its items [first, last), from ts for dur, of which ns count; and the thread that
 * launched what ended it, if that is known and not the first one. */

const NOT_LOST = "no_work"; /* there was nothing to do */

/* The pieces of one gap follow each other without time in between. */
function gapsOfRow(data, track, row) {
	const gaps = [];
	for (let i = row.first, end = -1; i < row.last; end = data.ts[i] + data.dur[i], i++) {
		if (data.more[i] > 0)
			continue; /* several short gaps, with work in between */
		const ns = data.labels[data.label[i]] === NOT_LOST ? 0 : data.dur[i];
		const gap = gaps.at(-1);
		if (gap?.last === i && data.ts[i] === end) {
			gap.last++;
			gap.dur += data.dur[i];
			gap.ns += ns;
		} else {
			gaps.push({ track, first: i, last: i + 1, ts: data.ts[i], dur: data.dur[i], ns, launcher: data.tracks[data.launchers.get(i)] });
		}
	}
	return gaps;
}

/* The lanes of a device that carry none of its collectives. */
function otherLanes(data, track) {
	const starts = new Set();
	for (const row of track.rows)
		for (let i = row.first; i < row.last; i++)
			starts.add(data.ts[i]);
	const carries = (row) => {
		for (let i = row.first; i < row.last; i++)
			if (starts.has(data.ts[i]))
				return true;
		return false;
	};
	return data.tracks.filter((each) => each.kind === "lane" && each.device === track.device && !each.rows.some(carries)).flatMap((each) => each.rows);
}

/* How much of a stretch of time no item of the rows covers. */
function uncovered(data, rows, from, to) {
	const pieces = [];
	for (const row of rows)
		for (let i = Math.max(row.first, firstFrom(data, row, from) - 1); i < row.last && data.ts[i] < to; i++)
			if (data.ts[i] + data.dur[i] > from)
				pieces.push([data.ts[i], data.ts[i] + data.dur[i]]);
	let left = to - from, end = from;
	for (const [start, stop] of pieces.sort((a, b) => a[0] - b[0])) {
		left -= Math.max(0, Math.min(stop, to) - Math.max(start, end));
		end = Math.max(end, stop);
	}
	return left;
}

function exposedCollectives(data, track) {
	const rows = otherLanes(data, track);
	const waits = [];
	for (const row of track.rows)
		for (let i = row.first; i < row.last; i++) {
			const ns = uncovered(data, rows, data.ts[i], data.ts[i] + data.dur[i]);
			if (ns > 0)
				waits.push({ track, first: i, last: i + 1, ts: data.ts[i], dur: data.dur[i], ns });
		}
	return waits;
}

function longestGaps(data) {
	const gaps = [];
	for (const track of data.tracks) {
		if (track.kind === "idle")
			gaps.push(...track.rows.flatMap((row) => gapsOfRow(data, track, row)));
		else if (track.kind === "collective")
			gaps.push(...exposedCollectives(data, track));
	}
	return gaps.filter((gap) => gap.ns > 0).sort((a, b) => b.ns - a.ns || a.first - b.first);
}

/* The gap that an item is a piece of; undefined for what is no idle time. */
function gapWith(data, item) {
	const { track, row } = placeOf(data, item);
	const follows = (i) => data.more[i - 1] + data.more[i] === 0 && data.ts[i - 1] + data.dur[i - 1] === data.ts[i];
	let first = item, last = item + 1;
	while (first > row.first && follows(first))
		first--;
	while (last < row.last && follows(last))
		last++;
	return track.kind === "idle" ? gapsOfRow(data, track, { first, last })[0] : undefined;
}

const overlapOf = (data, item, ts, end) => Math.min(data.ts[item] + data.dur[item], end) - Math.max(data.ts[item], ts);

/* The item of a row that covers most of a stretch of time, -1 for none; of those up to a length. */
function mostOfRow(data, row, ts, end, longest) {
	const isNews = (i) => data.dur[i] <= longest;
	let best = -1;
	for (let i = Math.max(row.first, firstFrom(data, row, ts) - 1); i < row.last && data.ts[i] < end; i++)
		if (isNews(i) && overlapOf(data, i, ts, end) > (best < 0 ? 0 : overlapOf(data, best, ts, end)))
			best = i;
	return best;
}

/* What the host did during a gap. What is there for most of the trace, as the profiler itself, says nothing of a
 * short one, so it is told only where there is nothing else. */
function hostDuring(data, gap) {
	return hostUpTo(data, gap, Math.max(data.span / 2, 2 * gap.dur)) ?? hostUpTo(data, gap, Infinity);
}

/* On the first thread that does anything for most of it, the innermost slice that does; and the longest one below
 * that. The device waits for the thread that launches the next work; of the others, those that launch come first. */
function hostUpTo(data, gap, longest) {
	const { ts } = gap, end = ts + gap.dur;
	const threads = data.tracks.filter((each) => each.kind === "host");
	for (const track of gap.launcher ? [gap.launcher, ...threads] : threads) {
		const most = track.rows.map((row) => mostOfRow(data, row, ts, end, longest));
		const depth = most.findLastIndex((item) => item >= 0 && overlapOf(data, item, ts, end) * 2 >= end - ts);
		if (depth < 0)
			continue;
		const inner = most[depth + 1] ?? -1;
		return { track, item: most[depth], inner };
	}
	return null;
}

/* The first work of the device that starts where a gap ends, -1 for none. */
function workAt(data, device, ts) {
	for (const track of data.tracks)
		for (const row of track.kind === "lane" && track.device === device ? track.rows : []) {
			const item = firstFrom(data, row, ts);
			if (item < row.last && data.ts[item] === ts)
				return item;
		}
	return -1;
}
