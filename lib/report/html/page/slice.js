/* What a slice is among others: the call that launched it or the work that it launched, and how long it takes
 * beside all slices of its name. */

const BINS = 24;

/* The other end of the launch of an item: the call, or the first work; -1 for none. */
const otherEnd = (data, item) => item < 0 ? -1 : data.launch[item] >= 0 ? data.launch[item] : launchedBy(data, item)[0] ?? -1;

/* A link to an item; visit is what a click does. */
function linkTo(data, item, visit) {
	const link = element("button", { type: "button", className: "jump", title: "Shows it. J leads there and back" }, nameAt(data, item));
	link.addEventListener("click", () => visit(item));
	return link;
}

/* How it was launched, and what it launched. */
function describeLaunch(data, item, visit) {
	const facts = [];
	const call = data.launch[item], queued = data.queued[item];
	if (queued >= 0) {
		const words = `${formatNs(data.ahead[item])} before, ${formatCount(queued)} queued`;
		facts.push(["launched", call >= 0 ? element("span", {}, "by ", linkTo(data, call, visit), ` on ${nameOf(placeOf(data, call).track)}, ${words}`) : words]);
	}
	const launched = launchedBy(data, item);
	if (launched.length > 0) {
		const first = launched[0];
		facts.push(["launches", element("span", {}, linkTo(data, first, visit), ` on ${nameOf(placeOf(data, first).track)}, ${formatNs(data.ahead[first])} later`,
			launched.length > 1 ? `, and ${formatCount(launched.length - 1)} more` : "")]);
	}
	return facts;
}

/* The lengths of all single slices of a name on tracks of one kind, the longest first. */
function lengthsOf(data, label, kind) {
	const lengths = [];
	for (const track of data.tracks)
		for (const row of track.kind === kind ? track.rows : [])
			for (let i = row.first; i < row.last; i++)
				if (data.label[i] === label && data.more[i] === 0)
					lengths.push(data.dur[i]);
	return Float64Array.from(lengths).sort().reverse();
}

/* Counts of lengths in bins, each a constant factor wider than the one before. */
function binsOf(lengths) {
	const least = Math.max(1, lengths.at(-1)), factor = Math.max(1e-9, Math.log(Math.max(1, lengths[0]) / least)) / BINS;
	const binOf = (length) => Math.min(BINS - 1, Math.floor(Math.log(Math.max(1, length) / least) / factor));
	const counts = new Array(BINS).fill(0);
	for (const length of lengths)
		counts[binOf(length)]++;
	return { counts, binOf };
}

function drawBins({ counts, binOf }, length, words) {
	const most = Math.max(...counts);
	const picture = drawing("svg", { class: "bins", viewBox: `0 0 ${BINS * 8} 40`, role: "img", "aria-label": words });
	counts.forEach((count, i) => {
		const height = count > 0 ? Math.max(2, 38 * count / most) : 0;
		picture.append(drawing("rect", { x: i * 8, y: 40 - height, width: 7, height, class: i === binOf(length) ? "this" : "" }));
	});
	return picture;
}

const ordinal = (place) => `${formatCount(place)}${["th", "st", "nd", "rd"][place % 100 > 10 && place % 100 < 14 ? 0 : place % 10] ?? "th"}`;

/* Its place among the slices of its name, and a histogram of how long they take. */
function describeRank(data, item) {
	if (data.more[item] > 0)
		return [];
	const lengths = lengthsOf(data, data.label[item], placeOf(data, item).track.kind);
	if (lengths.length < 3 || lengths[0] === lengths.at(-1))
		return lengths.length > 1 ? [["among", `${formatCount(lengths.length)} of this name`]] : [];
	const longer = lengths.findIndex((length) => length <= data.dur[item]);
	const at = (share) => formatNs(lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * (1 - share)))]);
	const merged = data.least > 0 ? " that are not merged" : "";
	const words = `${longer === 0 ? "the longest" : `${ordinal(longer + 1)} longest`} of ${formatCount(lengths.length)} of this name${merged}: from ${formatNs(lengths.at(-1))}, p50 ${at(0.5)}, p95 ${at(0.95)}, to ${formatNs(lengths[0])}`;
	return [["among", element("div", {}, words, drawBins(binsOf(lengths), data.dur[item], `Histogram: ${words}`))]];
}
