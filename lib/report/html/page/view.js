/* The stretch of time that is shown, [from, to), and how it moves. */

const SHORTEST_NS = 20; /* shown at once; clocks are not finer */

class View {
	constructor(span) {
		this.setMost(span);
		this.all();
	}

	setMost(span) {
		this.most = { from: -span * 0.01, to: span * 1.01 + 1 };
	}

	/* There is as much to show; what shows all goes on to do so. */
	reach(span) {
		const isAll = this.span >= (this.most.to - this.most.from) * (1 - 1e-9);
		if (span * 1.01 + 1 > this.most.to)
			this.setMost(span);
		if (isAll)
			this.all();
	}

	get span() {
		return this.to - this.from;
	}

	/* Shows what is asked for, or as much of it as there is. */
	show(from, to) {
		const all = this.most.to - this.most.from;
		const span = Math.min(Math.max(to - from, Math.min(SHORTEST_NS, all)), all);
		const middle = (from + to) / 2;
		this.from = Math.min(Math.max(middle - span / 2, this.most.from), this.most.to - span);
		this.to = this.from + span;
	}

	zoom(factor, time = (this.from + this.to) / 2) {
		this.show(time - (time - this.from) / factor, time + (this.to - time) / factor);
	}

	pan(share) {
		const step = this.span * share;
		this.show(this.from + step, this.to + step);
	}

	all() {
		this.show(this.most.from, this.most.to);
	}
}
