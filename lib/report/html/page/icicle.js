/* A tree as an icicle: each node as wide as its part of the node above it. A click makes a node the widest, a click on
 * one above leads back. Nodes have name, parent, children; widthOf and wordsOf say how wide a node is and what is
 * known of it. */

const TREE_LEAST = 0.003; /* of the width: what is narrower is left out */
const TREE_ROW_PX = 20;

class Icicle {
	constructor(root, { widthOf, wordsOf, fillOf, onShow = () => {} }) {
		Object.assign(this, { root, shown: root, widthOf, wordsOf, fillOf, onShow, found: null });
		this.node = element("div", { className: "icicle" });
		this.draw();
	}

	/* Makes names that hold the words stand out; nothing for no words. */
	find(text) {
		const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
		this.found = words.length > 0 ? (name) => words.every((word) => name.toLowerCase().includes(word)) : null;
		this.draw();
	}

	show(node) {
		this.shown = node;
		this.draw();
		this.onShow(node);
	}

	draw() {
		const above = [];
		for (let node = this.shown.parent; node; node = node.parent)
			above.unshift(node);
		this.rows = above.length;
		this.node.replaceChildren();
		above.forEach((node, depth) => this.place(node, 0, 1, depth));
		this.placeAll(this.shown, 0, 1, above.length);
		this.node.style.height = `${(this.rows + 1) * TREE_ROW_PX}px`;
	}

	/* A node and those below it, the heaviest first. */
	placeAll(node, left, width, depth) {
		this.place(node, left, width, depth);
		for (const child of [...node.children].sort((a, b) => this.widthOf(b) - this.widthOf(a))) {
			const part = width * this.widthOf(child) / Math.max(1, this.widthOf(node));
			if (part < TREE_LEAST)
				break;
			this.placeAll(child, left, part, depth + 1);
			left += part;
		}
	}

	place(node, left, width, depth) {
		const words = this.wordsOf(node);
		const button = element("button", { type: "button", title: words, ariaLabel: words }, node.name);
		Object.assign(button.style, { left: `${left * 100}%`, width: `${width * 100}%`, top: `${depth * TREE_ROW_PX}px`, background: this.fillOf(node) });
		if (this.found && !this.found(node.name))
			button.className = "other";
		button.addEventListener("click", () => {
			this.show(node);
			this.node.children[depth].focus();
		});
		this.rows = Math.max(this.rows, depth);
		this.node.append(button);
	}
}
