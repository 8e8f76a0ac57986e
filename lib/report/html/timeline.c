/*
 * The timeline of a trace in a page: a JSON table of what is drawn, with its numbers packed. Times
 * are ns from the start of the trace. page/data.js reads both.
 */
#include "report/html/page.h"

#include <limits.h>
#include <math.h>
#include <zlib.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/saturate.h"
#include "report/view/tracks.h"
#include "report/screen/screen.h"
#include "report/text/format.h"

/* ---- packed numbers: LEB128 varints, compressed with gzip, written as base64. A slice takes
 * about five bytes. */

#define LEVEL 6      /* the next level takes a third more time and saves one percent of the bytes */
#define GZIP_BITS 31 /* a window of 32 KiB, with the header and trailer of gzip */
#define CHUNK_BYTES 49152 /* a multiple of three: base64 of a piece needs no padding */

void tc_columns_put_signed(struct tc_buf *columns, int64_t value)
{
	uint64_t twice = (uint64_t)value << 1;

	tc_buf_append_varint(columns, value < 0 ? ~twice : twice);
}

static void put_base64(struct tc_sink *sink, const unsigned char *bytes, size_t len)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct tc_buf text = TC_BUF_EMPTY;
	char *out = tc_buf_extend(&text, (len + 2) / 3 * 4);

	for (size_t i = 0; out && i < len; i += 3, out += 4) {
		unsigned bits = (unsigned)bytes[i] << 16;
		bits |= i + 1 < len ? (unsigned)bytes[i + 1] << 8 : 0;
		bits |= i + 2 < len ? (unsigned)bytes[i + 2] : 0;
		out[0] = letters[bits >> 18];
		out[1] = letters[bits >> 12 & 63];
		out[2] = i + 1 < len ? letters[bits >> 6 & 63] : '=';
		out[3] = i + 2 < len ? letters[bits & 63] : '=';
	}
	tc_sink_text(sink, tc_buf_text(&text));
	tc_buf_end(&sink->buf, &text);
}

/* Deflates what the stream was given, piece by piece. */
static void put_deflated(struct tc_sink *sink, z_stream *stream, unsigned char *piece)
{
	int result = Z_OK;

	while (result == Z_OK && !tc_sink_dead(sink)) {
		stream->next_out = piece;
		stream->avail_out = CHUNK_BYTES;
		while (result == Z_OK && stream->avail_out > 0)
			result = deflate(stream, Z_FINISH);
		put_base64(sink, piece, CHUNK_BYTES - stream->avail_out);
	}
	sink->buf.failed |= result != Z_STREAM_END;
}

void tc_columns_write(struct tc_sink *sink, const struct tc_buf *columns)
{
	unsigned char *piece = (unsigned char *)tc_malloc(CHUNK_BYTES);
	z_stream stream = {0};

	sink->buf.failed |= tc_buf_failed(columns) || !piece || columns->len > UINT_MAX;
	if (tc_sink_dead(sink) || deflateInit2(&stream, LEVEL, Z_DEFLATED, GZIP_BITS, 8,
					  Z_DEFAULT_STRATEGY) != Z_OK) {
		sink->buf.failed |= !tc_sink_dead(sink);
		tc_free(piece);
		return;
	}
	stream.next_in = (unsigned char *)columns->ptr;
	stream.avail_in = (uInt)columns->len;
	put_deflated(sink, &stream, piece);
	deflateEnd(&stream);
	tc_free(piece);
}

/* ---- the args of the longest slices of a page. They are as in the file, but long names are
 * shortened. They are written as pairs: the number of the item, and the text. */

#define READ_LETTERS 8000 /* of the args of a slice that are read */
#define ARGS_COLUMNS 2000 /* of them that are shown, with long names shortened */
#define ARGS_ITEMS 10000  /* the longest ones, whose args are in the page */
#define LONG_BYTES 60     /* longer strings may be shortened */

TC_ORDER(longest_first, int64_t, TC_DOWN_ITSELF);

