/* A timeline: the picture with its tools, what is selected, and the ways to and from findings. */

const HELP = "W S or Ctrl+wheel zoom, A D or drag move, a drag on the ruler or with Shift sums up an area, J jumps from a call to the work that it launched, P pins a track. ? shows all keys.";

const STAGE_PART = 0.54; /* of the window, so that what is said of a slice fits below */

class Timeline {
	constructor(section, data, number, linked) {
		this.section = section;
		this.data = data;
		this.view = linked?.view ?? new View(data.span);
		this.peers = linked?.peers ?? [];
		this.peers.push(this);
		this.number = number;
		this.shown = { open: new Set(), revealed: new Set(), pinned: [], filter: "" };
		this.selected = -1;
		this.area = null;
		this.found = null;
		this.matches = [];
		this.used = 0;
		this.build();
		this.painter = new Painter(this.canvas, data);
		this.buildPlaces();
		listen(this);
		section.addEventListener("pointerdown", () => { this.used = performance.now(); });
		this.relayout();
	}

	build() {
		this.canvas = element("canvas", { tabIndex: 0, ariaLabel: "Timeline of the trace. The table below it has the longest slices in view." });
		this.canvas.setAttribute("role", "application");
		this.stage = element("div", { className: "stage" }, element("div", { className: "sizer" }, this.canvas));
		this.tip = element("div", { className: "tip", hidden: true });
		this.panel = element("div", { className: "panel" });
		this.panel.setAttribute("aria-live", "polite");
		this.areaPanel = element("div", { className: "area", hidden: true });
		this.beside = element("div", { className: "scroll", tabIndex: 0 });
		const table = element("details", {}, element("summary", {}, "The same as a table: the longest slices in view"), this.beside);
		table.addEventListener("toggle", () => this.refresh());
		this.section.append(this.buildTools(), this.buildLegend(), this.stage, this.tip, this.panel, this.areaPanel, table, element("p", { className: "below" }, HELP));
		if (this.data.least > 0)
			table.after(element("p", { className: "below" }, `Slices shorter than ${formatNs(this.data.least)} are merged, but not in the longest step, a usual one, and around findings.`));
		showItem(this.panel, this.data, -1);
	}

	buildTools() {
		const button = (text, title, action) => {
			const made = element("button", { type: "button", title }, text);
			made.addEventListener("click", () => { action(); this.refresh(); this.keep(); });
			return made;
		};
		this.search = element("input", { type: "search", placeholder: "Search slices", ariaLabel: "Search slices by name" });
		this.status = element("span", { className: "below" });
		this.status.setAttribute("role", "status");
		this.back = button("Back to the finding", "B", () => this.goBack());
		this.back.hidden = true;
		on(this.search, "input", () => this.searchFor(this.search.value));
		on(this.search, "keydown", (event) => {
			if (event.key === "Enter")
				this.nextMatch(event.shiftKey ? -1 : 1);
			else if (event.key === "Escape")
				this.canvas.focus();
		});
		const filter = element("input", { type: "search", placeholder: "Filter tracks", ariaLabel: "Show only tracks with these words" });
		on(filter, "input", () => this.setFilter(filter.value));
		this.filter = filter;
		this.gapButton = button("Longest gap", "The longest time in which a device computes nothing. G, and again for the next one", () => this.nextGap());
		this.gapButton.hidden = !this.data.tracks.some((track) => ["idle", "collective"].includes(track.kind) && track.rows.length > 0);
		this.path = element("input", { type: "checkbox", checked: true });
		on(this.path, "change", () => this.refresh());
		const path = element("label", { hidden: !this.data.tracks.some((track) => track.kind === "path" && track.rows.length > 0) }, this.path, " Critical path");
		return element("div", { className: "tools" }, this.search, button("Next", "The next slice found", () => this.nextMatch(1)), this.status, this.buildSteps(),
			button("+", "Zoom in", () => this.view.zoom(2)), button("\u2212", "Zoom out", () => this.view.zoom(0.5)), button("All", "Show all", () => this.view.all()), this.gapButton,
			button("Sum up", "What the selection, or else the picture, holds: a table of names, idle time by cause, a flame graph. M", () => this.markArea()), path, filter, button("Keys", "?", () => showKeys()), this.back);
	}

