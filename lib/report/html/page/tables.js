/* Tables sort by a click on a title, and long ones have a field that filters their rows. A number is
 * sorted by its exact value, data-v, not by how it is written. */

const FILTER_ROWS = 8; /* shorter tables are read faster than a filter is typed */

function sortKey(row, column) {
	const cell = row.cells[column];
	return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
}

/* Numbers come before words, whatever the direction, so that "-" stays at the end. */
function compareKeys(a, b, sign) {
	if (typeof a !== typeof b)
		return typeof a === "number" ? -1 : 1;
	return typeof a === "number" ? sign * (a - b) : sign * a.localeCompare(b);
}

function sortTable(table, header) {
	const body = table.tBodies[0];
	const column = header.cellIndex;
	const keyed = [...body.rows].map((row) => ({ row, key: sortKey(row, column) }));
	const before = header.ariaSort;
	const first = keyed.some((entry) => typeof entry.key === "number") ? "descending" : "ascending";
	const other = first === "descending" ? "ascending" : "descending";
	const direction = before === first ? other : first;
	const sign = direction === "ascending" ? 1 : -1;
	keyed.sort((a, b) => compareKeys(a.key, b.key, sign));
	for (const cell of header.parentElement.cells)
		cell.removeAttribute("aria-sort");
	header.ariaSort = direction;
	body.append(...keyed.map((entry) => entry.row));
}

function makeSortable(table) {
	if (!table.tHead || table.tBodies[0].rows.length < 2)
		return;
	for (const header of table.tHead.querySelectorAll("th")) {
		const button = element("button", { type: "button", title: "Sort by this column" }, header.textContent);
		button.addEventListener("click", () => sortTable(table, header));
		header.replaceChildren(button);
	}
}

function makeFilterable(table) {
	const rows = [...table.tBodies[0].rows];
	if (!table.tHead || rows.length < FILTER_ROWS)
		return;
	const input = element("input", { type: "search", className: "filter", placeholder: "Filter rows", ariaLabel: "Filter rows of the table below" });
	input.addEventListener("input", () => {
		const wanted = input.value.toLowerCase();
		for (const row of rows)
			row.hidden = !row.textContent.toLowerCase().includes(wanted);
	});
	table.parentElement.before(input);
}

for (const table of document.querySelectorAll("table")) {
	makeSortable(table);
	makeFilterable(table);
}