/* The shortest duration of a slice whose args go into the page. */
static int64_t args_limit(struct tc_ctx *ctx, const struct tc_items *items)
{
	if (items->count <= ARGS_ITEMS)
		return 0;
	int64_t *lengths = tc_new(ctx, items->count, sizeof(*lengths));
	if (!lengths)
		return 0;
	for (size_t i = 0; i < items->count; i++)
		lengths[i] = items->all[i].longest_ns;
	TC_SORT(lengths, items->count, longest_first);
	int64_t limit_ns = lengths[ARGS_ITEMS] + 1;
	tc_free(lengths);
	return limit_ns;
}

/* The JSON string that starts at the quote at `from`, without its quotes. It may be cut off. */
static struct tc_text string_at(struct tc_text json, size_t from)
{
	size_t end = from + 1;

	while (end < json.len && json.ptr[end] != '"')
		end += json.ptr[end] == '\\' ? 2 : 1;
	end = end < json.len ? end : json.len;
	return (struct tc_text){json.ptr + from + 1, end - from - 1};
}

/* Appends JSON with long names in its strings shortened. A string with escapes stays as it is. */
static void append_short(struct tc_buf *buf, const struct tc_names *names, struct tc_text json)
{
	for (size_t i = 0; i < json.len;) {
		if (json.ptr[i] != '"') {
			tc_buf_append_char(buf, json.ptr[i++]);
			continue;
		}
		struct tc_text string = string_at(json, i);
		bool is_plain = !memchr(string.ptr, '\\', string.len);
		tc_buf_append_char(buf, '"');
		if (string.len > LONG_BYTES && is_plain)
			tc_names_append(names, buf, string);
		else
			tc_buf_append_text(buf, string);
		i += string.len + 1;
		if (i < json.len)
			tc_buf_append_char(buf, json.ptr[i++]);
	}
}

static void put_args(struct tc_json *json, struct tc_job *job, const struct tc_items *items,
	const struct tc_names *names)
{
	int64_t limit_ns = args_limit(job->ctx, items);
	struct tc_buf text = TC_BUF_EMPTY;
	struct tc_rows rows = tc_rows_prepare(job->ctx, job->db,
		"SELECT substr(args, 1, ?2) FROM slice_args WHERE slice_id = ?1 AND args <> '{}'");

	tc_rows_bind(&rows, 2, READ_LETTERS);
	tc_json_array(json, "args");
	for (size_t i = 0; i < items->count && !tc_ctx_failed(job->ctx); i++) {
		const struct tc_item *item = &items->all[i];
		if (item->id < 0 || item->count > 1 || item->longest_ns < limit_ns)
			continue;
		tc_rows_again(&rows, item->id);
		if (!tc_rows_next(&rows))
			continue;
		tc_buf_reset(&text);
		append_short(&text, names, tc_rows_text(&rows, 0));
		tc_json_int(json, NULL, (int64_t)i);
		tc_json_text(json, NULL,
			(struct tc_text){tc_buf_text(&text).ptr,
				tc_format_prefix(tc_buf_text(&text), ARGS_COLUMNS)});
	}
	tc_json_end(json);
	tc_buf_end(&json->sink->buf, &text);
	tc_rows_close(&rows);
}

/* ---- the table and its numbers */

#define NAME_COLUMNS 300
#define ABOUT_MOST 8 /* rows of evidence of a finding */
#define WINDOWS_MOST 24
#define WINDOW_SPANS 20 /* length of a window, in lengths of its place */

struct timeline {
	struct tc_sink *sink;
	const struct tc_timeline_options *options;
	struct tc_job *job;
	const struct tc_view *view;
	struct tc_page_tracks tracks;
	struct tc_places places;
	struct tc_queues queues;
	struct tc_items items;
	struct tc_counters counters;
	int64_t least_ns;  /* slices that are shorter were merged */
	uint32_t *rank_of; /* by label of an item: the number of the label in the page */
	uint32_t *labels;  /* by number in the page: the label */
	size_t label_count;
};

static int64_t from_start(const struct timeline *timeline, int64_t ts)
{
	return tc_sub_saturated(ts, timeline->tracks.start_ns);
}

