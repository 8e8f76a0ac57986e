/* Colours of the canvas. White text is readable on all fills; the rest follows the page's style. */

const FILLS = ["#3b6ea5", "#a85b00", "#2f7d7a", "#3f7d33", "#8a6d00", "#8a4f85", "#b0465a", "#74543f", "#5f6670", "#6a5acd"];
const CAUSES = {
	dataloader: "#b23a3a", input_copy: "#a85b00", compile: "#8a4f85", setup: "#74543f",
	graph_build: "#8a6d00", dispatch: "#3b6ea5", launch: "#2f7d7a", sync: "#b0465a",
	cpu_fallback: "#6a5acd", output_copy: "#995200", collective: "#3f7d33", host_other: "#5f6670",
	no_work: "#767b83", before_first_work: "#767b83", after_last_work: "#767b83", queued: "#4a7391", unknown: "#6e6e6e",
};

function hashOf(text) {
	let hash = 0;
	for (let i = 0; i < text.length; i++)
		hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
	return hash;
}

/* A fill for each label: a cause's own, else one by the name, so that it is the same in every page. */
function fillsOf(data) {
	return data.labels.map((name) => CAUSES[name] ?? FILLS[hashOf(name) % FILLS.length]);
}

function themeOf(node) {
	const style = getComputedStyle(node);
	const theme = {};
	for (const name of ["page", "card", "line", "text", "quiet", "bar", "focus", "mark"])
		theme[name] = style.getPropertyValue(`--${name}`).trim();
	return theme;
}
