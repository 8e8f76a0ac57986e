/* What a link leads to is opened, and paper shows everything. */

/* Ids are plain ASCII, so an address has them as they are. */
function openTarget() {
	const target = document.getElementById(location.hash.slice(1));
	if (target instanceof HTMLDetailsElement)
		target.open = true;
}

on(window, "hashchange", openTarget);
on(window, "beforeprint", () => {
	for (const fold of document.querySelectorAll("details"))
		fold.open = true;
});
openTarget();
