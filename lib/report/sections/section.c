/*
 * Sections: their files are read once for a report (the form is in sections/README.md), and shown
 * as tables of a document and as arrays of the JSON report.
 */
#include "report/sections/section.h"

#include <stddef.h>
#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/embedded.h"
#include "core/text.h"
#include "report/text/format.h"
#include "report/view/view.h"
#include "store/connection.h"
#include "store/sql.h"

extern const struct tc_embedded tc_section_texts[];

struct reader {
	struct tc_arena *arena; /* a fault fails its context */
	struct tc_section *section;
	int line;
	struct tc_section_query *query; /* being read, in the section; NULL in the header */
	struct tc_buf text;             /* of it */
};

static void fault(const struct reader *reader, const char *what)
{
	tc_fail(reader->arena->ctx, TC_ERR_INTERNAL, "sections/%s.sql:%d: %s", reader->section->id,
		reader->line, what);
}

/* Cuts the first word off *rest. */
static struct tc_text cut_word(struct tc_text *rest)
{
	const char *blank = rest->len > 0 ? memchr(rest->ptr, ' ', rest->len) : NULL;
	size_t len = blank ? (size_t)(blank - rest->ptr) : rest->len;
	struct tc_text word = {rest->ptr, len};

	*rest = tc_text_trim((struct tc_text){rest->ptr + len, rest->len - len});
	return word;
}

static bool is(struct tc_text text, const char *word)
{
	return tc_text_equal(text, tc_text_from(word));
}

static bool read_number(int *out, struct tc_text text)
{
	int number = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9' || i > 6)
			return false;
		number = 10 * number + (text.ptr[i] - '0');
	}
	*out = number;
	return text.len > 0;
}

static bool take_place(struct reader *reader, struct tc_text value)
{
	reader->section->page = tc_arena_dup(reader->arena, cut_word(&value));
	return read_number(&reader->section->place, value);
}

static bool take_step(struct reader *reader, struct tc_text value)
{
	reader->section->hides_in_step = true;
	return is(value, "no");
}

static bool take_costly(struct reader *reader, struct tc_text value)
{
	while (value.len > 0) {
		struct tc_text word = cut_word(&value);
		if (is(word, "text"))
			reader->section->is_costly_text = true;
		else if (is(word, "json"))
			reader->section->is_costly_json = true;
		else
			return false;
	}
	return true;
}

/* "traces[].operators.phases 50"; "plan". */
static bool take_json(struct reader *reader, struct tc_text value)
{
	static const char *const scopes[] = {[TC_SECTION_OF_TRACE] = "traces[].",
		[TC_SECTION_OF_DEVICE] = "traces[].devices[]."};
	struct tc_section *section = reader->section;
	struct tc_text path = cut_word(&value);
	size_t skipped = 0;

	for (int scope = TC_SECTION_OF_TRACE; scope <= TC_SECTION_OF_DEVICE; scope++)
		if (tc_text_starts(path, tc_text_from(scopes[scope]))) {
			section->scope = (enum tc_section_scope)scope;
			skipped = strlen(scopes[scope]);
		}
	path = (struct tc_text){path.ptr + skipped, path.len - skipped};
	const char *dot = path.len > 0 ? memchr(path.ptr, '.', path.len) : NULL;
	if (dot) {
		size_t len = (size_t)(dot - path.ptr);
		section->group = tc_arena_dup(reader->arena, (struct tc_text){path.ptr, len});
		path = (struct tc_text){dot + 1, path.len - len - 1};
	}
	section->key = tc_arena_dup(reader->arena, path);
	return path.len > 0 && (value.len == 0 || read_number(&section->json_place, value));
}

#define MEMBER(name) offsetof(struct tc_section, name)

