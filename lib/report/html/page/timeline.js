/* A timeline: the picture with its tools, what is selected, and the ways to and from findings. */

const HELP = "W S or Ctrl+wheel zoom, A D or drag move, F fits the selection, 0 shows all, comma and dot step from slice to slice. Anywhere on the page, / searches, G shows the longest gap and then the next, B goes back to the finding.";

class Timeline {
	constructor(section, data, linked) {
		this.section = section;
		this.data = data;
		this.view = linked?.view ?? new View(data.span);
		this.peers = linked?.peers ?? [];
		this.peers.push(this);
		this.layout = layOut(data);
		this.selected = -1;
		this.found = null;
		this.matches = [];
		this.used = 0;
		this.build();
		this.painter = new Painter(this.canvas, data, this.layout);
		this.buildPlaces();
		listen(this);
		section.addEventListener("pointerdown", () => { this.used = performance.now(); });
		this.resize();
	}

	build() {
		this.canvas = element("canvas", { tabIndex: 0, ariaLabel: "Timeline of the trace. The table below it has the longest slices in view." });
		this.canvas.setAttribute("role", "application");
		this.stage = element("div", { className: "stage" }, element("div", { className: "sizer" }, this.canvas));
		this.tip = element("div", { className: "tip", hidden: true });
		this.panel = element("div", { className: "panel" });
		this.panel.setAttribute("aria-live", "polite");
		this.beside = element("div", { className: "scroll", tabIndex: 0 });
		const table = element("details", {}, element("summary", {}, "The same as a table: the longest slices in view"), this.beside);
		table.addEventListener("toggle", () => this.refresh());
		this.stage.firstChild.style.height = `${this.layout.height}px`;
		this.section.append(this.buildTools(), this.buildLegend(), this.stage, this.tip, this.panel, table, element("p", { className: "below" }, HELP));
		if (this.data.least > 0)
			table.after(element("p", { className: "below" }, `Slices shorter than ${formatNs(this.data.least)} are merged, but not in the longest step, a usual one, and around findings.`));
		showItem(this.panel, this.data, -1);
	}

