/* Side files into the store; see side.h. */
#include "side/side.h"

#include "core/array.h"
#include "core/text/decimal.h"
#include "decode/sink.h"
#include "side/reader.h"
#include "side/sniff.h"

enum { PEEK_BYTES = 4096 };

static const struct tc_side_reader *const readers[] = {
#define TC_SIDE_READER(reader) &tc_side_##reader,
#include "side/readers.def"
#undef TC_SIDE_READER
};

enum { READER_COUNT = TC_COUNT_OF(readers) };

/* Names and severities of import_log's kinds. */
static const struct {
	const char *name, *severity;
} log_kinds[] = {
#define TC_LOG_KIND(id, name, severity, help) {name, severity},
#include "decode/log_kinds.def"
#undef TC_LOG_KIND
};

static void put_log(
	struct tc_side_file *file, enum tc_log_kind kind, int64_t count, struct tc_buf *message)
{
	static const char into[] = "import_log (trace_id, kind, severity, count, message)";
	const struct tc_sql_value values[] = {tc_sql_int(file->trace_id),
		tc_sql_string(log_kinds[kind].name), tc_sql_string(log_kinds[kind].severity),
		tc_sql_int(count), tc_sql_text(tc_buf_text(message))};

	if (tc_buf_failed(message))
		tc_side_no_memory(file);
	else if (count > 0 && !tc_ctx_failed(file->ctx))
		tc_sql_add(file->ctx, file->tables.db, into, values, TC_COUNT_OF(values));
}

/* Logs the damage found in the file, and what was read. */
static void put_logs(
	struct tc_side_file *file, const struct tc_side_reader *reader, const char *origin)
{
	struct tc_buf message = TC_BUF_EMPTY;

	tc_buf_format(&message, "%s, %s, %s: %lld rows", file->path, reader->name,
		strcmp(origin, "found") == 0 ? "found beside the trace" : "given",
		(long long)file->row_count);
	put_log(file, TC_LOG_SIDE_FILE, 1, &message);
	tc_buf_reset(&message);
	tc_buf_format(&message, "%s", file->path);
	if (file->first_damaged_line > 0)
		tc_buf_format(
			&message, ": the first is line %lld", (long long)file->first_damaged_line);
	put_log(file, TC_LOG_SIDE_DAMAGED, file->damaged_count, &message);
	tc_buf_reset(&message);
	tc_buf_format(&message, "%s", file->path);
	put_log(file, TC_LOG_SIDE_UNPAIRED, file->unpaired_count, &message);
	put_log(file, TC_LOG_SIDE_LIMIT, file->dropped_count, &message);
	put_log(file, TC_LOG_SIDE_DAMAGED, tc_source_loss(file->source).count, &message);
	tc_buf_clear(&message);
}

static void set_capability(struct tc_side_file *file, const char *name)
{
	const struct tc_sql_value values[] = {tc_sql_string(name), tc_sql_int(file->trace_id)};

	if (!tc_ctx_failed(file->ctx))
		tc_sql_run(file->ctx, file->tables.db,
			"UPDATE metric SET value = 1 WHERE name = ? AND trace_id = ? AND step IS "
			"NULL",
			values, 2);
}

