/* What is known of an item, in words. */

const CAUSES_SHOWN = 3; /* of a gap */

/* Args that say nothing, as "" and [[], []], are left out. */
const isEmpty = (value) => value === null || (typeof value !== "number" && typeof value !== "boolean" && !/[^[\]{},"\s]/.test(JSON.stringify(value)));

function describeArgs(text) {
	try {
		return Object.entries(JSON.parse(text)).filter(([, value]) => !isEmpty(value)).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
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
	return [...sums].sort((a, b) => b[1] - a[1]);
}

const largestCause = (data, gap) => causesOf(data, gap)[0][0];

/* What the host did during a gap. */
function describeHost(data, gap, word) {
	const end = gap.ts + gap.dur;
	const host = hostDuring(data, gap);
	const share = (item) => `${nameAt(data, item)}, ${formatNs(overlapOf(data, item, gap.ts, end))} of it`;
	const facts = [[word, host ? `${share(host.item)}, on ${nameOf(host.track)}` : "nothing recorded for most of it"]];
	if (host?.inner >= 0)
		facts.push(["longest within", share(host.inner)]);
	return facts;
}

/* A wait for the rank that arrives last: what that did meanwhile, if it is in the page. */
function describeWait(data, gap) {
	const rank = data.late.get(gap.first);
	const facts = [["cause", `rank ${rank} arrives last`]];
	if (data.apart > 0)
		facts.push(["but", `recordings start up to ${formatNs(data.apart)} apart, so this wait may be nothing else`]);
	const other = data.peers?.find((each) => each.rank === rank);
	if (other)
		facts.push(...describeHost(other, gap, `rank ${rank} then`));
	facts.push(["ended by", `rank ${rank} arrives, and the transfer begins`]);
	return facts;
}

/* What ended idle time, or a collective: the work that starts then. */
function describeEnd(data, gap) {
	const next = workAt(data, gap.track.device, gap.ts + gap.dur);
	return next >= 0 ? [["ended by", `${nameAt(data, next)}, on ${nameOf(placeOf(data, next).track)}`]] : [];
}

/* The findings about a gap: about its largest cause, or what the host did for most of it. */
function findingsOf(data, gap) {
	const host = hostDuring(data, gap);
	const names = [host ? nameAt(data, host.item) : "", gap.track.kind === "idle" ? largestCause(data, gap) : ""];
	return data.places.filter((place) => names.some((name) => place.about.includes(name)) && document.getElementById(place.id));
}

/* What is known of a whole gap: where its time went, what the host did meanwhile, what ended it, and where to read on. */
function describeGap(data, gap) {
	const facts = [["on", `device ${gap.track.device}`], ["starts at", formatNs(gap.ts)], ["takes", formatNs(gap.dur)]];
	if (gap.track.kind === "idle")
		causesOf(data, gap).slice(0, CAUSES_SHOWN).forEach(([name, ns], i) => facts.push([i === 0 ? "cause" : "and", `${causeOf(data, name)}, ${formatNs(ns)}`]));
	else
		facts.push(["exposed", `${formatNs(gap.ns)} of it while nothing computes`]);
	const isWait = data.late.has(gap.first);
	if (isWait)
		facts.push(...describeWait(data, gap));
	else if (gap.track.kind !== "idle")
		facts.push(["cause", data.knowsWaits ? "the transfer" : "the transfer, or a wait for another rank: one rank alone does not show which"]);
	facts.push(...describeHost(data, gap, "host"));
	if (!isWait)
		facts.push(...describeEnd(data, gap));
	for (const place of findingsOf(data, gap))
		facts.push(["finding", element("a", { href: `#${place.id}` }, place.title)]);
	return facts;
}

/* Pairs of a word and a text, or a link. With visit, which shows an item, also what it is among others. */
function describeItem(data, item, visit) {
	const gap = gapWith(data, item);
	if (gap)
		return describeGap(data, gap);
	const { track } = placeOf(data, item);
	const facts = [["on", nameOf(track)], ["starts at", formatNs(data.ts[item])], ["takes", formatNs(data.dur[item])]];
	if (data.more[item] > 0)
		facts.push(["slices", `${formatCount(data.more[item] + 1)} shorter than ${formatNs(data.least)}, merged; the longest has this name`]);
	if (visit)
		facts.push(...describeLaunch(data, item, visit), ...describeRank(data, item));
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

function showItem(panel, data, item, visit) {
	if (item < 0)
		panel.replaceChildren(element("p", { className: "below" }, "Click a slice to see what is known of it."));
	else
		showFacts(panel, titleOf(data, item), describeItem(data, item, visit));
}

/* Three lines beside the pointer. */
function hoverText(data, item) {
	return [titleOf(data, item), ...describeItem(data, item).slice(1, 9).map(([word, text]) => `${word} ${text.textContent ?? text}`)].join("\n").slice(0, 600);
}
