/* Draws what is in view. The cost follows rows and pixels, not slices: slices below a pixel become one
 * bar, and a gallop finds the first one of the next pixel. */

class Painter {
	constructor(canvas, data, layout) {
		this.canvas = canvas;
		this.data = data;
		this.layout = layout;
		this.fills = fillsOf(data);
		this.context = canvas.getContext("2d", { alpha: false });
	}

	resize(width, height) {
		const ratio = devicePixelRatio || 1;
		this.width = width;
		this.height = height;
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		this.theme = themeOf(this.canvas);
	}

	/* state: view, scroll (px from the top), selected (item or -1) and marked (the time of it, or of its whole gap), found (labels, or null), path (the line is
	 * drawn). */
	paint(state) {
		const { context } = this;
		const ratio = this.canvas.width / this.width;
		this.state = state;
		this.pxPerNs = (this.width - NAMES_PX) / state.view.span;
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.font = "11px system-ui, sans-serif";
		context.textBaseline = "middle";
		context.fillStyle = this.theme.page;
		context.fillRect(0, 0, this.width, this.height);
		this.paintGrid();
		for (const strip of this.layout.strips)
			this.paintStrip(strip, strip.y - state.scroll);
		if (state.path)
			paintPath(this);
		this.paintSelected();
		this.paintAxis();
	}

	x(time) {
		return NAMES_PX + (time - this.state.view.from) * this.pxPerNs;
	}

	/* A round distance of times, about 110 px. */
	tickStep() {
		const wanted = 110 / this.pxPerNs;
		const power = 10 ** Math.floor(Math.log10(wanted));
		return Math.max(1, [1, 2, 5, 10].map((each) => each * power).find((each) => each >= wanted));
	}

	ticks(step) {
		const { view } = this.state;
		const ticks = [];
		for (let time = Math.ceil(view.from / step) * step; time < view.to; time += step)
			ticks.push(time);
		return ticks;
	}

	paintGrid() {
		this.context.fillStyle = this.theme.line;
		for (const time of this.ticks(this.tickStep()))
			this.context.fillRect(Math.round(this.x(time)), AXIS_PX, 1, this.height);
	}

	paintAxis() {
		const { context, theme, state: { view } } = this;
		const step = this.tickStep();
		context.fillStyle = theme.card;
		context.fillRect(0, 0, this.width, AXIS_PX - 3);
		context.fillStyle = theme.text;
		for (const time of this.ticks(step)) {
			const text = formatTick(time, step, view.to);
			if (this.x(time) + 2 + context.measureText(text).width <= this.width)
				context.fillText(text, this.x(time) + 2, AXIS_PX / 2 - 1);
		}
	}

	paintStrip(strip, y) {
		const { context, theme } = this;
		if (y > this.height || y + strip.height < AXIS_PX)
			return;
		context.save();
		context.beginPath();
		context.rect(NAMES_PX, 0, this.width - NAMES_PX, this.height);
		context.clip();
		if (strip.counter)
			this.paintCounter(strip.counter, y, strip.height);
		strip.rows.forEach((row, i) => this.paintRow(row, y + i * strip.rowPx, strip.rowPx - 1));
		context.restore();
		context.fillStyle = theme.card;
		context.fillRect(0, y - 2, NAMES_PX - 4, strip.height + 3);
		context.fillStyle = theme.text;
		context.fillText(this.fit(strip.name, NAMES_PX - 14), 6, y + Math.min(strip.height / 2, 9));
	}

	/* The beginning of a text that fits. */
	fit(text, width) {
		const letters = Math.floor(width / 6);
		return text.length <= letters ? text : `${text.slice(0, Math.max(1, letters - 1))}\u2026`;
	}

	isDim(item) {
		return this.state.found !== null && !this.state.found.has(this.data.label[item]);
	}

	paintRow(row, y, height) {
		const { data, state: { view }, pxPerNs } = this;
		const pixel = 1 / pxPerNs;
		let i = Math.max(row.first, firstFrom(data, row, view.from) - 1);
		while (i < row.last && data.ts[i] < view.to) {
			if (data.dur[i] < pixel)
				i = this.paintPixel(row, i, data.ts[i] + pixel, y, height);
			else
				this.paintItem(i++, y, height);
		}
	}

