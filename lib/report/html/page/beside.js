/* The picture as a table: the longest slices in view, and the range of each counter. */

const BESIDE_ROWS = 100;

function longestInView(data, view) {
	const items = [];
	for (const track of data.tracks)
		for (const row of track.rows)
			for (let i = Math.max(row.first, firstFrom(data, row, view.from) - 1); i < row.last && data.ts[i] < view.to; i++)
				if (data.ts[i] + data.dur[i] > view.from)
					items.push(i);
	items.sort((a, b) => data.dur[b] - data.dur[a] || a - b);
	return items.slice(0, BESIDE_ROWS);
}

/* A cell is a text, or a number and how it is written: [value, text]. */
function tableOf(titles, rows) {
	const cell = (tag) => (content) => {
		const isNumber = Array.isArray(content);
		const made = element(tag, { className: isNumber ? "n" : "" }, isNumber ? content[1] : content);
		if (isNumber)
			made.dataset.v = content[0];
		return made;
	};
	return element("table", {},
		element("thead", {}, element("tr", {}, ...titles.map(cell("th")))),
		element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell("td"))))));
}

function fillBeside(node, data, view) {
	const rows = longestInView(data, view).map((item) => [formatNs(data.dur[item]), formatNs(data.ts[item]), nameOf(placeOf(data, item).track), data.labels[data.label[item]]]);
	node.replaceChildren(tableOf(["takes", "starts at", "on", "slice"], rows));
	if (data.counters.length > 0) {
		const words = (counter, value) => counter.bytes ? formatBytes(value) : formatCount(value);
		node.append(tableOf(["counter", "lowest", "highest"], data.counters.map((counter) => [counter.name, words(counter, counter.least), words(counter, counter.most)])));
	}
}