/* Adds windows around the longest step, a step of usual length, and each short place. */
static void add_windows(struct tc_window *windows, size_t *count, const struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->places.count && *count < WINDOWS_MOST - 2; i++) {
		const struct tc_place *place = &timeline->places.all[i];
		int64_t around_ns = place->dur < INT64_MAX / WINDOW_SPANS
					    ? place->dur * WINDOW_SPANS / 2
					    : place->dur;
		if (place->found &&
			place->dur < (timeline->tracks.end_ns - timeline->tracks.start_ns) / 50)
			windows[(*count)++] =
				(struct tc_window){tc_sub_saturated(place->ts, around_ns),
					tc_add_saturated(place->ts, around_ns)};
	}
	struct tc_rows rows = TC_ROWS(timeline->job->ctx, timeline->job->db,
		"SELECT ts, ts + dur FROM (SELECT ts, dur, row_number() OVER (ORDER BY dur DESC, "
		"ts) AS place, count(*) OVER () AS count FROM counted_step WHERE trace_id = ?1)"
		" WHERE place = 1 OR place = (count + 1) / 2",
		timeline->view->id);
	while (tc_rows_next(&rows) && *count < WINDOWS_MOST)
		windows[(*count)++] =
			(struct tc_window){tc_rows_int(&rows, 0), tc_rows_int(&rows, 1)};
	tc_rows_close(&rows);
}

static void load(struct timeline *timeline, size_t budget)
{
	struct tc_job *job = timeline->job;
	struct tc_window windows[WINDOWS_MOST];
	struct tc_item_options options = {.most = budget + budget / 4, .windows = windows};

	tc_page_tracks_load(&timeline->tracks, job->ctx, job->db, timeline->view->id);
	if (timeline->tracks.id_count == 0)
		return;
	tc_places_init(&timeline->places, &timeline->tracks, job->advice);
	tc_survey(
		&options.least_ns, &timeline->places, &timeline->queues, &timeline->tracks, budget);
	if (options.least_ns > 0)
		add_windows(windows, &options.window_count, timeline);
	tc_items_load(&timeline->items, &timeline->tracks, &options);
	timeline->least_ns = options.least_ns;
	tc_counters_load(&timeline->counters, &timeline->tracks, &timeline->queues, true);
}

/* A label with the number of its items, for sorting by frequency. */
struct counted {
	uint32_t label, count;
};

TC_ORDER(by_count, struct counted, TC_DOWN(count) TC_UP(label));

/* Numbers the labels that are used. Frequent labels get small numbers, which take fewer bytes. */
static void rank_labels(struct timeline *timeline)
{
	const struct tc_items *items = &timeline->items;
	size_t all = items->label_base + items->name_count, used = 0;
	struct counted *counted = tc_calloc(all + 1, sizeof(*counted));

	timeline->rank_of = tc_calloc(all + 1, sizeof(*timeline->rank_of));
	timeline->labels = tc_calloc(all + 1, sizeof(*timeline->labels));
	if (!counted || !timeline->rank_of || !timeline->labels) {
		tc_free(counted);
		tc_no_memory(timeline->job->ctx);
		return;
	}
	for (size_t i = 0; i < all; i++)
		counted[i].label = (uint32_t)i;
	for (size_t i = 0; i < items->count; i++)
		if (items->all[i].label < all)
			counted[items->all[i].label].count++;
	TC_SORT(counted, all, by_count);
	for (; used < all && counted[used].count > 0; used++) {
		timeline->rank_of[counted[used].label] = (uint32_t)used;
		timeline->labels[used] = counted[used].label;
	}
	timeline->label_count = used;
	tc_free(counted);
}

/* Writes a text of the trace in a form that is safe to show. */
static void put_clean(struct tc_json *json, const char *key, struct tc_text text)
{
	struct tc_buf clean = TC_BUF_EMPTY;

	tc_format_clean(&clean, text, false, NAME_COLUMNS);
	tc_json_take(json, key, &clean);
}

/* The kind of a label, which decides its colour: what a device operation computes or moves, or what
 * the host does in a call. */
#define LABEL_SQL                                                                                  \
	"SELECT name, CASE WHEN collective IS NOT NULL OR engine = 'communication'"                \
	" THEN 'communication' WHEN kind IN ('memcpy', 'memset') OR engine = 'copy' THEN 'copy'"   \
	" WHEN kind IS NOT NULL OR engine IS NOT NULL THEN coalesce(class, 'kernel')"              \
	" WHEN category = 'python_function' THEN 'python' ELSE coalesce(role, 'other') END"        \
	" FROM label WHERE id = ?1"