	/* One bar for all short items that start before the limit, in the colour of the longest. Returns the
	 * first item behind them. */
	paintPixel(row, first, limit, y, height) {
		const { data, context } = this;
		const next = this.gallop(row, first, limit);
		const stride = Math.max(1, Math.floor((next - first) / 16));
		let longest = first, last = next;
		for (let i = first; i < next; i += stride) {
			if (data.dur[i] > data.dur[longest])
				longest = i;
		}
		if (data.dur[next - 1] > limit - data.ts[first] && next - 1 > first)
			last = next - 1; /* it is long enough to be drawn for itself */
		context.globalAlpha = this.isDim(longest) ? 0.2 : 1;
		context.fillStyle = this.fills[data.label[longest]];
		context.fillRect(this.x(data.ts[first]), y, 1, height);
		context.globalAlpha = 1;
		return last;
	}

	gallop(row, first, limit) {
		const { ts } = this.data;
		let step = 1, low = first + 1, high = first + 1;
		while (high < row.last && ts[high] < limit) {
			low = high + 1;
			high += step;
			step *= 2;
		}
		high = Math.min(high, row.last);
		while (low < high) {
			const middle = (low + high) >> 1;
			if (ts[middle] < limit)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	paintItem(item, y, height) {
		const { data, context } = this;
		const left = Math.max(NAMES_PX, this.x(data.ts[item]));
		const right = Math.min(this.width, this.x(data.ts[item] + data.dur[item]));
		const width = right - left - (right - left > 3 ? 0.5 : 0);
		if (right <= NAMES_PX)
			return;
		const cover = this.isDim(item) ? 0.2 : data.more[item] > 0 ? 0.6 : 1; /* the page shows through the rest */
		context.globalAlpha = cover;
		context.fillStyle = this.fills[data.label[item]];
		context.fillRect(left, y, Math.max(1, width), height);
		context.globalAlpha = 1;
		if (width > 36) {
			context.fillStyle = cover < 1 ? this.theme.text : "#ffffff";
			context.fillText(this.fit(this.titleOf(item), width - 4), left + 3, y + height / 2 + 1);
		}
	}

	titleOf(item) {
		const name = this.data.labels[this.data.label[item]];
		return this.data.more[item] > 0 ? `${this.data.more[item] + 1} short slices, ${name}` : name;
	}

	paintCounter(counter, y, height) {
		const { context, theme, state: { view } } = this;
		const low = Math.min(0, counter.least);
		const scale = (height - 2) / Math.max(counter.most - low, 1e-9);
		const first = Math.max(0, firstFrom({ ts: counter.ts }, { first: 0, last: counter.count }, view.from) - 1);
		context.fillStyle = theme.bar;
		for (let i = first; i < counter.count && counter.ts[i] < view.to; i++) {
			const left = Math.max(NAMES_PX, this.x(counter.ts[i]));
			const right = i + 1 < counter.count ? this.x(counter.ts[i + 1]) : this.x(this.data.end);
			const top = Math.max(1, (counter.values[i] - low) * scale);
			context.fillRect(left, y + height - top, Math.max(1, right - left), top);
		}
		const most = `most ${counter.bytes ? formatBytes(counter.most) : formatCount(counter.most)}`;
		context.fillStyle = theme.page;
		context.fillRect(NAMES_PX, y, context.measureText(most).width + 8, 14);
		context.fillStyle = theme.text;
		context.fillText(most, NAMES_PX + 4, y + 7);
	}

	paintSelected() {
		const { selected, marked } = this.state;
		if (selected < 0)
			return;
		const { track, row } = placeOf(this.data, selected);
		const y = topOf(this.layout, track, row) - this.state.scroll;
		const left = Math.max(NAMES_PX, this.x(marked.ts));
		const right = Math.min(this.width - 1, this.x(marked.ts + marked.dur));
		if (right < NAMES_PX || left > this.width)
			return;
		this.context.strokeStyle = this.theme.text;
		this.context.lineWidth = 2;
		this.context.strokeRect(left - 1, y - 1, Math.max(3, right - left + 2), ROW_PX);
	}
}
