/* The critical path as a line through the picture: along the thread or lane that the run waits for, and
 * straight from one to the other in between. */

/* The height of the line for each label of the path, which is the name of a track; undefined where it is on its
 * way. */
function pathHeights(data, layout) {
	const heights = new Map();
	for (const { track, y, rowPx, isPinned } of layout.strips)
		if (!isPinned && (track?.kind === "host" || track?.kind === "lane") && !heights.has(nameOf(track)))
			heights.set(nameOf(track), y + rowPx - 2); /* below the names */
	return data.labels.map((name) => heights.get(name));
}

const PATH_LEAST_PX = 1.5; /* shorter pieces would hide what is below the line */

function tracePath(context, painter, row, heights) {
	const { data, state: { view, scroll } } = painter;
	context.beginPath();
	for (let i = Math.max(row.first, firstFrom(data, row, view.from) - 2); i < row.last && data.ts[i] < view.to + view.span / 10; i++) {
		const height = heights[data.label[i]];
		const left = painter.x(data.ts[i]), right = painter.x(data.ts[i] + data.dur[i]);
		if (height === undefined || right - left < PATH_LEAST_PX)
			continue;
		context.lineTo(left, height - scroll);
		context.lineTo(right, height - scroll);
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
	context.rect(painter.left, painter.top, painter.width - painter.left, painter.height - painter.top);
	context.clip();
	context.strokeStyle = painter.theme.mark;
	context.lineWidth = 2;
	tracePath(context, painter, row, painter.heights);
	context.restore();
}
