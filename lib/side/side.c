/*
 * Side files into the store: which file belongs to which trace, which reader reads it, and the file
 * as lines and rows for the reader. The first bytes of a file decide its kind, never its name. A
 * file that the user named must be readable; one that was found beside a trace is left alone when
 * it is not.
 */
#include "side/side.h"

#include <assert.h>

#include "core/array.h"
#include "core/limits.h"
#include "core/text/decimal.h"
#include "core/text/utf8.h"
#include "model/output.h"
#include "side/reader.h"

enum { PEEK_BYTES = 4096, READ_BYTES = 64 * 1024 };

static const struct tc_side_reader *const readers[] = {
#define TC_SIDE_READER(reader) &tc_side_##reader,
#include "side/readers.def"
#undef TC_SIDE_READER
};

enum { READER_COUNT = TC_COUNT_OF(readers) };

/* ---- the first bytes */

bool tc_sniff_is_json(struct tc_text head)
{
	struct tc_text text = tc_text_trim(head);

	if (text.len == 0 || (text.ptr[0] != '[' && text.ptr[0] != '{'))
		return false;
	struct tc_text inside = tc_text_trim((struct tc_text){text.ptr + 1, text.len - 1});
	if (text.ptr[0] == '{')
		return inside.len > 0 && inside.ptr[0] == '"';
	return inside.len > 0 && (inside.ptr[0] == '{' || inside.ptr[0] == '[');
}

bool tc_sniff_has_heading(struct tc_text head, const char *const *words)
{
	struct tc_text line = tc_text_trim(head);
	const char *end = line.len > 0 ? memchr(line.ptr, '\n', line.len) : NULL;

	if (end)
		line = tc_text_before(line, end);
	while (*words && tc_text_contains(line, tc_text_from(*words)))
		words++;
	return !*words;
}

/* ---- the file as lines and rows */

void tc_side_refuse(struct tc_side_file *file, const char *reason)
{
	tc_fail(file->ctx, TC_ERR_INPUT,
		"%s: not a side file of a known kind: %s; docs/side-files.md lists the kinds",
		file->path, reason);
}

/* Opens a file for reading; close it also after a failure. One that the user did not name fails
 * with TC_ERR_INPUT unless it is a regular file. */
static void open_file(
	struct tc_side_file *file, struct tc_ctx *ctx, sqlite3 *db, const char *path, bool is_given)
{
	*file = (struct tc_side_file){.ctx = ctx,
		.path = path,
		.tables = TC_TABLES_OF(ctx, db),
		.bytes.ctx = ctx,
		.clean.ctx = ctx};
	if (is_given)
		tc_source_open(&file->source, ctx, path);
	else
		tc_source_open_regular(&file->source, ctx, path);
}

static void close_file(struct tc_side_file *file)
{
	tc_tables_end(&file->tables);
	tc_source_close(file->source);
	tc_buf_clear(&file->bytes);
	tc_buf_clear(&file->clean);
}

/* Reads the next bytes after those not yet used. */
static void fill(struct tc_side_file *file)
{
	size_t len = 0;

	if (tc_ctx_interrupted(file->ctx)) {
		tc_fail(file->ctx, TC_ERR_INTERRUPTED, "interrupted");
		return;
	}
	tc_buf_consume(&file->bytes, file->at);
	file->at = 0;
	char *room = tc_buf_extend(&file->bytes, READ_BYTES);
	if (!room)
		return;
	tc_source_read(file->source, room, READ_BYTES, &len);
	if (tc_ctx_failed(file->ctx))
		return;
	file->bytes.len -= READ_BYTES - len;
	file->read_bytes += (int64_t)len;
	file->ended = len == 0;
}

static struct tc_text rest(const struct tc_side_file *file)
{
	struct tc_text text = tc_buf_text(&file->bytes);

	return (struct tc_text){text.ptr + file->at, text.len - file->at};
}