/* A key is a text, a number, or has a function, which returns false for a wrong value. */
static const struct key {
	const char *name;
	size_t text, number; /* where it is kept in the section; 0 for none */
	bool (*take)(struct reader *reader, struct tc_text value);
} keys[] = {
	{"title", MEMBER(title), 0, NULL},
	{"place", 0, 0, take_place},
	{"picture", MEMBER(picture), 0, NULL},
	{"rows", 0, MEMBER(rows.most), NULL},
	{"step", 0, 0, take_step},
	{"costly", 0, 0, take_costly},
	{"keep", MEMBER(keep), 0, NULL},
	{"note-column", 0, MEMBER(note_column), NULL},
	{"json", 0, 0, take_json},
};

static bool take_value(struct reader *reader, const struct key *key, struct tc_text value)
{
	char *section = (char *)reader->section;

	if (key->take)
		return key->take(reader, value);
	if (key->number)
		return read_number((int *)(void *)(section + key->number), value);
	const char *text = tc_arena_dup(reader->arena, value);
	memcpy(section + key->text, &text, sizeof(text));
	return value.len > 0;
}

/* A comment above the first query: "key: value", or words for the reader of the file. */
static void take_header(struct reader *reader, struct tc_text text)
{
	for (size_t i = 0; i < TC_COUNT_OF(keys); i++) {
		size_t len = strlen(keys[i].name);
		if (!tc_text_starts(text, tc_text_from(keys[i].name)) || len >= text.len ||
			text.ptr[len] != ':')
			continue;
		struct tc_text value = {text.ptr + len + 1, text.len - len - 1};
		if (!take_value(reader, &keys[i], tc_text_trim(value)))
			fault(reader, "a wrong value");
	}
}

/* 'ns "busy"' behind an expression of the first query. */
static void take_column(struct reader *reader, struct tc_text text)
{
	static const char *const units[] = {
		[TC_SECTION_NS] = "ns",
		[TC_SECTION_PCT] = "pct",
		[TC_SECTION_BYTES] = "bytes",
		[TC_SECTION_COUNT] = "count",
		[TC_SECTION_NAME] = "name",
		[TC_SECTION_PART] = "part",
		[TC_SECTION_CAUSE] = "cause",
	};
	struct tc_section *section = reader->section;
	struct tc_text unit = cut_word(&text);
	size_t at = 0;

	while (at < TC_COUNT_OF(units) && !is(unit, units[at]))
		at++;
	if (at == TC_COUNT_OF(units)) {
		fault(reader, "no unit of a column");
	} else if (text.len < 2 || text.ptr[0] != '"' || text.ptr[text.len - 1] != '"') {
		fault(reader, "no title of a column, in double quotes");
	} else if (section->column_count == TC_SECTION_COLUMNS) {
		fault(reader, "too many columns");
	} else {
		section->units[section->column_count] = (enum tc_section_unit)at;
		section->titles[section->column_count++] =
			tc_arena_dup(reader->arena, (struct tc_text){text.ptr + 1, text.len - 2});
	}
}

static void end_query(struct reader *reader)
{
	if (reader->query && (reader->text.len > 0 || tc_buf_failed(&reader->text)))
		reader->query->sql = tc_arena_keep(reader->arena, &reader->text);
}

/* Words of a column stand behind a line of the first query. */
static void take_query_line(struct reader *reader, struct tc_text line)
{
	size_t at = 0;

	TC_APPEND(&reader->text, line, TC_TEXT("\n"));
	if (reader->query != &reader->section->rows || tc_text_starts(line, TC_TEXT("--")))
		return;
	while (at + 4 <= line.len && memcmp(line.ptr + at, " -- ", 4) != 0)
		at++;
	if (at + 4 <= line.len)
		take_column(reader, (struct tc_text){line.ptr + at + 4, line.len - at - 4});
}

static void take_line(struct reader *reader, struct tc_text line)
{
	struct tc_section *section = reader->section;
	bool is_json = is(line, "-- @json"), is_note = is(line, "-- @note");

	if (is_json || is_note) {
		end_query(reader);
		reader->query = is_json ? &section->json : &section->note;
	} else if (!reader->query && tc_text_starts(line, TC_TEXT("--"))) {
		take_header(reader, tc_text_trim((struct tc_text){line.ptr + 2, line.len - 2}));
	} else {
		if (!reader->query)
			reader->query = &section->rows;
		take_query_line(reader, line);
	}
}

