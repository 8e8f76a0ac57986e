/* A finding as the text of an issue, in Markdown: its title, what it costs, evidence, why, what to do, an example, and where it was
 * found. */

const escapeMarkdown = (text) => text.replace(/[\\`*_<>[\]#|]/g, "\\$&");

function issueOf(card) {
	const lines = [];
	const title = card.querySelector("summary").textContent.replace(/^#\d+ /, "");
	lines.push(`## ${escapeMarkdown(title)}`, "");
	for (const node of card.querySelectorAll(":scope > p:not(.below), :scope > ul > li")) {
		const label = node.querySelector("b")?.textContent;
		const text = escapeMarkdown(label ? node.textContent.slice(label.length).trim() : node.textContent);
		lines.push(node.matches("li") ? `- ${label ? `**${label}** ` : ""}${text}` : `${text}\n`);
	}
	const example = card.querySelector(":scope > pre > code");
	if (example)
		lines.push("", `\`\`\`${example.className}`, example.textContent, "```");
	const path = card.closest("article")?.querySelector("h1")?.textContent;
	if (path)
		lines.push("", `Found by tracecoach in ${escapeMarkdown(path)}`);
	return `${lines.join("\n")}\n`;
}

/* From a file, browsers may refuse the clipboard; then the text stands below the button, selected for Ctrl+C. */
async function copyIssue(button, card) {
	const text = issueOf(card);
	try {
		await navigator.clipboard.writeText(text);
		button.textContent = "Copied";
	} catch {
		const shown = card.querySelector("pre.issue") ?? element("pre", { className: "issue", tabIndex: 0 });
		shown.textContent = text;
		button.parentElement.after(shown);
		getSelection().selectAllChildren(shown);
		button.textContent = "Selected: press Ctrl+C";
	}
}

for (const card of document.querySelectorAll("details[id^=finding]")) {
	const button = element("button", { type: "button" }, "Copy as issue");
	button.addEventListener("click", () => copyIssue(button, card));
	card.querySelector("summary").after(element("div", { className: "card" }, button));
}
