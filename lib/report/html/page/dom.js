/* Elements. Whatever a trace says becomes text of an element, never markup. */

/* An element with properties and children; strings become text. */
function element(tag, properties = {}, ...children) {
	const made = Object.assign(document.createElement(tag), properties);
	made.append(...children);
	return made;
}

/* An element of a drawing, with attributes. */
function drawing(tag, attributes = {}, ...children) {
	const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [name, value] of Object.entries(attributes))
		made.setAttribute(name, value);
	made.append(...children);
	return made;
}

function on(target, events, listener, options) {
	for (const event of events.split(" "))
		target.addEventListener(event, listener, options);
}
