/* Numbers for people, as the report writes them. */

function formatNs(ns) {
	const units = [["s", 1e9], ["ms", 1e6], ["us", 1e3]];
	for (const [unit, size] of units)
		if (Math.abs(ns) >= size)
			return `${fourDigits(ns / size)} ${unit}`;
	return `${Math.round(ns)} ns`;
}

function formatBytes(bytes) {
	const units = [["GB", 2 ** 30], ["MB", 2 ** 20], ["KB", 2 ** 10]];
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
