/* Numbers for people, as the report writes them. */

const TIME_UNITS = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]];

/* From 1,000 s on: both units in seconds, and their names. */
const LONG_UNITS = [[86400, 3600, "d", "h"], [3600, 60, "h", "min"], [60, 1, "min", "s"]];

function formatLong(seconds) {
	const [size, second, name, secondName] = LONG_UNITS.find(([size]) => seconds >= size);
	const rest = Math.floor(seconds % size / second);
	return `${formatCount(Math.floor(seconds / size))} ${name}${rest > 0 ? ` ${rest} ${secondName}` : ""}`;
}

function formatNs(ns) {
	if (Math.abs(ns) >= 999.95e9)
		return (ns < 0 ? "-" : "") + formatLong(Math.abs(ns) / 1e9);
	for (const [unit, size] of TIME_UNITS.slice(0, 3))
		if (Math.abs(ns) >= size)
			return `${fourDigits(ns / size)} ${unit}`;
	return `${Math.round(ns)} ns`;
}

/* A time of a scale up to `most` whose marks are `step` apart: all in one unit, with the digits that tell them apart. */
function formatTick(ns, step, most) {
	const [unit, size] = TIME_UNITS.find(([, each]) => Math.abs(most) >= each) ?? TIME_UNITS.at(-1);
	return `${(ns / size).toFixed(Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9)))} ${unit}`;
}

function formatBytes(bytes) {
	const units = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]];
	for (const [unit, size] of units)
		if (Math.abs(bytes) >= size)
			return `${fourDigits(bytes / size)} ${unit}`;
	return `${bytes} B`;
}

function fourDigits(value) {
	const whole = Math.floor(Math.abs(value)).toString().length;
	return value.toFixed(Math.max(0, 4 - whole));
}

function formatCount(count) {
	return count.toLocaleString("en-US");
}

/* A share as the first screen has it: none but a whole is all, or nothing. */
function formatShare(pct) {
	const whole = Math.round(pct);
	const digits = whole === 0 && pct > 0 ? "<1" : whole === 100 && pct < 100 ? ">99" : whole;
	return `${digits}\u00a0%`;
}

/* Words that begin a sentence elsewhere, where they stand alone. */
const bare = (words) => words.replace(/^the /, "");
