/* Mouse, fingers and wheel, as people know them from Perfetto. */

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
	timeline.keep();
}

/* Moves the picture with the pointer. */
function dragView(timeline, start) {
	const { from, to } = timeline.view, scroll = timeline.stage.scrollTop;
	return (event) => {
		const ns = (event.clientX - start.clientX) / timeline.pxPerNs;
		timeline.view.show(from - ns, to - ns);
		if (event.pointerType === "mouse")
			timeline.stage.scrollTop = scroll - (event.clientY - start.clientY);
		timeline.refresh();
	};
}

/* Selects what lies between the first and the current point: on the ruler all tracks, else those in between. */
function dragArea(timeline, start) {
	const isRuler = timeline.isOnRuler(start);
	const time = timeline.timeAt(start);
	return (event) => timeline.setArea({ from: Math.min(time, timeline.timeAt(event)), to: Math.max(time, timeline.timeAt(event)), tracks: isRuler ? null : timeline.tracksBetween(start, event) }, true);
}

/* Two fingers zoom around the middle between them. */
function pinch(timeline, down) {
	const [first, second] = [...down.keys()];
	const xs = () => [down.get(first).clientX, down.get(second).clientX];
	const apart = () => Math.max(20, Math.abs(xs()[0] - xs()[1]));
	const { from, to } = timeline.view, start = apart();
	const time = timeline.timeAt({ clientX: (xs()[0] + xs()[1]) / 2 });
	return () => {
		timeline.view.show(from, to);
		timeline.view.zoom(apart() / start, time);
		timeline.refresh();
	};
}

const MOVED_PX = 3;

/* One pointer drags or, without moving, clicks; a second one makes it a pinch. A finger that moves up or down scrolls the page: the
 * browser then takes the pointer away. */
class Pointers {
	constructor(timeline) {
		this.timeline = timeline;
		this.down = new Map();
	}

	press(event) {
		this.down.set(event.pointerId, event);
		this.timeline.canvas.setPointerCapture(event.pointerId);
		this.start = event;
		this.moved = this.down.size > 1;
		this.isArea = !this.moved && (this.timeline.isOnRuler(event) || event.shiftKey);
		this.drag = this.moved ? pinch(this.timeline, this.down) : (this.isArea ? dragArea : dragView)(this.timeline, event);
	}

	move(event) {
		if (!this.down.has(event.pointerId))
			return;
		this.down.set(event.pointerId, event);
		this.moved ||= Math.abs(event.clientX - this.start.clientX) + Math.abs(event.clientY - this.start.clientY) > MOVED_PX;
		if (this.moved && this.drag)
			this.drag(event);
	}

	/* isTaken: the browser scrolls with it. */
	release(event, isTaken) {
		if (!this.down.delete(event.pointerId))
			return;
		const { timeline, moved } = this;
		this.drag = undefined;
		if (this.down.size > 0)
			return;
		if (moved && this.isArea)
			timeline.showArea();
		else if (!moved && !isTaken)
			timeline.click(event);
		timeline.keep();
	}
}

function listen(timeline) {
	const { canvas, stage } = timeline;
	const pointers = new Pointers(timeline);
	canvas.addEventListener("keydown", (event) => handleKey(timeline, event));
	canvas.addEventListener("wheel", (event) => handleWheel(timeline, event), { passive: false });
	canvas.addEventListener("pointerdown", (event) => pointers.press(event));
	canvas.addEventListener("pointermove", (event) => {
		pointers.move(event);
		timeline.hover(event);
	});
	canvas.addEventListener("pointerup", (event) => pointers.release(event, false));
	canvas.addEventListener("pointercancel", (event) => pointers.release(event, true));
	canvas.addEventListener("pointerleave", () => timeline.hover(null));
	canvas.addEventListener("dblclick", () => timeline.fitSelected());
	stage.addEventListener("scroll", () => timeline.refresh());
	new ResizeObserver(() => timeline.resize()).observe(stage);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => timeline.resize());
}
