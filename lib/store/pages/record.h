/*
 * Private to the store: a row as SQLite stores it, the types of its columns and then their values.
 * Columns are added in the order of the table. Those that are missing at the end have their
 * default, as if they had been added to the table later; so NULLs at the end are not stored.
 */
#ifndef TC_STORE_PAGES_RECORD_H
#define TC_STORE_PAGES_RECORD_H

#include <stdbool.h>
#include <string.h>

#include "core/text.h"
#include "store/pages/page.h"

enum {
	TC_RECORD_COLUMNS = 12, /* at most */
	TC_RECORD_TYPES_BYTES = TC_RECORD_COLUMNS * TC_VARINT_BYTES,
	/* Room before the values for the types and their length, which are known last. */
	TC_RECORD_HEAD_BYTES = TC_RECORD_TYPES_BYTES + 1,
};

struct tc_record {
	uint8_t types[TC_RECORD_TYPES_BYTES];
	size_t type_bytes, stored_type_bytes; /* without NULLs at the end */
	uint8_t *bytes;                       /* the values begin at TC_RECORD_HEAD_BYTES */
	size_t len, capacity;
	bool failed; /* memory is out */
};

/* The bytes of a record that has all its columns. */
struct tc_record_bytes {
	const uint8_t *ptr;
	size_t len;
};

/* Begins the next record with the column of the row's number, whose value is not in the record. */
void tc_record_begin(struct tc_record *record);
void tc_record_text(struct tc_record *record, struct tc_text text);
/* Of a column of type REAL. */
void tc_record_real(struct tc_record *record, double value);
/* Borrowed until the next one begins. */
struct tc_record_bytes tc_record_end(struct tc_record *record);
void tc_record_clear(struct tc_record *record);

/* A place for a value of len bytes, and seven more; NULL when memory is out. */
uint8_t *tc_record_room(struct tc_record *record, size_t len);

static inline void tc_record_null(struct tc_record *record)
{
	record->types[record->type_bytes++] = 0;
}

/* The type of a column that is not NULL. */
static inline void tc_record_add_type(struct tc_record *record, uint64_t type)
{
	record->type_bytes += tc_put_varint(record->types + record->type_bytes, type);
	record->stored_type_bytes = record->type_bytes;
}

static inline void tc_record_int(struct tc_record *record, int64_t value)
{
	/* By the bytes of a number: how many are stored, and as which type. */
	static const uint8_t stored[] = {0, 1, 2, 3, 4, 6, 6, 8, 8},
			     types[] = {0, 1, 2, 3, 4, 5, 5, 6, 6};
	uint64_t magnitude = (uint64_t)(value < 0 ? ~value : value);

	if (magnitude <= 1 && value >= 0) {
		tc_record_add_type(record, (uint64_t)(8 + value));
		return;
	}
	int bytes = (64 - __builtin_clzll(magnitude | 1)) / 8 + 1;
	uint64_t big = __builtin_bswap64((uint64_t)value << (64 - 8 * stored[bytes]));
	uint8_t *to = tc_record_room(record, sizeof(big));
	if (!to)
		return;
	memcpy(to, &big, sizeof(big));
	record->len += stored[bytes];
	tc_record_add_type(record, types[bytes]);
}

#endif