/* The first bytes, which stay unread; none after a failure. */
static struct tc_text peek(struct tc_side_file *file)
{
	while (!tc_ctx_failed(file->ctx) && !file->ended && rest(file).len < PEEK_BYTES)
		fill(file);
	if (tc_ctx_failed(file->ctx))
		return TC_TEXT_NONE;
	if (file->read_bytes == (int64_t)rest(file).len &&
		tc_text_starts(rest(file), TC_TEXT("\xef\xbb\xbf")))
		file->at += 3;
	struct tc_text head = rest(file);
	if (head.len > PEEK_BYTES)
		head.len = PEEK_BYTES;
	return head;
}

/* Replaces NUL and bytes that are not UTF-8 by U+FFFD. */
static void clean(struct tc_side_file *file, struct tc_text *text)
{
	if (tc_utf8_valid(*text) && (text->len == 0 || !memchr(text->ptr, '\0', text->len)))
		return;
	tc_buf_reset(&file->clean);
	for (const char *p = text->ptr, *end = text->ptr + text->len; p < end;) {
		bool cut;
		int step = tc_utf8_step(p, end, &cut);
		size_t len = (size_t)(step < 0 ? -step : step);
		if (step < 0 || *p == '\0')
			tc_buf_append_string(&file->clean, TC_UTF8_REPLACEMENT);
		else
			tc_buf_append(&file->clean, p, len);
		p += len;
	}
	*text = tc_buf_text(&file->clean);
}

/* Takes len bytes and an end of line, if there is one. */
static struct tc_text take_line(struct tc_side_file *file, size_t len, bool has_end)
{
	struct tc_text line = {rest(file).ptr, len};

	file->at += len + has_end;
	file->line_count++;
	if (len > 0 && line.ptr[len - 1] == '\r')
		line.len--;
	return line;
}

/* Finds the next line, reading more when it is not whole; a line that is too long is skipped. */
static bool find_line(struct tc_side_file *file, struct tc_text *line)
{
	while (!tc_ctx_failed(file->ctx)) {
		struct tc_text text = rest(file);
		const char *end = text.len > 0 ? memchr(text.ptr, '\n', text.len) : NULL;
		if (!end && file->ended && text.len == 0 && !file->too_long)
			return false;
		if (end || file->ended) {
			*line = take_line(file, end ? (size_t)(end - text.ptr) : text.len, end);
			return true;
		}
		if (text.len > TC_SIDE_LINE_MAX_BYTES) {
			file->too_long = true;
			file->at = file->bytes.len;
		}
		fill(file);
	}
	return false;
}

bool tc_side_file_line(struct tc_side_file *file, struct tc_text *line)
{
	bool found = find_line(file, line);

	while (found && (file->too_long || line->len > TC_SIDE_LINE_MAX_BYTES)) {
		file->too_long = false;
		tc_side_file_damaged(file);
		found = find_line(file, line);
	}
	if (found)
		clean(file, line);
	return found && !tc_ctx_failed(file->ctx);
}

struct tc_text tc_side_file_all(struct tc_side_file *file)
{
	while (!tc_ctx_failed(file->ctx) && !file->ended) {
		if (rest(file).len > TC_SIDE_WHOLE_MAX_BYTES)
			tc_fail(file->ctx, TC_ERR_LIMIT,
				"%s: larger than %d MiB, too large for a metrics file: keep its "
				"last dumps only",
				file->path, TC_SIDE_WHOLE_MAX_BYTES / (1024 * 1024));
		else
			fill(file);
	}
	struct tc_text text = rest(file);
	file->at = file->bytes.len;
	clean(file, &text);
	return tc_ctx_failed(file->ctx) ? TC_TEXT("") : text;
}

void tc_side_file_damaged(struct tc_side_file *file)
{
	if (file->damaged_count++ == 0)
		file->first_damaged_line = file->line_count;
}

