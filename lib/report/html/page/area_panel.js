/* An area in words: its devices, its names as a table, its slices as a flame graph. */

const AREA_ROWS = 200;
const KINDS = { host: "host", lane: "device" };

function sumsTable(data, area) {
	const span = area.to - area.from;
	const ns = (value) => Number.isNaN(value) ? "-" : [value, formatNs(value)];
	const rows = sumsOf(data, area).slice(0, AREA_ROWS).map((sum) => [data.labels[sum.label], KINDS[sum.kind], [sum.count, formatCount(sum.count)], ns(sum.total), ns(sum.self), ns(sum.total / sum.count),
		ns(quantile(sum.lengths, 0.5)), ns(quantile(sum.lengths, 0.95)), [sum.total / span, `${(100 * sum.total / span).toFixed(1)} %`]]);
	const table = tableOf(["name", "on", "count", "total", "itself", "mean", "p50", "p95", "share"], rows);
	table.className = "sums";
	return table;
}

function devicesTable(data, area) {
	const span = area.to - area.from;
	const rows = devicesOf(data, area).map(({ device, what, ns }) => [`device ${device}`, what, [ns, formatNs(ns)], [ns / span, `${(100 * ns / span).toFixed(1)} %`]]);
	const table = tableOf(["device", "time", "takes", "share"], rows);
	table.className = "devices";
	return rows.length > 0 ? table : "";
}

class Flame {
	constructor(data, area) {
		this.data = data;
		this.area = area;
		this.kind = element("select", { ariaLabel: "Slices" }, element("option", { value: "host" }, "Host"), element("option", { value: "lane" }, "Device"));
		this.inverted = element("input", { type: "checkbox" });
		this.search = element("input", { type: "search", placeholder: "Search names", ariaLabel: "Search names of the flame graph" });
		this.place = element("div");
		on(this.kind, "change", () => this.draw());
		on(this.inverted, "change", () => this.draw());
		on(this.search, "input", () => this.icicle.find(this.search.value));
		this.node = element("div", { className: "flame" }, element("div", { className: "tools" }, this.kind, element("label", {}, this.inverted, " Inverted: callers below"), this.search), this.place);
		this.draw();
	}

	draw() {
		const { data } = this;
		const fills = fillsOf(data);
		const root = areaTree(data, this.area, this.kind.value, this.inverted.checked);
		this.icicle = new Icicle(root, { widthOf: (node) => node.total, fillOf: (node) => node.label === undefined ? shadeOf("other", "") : fills[node.label],
			wordsOf: (node) => `${node.name}: ${formatNs(node.total)}, ${(100 * node.total / Math.max(1, root.total)).toFixed(1)} %` });
		this.icicle.find(this.search.value);
		this.place.replaceChildren(this.icicle.node);
	}
}

/* Fills the panel of an area; close is what its button does. */
function showArea(panel, data, area, close) {
	const button = element("button", { type: "button", title: "Escape" }, "Close");
	button.addEventListener("click", close);
	const sums = element("div", { className: "scroll", tabIndex: 0 }, sumsTable(data, area));
	const flame = element("details", {}, element("summary", {}, "Flame graph of the area"));
	on(flame, "toggle", () => {
		if (flame.open && flame.children.length === 1)
			flame.append(new Flame(data, area).node);
	});
	panel.replaceChildren(element("p", { className: "strong" }, `Area of ${formatNs(area.to - area.from)} from ${formatNs(area.from)}${area.tracks ? `, ${formatCount(areaTracks(data, area).length)} tracks` : ""} `, button),
		element("div", { className: "scroll", tabIndex: 0 }, devicesTable(data, area)), sums, flame,
		data.least > 0 ? element("p", { className: "below" }, "Slices that were merged have the name of the longest one and the time from the first to the last.") : "");
	for (const table of panel.querySelectorAll("table")) {
		makeSortable(table);
		makeFilterable(table);
	}
}
