/*
 * The worst place of a finding as rows of blocks, one below the other, with as much time around it
 * as a page shows (html/page/strip.js draws the same place):
 *
 *	device  ███████▇                           ▂▅▃▆
 *	idle            aaaaaaaaaaaaaaaaaaaaaaaaaab  b
 *	host    ████████▇▆▆▇███▆▆▅▇███████████████████
 *	                └─────── 59.33 ms ───────┘
 *
 * A block of the device is as high as the time that its lanes work there, added up, and one of the
 * host as what it does within what lasts as long as the strip; no block is higher than its time. A
 * letter is the cause of most idle time there.
 */
#include "core/array.h"
#include "report/screen/screen.h"
#include "report/text/format.h"
#include "report/view/tracks.h"

#define LABEL 8 /* columns */
#define INDENT 2
#define MOST 120      /* columns of a row */
#define CAUSES 26     /* each has a letter */
#define AROUND_PCT 60 /* of the place, shown before it and after it */

/* The time that is taken in each column, more where slices overlap. */
struct row {
	int64_t ns[MOST], all_ns;
};

struct cause {
	char name[TC_IDLE_NAME];
	bool is_shown; /* as a letter */
	struct row row;
};

struct strip {
	struct tc_page_tracks tracks;
	struct tc_place place;
	int64_t from, end, column_ns;
	int columns;
	struct row *rows; /* by track; owned */
	struct cause causes[CAUSES];
	size_t cause_count;
};

static void cover(struct row *row, const struct strip *strip, int64_t ts, int64_t dur)
{
	int64_t begin = ts > strip->from ? ts : strip->from, end = tc_add_saturated(ts, dur);

	end = end < strip->end ? end : strip->end;
	while (begin < end) {
		int64_t column = (begin - strip->from) / strip->column_ns;
		int64_t next = strip->from + (column + 1) * strip->column_ns;
		int64_t part_ns = (end < next ? end : next) - begin;
		row->ns[column] = tc_add_saturated(row->ns[column], part_ns);
		row->all_ns = tc_add_saturated(row->all_ns, part_ns);
		begin += part_ns;
	}
}

/* Chooses the time of the strip. */
static void set_time(struct strip *strip, int width)
{
	int64_t dur = strip->place.dur > 0 ? strip->place.dur : 1;
	int64_t around_ns = tc_mul_saturated(dur, AROUND_PCT) / 100;

	strip->columns = width - INDENT - LABEL < MOST ? width - INDENT - LABEL : MOST;
	strip->from = tc_sub_saturated(strip->place.ts, around_ns);
	strip->column_ns = (dur + 2 * around_ns) / strip->columns + 1;
	strip->end = tc_add_saturated(strip->from, strip->columns * strip->column_ns);
}

static void read_slices(struct strip *strip)
{
	struct tc_rows rows = tc_page_tracks_slices(&strip->tracks);

	while (tc_rows_next(&rows)) {
		uint32_t track = tc_page_tracks_find(&strip->tracks, tc_rows_int(&rows, 3));
		int64_t ts = tc_rows_int(&rows, 1), dur = tc_slice_dur(&rows);
		bool is_whole = ts <= strip->from && tc_add_saturated(ts, dur) >= strip->end;
		if (track != UINT32_MAX && !is_whole)
			cover(&strip->rows[track], strip, ts, dur);
	}
}

TC_ORDER(by_time, struct cause, TC_DOWN(row.all_ns) TC_UP_STRING(name));

/* The cause of that name; NULL where there are too many. */
static struct cause *cause_of(struct strip *strip, struct tc_text name)
{
	for (size_t i = 0; i < strip->cause_count; i++)
		if (tc_text_equal(tc_text_from(strip->causes[i].name), name))
			return &strip->causes[i];
	if (strip->cause_count == CAUSES || name.len >= TC_IDLE_NAME)
		return NULL;
	struct cause *cause = &strip->causes[strip->cause_count++];
	memcpy(cause->name, name.ptr, name.len);
	return cause;
}

/* Reads the idle time of a device, the cause with most of it first. */
static void read_idle(struct strip *strip, struct tc_text device)
{
	struct tc_rows rows = TC_ROWS(strip->tracks.ctx, strip->tracks.db,
		"SELECT ts, dur, cause FROM (" TC_IDLE_SQL ") WHERE device = ?2 AND ts < ?3"
		" AND ts + dur > ?4 ORDER BY ts, cause",
		strip->tracks.trace_id);

	tc_rows_bind_text(&rows, 2, device);
	tc_rows_bind(&rows, 3, strip->end);
	tc_rows_bind(&rows, 4, strip->from);
	while (tc_rows_next(&rows)) {
		struct cause *cause = cause_of(strip, tc_rows_text(&rows, 2));
		if (cause)
			cover(&cause->row, strip, tc_rows_int(&rows, 0), tc_rows_int(&rows, 1));
	}
	TC_SORT(strip->causes, strip->cause_count, by_time);
}

/* The track of the place, or the one of that kind on which most happens; NULL for none. */
static const struct tc_page_track *busiest(const struct strip *strip, enum tc_page_track_kind kind)
{
	const struct tc_page_tracks *tracks = &strip->tracks;
	const struct tc_page_track *best = NULL;

	if (tracks->all[strip->place.track].kind == kind)
		return &tracks->all[strip->place.track];
	for (size_t i = 0; i < tracks->count; i++)
		if (tracks->all[i].kind == kind && strip->rows[i].all_ns > 0 &&
			(!best || strip->rows[i].all_ns > strip->rows[best - tracks->all].all_ns))
			best = &tracks->all[i];
	return best;
}

