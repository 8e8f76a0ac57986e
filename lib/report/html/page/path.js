/* The critical path as a line through the picture: along the first thread while it is on the host, along the
 * first lane of a device while that works, and straight from one to the other in between. */

/* The height of the line for each label of the path; undefined where it is on its way. */
function pathHeights(data, layout) {
	const heightOf = (strip) => strip && strip.y + strip.rowPx - 2; /* below the names */
	const heights = new Map([["host", heightOf(layout.strips.find((strip) => strip.track?.kind === "host"))]]);
	for (const strip of layout.strips)
		if (strip.track?.kind === "lane" && !heights.has(`device ${strip.track.device}`))
			heights.set(`device ${strip.track.device}`, heightOf(strip));
	return data.labels.map((name) => heights.get(name));
}

function tracePath(context, painter, row, heights) {
	const { data, state: { view, scroll } } = painter;
	let last = -Infinity;
	context.beginPath();
	for (let i = Math.max(row.first, firstFrom(data, row, view.from) - 2); i < row.last && data.ts[i] < view.to + view.span / 10; i++) {
		const height = heights[data.label[i]];
		const left = painter.x(data.ts[i]), right = painter.x(data.ts[i] + data.dur[i]);
		if (height === undefined || right - last < 0.5)
			continue;
		context.lineTo(left, height - scroll);
		context.lineTo(right, height - scroll);
		last = right;
	}
	context.stroke();
}

function paintPath(painter) {
	const row = painter.data.tracks.find((track) => track.kind === "path")?.rows[0];
	if (!row)
		return;
	const { context } = painter;
	painter.heights ??= pathHeights(painter.data, painter.layout);
	context.save();
	context.beginPath();
	context.rect(NAMES_PX, AXIS_PX, painter.width - NAMES_PX, painter.height - AXIS_PX);
	context.clip();
	context.strokeStyle = painter.theme.mark;
	context.lineWidth = 2;
	tracePath(context, painter, row, painter.heights);
	context.restore();
}
