/* Mouse and keyboard, as people know them from Perfetto: W A S D, wheel, drag, / for search. */

const KEYS = {
	a: (timeline) => timeline.view.pan(-0.15), ArrowLeft: (timeline) => timeline.view.pan(-0.15),
	d: (timeline) => timeline.view.pan(0.15), ArrowRight: (timeline) => timeline.view.pan(0.15),
	w: (timeline) => timeline.view.zoom(1.4, timeline.pointerTime), "+": (timeline) => timeline.view.zoom(1.4),
	s: (timeline) => timeline.view.zoom(1 / 1.4, timeline.pointerTime), "-": (timeline) => timeline.view.zoom(1 / 1.4),
	0: (timeline) => timeline.view.all(), Home: (timeline) => timeline.view.all(),
	ArrowUp: (timeline) => timeline.scrollBy(-60), ArrowDown: (timeline) => timeline.scrollBy(60),
	f: (timeline) => timeline.fitSelected(),
	",": (timeline) => timeline.selectBeside(-1), ".": (timeline) => timeline.selectBeside(1),
	"/": (timeline) => timeline.search.focus(),
	b: (timeline) => timeline.goBack(),
	g: (timeline) => timeline.nextGap(),
	Escape: (timeline) => timeline.select(-1),
};

function handleKey(timeline, event) {
	const action = KEYS[event.key];
	if (!action || event.ctrlKey || event.metaKey || event.altKey)
		return;
	event.preventDefault();
	action(timeline);
	timeline.refresh();
}

/* Keys that work anywhere on the page, where nobody types: those that lead to the timeline. */
const PAGE_KEYS = ["g", "b", "/"];

function handlePageKey(timeline, event) {
	const types = event.target.closest?.("input, select, textarea, canvas");
	if (!types && PAGE_KEYS.includes(event.key))
		handleKey(timeline, event);
}

/* With Ctrl the wheel zooms, sideways it moves in time, else the rows scroll. */
function handleWheel(timeline, event) {
	if (event.ctrlKey || event.metaKey)
		timeline.view.zoom(Math.exp(-event.deltaY * 0.0025), timeline.timeAt(event));
	else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
		timeline.view.pan((event.deltaX || event.deltaY) / timeline.painter.width);
	else
		return;
	event.preventDefault();
	timeline.refresh();
}

/* A drag moves the picture, a click selects. */
function handlePress(timeline, event) {
	const { canvas, view } = timeline;
	const start = { x: event.clientX, y: event.clientY, from: view.from, to: view.to, scroll: timeline.stage.scrollTop };
	let moved = false;
	const move = (next) => {
		const ns = (next.clientX - start.x) / timeline.pxPerNs;
		moved ||= Math.abs(next.clientX - start.x) + Math.abs(next.clientY - start.y) > 3;
		if (!moved)
			return;
		view.show(start.from - ns, start.to - ns);
		timeline.stage.scrollTop = start.scroll - (next.clientY - start.y);
		timeline.refresh();
	};
	const end = (next) => {
		canvas.removeEventListener("pointermove", move);
		canvas.removeEventListener("pointerup", end);
		canvas.removeEventListener("pointercancel", end);
		if (!moved)
			timeline.select(timeline.itemUnder(next));
	};
	canvas.setPointerCapture(event.pointerId);
	on(canvas, "pointermove", move);
	on(canvas, "pointerup pointercancel", end);
}

function listen(timeline) {
	const { canvas, stage } = timeline;
	canvas.addEventListener("keydown", (event) => handleKey(timeline, event));
	canvas.addEventListener("wheel", (event) => handleWheel(timeline, event), { passive: false });
	canvas.addEventListener("pointerdown", (event) => handlePress(timeline, event));
	canvas.addEventListener("pointermove", (event) => timeline.hover(event));
	canvas.addEventListener("pointerleave", () => timeline.hover(null));
	canvas.addEventListener("dblclick", () => timeline.fitSelected());
	stage.addEventListener("scroll", () => timeline.refresh());
	new ResizeObserver(() => timeline.resize()).observe(stage);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => timeline.resize());
}
