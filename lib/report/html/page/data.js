/* The numbers of a timeline, unpacked: typed arrays over all items, ordered by row and time. A row of a
 * track is the range [first, last) of the items. Times are ns from the start of the trace; of ranks on one clock,
 * from that of the first one: data.shift later. */

async function inflate(text) {
	const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Reads varints one after the other. */
class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	next() {
		let value = 0, weight = 1, byte;
		do {
			byte = this.bytes[this.at++];
			value += (byte & 127) * weight;
			weight *= 128;
		} while (byte & 128);
		return value;
	}

	nextSigned() {
		const value = this.next();
		return value % 2 ? -(value + 1) / 2 : value / 2;
	}

	text(length) {
		this.at += length;
		return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
	}

	fill(array) {
		for (let i = 0; i < array.length; i++)
			array[i] = this.next();
		return array;
	}

	fillSigned(array) {
		for (let i = 0; i < array.length; i++)
			array[i] = this.nextSigned();
		return array;
	}
}

/* Gives each row its range, and turns gaps between items into times. */
function setRows(data) {
	let at = 0;
	for (const [number, track] of data.tracks.entries()) {
		track.number = number;
		track.rows = track.rows.map((count) => ({ first: at, last: at += count }));
		for (const row of track.rows) {
			let end = data.shift;
			for (let i = row.first; i < row.last; i++) {
				data.ts[i] += end;
				end = data.ts[i] + data.dur[i];
			}
		}
	}
}

/* Of each item on a lane: the item of the call that launched it (-1 for none), how long before that began, and
 * how much launched work had not started then (-1 where no launch is known). */
function setLaunches(data, reader) {
	data.launch = new Int32Array(data.items).fill(-1);
	data.ahead = new Float64Array(data.items);
	data.queued = new Int32Array(data.items).fill(-1);
	let call = 0;
	for (const track of data.tracks.filter((each) => each.kind === "lane"))
		for (const row of track.rows)
			for (let i = row.first; i < row.last; i++) {
				const form = reader.next();
				if (form === 0)
					continue;
				if (form === 2) {
					data.launch[i] = call += reader.nextSigned();
					data.ahead[i] = data.ts[i] - data.ts[call];
				} else {
					data.ahead[i] = reader.nextSigned();
				}
				data.queued[i] = reader.next();
			}
}

/* The items that the call of an item launched, in their order. */
function launchedBy(data, item) {
	data.launched ??= groupBy(data.launch);
	return data.launched.get(item) ?? [];
}

/* The places of each value from 0 on. */
function groupBy(values) {
	const places = new Map();
	for (let i = 0; i < values.length; i++) {
		if (values[i] >= 0 && !places.has(values[i]))
			places.set(values[i], []);
		if (values[i] >= 0)
			places.get(values[i]).push(i);
	}
	return places;
}

function setCounter(counter, reader, start) {
	counter.ts = reader.fillSigned(new Float64Array(counter.count));
	counter.values = reader.fillSigned(new Float64Array(counter.count));
	counter.least = Infinity;
	counter.most = -Infinity;
	for (let i = 0, ts = start, value = 0; i < counter.count; i++) {
		counter.ts[i] = ts += counter.ts[i];
		value += counter.values[i];
		counter.values[i] = value / 1000;
		counter.least = Math.min(counter.least, counter.values[i]);
		counter.most = Math.max(counter.most, counter.values[i]);
	}
}

function mapOf(pairs) {
	const map = new Map();
	for (let i = 0; i < pairs.length; i += 2)
		map.set(pairs[i], pairs[i + 1]);
	return map;
}

async function loadTimeline(text) {
	const reader = new Reader(await inflate(text));
	const data = JSON.parse(reader.text(reader.next()));
	data.ts = reader.fillSigned(new Float64Array(data.items));
	data.dur = reader.fill(new Float64Array(data.items));
	data.label = reader.fill(new Uint32Array(data.items));
	data.more = reader.fill(new Uint32Array(data.items));
	setRows(data);
	setLaunches(data, reader);
	for (const counter of data.counters)
		setCounter(counter, reader, data.shift);
	for (const place of data.places)
		place.ts += data.shift;
	data.args = mapOf(data.args);
	data.late = mapOf(data.late);
	data.launchers = mapOf(data.launchers);
	data.end = data.shift + data.span;
	return data;
}

/* The first item of a row that starts at a time or later. */
function firstFrom(data, row, time) {
	let low = row.first, high = row.last;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (data.ts[middle] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The track and the row that an item is on. */
function placeOf(data, item) {
	for (const track of data.tracks)
		for (const row of track.rows)
			if (item >= row.first && item < row.last)
				return { track, row };
	return null;
}

/* The labels of all items on tracks of some kinds. */
function labelsOn(data, ...kinds) {
	const labels = new Set();
	for (const track of data.tracks.filter((each) => kinds.includes(each.kind)))
		for (const row of track.rows)
			for (let i = row.first; i < row.last; i++)
				labels.add(data.label[i]);
	return [...labels];
}
