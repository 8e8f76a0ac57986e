/* Draws what is in view. The cost follows rows and pixels, not slices: slices below a pixel become one
 * bar, and a gallop finds the first one of the next pixel. */

const NAMES_PX = 190; /* at the left */
const NARROW_NAMES_PX = 96;
const NARROW_PX = 560;

class Painter {
	constructor(canvas, data) {
		this.canvas = canvas;
		this.data = data;
		this.fills = fillsOf(data);
		this.context = canvas.getContext("2d", { alpha: false });
	}

	resize(width, height) {
		const ratio = devicePixelRatio || 1;
		this.width = width;
		this.height = height;
		this.left = width < NARROW_PX ? NARROW_NAMES_PX : NAMES_PX;
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		this.theme = themeOf(this.canvas);
	}

	/* state: layout, view, scroll (px from the top), selected (item or -1) and marked (the time of it, or of its whole gap), other (what it
	 * launched or was launched by), found (labels, or null), path (the line is drawn), area (from, to, tracks; or null). */
	paint(state) {
		const { context } = this;
		const ratio = this.canvas.width / this.width;
		if (this.layout !== state.layout)
			this.heights = undefined;
		this.state = state;
		this.layout = state.layout;
		this.top = AXIS_PX + this.layout.pinned;
		this.pxPerNs = (this.width - this.left) / state.view.span;
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.font = "11px system-ui, sans-serif";
		context.textBaseline = "middle";
		context.fillStyle = this.theme.page;
		context.fillRect(0, 0, this.width, this.height);
		this.paintGrid();
		this.paintArea();
		this.paintStrips(false);
		if (state.path)
			paintPath(this);
		this.paintPinned();
		this.paintLaunch();
		this.paintSelected();
		this.paintAxis();
	}

	paintStrips(isPinned) {
		for (const strip of this.layout.strips)
			if (strip.isPinned === isPinned)
				this.paintStrip(strip, topOfStrip(strip, this.state.scroll));
	}

	/* Pinned strips hide what scrolls below them. */
	paintPinned() {
		const { context, theme } = this;
		if (this.layout.pinned === 0)
			return;
		context.fillStyle = theme.page;
		context.fillRect(0, 0, this.width, this.top - 2);
		this.paintStrips(true);
		context.fillStyle = theme.quiet;
		context.fillRect(0, this.top - 3, this.width, 1);
	}

	/* The stretch of time that was selected, behind the slices. */
	paintArea() {
		const { context, theme, state: { area, scroll } } = this;
		if (!area)
			return;
		const left = Math.max(this.left, this.x(area.from)), right = Math.min(this.width, this.x(area.to));
		context.fillStyle = theme.focus;
		context.globalAlpha = 0.16;
		for (const strip of this.layout.strips)
			if (right > left && (!area.tracks || area.tracks.has(strip.key)))
				context.fillRect(left, topOfStrip(strip, scroll) - GAP_PX / 2, right - left, strip.height + GAP_PX);
		context.globalAlpha = 1;
		for (const time of [area.from, area.to])
			if (this.x(time) >= this.left)
				context.fillRect(this.x(time), AXIS_PX, 1, this.height);
	}

	x(time) {
		return this.left + (time - this.state.view.from) * this.pxPerNs;
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
		const { context, theme, state: { view, area } } = this;
		const step = this.tickStep();
		context.fillStyle = theme.card;
		context.fillRect(0, 0, this.width, AXIS_PX - 3);
		context.fillStyle = theme.focus;
		if (area)
			context.fillRect(Math.max(this.left, this.x(area.from)), AXIS_PX - 6, Math.max(1, Math.min(this.width, this.x(area.to)) - Math.max(this.left, this.x(area.from))), 3);
		context.fillStyle = theme.text;
		for (const time of this.ticks(step)) {
			const text = formatTick(time, step, view.to);
			if (this.x(time) + 2 + context.measureText(text).width <= this.width)
				context.fillText(text, this.x(time) + 2, AXIS_PX / 2 - 1);
		}
	}