	buildSteps() {
		const select = element("select", { ariaLabel: "Step" }, element("option", { value: "" }, "All steps"));
		const row = this.data.tracks.find((track) => track.kind === "steps")?.rows[0];
		for (let i = row?.first ?? 0; i < (row?.last ?? 0); i++)
			select.append(element("option", { value: i }, `${this.data.labels[this.data.label[i]]}, ${formatNs(this.data.dur[i])}`));
		select.hidden = select.options.length === 1;
		on(select, "change", () => {
			const step = Number(select.value);
			if (select.value === "")
				this.view.all();
			else
				this.fit(this.data.ts[step], this.data.dur[step], 1.1);
			this.refresh();
			this.keep();
		});
		return select;
	}

	buildLegend() {
		const { data } = this;
		const causes = [...new Set(labelsOn(data, "idle").map((label) => data.labels[label]))].sort();
		const families = new Set(labelsOn(data, "lane", "host", "collective").map((label) => familyOf(data, label)));
		const line = (title, keys) => {
			const made = element("p", { className: "legend" }, title);
			for (const [color, words] of keys) {
				const square = element("span", { className: "swatch" });
				square.style.background = color;
				made.append(" ", element("span", { className: "key" }, square, words));
			}
			return keys.length > 0 ? made : "";
		};
		return element("div", {}, line("Idle time by cause:", causes.map((cause) => [CAUSES[cause] ?? CAUSES.unknown, cause.replaceAll("_", " ")])),
			line("Slices:", Object.keys(FAMILIES).filter((each) => families.has(each)).map((family) => [shadeOf(family, "a"), FAMILIES[family][0]])));
	}

	/* A button in each finding that shows where it is worst. */
	buildPlaces() {
		for (const place of this.data.places) {
			const card = document.getElementById(place.id);
			if (!card)
				continue;
			if (place.track === undefined) {
				card.querySelector(".card").after(element("p", { className: "below" }, "It has no place of its own in the timeline."));
				continue;
			}
			const button = element("button", { type: "button", className: "show" }, "Show the worst place in the timeline");
			button.addEventListener("click", () => this.goTo(place, card));
			card.querySelector(".card").prepend(button);
			card.querySelector(".card").before(drawStrip(this.data, place));
		}
	}

	goTo(place, card) {
		const item = itemOfPlace(this.data, place);
		this.used = performance.now();
		this.card = card;
		this.back.hidden = false;
		this.fit(place.ts, place.dur, 4);
		this.select(item);
		if (item >= 0)
			this.reveal(item);
		this.canvas.focus({ preventScroll: true });
	}

	/* To the finding that was last shown, else to the first one. */
	goBack() {
		const card = this.card ?? document.querySelector("details[id^=finding]");
		if (!card)
			return;
		card.open = true;
		card.scrollIntoView({ block: this.card ? "center" : "start" });
		(card.querySelector("button.show") ?? card.querySelector("summary")).focus({ preventScroll: true });
	}

	get gaps() {
		return this.allGaps ??= longestGaps(this.data);
	}

	get pxPerNs() {
		return (this.painter.width - this.painter.left) / this.view.span;
	}

	timeAt(event) {
		return this.view.from + (event.clientX - this.canvas.getBoundingClientRect().left - this.painter.left) / this.pxPerNs;
	}

	heightOf(event) {
		return event.clientY - this.canvas.getBoundingClientRect().top;
	}

	isOnRuler(event) {
		return this.heightOf(event) < AXIS_PX && this.isOnTime(event);
	}

	/* Right of the names. */
	isOnTime(event) {
		return event.clientX - this.canvas.getBoundingClientRect().left >= this.painter.left;
	}

	itemUnder(event) {
		const y = this.heightOf(event);
		if (y < AXIS_PX || !this.isOnTime(event))
			return -1;
		return itemAt(this.data, this.layout, this.stage.scrollTop, { time: this.timeAt(event), y }, this.pxPerNs);
	}

	stripUnder(event) {
		return stripAt(this.layout, this.heightOf(event), this.stage.scrollTop);
	}

	/* ---- tracks: which are open, pinned, filtered */

	relayout() {
		this.layout = layOut(this.data, this.shown);
		this.stage.firstChild.style.height = `${this.layout.height}px`;
		this.resize();
	}

	setFilter(text) {
		this.shown.filter = this.filter.value = text;
		this.relayout();
	}

	setPins(keys) {
		this.shown.pinned = [...new Set(keys)];
		this.relayout();
	}

	/* The strip under the pointer, else that of the selection. */
	get strip() {
		if (this.pointed)
			return this.layout.strips.find((each) => each.key === this.pointed);
		const track = this.selected >= 0 ? placeOf(this.data, this.selected).track : undefined;
		return track && this.layout.strips.find((each) => each.track === track);
	}

