/* Batches: growable arrays of rows and their text. The functions for each kind of row are made from
 * batch_rows.def. */
#include "store/batch.h"

#include "core/alloc.h"

/* A batch goes to the writer at this size: large enough that the cost of handing it over is spread
 * over many rows, small enough that the few in flight take some hundred KB. Offsets into the text
 * have 32 bits; FULL_BYTES plus one more event (core/limits.h) cannot overflow them. */
enum { FULL_ROWS = 2048, FULL_BYTES = 1024 * 1024 };

struct tc_batch *tc_batch_new(void)
{
	return tc_calloc(1, sizeof(struct tc_batch));
}

void tc_batch_free(struct tc_batch *batch)
{
	if (!batch)
		return;
#define TC_BATCH_ROW(kind, array) tc_free(batch->array);
#include "store/batch_rows.def"
#undef TC_BATCH_ROW
	tc_buf_clear(&batch->text);
	tc_free(batch);
}

void tc_batch_reset(struct tc_batch *batch)
{
#define TC_BATCH_ROW(kind, array) batch->kind##_count = 0;
#include "store/batch_rows.def"
#undef TC_BATCH_ROW
	tc_buf_reset(&batch->text);
}

bool tc_batch_full(const struct tc_batch *batch)
{
	size_t rows = 0;

#define TC_BATCH_ROW(kind, array) rows += batch->kind##_count;
#include "store/batch_rows.def"
#undef TC_BATCH_ROW
	return rows >= FULL_ROWS || batch->text.len >= FULL_BYTES;
}

/* One function per kind of row, all alike. */
#define TC_BATCH_ROW(kind, rows)                                                                   \
	struct tc_##kind##_row *tc_batch_add_##kind(struct tc_batch *batch)                        \
	{                                                                                          \
		if (!TC_GROW(batch->rows, batch->kind##_capacity, batch->kind##_count + 1))        \
			return NULL;                                                               \
		struct tc_##kind##_row *row = &batch->rows[batch->kind##_count++];                 \
		*row = (struct tc_##kind##_row){0};                                                \
		return row;                                                                        \
	}

#include "store/batch_rows.def"
#undef TC_BATCH_ROW
