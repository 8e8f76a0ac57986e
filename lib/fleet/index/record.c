/* Rows as bytes: kind, number of values, and for each its kind and its bytes. See record.h. */
#include "fleet/index/record.h"

static void add_value(struct tc_buf *record, const struct tc_sql_value *value)
{
	uint32_t len = (uint32_t)value->text.len;

	tc_buf_append_char(record, (char)value->kind);
	switch (value->kind) {
	case TC_SQL_NULL: break;
	case TC_SQL_INT:
		tc_buf_append(record, (const char *)&value->i64, sizeof(value->i64));
		break;
	case TC_SQL_REAL:
		tc_buf_append(record, (const char *)&value->real, sizeof(value->real));
		break;
	case TC_SQL_TEXT:
	case TC_SQL_BLOB:
		tc_buf_append(record, (const char *)&len, sizeof(len));
		tc_buf_append(record, value->text.ptr, len);
		break;
	}
}

void tc_record_add(struct tc_buf *record, enum tc_row_kind kind, const struct tc_sql_value *values,
	size_t count)
{
	tc_buf_append_char(record, (char)kind);
	tc_buf_append_char(record, (char)count);
	for (size_t i = 0; i < count; i++)
		add_value(record, &values[i]);
}

/* Copies len bytes from the front, and drops them there. */
static bool take(void *out, struct tc_text *rest, size_t len)
{
	if (rest->len < len)
		return false;
	memcpy(out, rest->ptr, len);
	rest->ptr += len;
	rest->len -= len;
	return true;
}

static bool take_value(struct tc_sql_value *value, struct tc_text *rest)
{
	unsigned char kind;
	uint32_t len;

	*value = tc_sql_null();
	if (!take(&kind, rest, 1) || kind > TC_SQL_TEXT)
		return false;
	switch (kind) {
	case TC_SQL_INT: value->kind = TC_SQL_INT; return take(&value->i64, rest, 8);
	case TC_SQL_REAL: value->kind = TC_SQL_REAL; return take(&value->real, rest, 8);
	case TC_SQL_TEXT:
		if (!take(&len, rest, sizeof(len)) || rest->len < len)
			return false;
		*value = tc_sql_text((struct tc_text){rest->ptr, len});
		rest->ptr += len;
		rest->len -= len;
		return true;
	default: return true;
	}
}

bool tc_record_next(struct tc_row *row, struct tc_text *rest)
{
	static const unsigned char counts[] = {
		TC_JOB_VALUES, TC_TRACE_VALUES, TC_METRIC_VALUES, TC_FINDING_VALUES, TC_LOG_VALUES};
	struct tc_text left = *rest;
	unsigned char head[2];

	if (!take(head, &left, sizeof(head)) || head[0] >= sizeof(counts) ||
		head[1] != counts[head[0]])
		return false;
	row->kind = head[0];
	row->count = head[1];
	for (size_t i = 0; i < row->count; i++)
		if (!take_value(&row->values[i], &left))
			return false;
	*rest = left;
	return true;
}
