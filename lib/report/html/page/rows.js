/* Rows of tables lead into the timeline of their trace: names of slices to the longest slice of that name, a step to the step,
 * and a gap, which tells when it starts and how long it is, to that time. */

const titlesOf = (table) => [...table.tHead?.rows[0].cells ?? []].map((cell) => cell.textContent);

/* Makes the text of a cell a button; what stands below the text stays. */
function makeLink(cell, words, action) {
	const text = [...cell.childNodes].find((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== "");
	if (!text)
		return;
	const link = element("button", { type: "button", className: "jump", title: words }, text.textContent);
	link.addEventListener("click", action);
	text.replaceWith(link);
}

/* The longest item of a label. */
function longestWith(data, label) {
	let best = -1;
	for (let i = 0; i < data.items; i++)
		if (data.label[i] === label && (best < 0 || data.dur[i] > data.dur[best]))
			best = i;
	return best;
}

/* Searches for a name, so that Enter goes on to others, and shows the longest of its slices. */
function showName(timeline, label) {
	const item = longestWith(timeline.data, label);
	if (item < 0)
		return;
	timeline.search.value = timeline.data.labels[label];
	timeline.searchFor(timeline.search.value);
	timeline.visit(item);
	timeline.fitSelected();
	showTimeline(timeline);
}

function showTimeline(timeline) {
	timeline.used = performance.now();
	timeline.section.scrollIntoView({ block: "start" });
	timeline.canvas.focus({ preventScroll: true });
	timeline.keep();
}

function showTime(timeline, ts, dur) {
	timeline.fit(ts + timeline.data.shift, dur, 3);
	timeline.select(-1);
	timeline.refresh();
	showTimeline(timeline);
}

function linkTable(timeline, table, labels) {
	const titles = titlesOf(table);
	const start = titles.indexOf("after start"), step = titles.indexOf("step");
	for (const row of table.tBodies[0].rows) {
		const cells = [...row.cells];
		if (start > 0)
			makeLink(cells[start], "Shows it in the timeline", () => showTime(timeline, Number(cells[start].dataset.v), Number(cells[0].dataset.v)));
		if (step >= 0) {
			const label = labels.get(`step ${parseInt(cells[step].textContent)}`);
			if (label !== undefined)
				makeLink(cells[step], "Shows the step in the timeline", () => showName(timeline, label));
		}
		for (const cell of cells.filter((each) => each.classList.contains("w"))) {
			const label = labels.get(cell.firstChild?.textContent ?? "");
			if (label !== undefined && timeline.data.roles[label] !== null)
				makeLink(cell, "Shows the longest of these slices in the timeline", () => showName(timeline, label));
		}
	}
}

/* The tables of the report that a timeline is part of; what the scripts of the page have made themselves is in sections. */
function linkTables(timeline) {
	const labels = new Map(timeline.data.labels.map((name, label) => [name, label]));
	for (const table of timeline.section.closest("article")?.querySelectorAll("table") ?? [])
		if (!table.closest("section, figure"))
			linkTable(timeline, table, labels);
}
