/* The operator tree as an icicle: each node as wide as its time, with what it calls below it. A click makes a
 * node the widest; the table below has the same nodes as numbers. */

const TREE_LEAST = 0.003; /* of the width: what is narrower is left out */
const TREE_ROWS = 50;
const TREE_ROW_PX = 20;

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

class Tree {
	constructor(section, root) {
		this.root = this.shown = root;
		this.measure = root.children.filter((child) => child.device > 0).length > 1 ? "device" : "host";
		this.icicle = element("div", { className: "icicle" });
		this.table = element("div", { className: "scroll", tabIndex: 0 });
		const beside = element("details", {}, element("summary", {}, "The same as a table: what takes most by itself"), this.table);
		section.append(this.buildTools(), this.icicle, beside,
			element("p", { className: "below" }, "What calls what, on the host. Calls of one operator in one place of the program are one piece. A click makes a piece the widest, a click on one above it leads back."));
		this.draw();
	}

	buildTools() {
		const select = element("select", { ariaLabel: "Width" }, element("option", { value: "host" }, "Host time"), element("option", { value: "device" }, "Time of the device work launched"));
		select.value = this.measure;
		on(select, "change", () => {
			this.measure = select.value;
			this.draw();
		});
		return element("div", { className: "tools" }, element("label", {}, "Width: ", select));
	}

	draw() {
		const above = [];
		for (let node = this.shown.parent; node; node = node.parent)
			above.unshift(node);
		this.rows = above.length;
		this.icicle.replaceChildren();
		above.forEach((node, depth) => this.place(node, 0, 1, depth));
		this.placeAll(this.shown, 0, 1, above.length);
		this.icicle.style.height = `${(this.rows + 1) * TREE_ROW_PX}px`;
		this.fillTable();
	}

	/* A node and those below it, the heaviest first. */
	placeAll(node, left, width, depth) {
		this.place(node, left, width, depth);
		const { measure } = this;
		for (const child of [...node.children].sort((a, b) => b.widths[measure] - a.widths[measure])) {
			const part = width * child.widths[measure] / Math.max(1, node.widths[measure]);
			if (part < TREE_LEAST)
				break;
			this.placeAll(child, left, part, depth + 1);
			left += part;
		}
	}

	place(node, left, width, depth) {
		const words = `${node.name}: ${formatCount(node.count)} calls, host ${formatNs(node.host)}, itself ${formatNs(node.hostSelf)}, device ${formatNs(node.device)}, itself ${formatNs(node.deviceSelf)}`;
		const button = element("button", { type: "button", title: words, ariaLabel: words }, node.name);
		button.style.left = `${left * 100}%`;
		button.style.width = `${width * 100}%`;
		button.style.top = `${depth * TREE_ROW_PX}px`;
		button.style.background = FILLS[hashOf(node.name) % FILLS.length];
		button.addEventListener("click", () => {
			this.shown = node;
			this.draw();
			this.icicle.children[depth].focus();
		});
		this.rows = Math.max(this.rows, depth);
		this.icicle.append(button);
	}

	fillTable() {
		const all = [];
		const add = (node) => {
			if (node !== this.root)
				all.push(node);
			node.children.forEach(add);
		};
		add(this.shown);
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
