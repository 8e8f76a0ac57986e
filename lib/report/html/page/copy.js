/* A button beside each command or query that copies it. */

/* From a file, browsers may refuse the clipboard; then the text is selected for Ctrl+C. */
async function copyCode(button, code) {
	try {
		await navigator.clipboard.writeText(code.textContent);
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