	buildTools() {
		const button = (text, title, action) => {
			const made = element("button", { type: "button", title }, text);
			made.addEventListener("click", () => { action(); this.refresh(); });
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
		this.gapButton = button("Longest gap", "The longest time in which a device computes nothing. G, and again for the next one", () => this.nextGap());
		this.gapButton.hidden = !this.data.tracks.some((track) => ["idle", "collective"].includes(track.kind) && track.rows.length > 0);
		this.path = element("input", { type: "checkbox", checked: true });
		on(this.path, "change", () => this.refresh());
		const path = element("label", { hidden: !this.data.tracks.some((track) => track.kind === "path" && track.rows.length > 0) }, this.path, " Critical path");
		return element("div", { className: "tools" }, this.search, button("Next", "The next slice found", () => this.nextMatch(1)), this.status, this.buildSteps(),
			button("+", "Zoom in", () => this.view.zoom(2)), button("\u2212", "Zoom out", () => this.view.zoom(0.5)), button("All", "Show all", () => this.view.all()), this.gapButton, path, this.back);
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
		});
		return select;
	}

	buildLegend() {
		const causes = new Set();
		for (const track of this.data.tracks.filter((each) => each.kind === "idle"))
			for (const row of track.rows)
				for (let i = row.first; i < row.last; i++)
					causes.add(this.data.labels[this.data.label[i]]);
		const legend = element("p", { className: "legend" }, causes.size > 0 ? "Idle time by cause: " : "");
		for (const cause of [...causes].sort()) {
			const swatch = element("span", { className: "swatch" });
			swatch.style.background = CAUSES[cause] ?? CAUSES.unknown;
			legend.append(swatch, `${cause.replaceAll("_", " ")} `);
		}
		return legend;
	}

	/* A button in each finding that shows where it is worst. */
	buildPlaces() {
		for (const place of this.data.places) {
			const card = document.getElementById(place.id);
			if (!card)
				continue;
			if (place.track === undefined) {
				card.querySelector("summary").after(element("p", { className: "below" }, "It has no place of its own in the timeline."));
				continue;
			}
			const button = element("button", { type: "button", className: "show" }, "Show the worst place in the timeline");
			button.addEventListener("click", () => this.goTo(place, card));
			card.querySelector("summary").after(button);
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
		return (this.painter.width - NAMES_PX) / this.view.span;
	}

	timeAt(event) {
		return this.view.from + (event.clientX - this.canvas.getBoundingClientRect().left - NAMES_PX) / this.pxPerNs;
	}

	itemUnder(event) {
		const y = event.clientY - this.canvas.getBoundingClientRect().top + this.stage.scrollTop;
		if (y - this.stage.scrollTop < AXIS_PX)
			return -1;
		return itemAt(this.data, this.layout, this.view, { time: this.timeAt(event), y }, this.pxPerNs);
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
		const { track, row } = placeOf(this.data, item);
		const y = topOf(this.layout, track, row);
		if (y < this.stage.scrollTop + AXIS_PX || y > this.stage.scrollTop + this.stage.clientHeight - 2 * ROW_PX)
			this.stage.scrollTop = Math.max(0, y - this.stage.clientHeight / 2);
	}

	select(item) {
		this.choose(item, item < 0 ? undefined : gapWith(this.data, item));
		showItem(this.panel, this.data, item);
		this.showAnswer();
	}

	/* Marks an item, or the whole gap that it is a piece of. */
	choose(item, gap) {
		this.selected = item;
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
		const item = event && event.buttons === 0 ? this.itemUnder(event) : -1;
		this.tip.hidden = item < 0;
		if (item < 0)
			return;
		this.tip.textContent = hoverText(this.data, item);
		const left = Math.min(event.clientX + 14, innerWidth - this.tip.offsetWidth - 8);
		const top = Math.min(event.clientY + 16, innerHeight - this.tip.offsetHeight - 8);
		this.tip.style.left = `${left}px`;
		this.tip.style.top = `${top}px`;
	}

	resize() {
		const height = Math.min(this.layout.height, Math.max(240, innerHeight * 0.58));
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
		if (this.waiting || !this.painter)
			return;
		this.waiting = true;
		requestAnimationFrame(() => this.paint());
	}

	paint() {
		this.waiting = false;
		this.painter.paint({ view: this.view, scroll: this.stage.scrollTop, selected: this.selected, marked: this.marked, found: this.found, path: this.path.checked });
		this.canvas.dataset.from = this.view.from;
		this.canvas.dataset.to = this.view.to;
		this.canvas.dataset.selected = this.selected;
		if (this.beside.parentElement.open)
			fillBeside(this.beside, this.data, this.view);
	}
}

/* The timeline that somebody used last, at first that with the longest gap. */
function lastUsed(timelines) {
	const longest = (timeline) => timeline.gaps[0]?.ns ?? 0;
	return timelines.reduce((best, each) => each.used > best.used || (each.used === best.used && longest(each) > longest(best)) ? each : best);
}

async function startTimelines() {
	const sections = [...document.querySelectorAll("section.timeline")];
	const all = await Promise.all(sections.map((section) => loadTimeline(section.querySelector("script").textContent)));
	const isLinked = (i) => sections[i].dataset.linked !== undefined;
	const together = all.filter((_, i) => isLinked(i));
	for (const data of together)
		data.peers = together;
	const linked = { view: new View(Math.max(1, ...together.map((data) => data.end))), peers: [] };
	const timelines = sections.map((section, i) => new Timeline(section, all[i], isLinked(i) ? linked : undefined));
	if (timelines.length > 0)
		document.addEventListener("keydown", (event) => handlePageKey(lastUsed(timelines), event));
	document.body.dataset.ready = "yes";
}

startTimelines();