static void read_file(
	struct tc_section *section, struct tc_arena *arena, const struct tc_embedded *file)
{
	struct reader reader = {.arena = arena, .section = section, .text = {.ctx = arena->ctx}};
	const char *next = file->text, *end = file->text + file->len;

	*section = (struct tc_section){.id = file->name, .title = "", .note_column = -1};
	for (reader.line = 1; next < end && !tc_ctx_failed(arena->ctx); reader.line++) {
		const char *feed = memchr(next, '\n', (size_t)(end - next));
		const char *stop = feed ? feed : end;
		take_line(&reader, (struct tc_text){next, (size_t)(stop - next)});
		next = stop + 1;
	}
	end_query(&reader);
	tc_buf_clear(&reader.text);
	if (tc_ctx_failed(arena->ctx))
		return;
	if ((section->page != NULL) != (section->rows.sql != NULL))
		fault(&reader, "a place and a first query belong together");
	else if ((section->key != NULL) != (section->json.sql != NULL))
		fault(&reader, "'json' and '@json' belong together");
}

TC_ORDER_OF_POINTERS(by_place, struct tc_section, TC_UP(place));
TC_ORDER_OF_POINTERS(by_json_place, struct tc_section, TC_UP(json_place));

struct tc_sections *tc_sections_new(struct tc_ctx *ctx)
{
	struct tc_sections *sections = tc_new(ctx, 1, sizeof(*sections));

	if (!sections)
		return NULL;
	struct tc_arena *arena = &sections->arena;
	arena->ctx = ctx;
	while (tc_section_texts[sections->count].name)
		sections->count++;
	TC_ARENA(arena, sections->all, sections->count);
	TC_ARENA(arena, sections->by_place, sections->count);
	TC_ARENA(arena, sections->by_json_place, sections->count);
	for (size_t i = 0; i < sections->count && !tc_ctx_failed(ctx); i++) {
		sections->by_place[i] = sections->by_json_place[i] = &sections->all[i];
		read_file(&sections->all[i], arena, &tc_section_texts[i]);
	}
	if (tc_ctx_failed(ctx)) {
		tc_sections_free(sections);
		return NULL;
	}
	TC_SORT(sections->by_place, sections->count, by_place);
	TC_SORT(sections->by_json_place, sections->count, by_json_place);
	return sections;
}

void tc_sections_free(struct tc_sections *sections)
{
	if (!sections)
		return;
	for (size_t i = 0; i < sections->count && sections->all; i++) {
		sqlite3_finalize(sections->all[i].rows.kept);
		sqlite3_finalize(sections->all[i].note.kept);
		sqlite3_finalize(sections->all[i].json.kept);
	}
	tc_arena_clear(&sections->arena);
	tc_free(sections);
}

/* ---- rows of a query as JSON */

void tc_json_columns(struct tc_json *json, const struct tc_rows *row, int count)
{
	for (int i = 0; i < count; i++) {
		const char *name = sqlite3_column_name(row->stmt, i);
		if (!name) {
			json->sink->buf.failed = true;
			return;
		}
		int type = sqlite3_column_type(row->stmt, i);
		if (type == SQLITE_INTEGER)
			tc_json_int(json, name, tc_rows_int(row, i));
		else if (type == SQLITE_FLOAT)
			tc_json_real(json, name, tc_rows_real(row, i));
		else
			tc_json_text(json, name, tc_rows_text(row, i));
	}
}

/* ---- tables, and arrays */

static void show_ns(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct tc_shown shown = tc_show_ns(sqlite3_value_int64(values[0]));

	(void)count;
	sqlite3_result_text(context, shown.text, -1, SQLITE_TRANSIENT);
}

void tc_sections_add_functions(struct tc_ctx *ctx, sqlite3 *db)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
	int code = sqlite3_create_function(db, "show_ns", 1, flags, NULL, show_ns, NULL, NULL);

	if (code != SQLITE_OK)
		tc_store_fail(ctx, db, "add a function for the report");
}