void tc_side_file_put(struct tc_side_file *file, const struct tc_side_table *table,
	const struct tc_sql_value *values, size_t count)
{
	struct tc_sql_value row[TC_SIDE_COLUMN_MAX + 2] = {
		tc_sql_int(file->trace_id), tc_sql_int(file->id)};

	assert(count <= TC_SIDE_COLUMN_MAX);
	if (tc_ctx_failed(file->ctx))
		return;
	if (file->row_count >= TC_SIDE_ROW_MAX_COUNT) {
		file->dropped_count++;
		return;
	}
	memcpy(row + 2, values, count * sizeof(*values));
	tc_tables_put(&file->tables, table->columns, row, count + 2);
	file->row_count += !tc_ctx_failed(file->ctx);
}

/* ---- the account of a file */

/* Logs the damage found in the file, and the rows read. */
static void put_logs(
	struct tc_side_file *file, const struct tc_side_reader *reader, const char *origin)
{
	const struct tc_sql_value path = tc_sql_string(file->path);
	struct tc_tables *tables = &file->tables;

	TC_LOG_PUT(tables, file->trace_id, TC_LOG_SIDE_FILE, 1, "%s, %s, %s: %d rows", path,
		tc_sql_string(reader->name),
		tc_sql_string(strcmp(origin, "found") == 0 ? "found beside the trace" : "given"),
		tc_sql_int(file->row_count));
	const char *damage = file->first_damaged_line > 0 ? "%s: the first is line %d" : "%s";
	TC_LOG_PUT(tables, file->trace_id, TC_LOG_SIDE_DAMAGED, file->damaged_count, damage, path,
		tc_sql_int(file->first_damaged_line));
	TC_LOG_PUT(tables, file->trace_id, TC_LOG_SIDE_UNPAIRED, file->unpaired_count, "%s", path);
	TC_LOG_PUT(tables, file->trace_id, TC_LOG_SIDE_LIMIT, file->dropped_count, "%s", path);
	TC_LOG_PUT(tables, file->trace_id, TC_LOG_SIDE_DAMAGED, tc_source_loss(file->source).count,
		"%s", path);
}

static void set_capability(struct tc_side_file *file, const char *name)
{
	const struct tc_sql_value values[] = {tc_sql_string(name), tc_sql_int(file->trace_id)};

	TC_TABLES_PUT(&file->tables,
		"UPDATE metric SET value = 1 WHERE name = ? AND trace_id = ? AND step IS NULL",
		values);
}

/* Capabilities that go by what is in a file, and whether the file with an id has it. */
static const struct {
	const char *capability, *sql;
} contents[] = {
	/* Any text may be a log: without a line of the bridge it shows nothing of the bridge. */
	{"has_side_log", "SELECT 1 FROM side_log WHERE source = ?1"},
	{"has_recipe_cache",
		"SELECT 1 WHERE EXISTS (SELECT 1 FROM side_metric WHERE source = ?1 AND metric = "
		"'recipe_cache') OR EXISTS (SELECT 1 FROM side_log WHERE source = ?1 AND kind IN "
		"('recipe_hit', 'recipe_miss'))"},
	{"has_fallback_counts",
		"SELECT 1 WHERE EXISTS (SELECT 1 FROM side_metric WHERE source = ?1 AND metric = "
		"'cpu_fallback') OR EXISTS (SELECT 1 FROM side_log WHERE source = ?1 AND kind IN "
		"('cpu_fallback', 'cpu_fallback_total'))"},
	{"has_fallbacks",
		"SELECT 1 WHERE EXISTS (SELECT 1 FROM side_metric WHERE source = ?1 AND metric = "
		"'cpu_fallback') OR EXISTS (SELECT 1 FROM side_log WHERE source = ?1 AND kind IN "
		"('cpu_fallback', 'cpu_fallback_total'))"},
	{"has_compiles", "SELECT 1 FROM side_compile c JOIN side_file f USING (trace_id, path) "
			 "WHERE f.id = ?1"},
	{"has_memory_growth",
		"SELECT 1 FROM side_defragmentation d JOIN side_file f USING (trace_id, path)"
		" WHERE f.id = ?1"},
};