	togglePin() {
		const { strip, shown: { pinned } } = this;
		if (!strip || strip.folds)
			return;
		this.setPins(strip.isPinned ? pinned.filter((key) => key !== strip.key) : [...pinned, strip.key]);
		this.status.textContent = `${nameOfStrip(strip)} ${strip.isPinned ? "is no longer pinned" : "is pinned"}`;
	}

	toggleOpen(strip = this.strip) {
		const { open } = this.shown;
		if (!strip?.opens && !strip?.folds)
			return;
		if (!open.delete(strip.key))
			open.add(strip.key);
		this.relayout();
	}

	/* Unfolds what hides an item. */
	unfold(item) {
		const { track, row } = placeOf(this.data, item);
		if (stripOfRow(this.layout, track, row))
			return;
		this.shown.revealed.add(`${track.number}`);
		this.setFilter("");
		if (!stripOfRow(this.layout, track, row))
			this.toggleOpen(this.layout.strips.find((strip) => strip.track === track));
	}

	/* ---- areas */

	/* An area: from, to, and the keys of its tracks, or null for all; null for none. */
	setArea(area) {
		this.area = area && area.to > area.from ? area : null;
		this.refresh();
	}

	tracksBetween(start, event) {
		const scroll = this.stage.scrollTop;
		const [low, high] = [this.heightOf(start), this.heightOf(event)].sort((a, b) => a - b);
		const strips = this.layout.strips.filter((strip) => strip.track && topOfStrip(strip, scroll) <= high && topOfStrip(strip, scroll) + strip.height >= low);
		return new Set(strips.map((strip) => strip.key));
	}

	showArea() {
		this.areaPanel.hidden = !this.area;
		if (this.area)
			showArea(this.areaPanel, this.data, this.area, () => { this.closeArea(); this.keep(); });
		else
			this.areaPanel.replaceChildren();
	}

	closeArea() {
		this.setArea(null);
		this.showArea();
	}

	markArea() {
		const { marked, view, data } = this;
		this.setArea(marked && marked.dur > 0 ? { from: marked.ts, to: marked.ts + marked.dur, tracks: null } : { from: Math.max(view.from, data.shift), to: Math.min(view.to, data.end), tracks: null });
		this.showArea();
	}

	clear() {
		this.select(-1);
		this.closeArea();
	}

	/* A click selects; on a name it unfolds, on the ruler it ends the area. */
	click(event) {
		if (this.isOnRuler(event))
			this.closeArea();
		else if (this.isOnTime(event))
			this.select(this.itemUnder(event));
		else
			this.toggleOpen(this.stripUnder(event));
	}

	/* To the work that a call launched, or to the call. */
	jump() {
		const other = otherEnd(this.data, this.selected);
		if (other >= 0)
			this.visit(other);
	}

	/* The state in the address of the page. */
	keep() {
		keepAddress(this);
	}

	/* Shows a stretch of time with as much around it as it is long, `times` in all. */
	fit(ts, dur, times) {
		const around = Math.max(dur, SHORTEST_NS) * (times - 1) / 2;
		this.view.show(ts - around, ts + dur + around);
	}

	fitSelected() {
		if (this.selected >= 0)
			this.fit(this.data.ts[this.selected], this.data.dur[this.selected], 1.5);
		this.refresh();
	}

	scrollBy(px) {
		this.stage.scrollTop += px;
	}

	/* Scrolls to the row of an item. */
	reveal(item) {
		this.unfold(item);
		const { track, row } = placeOf(this.data, item);
		const { strip, y } = stripOfRow(this.layout, track, row);
		const top = topOfStrip(strip, this.stage.scrollTop) + y;
		if (!strip.isPinned && (top < AXIS_PX + this.layout.pinned || top > this.stage.clientHeight - 2 * ROW_PX))
			this.stage.scrollTop = Math.max(0, strip.y + y - this.stage.clientHeight / 2);
	}

	select(item) {
		this.choose(item, item < 0 ? undefined : gapWith(this.data, item));
		showItem(this.panel, this.data, item, (other) => { this.visit(other); this.keep(); });
		this.showAnswer();
	}

	/* Marks an item, or the whole gap that it is a piece of. */
	choose(item, gap) {
		this.selected = item;
		this.other = otherEnd(this.data, item);
		this.marked = item < 0 ? null : gap ?? { ts: this.data.ts[item], dur: this.data.dur[item] };
		this.refresh();
	}

