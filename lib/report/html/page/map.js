/* An area map: each row is a rectangle as large as its number, laid out so that none is thin
 * (Bruls, Huizing, van Wijk: Squarified Treemaps, 2000), with the colour of what it has in common with others. */

const MAP = { width: 960, height: 300, letter: 6.4, line: 14 };

/* The longer side over the shorter one of the worst of areas in a strip along a side of this length. */
function worstOf(areas, side) {
	const sum = areas.reduce((all, area) => all + area, 0), deep = sum / side;
	return Math.max(...areas.map((area) => Math.max(area / deep / deep, deep * deep / area)));
}

/* How many of the areas, which come largest first, form the next strip. */
function stripOf(areas, side) {
	let count = 1;
	while (count < areas.length && worstOf(areas.slice(0, count + 1), side) <= worstOf(areas.slice(0, count), side))
		count++;
	return count;
}

/* Rectangles of the areas, which fill width x height together. */
function rectanglesOf(areas, width, height) {
	const rectangles = [];
	for (let x = 0, y = 0; rectangles.length < areas.length;) {
		const side = Math.min(width, height), isUpright = width >= height;
		const left = areas.slice(rectangles.length), strip = left.slice(0, stripOf(left, side));
		const deep = strip.reduce((all, area) => all + area, 0) / side;
		let at = 0;
		for (const area of strip) {
			const long = area / deep;
			rectangles.push(isUpright ? { x, y: y + at, width: deep, height: long } : { x: x + at, y, width: long, height: deep });
			at += long;
		}
		if (isUpright)
			[x, width] = [x + deep, width - deep];
		else
			[y, height] = [y + deep, height - deep];
	}
	return rectangles;
}

/* Rows: hours, job, fix. The largest fixes have colours of their own, the others one together. */
function drawMap(all, links) {
	const rows = all.map((row, i) => [...row, links[i]]).filter(([hours]) => hours > 0);
	if (rows.length === 0)
		return [];
	const total = rows.reduce((sum, [hours]) => sum + hours, 0);
	const hoursOf = (of) => of.reduce((sum, [hours]) => sum + hours, 0);
	const fixes = [...grouped(rows, 2)].sort((a, b) => hoursOf(b[1]) - hoursOf(a[1])).map(([fix]) => fix);
	const hues = ["matrix", "loader", "memory", "runtime", "communication", "pointwise", "python", "operator"];
	const named = fixes.filter((fix) => fix !== "-").slice(0, hues.length), others = fixes.filter((fix) => !named.includes(fix));
	const fillOf = (fix) => shadeOf(named.includes(fix) ? hues[named.indexOf(fix)] : "other", "a");
	const picture = drawing("svg", { viewBox: `0 0 ${MAP.width} ${MAP.height}`, role: "img", "aria-label": `${formatShort(total)} device hours a day that ${rows.length} jobs lose; most in ${rows[0]?.[1]}` });
	rectanglesOf(rows.map(([hours]) => hours / total * MAP.width * MAP.height), MAP.width, MAP.height).forEach(({ x, y, width, height }, i) => {
		const [hours, job, fix, link] = rows[i];
		const words = `${job}: ${formatShort(hours)} device hours a day, ${fix === "-" ? "no fix" : fix}`;
		const box = shape("rect", { x: x + 0.5, y: y + 0.5, width: Math.max(0.5, width - 1), height: Math.max(0.5, height - 1), fill: fillOf(fix) }, words);
		const room = Math.floor((width - 8) / MAP.letter);
		const name = job.length > room ? `\u2026${job.slice(job.length - room + 1)}` : job;
		const lines = room < 5 ? [] : [name, `${formatShort(hours)} h`].slice(0, Math.floor((height - 4) / MAP.line));
		const texts = lines.map((line, k) => drawing("text", { class: "on", x: x + 5, y: y + MAP.line * (k + 1) }, line));
		picture.append(link ? drawing("a", { href: link }, box, ...texts) : drawing("g", {}, box, ...texts));
	});
	const rest = others.length === 0 ? [] : [[fillOf("-"), others.every((fix) => fix === "-") ? "no fix" : "others, or no fix"]];
	return [picture, legendOf([...named.map((fix) => [fillOf(fix), fix]), ...rest])];
}
