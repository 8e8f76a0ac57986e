/* The hero of a trace: tick a fix and see the step shrink. The table of fixes gets a tick for each fix of the plan; above it stand how
 * long a step takes with the ticked ones and two bars on one scale: what it waits for as recorded, and with them. All sets were replayed
 * when the trace was read. The address has the ticks: #fix=1,3; without it all are ticked. */

const HERO_KEYS = ["1", "2", "3", "4", "5"];
const LEAST_WORDS_PCT = 9; /* a narrower piece of a bar has its words in its title only */
/* What runs neither on the host nor on a device; and a bar of which only the length is known. */
const WAITS = { launch: "#3f5560", wake: "#7a5c5c", queue: CAUSES.queued };
const UNKNOWN = "#6b7078";
const NOTHING = "#454b54"; /* recorded on the host */

const bit = (i) => 2 ** i;

/* The place of a fix in the report, from 0. */
const numberOf = (row) => Number(row.cells[0].textContent) - 1;

/* Engines of devices have the colours of what they do. */
const ENGINES = { copy: "memory", dma: "memory", communication: "communication", nic: "communication", tpc: "pointwise" };

/* Words of the text report, without the article where they stand alone. */
function partLook(piece, name, words) {
	if (piece === "device")
		return { words, fill: shadeOf(ENGINES[name] ?? "matrix", "a") };
	if (piece === "host")
		return { words, fill: name === null ? NOTHING : CAUSES[name] ?? CAUSES.host_other };
	return { words, fill: WAITS[piece] ?? UNKNOWN };
}

/* The parts of the path of a set, largest first, as shares; null where it was not followed. */
function partsOf(data, mask) {
	const parts = new Map();
	for (const [of, piece, name, words, ns] of data.paths) {
		if (of !== mask)
			continue;
		const known = parts.get(words) ?? { ...partLook(piece, name, words), ns: 0 };
		known.ns += ns;
		parts.set(words, known);
	}
	const all = [...parts.values()].reduce((sum, part) => sum + part.ns, 0);
	return all > 0 ? [...parts.values()].map((part) => ({ ...part, pct: 100 * part.ns / all })).sort((a, b) => b.pct - a.pct) : null;
}

/* A stacked bar as wide as its share of the recorded time. */
function fillBar(bar, parts, ns, whole) {
	const pieces = parts ?? [{ words: "this set was replayed for its length alone", pct: 100, fill: UNKNOWN, isWhole: true }];
	bar.replaceChildren(...pieces.map(({ words, pct, fill, isWhole }) => {
		const text = isWhole ? words : `${bare(words)} ${formatShare(pct)}`;
		const piece = element("span", { title: isWhole ? words : `${words}: ${formatNs(ns * pct / 100)}, ${formatShare(pct)}` }, pct * ns / whole >= LEAST_WORDS_PCT ? text : "");
		piece.style.width = `${pct}%`;
		piece.style.background = fill;
		return piece;
	}));
	bar.style.width = `${Math.max(0.5, 100 * ns / whole)}%`;
	bar.ariaLabel = `${formatNs(ns)}: ${pieces.map(({ words, pct, isWhole }) => isWhole ? words : `${words} ${pct.toFixed(1)} %`).join(", ")}`;
}

class Hero {
	constructor(node, number) {
		this.node = node;
		this.number = number;
		this.data = JSON.parse(node.dataset.fixes);
		this.count = Math.log2(this.data.left.length);
		this.whole = this.data.left[0];
		this.unit = this.data.steps ? " a steady step" : " for the run";
		this.table = node.parentElement.querySelector("a[href^='#finding-']").closest("table");
		/* The table leaves out fixes that add nothing: they have no tick, and are never made. */
		this.shown = [...this.table.tBodies[0].rows].map(numberOf).filter((i) => i < this.count);
		this.all = this.shown.reduce((mask, i) => mask + bit(i), 0);
		this.build();
		this.enrich();
		this.mask = this.all;
	}

	/* The path of all fixes is that of all ticks: what has no tick leaves it as long. */
	pathOf(mask) {
		return partsOf(this.data, mask === this.all ? this.data.left.length - 1 : mask);
	}

	build() {
		const line = (words, ns) => element("div", { className: "label" }, element("span", {}, words), ns);
		const bar = () => element("div", { className: "stack", role: "img" });
		const recorded = bar(), end = element("span", {}, formatNs(this.whole));
		this.bar = bar();
		this.then = element("b", { className: "gain" });
		this.factor = element("span");
		this.end = element("span");
		const what = this.data.steps ? "a step" : "the run";
		const parts = partsOf(this.data, 0);
		fillBar(recorded, parts, this.whole, this.whole);
		const shown = (parts ?? []).concat(this.pathOf(this.all) ?? []).filter(({ pct }) => pct >= 1);
		this.node.append(
			element("p", { className: "headline", ariaLive: "polite" }, element("b", {}, formatNs(this.whole)), `${this.unit} \u2192 `, this.then, " ", this.factor),
			line(`What ${what} waits for, as recorded`, end), recorded, line("\u2026 with the ticked fixes: a replay of this recording", this.end), this.bar,
			legendOf([...new Map(shown.map(({ fill, words }) => [bare(words), fill]))].map(([words, fill]) => [fill, words])));
		this.node.parentElement.querySelector("p.strong").after(this.node, this.table.parentElement);
	}