	paintStrip(strip, y) {
		const { context } = this;
		const top = strip.isPinned ? AXIS_PX : this.top;
		if (y > this.height || y + strip.height < top)
			return;
		context.save();
		context.beginPath();
		context.rect(this.left, 0, this.width - this.left, this.height);
		context.clip();
		if (strip.counter)
			this.paintCounter(strip.counter, y, strip.height);
		strip.rows.forEach((row, i) => this.paintRow(row, y + i * strip.rowPx, strip.rowPx - 1));
		context.restore();
		this.paintName(strip, y);
	}

	/* The name at the left: of what opens, with a mark and how many rows are folded away. */
	paintName(strip, y) {
		const { context, theme } = this;
		context.fillStyle = theme.card;
		context.fillRect(0, y - 2, this.left - 4, strip.height + 3);
		context.fillStyle = theme.text;
		context.fillText(this.fit(strip.name, this.left - 14), 6, y + Math.min(strip.height / 2, 9));
		context.fillStyle = theme.quiet;
		if (strip.note)
			context.fillText(this.fit(strip.note, this.left - 26), 18, y + 9 + strip.rowPx);
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
		const left = Math.max(this.left, this.x(data.ts[item]));
		const right = Math.min(this.width, this.x(data.ts[item] + data.dur[item]));
		const width = right - left - (right - left > 3 ? 0.5 : 0);
		if (right <= this.left)
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
			const left = Math.max(this.left, this.x(counter.ts[i]));
			const right = i + 1 < counter.count ? this.x(counter.ts[i + 1]) : this.x(this.data.end);
			const top = Math.max(1, (counter.values[i] - low) * scale);
			context.fillRect(left, y + height - top, Math.max(1, right - left), top);
		}
		const most = `most ${counter.bytes ? formatBytes(counter.most) : formatCount(counter.most)}`;
		context.fillStyle = theme.page;
		context.fillRect(this.left, y, context.measureText(most).width + 8, 14);
		context.fillStyle = theme.text;
		context.fillText(most, this.left + 4, y + 7);
	}

	/* The box of an item on the canvas; undefined where it is not shown. */
	boxOf(item, { ts, dur }) {
		const { track, row } = placeOf(this.data, item);
		const place = stripOfRow(this.layout, track, row);
		if (!place)
			return undefined;
		const y = topOfStrip(place.strip, this.state.scroll) + place.y;
		const left = Math.max(this.left, this.x(ts)), right = Math.min(this.width - 1, this.x(ts + dur));
		const isHidden = right < this.left || left > this.width || (!place.strip.isPinned && y < this.top - ROW_PX);
		return isHidden ? undefined : { left, right, y };
	}

	/* A line from the call that launches work to the work. */
	paintLaunch() {
		const { selected, other } = this.state;
		if (selected < 0 || other < 0)
			return;
		const timeOf = (item) => ({ ts: this.data.ts[item], dur: this.data.dur[item] });
		const from = this.boxOf(selected, timeOf(selected)), to = this.boxOf(other, timeOf(other));
		if (!from || !to)
			return;
		const { context, theme } = this;
		context.strokeStyle = theme.text;
		context.lineWidth = 1;
		context.setLineDash([4, 3]);
		context.beginPath();
		context.moveTo(from.left, from.y + THIN_ROW_PX / 2);
		context.lineTo(to.left, to.y + THIN_ROW_PX / 2);
		context.stroke();
		context.setLineDash([]);
	}

	paintSelected() {
		const { selected, marked } = this.state;
		const box = selected < 0 ? undefined : this.boxOf(selected, marked);
		if (!box)
			return;
		this.context.strokeStyle = this.theme.text;
		this.context.lineWidth = 2;
		this.context.strokeRect(box.left - 1, box.y - 1, Math.max(3, box.right - box.left + 2), ROW_PX);
	}
}
