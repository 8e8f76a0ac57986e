/* What a link leads to is opened; queries are folded; paper has the findings, but no query and no closed fold. */

/* In a frame made of a text, as in a notebook, "#finding-0" would else be a place of the page around it. */
if (location.href.startsWith("about:srcdoc"))
	document.head.append(element("base", { href: "about:srcdoc" }));

/* Ids are plain ASCII, so an address has them as they are. */
function openTarget() {
	const target = document.getElementById(location.hash.slice(1));
	if (target instanceof HTMLDetailsElement)
		target.open = true;
}

/* The heading of a query becomes the line that unfolds it. */
function foldQuery(heading) {
	const fold = element("details", { className: "query" }, element("summary", {}, heading.textContent));
	const pieces = [];
	for (let next = heading.nextElementSibling; next?.matches("button.copy, pre"); next = next.nextElementSibling)
		pieces.push(next);
	heading.replaceWith(fold);
	fold.append(...pieces);
}

for (const heading of document.querySelectorAll("details > h3"))
	if (heading.textContent === "Query")
		foldQuery(heading);

const printed = new Set(); /* what was opened for paper alone */

on(window, "beforeprint", () => {
	for (const fold of document.querySelectorAll("details[id^=finding]:not([open])")) {
		fold.open = true;
		printed.add(fold);
	}
});
on(window, "afterprint", () => {
	for (const fold of printed)
		fold.open = false;
	printed.clear();
});
on(window, "hashchange", openTarget);
openTarget();