/* None after a failure. */
static const struct tc_sections *sections_of(struct tc_job *job)
{
	static const struct tc_sections none;

	if (!job->sections && !tc_ctx_failed(job->ctx))
		job->sections = tc_sections_new(job->ctx);
	return job->sections ? job->sections : &none;
}

static void put_cell(struct tc_doc *doc, enum tc_section_unit unit, const struct tc_view *view,
	const struct tc_rows *row, int column)
{
	if (tc_rows_null(row, column)) {
		tc_doc_cell_string(doc, "-");
		return;
	}
	switch (unit) {
	case TC_SECTION_NS: tc_doc_cell_ns(doc, tc_rows_int(row, column)); break;
	case TC_SECTION_PCT: tc_doc_cell_pct(doc, tc_rows_real(row, column)); break;
	case TC_SECTION_BYTES: tc_doc_cell_bytes(doc, tc_rows_int(row, column)); break;
	case TC_SECTION_COUNT: tc_doc_cell_count(doc, tc_rows_int(row, column)); break;
	case TC_SECTION_PART:
		tc_doc_cell_text(doc, tc_part_title(tc_rows_text(row, column)));
		break;
	case TC_SECTION_CAUSE:
		tc_doc_cell_text(doc, tc_cause_phrase(tc_rows_text(row, column)));
		break;
	case TC_SECTION_NAME:
		tc_names_append(view->names, tc_doc_cell(doc), tc_rows_text(row, column));
		break;
	}
}

#define ROWS 100 /* of an array, unless --top asks for more */

/* Starts a query. Its statement is prepared the first time, and serves every trace and device of
 * the report; end() readies it for the next one. */
static struct tc_rows begin(
	struct tc_job *job, struct tc_section_query *query, const struct tc_query_place *place)
{
	const int64_t top = place && place->top ? place->top : job->options.top;
	const struct {
		const char *name;
		int64_t value;
	} known[] = {{":trace", place ? place->trace_id : -1}, {":step", job->options.step},
		{":top", top}, {":limit", place && place->limit ? place->limit : top + 1},
		{":rows", top > ROWS ? top : ROWS}};

	if (!query->kept)
		query->kept = tc_rows_prepare(job->ctx, job->db, query->sql).stmt;
	struct tc_rows rows = {job->ctx, job->db, query->kept, true};
	for (size_t i = 0; i < TC_COUNT_OF(known) && rows.stmt; i++) {
		int at = sqlite3_bind_parameter_index(rows.stmt, known[i].name);
		if (at > 0)
			tc_rows_bind(&rows, at, known[i].value);
	}
	int at = rows.stmt ? sqlite3_bind_parameter_index(rows.stmt, ":device") : 0;
	if (at > 0)
		tc_rows_bind_text(&rows, at, tc_text_from(place->device));
	return rows;
}

static void end(struct tc_rows *rows)
{
	if (!rows->stmt)
		return; /* it could not be prepared, and the context knows why */
	sqlite3_reset(rows->stmt);
	sqlite3_clear_bindings(rows->stmt);
}

static void put_note(
	struct tc_job *job, struct tc_section *section, const struct tc_query_place *place)
{
	struct tc_rows rows = begin(job, &section->note, place);

	while (tc_rows_next(&rows))
		tc_buf_append_text(section->note_column < 0
					   ? tc_doc_paragraph(&job->doc)
					   : tc_doc_column_note(&job->doc, section->note_column),
			tc_rows_text(&rows, 0));
	end(&rows);
}