static void set_capabilities(struct tc_side_file *file, const struct tc_side_reader *reader)
{
	const struct tc_sql_value source = tc_sql_int(file->id);

	if (reader->capability)
		set_capability(file, reader->capability);
	for (size_t i = 0; i < TC_COUNT_OF(contents) && !tc_ctx_failed(file->ctx); i++) {
		int64_t value;
		if (tc_tables_find(&value, &file->tables, contents[i].sql, &source))
			set_capability(file, contents[i].capability);
	}
}

static void put_file(
	struct tc_side_file *file, const struct tc_side_reader *reader, const char *origin)
{
	static const char into[] = "side_file (id, trace_id, path, kind, origin, read_bytes,"
				   " row_count, damaged_count)";
	const struct tc_sql_value values[] = {tc_sql_int(file->id), tc_sql_int(file->trace_id),
		tc_sql_string(file->path), tc_sql_string(reader->name), tc_sql_string(origin),
		tc_sql_int(file->read_bytes), tc_sql_int(file->row_count),
		tc_sql_int(file->damaged_count)};

	TC_TABLES_PUT(&file->tables, into, values);
	put_logs(file, reader, origin);
	set_capabilities(file, reader);
}

static void read_file(
	struct tc_side_file *file, const struct tc_side_reader *reader, const char *origin)
{
	if (!tc_tables_find(&file->id, &file->tables, "SELECT count(*) FROM side_file", NULL))
		return;
	reader->read(file);
	put_file(file, reader, origin);
	if (!tc_ctx_failed(file->ctx) && file->row_count == 0 && strcmp(origin, "given") == 0)
		tc_ctx_note(file->ctx, TC_NOTE_WARNING,
			"%s: read as a side file (%s), but nothing in it tells of the run: if that "
			"is not the file, give another",
			file->path, reader->name);
}

/* ---- the trace of a file */

/* N of the last "-rankN" in the file's name, or -1. */
static int64_t rank_in_name(const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	int64_t rank = -1;

	while ((name = strstr(name, "-rank")) != NULL) {
		size_t len = strspn(name += 5, "0123456789");
		if (len > 0 && !tc_decimal_int64(&rank, (struct tc_text){name, len}))
			rank = -1;
	}
	return rank;
}

/* A file without a rank in its name belongs to the first input. */
static void choose_first(struct tc_side_file *file)
{
	bool found = tc_tables_find(&file->trace_id, &file->tables,
		"SELECT min(id) FROM trace WHERE NOT EXISTS (SELECT 1 FROM left_out WHERE id = 0)",
		NULL);
	if (!found && !tc_ctx_failed(file->ctx))
		tc_fail(file->ctx, TC_ERR_INPUT,
			"%s: belongs to the first trace given, which was left out: give a trace "
			"that "
			"can be read first",
			file->path);
}

/* The trace of the rank in the name; a single trace of unknown rank also matches. */
static void choose_trace(struct tc_side_file *file)
{
	int64_t rank = rank_in_name(file->path);
	const struct tc_sql_value value = tc_sql_int(rank);

	if (rank < 0) {
		choose_first(file);
		return;
	}
	bool found = tc_tables_find(
		&file->trace_id, &file->tables, "SELECT min(id) FROM trace WHERE rank = ?", &value);
	if (!found)
		found = tc_tables_find(&file->trace_id, &file->tables,
			"SELECT id FROM trace WHERE rank IS NULL AND (SELECT count(*) FROM trace) "
			"+ (SELECT count(*) FROM left_out) = 1",
			NULL);
	if (!found && !tc_ctx_failed(file->ctx))
		tc_fail(file->ctx, TC_ERR_INPUT,
			"%s: its name says rank %lld, but no trace of that rank was given: give "
			"that "
			"trace too, or rename the file",
			file->path, (long long)rank);
}

/* ---- the reader of a file */

/* The reader of such a file, or NULL with the reason. */
static const struct tc_side_reader *choose_reader(struct tc_text head, const char **reason)
{
	*reason = "it is a trace: name it without --with";
	if (tc_text_contains(head, TC_TEXT("\"traceEvents\"")))
		return NULL;
	for (int i = 0; i < READER_COUNT; i++)
		if (readers[i]->is_it(head))
			return readers[i];
	*reason = tc_sniff_is_json(head) ? "it is JSON, but not a metrics file" : "it is not text";
	return NULL;
}