/* Capabilities that several kinds of files may show, and whether the file with an id has it. */
static const struct {
	const char *capability, *sql;
} contents[] = {
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

	set_capability(file, reader->capability);
	for (size_t i = 0; i < TC_COUNT_OF(contents) && !tc_ctx_failed(file->ctx); i++) {
		int64_t value;
		bool found = false;
		tc_sql_lookup(&value, &found, file->ctx, file->tables.db, contents[i].sql, &source);
		if (found)
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

	if (tc_ctx_failed(file->ctx))
		return;
	tc_sql_add(file->ctx, file->tables.db, into, values, TC_COUNT_OF(values));
	put_logs(file, reader, origin);
	set_capabilities(file, reader);
}

static enum tc_status read_file(
	struct tc_side_file *file, const struct tc_side_reader *reader, const char *origin)
{
	bool found;

	if (tc_sql_lookup(&file->id, &found, file->ctx, file->tables.db,
		    "SELECT count(*) FROM side_file", NULL) == TC_OK) {
		reader->read(file);
		put_file(file, reader, origin);
	}
	return tc_ctx_status(file->ctx);
}

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
static enum tc_status choose_first(struct tc_side_file *file)
{
	bool found = false;
	enum tc_status status = tc_sql_lookup(&file->trace_id, &found, file->ctx, file->tables.db,
		"SELECT min(id) FROM trace WHERE NOT EXISTS (SELECT 1 FROM left_out WHERE id = 0)",
		NULL);

	if (status || found)
		return status;
	return tc_fail(file->ctx, TC_ERR_INPUT,
		"%s: belongs to the first trace given, which was left out: give a trace that "
		"can be read first",
		file->path);
}

/* The trace of the rank in the name; a single trace of unknown rank also matches. */
static enum tc_status choose_trace(struct tc_side_file *file)
{
	int64_t rank = rank_in_name(file->path);
	const struct tc_sql_value value = tc_sql_int(rank);
	bool found = false;
	enum tc_status status = TC_OK;

	if (rank < 0)
		return choose_first(file);
	status = tc_sql_lookup(&file->trace_id, &found, file->ctx, file->tables.db,
		"SELECT min(id) FROM trace WHERE rank = ?", &value);
	if (!status && !found)
		status = tc_sql_lookup(&file->trace_id, &found, file->ctx, file->tables.db,
			"SELECT id FROM trace WHERE rank IS NULL AND (SELECT count(*) FROM trace) "
			"+ (SELECT count(*) FROM left_out) = 1",
			NULL);
	if (status || found)
		return status;
	return tc_fail(file->ctx, TC_ERR_INPUT,
		"%s: its name says rank %lld, but no trace of that rank was given: give that "
		"trace too, or rename the file",
		file->path, (long long)rank);
}

/* The reader of such a file, or NULL with the reason in *what. */
static const struct tc_side_reader *choose_reader(struct tc_text head, const char **what)
{
	*what = "it is a trace: name it without --with";
	if (tc_text_contains(head, TC_TEXT("\"traceEvents\"")))
		return NULL;
	for (int i = 0; i < READER_COUNT; i++)
		if (readers[i]->is_it(head))
			return readers[i];
	*what = tc_sniff_is_json(head) ? "it is JSON, but not a metrics file" : "it is not text";
	return NULL;
}

const char *tc_side_kind(const char *path)
{
	struct tc_ctx *own = tc_ctx_new(); /* errors of the file are not errors of the run */
	struct tc_side_file file = {0};
	struct tc_text head = TC_TEXT_NONE;
	const char *kind = NULL;

	if (own && tc_side_file_open_found(&file, own, path) == TC_OK &&
		tc_side_file_peek(&file, PEEK_BYTES, &head) == TC_OK)
		for (int i = 0; i < READER_COUNT && !kind; i++)
			if (readers[i] != &tc_side_log && readers[i]->is_it(head))
				kind = readers[i]->name;
	tc_side_file_close(&file);
	tc_ctx_free(own);
	return kind;
}

static enum tc_status read_given(struct tc_ctx *ctx, sqlite3 *db, const char *path)
{
	struct tc_side_file file;
	struct tc_text head = TC_TEXT_NONE;
	const char *what = "";
	enum tc_status status = tc_side_file_open(&file, ctx, path);

	file.tables = TC_TABLES_OF(ctx, db);
	if (!status)
		status = choose_trace(&file);
	if (!status)
		status = tc_side_file_peek(&file, PEEK_BYTES, &head);
	if (!status) {
		const struct tc_side_reader *reader = choose_reader(head, &what);
		status = reader ? read_file(&file, reader, "given") : tc_side_refuse(&file, what);
	}
	tc_side_file_close(&file);
	return status;
}

/* Reads the file if it exists and is of the kind that its name promises. */
static enum tc_status read_found(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id,
	const char *path, const struct tc_side_reader *reader)
{
	struct tc_side_file file;
	struct tc_text head = TC_TEXT_NONE;
	const char *what;
	enum tc_status status;

	status = tc_side_file_open_found(&file, ctx, path);
	file.tables = TC_TABLES_OF(ctx, db);
	file.trace_id = trace_id;
	if (!status)
		status = tc_side_file_peek(&file, PEEK_BYTES, &head);
	/* The user did not name it, so no error: missing, unreadable, empty, a FIFO, or CSV in a
	 * build without libcsv. */
	bool left_alone = status == TC_ERR_READ;
	if (!status && choose_reader(head, &what) == reader)
		status = read_file(&file, reader, "found");
	tc_side_file_close(&file);
	if (left_alone || status == TC_ERR_INPUT) {
		tc_ctx_clear_error(ctx);
		status = TC_OK;
	}
	return status;
}

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

enum tc_status tc_side_find(
	struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id, const char *trace_path)
{
	struct tc_buf path = TC_BUF_EMPTY;
	enum tc_status status = TC_OK;

	for (size_t i = 0; !status && tc_side_beside(&path, trace_path, i); i++) {
		const char *name = tc_buf_string(&path);
		status = name ? read_found(ctx, db, trace_id, name, beside_at(i))
			      : tc_no_memory(ctx);
	}
	tc_buf_clear(&path);
	return status;
}

enum tc_status tc_side_read(struct tc_ctx *ctx, sqlite3 *db, const char *const *paths, size_t count)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < count && !status; i++)
		status = read_given(ctx, db, paths[i]);
	return status;
}
