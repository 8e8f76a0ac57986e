/* Rows as SQLite stores them; see record.h. */
#include "store/pages/record.h"

#include <assert.h>

#include "core/alloc.h"

enum { TYPE_REAL = 7, TYPE_TEXT = 13 };

/* SQLite stores a real number below it as an integer where it is one. */
static const double integer_end = 140737488355328.0; /* 2^47 */

uint8_t *tc_record_room(struct tc_record *record, size_t len)
{
	if (record->capacity - record->len < len &&
		!TC_GROW(record->bytes, record->capacity, record->len + len)) {
		record->failed = true;
		return NULL;
	}
	return record->bytes + record->len;
}

void tc_record_begin(struct tc_record *record)
{
	record->type_bytes = 0;
	record->len = 0;
	record->failed = false;
	if (tc_record_room(record, TC_RECORD_HEAD_BYTES))
		record->len = TC_RECORD_HEAD_BYTES;
	tc_record_null(record);
	record->stored_type_bytes = record->type_bytes;
}

void tc_record_text(struct tc_record *record, struct tc_text text)
{
	uint8_t *to = tc_record_room(record, text.len);

	if (!to)
		return;
	if (text.len > 0)
		memcpy(to, text.ptr, text.len);
	record->len += text.len;
	tc_record_add_type(record, TYPE_TEXT + 2 * (uint64_t)text.len);
}

void tc_record_real(struct tc_record *record, double value)
{
	uint64_t bits;

	if (value > -integer_end && value < integer_end && value == (double)(int64_t)value) {
		tc_record_int(record, (int64_t)value);
		return;
	}
	uint8_t *to = tc_record_room(record, sizeof(bits));
	if (!to)
		return;
	memcpy(&bits, &value, sizeof(bits));
	bits = __builtin_bswap64(bits);
	memcpy(to, &bits, sizeof(bits));
	record->len += sizeof(bits);
	tc_record_add_type(record, TYPE_REAL);
}

struct tc_record_bytes tc_record_end(struct tc_record *record)
{
	size_t head = record->stored_type_bytes + 1;
	uint8_t *at = record->bytes + TC_RECORD_HEAD_BYTES - head;

	assert(head <= TC_RECORD_HEAD_BYTES && head < 128);
	at[0] = (uint8_t)head;
	memcpy(at + 1, record->types, record->stored_type_bytes);
	return (struct tc_record_bytes){at, record->len - (TC_RECORD_HEAD_BYTES - head)};
}

void tc_record_clear(struct tc_record *record)
{
	tc_free(record->bytes);
	*record = (struct tc_record){0};
}