static void put_labels(struct tc_json *json, const struct timeline *timeline)
{
	const struct tc_items *items = &timeline->items;
	struct tc_rows rows = tc_rows_prepare(timeline->job->ctx, timeline->job->db, LABEL_SQL);

	tc_json_array(json, "labels");
	for (size_t i = 0; i < timeline->label_count; i++) {
		uint32_t label = timeline->labels[i];
		struct tc_buf name = TC_BUF_EMPTY;
		if (label >= items->label_base) {
			put_clean(
				json, NULL, tc_text_from(items->names[label - items->label_base]));
			continue;
		}
		tc_rows_again(&rows, label);
		if (tc_rows_next(&rows) && !tc_rows_null(&rows, 0))
			tc_names_append(timeline->view->names, &name, tc_rows_text(&rows, 0));
		put_clean(json, NULL, tc_buf_text(&name));
		tc_buf_clear(&name);
	}
	tc_json_end(json);
	tc_rows_close(&rows);
}

/* Writes the role of each label; null for names that no slice has, as those of causes. */
static void put_roles(struct tc_json *json, const struct timeline *timeline)
{
	struct tc_rows rows = tc_rows_prepare(timeline->job->ctx, timeline->job->db, LABEL_SQL);

	tc_json_array(json, "roles");
	for (size_t i = 0; i < timeline->label_count; i++) {
		bool is_slice = timeline->labels[i] < timeline->items.label_base;
		if (is_slice)
			tc_rows_again(&rows, timeline->labels[i]);
		if (is_slice && tc_rows_next(&rows))
			tc_json_text(json, NULL, tc_rows_text(&rows, 1));
		else
			tc_json_null(json, NULL);
	}
	tc_json_end(json);
	tc_rows_close(&rows);
}

/* Each row of a track by its number of items. */
static size_t put_rows(
	struct tc_json *json, const struct timeline *timeline, uint32_t track, size_t first)
{
	const struct tc_items *items = &timeline->items;
	size_t i = first, begin = first;
	uint32_t row = 0;

	tc_json_array(json, "rows");
	for (; i < items->count && items->all[i].track == track; i++)
		for (; row < items->all[i].row; row++, begin = i)
			tc_json_int(json, NULL, (int64_t)(i - begin));
	if (i > begin)
		tc_json_int(json, NULL, (int64_t)(i - begin));
	tc_json_end(json);
	return i;
}

static void put_tracks(struct tc_json *json, const struct timeline *timeline)
{
	static const char *const kinds[] = {[TC_TRACK_STEPS] = "steps",
		[TC_TRACK_PATH] = "path",
		[TC_TRACK_IDLE] = "idle",
		[TC_TRACK_COLLECTIVE] = "collective",
		[TC_TRACK_LANE] = "lane",
		[TC_TRACK_HOST] = "host"};
	size_t at = 0;

	tc_json_array(json, "tracks");
	for (size_t i = 0; i < timeline->tracks.count; i++) {
		const struct tc_page_track *track = &timeline->tracks.all[i];
		tc_json_object(json, NULL);
		tc_json_string(json, "kind", kinds[track->kind]);
		put_clean(json, "name", tc_text_from(track->name));
		if (track->device)
			put_clean(json, "device", tc_text_from(track->device));
		at = put_rows(json, timeline, (uint32_t)i, at);
		tc_json_end(json);
	}
	tc_json_end(json);
}

/* Writes the names of slices and the causes of idle time in the evidence of a finding. */
static void put_about(
	struct tc_json *json, const struct timeline *timeline, const struct tc_finding *finding)
{
	struct tc_buf name = TC_BUF_EMPTY;

	tc_json_array(json, "about");
	for (size_t i = 0; i < finding->evidence_count && i < ABOUT_MOST; i++) {
		struct tc_text cause = tc_evidence_text(finding, i, "cause");
		tc_buf_reset(&name);
		tc_names_append(
			timeline->view->names, &name, tc_text_from(finding->evidence[i].subject));
		put_clean(json, NULL, cause.len > 0 ? cause : tc_buf_text(&name));
	}
	tc_json_end(json);
	tc_buf_end(&json->sink->buf, &name);
}

