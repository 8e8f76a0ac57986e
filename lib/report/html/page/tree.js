/* The operator tree: what calls what on the host, as an icicle, and as a table with the same nodes as numbers. */

const TREE_ROWS = 50;

/* The node around all others. */
function readTree(rows) {
	const root = { name: "all", phase: null, count: 0, host: 0, hostSelf: 0, device: 0, deviceSelf: 0, children: [] };
	const nodes = new Map([[-1, root]]);
	for (const [id, parent, name, phase, count, host, hostSelf, device, deviceSelf] of rows) {
		const node = { name, phase, count, host, hostSelf, device, deviceSelf, children: [], parent: nodes.get(parent) };
		node.parent.children.push(node);
		nodes.set(id, node);
	}
	for (const child of root.children) {
		root.host += child.host;
		root.device += child.device;
		root.count += child.count;
	}
	for (const node of [...nodes.values()].reverse())
		node.widths = { host: widthOf(node, "host"), device: widthOf(node, "device") };
	return root;
}

/* As wide as its time, or as what it calls: a call that never ended has no time of its own. */
function widthOf(node, measure) {
	return Math.max(node[measure], node.children.reduce((sum, child) => sum + child.widths[measure], 0));
}

const wordsOfNode = (node) => `${node.name}: ${formatCount(node.count)} calls, host ${formatNs(node.host)}, itself ${formatNs(node.hostSelf)}, device ${formatNs(node.device)}, itself ${formatNs(node.deviceSelf)}`;

class Tree {
	constructor(section, root) {
		this.root = root;
		this.measure = root.children.filter((child) => child.device > 0).length > 1 ? "device" : "host";
		this.icicle = new Icicle(root, { widthOf: (node) => node.widths[this.measure], wordsOf: wordsOfNode, fillOf: (node) => shadeOf("operator", node.name), onShow: () => this.fillTable() });
		this.table = element("div", { className: "scroll", tabIndex: 0 });
		const beside = element("details", {}, element("summary", {}, "The same as a table: what takes most by itself"), this.table);
		section.append(this.buildTools(), this.icicle.node, beside,
			element("p", { className: "below" }, "What calls what, on the host. Calls of one operator in one place of the program are one piece. A click makes a piece the widest, a click on one above it leads back."));
		this.fillTable();
	}

	buildTools() {
		const select = element("select", { ariaLabel: "Width" }, element("option", { value: "host" }, "Host time"), element("option", { value: "device" }, "Time of the device work launched"));
		select.value = this.measure;
		on(select, "change", () => {
			this.measure = select.value;
			this.icicle.draw();
			this.fillTable();
		});
		return element("div", { className: "tools" }, element("label", {}, "Width: ", select));
	}

	fillTable() {
		const all = [];
		const add = (node) => {
			if (node !== this.root)
				all.push(node);
			node.children.forEach(add);
		};
		add(this.icicle.shown);
		all.sort((a, b) => b[`${this.measure}Self`] - a[`${this.measure}Self`]);
		const rows = all.slice(0, TREE_ROWS).map((node) => [node.name, node.parent.name, node.phase ?? "-", formatCount(node.count),
			...[node.host, node.hostSelf, node.device, node.deviceSelf].map(formatNs)]);
		this.table.replaceChildren(tableOf(["operator", "called by", "phase", "calls", "host", "host itself", "device", "device itself"], rows));
	}
}

async function startTrees() {
	for (const section of document.querySelectorAll("section.tree")) {
		const bytes = await inflate(section.querySelector("script").textContent);
		new Tree(section, readTree(JSON.parse(new TextDecoder().decode(bytes))));
	}
}

startTrees();
