#include "advice/evaluate/fields.h"

#include <math.h>

#include "core/limits.h"
#include "core/text/utf8.h"
#include "decode/json/json_text.h"

const char *const *tc_fields_names(struct tc_arena *arena, sqlite3_stmt *stmt)
{
	int count = sqlite3_column_count(stmt);
	const char **names = tc_arena_take(arena, (size_t)count + 1, sizeof(*names));
	bool good = names != NULL;

	for (int i = 0; i < count && good; i++) {
		const char *name = sqlite3_column_name(stmt, i);
		names[i] = name ? tc_arena_dup(arena, tc_text_from(name)) : NULL;
		good = names[i] != NULL;
	}
	return good ? names : NULL;
}

const char *tc_fields_text(struct tc_arena *arena, sqlite3_stmt *stmt, int column, const char *none)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);
	struct tc_text whole = {text, text ? (size_t)sqlite3_column_bytes(stmt, column) : 0};
	struct tc_text kept = tc_utf8_prefix(whole, TC_EVIDENCE_MAX_BYTES);
	struct tc_buf buf = TC_BUF_EMPTY;

	if (!text)
		return sqlite3_column_type(stmt, column) == SQLITE_NULL ? none : NULL;
	tc_utf8_append_clean(&buf, kept);
	if (kept.len < whole.len)
		tc_buf_append_string(&buf, "...");
	return tc_arena_keep(arena, &buf);
}

static bool read_field(
	struct tc_field *field, struct tc_arena *arena, sqlite3_stmt *stmt, int column)
{
	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_NULL: return true;
	case SQLITE_INTEGER:
		field->kind = TC_FIELD_INTEGER;
		field->integer = sqlite3_column_int64(stmt, column);
		return true;
	case SQLITE_FLOAT:
		field->real = sqlite3_column_double(stmt, column);
		field->kind = isfinite(field->real) ? TC_FIELD_REAL : TC_FIELD_NULL;
		return true;
	default:
		field->kind = TC_FIELD_TEXT;
		field->text = tc_fields_text(arena, stmt, column, "");
		return field->text != NULL;
	}
}

const struct tc_field *tc_fields_read(
	struct tc_arena *arena, sqlite3_stmt *stmt, const char *const *names)
{
	int count = sqlite3_column_count(stmt);
	struct tc_field *fields = tc_arena_take(arena, (size_t)count + 1, sizeof(*fields));
	bool good = fields != NULL;

	for (int i = 0; i < count && good; i++) {
		fields[i].name = names[i];
		good = read_field(&fields[i], arena, stmt, i);
	}
	return good ? fields : NULL;
}

static void append_value(struct tc_buf *buf, const struct tc_field *field)
{
	switch (field->kind) {
	case TC_FIELD_NULL: tc_buf_append_string(buf, "null"); return;
	case TC_FIELD_INTEGER: tc_buf_format(buf, "%lld", (long long)field->integer); return;
	case TC_FIELD_REAL: tc_buf_format(buf, "%.15g", field->real); return;
	case TC_FIELD_TEXT: tc_json_append_string(buf, tc_text_from(field->text)); return;
	}
}

void tc_fields_json(struct tc_buf *buf, const struct tc_field *fields)
{
	tc_buf_append_char(buf, '{');
	for (const struct tc_field *field = fields; field->name; field++) {
		if (field != fields)
			tc_buf_append_char(buf, ',');
		tc_json_append_string(buf, tc_text_from(field->name));
		tc_buf_append_char(buf, ':');
		append_value(buf, field);
	}
	tc_buf_append_char(buf, '}');
}