/* Writes the findings of the trace; a finding without a place has no time. */
static void put_places(struct tc_json *json, const struct timeline *timeline)
{
	struct tc_buf anchor = TC_BUF_EMPTY;

	tc_json_array(json, "places");
	for (size_t i = 0; i < timeline->places.count; i++) {
		const struct tc_place *place = &timeline->places.all[i];
		tc_append_anchor(&anchor, place->finding);
		tc_json_object(json, NULL);
		tc_json_take(json, "id", &anchor);
		tc_json_string(json, "title", place->finding->heuristic->title);
		put_about(json, timeline, place->finding);
		if (place->found) {
			tc_json_int(json, "track", place->track);
			tc_json_int(json, "ts", from_start(timeline, place->ts));
			tc_json_int(json, "dur", place->dur);
		}
		tc_json_end(json);
	}
	tc_json_end(json);
}

/* Writes what the causes of idle time mean. */
static void put_causes(struct tc_json *json, const struct tc_items *items)
{
	tc_json_object(json, "causes");
	for (size_t i = 0; i < items->name_count; i++) {
		struct tc_text name = tc_text_from(items->names[i]);
		struct tc_text phrase = tc_cause_phrase(name);
		if (phrase.ptr != name.ptr)
			tc_json_text(json, items->names[i], phrase);
	}
	tc_json_end(json);
}

/* Writes pairs: the number of an item that waits in a collective, and the rank that it waits for.
 * */
static void put_late(struct tc_json *json, const struct tc_items *items)
{
	tc_json_array(json, "late");
	for (size_t i = 0; i < items->count; i++) {
		if (!items->all[i].is_wait)
			continue;
		tc_json_int(json, NULL, (int64_t)i);
		tc_json_int(json, NULL, items->all[i].late_rank);
	}
	tc_json_end(json);
}

/* Writes pairs: the number of an item of idle time, and the track of the call that launched the
 * work after it. The first host thread launches most work, so it is left out. */
static void put_launchers(struct tc_json *json, const struct timeline *timeline)
{
	const struct tc_items *items = &timeline->items;
	uint32_t first = 0;

	while (first < timeline->tracks.count && timeline->tracks.all[first].kind != TC_TRACK_HOST)
		first++;
	tc_json_array(json, "launchers");
	for (size_t i = 0; i < items->count; i++) {
		if (items->all[i].launcher <= first)
			continue;
		tc_json_int(json, NULL, (int64_t)i);
		tc_json_int(json, NULL, items->all[i].launcher);
	}
	tc_json_end(json);
}

static void put_counters(struct tc_json *json, const struct timeline *timeline)
{
	tc_json_array(json, "counters");
	for (size_t i = 0; i < timeline->counters.count; i++) {
		const struct tc_counter *counter = &timeline->counters.all[i];
		tc_json_object(json, NULL);
		put_clean(json, "name", tc_text_from(counter->name));
		tc_json_bool(json, "bytes", counter->is_bytes);
		tc_json_int(json, "count", (int64_t)counter->count);
		tc_json_end(json);
	}
	tc_json_end(json);
}

static void put_table(struct tc_sink *sink, const struct timeline *timeline)
{
	struct tc_json json = {.sink = sink};
	int64_t knows_waits = tc_rows_single(timeline->job->ctx, timeline->job->db,
		"SELECT EXISTS (SELECT 1 FROM collective WHERE trace_id = ?1"
		" AND wait_ns IS NOT NULL)",
		timeline->view->id);

	tc_json_object(&json, NULL);
	tc_json_bool(&json, "knowsWaits", knows_waits != 0);
	tc_json_int(&json, "span", from_start(timeline, timeline->tracks.end_ns));
	tc_json_int(&json, "shift", timeline->options->shift_ns);
	tc_json_int(&json, "apart", timeline->options->apart_ns);
	tc_json_int_if(&json, "rank", timeline->options->is_rank, timeline->view->rank);
	tc_json_int(&json, "least", timeline->least_ns);
	tc_json_int(&json, "items", (int64_t)timeline->items.count);
	put_tracks(&json, timeline);
	put_places(&json, timeline);
	put_causes(&json, &timeline->items);
	put_late(&json, &timeline->items);
	put_launchers(&json, timeline);
	put_counters(&json, timeline);
	put_labels(&json, timeline);
	put_roles(&json, timeline);
	put_args(&json, timeline->job, &timeline->items, timeline->view->names);
	tc_json_end(&json);
}