static void put_section(struct tc_job *job, const struct tc_view *view, struct tc_section *section)
{
	const int most = section->rows.most ? section->rows.most : job->options.top;
	const struct tc_query_place place = {.trace_id = view->id, .limit = (int64_t)most + 1};
	int count = 0;
	TC_TIMED(job->ctx, "section", section->id);

	tc_doc_heading(&job->doc, section->title);
	tc_doc_table(&job->doc, section->titles);
	if (section->picture)
		tc_doc_picture(&job->doc, section->picture);
	struct tc_rows rows = begin(job, &section->rows, &place);
	while (tc_rows_next(&rows) && count++ < most)
		for (int c = 0; c < section->column_count; c++)
			put_cell(&job->doc, section->units[c], view, &rows, c);
	end(&rows);
	bool is_cut = count > most && !section->rows.most;
	if (is_cut && tc_job_is_page(job))
		tc_buf_format(tc_doc_paragraph(&job->doc), "the first %d only", job->options.top);
	else if (is_cut)
		tc_buf_format(tc_doc_paragraph(&job->doc), "the first %d only; %s %lld shows more",
			job->options.top, tc_ctx_word(job->ctx, "--top"), 10LL * job->options.top);
	if (section->note.sql)
		put_note(job, section, &place);
}

void tc_put_sections(struct tc_job *job, const struct tc_view *view, const char *page)
{
	const struct tc_sections *sections = sections_of(job);

	for (size_t i = 0; i < sections->count; i++) {
		struct tc_section *section = sections->by_place[i];
		if (section->page && strcmp(section->page, page) == 0 &&
			!(section->hides_in_step && job->options.step >= 0) &&
			!(section->is_costly_text && !job->options.details))
			put_section(job, view, section);
	}
}

/* A temporary table of the same name hides the view in the statements of this connection. */
void tc_keep_costly(struct tc_job *job)
{
	if (!job->options.details || job->options.rank >= 0)
		return;
	int64_t traces = tc_rows_single(job->ctx, job->db, "SELECT count(*) FROM trace", 0);
	const struct tc_sections *sections = sections_of(job);
	for (size_t i = 0; i < sections->count && traces > 1; i++) {
		const char *view = sections->all[i].keep;
		struct tc_buf sql = TC_BUF_EMPTY;
		tc_buf_format(&sql, "CREATE TEMP TABLE IF NOT EXISTS %s AS SELECT * FROM main.%s",
			view, view);
		if (view)
			tc_sql_run(job->ctx, job->db, tc_buf_string(&sql), NULL, 0);
		tc_buf_clear(&sql);
	}
}

static void put_array(struct tc_json *json, struct tc_job *job, struct tc_section *section,
	const struct tc_query_place *place)
{
	TC_TIMED(job->ctx, "section", section->id);
	struct tc_rows rows = begin(job, &section->json, place);

	tc_json_array(json, section->key);
	while (tc_rows_next(&rows)) {
		tc_json_object(json, NULL);
		tc_json_columns(json, &rows, sqlite3_column_count(rows.stmt));
		tc_json_end(json);
	}
	tc_json_end(json);
	end(&rows);
}

void tc_json_section(struct tc_json *json, struct tc_job *job, const char *id,
	const struct tc_query_place *place)
{
	const struct tc_sections *sections = sections_of(job);

	for (size_t i = 0; i < sections->count; i++)
		if (strcmp(sections->all[i].id, id) == 0)
			put_array(json, job, &sections->all[i], place);
}

static bool is_group(const char *group, const char *other)
{
	return group && other && strcmp(group, other) == 0;
}

/* Arrays of one group follow each other: they are members of one object, which is null where they
 * are not asked for. */
void tc_json_sections(struct tc_json *json, struct tc_job *job, enum tc_section_scope scope,
	const struct tc_query_place *place)
{
	const struct tc_sections *sections = sections_of(job);
	const char *group = NULL;
	bool is_open = false;

	for (size_t i = 0; i < sections->count; i++) {
		struct tc_section *section = sections->by_json_place[i];
		if (!section->key || section->json_place == 0 || section->scope != scope)
			continue;
		bool is_hidden = section->is_costly_json && !job->options.details;
		if (!is_group(section->group, group)) {
			if (is_open)
				tc_json_end(json);
			group = section->group;
			is_open = group && !is_hidden;
			if (is_open)
				tc_json_object(json, group);
			else if (group)
				tc_json_null(json, group);
		}
		if (!is_hidden)
			put_array(json, job, section, place);
	}
	if (is_open)
		tc_json_end(json);
}
