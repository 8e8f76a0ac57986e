/* What is known of an item, in words. */

function describeArgs(text) {
	try {
		return Object.entries(JSON.parse(text)).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
	} catch {
		return [["args", text]];
	}
}

/* Pairs of a word and a text. */
function describeItem(data, item) {
	const { track } = placeOf(data, item);
	const facts = [["on", nameOf(track)], ["starts at", formatNs(data.ts[item])], ["takes", formatNs(data.dur[item])]];
	if (data.more[item] > 0)
		facts.push(["slices", `${formatCount(data.more[item] + 1)} shorter than ${formatNs(data.least)}, merged; the longest has this name`]);
	if (data.args.has(item))
		facts.push(...describeArgs(data.args.get(item)));
	return facts;
}

function showItem(panel, data, item) {
	if (item < 0) {
		panel.replaceChildren(element("p", { className: "below" }, "Click a slice to see what is known of it."));
		return;
	}
	const list = element("dl");
	for (const [word, text] of describeItem(data, item))
		list.append(element("dt", {}, word), element("dd", {}, text));
	panel.replaceChildren(element("p", { className: "strong" }, data.labels[data.label[item]]), list);
}

/* Three lines beside the pointer. */
function hoverText(data, item) {
	return [data.labels[data.label[item]], ...describeItem(data, item).slice(1, 9).map(([word, text]) => `${word} ${text}`)].join("\n").slice(0, 600);
}
