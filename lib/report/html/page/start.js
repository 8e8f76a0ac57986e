/* The timelines of a page. Those of ranks that are hidden at first are unpacked when a cell of the steps of ranks is clicked. */

const SHOWN_RANKS = 2; /* the two that were asked for last */

class Timelines {
	constructor(sections) {
		this.sections = sections;
		this.built = new Map(); /* by the number of the section */
		this.linked = { view: new View(1), peers: [] };
		this.together = [];
		this.ranks = sections.flatMap((section, i) => section.dataset.rank === undefined || section.hidden ? [] : [i]);
	}

	get shown() {
		return [...this.built.values()].filter(({ section }) => !section.hidden);
	}

	/* Unpacks and draws those with these numbers. */
	async build(numbers) {
		const missing = numbers.filter((i) => !this.built.has(i));
		const read = await Promise.all(missing.map((i) => loadTimeline(this.sections[i].querySelector("script").textContent)));
		missing.forEach((i, k) => !this.built.has(i) && this.add(i, read[k]));
	}

	add(number, data) {
		const section = this.sections[number], isLinked = section.dataset.linked !== undefined;
		if (isLinked) {
			this.together.push(data);
			data.peers = this.together;
			this.linked.view.reach(data.end);
		}
		section.hidden = false;
		this.built.set(number, new Timeline(section, data, number, isLinked ? this.linked : undefined));
		linkTables(this.built.get(number));
	}

	/* Shows the rank of a section beside the one that was asked for before it. */
	async showRank(number) {
		await this.build([number]);
		this.ranks = [number, ...this.ranks.filter((each) => each !== number)].slice(0, SHOWN_RANKS);
		for (const [i, { section }] of this.built)
			section.hidden = section.dataset.rank !== undefined && !this.ranks.includes(i);
		for (const timeline of this.shown)
			timeline.relayout();
		return this.built.get(number);
	}

	async showStep({ rank, step }) {
		const number = this.sections.findIndex((section) => section.dataset.rank === `${rank}`);
		if (number < 0)
			return;
		const timeline = await this.showRank(number), { data } = timeline;
		const row = data.tracks.find((track) => track.kind === "steps")?.rows[0];
		timeline.used = performance.now();
		for (let i = row?.first ?? 0; i < (row?.last ?? 0); i++)
			if (data.labels[data.label[i]] === `step ${step}`) {
				timeline.fit(data.ts[i], data.dur[i], 1.1);
				timeline.select(i);
			}
		timeline.section.scrollIntoView({ block: "start" });
		timeline.keep();
	}

	/* The one that somebody used last, at first that with the longest gap. */
	get last() {
		const longest = (timeline) => timeline.gaps[0]?.ns ?? 0;
		return this.shown.reduce((best, each) => each.used > best.used || (each.used === best.used && longest(each) > longest(best)) ? each : best);
	}
}

async function startTimelines() {
	const timelines = new Timelines([...document.querySelectorAll("section.timeline")]);
	await timelines.build(timelines.sections.flatMap((section, i) => section.hidden ? [] : [i]));
	await followAddress(timelines);
	on(document, "pick-step", ({ detail }) => timelines.showStep(detail));
	if (timelines.built.size > 0)
		document.addEventListener("keydown", (event) => handlePageKey(timelines.last, event));
	document.body.dataset.ready = "yes";
}

startTimelines();