/* The device of the place, or the one that works most around it; empty for none. */
static struct tc_text device_of(const struct strip *strip)
{
	const struct tc_page_track *place = &strip->tracks.all[strip->place.track];
	const struct tc_page_track *lane = busiest(strip, TC_TRACK_LANE);

	for (size_t i = 0; i < strip->tracks.count && !lane && !place->device; i++)
		if (strip->tracks.all[i].kind == TC_TRACK_IDLE)
			lane = &strip->tracks.all[i];
	return tc_text_from(place->device ? place->device : lane ? lane->device : NULL);
}

static void append_blocks(
	struct tc_buf *text, const struct strip *strip, const struct row *row, bool ascii)
{
	static const char *const blocks[][9] = {{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		{" ", ".", ".", ":", ":", "+", "+", "#", "#"}};

	for (int c = 0; c < strip->columns; c++) {
		int64_t ns = row->ns[c] < strip->column_ns ? row->ns[c] : strip->column_ns;
		int64_t height = (int64_t)(8 * (double)ns / (double)strip->column_ns + 0.5);
		tc_buf_append_string(text, blocks[ascii][height]);
	}
	tc_buf_append_char(text, '\n');
}

/* The work of all lanes of a device. */
static void append_device(
	struct tc_buf *text, const struct strip *strip, struct tc_text device, bool ascii)
{
	struct row row = {0};

	for (size_t i = 0; i < strip->tracks.count; i++) {
		const struct tc_page_track *track = &strip->tracks.all[i];
		bool is_lane = track->kind == TC_TRACK_LANE &&
			       tc_text_equal(tc_text_from(track->device), device);
		for (int c = 0; is_lane && c < strip->columns; c++)
			row.ns[c] = tc_add_saturated(row.ns[c], strip->rows[i].ns[c]);
	}
	tc_buf_append_string(text, "device  ");
	append_blocks(text, strip, &row, ascii);
}

static void append_idle(struct tc_buf *text, struct strip *strip)
{
	tc_buf_append_string(text, "idle    ");
	for (int c = 0; c < strip->columns; c++) {
		size_t most = 0;
		for (size_t i = 1; i < strip->cause_count; i++)
			if (strip->causes[i].row.ns[c] > strip->causes[most].row.ns[c])
				most = i;
		bool is_idle = strip->causes[most].row.ns[c] > strip->column_ns / 8;
		strip->causes[most].is_shown |= is_idle;
		tc_buf_append_char(text, is_idle ? (char)('a' + most) : ' ');
	}
	tc_buf_append_char(text, '\n');
}

/* A bracket around the place, with its time. */
static void append_bracket(struct tc_buf *text, const struct strip *strip, bool ascii)
{
	const struct tc_shown time = tc_show_ns(strip->place.dur);
	int first = (int)((strip->place.ts - strip->from) / strip->column_ns);
	int last = (int)((tc_add_saturated(strip->place.ts, strip->place.dur) - strip->from) /
			 strip->column_ns);
	int line = last - first - 3 - (int)strlen(time.text);

	tc_format_pad(text, LABEL + first);
	tc_buf_append_string(text, ascii ? "|" : "└");
	for (int i = 0; i < line / 2; i++)
		tc_buf_append_string(text, ascii ? "-" : "─");
	tc_buf_format(text, " %s ", time.text);
	for (int i = line / 2; i < line; i++)
		tc_buf_append_string(text, ascii ? "-" : "─");
	tc_buf_append_string(text, ascii ? "|" : "┘");
}

/* "a: the host fetches the next batch, b: the host dispatches operations" */
static void put_causes(struct tc_doc *doc, const struct strip *strip)
{
	struct tc_buf *line = tc_doc_paragraph(doc);
	const size_t start = line->len;

	for (size_t i = 0; i < strip->cause_count; i++) {
		if (!strip->causes[i].is_shown)
			continue;
		tc_buf_format(line, "%s%c: ", line->len > start ? ", " : "", (char)('a' + i));
		tc_buf_append_text(line, tc_cause_phrase(tc_text_from(strip->causes[i].name)));
	}
	tc_buf_append_string(line, line->len > start ? "." : "");
}

static void put_rows(struct tc_job *job, struct strip *strip)
{
	const struct tc_text device = device_of(strip);
	const struct tc_page_track *host = busiest(strip, TC_TRACK_HOST);
	bool ascii = job->options.ascii;
	struct tc_buf *text;

	read_idle(strip, device);
	tc_doc_heading(&job->doc, "");
	tc_buf_format(&job->doc.text, "The worst place, %s after the start",
		tc_show_ns(tc_sub_saturated(strip->place.ts, strip->tracks.start_ns)).text);
	text = tc_doc_code(&job->doc, "text");
	if (device.len > 0)
		append_device(text, strip, device, ascii);
	if (strip->cause_count > 0)
		append_idle(text, strip);
	if (host) {
		tc_buf_append_string(text, "host    ");
		append_blocks(text, strip, &strip->rows[host - strip->tracks.all], ascii);
	}
	append_bracket(text, strip, ascii);
	put_causes(&job->doc, strip);
}

void tc_put_strip(struct tc_job *job, const struct tc_view *view, const struct tc_finding *finding)
{
	struct tc_finding only = *finding;
	const struct tc_advice advice = {.findings = &only, .finding_count = 1};
	struct strip strip = {0};

	tc_page_tracks_load(&strip.tracks, job->ctx, job->db, view->id);
	strip.place = tc_place_find(&strip.tracks, &advice);
	strip.rows = tc_new(job->ctx, strip.tracks.count + 1, sizeof(*strip.rows));
	if (strip.place.found && strip.rows) {
		set_time(&strip, job->options.width);
		read_slices(&strip);
		put_rows(job, &strip);
	}
	tc_free(strip.rows);
	tc_page_tracks_clear(&strip.tracks);
}
