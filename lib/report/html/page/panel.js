/* What is known of an item, in words. */

const CAUSES_SHOWN = 3; /* of a gap */

function describeArgs(text) {
	try {
		return Object.entries(JSON.parse(text)).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
	} catch {
		return [["args", text]];
	}
}

const nameAt = (data, item) => data.labels[data.label[item]];
const causeOf = (data, name) => data.causes[name] ? `${data.causes[name]} (${name.replaceAll("_", " ")})` : name.replaceAll("_", " ");

/* The causes of a gap, the longest first, with the time of each. */
function causesOf(data, gap) {
	const sums = new Map();
	for (let i = gap.first; i < gap.last; i++)
		sums.set(nameAt(data, i), (sums.get(nameAt(data, i)) ?? 0) + data.dur[i]);
	return [...sums].sort((a, b) => b[1] - a[1]).map(([name, ns]) => `${causeOf(data, name)}, ${formatNs(ns)}`);
}

/* What is known of a whole gap: where its time went, what the host did meanwhile, what ended it. */
function describeGap(data, gap) {
	const end = gap.ts + gap.dur;
	const facts = [["on", `device ${gap.track.device}`], ["starts at", formatNs(gap.ts)], ["takes", formatNs(gap.dur)]];
	if (gap.track.kind === "idle")
		causesOf(data, gap).slice(0, CAUSES_SHOWN).forEach((text, i) => facts.push([i === 0 ? "cause" : "and", text]));
	else
		facts.push(["exposed", `${formatNs(gap.ns)} of it while nothing computes`]);
	const host = hostDuring(data, gap.ts, end);
	const share = (item) => `${nameAt(data, item)}, ${formatNs(overlapOf(data, item, gap.ts, end))} of it`;
	facts.push(["host", host ? `${share(host.item)}, on ${nameOf(host.track)}` : "nothing recorded for most of it"]);
	if (host?.inner >= 0)
		facts.push(["longest within", share(host.inner)]);
	const next = workAt(data, gap.track.device, end);
	if (next >= 0)
		facts.push(["ended by", `${nameAt(data, next)}, on ${nameOf(placeOf(data, next).track)}`]);
	return facts;
}

/* Pairs of a word and a text. */
function describeItem(data, item) {
	const gap = gapWith(data, item);
	if (gap)
		return describeGap(data, gap);
	const { track } = placeOf(data, item);
	const facts = [["on", nameOf(track)], ["starts at", formatNs(data.ts[item])], ["takes", formatNs(data.dur[item])]];
	if (data.more[item] > 0)
		facts.push(["slices", `${formatCount(data.more[item] + 1)} shorter than ${formatNs(data.least)}, merged; the longest has this name`]);
	if (data.args.has(item))
		facts.push(...describeArgs(data.args.get(item)));
	return facts;
}

const titleOf = (data, item) => gapWith(data, item) ? "Idle" : nameAt(data, item);

function showFacts(panel, title, facts) {
	const list = element("dl");
	for (const [word, text] of facts)
		list.append(element("dt", {}, word), element("dd", {}, text));
	panel.replaceChildren(element("p", { className: "strong" }, title), list);
}

function showItem(panel, data, item) {
	if (item < 0)
		panel.replaceChildren(element("p", { className: "below" }, "Click a slice to see what is known of it."));
	else
		showFacts(panel, titleOf(data, item), describeItem(data, item));
}

/* Three lines beside the pointer. */
function hoverText(data, item) {
	return [titleOf(data, item), ...describeItem(data, item).slice(1, 9).map(([word, text]) => `${word} ${text}`)].join("\n").slice(0, 600);
}
