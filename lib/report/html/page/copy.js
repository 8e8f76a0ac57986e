/* A button beside each command, query or example that copies it; of a diff, what is there after the change. */

/* From a file, browsers may refuse the clipboard; then the text is selected for Ctrl+C. */
async function copyCode(button, code) {
	const isDiff = code.className === "diff";
	const lines = code.textContent.split("\n").filter((line) => !isDiff || !line.startsWith("-"));
	try {
		await navigator.clipboard.writeText(lines.map((line) => isDiff ? line.slice(1) : line).join("\n"));
		button.textContent = "Copied";
	} catch {
		getSelection().selectAllChildren(code);
		button.textContent = "Selected: press Ctrl+C";
	}
}

for (const code of document.querySelectorAll("pre > code")) {
	const button = element("button", { type: "button", className: "copy" }, "Copy");
	button.addEventListener("click", () => copyCode(button, code));
	code.parentElement.before(button);
}