const char *tc_side_kind(const char *path)
{
	struct tc_ctx *own = tc_ctx_new(); /* errors of the file are not errors of the run */
	struct tc_side_file file;
	const char *kind = NULL;

	if (!own)
		return NULL;
	open_file(&file, own, NULL, path, false);
	struct tc_text head = peek(&file);
	for (int i = 0; i < READER_COUNT && !kind && !tc_ctx_failed(own); i++)
		if (readers[i] != &tc_side_log && readers[i]->is_it(head))
			kind = readers[i]->name;
	close_file(&file);
	tc_ctx_free(own);
	return kind;
}

static void read_given(struct tc_ctx *ctx, sqlite3 *db, const char *path)
{
	struct tc_side_file file;
	const char *reason = "";

	open_file(&file, ctx, db, path, true);
	if (!tc_ctx_failed(ctx))
		choose_trace(&file);
	struct tc_text head = peek(&file);
	const struct tc_side_reader *reader = choose_reader(head, &reason);
	if (reader && !tc_ctx_failed(ctx))
		read_file(&file, reader, "given");
	else if (!tc_ctx_failed(ctx))
		tc_side_refuse(&file, reason);
	close_file(&file);
}

/* Reads the file if it exists and is of the kind that its name promises. The user did not name it,
 * so it is no error when it is missing, unreadable, empty, a FIFO, or CSV in a build without
 * libcsv. */
static void read_found(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id, const char *path,
	const struct tc_side_reader *reader)
{
	struct tc_side_file file;
	const char *reason;

	open_file(&file, ctx, db, path, false);
	file.trace_id = trace_id;
	struct tc_text head = peek(&file);
	bool left_alone = tc_ctx_status(ctx) == TC_ERR_READ;
	if (!tc_ctx_failed(ctx) && choose_reader(head, &reason) == reader)
		read_file(&file, reader, "found");
	close_file(&file);
	if (left_alone || tc_ctx_status(ctx) == TC_ERR_INPUT)
		tc_ctx_clear_error(ctx);
}

/* ---- files beside traces */

/* The path without ".json" and the ending of a compressed file; ptr NULL for other names. */
static struct tc_text base_of(const char *path)
{
	static const char *const ends[] = {".json", ".json.gz", ".json.zst"};
	struct tc_text text = tc_text_from(path);

	for (size_t i = 0; i < TC_COUNT_OF(ends); i++) {
		size_t len = strlen(ends[i]);
		if (text.len > len && tc_text_ends(text, tc_text_from(ends[i])))
			return (struct tc_text){path, text.len - len};
	}
	return TC_TEXT_NONE;
}

/* The reader with this index among those whose files lie beside traces; NULL after the last. */
static const struct tc_side_reader *beside_at(size_t index)
{
	for (int i = 0; i < READER_COUNT; i++)
		if (readers[i]->beside && index-- == 0)
			return readers[i];
	return NULL;
}

bool tc_side_beside(struct tc_buf *path, const char *trace_path, size_t index)
{
	struct tc_text base = base_of(trace_path);
	const struct tc_side_reader *reader = beside_at(index);

	if (!base.ptr || !reader)
		return false;
	tc_buf_reset(path);
	tc_buf_append_text(path, base);
	tc_buf_append_string(path, reader->beside);
	return true;
}

void tc_side_find(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id, const char *trace_path)
{
	struct tc_buf path = {.ctx = ctx};

	for (size_t i = 0; !tc_ctx_failed(ctx) && tc_side_beside(&path, trace_path, i); i++) {
		const char *name = tc_buf_string(&path);
		if (name)
			read_found(ctx, db, trace_id, name, beside_at(i));
	}
	tc_buf_clear(&path);
}

void tc_side_read(struct tc_ctx *ctx, sqlite3 *db, const char *const *paths, size_t count)
{
	for (size_t i = 0; i < count && !tc_ctx_failed(ctx); i++)
		read_given(ctx, db, paths[i]);
}