/* Writes starts as the time since the end of the item before on the row, then lengths, labels and
 * counts. */
static void append_items(struct tc_buf *columns, const struct timeline *timeline)
{
	const struct tc_items *items = &timeline->items;
	int64_t end = timeline->tracks.start_ns;

	for (size_t i = 0; i < items->count; i++) {
		const struct tc_item *item = &items->all[i];
		if (i > 0 && (item->row != item[-1].row || item->track != item[-1].track))
			end = timeline->tracks.start_ns;
		tc_columns_put_signed(columns, tc_sub_saturated(item->ts, end));
		end = tc_add_saturated(item->ts, item->dur);
	}
	for (size_t i = 0; i < items->count; i++)
		tc_buf_append_varint(columns, (uint64_t)items->all[i].dur);
	for (size_t i = 0; i < items->count; i++)
		tc_buf_append_varint(columns, timeline->rank_of[items->all[i].label]);
	for (size_t i = 0; i < items->count; i++)
		tc_buf_append_varint(columns, items->all[i].count - 1);
}

/* ---- launches: for each item on a lane, in their order, 0 when no launch of it is known, 1 when
 * the launching call is no item by itself, else 2 and the number of the call's item, as the zigzag
 * difference to the one before. Behind 1 stands how long before the call began, and behind 1 and 2
 * how much launched work had not started then. Merged items have no launch. */

struct known_item {
	int64_t id;
	uint32_t item;
};

TC_ORDER(by_slice, struct known_item, TC_UP(id) TC_UP(item));

/* The items of single slices by slice.id. */
static struct known_item *find_slices(size_t *count, const struct timeline *timeline)
{
	const struct tc_items *items = &timeline->items;
	struct known_item *known = tc_calloc(items->count + 1, sizeof(*known));

	*count = 0;
	if (!known)
		tc_no_memory(timeline->job->ctx);
	for (size_t i = 0; i < items->count && known; i++)
		if (items->all[i].id >= 0 && items->all[i].count == 1)
			known[(*count)++] = (struct known_item){items->all[i].id, (uint32_t)i};
	if (known)
		TC_SORT(known, *count, by_slice);
	return known;
}

static const struct known_item *find_slice(const struct known_item *known, size_t count, int64_t id)
{
	size_t at;

	TC_BISECT(at, count, known[at].id < id);
	return at < count && known[at].id == id ? &known[at] : NULL;
}

/* The launch of an item: the item of the call, or only its time. */
struct launch {
	uint32_t item;
	bool is_known, has_item;
	int64_t ts;
};

/* Reads the launches of the items. The runs of links come by slice.id, so the slices are asked in
 * that order. */
static struct launch *find_launches(const struct timeline *timeline)
{
	size_t count = 0, at = 0;
	struct known_item *known = find_slices(&count, timeline);
	struct launch *launches = tc_calloc(timeline->items.count + 1, sizeof(*launches));
	struct tc_rows rows = TC_ROWS(timeline->job->ctx, timeline->job->db,
		"SELECT d.first_slice_id, d.last_slice_id, l.id, l.ts FROM device_link d"
		" CROSS JOIN slice_row l ON l.id = d.launch_slice_id"
		" WHERE d.first_slice_id BETWEEN ?1 AND ?2 ORDER BY d.first_slice_id",
		timeline->tracks.first_slice, timeline->tracks.last_slice);

	if (!launches)
		tc_no_memory(timeline->job->ctx);
	while (known && launches && tc_rows_next(&rows)) {
		while (at < count && known[at].id < tc_rows_int(&rows, 0))
			at++;
		const struct known_item *call = find_slice(known, count, tc_rows_int(&rows, 2));
		for (; at < count && known[at].id <= tc_rows_int(&rows, 1); at++)
			launches[known[at].item] = (struct launch){
				call ? call->item : 0, true, call != NULL, tc_rows_int(&rows, 3)};
	}
	tc_rows_close(&rows);
	tc_free(known);
	return launches;
}

/* How much work of the device of a lane was launched before a time and had not started then. */
static uint64_t queued_at(const struct tc_queues *queues, uint32_t track, int64_t launch_ns)
{
	if (queues->queue_of[track] == UINT32_MAX)
		return 0;
	const struct tc_queue *queue = &queues->all[queues->queue_of[track]];
	size_t launched, started;
	TC_BISECT(launched, queue->count, queue->launches[launched] < launch_ns);
	TC_BISECT(started, queue->count, queue->starts[started] <= launch_ns);
	return launched > started ? launched - started : 0;
}

