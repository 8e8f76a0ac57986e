/* Looks for items: at a point of the picture, by name, and the one that a finding is about. */

const NEAR_PX = 3;

/* The item under a point, or the nearest one beside it; -1 for none. */
function itemAt(data, layout, scroll, point, pxPerNs) {
	const hit = rowAt(layout, point.y, scroll);
	if (!hit)
		return -1;
	const reach = NEAR_PX / pxPerNs;
	let best = -1, distance = reach;
	for (let i = Math.max(hit.row.first, firstFrom(data, hit.row, point.time) - 1); i < hit.row.last && data.ts[i] < point.time + reach; i++) {
		const away = Math.max(0, data.ts[i] - point.time, point.time - data.ts[i] - data.dur[i]);
		if (away < distance || (away === 0 && best < 0)) {
			best = i;
			distance = away;
		}
	}
	return best;
}

/* The labels whose names hold all words; null for no words. */
function labelsWith(data, text) {
	const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
	if (words.length === 0)
		return null;
	const found = new Set();
	data.labels.forEach((name, label) => {
		if (words.every((word) => name.toLowerCase().includes(word)))
			found.add(label);
	});
	return found;
}

/* Their items in the order of time. */
function itemsWith(data, labels) {
	const items = [];
	for (let i = 0; i < data.items; i++)
		if (labels.has(data.label[i]))
			items.push(i);
	return items.sort((a, b) => data.ts[a] - data.ts[b] || a - b);
}

/* The item that a place is; where slices were merged, the one that holds it. -1 for none. */
function itemOfPlace(data, place) {
	for (const row of data.tracks[place.track].rows) {
		for (let i = firstFrom(data, row, place.ts); i < row.last && data.ts[i] === place.ts; i++)
			if (data.dur[i] === place.dur)
				return i;
	}
	for (const row of data.tracks[place.track].rows) {
		const before = firstFrom(data, row, place.ts + 1) - 1;
		if (before >= row.first && data.ts[before] + data.dur[before] >= place.ts)
			return before;
	}
	return -1;
}
