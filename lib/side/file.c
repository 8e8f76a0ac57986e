/* Side files as lines, and rows of the store; see file.h. */
#include "side/file.h"

#include <assert.h>

#include "core/limits.h"
#include "core/text/utf8.h"

enum { READ_BYTES = 64 * 1024 };

enum tc_status tc_side_no_memory(struct tc_side_file *file)
{
	return tc_fail(file->ctx, TC_ERR_NOMEM, "cannot read %s: out of memory", file->path);
}

enum tc_status tc_side_refuse(struct tc_side_file *file, const char *what)
{
	return tc_fail(file->ctx, TC_ERR_INPUT,
		"%s: not a side file of a known kind: %s; docs/side-files.md lists the kinds",
		file->path, what);
}

enum tc_status tc_side_file_open(struct tc_side_file *file, struct tc_ctx *ctx, const char *path)
{
	*file = (struct tc_side_file){.ctx = ctx, .path = path};
	return tc_source_open(&file->source, ctx, path);
}

enum tc_status tc_side_file_open_found(
	struct tc_side_file *file, struct tc_ctx *ctx, const char *path)
{
	*file = (struct tc_side_file){.ctx = ctx, .path = path};
	return tc_source_open_regular(&file->source, ctx, path);
}

void tc_side_file_close(struct tc_side_file *file)
{
	tc_tables_end(&file->tables);
	tc_source_close(file->source);
	tc_buf_clear(&file->bytes);
	tc_buf_clear(&file->clean);
	*file = (struct tc_side_file){0};
}

/* Reads the next bytes after those not yet used. */
static enum tc_status fill(struct tc_side_file *file)
{
	size_t len = 0;

	if (tc_ctx_interrupted(file->ctx))
		return tc_fail(file->ctx, TC_ERR_INTERRUPTED, "interrupted");
	tc_buf_consume(&file->bytes, file->at);
	file->at = 0;
	char *room = tc_buf_extend(&file->bytes, READ_BYTES);
	if (!room)
		return tc_side_no_memory(file);
	enum tc_status status = tc_source_read(file->source, room, READ_BYTES, &len);
	if (status)
		return status;
	file->bytes.len -= READ_BYTES - len;
	file->read_bytes += (int64_t)len;
	file->ended = len == 0;
	return TC_OK;
}

static struct tc_text rest(const struct tc_side_file *file)
{
	struct tc_text text = tc_buf_text(&file->bytes);

	return (struct tc_text){text.ptr + file->at, text.len - file->at};
}

enum tc_status tc_side_file_peek(struct tc_side_file *file, size_t bytes, struct tc_text *head)
{
	enum tc_status status = TC_OK;

	while (!status && !file->ended && rest(file).len < bytes)
		status = fill(file);
	if (status)
		return status;
	if (file->read_bytes == (int64_t)rest(file).len &&
		tc_text_starts(rest(file), TC_TEXT("\xef\xbb\xbf")))
		file->at += 3;
	*head = rest(file);
	if (head->len > bytes)
		head->len = bytes;
	return TC_OK;
}

/* Replaces NUL and bytes that are not UTF-8 by U+FFFD. */
static void mend(struct tc_side_file *file, struct tc_text *text)
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
	if (tc_buf_failed(&file->clean))
		tc_side_no_memory(file);
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
		mend(file, line);
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
	mend(file, &text);
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
	file->row_count += !file->tables.status;
}
