/* The keys, and a list of them that `?` shows. */

const KEYS = [
	[["w", "+"], "zoom in", (timeline) => timeline.view.zoom(1.4, timeline.pointerTime)],
	[["s", "-"], "zoom out", (timeline) => timeline.view.zoom(1 / 1.4, timeline.pointerTime)],
	[["a", "ArrowLeft"], "earlier", (timeline) => timeline.view.pan(-0.15)],
	[["d", "ArrowRight"], "later", (timeline) => timeline.view.pan(0.15)],
	[["ArrowUp"], "up", (timeline) => timeline.scrollBy(-60)],
	[["ArrowDown"], "down", (timeline) => timeline.scrollBy(60)],
	[["0", "Home"], "show all", (timeline) => timeline.view.all()],
	[["f"], "fit the selection", (timeline) => timeline.fitSelected()],
	[[","], "the slice before", (timeline) => timeline.selectBeside(-1)],
	[["."], "the slice after", (timeline) => timeline.selectBeside(1)],
	[["j"], "jump from a call to the work that it launched, and back", (timeline) => timeline.jump()],
	[["m"], "sum up the selection, or what is in view, as an area", (timeline) => timeline.markArea()],
	[["p"], "pin the track of the selection or under the pointer, or let it go", (timeline) => timeline.togglePin()],
	[["o"], "open the track of the selection or under the pointer, or fold it", (timeline) => timeline.toggleOpen()],
	[["Escape"], "no selection and no area", (timeline) => timeline.clear()],
	[["/"], "search by name; Enter goes on", (timeline) => timeline.search.focus(), true],
	[["g"], "the longest gap, then the next", (timeline) => timeline.nextGap(), true],
	[["b"], "back to the finding", (timeline) => timeline.goBack(), true],
	[["?"], "these keys", () => showKeys(), true],
];
const MOUSE = [
	["Ctrl and wheel, or two fingers", "zoom"], ["drag, or Shift and wheel", "move"], ["drag on the ruler, or with Shift", "select an area"],
	["1 to 5", "tick a fix, or take it back (anywhere on the page)"], ["click", "select a slice; on a name at the left, open or fold its rows"], ["double click", "fit the selection"],
];

const keyNames = (keys) => keys.map((key) => key.length === 1 ? key.toUpperCase() : key).join(" or ");

/* Shows the list; its own keys close it. */
function showKeys() {
	const before = document.querySelector("dialog.keys");
	if (before?.open)
		return;
	before?.remove();
	const close = element("button", { type: "button" }, "Close");
	const rows = [...KEYS.map(([keys, words, , isAnywhere]) => [keyNames(keys), words + (isAnywhere ? " (anywhere on the page)" : "")]), ...MOUSE];
	const dialog = element("dialog", { className: "keys", ariaLabel: "Keys of the timeline" }, element("p", { className: "strong" }, "Keys of the timeline"), tableOf(["key or pointer", "what it does"], rows), close);
	close.addEventListener("click", () => dialog.close());
	document.body.append(dialog);
	dialog.showModal();
}

/* One that is lower case in the list may come with Shift or Caps Lock. */
function actionOf(event) {
	return KEYS.find(([keys]) => keys.includes(event.key) || keys.includes(event.key.toLowerCase()));
}

function handleKey(timeline, event) {
	const action = actionOf(event);
	if (!action || event.ctrlKey || event.metaKey || event.altKey)
		return;
	event.preventDefault();
	action[2](timeline);
	timeline.refresh();
	timeline.keep();
}

/* Keys that work anywhere on the page, where nobody types. */
function handlePageKey(timeline, event) {
	const types = event.target.closest?.("input, select, textarea, canvas, dialog");
	if (!types && actionOf(event)?.[3])
		handleKey(timeline, event);
}
