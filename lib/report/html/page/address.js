/* The state of timelines in the address of the page, so that a link leads to what one sees: #view=0-150000&slice=12&area=5-10@3,4&pin=3,c1
 * in ns and numbers of items and strips. slice, area and pin say which timeline they are of when there are several: slice=1:12. */

const ADDRESS_MS = 400; /* browsers refuse an address that changes too often */

const isNumber = (text) => /^-?\d+$/.test(text);

/* "from-to", for an area with the keys of its tracks behind "@"; null where that is no range. */
function readRange(text) {
	const found = /^(-?\d+)-(-?\d+)(?:@([\d,]*))?$/.exec(text ?? "");
	return found && Number(found[1]) < Number(found[2]) ? { from: Number(found[1]), to: Number(found[2]), tracks: found[3] === undefined ? null : new Set(found[3].split(",")) } : null;
}

const writeRange = ({ from, to, tracks }) => `${Math.round(from)}-${Math.round(to)}${tracks ? `@${[...tracks].join(",")}` : ""}`;

function readAddress(hash) {
	return hash.includes("=") ? new Map(hash.slice(1).split("&").map((part) => part.split("=", 2))) : null;
}

/* The values of a key for a timeline: those behind its number and a colon; without one they are of the first. */
function valueFor(address, key, timeline) {
	const value = address.get(key);
	const found = /^(\d+):(.*)$/.exec(value ?? "");
	return Number(found?.[1] ?? 0) === timeline.number ? found?.[2] ?? value : undefined;
}

/* Applies what the address says; numbers that the page does not have are left out. */
function applyAddress(timeline, address) {
	const view = readRange(address.get("view"));
	const pins = valueFor(address, "pin", timeline), slice = valueFor(address, "slice", timeline) ?? "";
	if (view)
		timeline.view.show(view.from, view.to);
	if (pins !== undefined)
		timeline.setPins(pins.split(",").filter((pin) => /^c?\d+$/.test(pin)));
	timeline.setArea(readRange(valueFor(address, "area", timeline)));
	timeline.showArea();
	if (isNumber(slice) && Number(slice) >= 0 && Number(slice) < timeline.data.items)
		timeline.visit(Number(slice), true);
	else
		timeline.select(-1);
}

function writeAddress(timeline) {
	const of = timeline.number > 0 ? `${timeline.number}:` : "";
	const { view, selected, area, shown } = timeline;
	const parts = [`view=${writeRange(view)}`];
	if (selected >= 0)
		parts.push(`slice=${of}${selected}`);
	if (area)
		parts.push(`area=${of}${writeRange(area)}`);
	if (shown.pinned.length > 0)
		parts.push(`pin=${of}${shown.pinned.join(",")}`);
	return `#${[...parts, ...ticksOf(location.hash)].join("&")}`;
}

/* Writes the address a little after the last change. */
function keepAddress(timeline) {
	clearTimeout(keepAddress.timer);
	keepAddress.timer = setTimeout(() => history.replaceState(history.state, "", writeAddress(timeline)), ADDRESS_MS);
}

/* Follows the address now and when it changes. */
function followAddress(timelines) {
	const follow = async () => {
		const address = readAddress(location.hash);
		if (!["view", "slice", "area", "pin"].some((key) => address?.has(key)))
			return;
		clearTimeout(keepAddress.timer);
		const wanted = Math.max(...["slice", "area", "pin"].map((key) => Number(/^(\d+):/.exec(address.get(key) ?? "")?.[1] ?? 0)));
		if (timelines.sections[wanted]?.hidden)
			await timelines.showRank(wanted);
		for (const timeline of timelines.built.values())
			applyAddress(timeline, address);
		timelines.sections[wanted]?.scrollIntoView({ block: "start" });
	};
	on(window, "hashchange", follow);
	return follow();
}