	/* Scrolls so that the picture and what is said below it are on the screen. */
	showAnswer() {
		if (this.selected >= 0 && this.panel.getBoundingClientRect().bottom > innerHeight)
			this.section.scrollIntoView({ block: "start" });
	}

	selectBeside(step) {
		if (this.selected < 0)
			return;
		const { row } = placeOf(this.data, this.selected);
		const next = this.selected + step;
		if (next >= row.first && next < row.last)
			this.visit(next);
	}

	/* Selects an item and moves so that it is seen. */
	visit(item) {
		const { ts, dur } = this.data;
		if (ts[item] < this.view.from || ts[item] + dur[item] > this.view.to)
			this.view.show(ts[item] + dur[item] / 2 - this.view.span / 2, ts[item] + dur[item] / 2 + this.view.span / 2);
		this.reveal(item);
		this.select(item);
	}

	searchFor(text) {
		this.found = labelsWith(this.data, text);
		this.matches = this.found ? itemsWith(this.data, this.found) : [];
		this.match = -1;
		this.status.textContent = this.found ? `${formatCount(this.matches.length)} found` : "";
		this.refresh();
	}

	nextMatch(step) {
		if (this.matches.length === 0)
			return;
		this.match = (this.match + step + this.matches.length) % this.matches.length;
		this.visit(this.matches[this.match]);
		this.status.textContent = `${formatCount(this.match + 1)} of ${formatCount(this.matches.length)}`;
	}

	/* From the longest gap to the next one. */
	nextGap() {
		if (this.gaps.length === 0)
			return;
		this.gap = ((this.gap ?? -1) + 1) % this.gaps.length;
		const gap = this.gaps[this.gap];
		this.fit(gap.ts, gap.dur, 3);
		this.reveal(gap.first);
		this.choose(gap.first, gap);
		showFacts(this.panel, gap.track.kind === "idle" ? "Idle" : nameAt(this.data, gap.first), describeGap(this.data, gap));
		this.section.scrollIntoView({ block: "start" });
		this.status.textContent = `gap ${formatCount(this.gap + 1)} of ${formatCount(this.gaps.length)}`;
	}

	hover(event) {
		this.pointerTime = event ? this.timeAt(event) : undefined;
		const strip = event ? this.stripUnder(event) : undefined;
		this.pointed = strip?.key;
		const isName = strip && !this.isOnTime(event);
		const item = event && event.buttons === 0 ? this.itemUnder(event) : -1;
		this.tip.hidden = item < 0 && !isName;
		if (this.tip.hidden)
			return;
		this.tip.textContent = isName ? `${nameOfStrip(strip)}\n${strip.opens || strip.folds ? "A click opens or folds it. " : ""}${strip.folds ? "" : "P pins it."}` : hoverText(this.data, item);
		const left = Math.min(event.clientX + 14, innerWidth - this.tip.offsetWidth - 8);
		const top = Math.min(event.clientY + 16, innerHeight - this.tip.offsetHeight - 8);
		this.tip.style.left = `${left}px`;
		this.tip.style.top = `${top}px`;
	}

	/* As high as its rows, up to a part of the window; a few pixels more are better than a picture that scrolls. */
	resize() {
		const most = Math.max(240, innerHeight * STAGE_PART);
		const height = this.layout.height < most * 1.04 ? this.layout.height : most;
		this.stage.style.height = `${height + 2}px`;
		this.painter.resize(this.stage.clientWidth, height);
		this.refresh();
	}

	/* What shows the same time is painted with it. */
	refresh() {
		for (const each of this.peers)
			each.refreshAlone();
	}

	refreshAlone() {
		if (this.waiting || !this.painter || this.section.hidden)
			return;
		this.waiting = true;
		requestAnimationFrame(() => this.paint());
	}

	paint() {
		this.waiting = false;
		this.painter.paint({ layout: this.layout, view: this.view, scroll: this.stage.scrollTop, selected: this.selected, marked: this.marked, other: this.other, area: this.area, found: this.found, path: this.path.checked });
		this.canvas.dataset.from = this.view.from;
		this.canvas.dataset.to = this.view.to;
		this.canvas.dataset.selected = this.selected;
		this.canvas.dataset.area = this.area ? writeRange(this.area) : "";
		if (this.beside.parentElement.open)
			fillBeside(this.beside, this.data, this.view);
	}
}

const nameOfStrip = (strip) => strip.track ? nameOf(strip.track) : strip.name;