static void append_launches(struct tc_buf *columns, const struct timeline *timeline)
{
	const struct tc_items *items = &timeline->items;
	struct launch *launches = find_launches(timeline);
	uint32_t last = 0;

	for (size_t i = 0; i < items->count && launches; i++) {
		const struct tc_item *item = &items->all[i];
		const struct launch *launch = &launches[i];
		if (timeline->tracks.all[item->track].kind != TC_TRACK_LANE)
			continue;
		tc_buf_append_varint(columns, launch->has_item ? 2 : launch->is_known ? 1 : 0);
		if (launch->has_item) {
			tc_columns_put_signed(columns, (int64_t)launch->item - (int64_t)last);
			last = launch->item;
		} else if (launch->is_known) {
			tc_columns_put_signed(columns, tc_sub_saturated(item->ts, launch->ts));
		}
		if (launch->is_known)
			tc_buf_append_varint(
				columns, queued_at(&timeline->queues, item->track, launch->ts));
	}
	tc_free(launches);
}

/* ---- counters, and all of it as one block */

/* Writes times and values as differences. */
static void append_counter(
	struct tc_buf *columns, const struct timeline *timeline, const struct tc_counter *counter)
{
	int64_t ts = timeline->tracks.start_ns, value = 0;

	for (size_t i = 0; i < counter->count; i++) {
		tc_columns_put_signed(columns, tc_sub_saturated(counter->points[i].ts, ts));
		ts = counter->points[i].ts;
	}
	for (size_t i = 0; i < counter->count; i++) {
		double scaled = counter->points[i].value * TC_COUNTER_SCALE;
		int64_t next = fabs(scaled) < 1e15 ? llround(scaled) : 0;
		tc_columns_put_signed(columns, next - value);
		value = next;
	}
}

static void put_block(const struct timeline *timeline)
{
	struct tc_job *job = timeline->job;
	struct tc_buf table = TC_BUF_EMPTY, block = TC_BUF_EMPTY;
	struct tc_sink sink;

	tc_sink_init_buf(&sink, &table);
	put_table(&sink, timeline);
	tc_sink_close(&sink, job->ctx);
	tc_buf_append_varint(&block, table.len);
	tc_buf_append_text(&block, tc_buf_text(&table));
	append_items(&block, timeline);
	append_launches(&block, timeline);
	for (size_t i = 0; i < timeline->counters.count; i++)
		append_counter(&block, timeline, &timeline->counters.all[i]);
	block.failed |= tc_buf_failed(&table);
	tc_sink_put(timeline->sink, "<section class=\"timeline\"");
	tc_sink_put(timeline->sink, timeline->options->is_linked ? " data-linked=\"yes\"" : "");
	if (timeline->options->is_rank)
		tc_sink_format(
			timeline->sink, " data-rank=\"%lld\"", (long long)timeline->view->rank);
	tc_sink_format(timeline->sink,
		"%s>\n<h2>%s</h2>\n<script type=\"application/octet-stream\">",
		timeline->options->is_hidden ? " hidden" : "", timeline->options->heading);
	tc_columns_write(timeline->sink, &block);
	tc_sink_put(timeline->sink, "</script>\n</section>\n");
	tc_buf_clear(&table);
	tc_buf_clear(&block);
}

void tc_put_timeline(struct tc_sink *sink, struct tc_job *job, const struct tc_view *view,
	const struct tc_timeline_options *options)
{
	struct timeline timeline = {.sink = sink, .options = options, .job = job, .view = view};

	load(&timeline, options->budget);
	if (timeline.items.count > 0)
		rank_labels(&timeline);
	if (timeline.items.count > 0 && !tc_ctx_failed(job->ctx))
		put_block(&timeline);
	tc_page_tracks_clear(&timeline.tracks);
	tc_places_clear(&timeline.places);
	tc_queues_clear(&timeline.queues);
	tc_items_clear(&timeline.items);
	tc_counters_clear(&timeline.counters);
	tc_free(timeline.rank_of);
	tc_free(timeline.labels);
}