	/* Ticks, how sure each finding is and what it is about. */
	enrich() {
		this.table.classList.add("fixes");
		this.ticks = [];
		[...this.table.tBodies[0].rows].forEach((row) => {
			const i = numberOf(row);
			const [sure, about] = this.data.fixes[i];
			const words = row.cells[1], place = words.querySelector(".below");
			words.querySelector("a").after(" ", element("span", { className: `sure ${sure}`, title: "How sure it is that the finding is right" }, sure));
			if (about)
				place?.before(element("div", { className: "about" }, about));
			if (i >= this.count)
				return;
			const tick = element("input", { type: "checkbox", ariaLabel: `Fix ${i + 1}: ${words.querySelector("a").textContent}` });
			on(tick, "change", () => this.toggle(i));
			row.cells[0].replaceChildren(element("label", {}, tick, `${i + 1}`));
			this.ticks.push({ i, tick, added: row.cells[3], left: row.cells[4], bar: row.querySelector("td.bar rect") });
		});
	}

	toggle(i) {
		this.show(this.mask ^ bit(i));
		history.pushState(history.state, "", withTicks(location.hash, this));
	}

	show(mask) {
		const { left } = this.data, ns = left[mask], parts = this.pathOf(mask);
		this.mask = mask;
		this.then.textContent = formatNs(ns);
		this.factor.textContent = `${(this.whole / Math.max(1, ns)).toFixed(2)} x as fast${parts && mask ? `; then on the critical path: ${parts[0].words} ${formatShare(parts[0].pct)}` : ""}`;
		this.end.textContent = formatNs(ns);
		fillBar(this.bar, parts, ns, this.whole);
		this.ticks.forEach((row) => this.showRow(row));
	}

	/* A ticked fix: what it takes off beside the ticked ones above it. Another: what it would take off besides. */
	showRow({ i, tick, added, left, bar }) {
		const sets = this.data.left, isOn = Math.floor(this.mask / bit(i)) % 2 === 1;
		const before = isOn ? this.mask % bit(i) : this.mask, after = before + bit(i), ns = sets[before] - sets[after];
		tick.checked = isOn;
		added.textContent = ns > 0 ? `${isOn ? "" : "+ "}${formatNs(ns)}` : "nothing";
		added.dataset.v = ns;
		added.classList.toggle("gain", isOn && ns > 0);
		left.textContent = formatNs(sets[after]);
		left.dataset.v = sets[after];
		bar.setAttribute("width", (100 * ns / this.whole).toFixed(2));
		tick.closest("tr").classList.toggle("off", !isOn);
	}

	/* The numbers of the ticked fixes. */
	written() {
		return this.ticks.map(({ i }) => i + 1).filter((number) => Math.floor(this.mask / bit(number - 1)) % 2 === 1).join(",");
	}

	/* The set that an address asks for: fixes of other numbers are left out. */
	read(text) {
		if (text === undefined)
			return this.all;
		return [...new Set(text.split(",").map(Number))].filter((number) => this.shown.includes(number - 1)).reduce((mask, number) => mask + bit(number - 1), 0);
	}
}

/* The address with the ticks of a hero in place of its old ones; of several heroes the key has the number. */
function withTicks(hash, hero) {
	const key = hero.number > 0 ? `fix${hero.number}` : "fix";
	const parts = hash.includes("=") ? hash.slice(1).split("&").filter((part) => part.split("=", 1)[0] !== key) : [];
	if (hero.mask !== hero.all)
		parts.push(`${key}=${hero.written()}`);
	return parts.length > 0 ? `#${parts.join("&")}` : location.href.split("#")[0];
}

/* The part of an address that says which fixes are ticked. */
const ticksOf = (hash) => hash.slice(1).split("&").filter((part) => /^fix\d*=/.test(part));

function startHeroes() {
	const heroes = [...document.querySelectorAll(".hero")].map((node, i) => new Hero(node, i));
	const follow = () => {
		const address = readAddress(location.hash);
		if (location.hash === "" || address)
			heroes.forEach((hero, i) => hero.show(hero.read(address?.get(i > 0 ? `fix${i}` : "fix"))));
	};
	on(window, "popstate hashchange", follow);
	heroes.forEach((hero) => hero.show(hero.all));
	follow();
	on(document, "keydown", (event) => {
		const i = HERO_KEYS.indexOf(event.key);
		const types = event.target.closest?.("input:not([type=checkbox]), select, textarea, dialog");
		if (types || event.ctrlKey || event.metaKey || event.altKey || !heroes[0]?.shown.includes(i))
			return;
		event.preventDefault();
		heroes[0].toggle(i);
	});
}

startHeroes();
