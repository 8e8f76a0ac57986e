/* Colours of the canvas. A slice has the colour of its role, pale hues whose lightness tells names apart; the strong
 * colours are those of causes of idle time and stand for nothing else. White text is readable on all of them. */

const CAUSES = {
	dataloader: "#b23a3a", input_copy: "#a85b00", compile: "#8a4f85", setup: "#74543f",
	graph_build: "#8a6d00", dispatch: "#1f66b8", launch: "#0d7a80", sync: "#c2255c",
	cpu_fallback: "#6a4bd8", output_copy: "#9a4a1c", collective: "#2f7d22", host_other: "#6b5b95",
	no_work: "#6b7078", before_first_work: "#6b7078", after_last_work: "#6b7078", queued: "#2b7a5b", unknown: "#6e6e6e",
	host_pause: "#8c4a00", unrecorded: "#6e6e6e", others: "#6e6e6e",
};

/* Families of roles: words for the legend, hue and saturation. */
const FAMILIES = {
	matrix: ["matrix products, convolutions, attention", 222, 26],
	pointwise: ["element by element, norms, reductions", 190, 24],
	memory: ["copies, fills, indexing", 48, 22],
	communication: ["communication", 285, 20],
	kernel: ["other device work", 215, 8],
	operator: ["operators", 250, 18],
	runtime: ["runtime calls", 25, 16],
	loader: ["data loader", 340, 18],
	python: ["Python", 130, 10],
	other: ["other host code", 0, 0],
	step: ["steps", 215, 12],
};
const FAMILY_OF = {
	matrix: "matrix", convolution: "matrix", attention: "matrix", communication: "communication", collective: "communication",
	copy: "memory", memset: "memory", transpose: "memory", index: "memory", embedding: "memory", input_copy: "memory", output_copy: "memory",
	kernel: "kernel", dispatch: "operator", cpu_fallback: "operator", graph_build: "runtime", compile: "runtime", launch: "runtime", sync: "runtime",
	setup: "runtime", dataloader: "loader", python: "python", other: "other",
};

const LIGHTEST_PCT = 40; /* white text has 4.5 : 1 on it */
const SHADES = 6;

function hashOf(text) {
	let hash = 0;
	for (let i = 0; i < text.length; i++)
		hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
	return hash;
}

/* The family of a label; every class of kernels without one of its own works element by element. Names that no slice
 * has are those of steps, of collectives, which several lanes carry at once, and of causes. */
function familyOf(data, label) {
	data.collectives ??= new Set(labelsOn(data, "collective"));
	const role = data.roles[label];
	if (role === null)
		return data.collectives.has(label) ? "communication" : "step";
	return FAMILY_OF[role] ?? "pointwise";
}

/* The shade of a name within its family, so that it is one colour in every page. */
function shadeOf(family, name) {
	const [, hue, saturation] = FAMILIES[family];
	return `hsl(${hue} ${saturation}% ${LIGHTEST_PCT - 2.5 * (hashOf(name) % SHADES)}%)`;
}

/* A fill for each label: that of its cause where it is one, else a shade of its role. */
function fillsOf(data) {
	return data.labels.map((name, label) => (data.roles[label] === null ? CAUSES[name] : undefined) ?? shadeOf(familyOf(data, label), name));
}

function themeOf(node) {
	const style = getComputedStyle(node);
	const theme = {};
	for (const name of ["page", "card", "line", "text", "quiet", "bar", "focus", "mark"])
		theme[name] = style.getPropertyValue(`--${name}`).trim();
	return theme;
}
