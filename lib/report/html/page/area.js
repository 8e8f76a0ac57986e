/* What a stretch of time holds: for each name its slices, and for each device how long it is busy, and idle by cause.
 * Slices are cut at the ends of the area, so sums fit into it. Slices that were merged count with their number, the
 * name of the longest, and the time from the first to the last.
 *
 * Names: [0, 10) holds a call A [-2, 8) with a call B [1, 4) in it: A has 8 in total and 5 itself, B has 3. */

/* The items of a track that reach into [from, to), in the order of their starts; outer ones first. */
function itemsIn(data, track, from, to) {
	const items = [];
	for (const row of track.rows)
		for (let i = Math.max(row.first, firstFrom(data, row, from) - 1); i < row.last && data.ts[i] < to; i++)
			if (data.ts[i] + data.dur[i] > from || data.ts[i] >= from)
				items.push(i);
	return items.sort((a, b) => data.ts[a] - data.ts[b] || data.dur[b] - data.dur[a] || a - b);
}

const isInArea = (area, track) => !area.tracks || area.tracks.has(`${track.number}`);
const areaTracks = (data, area) => data.tracks.filter((track) => (track.kind === "host" || track.kind === "lane") && isInArea(area, track));

/* Goes through the slices of a track in the area: calls leave(slice) when one is known whole. A slice has item, parent
 * (the innermost one around it), from, to, and self, its time without that of slices in it. */
function walkArea(data, track, area, leave) {
	const open = [];
	const close = (until) => {
		while (open.length > 0 && open.at(-1).end < until)
			leave(open.pop());
	};
	for (const item of itemsIn(data, track, area.from, area.to)) {
		const from = Math.max(area.from, data.ts[item]), end = data.ts[item] + data.dur[item];
		close(end);
		const parent = open.at(-1);
		const slice = { item, parent, from, to: Math.min(area.to, end), end, self: 0 };
		slice.self = slice.to - from;
		if (parent)
			parent.self -= slice.self;
		open.push(slice);
	}
	close(Infinity);
}

/* Sums by name and kind of track, the largest total first. */
function sumsOf(data, area) {
	const sums = new Map();
	for (const track of areaTracks(data, area))
		walkArea(data, track, area, ({ item, from, to, self }) => {
			const key = `${data.labels[data.label[item]]} ${track.kind}`; /* names of several categories are one */
			if (!sums.has(key))
				sums.set(key, { label: data.label[item], kind: track.kind, count: 0, total: 0, self: 0, lengths: [] });
			const sum = sums.get(key);
			sum.count += data.more[item] + 1;
			sum.total += to - from;
			sum.self += self;
			if (data.more[item] === 0)
				sum.lengths.push(to - from);
		});
	for (const sum of sums.values())
		sum.lengths.sort((a, b) => a - b);
	return [...sums.values()].sort((a, b) => b.total - a.total || a.label - b.label);
}

/* The value that a share of sorted lengths reaches; NaN for none. */
const quantile = (lengths, share) => lengths[Math.max(0, Math.ceil(lengths.length * share) - 1)] ?? NaN;

/* For each device: words and ns of its time in the area. */
function devicesOf(data, area) {
	const parts = [];
	for (const idle of data.tracks.filter((track) => track.kind === "idle")) {
		const lanes = data.tracks.filter((track) => track.kind === "lane" && track.device === idle.device);
		const span = area.to - area.from;
		parts.push({ device: idle.device, what: "busy", ns: span - uncovered(data, lanes.flatMap((track) => track.rows), area.from, area.to) });
		const causes = new Map();
		for (const i of itemsIn(data, idle, area.from, area.to))
			causes.set(data.label[i], (causes.get(data.label[i]) ?? 0) + Math.max(0, overlapOf(data, i, area.from, area.to)));
		for (const [label, ns] of [...causes].sort((a, b) => b[1] - a[1]))
			parts.push({ device: idle.device, what: `idle: ${causeOf(data, data.labels[label])}`, cause: data.labels[label], ns });
	}
	return parts;
}

/* The tree of names in the area; inverted, what calls a name stands below it, and a name has the time that slices
 * take themselves. */
function areaTree(data, area, kind, isInverted) {
	const root = { name: "all", total: 0, count: 0, children: new Map() };
	const below = (node, label) => {
		if (!node.children.has(label))
			node.children.set(label, { name: data.labels[label], label, total: 0, count: 0, parent: node, children: new Map() });
		return node.children.get(label);
	};
	const add = (labels, ns, count) => {
		let node = root;
		for (const label of labels) {
			node = below(node, label);
			node.total += ns;
			node.count += count;
		}
		root.total += ns;
	};
	for (const track of areaTracks(data, area).filter((each) => each.kind === kind))
		walkArea(data, track, area, (slice) => {
			const labels = [];
			for (let each = slice; each; each = each.parent)
				labels.push(data.label[each.item]);
			add(isInverted ? labels : labels.reverse(), slice.self, data.more[slice.item] + 1);
		});
	const list = (node) => {
		node.children = [...node.children.values()];
		node.children.forEach(list);
		return node;
	};
	return list(root);
}
